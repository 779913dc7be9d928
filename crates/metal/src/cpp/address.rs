//! Addresses as C++ kernels hold them: pointers into slots of 2 MiB, and 64-bit words on the
//! network with Wormhole's fields. The other side is `shim/tilewright/address.h`.

use std::ops::Range;

use tilewright_machine::{
    CbId, CoreCoord, CoreRange, DramAddress, L1Address, NocAddress, NocId, Target,
};

/// The part of a pointer that is the offset in L1.
pub(super) const OFFSET_MASK: u32 = 0x1f_ffff;
const ADDRESS_BITS: u32 = 36;
const COORDINATE_BITS: u32 = 6;
const DRAM_ROW: u8 = 32;

/// Addresses of buffers that a program does not have: below every slot, 2 MiB for each. On the
/// device the firmware's table holds whatever an earlier program has left there. Kernels may ask
/// for it, and leave it alone; what they do with it is a use of that buffer.
const ABSENT: Range<u32> = 0x0800_0000..0x1000_0000;

/// The address of a buffer that the program does not have.
pub(super) fn absent(CbId(cb): CbId) -> u32 {
    let at = ABSENT.start + u32::from(cb) * (OFFSET_MASK + 1);
    assert!(ABSENT.contains(&at), "there are 64 buffers at most");
    at
}

/// The absent buffer that an address is of.
pub(super) fn absent_buffer(address: u32) -> Option<CbId> {
    let number = address.wrapping_sub(ABSENT.start) / (OFFSET_MASK + 1);
    ABSENT.contains(&address).then_some(CbId(number as u8))
}

/// A place in the L1 of whichever core: pointers and plain offsets alike.
pub(super) fn offset(address: u32) -> L1Address {
    match absent_buffer(address) {
        Some(_) => L1Address(address),
        None => L1Address(address & OFFSET_MASK),
    }
}

/// One place on the network.
pub(super) fn place(word: u64) -> NocAddress {
    let (x, y) = coordinates(word, ADDRESS_BITS);
    let low = word & ((1 << ADDRESS_BITS) - 1);
    if y == DRAM_ROW {
        NocAddress::Dram(DramAddress { bank: x, offset: low })
    } else {
        NocAddress::L1 { core: CoreCoord::new(x, y), address: offset(low as u32) }
    }
}

/// A rectangle of cores. Network 1 flows backwards, and hosts name its corners in that order.
pub(super) fn rectangle(word: u64, noc: NocId, include_self: bool) -> Target {
    let end = coordinates(word, ADDRESS_BITS);
    let start = coordinates(word, ADDRESS_BITS + 2 * COORDINATE_BITS);
    let (start, end) = match noc {
        NocId::Zero => (start, end),
        NocId::One => (end, start),
    };
    let range = CoreRange::new(CoreCoord::new(start.0, start.1), CoreCoord::new(end.0, end.1));
    let address = offset((word & ((1 << ADDRESS_BITS) - 1)) as u32);
    Target::Cores { range, address, include_self }
}

fn coordinates(word: u64, from: u32) -> (u8, u8) {
    let mask = (1 << COORDINATE_BITS) - 1;
    ((word >> from & mask) as u8, (word >> (from + COORDINATE_BITS) & mask) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_as_the_header_puts_them_together() {
        assert_eq!(absent_buffer(absent(CbId(18)) + OFFSET_MASK), Some(CbId(18)));
        assert_eq!([absent_buffer(0x07ff_ffff), absent_buffer(0x1000_0000)], [None; 2]);
        let word = 3 << 36 | 5 << 42 | 0x1020_0040_u64;
        let (core, address) = (CoreCoord::new(3, 5), L1Address(0x40));
        assert_eq!(place(word), NocAddress::L1 { core, address });
        let dram = 11 << 36 | 32 << 42 | 0x8000_0000_u64;
        let at = DramAddress { bank: 11, offset: 0x8000_0000 };
        assert_eq!(place(dram), NocAddress::Dram(at));
        let all = 1 << 48 | 2 << 54 | 3 << 36 | 4 << 42 | 0x80_u64;
        let range = CoreRange::new(CoreCoord::new(1, 2), CoreCoord::new(3, 4));
        let target = Target::Cores { range, address: L1Address(0x80), include_self: true };
        assert_eq!(rectangle(all, NocId::Zero, true), target);
    }
}
