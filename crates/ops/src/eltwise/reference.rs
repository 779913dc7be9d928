//! The combination in f64, beside the bound of the engine's steps.

use tilewright_tile::Broadcast;
use tilewright_tile::bound::{self, Approx, Multiplication};
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Binary;

use super::program_factory::goes_straight_to_dst;
use super::{Engine, Options};
use crate::operation::Request;
use crate::parallel;
use crate::steps::{Steps, estimate_of};

/// Each element of the output. `stored` are the operands as the device has them.
pub(super) fn eltwise(request: &Request, options: Options, stored: &[Vec<f32>; 2]) -> Vec<Approx> {
    let shape = &request.shape;
    let (width, height) = (shape.width(), shape.height());
    let element = |at: usize| {
        let second = match options.broadcast {
            Broadcast::None => at,
            Broadcast::Row => at / (width * height) * width + at % width,
            Broadcast::Column => at / width,
            Broadcast::Scalar => at / (width * height),
        };
        combine(request, options, stored[0][at], stored[1][second])
    };
    parallel::map(stored[0].len(), element)
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
        return Approx::special();
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
