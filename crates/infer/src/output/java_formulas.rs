//! Formulas as Java expressions.
//!
//! A formula says nothing if a value that it needs does not exist, while an expression would throw. So the expression
//! asks for the value first: `!(this.head != null) || this.head.element != null`.

use super::java::Writer;
use crate::formula::{Formula, FormulaKind};
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::type_of;
use cupping_case::JavaType;

impl Writer<'_> {
    /// A formula; where a value that it needs is missing, it is true.
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
        // What the formula itself asks need not be asked before.
        guards.retain(|it| *it != plain);
        Some(if guards.is_empty() { plain } else { format!("!({}) || {plain}", guards.join(" && ")) })
    }

    /// A formula; where a value that it needs is missing, it is false.
    pub fn conjunction(&self, of: &Formula) -> Option<String> {
        let mut guards = Vec::new();
        of.terms().into_iter().for_each(|term| self.guards(term, false, &mut guards));
        guards.push(self.plain(of)?);
        Some(format!("({})", guards.join(" && ")))
    }

    /// A formula all of whose values exist.
    pub fn plain(&self, of: &Formula) -> Option<String> {
        of.kind().java(self)
    }
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
