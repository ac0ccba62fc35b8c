//! Computes the results of instructions: the domain of terms.

use super::evaluator::Evaluator;
use super::sorts::{narrowed, widened};
use super::state::{SymbolicState, THIS};
use crate::body::AnalysedBody;
use cupping_classfile::interpreter::{Decision, Domain, FieldAccess, FrameMismatch, Site};
use cupping_classfile::{Arithmetic, ArrayElement, Comparison, Constant, Literal, StackType};
use cupping_machine::Kind;
use cupping_term::{Sort, TermId};
use std::collections::BTreeSet;

/// The condition that decides how a path continues after an instruction.
pub(super) enum BranchInput {
    /// Whether a branch is taken.
    Branch(TermId),
    /// The number by which a switch jumps.
    Switch(TermId),
    /// Conditions, in order, each with the class of the exception that the instruction throws if it does not hold.
    Holds(Vec<(TermId, &'static str)>),
}

/// The domain: values are terms, which the evaluator builds.
pub(super) struct Values<'v, 'e> {
    pub evaluator: &'v mut Evaluator<'e>,
    /// The state, except for its innermost frame, which the interpreter holds.
    pub state: &'v mut SymbolicState,
    pub body: &'v AnalysedBody,
    /// The request of the instruction.
    pub asked: Option<BranchInput>,
}

impl Values<'_, '_> {
    fn require(&mut self, condition: TermId, exception: &'static str) {
        match &mut self.asked {
            Some(BranchInput::Holds(all)) => all.push((condition, exception)),
            asked => *asked = Some(BranchInput::Holds(vec![(condition, exception)])),
        }
    }

    /// Requests an unknown condition where it matters: the instruction may throw an exception that is caught.
    fn may_throw(&mut self, exception: &'static str) {
        if self.evaluator.is_caught(self.state, Some(exception)) {
            let unknown = self.evaluator.unknown(self.state, Kind::Boolean, "fails");
            let zero = self.evaluator.terms.int(0);
            let fits = self.evaluator.terms.eq(unknown, zero);
            self.require(fits, exception);
        }
    }

    /// Requires that the first use of another class does not fail in its initialiser.
    fn may_initialize(&mut self, class: &str) {
        let Ok(class) = self.evaluator.machine.load(class) else { return };
        if self.evaluator.flat.hierarchy.contains(&class) {
            return;
        }
        let machine = &*self.evaluator.machine;
        let loaded = machine.class(class);
        let has_initializer = loaded.initializer.is_some()
            || loaded.supertypes.iter().any(|above| machine.class(*above).initializer.is_some());
        if has_initializer && !loaded.from_jdk {
            self.may_throw("java/lang/LinkageError");
        }
    }

    /// Requires that an element access meets neither `null` nor an index out of bounds.
    fn require_element(&mut self, array: TermId, index: TermId) {
        let length = self.evaluator.length(self.state, array);
        let inside = self.evaluator.terms.ult(index, length);
        let there = self.evaluator.is_there(self.state, array);
        self.require(there, "java/lang/NullPointerException");
        self.require(inside, "java/lang/ArrayIndexOutOfBoundsException");
    }

    /// Whether two references are certainly not the same.
    fn differ(&self, a: TermId, b: TermId) -> bool {
        a != b && (self.is_older(a, b) || self.is_older(b, a))
    }

    /// Whether an object was created on the path when another reference already existed.
    fn is_older(&self, reference: TermId, made: TermId) -> bool {
        if !self.state.made.contains(&made) {
            return false;
        }
        let terms = &*self.evaluator.terms;
        if terms.as_constant(reference).is_some() || self.state.made.contains(&reference) {
            return true;
        }
        // Variables are numbered as they are made.
        terms.as_variable(reference).zip(terms.as_variable(made)).is_some_and(|(older, made)| older < made)
    }

    /// Records the accesses of an instruction to a field; returns whether it belongs to the object under test.
    fn access(&mut self, site: &Site<'_>, object: Option<TermId>) -> bool {
        let this = self.evaluator.terms.int(THIS);
        let is_own = object.is_none_or(|object| object == this);
        if let Some(method) = self.evaluator.flat.method(self.body.method) {
            for id in self.evaluator.accesses.at(method, site.index) {
                self.state.access(*id, is_own);
            }
        }
        is_own
    }

    /// Whether a static field of another class is a constant of an enum: all of them are different objects. They are
    /// `null` only while the enum is initialised.
    fn is_enum_constant(&mut self, field: &FieldAccess<'_>) -> bool {
        let machine = &mut *self.evaluator.machine;
        let Ok(class) = machine.load(field.class) else { return false };
        let found = machine.find_field(class, field.name, field.descriptor);
        found.is_some_and(|(class, index)| {
            let loaded = machine.class(class);
            loaded.access.is_enum() && loaded.fields[index].access.is_enum()
        })
    }

    /// Requires that the object of a field access is not `null`.
    fn require_object(&mut self, object: Option<TermId>, is_own: bool) {
        if let Some(object) = object.filter(|_| !is_own) {
            let there = self.evaluator.is_there(self.state, object);
            self.require(there, "java/lang/NullPointerException");
        }
    }
}

impl Domain for Values<'_, '_> {
    type Value = TermId;
    type Refusal = FrameMismatch;

    /// Only subroutines of old compilers push other values.
    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<TermId, FrameMismatch> {
        Err(FrameMismatch)
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<TermId, FrameMismatch> {
        let terms = &mut *self.evaluator.terms;
        Ok(match literal {
            Literal::Null => terms.int(0),
            Literal::Int(value) => terms.int(value),
            Literal::Long(value) => terms.long(value),
            Literal::Float(value) => terms.float(value),
            Literal::Double(value) => terms.double(value),
        })
    }

    fn constant(
        &mut self,
        _: &Site<'_>,
        constant: &Constant<'_>,
        _: StackType,
    ) -> Result<TermId, FrameMismatch> {
        Ok(match constant {
            Constant::String(units) => {
                self.evaluator.constant(&format!("\"{}\"", String::from_utf16_lossy(units)))
            }
            Constant::Class(name) => self.evaluator.constant(&format!("{}.class", name.replace('/', "."))),
            Constant::Dynamic { descriptor, .. } => {
                let kind = Kind::of_descriptor(*descriptor.as_bytes().first().ok_or(FrameMismatch)?);
                self.evaluator.unknown(self.state, kind, "constant")
            }
            _ => self.evaluator.unknown(self.state, Kind::Reference, "constant"),
        })
    }

    fn increment(
        &mut self,
        _: &Site<'_>,
        _: u16,
        value: Option<&TermId>,
        by: i32,
    ) -> Result<Option<TermId>, FrameMismatch> {
        let by = self.evaluator.terms.int(by);
        Ok(Some(self.evaluator.terms.add(*value.ok_or(FrameMismatch)?, by)))
    }

    fn arithmetic(
        &mut self,
        _: &Site<'_>,
        operator: Arithmetic,
        ty: StackType,
        [a, b]: [TermId; 2],
    ) -> Result<TermId, FrameMismatch> {
        let is_float = matches!(ty, StackType::Float | StackType::Double);
        let terms = &mut *self.evaluator.terms;
        let result = match operator {
            Arithmetic::Add if is_float => terms.fadd(a, b),
            Arithmetic::Subtract if is_float => terms.fsub(a, b),
            Arithmetic::Multiply if is_float => terms.fmul(a, b),
            Arithmetic::Divide if is_float => terms.fdiv(a, b),
            Arithmetic::Remainder if is_float => terms.frem(a, b),
            Arithmetic::Add => terms.add(a, b),
            Arithmetic::Subtract => terms.sub(a, b),
            Arithmetic::Multiply => terms.mul(a, b),
            Arithmetic::Divide => terms.sdiv(a, b),
            Arithmetic::Remainder => terms.srem(a, b),
            Arithmetic::ShiftLeft => terms.shl(a, b),
            Arithmetic::ShiftRight => terms.ashr(a, b),
            Arithmetic::ShiftRightUnsigned => terms.lshr(a, b),
            Arithmetic::And => terms.and(a, b),
            Arithmetic::Or => terms.or(a, b),
            Arithmetic::Xor => terms.xor(a, b),
        };
        if operator.checks_divisor() && !is_float {
            let sort = if ty.is_wide() { Sort::Bv64 } else { Sort::Bv32 };
            let zero = self.evaluator.terms.constant(sort, 0);
            let fits = self.evaluator.terms.ne(b, zero);
            self.require(fits, "java/lang/ArithmeticException");
        }
        Ok(result)
    }

    fn negate(&mut self, _: &Site<'_>, ty: StackType, operand: TermId) -> Result<TermId, FrameMismatch> {
        let terms = &mut *self.evaluator.terms;
        let is_float = matches!(ty, StackType::Float | StackType::Double);
        Ok(if is_float { terms.fneg(operand) } else { terms.neg(operand) })
    }

    fn convert(
        &mut self,
        _: &Site<'_>,
        from: StackType,
        to: StackType,
        operand: TermId,
    ) -> Result<TermId, FrameMismatch> {
        use StackType::{Double, Float, Int, Long};
        let terms = &mut *self.evaluator.terms;
        Ok(match (from, to) {
            (Int, Long) => terms.sext(Sort::Bv64, operand),
            (Int, Float) => terms.i2f(operand),
            (Int, Double) => terms.i2d(operand),
            (Long, Int) => terms.truncate(Sort::Bv32, operand),
            (Long, Float) => terms.l2f(operand),
            (Long, Double) => terms.l2d(operand),
            (Float, Int) => terms.f2i(operand),
            (Float, Long) => terms.f2l(operand),
            (Float, Double) => terms.f2d(operand),
            (Double, Int) => terms.d2i(operand),
            (Double, Long) => terms.d2l(operand),
            (Double, Float) => terms.d2f(operand),
            _ => return Err(FrameMismatch),
        })
    }

    fn narrow(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        operand: TermId,
    ) -> Result<TermId, FrameMismatch> {
        let terms = &mut *self.evaluator.terms;
        Ok(match element {
            ArrayElement::Byte => terms.narrow_int(Sort::Bv8, true, operand),
            ArrayElement::Char => terms.narrow_int(Sort::Bv16, false, operand),
            _ => terms.narrow_int(Sort::Bv16, true, operand),
        })
    }

    fn compare(
        &mut self,
        _: &Site<'_>,
        ty: StackType,
        nan: i8,
        [a, b]: [TermId; 2],
    ) -> Result<TermId, FrameMismatch> {
        let terms = &mut *self.evaluator.terms;
        Ok(if ty == StackType::Long { terms.lcmp(a, b) } else { terms.fcmp(a, b, i32::from(nan)) })
    }

    fn branch(
        &mut self,
        _: &Site<'_>,
        comparison: Comparison,
        ty: StackType,
        a: TermId,
        second: Option<TermId>,
    ) -> Result<Decision, FrameMismatch> {
        let b = second.unwrap_or_else(|| self.evaluator.terms.int(0));
        let differ = ty == StackType::Reference && self.differ(a, b);
        let terms = &mut *self.evaluator.terms;
        let taken = match comparison {
            Comparison::Equal if differ => terms.bool(false),
            Comparison::NotEqual if differ => terms.bool(true),
            Comparison::Equal => terms.eq(a, b),
            Comparison::NotEqual => terms.ne(a, b),
            Comparison::Less => terms.slt(a, b),
            Comparison::GreaterOrEqual => terms.sge(a, b),
            Comparison::Greater => terms.sgt(a, b),
            Comparison::LessOrEqual => terms.sle(a, b),
        };
        self.asked = Some(BranchInput::Branch(taken));
        Ok(Decision::Either)
    }

    fn switch(&mut self, _: &Site<'_>, value: TermId) -> Result<Option<i32>, FrameMismatch> {
        self.asked = Some(BranchInput::Switch(value));
        Ok(None)
    }

    fn array_load(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        array: TermId,
        index: TermId,
    ) -> Result<TermId, FrameMismatch> {
        let value = match self.evaluator.case_of(array, index) {
            Some(case) => case,
            None => self.evaluator.unknown(self.state, element.into(), "element"),
        };
        self.require_element(array, index);
        Ok(value)
    }

    fn array_store(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        array: TermId,
        index: TermId,
        _: TermId,
    ) -> Result<(), FrameMismatch> {
        self.require_element(array, index);
        if element == ArrayElement::Reference {
            self.may_throw("java/lang/ArrayStoreException");
        }
        Ok(())
    }

    fn array_length(&mut self, _: &Site<'_>, array: TermId) -> Result<TermId, FrameMismatch> {
        let length = self.evaluator.length(self.state, array);
        let there = self.evaluator.is_there(self.state, array);
        self.require(there, "java/lang/NullPointerException");
        Ok(length)
    }

    fn get_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<TermId>,
    ) -> Result<TermId, FrameMismatch> {
        let kind = Kind::of_descriptor(*field.descriptor.as_bytes().first().ok_or(FrameMismatch)?);
        let variable = self.evaluator.flat.variable_at(self.evaluator.machine, self.body, site.index);
        let is_own = self.access(site, object);
        let disabled = crate::assertions::disabled(self.evaluator.machine, field);
        let value = match (variable, disabled) {
            (Some(variable), _) if is_own => self.state.values[variable],
            (_, Some(disabled)) => self.evaluator.terms.int(i32::from(disabled)),
            (None, None) if object.is_none() && self.is_enum_constant(field) => {
                self.evaluator.enum_constant(field.class, field.name)
            }
            _ => match self.evaluator.switch_table(self.state, field) {
                Some(table) => table,
                None => self.evaluator.unknown(self.state, kind, field.name),
            },
        };
        match object {
            None => self.may_initialize(field.class),
            Some(_) => self.require_object(object, is_own),
        }
        Ok(value)
    }

    fn put_field(
        &mut self,
        site: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<TermId>,
        value: TermId,
    ) -> Result<(), FrameMismatch> {
        let kind = Kind::of_descriptor(*field.descriptor.as_bytes().first().ok_or(FrameMismatch)?);
        let variable = self.evaluator.flat.variable_at(self.evaluator.machine, self.body, site.index);
        let is_own = self.access(site, object);
        if let Some(variable) = variable {
            let value = narrowed(self.evaluator.terms, kind, value);
            let value = widened(self.evaluator.terms, kind, value);
            if is_own {
                self.state.values[variable] = value;
            } else if object.is_some_and(|o| !self.state.made.contains(&o)) {
                // It may be the object under test all the same.
                self.evaluator.forget(self.state, &BTreeSet::from([variable]));
            }
        }
        match object {
            None => self.may_initialize(field.class),
            Some(_) => self.require_object(object, is_own),
        }
        Ok(())
    }

    fn new_object(&mut self, _: &Site<'_>, class: &str) -> Result<TermId, FrameMismatch> {
        let what = class.rsplit(['/', '$']).next().unwrap_or(class);
        let made = self.evaluator.made(self.state, what);
        self.state.classes.insert(made, class.into());
        self.may_initialize(class);
        Ok(made)
    }

    fn new_array(&mut self, _: &Site<'_>, _: &str, lengths: Vec<TermId>) -> Result<TermId, FrameMismatch> {
        let length = *lengths.first().ok_or(FrameMismatch)?;
        for length in lengths {
            let zero = self.evaluator.terms.int(0);
            let fits = self.evaluator.terms.sle(zero, length);
            self.require(fits, "java/lang/NegativeArraySizeException");
        }
        let array = self.evaluator.made(self.state, "array");
        self.state.lengths.insert(array, length);
        Ok(array)
    }

    fn check_cast(&mut self, _: &Site<'_>, class: &str, value: TermId) -> Result<TermId, FrameMismatch> {
        let this = self.evaluator.terms.int(THIS);
        let own = (value == this).then_some(self.evaluator.flat.class);
        let known = match (own, self.state.classes.get(&value).cloned()) {
            (Some(own), _) => Some(own),
            (None, Some(made)) => self.evaluator.machine.load(&made).ok(),
            (None, None) => None,
        };
        let wanted = self.evaluator.machine.load(class).ok();
        let fits =
            known.zip(wanted).is_some_and(|(known, wanted)| self.evaluator.machine.is_subtype(known, wanted));
        if !fits && self.evaluator.terms.as_constant(value) != Some(0) {
            self.may_throw("java/lang/ClassCastException");
        }
        Ok(value)
    }

    fn monitor(&mut self, _: &Site<'_>, object: TermId) -> Result<(), FrameMismatch> {
        let there = self.evaluator.is_there(self.state, object);
        self.require(there, "java/lang/NullPointerException");
        Ok(())
    }

    fn instance_of(&mut self, _: &Site<'_>, _: &str, value: TermId) -> Result<TermId, FrameMismatch> {
        let zero = self.evaluator.terms.int(0);
        let there = self.evaluator.is_there(self.state, value);
        let unknown = self.evaluator.unknown(self.state, Kind::Boolean, "instanceof");
        Ok(self.evaluator.terms.ite(there, unknown, zero))
    }
}
