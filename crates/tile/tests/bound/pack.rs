//! The packer: formats, blocks, ReLU and accumulation in L1.

use tilewright_tile::bound::{self, Approx};
use tilewright_tile::{
    DataFormat, DstWidth, Lanes, PackMask, Packing, Relu, TILE_VALUES, pack, unpack,
};

use crate::data::{FAMILIES, Family, Judge, Operand, Random};

const PATHS: [(DstWidth, DataFormat, DataFormat); 8] = [
    (DstWidth::Bits32, DataFormat::Float32, DataFormat::Float32),
    (DstWidth::Bits32, DataFormat::Bfloat16, DataFormat::Bfloat16),
    (DstWidth::Bits32, DataFormat::Bfp8, DataFormat::Bfp8),
    (DstWidth::Bits32, DataFormat::Float32, DataFormat::Bfp8),
    (DstWidth::Bits16, DataFormat::Bfloat16, DataFormat::Bfloat16),
    (DstWidth::Bits16, DataFormat::Bfloat16, DataFormat::Float32),
    (DstWidth::Bits16, DataFormat::Bfp8, DataFormat::Bfp8),
    (DstWidth::Bits16, DataFormat::Bfloat16, DataFormat::Bfp8),
];

const RELUS: [Relu; 4] =
    [Relu::Off, Relu::Zero, Relu::MinThreshold(0x3f00), Relu::MaxThreshold(0x3f00)];

fn packing(path: (DstWidth, DataFormat, DataFormat), relu: Relu) -> Packing {
    let (width, source, output) = path;
    Packing { width, source, output, relu, mask: PackMask::None, accumulate: false }
}

/// What L1 holds, read back without loss.
fn packed(packing: &Packing, dst: &Lanes, l1: &mut [u8]) -> Lanes {
    pack(dst, packing, l1).expect("modelled");
    let mut lanes = [0; TILE_VALUES];
    unpack(l1, packing.output, packing.output, &mut lanes).expect("modelled");
    lanes
}

/// The bounds of a whole tile.
fn bounds(packing: &Packing, dst: &[Approx]) -> Vec<Approx> {
    if packing.output != DataFormat::Bfp8 {
        return dst.iter().map(|&x| bound::pack(packing, x).expect("modelled")).collect();
    }
    let blocks = dst.as_chunks::<16>().0.iter().flat_map(|&block| {
        let mut block = block;
        bound::pack_block(packing, &mut block).expect("modelled");
        block
    });
    blocks.collect()
}

#[test]
fn packed_values_stay_in_bound() {
    let mut random = Random(21);
    for path in PATHS {
        for relu in RELUS {
            for family in FAMILIES {
                packed_values(&mut random, &packing(path, relu), family);
            }
        }
    }
}

fn packed_values(random: &mut Random, packing: &Packing, family: Family) {
    let Packing { width, source, output, relu, .. } = *packing;
    let name = format!("pack {width:?} {source}->{output} {relu:?} {family:?}");
    let mut judge = Judge::default();
    for _ in 0..4 {
        let dst = Operand::exact(random, family, width.mask());
        let mut l1 = vec![0; output.tile_bytes()];
        let got = packed(packing, &dst.lanes, &mut l1);
        let exact = bounds(packing, &dst.approx);
        judge.see_tile(|at| exact[at], &got, &name);
        let blurred = bounds(packing, &dst.blurred(random));
        judge.see_tile(|at| blurred[at], &got, &name);
    }
    let has_tiny_blocks = output == DataFormat::Bfp8 && family == Family::Tiny;
    if !has_tiny_blocks {
        judge.expect(&name, family.demand(0.3));
    }
}

#[test]
fn accumulation_in_l1_stays_in_bound() {
    let mut random = Random(22);
    for (width, output) in
        [(DstWidth::Bits32, DataFormat::Float32), (DstWidth::Bits16, DataFormat::Bfloat16)]
    {
        for family in FAMILIES {
            let plain = packing((width, output, output), Relu::Off);
            let adding = Packing { accumulate: true, ..plain };
            let mut l1 = vec![0; output.tile_bytes()];
            let mut sums = vec![Approx::ZERO; TILE_VALUES];
            let mut got = [0; TILE_VALUES];
            for step in 0..4 {
                let dst = Operand::exact(&mut random, family, width.mask());
                let packing = if step == 0 { &plain } else { &adding };
                got = packed(packing, &dst.lanes, &mut l1);
                for (sum, new) in sums.iter_mut().zip(bounds(&plain, &dst.approx)) {
                    let add = || bound::accumulate_in_l1(output, *sum, new).expect("modelled");
                    *sum = if step == 0 { new } else { add() };
                }
            }
            let name = format!("L1 {output} {family:?}");
            let mut judge = Judge::default();
            judge.see_tile(|at| sums[at], &got, &name);
            judge.expect(&name, family.demand(0.3));
        }
    }
}
