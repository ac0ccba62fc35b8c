//! Checks on the operands of an instruction: whether they are at the edge of a comparison, or overflow.

use cupping_term::Sort;

/// A requirement on the operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Left and right are equal.
    Equal,
    /// Left is less than right, with nothing in between.
    OneBelow,
    /// Left is greater than right, with nothing in between.
    OneAbove,
    /// The result does not fit.
    Overflow(Arithmetic),
}

/// Operations whose results may not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    /// A condition on the left operand alone.
    Neg,
    /// The least value by -1.
    Div,
}

/// The positions of an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// Two ints on the stack.
    Ints,
    /// An int on the stack, and 0.
    IntAndZero,
    /// Two longs on the stack.
    Longs,
    /// A long on the stack, and 0.
    LongAndZero,
    /// Two floats on the stack.
    Floats,
    /// Two doubles on the stack.
    Doubles,
    /// An int in a local variable, and this constant.
    LocalAndConstant(u16, i32),
}

/// Requirements on the operands of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSite {
    /// The operands.
    pub operands: Operands,
    /// The requirements, each with the number of its probe.
    pub checks: Vec<(u32, Check)>,
}

impl Operands {
    /// The sort of the operands.
    pub fn sort(self) -> Sort {
        match self {
            Operands::Longs | Operands::LongAndZero => Sort::Bv64,
            Operands::Floats => Sort::F32,
            Operands::Doubles => Sort::F64,
            _ => Sort::Bv32,
        }
    }
}

impl Check {
    /// Whether operands of this sort, as found in slots, meet the requirement.
    pub fn holds(self, sort: Sort, x: u64, y: u64) -> bool {
        match sort {
            Sort::F32 => {
                let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                self.floats_hold(f64::from(x), f64::from(y), f64::from(x.next_up()), f64::from(y.next_up()))
            }
            Sort::F64 => {
                let (x, y) = (f64::from_bits(x), f64::from_bits(y));
                self.floats_hold(x, y, x.next_up(), y.next_up())
            }
            Sort::Bv64 => self.integers_hold(i64::MIN.into(), i64::MAX.into(), x as i64, y as i64),
            _ => {
                let (x, y) = (x as u32 as i32, y as u32 as i32);
                self.integers_hold(i32::MIN.into(), i32::MAX.into(), x.into(), y.into())
            }
        }
    }

    fn integers_hold(self, least: i128, most: i128, x: i64, y: i64) -> bool {
        let (x, y) = (i128::from(x), i128::from(y));
        let result = match self {
            Check::Equal => return x == y,
            Check::OneBelow => return x + 1 == y,
            Check::OneAbove => return x == y + 1,
            Check::Overflow(Arithmetic::Add) => x + y,
            Check::Overflow(Arithmetic::Sub) => x - y,
            Check::Overflow(Arithmetic::Mul) => x * y,
            Check::Overflow(Arithmetic::Neg) => -x,
            Check::Overflow(Arithmetic::Div) => return x == least && y == -1,
        };
        !(least..=most).contains(&result)
    }

    fn floats_hold(self, x: f64, y: f64, above_x: f64, above_y: f64) -> bool {
        match self {
            Check::Equal => x == y,
            Check::OneBelow => x < y && above_x == y,
            Check::OneAbove => y < x && above_y == x,
            Check::Overflow(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;
