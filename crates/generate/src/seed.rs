//! Initial values of symbols. Where arithmetic is too hard for the solver, exploration from other initial
//! values may still succeed.

use cupping_term::{Model, Sort, Terms, VarIndex};

/// A choice of initial values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// Zero for numbers, lengths and characters.
    Zero,
    /// Small distinct numbers, digits, and full lengths.
    Small,
    /// Small negative numbers, and letters.
    Negative,
    /// The greatest values.
    Greatest,
    /// The least values.
    Least,
}

impl Seed {
    /// All seeds, in the order in which they are tried.
    pub const ALL: &[Seed] = &[Seed::Zero, Seed::Small, Seed::Negative, Seed::Greatest, Seed::Least];

    /// Sets the variables from number `first` on, varied by `--seed` (`shift`). Returns false if nothing
    /// changed.
    pub fn set(self, terms: &Terms, first: usize, shift: u64, model: &mut Model) -> bool {
        if self == Seed::Zero {
            return false;
        }
        for index in first..terms.variable_count() {
            let variable = VarIndex(index as u32);
            model.set(
                variable,
                self.value(terms.variable(variable).sort, index - first + (shift % 1000) as usize),
            );
        }
        terms.variable_count() > first
    }

    /// A byte of a file with symbolic content: text, except for the greatest and least values.
    pub fn content(self, at: usize) -> u64 {
        let text: &[u8] = match self {
            Seed::Zero => b"abcdefghijklmnopqrstuvwxyz",
            Seed::Small => b"1\n23,4\n",
            Seed::Negative => b"k=v\nab=1\n",
            Seed::Greatest => b"\xff",
            Seed::Least => b"\0",
        };
        u64::from(text[at % text.len()])
    }

    fn value(self, sort: Sort, nth: usize) -> u64 {
        let small = 2 * nth as i64 + 1;
        match (self, sort) {
            (Seed::Zero, _) => 0,
            (_, Sort::Bool) => 1,
            (Seed::Small, Sort::F32) => (small as f32).to_bits() as u64,
            (Seed::Negative, Sort::F32) => (-small as f32).to_bits() as u64,
            (Seed::Greatest, Sort::F32) => f32::MAX.to_bits() as u64,
            (Seed::Least, Sort::F32) => f32::NAN.to_bits() as u64,
            (Seed::Small, Sort::F64) => (small as f64).to_bits(),
            (Seed::Negative, Sort::F64) => (-small as f64).to_bits(),
            (Seed::Greatest, Sort::F64) => f64::MAX.to_bits(),
            (Seed::Least, Sort::F64) => f64::NAN.to_bits(),
            // Characters and shorts; lengths have eight bits and small bounds.
            (Seed::Small, Sort::Bv16) => b'1' as u64 + nth as u64 % 9,
            (Seed::Negative, Sort::Bv16) => b'a' as u64 + nth as u64 % 26,
            (Seed::Greatest, Sort::Bv16) => b'Z' as u64,
            (Seed::Least, Sort::Bv16) => b'-' as u64,
            (Seed::Small | Seed::Negative, Sort::Bv8) => 2,
            (Seed::Greatest | Seed::Least, Sort::Bv8) => 1,
            (Seed::Small, _) => small as u64,
            (Seed::Negative, _) => sort.wrap(-small),
            (Seed::Greatest, _) => sort.wrap(sort.max_signed()),
            (Seed::Least, _) => sort.wrap(sort.min_signed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORTS: [Sort; 7] = Sort::ALL;

    /// The values of so many variables of one sort.
    fn values(seed: Seed, sort: Sort, count: usize) -> Vec<u64> {
        let (mut terms, mut model) = (Terms::new(), Model::new());
        for _ in 0..count {
            terms.new_variable("x", sort);
        }
        seed.set(&terms, 0, 0, &mut model);
        (0..count).map(|at| model.get(VarIndex(at as u32))).collect()
    }

    #[test]
    fn values_fit_their_sort() {
        for seed in Seed::ALL {
            for sort in SORTS {
                let all = values(*seed, sort, 300);
                assert!(all.iter().all(|it| it & !sort.mask() == 0), "{seed:?} {sort:?}");
            }
        }
    }

    #[test]
    fn extremes_are_the_greatest_and_the_least_number() {
        assert_eq!(values(Seed::Greatest, Sort::Bv32, 1), [i32::MAX as u64]);
        assert_eq!(values(Seed::Least, Sort::Bv32, 1), [0x8000_0000]);
        assert_eq!(values(Seed::Least, Sort::Bv64, 1), [i64::MIN as u64]);
        assert_eq!(f64::from_bits(values(Seed::Greatest, Sort::F64, 1)[0]), f64::MAX);
    }

    #[test]
    fn small_numbers_differ_and_negative_ones_are_below_zero() {
        let small = values(Seed::Small, Sort::Bv32, 4);
        assert!(small.is_sorted_by(|one, next| one < next) && small[3] < 10, "{small:?}");
        let negative = values(Seed::Negative, Sort::Bv32, 4);
        assert!(negative.iter().all(|it| Sort::Bv32.signed(*it) < 0), "{negative:?}");
        let digits = values(Seed::Small, Sort::Bv16, 20);
        assert!(digits.iter().all(|it| (u64::from(b'1')..=u64::from(b'9')).contains(it)), "{digits:?}");
    }

    #[test]
    fn earlier_variables_keep_their_values() {
        let (mut terms, mut model) = (Terms::new(), Model::new());
        for _ in 0..2 {
            terms.new_variable("x", Sort::Bv32);
        }
        model.set(VarIndex(0), 77);
        assert!(!Seed::Zero.set(&terms, 0, 0, &mut model), "zero is what variables have anyway");
        assert!(!Seed::Small.set(&terms, 2, 0, &mut model), "there is no variable from here on");
        assert!(Seed::Greatest.set(&terms, 1, 0, &mut model));
        assert_eq!((model.get(VarIndex(0)), model.get(VarIndex(1))), (77, i32::MAX as u64));
    }

    #[test]
    fn files_are_text_unless_the_seed_is_an_extreme() {
        for seed in [Seed::Zero, Seed::Small, Seed::Negative] {
            let text: Vec<u8> = (0..100).map(|at| seed.content(at) as u8).collect();
            assert!(text.iter().all(|it| *it == b'\n' || (0x20..0x7f).contains(it)), "{seed:?}");
        }
        assert_eq!((Seed::Greatest.content(9), Seed::Least.content(9)), (0xff, 0));
    }
}
