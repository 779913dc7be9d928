//! The combination in f64, beside the bound of the engine's steps.

use tilewright_metal::Exact;
use tilewright_tile::bound::{self, Approx, Multiplication};
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{Broadcast, DataFormat, DstWidth};

use super::program_factory::goes_straight_to_dst;
use super::{Engine, Options};
use crate::operation::Request;
use crate::reference::one_by_one;
use crate::steps::{Steps, estimate_of};

/// Each element of the output. `stored` are the operands as the device has them.
pub(super) fn eltwise(request: Request, options: Options, stored: [Vec<f32>; 2]) -> Exact {
    let (width, height) = (request.shape.width(), request.shape.height());
    one_by_one(stored[0].len(), move |at| {
        let second = match options.broadcast {
            Broadcast::None => at,
            Broadcast::Row => at / (width * height) * width + at % width,
            Broadcast::Column => at / width,
            Broadcast::Scalar => at / (width * height),
        };
        combine(&request, options, stored[0][at], stored[1][second])
    })
}

/// Unpack, combine, pack.
fn combine(request: &Request, options: Options, first: f32, second: f32) -> Approx {
    let steps = Steps::new(&request.compute_config(), request.format);
    let operand = |value| match goes_straight_to_dst(request, options) {
        true => steps.stored(value),
        false => steps.operand(value),
    };
    let (x, y) = (operand(first), operand(second));
    if !x.is_finite() || !y.is_finite() {
        return special(steps, options.engine, first, second);
    }
    let (width, formats) = (steps.width, steps.sources());
    let fidelity = request.settings.fidelity;
    let in_dst = match options.engine {
        Engine::Fpu(Elementwise::Add) => bound::add_sources(width, formats, x, y),
        Engine::Fpu(Elementwise::Sub) => bound::subtract_sources(width, formats, x, y),
        Engine::Fpu(Elementwise::Mul) => {
            let how = Multiplication { fidelity, formats };
            bound::multiply_sources(width, how, x, y, Approx::ZERO)
        }
        Engine::Sfpu(op) => bound::binary(op, width, x, y),
    };
    let exact = exactly(options.engine, f64::from(first), f64::from(second));
    estimate_of(exact, steps.pack(in_dst))
}

/// What operands give of which one is a NaN or an infinity, where that is known to be one, too.
fn special(steps: Steps, engine: Engine, first: f32, second: f32) -> Approx {
    let result = match engine {
        Engine::Fpu(Elementwise::Add | Elementwise::Sub) => {
            let result = exactly(engine, as_matrix_unit(first), as_matrix_unit(second));
            // Less than this is below the last place of the larger operand.
            let overflows = result.abs() >= MATRIX_INFINITY * (1.0 - 1.0 / 4096.0);
            if overflows { f64::INFINITY.copysign(result) } else { 0.0 }
        }
        // What a product with a large exponent comes to depends on the phases.
        Engine::Fpu(Elementwise::Mul) => 0.0,
        Engine::Sfpu(Binary::Add | Binary::Sub | Binary::Mul | Binary::Rsub) => {
            // On the way to Dst a NaN may become an infinity, and on the way back it does.
            let is_kept = (steps.format, steps.width) == (DataFormat::Float32, DstWidth::Bits32);
            let result = exactly(engine, f64::from(first), f64::from(second));
            // A product with zero, which a denormal is, is zero whatever the other operand is.
            let is_zero = engine == Engine::Sfpu(Binary::Mul)
                && [first, second].iter().any(|value| value.abs() < f32::MIN_POSITIVE);
            if !is_zero && (is_kept || !result.is_nan()) { result } else { 0.0 }
        }
        Engine::Sfpu(Binary::Div | Binary::Max | Binary::Min) => 0.0,
    };
    if result.is_finite() { Approx::special() } else { Approx::exact(result) }
}

/// The least number whose exponent the formats have no room for: what an infinity is to the matrix
/// unit, which takes the largest exponent for a number's (numerics specification, section 4).
const MATRIX_INFINITY: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// A stored value as the matrix unit takes it.
fn as_matrix_unit(value: f32) -> f64 {
    if value.is_finite() {
        return f64::from(value);
    }
    let fraction = f64::from(value.to_bits() & 0x007f_ffff) / f64::from(1 << 23);
    (MATRIX_INFINITY * (1.0 + fraction)).copysign(f64::from(value))
}

fn exactly(engine: Engine, x: f64, y: f64) -> f64 {
    match engine {
        Engine::Fpu(Elementwise::Add) | Engine::Sfpu(Binary::Add) => x + y,
        Engine::Fpu(Elementwise::Sub) | Engine::Sfpu(Binary::Sub) => x - y,
        Engine::Fpu(Elementwise::Mul) | Engine::Sfpu(Binary::Mul) => x * y,
        Engine::Sfpu(Binary::Rsub) => y - x,
        Engine::Sfpu(Binary::Div) => x / y,
        Engine::Sfpu(Binary::Max) => x.max(y),
        Engine::Sfpu(Binary::Min) => x.min(y),
    }
}
