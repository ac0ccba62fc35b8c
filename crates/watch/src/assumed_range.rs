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
    /// Whether the run of the program has moved the ends.
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
