// Tiles of A and B for the output tile of this core. The first core of a row reads the row's tiles
// of A and sends them along the row; the first core of a column does so with B.
//
// FAULT_NO_HANDSHAKE: senders do not wait until every receiver has room.
// FAULT_MISSING_READ_BARRIER: senders do not wait until a tile is there.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// One operand: who sends it, and the cores that it goes to.
struct Operand {
    uint32_t cb;
    bool is_sender;
    uint32_t receivers;
    uint32_t first_x, first_y, last_x, last_y;
    uint32_t sender_x, sender_y;
    uint32_t ready, sent;
};

template <typename Tensor>
void send(const Operand& operand, const Tensor& tensor, uint32_t page) {
    const uint32_t bytes = get_tile_size(operand.cb);
    cb_reserve_back(operand.cb, 1);
    const uint32_t at = get_write_ptr(operand.cb);
    noc_async_read_page(page, tensor, at);  // read-before-landing
#ifndef FAULT_MISSING_READ_BARRIER
    noc_async_read_barrier();
#endif
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(operand.ready);
    volatile tt_l1_ptr uint32_t* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(operand.sent);
#ifndef FAULT_NO_HANDSHAKE
    noc_semaphore_wait(ready, operand.receivers);
    noc_semaphore_set(ready, 0);
#endif
    const auto to = [&](uint32_t address) {
        return get_noc_multicast_addr(
            operand.first_x, operand.first_y, operand.last_x, operand.last_y, address);
    };
    noc_async_write_multicast(at, to(at), bytes, operand.receivers);
    noc_semaphore_set(sent, 1);
    noc_semaphore_set_multicast(operand.sent, to(operand.sent), operand.receivers);
    noc_async_write_barrier();
    noc_semaphore_set(sent, 0);
    cb_push_back(operand.cb, 1);
}

void receive(const Operand& operand) {
    cb_reserve_back(operand.cb, 1);
    volatile tt_l1_ptr uint32_t* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(operand.sent);
    noc_semaphore_set(sent, 0);  // lost-update
    noc_semaphore_inc(get_noc_addr(operand.sender_x, operand.sender_y, operand.ready), 1);
    noc_semaphore_wait(sent, 1);
    cb_push_back(operand.cb, 1);
}

Operand operand_at(uint32_t cb, uint32_t arg) {
    return {
        cb,
        get_arg_val<uint32_t>(arg) != 0,
        get_arg_val<uint32_t>(arg + 1),
        get_arg_val<uint32_t>(arg + 2),
        get_arg_val<uint32_t>(arg + 3),
        get_arg_val<uint32_t>(arg + 4),
        get_arg_val<uint32_t>(arg + 5),
        get_arg_val<uint32_t>(arg + 6),
        get_arg_val<uint32_t>(arg + 7),
        get_semaphore(get_arg_val<uint32_t>(arg + 8)),
        get_semaphore(get_arg_val<uint32_t>(arg + 9)),
    };
}

void kernel_main() {
    const uint32_t row = get_arg_val<uint32_t>(2);
    const uint32_t column = get_arg_val<uint32_t>(3);
    constexpr uint32_t depth = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_a = tt::CBIndex::c_0;
    constexpr uint32_t cb_b = tt::CBIndex::c_1;
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(cb_b));
    const Operand of_a = operand_at(cb_a, 4);
    const Operand of_b = operand_at(cb_b, 14);
    for (uint32_t k = 0; k < depth; ++k) {
        if (of_a.is_sender) {
            send(of_a, a, row * depth + k);
        } else {
            receive(of_a);
        }
        if (of_b.is_sender) {
            send(of_b, b, k * columns + column);
        } else {
            receive(of_b);
        }
    }
    noc_async_atomic_barrier();
}
