//! Random choices that are the same in each run: a xorshift generator (Marsaglia 2003).

/// The generator. Its state is never 0.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random::new(0)
    }
}

impl Random {
    /// A sequence for this seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.max(1))
    }

    /// A number below a limit; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let at = self.below(all.len());
        all.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_below_their_limit_and_the_same_for_a_seed() {
        let (mut one, mut two) = (Random::new(7), Random::new(7));
        let mut met = [0; 5];
        for _ in 0..1000 {
            let choice = one.below(5);
            assert_eq!(choice, two.below(5));
            met[choice] += 1;
        }
        assert!(met.iter().all(|times| *times > 100), "{met:?}");
        assert_eq!((one.below(0), one.below(1)), (0, 0));
        assert_eq!(one.pick::<u8>(&[]), None);
    }
}
