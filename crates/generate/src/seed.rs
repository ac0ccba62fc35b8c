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
