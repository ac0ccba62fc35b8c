//! How two values compare.

use crate::value::Value;
use std::cmp::Ordering;

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`, or `equals`
    Equal,
    /// `!=`
    Different,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Different,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ];

    /// The operator in Java.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Different => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }

    /// Whether two values in this order compare so.
    pub fn admits(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::Different => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }

    /// Whether the comparison of two values holds; `None` if one is absent or they have no order.
    pub fn holds(self, a: &Value, b: &Value) -> Option<bool> {
        match self {
            Comparison::Equal => a.same(b),
            Comparison::Different => a.same(b).map(|it| !it),
            Comparison::Less | Comparison::AtMost | Comparison::Greater | Comparison::AtLeast => {
                if !a.is_present() || !b.is_present() {
                    return None;
                }
                Some(self.admits(a.order(b)?))
            }
        }
    }

    /// The comparison that holds exactly where this one does not.
    pub fn opposite(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::Different,
            Comparison::Different => Comparison::Equal,
            Comparison::Less => Comparison::AtLeast,
            Comparison::AtMost => Comparison::Greater,
            Comparison::Greater => Comparison::AtMost,
            Comparison::AtLeast => Comparison::Less,
        }
    }

    /// The same comparison with its sides exchanged.
    pub fn flipped(self) -> Comparison {
        match self {
            Comparison::Equal | Comparison::Different => self,
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
        }
    }
}
