// Names of the engine's modes (tt-llk `llk_defs.h`).

#pragma once

#include <cstdint>

#include "internal/data_format.h"
#include "tilewright/enums.h"

namespace ckernel {

enum class VectorMode : std::uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
enum class ReduceDim : std::uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class PoolType : std::uint8_t { SUM, AVG, MAX, MIN };
enum class DataCopyType : std::uint8_t { A2D, B2D };
enum class EltwiseBinaryType : std::uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class BroadcastType : std::uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class Transpose : std::uint8_t { None = 0, IntraFace = 1, InterFace = 2, Both = 3 };
enum class ReluType : std::uint8_t { NO_RELU = 0, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
enum class StochRndType : std::uint8_t { None = 0, Fpu = 1, Pack = 2, All = 0xf };
enum class PackMode : std::uint8_t { Default = 0, Untilize = 1, Tilize = 2 };
enum class DataLayout : std::uint8_t { TILE = 0, ROW_MAJOR = 1 };
enum class RoundingMode : std::uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class DstRoundingMode : std::uint8_t { Default = 0, NearestEven = 1 };
// Which tile sizes an unpacker takes over with a format; every tile here is 32 by 32.
enum class p_dim_stride_target { IGNORE = 0, FACE_ROW_MAJOR = 1 };
enum ThreadId { UnpackThreadId = 0, MathThreadId = 1, PackThreadId = 2, BriscThreadId = 3 };

// Older kernels name operations without their type.
inline constexpr EltwiseBinaryType ELWMUL = EltwiseBinaryType::ELWMUL;
inline constexpr EltwiseBinaryType ELWADD = EltwiseBinaryType::ELWADD;
inline constexpr EltwiseBinaryType ELWSUB = EltwiseBinaryType::ELWSUB;
inline constexpr PoolType SUM = PoolType::SUM;
inline constexpr ReduceDim REDUCE_ROW = ReduceDim::REDUCE_ROW;
inline constexpr ReduceDim REDUCE_COL = ReduceDim::REDUCE_COL;
inline constexpr ReduceDim REDUCE_SCALAR = ReduceDim::REDUCE_SCALAR;

// How SFPLOAD and SFPSTORE take a value.
enum class InstrModLoadStore {
    DEFAULT = 0,
    FP16A = 1,
    FP16B = 2,
    FP32 = 3,
    INT32 = 4,
    INT8 = 5,
    LO16 = 6,
    HI16 = 7,
    INT32_2S_COMP = 12,
    INT8_2S_COMP = 13,
    LO16_ONLY = 14,
    HI16_ONLY = 15,
};
constexpr std::uint32_t operator<<(InstrModLoadStore mode, int shift) {
    return static_cast<std::uint32_t>(mode) << shift;
}
constexpr std::uint32_t operator|(std::uint32_t bits, InstrModLoadStore mode) {
    return bits | static_cast<std::uint32_t>(mode);
}
constexpr std::uint32_t operator|(InstrModLoadStore mode, std::uint32_t bits) { return bits | mode; }
// Those of whole numbers.
constexpr bool is_valid_instruction_mode(InstrModLoadStore mode) {
    return mode == InstrModLoadStore::INT32 || mode == InstrModLoadStore::INT32_2S_COMP ||
           mode == InstrModLoadStore::LO16;
}
// What Blackhole's SFPCAST turns a value into.
enum class InstrModCast {
    INT32_TO_FP32_NEAREST_EVEN = 0,
    INT32_TO_FP32_STOCHASTIC = 1,
    INT32_2S_COMP_TO_INT_SIGN_MAGN = 2,
    INT_SIGN_MAGN_TO_INT32_2S_COMP = 3,
};
constexpr std::uint32_t operator<<(InstrModCast mode, int shift) {
    return static_cast<std::uint32_t>(mode) << shift;
}
// That of a format, in a Dst of 32 bits or 16.
template <DataFormat format, bool is_wide = false>
constexpr InstrModLoadStore GetSfpLoadStoreInstrMod() {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32: return InstrModLoadStore::FP32;
        case DataFormat::Float16: return is_wide ? InstrModLoadStore::FP32 : InstrModLoadStore::FP16A;
        case DataFormat::Float16_b: return is_wide ? InstrModLoadStore::FP32 : InstrModLoadStore::FP16B;
        case DataFormat::Int8:
        case DataFormat::UInt8: return InstrModLoadStore::INT8;
        case DataFormat::UInt16: return is_wide ? InstrModLoadStore::INT32 : InstrModLoadStore::LO16;
        case DataFormat::Int32:
        case DataFormat::UInt32: return InstrModLoadStore::INT32;
        default: return InstrModLoadStore::DEFAULT;
    }
}
enum class BinaryOp : std::uint8_t {
    ADD, SUB, MUL, DIV, RSUB, POW, XLOGY, RSHFT, LSHFT, LOGICAL_RSHFT, ADD_TOP_ROW, LT, GT, LE, GE, EQ, NE,
    MAX, MIN, FMOD,
};
enum SortDir : bool { ArgMax = false, ArgMin = true };
enum class ActivationType { Celu = 0, Elu = 1, Gelu = 2, Hardtanh = 3, Hardsigmoid = 4 };
enum class UnpackDestination : std::uint8_t { SrcRegs = 0, DestReg = 1 };
enum DstTileShape : std::uint8_t { Tile32x32 = 0, Tile32x16 = 1, Tile16x16 = 2 };

inline constexpr bool UnpackToDestEn = true;
inline constexpr bool UnpackToDestDis = false;

// What the packer does to values before it rounds them.
struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU, 0}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU, 0}; }
    static constexpr ReluConfig min_threshold(std::uint32_t bits) { return {ReluType::MIN_THRESHOLD_RELU, bits}; }
    static constexpr ReluConfig max_threshold(std::uint32_t bits) { return {ReluType::MAX_THRESHOLD_RELU, bits}; }
    static constexpr ReluConfig from_packed(std::uint32_t word) {
        return {static_cast<ReluType>(word & 3), word >> 16 & 0xffff};
    }
    constexpr ReluType get_mode() const { return mode; }
    constexpr std::uint32_t get_threshold() const { return threshold; }

private:
    constexpr ReluConfig(ReluType kind, std::uint32_t bits) : mode(kind), threshold(bits) {}
    ReluType mode;
    std::uint32_t threshold;
};

inline constexpr std::uint32_t TILE_HEIGHT = 32;
inline constexpr std::uint32_t TILE_WIDTH = 32;
inline constexpr std::uint32_t FACE_HEIGHT = 16;
inline constexpr std::uint32_t FACE_WIDTH = 16;
inline constexpr std::uint32_t TILE_R_DIM = 32;
inline constexpr std::uint32_t TILE_C_DIM = 32;
inline constexpr std::uint32_t FACE_R_DIM = 16;
inline constexpr std::uint32_t FACE_C_DIM = 16;
inline constexpr std::uint32_t TILE_NUM_FACES = 4;

}  // namespace ckernel
