//! The operators on concrete numbers, as computed by the JVM (JVMS §6.5).

use super::action::{Arithmetic, ArrayElement, Comparison};
use std::cmp::Ordering;

impl Arithmetic {
    /// The result for ints; `None` for a division by zero.
    #[inline]
    pub fn ints(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            Arithmetic::Add => a.wrapping_add(b),
            Arithmetic::Subtract => a.wrapping_sub(b),
            Arithmetic::Multiply => a.wrapping_mul(b),
            Arithmetic::Divide if b == 0 => return None,
            Arithmetic::Divide => a.wrapping_div(b),
            Arithmetic::Remainder if b == 0 => return None,
            Arithmetic::Remainder => a.wrapping_rem(b),
            Arithmetic::ShiftLeft => a.wrapping_shl(b as u32),
            Arithmetic::ShiftRight => a.wrapping_shr(b as u32),
            Arithmetic::ShiftRightUnsigned => (a as u32).wrapping_shr(b as u32) as i32,
            Arithmetic::And => a & b,
            Arithmetic::Or => a | b,
            Arithmetic::Xor => a ^ b,
        })
    }

    /// The result for longs; `None` for a division by zero. Only the low bits of a shift distance count, so an int
    /// may be passed extended.
    #[inline]
    pub fn longs(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Arithmetic::Add => a.wrapping_add(b),
            Arithmetic::Subtract => a.wrapping_sub(b),
            Arithmetic::Multiply => a.wrapping_mul(b),
            Arithmetic::Divide if b == 0 => return None,
            Arithmetic::Divide => a.wrapping_div(b),
            Arithmetic::Remainder if b == 0 => return None,
            Arithmetic::Remainder => a.wrapping_rem(b),
            Arithmetic::ShiftLeft => a.wrapping_shl(b as u32),
            Arithmetic::ShiftRight => a.wrapping_shr(b as u32),
            Arithmetic::ShiftRightUnsigned => (a as u64).wrapping_shr(b as u32) as i64,
            Arithmetic::And => a & b,
            Arithmetic::Or => a | b,
            Arithmetic::Xor => a ^ b,
        })
    }

    /// The result for floats; `None` for an operation that floats do not have.
    #[inline]
    pub fn floats(self, a: f32, b: f32) -> Option<f32> {
        Some(match self {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide => a / b,
            Arithmetic::Remainder => a % b,
            _ => return None,
        })
    }

    /// The result for doubles; `None` for an operation that doubles do not have.
    #[inline]
    pub fn doubles(self, a: f64, b: f64) -> Option<f64> {
        Some(match self {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide => a / b,
            Arithmetic::Remainder => a % b,
            _ => return None,
        })
    }
}

impl Comparison {
    /// Whether it holds for two values in this order.
    #[inline]
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
            Comparison::LessOrEqual => order.is_le(),
        }
    }
}

impl ArrayElement {
    /// An int truncated to an element of this type, and extended again.
    #[inline]
    pub fn narrow(self, value: i32) -> i32 {
        match self {
            ArrayElement::Byte => i32::from(value as i8),
            ArrayElement::Char => i32::from(value as u16),
            ArrayElement::Short => i32::from(value as i16),
            _ => value,
        }
    }
}
