//! A pseudo-random sequence of numbers, the same in every run (xorshift, Marsaglia 2003).

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; different seeds give different sequences.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 32) as usize * bound.min(u32::MAX as usize)) >> 32
    }

    /// One of these, if there are any.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_below_the_bound_occur() {
        let mut random = Random::new(0);
        let mut seen = [0; 7];
        (0..700).for_each(|_| seen[random.below(7)] += 1);
        assert!(seen.iter().all(|it| *it > 50), "{seen:?}");
        assert_eq!((random.below(0), random.one::<u8>(&[])), (0, None));
    }
}
