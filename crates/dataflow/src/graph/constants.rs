//! Decides branches after constants have been stored, by the values that variables, locals and operands certainly
//! hold.
//!
//! After `paid = 0` on a path, a test of `paid != 0` has one side only. Initially nothing is known except what the
//! instructions on the way establish; where paths with different values meet, nothing is known.

use super::{ClassGraph, ProgramPoint};
use crate::flattened_class::FlatClass;
use crate::origin::OperandOrigin;
use cupping_classfile::interpreter::{
    Decision, Domain, FieldAccess, Frame, FrameMismatch, Site, join_frames, step as interpret,
};
use cupping_classfile::{Action, Comparison, Constant, Literal, StackType};
use cupping_machine::Kind;
use std::cmp::Ordering;

/// Facts about a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownValue {
    /// Any value.
    #[default]
    Anything,
    /// It is this number.
    Int(i32),
    /// It is `null`.
    Null,
    /// It is a reference to something.
    Object,
}

/// What is known before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Known values of variables.
    pub fields: Vec<KnownValue>,
    /// Known values of local variables and operands.
    pub frame: Frame<KnownValue>,
}

impl Values {
    /// Facts before an instruction that another method reaches with these variables.
    pub fn at(graph: &ClassGraph, place: ProgramPoint, fields: Vec<KnownValue>) -> Values {
        Values { fields, frame: graph.shape(place, KnownValue::Anything) }
    }

    /// Keeps what holds for both; returns whether that is less than before.
    pub fn join(&mut self, other: &Values) -> bool {
        let fields = join(&mut self.fields, &other.fields);
        let frame = match join_frames(&mut Meet, &mut self.frame, &other.frame) {
            Some(changed) => changed,
            // In subroutines, nothing is known about locals and operands.
            None => {
                let before = self.frame.clone();
                let slots = self.frame.locals.iter_mut().chain(&mut self.frame.stack);
                slots.flatten().for_each(|known| *known = KnownValue::Anything);
                self.frame != before
            }
        };
        fields || frame
    }
}

/// Keeps in the first list what both agree on; returns whether that is less than before.
pub fn join(known: &mut [KnownValue], other: &[KnownValue]) -> bool {
    let mut changed = false;
    for (known, other) in known.iter_mut().zip(other) {
        if known != other && *known != KnownValue::Anything {
            *known = KnownValue::Anything;
            changed = true;
        }
    }
    changed
}

/// The values after an instruction that calls no method of the class, and its successors. `None` if the operands do
/// not match, as in subroutines of old compilers.
pub fn step(
    flat: &FlatClass,
    graph: &ClassGraph,
    (method, at): ProgramPoint,
    mut now: Values,
) -> Option<(Values, Vec<usize>)> {
    let body = &*flat.methods[method];
    let mut domain = Constants { flat, graph, place: (method, at), fields: &mut now.fields };
    let flow = interpret(&mut domain, &mut now.frame, &body.site(at)).ok()?;
    let next = body.next(at, &flow);
    Some((now, next))
}

/// The join of the facts of two paths.
struct Meet;

impl Domain for Meet {
    type Value = KnownValue;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<KnownValue, FrameMismatch> {
        Ok(KnownValue::Anything)
    }

    fn join(&mut self, _: Option<&KnownValue>, _: Option<&KnownValue>) -> Option<KnownValue> {
        Some(KnownValue::Anything)
    }
}

/// The domain of constants.
struct Constants<'a> {
    flat: &'a FlatClass,
    graph: &'a ClassGraph,
    place: ProgramPoint,
    fields: &'a mut Vec<KnownValue>,
}

impl Constants<'_> {
    /// Whether an accessed field is static or belongs to the object under test.
    fn is_own(&self, site: &Site<'_>) -> bool {
        let depth = match site.instruction.action() {
            Action::GetStatic | Action::PutStatic => return true,
            Action::GetField => 1,
            _ => self.graph.pops(self.place),
        };
        self.graph.operand(self.place, depth) == Some(OperandOrigin::This)
    }
}

impl Domain for Constants<'_> {
    type Value = KnownValue;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<KnownValue, FrameMismatch> {
        Ok(KnownValue::Anything)
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<KnownValue, FrameMismatch> {
        Ok(match literal {
            Literal::Null => KnownValue::Null,
            Literal::Int(value) => KnownValue::Int(value),
            _ => KnownValue::Anything,
        })
    }

    fn constant(
        &mut self,
        _: &Site<'_>,
        constant: &Constant<'_>,
        _: StackType,
    ) -> Result<KnownValue, FrameMismatch> {
        Ok(match constant {
            Constant::String(_) | Constant::Class(_) => KnownValue::Object,
            _ => KnownValue::Anything,
        })
    }

    fn load(
        &mut self,
        _: &Site<'_>,
        _: u16,
        value: Option<&KnownValue>,
    ) -> Result<KnownValue, FrameMismatch> {
        Ok(value.copied().unwrap_or_default())
    }

    fn increment(
        &mut self,
        _: &Site<'_>,
        _: u16,
        value: Option<&KnownValue>,
        by: i32,
    ) -> Result<Option<KnownValue>, FrameMismatch> {
        Ok(Some(match value {
            Some(KnownValue::Int(number)) => KnownValue::Int(number.wrapping_add(by)),
            _ => KnownValue::Anything,
        }))
    }

    fn new_object(&mut self, _: &Site<'_>, _: &str) -> Result<KnownValue, FrameMismatch> {
        Ok(KnownValue::Object)
    }

    fn new_array(&mut self, _: &Site<'_>, _: &str, _: Vec<KnownValue>) -> Result<KnownValue, FrameMismatch> {
        Ok(KnownValue::Object)
    }

    fn branch(
        &mut self,
        _: &Site<'_>,
        comparison: Comparison,
        _: StackType,
        first: KnownValue,
        second: Option<KnownValue>,
    ) -> Result<Decision, FrameMismatch> {
        let order = match (first, second) {
            (KnownValue::Int(a), None) => a.cmp(&0),
            (KnownValue::Int(a), Some(KnownValue::Int(b))) => a.cmp(&b),
            (KnownValue::Null, None) => Ordering::Equal,
            // References are only compared for equality.
            (KnownValue::Object, None) => Ordering::Greater,
            _ => return Ok(Decision::Either),
        };
        Ok(comparison.holds(order).into())
    }

    fn switch(&mut self, _: &Site<'_>, value: KnownValue) -> Result<Option<i32>, FrameMismatch> {
        Ok(if let KnownValue::Int(value) = value { Some(value) } else { None })
    }

    fn get_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        _: Option<KnownValue>,
    ) -> Result<KnownValue, FrameMismatch> {
        if StackType::of_descriptor(field.descriptor).is_none_or(StackType::is_wide) {
            return Ok(KnownValue::Anything);
        }
        let variable = self.graph.variable(self.place).filter(|_| self.is_own(site));
        Ok(variable.map_or(KnownValue::Anything, |variable| self.fields[variable]))
    }

    fn put_field(
        &mut self,
        site: &Site<'_>,
        _: &FieldAccess<'_>,
        _: Option<KnownValue>,
        value: KnownValue,
    ) -> Result<(), FrameMismatch> {
        if let Some(variable) = self.graph.variable(self.place) {
            let value = narrow(self.flat.variables[variable].kind, value);
            // It may be the same object all the same.
            let certain = self.is_own(site) || self.fields[variable] == value;
            let tracked = certain && !self.flat.defined_by_nested.contains(&variable);
            self.fields[variable] = if tracked { value } else { KnownValue::Anything };
        }
        Ok(())
    }
}

/// A number as a variable of this kind keeps it.
fn narrow(kind: Kind, value: KnownValue) -> KnownValue {
    let KnownValue::Int(number) = value else { return value };
    KnownValue::Int(match kind {
        Kind::Boolean => number & 1,
        Kind::Byte => i32::from(number as i8),
        Kind::Short => i32::from(number as i16),
        Kind::Char => i32::from(number as u16),
        _ => number,
    })
}
