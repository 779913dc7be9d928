// Qualifiers of the device's compiler that mean nothing on the host.

#pragma once

#define tt_l1_ptr
#define tt_reg_ptr
#define tt_uncached_ptr
