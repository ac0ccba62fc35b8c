//! A set of words of memory, one bit each.

use crate::memory::Addr;

pub(crate) struct Bitmap {
    bits: Vec<u64>,
}

impl Bitmap {
    /// An empty set of words below `top`.
    pub(super) fn new(top: Addr) -> Bitmap {
        Bitmap { bits: vec![0; top as usize / 64 + 1] }
    }

    /// Whether the word is in the set; words from `top` on are not.
    #[inline]
    pub(crate) fn contains(&self, addr: Addr) -> bool {
        self.bits.get(addr as usize / 64).is_some_and(|bits| bits >> (addr % 64) & 1 != 0)
    }

    /// Adds a word below `top`; whether it was missing.
    #[inline]
    pub(super) fn insert(&mut self, addr: Addr) -> bool {
        let (bits, bit) = (&mut self.bits[addr as usize / 64], 1 << (addr % 64));
        let missing = *bits & bit == 0;
        *bits |= bit;
        missing
    }
}

impl Bitmap {
    /// The first word of the set from `at` on.
    pub(super) fn next(&self, at: Addr) -> Option<Addr> {
        let mut index = at as usize / 64;
        let mut bits = self.bits.get(index)? & (u64::MAX << (at % 64));
        while bits == 0 {
            index += 1;
            bits = *self.bits.get(index)?;
        }
        Some(index as Addr * 64 + bits.trailing_zeros())
    }
}
