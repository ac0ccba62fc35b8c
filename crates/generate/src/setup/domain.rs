//! The abstract domain in which set-ups are interpreted.

use super::recording::{Recording, dotted};
use super::refusal::SetupRefusal;
use super::values::{KnownValue, fitted, widened, zero};
use cupping_case::{Action, FieldRef, JavaType, Literal, MethodRef, Step, parse_method_descriptor};
use cupping_classfile::interpreter::{CalledMethod, Decision, Domain, FieldAccess, Frame, Site};
use cupping_classfile::{Arithmetic, ArrayElement, Comparison, Constant, Instruction, Invocation, StackType};

/// The methods of the test class. They are read in turn when the set-up calls them.
pub(super) trait OwnMethods {
    /// What has been read so far.
    fn recording(&mut self) -> &mut Recording;

    /// Reads a call of a method of the test class. `depth` is the number of calls around it.
    fn own_call(
        &mut self,
        call: &CalledMethod<'_>,
        operands: Vec<KnownValue>,
        depth: u32,
    ) -> Result<Option<KnownValue>, SetupRefusal>;
}

/// The domain of the interpreter: known values, and variables created by steps.
pub(super) struct SetupDomain<'r, M> {
    pub(super) methods: &'r mut M,
    /// The number of calls of the test class's methods around the one that is being read.
    pub(super) depth: u32,
}

impl<M: OwnMethods> SetupDomain<'_, M> {
    fn recording(&mut self) -> &mut Recording {
        self.methods.recording()
    }

    fn int(&self, held: &KnownValue) -> Result<i32, SetupRefusal> {
        held.as_int().ok_or_else(|| SetupRefusal::from("a number that depends on a run"))
    }

    fn is_own(&mut self, class: &str) -> bool {
        self.recording().family.iter().any(|it| **it == *class)
    }
}

impl<M: OwnMethods> Domain for SetupDomain<'_, M> {
    type Value = KnownValue;
    type Refusal = SetupRefusal;

    fn unknown(&mut self, site: &Site<'_>, _: StackType) -> Result<KnownValue, SetupRefusal> {
        Err(depends_on_a_run(site.instruction))
    }

    fn literal(
        &mut self,
        _: &Site<'_>,
        literal: cupping_classfile::Literal,
    ) -> Result<KnownValue, SetupRefusal> {
        Ok(KnownValue::Literal(match literal {
            cupping_classfile::Literal::Null => Literal::Null,
            cupping_classfile::Literal::Int(value) => Literal::Int(value),
            cupping_classfile::Literal::Long(value) => Literal::Long(value),
            cupping_classfile::Literal::Float(value) => Literal::Float(value),
            cupping_classfile::Literal::Double(value) => Literal::Double(value),
        }))
    }

    fn constant(
        &mut self,
        _: &Site<'_>,
        constant: &Constant<'_>,
        _: StackType,
    ) -> Result<KnownValue, SetupRefusal> {
        Ok(KnownValue::Literal(match constant {
            Constant::String(units) => Literal::String(units.clone()),
            Constant::Class(class) => Literal::Class(class_type(class)),
            _ => return Err("a constant that is computed".into()),
        }))
    }

    fn load(&mut self, _: &Site<'_>, _: u16, value: Option<&KnownValue>) -> Result<KnownValue, SetupRefusal> {
        Ok(value.cloned().ok_or("a local variable that is not set")?)
    }

    fn increment(
        &mut self,
        site: &Site<'_>,
        local: u16,
        value: Option<&KnownValue>,
        by: i32,
    ) -> Result<Option<KnownValue>, SetupRefusal> {
        let value = self.load(site, local, value)?;
        Ok(Some(KnownValue::int(self.int(&value)?.wrapping_add(by))))
    }

    fn arithmetic(
        &mut self,
        site: &Site<'_>,
        operator: Arithmetic,
        ty: StackType,
        [a, b]: [KnownValue; 2],
    ) -> Result<KnownValue, SetupRefusal> {
        if ty != StackType::Int {
            return self.unknown(site, ty);
        }
        let result = operator.ints(self.int(&a)?, self.int(&b)?);
        Ok(KnownValue::int(result.ok_or("a division by zero")?))
    }

    fn negate(
        &mut self,
        site: &Site<'_>,
        ty: StackType,
        operand: KnownValue,
    ) -> Result<KnownValue, SetupRefusal> {
        if ty != StackType::Int {
            return self.unknown(site, ty);
        }
        Ok(KnownValue::int(self.int(&operand)?.wrapping_neg()))
    }

    fn convert(
        &mut self,
        site: &Site<'_>,
        from: StackType,
        to: StackType,
        operand: KnownValue,
    ) -> Result<KnownValue, SetupRefusal> {
        if from != StackType::Int {
            return self.unknown(site, to);
        }
        let value = self.int(&operand)?;
        Ok(KnownValue::Literal(match to {
            StackType::Long => Literal::Long(i64::from(value)),
            StackType::Float => Literal::Float(value as f32),
            _ => Literal::Double(f64::from(value)),
        }))
    }

    fn narrow(
        &mut self,
        _: &Site<'_>,
        element: ArrayElement,
        operand: KnownValue,
    ) -> Result<KnownValue, SetupRefusal> {
        Ok(KnownValue::int(element.narrow(self.int(&operand)?)))
    }

    fn branch(
        &mut self,
        site: &Site<'_>,
        comparison: Comparison,
        ty: StackType,
        first: KnownValue,
        second: Option<KnownValue>,
    ) -> Result<Decision, SetupRefusal> {
        if ty == StackType::Int {
            let second = second.map_or(Ok(0), |second| self.int(&second));
            return Ok(comparison.holds(self.int(&first)?.cmp(&second?)).into());
        }
        if second.is_some() {
            return Err(depends_on_a_run(site.instruction));
        }
        let is_null = match first {
            KnownValue::Literal(literal) => literal == Literal::Null,
            KnownValue::Var(_) => return Err("a branch on what a call returned".into()),
            _ => false,
        };
        Ok((is_null == (comparison == Comparison::Equal)).into())
    }

    fn switch(&mut self, site: &Site<'_>, _: KnownValue) -> Result<Option<i32>, SetupRefusal> {
        Err(depends_on_a_run(site.instruction))
    }

    fn array_load(
        &mut self,
        _: &Site<'_>,
        _: ArrayElement,
        array: KnownValue,
        index: KnownValue,
    ) -> Result<KnownValue, SetupRefusal> {
        let index = self.int(&index)?;
        self.recording().element(&array, index)
    }

    fn array_store(
        &mut self,
        _: &Site<'_>,
        _: ArrayElement,
        array: KnownValue,
        index: KnownValue,
        value: KnownValue,
    ) -> Result<(), SetupRefusal> {
        let index = self.int(&index)?;
        self.recording().fill(&array, index, value)
    }

    fn array_length(&mut self, _: &Site<'_>, array: KnownValue) -> Result<KnownValue, SetupRefusal> {
        match array {
            KnownValue::Array(at) => Ok(KnownValue::int(self.recording().arrays[at].elements.len() as i32)),
            _ => Err("the length of an array that a call returned".into()),
        }
    }

    fn get_field(
        &mut self,
        _: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<KnownValue>,
    ) -> Result<KnownValue, SetupRefusal> {
        let ty = JavaType::parse(field.descriptor).ok_or("a damaged field")?;
        let key = (object.is_none(), field.name.to_owned());
        match object {
            None | Some(KnownValue::This) if self.is_own(field.class) => {
                let held = self.recording().fields.get(&key).cloned();
                Ok(held.unwrap_or_else(|| KnownValue::Literal(zero(&ty))))
            }
            None => Ok(KnownValue::Literal(Literal::Constant {
                class: field.class.into(),
                field: field.name.into(),
            })),
            Some(_) => Err(format!("a field of an object of {}", dotted(field.class)).into()),
        }
    }

    fn put_field(
        &mut self,
        _: &Site<'_>,
        field: &FieldAccess<'_>,
        object: Option<KnownValue>,
        value: KnownValue,
    ) -> Result<(), SetupRefusal> {
        let ty = JavaType::parse(field.descriptor).ok_or("a damaged field")?;
        let key = (object.is_none(), field.name.to_owned());
        if matches!(object, None | Some(KnownValue::This)) && self.is_own(field.class) {
            let value = self.recording().settled(value, &ty)?;
            self.recording().fields.insert(key, value);
            return Ok(());
        }
        let receiver =
            object.map(|it| self.recording().operand(it, &JavaType::class(field.class))).transpose()?;
        let value = self.recording().operand(value, &ty)?;
        let field = FieldRef { class: field.class.into(), name: field.name.into(), ty };
        let action = Action::SetField { field, receiver, value };
        self.recording().steps.push(Step { action, result: None });
        Ok(())
    }

    fn call(
        &mut self,
        _: &Site<'_>,
        frame: &mut Frame<KnownValue>,
        call: &CalledMethod<'_>,
        operands: Vec<KnownValue>,
        _: Option<StackType>,
    ) -> Result<Option<KnownValue>, SetupRefusal> {
        if call.how == Invocation::Dynamic {
            return Err("a lambda expression, a method reference or a concatenation of strings".into());
        }
        let (types, result) = parse_method_descriptor(call.descriptor).ok_or("a damaged descriptor")?;
        let receiver = if call.how.has_receiver() { operands.first() } else { None };
        let is_on_test = receiver.is_none_or(|it| *it == KnownValue::This);
        if is_on_test && self.is_own(call.class) {
            return self.methods.own_call(call, operands, self.depth);
        }
        let mut arguments = operands;
        let receiver = if call.how.has_receiver() { Some(arguments.remove(0)) } else { None };
        if receiver == Some(KnownValue::This) {
            // The constructor of Object, or of a class that all tests of a framework extend.
            let is_constructor = call.name == "<init>";
            return if is_constructor {
                Ok(None)
            } else {
                Err(format!("{} of the test itself", call.name).into())
            };
        }
        // The value of a box.
        if let (Some(KnownValue::Literal(Literal::Boxed(literal))), true) = (&receiver, types.is_empty())
            && call.name.strip_suffix("Value").is_some_and(|it| *it == result.to_string())
        {
            return Ok(Some(KnownValue::Literal(widened((**literal).clone()))));
        }
        // Source code creates boxes without an explicit call.
        if call.how == Invocation::Static
            && call.name == "valueOf"
            && let ([KnownValue::Literal(literal)], [ty]) = (arguments.as_slice(), types.as_slice())
            && crate::input::boxed_kind(call.class).is_some()
            && !ty.is_reference()
        {
            let boxed = Literal::Boxed(Box::new(fitted(literal.clone(), ty)));
            return Ok(Some(KnownValue::Literal(boxed)));
        }
        let mut args = Vec::new();
        for (argument, ty) in arguments.into_iter().zip(&types) {
            args.push(self.recording().operand(argument, ty)?);
        }
        let method = MethodRef {
            class: call.class.into(),
            name: call.name.into(),
            descriptor: call.descriptor.into(),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        };
        let Some(KnownValue::New(number, class)) = receiver else {
            let class = JavaType::class(call.class);
            let receiver = receiver.map(|it| self.recording().operand(it, &class)).transpose()?;
            let var = (result != JavaType::Void).then(|| self.recording().variable(result));
            let action = match receiver {
                Some(receiver) => Action::Invoke { method, receiver, args },
                None => Action::InvokeStatic { method, args },
            };
            self.recording().steps.push(Step { action, result: var });
            return Ok(var.map(KnownValue::Var));
        };
        let var = self.recording().variable(JavaType::class(&class));
        let action = Action::Construct { constructor: method, args };
        self.recording().steps.push(Step { action, result: Some(var) });
        let made = KnownValue::New(number, class);
        for held in frame.stack.iter_mut().chain(&mut frame.locals).flatten() {
            if *held == made {
                *held = KnownValue::Var(var);
            }
        }
        Ok(None)
    }

    fn new_object(&mut self, _: &Site<'_>, class: &str) -> Result<KnownValue, SetupRefusal> {
        self.recording().news += 1;
        Ok(KnownValue::New(self.recording().news, class.into()))
    }

    fn new_array(
        &mut self,
        site: &Site<'_>,
        class: &str,
        lengths: Vec<KnownValue>,
    ) -> Result<KnownValue, SetupRefusal> {
        if site.instruction.action() != cupping_classfile::Action::NewArray {
            return self.unknown(site, StackType::Reference);
        }
        let length = lengths.first().map_or(Ok(0), |length| self.int(length))?;
        let element = class.get(1..).and_then(JavaType::parse).ok_or("a damaged array")?;
        self.recording().array(element, length)
    }

    fn monitor(&mut self, site: &Site<'_>, _: KnownValue) -> Result<(), SetupRefusal> {
        Err(depends_on_a_run(site.instruction))
    }
}

/// The type that a class constant denotes: a class by its internal name, an array by its descriptor.
fn class_type(class: &str) -> JavaType {
    JavaType::parse(class)
        .filter(|ty| matches!(ty, JavaType::Array(_)))
        .unwrap_or_else(|| JavaType::class(class))
}

/// The error for an instruction that is not interpreted.
pub(super) fn depends_on_a_run(instruction: &Instruction) -> SetupRefusal {
    format!("{}, whose outcome depends on a run", instruction.opcode.mnemonic()).into()
}
