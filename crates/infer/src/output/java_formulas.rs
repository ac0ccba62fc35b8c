//! Formulas as Java expressions.
//!
//! A formula says nothing if a value that it needs does not exist, while an expression would throw. So the
//! expression first checks for the value: `!(this.head != null) || this.head.element != null`.

use super::java::{Style, Writer};
use crate::formula::{Comparison, Formula, FormulaKind};
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::type_of;
use crate::value::Value;
use cupping_case::JavaType;

impl Writer<'_> {
    /// A formula that counts as true if a value that it needs is missing.
    pub fn formula(&self, of: &Formula) -> Option<String> {
        self.guarded(of.kind())
    }

    /// The same for a formula given as its kind.
    pub fn guarded(&self, of: &dyn FormulaKind) -> Option<String> {
        let mut guards = Vec::new();
        for term in of.terms() {
            self.guards(term, false, &mut guards);
        }
        guards.extend(of.dereferenced().into_iter().map(|it| format!("{} != null", self.term(it))));
        let plain = of.java(self)?;
        // Skips guards that the formula itself or an invariant states.
        guards.retain(|it| *it != plain && !self.idle.contains(it));
        Some(if guards.is_empty() { plain } else { format!("!({}) || {plain}", guards.join(" && ")) })
    }

    /// A formula that counts as false if a value that it needs is missing.
    pub fn conjunction(&self, of: &Formula) -> Option<String> {
        let mut guards = Vec::new();
        of.terms().into_iter().for_each(|term| self.guards(term, false, &mut guards));
        guards.retain(|it| !self.idle.contains(it));
        guards.push(self.plain(of)?);
        Some(format!("({})", guards.join(" && ")))
    }

    /// A condition, possibly with alternatives; each counts as false if a value that it needs is missing.
    pub fn alternatives(&self, of: &Formula) -> Option<String> {
        let all: Option<Vec<String>> = of.alternatives().into_iter().map(|it| self.conjunction(it)).collect();
        Some(all?.join(" || "))
    }

    /// A formula all of whose values exist.
    pub fn plain(&self, of: &Formula) -> Option<String> {
        of.kind().java(self)
    }
}

/// The guards that invariants make redundant: that fields are not `null`, now and before the call.
pub fn idle(subject: &Subject, outcome: &InferenceOutcome, style: Style) -> Vec<String> {
    let writer = Writer { subject, method: None, style, idle: &[] };
    let of_class = outcome.specification.clauses.iter().filter(|it| it.point == ProgramPoint::Class);
    let sure = of_class.filter(|it| is_not_null(&it.formula)).filter_map(|it| writer.plain(&it.formula));
    sure.flat_map(|it| [format!("{}({it})", style.old), it]).collect()
}

/// Whether a formula states that a value is not `null`.
pub fn is_not_null(formula: &Formula) -> bool {
    let is_null = |it: &Term| matches!(it, Term::Constant(Value::Null));
    formula.as_compare().is_some_and(|it| it.comparison == Comparison::Different && is_null(&it.right))
}

/// Whether other classes can read all that a formula mentions: no private field of the JDK.
pub fn is_expressible(subject: &Subject, formula: &Formula) -> bool {
    let is_private = |it: &Term| matches!(it, Term::Field(..)) && subject.from_jdk;
    // Identity with the past receiver cannot be expressed by values.
    let is_lost = |it: &Term| matches!(it, Term::Old(of) if **of == Term::This);
    !formula.any(is_private) && !formula.any(is_lost)
}

/// Whether all fields in a formula belong to the class or its nest; others may be private.
pub fn is_own(subject: &Subject, method: Option<&str>, formula: &Formula) -> bool {
    let method = method.and_then(|it| subject.find(it));
    let nest = subject.name.split('$').next().unwrap_or_default();
    !formula.any(|it| match it {
        Term::Field(of, _) => match type_of(subject, method, of) {
            JavaType::Class(name) => name.split('$').next() != Some(nest),
            _ => true,
        },
        _ => false,
    })
}
