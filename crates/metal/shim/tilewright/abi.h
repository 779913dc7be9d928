// What a kernel's shared object and the simulator say to each other: one table of functions.
//
// Everything above this file is tt-metal's names in terms of this table. Nothing here knows a
// tt-metal name, and nothing above it calls the simulator in any other way.
// The Rust side is `crates/metal/src/cpp/table.rs`; a test holds the two to each other.

#pragma once

#include <cstdint>

// Counts changes of the table or of the codes below. An object of another version is refused.
#define TW_ABI_VERSION 10u

// Bytes of a processor's memory that headers keep things in.
#define TW_SCRATCH_BYTES 8192u

// Where in L1 a kernel reads the wall clock: the lower word, then the upper.
#define TW_CLOCK 0x7e00u

// No buffer, no page, no transaction id.
#define TW_NONE 0xffffffffu

extern "C" {

// Where in the object a call comes from: the address behind it, and the frame pointer of the function.
// Kernels keep frame pointers, so that the functions that called this one can be found.
struct tw_site {
    const void* pc;
    const void* frame;
};

// Codes. Each list is in the order of the Rust enum that it stands for.

enum tw_source { TW_SRC_A = 0, TW_SRC_B = 1 };
enum tw_argument { TW_ARG_RUNTIME = 0, TW_ARG_COMMON = 1 };
enum tw_broadcast { TW_BCAST_NONE = 0, TW_BCAST_COLUMN = 1, TW_BCAST_ROW = 2, TW_BCAST_SCALAR = 3 };
enum tw_elementwise { TW_ADD = 0, TW_SUB = 1, TW_MUL = 2 };
enum tw_pool { TW_POOL_SUM = 0, TW_POOL_MAX = 1, TW_POOL_POOLED_SUM = 2, TW_POOL_BLOCK_MAX = 3 };
enum tw_reduce { TW_REDUCE_ROW = 0, TW_REDUCE_COLUMN = 1, TW_REDUCE_SCALAR = 2 };
enum tw_relu { TW_RELU_OFF = 0, TW_RELU_ZERO = 1, TW_RELU_MIN_THRESHOLD = 2, TW_RELU_MAX_THRESHOLD = 3 };
enum tw_mask { TW_MASK_NONE = 0, TW_MASK_ROW = 1, TW_MASK_COLUMN = 2, TW_MASK_SCALAR = 3 };

enum tw_barrier {
    TW_BARRIER_READS = 0,
    TW_BARRIER_WRITES = 1,
    TW_BARRIER_WRITES_DEPARTED = 2,
    TW_BARRIER_POSTED_WRITES_DEPARTED = 3,
    TW_BARRIER_ATOMICS = 4,
};

// What unpack does: one operand to `to`, both operands, or a tile out of row-major sticks.
enum tw_unpack_kind { TW_UNPACK_ONE = 0, TW_UNPACK_BOTH = 1, TW_UNPACK_TILIZE = 2 };
enum tw_transpose {
    TW_TRANSPOSE_NONE = 0,
    TW_TRANSPOSE_WHOLE = 1,
    TW_TRANSPOSE_FACES = 2,   // faces 1 and 2 change places
    TW_TRANSPOSE_WITHIN = 3,  // each face where it is
};
struct tw_unpack_op {
    uint8_t kind;       // tw_unpack_kind
    uint8_t to;         // tw_source, of TW_UNPACK_ONE
    uint8_t transpose;  // tw_transpose, of TW_UNPACK_ONE
    uint8_t unused;
    uint32_t row_tiles;  // of TW_UNPACK_TILIZE
};

// What math does.
enum tw_math_kind {
    TW_MATH_COPY = 0,
    TW_MATH_BROADCAST = 1,    // broadcast, source
    TW_MATH_ELEMENTWISE = 2,  // op, broadcast, accumulate; source is the one that takes Dst, or TW_NO_REUSE
    TW_MATH_MATMUL = 3,       // transpose
    TW_MATH_REDUCE = 4,       // pool, dim
    TW_MATH_MOVE = 5,
};
#define TW_NO_REUSE 255u
struct tw_math_op {
    uint8_t kind;       // tw_math_kind
    uint8_t op;         // tw_elementwise or tw_pool; of a product its phases, 0 for the kernel's
    uint8_t broadcast;  // tw_broadcast, or tw_reduce
    uint8_t source;     // tw_source or TW_NO_REUSE
    uint8_t accumulate;
    uint8_t transpose;
    uint8_t unused[2];
};

// What the vector unit does. A scalar is an fp32 pattern.
enum tw_vector_kind {
    TW_VECTOR_UNARY = 0,   // name, flags, scalar
    TW_VECTOR_BINARY = 1,  // name
    TW_VECTOR_MASKED = 2,
    TW_VECTOR_COPY_VALUES = 3,
    TW_VECTOR_TRANSPOSE = 4,
    TW_VECTOR_SUM = 5,
    TW_VECTOR_FUNCTION = 6,  // name
};
enum tw_sum { TW_SUM_COLUMNS = 0, TW_SUM_ROWS = 1 };
enum tw_unary_flag { TW_APPROX = 1, TW_LEGACY = 2, TW_FAST = 4 };
enum tw_masked { TW_MASKED_ZERO = 0, TW_MASKED_POSITIVE_INFINITY = 1 };
struct tw_vector_op {
    uint8_t kind;   // tw_vector_kind
    uint8_t code;   // tw_masked or tw_sum
    uint8_t flags;  // tw_unary_flag
    uint8_t unused;
    uint32_t name;  // the hash of a function's call
    uint32_t scalar;
};

// What vector code computes. Operands and results are names of vectors; TW_NONE is none.
enum tw_lane {
    TW_LANE_MAD = 0,
    TW_LANE_MULTIPLY,
    TW_LANE_ADD,
    TW_LANE_NEGATE,
    TW_LANE_AND,
    TW_LANE_OR,
    TW_LANE_XOR,
    TW_LANE_NOT,
    TW_LANE_ADD_INTEGER,
    TW_LANE_SUB_INTEGER,
    TW_LANE_SHIFT,
    TW_LANE_LEADING_ZEROS,
    TW_LANE_LEADING_ZEROS_MAGNITUDE,
    TW_LANE_ABSOLUTE_FLOAT,
    TW_LANE_ABSOLUTE_INTEGER,
    TW_LANE_EXPONENT_UNBIASED,
    TW_LANE_EXPONENT,
    TW_LANE_SIGNIFICAND,
    TW_LANE_MANTISSA,
    TW_LANE_SET_EXPONENT,
    TW_LANE_COPY_EXPONENT,
    TW_LANE_SET_MANTISSA,
    TW_LANE_COPY_SIGN,
    TW_LANE_ADD_EXPONENT,
    TW_LANE_CAST,
    TW_LANE_ROUND_BFLOAT16,
    TW_LANE_ROUND_UNSIGNED8,
    TW_LANE_ROUND_SIGNED8,
    TW_LANE_ROUND_UNSIGNED16,
    TW_LANE_ROUND_SIGNED16,
    TW_LANE_NARROW_UNSIGNED8,
    TW_LANE_NARROW_SIGNED8,
    TW_LANE_SUBTRACT,
    TW_LANE_MOVE,
    TW_LANE_ESTIMATE_RECIPROCAL,
    TW_LANE_MULTIPLY_LOW,
    TW_LANE_MULTIPLY_HIGH,

    TW_LANE_OF_WORD = 64,   // word, whether it is a literal
    TW_LANE_ASSIGN,         // old, new
    TW_LANE_LOAD,           // mode, address, 0 or an address mode and 1
    TW_LANE_STORE,          // mode, address, value, 0 or an address mode and 1
    TW_LANE_TEST,           // tw_lane_test, value
    TW_LANE_SWAP,           // 0 or 1, two values, rows of minima; the second result is the next name
    TW_LANE_TRANSPOSE,      // four values; the other results are the next names
    TW_LANE_ROTATE,
    TW_LANE_OPERAND,        // one of a table's coefficients, or at last its argument
    TW_LANE_LOOKUP,         // mode, whether coefficients have 16 or 32 bits
    TW_LANE_READ,           // register
    TW_LANE_WRITE,          // register, value
    TW_LANE_CONFIGURE,      // constant register, value
    TW_LANE_BEGIN,
    TW_LANE_END,
    TW_LANE_COMPLEMENT,
    TW_LANE_REQUIRE,        // mask
    TW_LANE_COUNT,          // rows

    TW_LANE_WORD = 0x100,     // flag: the second operand is a word
    TW_LANE_LITERAL = 0x200,  // flag: that the compiler knows
};
enum tw_lane_test {
    TW_TEST_LESS = 0,
    TW_TEST_GREATER_OR_EQUAL = 1,
    TW_TEST_EQUAL = 2,
    TW_TEST_NOT_EQUAL = 3,
    TW_TEST_GREATER = 4,
    TW_TEST_LESS_OR_EQUAL = 5,
};

// Where accesses of Dst fall: the first row; whether modes 4 to 7 count; how mode `a` moves the
// counter, as increment | clears << 16 | moves the copy << 17 | sets the copy << 18.
enum tw_vector_control { TW_VECTOR_BASE = 0, TW_VECTOR_UPPER_MODES = 1, TW_VECTOR_ADDRESS_MODE = 2 };

// How a write or an increment travels. A rectangle's address is that of `tw::rectangle`; from bit 8
// on stands how many of its cores the kernel counts.
enum tw_noc_flag { TW_POSTED = 1, TW_MULTICAST = 2, TW_INCLUDE_SELF = 4 };
#define TW_CORES_SHIFT 8u
#define TW_TO_CORES(cores) (TW_MULTICAST | (cores) << TW_CORES_SHIFT)

// One ring as this processor sees it. Addresses are pointers, as in every call.
struct tw_ring {
    uint32_t base;
    uint32_t bytes;
    uint32_t page_bytes;
    uint32_t pages;
    uint32_t read_pointer;
    uint32_t write_pointer;
    uint32_t visible;  // pages that the consumer may read
    uint32_t free;     // pages that the producer may fill
    uint32_t packed;   // pages packed since the last push
};

// What a kernel may set of a ring by hand.
enum tw_ring_part { TW_RING_READ = 0, TW_RING_WRITE = 1, TW_RING_PACKED = 2 };

enum tw_zone { TW_ZONE_BEGIN = 0, TW_ZONE_END = 1 };

// The table. Calls that take a site may suspend the kernel, and do not return if they end the run.
// L1 addresses are pointers below 4 GiB into this core's slot of 2 MiB; an offset alone is taken
// too. Addresses on the network are those of `tw::noc_address`.
struct tw_table {
    uint32_t version;
    uint32_t bytes;

    // Arguments. `arg_address` is where they lie in L1.
    uint32_t (*arg)(tw_site, uint32_t kind, uint32_t index);
    uint32_t (*arg_address)(tw_site, uint32_t kind, uint32_t index);
    uint32_t (*core)();     // x | y << 8
    uint32_t (*l1_base)();  // the first byte of this core's slot
    uint64_t (*cycle)();
    void* (*scratch)();  // TW_SCRATCH_BYTES of this processor, zero when the kernel begins

    // Rings.
    void (*reserve_back)(tw_site, uint32_t cb, uint32_t pages);
    void (*push_back)(tw_site, uint32_t cb, uint32_t pages);
    void (*wait_front)(tw_site, uint32_t cb, uint32_t pages);
    void (*pop_front)(tw_site, uint32_t cb, uint32_t pages);
    uint32_t (*write_pointer)(tw_site, uint32_t cb);
    uint32_t (*read_pointer)(tw_site, uint32_t cb);
    void (*ring)(tw_site, uint32_t cb, tw_ring* out);
    void (*set_ring)(tw_site, uint32_t cb, uint32_t part, uint32_t value);  // an address, or pages

    // Networks. A transaction id is 0 unless a kernel sets one; TW_NONE in a barrier means all.
    void (*noc_read)(tw_site, uint32_t noc, uint32_t trid, uint64_t from, uint32_t to, uint32_t bytes);
    void (*noc_write)(
        tw_site, uint32_t noc, uint32_t trid, uint32_t from, uint64_t to, uint32_t bytes, uint32_t flags);
    void (*noc_inline_write)(
        tw_site, uint32_t noc, uint32_t trid, uint64_t to, uint32_t value, uint32_t flags);
    void (*noc_increment)(tw_site, uint32_t noc, uint32_t trid, uint64_t to, uint32_t by, uint32_t flags);
    void (*noc_barrier)(tw_site, uint32_t noc, uint32_t barrier, uint32_t trid);
    uint32_t (*noc_under_way)(tw_site, uint32_t noc, uint32_t barrier, uint32_t trid);

    // Where a page of a tensor is, as reckoned from `base`, an address in its first page.
    void (*page_addressed)(uint64_t at, uint32_t base, uint32_t page);

    // Semaphores.
    uint32_t (*semaphore_address)(tw_site, uint32_t id);
    void (*semaphore_set)(tw_site, uint32_t at, uint32_t value);
    void (*semaphore_wait)(tw_site, uint32_t at, uint32_t value, uint32_t at_least);

    // Compute: start-up and Dst.
    void (*start_math)(tw_site);
    void (*start_pack)(tw_site);
    void (*start_up)(tw_site);
    void (*started_up)(tw_site);
    void (*acquire)(tw_site);
    void (*commit)(tw_site);
    void (*wait_commit)(tw_site);
    void (*release)(tw_site);

    // Compute: configuration. Formats are those of a buffer.
    void (*configure_unpack_formats)(tw_site, uint32_t source, uint32_t cb);
    void (*configure_alu_format)(tw_site, uint32_t source, uint32_t cb);
    void (*configure_pack_formats)(tw_site, uint32_t cb);
    void (*configure_unpack)(tw_site, tw_unpack_op);
    void (*configure_math)(tw_site, tw_math_op);
    void (*configure_vector)(tw_site, tw_vector_op);
    // Whole tiles if `block_tiles` is 0, otherwise rows of a block.
    void (*configure_pack)(tw_site, uint32_t block_tiles, uint32_t row_tiles);
    void (*configure_relu)(tw_site, uint32_t relu, uint32_t threshold);
    void (*configure_mask)(tw_site, uint32_t mask);
    void (*configure_accumulate)(tw_site, uint32_t accumulate);

    // Compute: operations, each on the one processor that does it. A cb of TW_NONE is no operand.
    void (*unpack)(tw_site, tw_unpack_op, uint32_t a_cb, uint32_t a_tile, uint32_t b_cb, uint32_t b_tile);
    void (*compute)(tw_site, tw_math_op, uint32_t dst);
    void (*vector)(tw_site, tw_vector_op, uint32_t x, uint32_t y, uint32_t out);
    // A function by the hash of its name, on words: operand tiles, the result, scalars.
    void (*function)(tw_site, uint32_t hash, const uint32_t* words, uint32_t tiles, uint32_t scalars);
    // Vector code: recorded, and executed before the next call of anything else.
    uint32_t (*vector_lanes)(tw_site, uint32_t op, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
    void (*vector_instruction)(tw_site, uint32_t word);
    void (*vector_control)(tw_site, uint32_t kind, uint32_t a, uint32_t b);
    void (*pack_tile)(tw_site, uint32_t dst, uint32_t cb, uint32_t page);  // TW_NONE: the next page
    void (*pack_untilize)(tw_site, uint32_t cb, uint32_t block, uint32_t first);
    void (*mailbox_write)(tw_site, uint32_t to, uint32_t value);  // 0 unpack, 1 math, 2 pack, 3 BRISC
    uint32_t (*mailbox_read)(tw_site, uint32_t from);

    // What a kernel has to say.
    void (*print)(tw_site, const char* text, uint64_t bytes);
    void (*waypoint)(tw_site, const char* text);
    void (*zone)(tw_site, const char* name, uint32_t edge);
    void (*assert_failed)(tw_site, const char* text);
    // A name that is declared, and whose effect the simulator lacks.
    void (*not_modelled)(tw_site, const char* what);

    // The object's own runtime, `tilewright/runtime.cpp`.
    uint32_t (*tick)();  // in every block of code; other than 0: a stride is due
    void (*stride)(tw_site);
    void (*l1_read)(tw_site, const volatile void* at, uint64_t bytes);
    void (*l1_write)(tw_site, const volatile void* at, uint64_t bytes);
    void (*threw)(tw_site, const char* what);  // no pc: the line is not known
    void (*ended)(tw_site, const char* how, int32_t code);
    uint32_t (*is_unwinding)();
};

}  // extern "C"
