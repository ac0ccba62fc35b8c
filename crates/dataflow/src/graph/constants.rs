//! Which way branches go after constants have been stored: what variables, locals and operands certainly
//! hold.
//!
//! Where a path goes through `paid = 0`, a test of `paid != 0` behind it has one side only. Nothing is known
//! at first but what the instructions on the way say, and where ways meet that say different things nothing
//! is.

use super::{ClassGraph, ProgramPoint};
use crate::flattened_class::FlatClass;
use crate::origin::Origin;
use cupping_classfile::interpreter::{
    Decision, Domain, FieldAccess, Frame, Malformed, Site, join_frames, step as interpret,
};
use cupping_classfile::{Action, Comparison, Constant, Literal, StackType};
use cupping_machine::Kind;
use std::cmp::Ordering;

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
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
    /// Of variables.
    pub fields: Vec<Known>,
    /// Of local variables and operands.
    pub frame: Frame<Known>,
}

impl Values {
    /// What is known before an instruction that is reached with these variables from another method.
    pub fn at(graph: &ClassGraph, place: ProgramPoint, fields: Vec<Known>) -> Values {
        Values { fields, frame: graph.shape(place, Known::Anything) }
    }

    /// Leaves what holds of both; whether that is less than before.
    pub fn join(&mut self, other: &Values) -> bool {
        let fields = join(&mut self.fields, &other.fields);
        let frame = match join_frames(&mut Meet, &mut self.frame, &other.frame) {
            Some(changed) => changed,
            // Subroutines: nothing is known of locals and operands.
            None => {
                let before = self.frame.clone();
                let slots = self.frame.locals.iter_mut().chain(&mut self.frame.stack);
                slots.flatten().for_each(|known| *known = Known::Anything);
                self.frame != before
            }
        };
        fields || frame
    }
}

/// Leaves in the first list what both say; whether that is less than before.
pub fn join(known: &mut [Known], other: &[Known]) -> bool {
    let mut changed = false;
    for (known, other) in known.iter_mut().zip(other) {
        if known != other && *known != Known::Anything {
            *known = Known::Anything;
            changed = true;
        }
    }
    changed
}

/// What holds behind an instruction that calls nothing of the class, and where it goes on. `None` where the
/// operands are not what they should be: subroutines of old compilers.
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

/// What is known where two paths meet that say different things.
struct Meet;

impl Domain for Meet {
    type Value = Known;
    type Refusal = Malformed;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<Known, Malformed> {
        Ok(Known::Anything)
    }

    fn join(&mut self, _: Option<&Known>, _: Option<&Known>) -> Option<Known> {
        Some(Known::Anything)
    }
}

/// The domain of constants.
struct Constants<'a> {
    flat: &'a FlatClass,
    graph: &'a ClassGraph,
    place: ProgramPoint,
    fields: &'a mut Vec<Known>,
}

impl Constants<'_> {
    /// Whether an access to a field is one to that of the object under test, or a static one.
    fn is_own(&self, site: &Site<'_>) -> bool {
        let depth = match site.instruction.action() {
            Action::GetStatic | Action::PutStatic => return true,
            Action::GetField => 1,
            _ => self.graph.pops(self.place),
        };
        self.graph.operand(self.place, depth) == Some(Origin::This)
    }
}

impl Domain for Constants<'_> {
    type Value = Known;
    type Refusal = Malformed;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<Known, Malformed> {
        Ok(Known::Anything)
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<Known, Malformed> {
        Ok(match literal {
            Literal::Null => Known::Null,
            Literal::Int(value) => Known::Int(value),
            _ => Known::Anything,
        })
    }

    fn constant(&mut self, _: &Site<'_>, constant: &Constant<'_>, _: StackType) -> Result<Known, Malformed> {
        Ok(match constant {
            Constant::String(_) | Constant::Class(_) => Known::Object,
            _ => Known::Anything,
        })
    }

    fn load(&mut self, _: &Site<'_>, _: u16, value: Option<&Known>) -> Result<Known, Malformed> {
        Ok(value.copied().unwrap_or_default())
    }

    fn increment(
        &mut self,
        _: &Site<'_>,
        _: u16,
        value: Option<&Known>,
        by: i32,
    ) -> Result<Option<Known>, Malformed> {
        Ok(Some(match value {
            Some(Known::Int(number)) => Known::Int(number.wrapping_add(by)),
            _ => Known::Anything,
        }))
    }

    fn new_object(&mut self, _: &Site<'_>, _: &str) -> Result<Known, Malformed> {
        Ok(Known::Object)
    }

    fn new_array(&mut self, _: &Site<'_>, _: &str, _: Vec<Known>) -> Result<Known, Malformed> {
        Ok(Known::Object)
    }

    fn branch(
        &mut self,
        _: &Site<'_>,
        comparison: Comparison,
        _: StackType,
        first: Known,
        second: Option<Known>,
    ) -> Result<Decision, Malformed> {
        let order = match (first, second) {
            (Known::Int(a), None) => a.cmp(&0),
            (Known::Int(a), Some(Known::Int(b))) => a.cmp(&b),
            (Known::Null, None) => Ordering::Equal,
            // Only equality is asked of references.
            (Known::Object, None) => Ordering::Greater,
            _ => return Ok(Decision::Either),
        };
        Ok(comparison.holds(order).into())
    }

    fn switch(&mut self, _: &Site<'_>, value: Known) -> Result<Option<i32>, Malformed> {
        Ok(if let Known::Int(value) = value { Some(value) } else { None })
    }

    fn get_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        _: Option<Known>,
    ) -> Result<Known, Malformed> {
        if StackType::of_descriptor(field.descriptor).is_none_or(StackType::is_wide) {
            return Ok(Known::Anything);
        }
        let variable = self.graph.variable(self.place).filter(|_| self.is_own(site));
        Ok(variable.map_or(Known::Anything, |variable| self.fields[variable]))
    }

    fn put_field(
        &mut self,
        site: &Site<'_>,
        _: &FieldAccess<'_>,
        _: Option<Known>,
        value: Known,
    ) -> Result<(), Malformed> {
        if let Some(variable) = self.graph.variable(self.place) {
            let value = narrow(self.flat.variables[variable].kind, value);
            // It may be the same object all the same.
            let certain = self.is_own(site) || self.fields[variable] == value;
            let tracked = certain && !self.flat.defined_by_nested.contains(&variable);
            self.fields[variable] = if tracked { value } else { Known::Anything };
        }
        Ok(())
    }
}

/// A number as a variable of this kind keeps it.
fn narrow(kind: Kind, value: Known) -> Known {
    let Known::Int(number) = value else { return value };
    Known::Int(match kind {
        Kind::Boolean => number & 1,
        Kind::Byte => i32::from(number as i8),
        Kind::Short => i32::from(number as i16),
        Kind::Char => i32::from(number as u16),
        _ => number,
    })
}
