// Rings between cores: not served.

#pragma once

#include "tilewright/lacks.h"

namespace experimental {

TW_LACKS(remote_cb_reserve_back, "rings between cores");
TW_LACKS(remote_cb_push_back_and_write_pages, "rings between cores");
TW_LACKS(remote_cb_wait_front, "rings between cores");
TW_LACKS(remote_cb_pop_front, "rings between cores");
TW_LACKS(resize_remote_sender_cb_interface, "rings between cores");
TW_LACKS(resize_remote_receiver_cb_interface, "rings between cores");
TW_LACKS(update_remote_cb_config_in_l1, "rings between cores");
TW_LACKS(update_remote_cb_configs_in_l1, "rings between cores");
TW_LACKS(align_local_cbs_to_remote_cb, "rings between cores");
TW_LACKS(remote_cb_sender_barrier, "rings between cores");

}  // namespace experimental
