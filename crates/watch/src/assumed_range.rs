//! Assumed ranges: the numeric part of a precondition that was generalised from several triples (paper §6.2.1).

use cupping_machine::{Kind, Machine, Value};
use std::sync::Arc;

/// The location of a number: an argument, and the path of fields from it.
pub(crate) type NumberPath = (usize, Vec<Arc<str>>);

/// A range within which a triple is assumed to apply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AssumedRange {
    pub(crate) spot: NumberPath,
    pub(crate) kind: Kind,
    /// The range of the tested values.
    pub(crate) tested: (f64, f64),
    /// The lower end; `None` if it is unbounded.
    pub(crate) low: Option<f64>,
    /// The upper end; `None` if it is unbounded.
    pub(crate) high: Option<f64>,
    /// Whether the run of the program has moved the bounds.
    pub(crate) refined: bool,
}

impl AssumedRange {
    pub(crate) fn holds(&self, value: f64) -> bool {
        self.low.is_none_or(|low| value >= low) && self.high.is_none_or(|high| value <= high)
    }

    /// The current value at the location.
    pub(crate) fn value(&self, machine: &Machine, arguments: &[Value]) -> Option<f64> {
        let mut bits = arguments.get(self.spot.0)?.bits;
        for field in &self.spot.1 {
            let object = bits as cupping_machine::Addr;
            if object == 0 {
                return None;
            }
            bits = machine.field(object, machine.field_offset(machine.class_of(object), field)?);
        }
        crate::shape::number(self.kind, bits)
    }

    /// The bounds in the syntax of a requirement.
    pub(crate) fn bounds(&self) -> String {
        let show = |value: f64| match self.kind {
            Kind::Float | Kind::Double => format!("{value:?}"),
            _ => format!("{}", value as i64),
        };
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => format!("= {}", show(low)),
            (Some(low), Some(high)) => format!("in {} .. {}", show(low), show(high)),
            (Some(low), None) => format!(">= {}", show(low)),
            (None, Some(high)) => format!("<= {}", show(high)),
            (None, None) => "in all".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(kind: Kind, low: Option<f64>, high: Option<f64>) -> AssumedRange {
        AssumedRange { spot: (0, Vec::new()), kind, tested: (0.0, 0.0), low, high, refined: false }
    }

    #[test]
    fn both_ends_are_within_a_range() {
        let both = range(Kind::Int, Some(-2.0), Some(3.0));
        let held: Vec<i32> = (-5..6).filter(|it| both.holds(f64::from(*it))).collect();
        assert_eq!(held, [-2, -1, 0, 1, 2, 3]);
        assert!(
            range(Kind::Int, None, Some(3.0)).holds(f64::MIN)
                && range(Kind::Int, Some(3.0), None).holds(f64::MAX)
        );
        // No comparison holds of NaN.
        assert!(!both.holds(f64::NAN) && range(Kind::Double, None, None).holds(f64::NAN));
    }

    #[test]
    fn ranges_are_written_as_requirements() {
        let of = |kind, low, high| range(kind, low, high).bounds();
        assert_eq!(of(Kind::Int, Some(-2.0), Some(3.0)), "in -2 .. 3");
        assert_eq!(of(Kind::Double, Some(-2.0), Some(0.5)), "in -2.0 .. 0.5");
        assert_eq!(of(Kind::Long, Some(4.0), Some(4.0)), "= 4");
        assert_eq!(of(Kind::Int, Some(4.0), None), ">= 4");
        assert_eq!(of(Kind::Float, None, Some(4.0)), "<= 4.0");
        assert_eq!(of(Kind::Int, None, None), "in all");
    }
}
