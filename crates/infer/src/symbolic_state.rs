//! Formulas as terms of the solver, in a state with symbolic arguments.
//!
//! A formula means the same as in [`Formula::holds`]; it says nothing if a value that it needs does not exist.
//! Values that terms cannot express (strings, reals, observers, elements of collections) are unknown, never guessed.

use crate::formula::{Comparison, Formula};
use crate::term::Term;
use crate::value::Value;
use cupping_machine::{Addr, ClassKind, Kind, Machine, Value as Slot, element_byte};
use cupping_term::{Sort, TermId};

/// The largest number of elements of an array.
const MOST_ELEMENTS: u32 = 24;

/// The value of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum SymbolicValue {
    /// There is no value.
    Absent,
    /// The solver's terms cannot express it.
    Unknown,
    /// A whole number of 64 bits, and whether sums of such numbers cannot overflow.
    Number(TermId, bool),
    /// A truth value.
    Truth(TermId),
    /// A reference, 0 for `null`, and whether it is compared by identity rather than by `equals`.
    Reference(Addr, bool),
    /// Elements of an array.
    Elements(Vec<SymbolicValue>),
}

impl SymbolicValue {
    /// Whether there is no value.
    pub fn is_absent(&self) -> bool {
        matches!(self, SymbolicValue::Absent)
    }
}

/// Whether a formula holds, as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaStatus {
    /// It says nothing: a value is missing.
    Absent,
    /// The solver's terms cannot express it.
    Unknown,
    /// It holds if this term is true.
    If(TermId),
}

/// The state of a call on a machine, before or after it.
pub struct SymbolicState<'a> {
    /// The machine.
    pub machine: &'a mut Machine,
    /// The receiver, or 0.
    pub this: Addr,
    /// The arguments.
    pub arguments: &'a [(Kind, Slot)],
    /// The result.
    pub result: Option<(Kind, Slot)>,
    /// The values of past terms, evaluated before the call.
    pub old: &'a [(Term, SymbolicValue)],
}

const BOXES: [&str; 6] = ["Integer", "Long", "Short", "Byte", "Character", "Boolean"];

impl SymbolicState<'_> {
    fn slot(&mut self, kind: Kind, slot: Slot) -> SymbolicValue {
        let terms = |machine: &mut Machine, sort| machine.term(slot, sort);
        match kind {
            Kind::Boolean => {
                let term = terms(self.machine, Sort::Bv32);
                SymbolicValue::Truth(self.machine.terms_mut().int_to_bool(term))
            }
            Kind::Byte | Kind::Short | Kind::Char | Kind::Int => {
                let term = terms(self.machine, Sort::Bv32);
                SymbolicValue::Number(self.machine.terms_mut().sext(Sort::Bv64, term), true)
            }
            Kind::Long => SymbolicValue::Number(terms(self.machine, Sort::Bv64), false),
            Kind::Reference => self.reference(slot.bits as Addr),
            Kind::Float | Kind::Double | Kind::Void => SymbolicValue::Unknown,
        }
    }

    fn reference(&mut self, object: Addr) -> SymbolicValue {
        if object == 0 {
            return SymbolicValue::Reference(0, true);
        }
        let name = self.machine.class(self.machine.class_of(object)).name.clone();
        match name.strip_prefix("java/lang/") {
            Some(boxed) if BOXES.contains(&boxed) => self.field(object, "value"),
            Some("String" | "Float" | "Double") => SymbolicValue::Reference(object, false),
            _ => SymbolicValue::Reference(object, true),
        }
    }

    fn field(&mut self, object: Addr, name: &str) -> SymbolicValue {
        let mut at = Some(self.machine.class_of(object));
        while let Some(class) = at {
            let loaded = self.machine.class(class);
            let found = loaded.fields.iter().find(|it| !it.is_static() && &*it.name == name);
            if let Some((kind, offset)) = found.map(|it| (it.kind, u32::from(it.offset))) {
                let shadow = self.machine.heap_shadow(u64::from(object + offset) * 8);
                let slot = Slot { bits: self.machine.field(object, offset), shadow };
                return self.slot(kind, slot);
            }
            at = loaded.super_class;
        }
        SymbolicValue::Unknown
    }

    fn is_array(&self, object: Addr) -> bool {
        matches!(self.machine.class(self.machine.class_of(object)).kind, ClassKind::Array { .. })
    }

    fn elements(&mut self, array: Addr) -> SymbolicValue {
        let ClassKind::Array { kind, .. } = self.machine.class(self.machine.class_of(array)).kind else {
            return SymbolicValue::Unknown;
        };
        let length = self.machine.array_length(array);
        if length > MOST_ELEMENTS || self.machine.heap_shadow(u64::from(array + 1) * 8) != 0 {
            return SymbolicValue::Unknown;
        }
        let mut all = Vec::new();
        for at in 0..length {
            all.push(match kind {
                Kind::Reference => {
                    let element = self.machine.element_ref(array, at);
                    self.reference(element)
                }
                _ => {
                    let shadow = self.machine.heap_shadow(element_byte(array, at, kind.array_bytes()));
                    let bits = self.machine.element(array, at, kind);
                    // A stack slot is as wide as an `int`.
                    let bits = match kind {
                        Kind::Byte => bits as i8 as u32 as u64,
                        Kind::Short => bits as i16 as u32 as u64,
                        _ => bits,
                    };
                    self.slot(kind, Slot { bits, shadow })
                }
            });
        }
        SymbolicValue::Elements(all)
    }

    /// The number, if it does not depend on the arguments.
    pub fn constant(&mut self, number: SymbolicValue) -> Option<i64> {
        let SymbolicValue::Number(term, _) = number else { return None };
        self.machine.terms().as_constant(term).map(|it| it as i64)
    }

    /// A constant of 64 bits.
    pub fn number(&mut self, value: i64) -> TermId {
        self.machine.terms_mut().long(value)
    }

    /// The value of a term.
    pub fn value(&mut self, of: &Term) -> SymbolicValue {
        match of {
            Term::This if self.this == 0 => SymbolicValue::Absent,
            Term::This => SymbolicValue::Reference(self.this, true),
            Term::Parameter(at, _) => match self.arguments.get(*at) {
                Some((kind, slot)) => self.slot(*kind, *slot),
                None => SymbolicValue::Absent,
            },
            Term::Result => match self.result {
                Some((kind, slot)) => self.slot(kind, slot),
                None => SymbolicValue::Absent,
            },
            Term::Field(of, name) => match self.value(of) {
                SymbolicValue::Reference(0, _) | SymbolicValue::Absent => SymbolicValue::Absent,
                SymbolicValue::Reference(object, _) => self.field(object, name),
                _ => SymbolicValue::Unknown,
            },
            Term::Old(of) => {
                let known = self.old.iter().find(|it| it.0 == **of);
                known.map_or(SymbolicValue::Unknown, |it| it.1.clone())
            }
            Term::Length(of) => match self.value(of) {
                SymbolicValue::Reference(0, _) | SymbolicValue::Absent => SymbolicValue::Absent,
                SymbolicValue::Reference(array, _) if self.is_array(array) => {
                    let shadow = self.machine.heap_shadow(u64::from(array + 1) * 8);
                    let bits = u64::from(self.machine.array_length(array));
                    self.slot(Kind::Int, Slot { bits, shadow })
                }
                _ => SymbolicValue::Unknown,
            },
            Term::Elements(of) => match self.value(of) {
                SymbolicValue::Reference(0, _) | SymbolicValue::Absent => SymbolicValue::Absent,
                SymbolicValue::Reference(array, _) => self.elements(array),
                _ => SymbolicValue::Unknown,
            },
            Term::First(seq, count) => {
                let count = self.value(count);
                match (self.value(seq), self.constant(count)) {
                    (SymbolicValue::Elements(all), Some(count)) => {
                        let first = usize::try_from(count).ok().and_then(|it| all.get(..it));
                        first.map_or(SymbolicValue::Absent, |it| SymbolicValue::Elements(it.to_vec()))
                    }
                    (SymbolicValue::Absent, _) => SymbolicValue::Absent,
                    _ => SymbolicValue::Unknown,
                }
            }
            Term::Rest(seq, from) => {
                let from = self.value(from);
                match (self.value(seq), self.constant(from)) {
                    (SymbolicValue::Elements(all), Some(from)) => {
                        let rest = usize::try_from(from).ok().and_then(|it| all.get(it..));
                        rest.map_or(SymbolicValue::Absent, |it| SymbolicValue::Elements(it.to_vec()))
                    }
                    (SymbolicValue::Absent, _) => SymbolicValue::Absent,
                    _ => SymbolicValue::Unknown,
                }
            }
            Term::At(seq, index, offset) => {
                let index = self.value(index);
                match (self.value(seq), self.constant(index)) {
                    (SymbolicValue::Elements(all), Some(index)) => {
                        let at = usize::try_from(index + offset).ok();
                        at.and_then(|it| all.get(it)).cloned().unwrap_or(SymbolicValue::Absent)
                    }
                    (SymbolicValue::Absent, _) => SymbolicValue::Absent,
                    _ => SymbolicValue::Unknown,
                }
            }
            Term::Append(seq, last) => match (self.value(seq), self.value(last)) {
                (SymbolicValue::Absent, _) | (_, SymbolicValue::Absent) => SymbolicValue::Absent,
                (SymbolicValue::Elements(mut all), last) => {
                    all.push(last);
                    SymbolicValue::Elements(all)
                }
                _ => SymbolicValue::Unknown,
            },
            Term::Prepend(first, seq) => match (self.value(first), self.value(seq)) {
                (SymbolicValue::Absent, _) | (_, SymbolicValue::Absent) => SymbolicValue::Absent,
                (first, SymbolicValue::Elements(mut all)) => {
                    all.insert(0, first);
                    SymbolicValue::Elements(all)
                }
                _ => SymbolicValue::Unknown,
            },
            Term::Reverse(seq) => match self.value(seq) {
                SymbolicValue::Elements(mut all) => {
                    all.reverse();
                    SymbolicValue::Elements(all)
                }
                other => other,
            },
            Term::Sum(seq) => match self.value(seq) {
                SymbolicValue::Elements(all) => self.sum(all.into_iter().map(|it| (1, it)).collect(), 0),
                other => other,
            },
            Term::Linear(terms, constant) => {
                let parts = terms.iter().map(|(factor, term)| (*factor, self.value(term))).collect();
                self.sum(parts, *constant)
            }
            Term::Constant(value) => match value {
                Value::Int(value) => SymbolicValue::Number(self.number(*value), true),
                Value::Char(value) => SymbolicValue::Number(self.number(i64::from(*value)), true),
                Value::Bool(value) => SymbolicValue::Truth(self.machine.terms().bool(*value)),
                Value::Null => SymbolicValue::Reference(0, true),
                _ => SymbolicValue::Unknown,
            },
            Term::Observer(..) | Term::Min(_) | Term::Max(_) => SymbolicValue::Unknown,
        }
    }

    /// A linear sum of numbers narrow enough not to overflow.
    fn sum(&mut self, parts: Vec<(i64, SymbolicValue)>, constant: i64) -> SymbolicValue {
        let mut sum = self.number(constant);
        for (factor, part) in parts {
            match part {
                SymbolicValue::Number(term, true) => {
                    let factor = self.number(factor);
                    let product = self.machine.terms_mut().mul(factor, term);
                    sum = self.machine.terms_mut().add(sum, product);
                }
                SymbolicValue::Absent => return SymbolicValue::Absent,
                _ => return SymbolicValue::Unknown,
            }
        }
        SymbolicValue::Number(sum, false)
    }

    /// A formula that is always true, or never.
    pub fn truth(&self, truth: bool) -> FormulaStatus {
        FormulaStatus::If(self.machine.terms().bool(truth))
    }

    /// Whether two values compare so.
    pub fn compare(&mut self, a: &SymbolicValue, comparison: Comparison, b: &SymbolicValue) -> FormulaStatus {
        use SymbolicValue::{Absent, Elements, Number, Reference, Truth, Unknown};
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::Different);
        let same = match (a, b) {
            (Absent, _) | (_, Absent) => return FormulaStatus::Absent,
            (Unknown, _) | (_, Unknown) => return FormulaStatus::Unknown,
            (Number(a, _), Number(b, _)) => {
                let terms = self.machine.terms_mut();
                return FormulaStatus::If(match comparison {
                    Comparison::Equal => terms.eq(*a, *b),
                    Comparison::Different => terms.ne(*a, *b),
                    Comparison::Less => terms.slt(*a, *b),
                    Comparison::AtMost => terms.sle(*a, *b),
                    Comparison::Greater => terms.slt(*b, *a),
                    Comparison::AtLeast => terms.sle(*b, *a),
                });
            }
            _ if !is_equality => return FormulaStatus::Unknown,
            (Truth(a), Truth(b)) => self.machine.terms_mut().eq(*a, *b),
            (Reference(a, by_itself), Reference(b, other)) => {
                // Distinct string objects may be equal.
                if *a != *b && *a != 0 && *b != 0 && !(*by_itself && *other) {
                    return FormulaStatus::Unknown;
                }
                self.machine.terms().bool(a == b)
            }
            (Elements(a), Elements(b)) if a.len() != b.len() => self.machine.terms().bool(false),
            (Elements(a), Elements(b)) => match self.each(a, Comparison::Equal, b) {
                FormulaStatus::If(term) => term,
                other => return other,
            },
            // A box is neither `null` nor another object.
            (Number(..) | Truth(_), Reference(..)) | (Reference(..), Number(..) | Truth(_)) => {
                self.machine.terms().bool(false)
            }
            _ => return FormulaStatus::Unknown,
        };
        FormulaStatus::If(if comparison == Comparison::Equal {
            same
        } else {
            self.machine.terms_mut().not(same)
        })
    }

    /// Whether elements at equal indices compare this way, up to the end of the shorter sequence.
    pub fn each(
        &mut self,
        a: &[SymbolicValue],
        comparison: Comparison,
        b: &[SymbolicValue],
    ) -> FormulaStatus {
        let all = a.iter().zip(b).map(|(a, b)| self.compare(a, comparison, b)).collect();
        self.all(all)
    }

    /// Whether all hold. The first element that is not a term becomes the result.
    pub fn all(&mut self, all: Vec<FormulaStatus>) -> FormulaStatus {
        let mut terms = Vec::new();
        for holds in all {
            match holds {
                FormulaStatus::If(term) => terms.push(term),
                other => return other,
            }
        }
        FormulaStatus::If(self.machine.terms_mut().all(&terms))
    }

    /// Whether a value equals one of these.
    pub fn member(&mut self, a: &SymbolicValue, all: &[SymbolicValue]) -> FormulaStatus {
        let mut terms = Vec::new();
        for element in all {
            match self.compare(a, Comparison::Equal, element) {
                FormulaStatus::If(term) => terms.push(term),
                other => return other,
            }
        }
        FormulaStatus::If(self.machine.terms_mut().any(&terms))
    }

    /// The elements that a term denotes.
    ///
    /// # Errors
    ///
    /// The status of a formula that needs them, if they do not exist or are unknown.
    pub fn elements_of(&mut self, of: &Term) -> Result<Vec<SymbolicValue>, FormulaStatus> {
        match self.value(of) {
            SymbolicValue::Elements(all) => Ok(all),
            SymbolicValue::Absent => Err(FormulaStatus::Absent),
            _ => Err(FormulaStatus::Unknown),
        }
    }

    /// The number that a term denotes.
    ///
    /// # Errors
    ///
    /// The status of a formula that needs it, if it does not exist or is unknown.
    pub fn whole_number(&mut self, of: &Term) -> Result<TermId, FormulaStatus> {
        match self.value(of) {
            SymbolicValue::Number(term, _) => Ok(term),
            SymbolicValue::Absent => Err(FormulaStatus::Absent),
            _ => Err(FormulaStatus::Unknown),
        }
    }

    /// Whether a formula holds.
    pub fn holds(&mut self, of: &Formula) -> FormulaStatus {
        of.kind().symbolic(self).unwrap_or_else(|answer| answer)
    }
}

#[cfg(test)]
mod tests;
