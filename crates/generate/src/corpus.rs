//! Converts known tests back to plans: those of an earlier run (a corpus, thesis §7.4), and the set-ups of
//! people's tests. Literals become inputs, which are either free to take other values or fixed.

use crate::access::AccessLevel;
use crate::driver::Slot;
use crate::implementation::implementation;
use crate::input::{Input, boxed_kind};
use crate::invokable::{Invokable, Subject};
use crate::plan::is_preparation;
use crate::plan::{Plan, PlanStep, Var};
use crate::stub::Stub;
use cupping_case::{Action, FieldRef, JavaType, Literal, MethodRef, Operand, RecordedTest, Step, VarId};
use cupping_machine::{Kind, Machine, MethodId, StubResult};
use cupping_term::{Model, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A test of an earlier run converted to a plan.
#[derive(Debug)]
pub struct RecalledTest {
    /// The original test.
    pub test: RecordedTest,
    /// Whether its strings and boxes are fresh objects.
    pub fresh: bool,
}

/// How the literals of a test are converted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Literals {
    /// Inputs with these initial values.
    Free {
        /// Maximal length of strings and arrays, unless they are longer already.
        max: u32,
    },
    /// Fixed values.
    Fixed,
}

/// The initial bits of an input's variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialBits {
    length: Option<u64>,
    values: Vec<u64>,
}

impl InitialBits {
    /// Assigns the initial values.
    pub(crate) fn set(&self, slot: &Slot, terms: &Terms, model: &mut Model) {
        if let (Some(variable), Some(length)) = (slot.symbols.length, self.length) {
            model.set(variable, length);
        }
        for (variable, bits) in slot.symbols.values.iter().zip(&self.values) {
            model.set(*variable, terms.variable(*variable).sort.wrap(*bits as i64));
        }
    }
}

/// Rebuilds a plan from steps.
pub(crate) struct Rebuild<'a> {
    machine: &'a mut Machine,
    subject: &'a Subject,
    access: AccessLevel,
    literals: Literals,
    /// The plan so far.
    pub(crate) plan: Plan,
    /// The initial values of its inputs.
    pub(crate) first: BTreeMap<Var, InitialBits>,
    /// Whether strings and boxes are created by constructors.
    pub(crate) fresh: bool,
    known: BTreeMap<VarId, Var>,
}

/// Why a step can no longer be executed.
pub(crate) type StepError = String;

impl<'a> Rebuild<'a> {
    pub(crate) fn new(
        machine: &'a mut Machine,
        subject: &'a Subject,
        access: AccessLevel,
        literals: Literals,
    ) -> Rebuild<'a> {
        let (plan, first, known) = (Plan::default(), BTreeMap::new(), BTreeMap::new());
        Rebuild { machine, subject, access, literals, plan, first, fresh: false, known }
    }

    /// The plan variable for a variable of the test.
    pub(crate) fn var(&self, id: VarId) -> Option<Var> {
        self.known.get(&id).copied()
    }

    /// Converts a step of a test.
    ///
    /// # Errors
    /// Something that it needs no longer exists.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), StepError> {
        let made = match &step.action {
            Action::Construct { constructor, args } => match self.copy(constructor, args)? {
                Some(var) => Some(var),
                None => self.call(constructor, None, args)?,
            },
            Action::Invoke { method, receiver: Operand::Literal(Literal::String(text)), .. }
                if self.plan.has_folder() && is_content(method, text) =>
            {
                Some(self.content(text))
            }
            Action::Invoke { method, receiver, args } => self.call(method, Some(receiver), args)?,
            Action::InvokeStatic { method, args } => self.call(method, None, args)?,
            Action::TestFolder => {
                let var = self.plan.variable(JavaType::class("java/io/File"), "folder");
                self.plan.steps.push(PlanStep::TestFolder { var });
                Some(var)
            }
            Action::NewArray { element, elements } => Some(self.array(element, elements)?),
            Action::Implement { interface, constructor, args, methods, .. } => {
                self.stub(interface, constructor.as_ref(), args, methods)?
            }
            Action::SetField { field, receiver, value } => {
                self.set_field(field, receiver.as_ref(), value)?;
                None
            }
            Action::GetField { field, receiver: Some(receiver) } => {
                let found = self.field(&field.class, &field.name)?;
                let object = self.operand(receiver, &JavaType::class(&field.class), "object")?;
                let var = self.plan.variable(field.ty.clone(), &field.name);
                self.plan.steps.push(PlanStep::GetField { field: found, object, var });
                Some(var)
            }
            Action::GetField { .. } | Action::SetElement { .. } | Action::Allocate { .. } => {
                return Err("the search does not support this kind of step".into());
            }
        };
        if let (Some(id), Some(var)) = (step.result, made) {
            self.known.insert(id, var);
        }
        Ok(())
    }

    /// `new String("…")` and `new Integer(…)` mean that identity matters, unless their class is under test.
    fn copy(&mut self, constructor: &MethodRef, args: &[Operand]) -> Result<Option<Var>, StepError> {
        let [Operand::Literal(literal)] = args else { return Ok(None) };
        let literal = match (literal, boxed_kind(&constructor.class)) {
            (Literal::String(_), _) if &*constructor.class == "java/lang/String" => literal.clone(),
            (Literal::String(_), _) | (_, None) => return Ok(None),
            (other, Some(_)) => Literal::Boxed(Box::new(other.clone())),
        };
        if *self.machine.class(self.subject.class).name == *constructor.class
            || self.literals == Literals::Fixed
        {
            return Ok(None);
        }
        self.fresh = true;
        self.input(&literal, JavaType::class(&constructor.class), "value").map(Some)
    }

    fn operand(&mut self, operand: &Operand, ty: &JavaType, name: &str) -> Result<Var, StepError> {
        match operand {
            Operand::Var(id) => self.var(*id).ok_or_else(|| "a variable is never set".into()),
            Operand::Literal(literal) => self.input(literal, ty.clone(), name),
        }
    }

    fn input(&mut self, literal: &Literal, ty: JavaType, name: &str) -> Result<Var, StepError> {
        let mut first = InitialBits::default();
        let input = match (literal, self.literals) {
            (Literal::Null, _) => Input::Null,
            (Literal::Class(class), _) => {
                let descriptor = class.descriptor();
                let found = self.machine.load_descriptor(&descriptor);
                Input::ClassLiteral(found.map_err(|_| format!("class {class} does not exist"))?)
            }
            (Literal::Constant { class, field }, _) => {
                let field = self.field(class, field)?;
                return Ok(self.plan.static_field(field, ty, name));
            }
            (Literal::String(units), Literals::Free { max }) => {
                first.length = Some(units.len() as u64);
                first.values = units.iter().map(|unit| u64::from(*unit)).collect();
                match u8::try_from(units.len().max(max as usize)) {
                    Ok(max) if units.len() <= LONGEST => Input::string(max.into()),
                    _ => Input::Text(units.clone()),
                }
            }
            (Literal::String(units), Literals::Fixed) => Input::Text(units.clone()),
            (Literal::Boxed(inner), literals) => {
                let (kind, bits) = bits_of(inner).ok_or("a box without a primitive")?;
                first.values.push(bits);
                if literals == Literals::Fixed { Input::FixedBox(kind, bits) } else { Input::Boxed(kind) }
            }
            (primitive, literals) => {
                let (kind, bits) = bits_of(primitive).ok_or("a literal cannot be fixed")?;
                first.values.push(bits);
                if literals == Literals::Fixed { Input::Fixed(kind, bits) } else { Input::Primitive(kind) }
            }
        };
        let var = self.plan.input(input, ty, name);
        self.first.insert(var, first);
        Ok(var)
    }

    fn array(&mut self, element: &JavaType, elements: &[Operand]) -> Result<Var, StepError> {
        let ty = JavaType::Array(Box::new(element.clone()));
        if !element.is_reference() {
            let bits: Option<Vec<(Kind, u64)>> = elements.iter().map(literal_bits).collect();
            let bits = bits.ok_or("an array has elements that are not literals")?;
            let kind = crate::invokable::kind_of(element);
            let values: Vec<u64> = bits.into_iter().map(|(_, bits)| bits).collect();
            let input = match self.literals {
                Literals::Free { max } if values.len() <= LONGEST => {
                    Input::Array { element: kind, max: max.max(values.len() as u32) }
                }
                _ => Input::Elements(kind, values.clone()),
            };
            let var = self.plan.input(input, ty, "array");
            self.first.insert(var, InitialBits { length: Some(values.len() as u64), values });
            return Ok(var);
        }
        let class = self.machine.load_descriptor(&element.descriptor());
        let class = class.map_err(|_| format!("class {element} does not exist"))?;
        let elements = elements
            .iter()
            .map(|it| self.operand(it, element, "element"))
            .collect::<Result<Vec<Var>, StepError>>()?;
        let var = self.plan.variable(ty, "array");
        self.plan.steps.push(PlanStep::NewArray { element: class, elements, var });
        Ok(var)
    }

    /// The bytes of a text: the content of a file.
    fn content(&mut self, text: &[u16]) -> Var {
        let values: Vec<u64> = text.iter().map(|unit| u64::from(*unit)).collect();
        let input = match self.literals {
            Literals::Free { .. } => Input::Bytes(values.len() as u32),
            Literals::Fixed => Input::Elements(Kind::Byte, values.clone()),
        };
        let var = self.plan.input(input, JavaType::Array(Box::new(JavaType::Byte)), "content");
        self.first.insert(var, InitialBits { length: None, values });
        var
    }

    fn stub(
        &mut self,
        interface: &str,
        constructor: Option<&MethodRef>,
        args: &[Operand],
        methods: &[cupping_case::StubMethod],
    ) -> Result<Option<Var>, StepError> {
        let gone = |_| format!("{interface} has changed");
        let id = self.machine.load(interface).map_err(gone)?;
        let declared = self.machine.abstract_methods(id);
        let same = declared.len() == methods.len()
            && declared.iter().zip(methods).all(|(declared, method)| {
                let descriptor = implementation(self.machine, id, *declared);
                *self.machine.method(*declared).name == *method.name
                    && descriptor.is_some_and(|it| it == method.descriptor)
            });
        if !same {
            return Err(format!("{interface} has changed"));
        }
        let mut results = Vec::new();
        let mut values = Vec::new();
        for method in methods {
            results.push(match &method.result {
                cupping_case::StubResult::Nothing => StubResult::Nothing,
                cupping_case::StubResult::Parameter(at) => StubResult::Parameter(*at),
                cupping_case::StubResult::Value(_) => StubResult::Field,
                cupping_case::StubResult::Sequence(_) => StubResult::Sequence,
                cupping_case::StubResult::Throws(_) => StubResult::Throws,
                cupping_case::StubResult::Calls { parameter, method: called, arguments } => {
                    let class = self.machine.load(&called.class).map_err(gone)?;
                    let method = self.machine.declared_method(class, &called.name, &called.descriptor);
                    let method = method.ok_or_else(|| format!("{} has changed", shown(called)))?;
                    StubResult::Calls { parameter: *parameter, method, arguments: arguments.len() }
                }
            });
            let count = results.last().map_or(0, |it: &StubResult| it.fields());
            let operands = method.result.values();
            if operands.len() > count {
                return Err(format!("{} answers too often", method.name));
            }
            let called = match &method.result {
                cupping_case::StubResult::Calls { method, .. } => Some(&method.descriptor),
                _ => None,
            };
            let types = cupping_case::parse_method_descriptor(called.unwrap_or(&method.descriptor));
            let (passed, result) = types.ok_or("a damaged descriptor")?;
            for at in 0..count {
                // The last answer stays.
                let operand = operands.get(at).or(operands.last()).ok_or("no answer")?;
                let ty = if called.is_some() { passed.get(at).ok_or("too few parameters")? } else { &result };
                values.push(self.operand(operand, ty, &method.name)?);
            }
        }
        let stub =
            Stub::new(self.machine, id, results).map_err(|_| format!("{interface} cannot be stubbed"))?;
        if let Some(constructor) = constructor {
            let made = self.machine.declared_method(id, "<init>", &constructor.descriptor);
            let made = made.filter(|it| !self.machine.method(*it).is_private());
            let made = made.and_then(|it| Invokable::anonymous(self.machine, stub, it));
            let made = made.ok_or_else(|| format!("{} has changed", shown(constructor)))?;
            let mut arguments = Vec::new();
            for (operand, parameter) in args.iter().zip(&made.parameters) {
                arguments.push(self.operand(operand, &parameter.ty, &parameter.name)?);
            }
            arguments.extend(values);
            return Ok(self.plan.call(&made, arguments, "result"));
        }
        let var = self.plan.variable(JavaType::class(interface), "stub");
        self.plan.steps.push(PlanStep::Stub { stub, results: values, var });
        Ok(Some(var))
    }

    fn set_field(
        &mut self,
        field: &FieldRef,
        receiver: Option<&Operand>,
        value: &Operand,
    ) -> Result<(), StepError> {
        let found = self.field(&field.class, &field.name)?;
        let mut operands = Vec::new();
        if let Some(receiver) = receiver {
            operands.push(self.operand(receiver, &JavaType::class(&field.class), "object")?);
        }
        operands.push(self.operand(value, &field.ty, &field.name)?);
        let name = Rc::from(&*field.name);
        self.plan.steps.push(PlanStep::SetField { field: found, name, operands });
        Ok(())
    }

    fn field(&mut self, class: &str, name: &str) -> Result<(cupping_machine::ClassId, usize), StepError> {
        let gone = || format!("field {}.{name} does not exist", class.replace('/', "."));
        let id = self.machine.load(class).map_err(|_| gone())?;
        let at = self.machine.class(id).fields.iter().position(|field| &*field.name == name);
        Ok((id, at.ok_or_else(gone)?))
    }

    fn call(
        &mut self,
        method: &MethodRef,
        receiver: Option<&Operand>,
        args: &[Operand],
    ) -> Result<Option<Var>, StepError> {
        let invokable = self.invokable(method)?;
        if invokable.has_receiver() != receiver.is_some() || invokable.parameters.len() != args.len() {
            return Err(format!("{} has changed", shown(method)));
        }
        // File names stay fixed.
        let literals = self.literals;
        if self.plan.has_folder() && is_preparation(&invokable) {
            self.literals = Literals::Fixed;
        }
        let mut arguments = Vec::new();
        if let Some(receiver) = receiver {
            arguments.push(self.operand(receiver, &JavaType::class(&method.class), "receiver")?);
        }
        for (operand, parameter) in args.iter().zip(&invokable.parameters) {
            arguments.push(self.operand(operand, &parameter.ty, &parameter.name)?);
        }
        self.literals = literals;
        Ok(self.plan.call(&invokable, arguments, "result"))
    }

    fn invokable(&mut self, method: &MethodRef) -> Result<Rc<Invokable>, StepError> {
        let gone = || format!("there is no {} that a test can call", shown(method));
        let class = self.machine.load(&method.class).map_err(|_| gone())?;
        let found = if &*method.name == "<init>" {
            self.machine.declared_method(class, &method.name, &method.descriptor)
        } else {
            self.machine.find_method(class, &method.name, &method.descriptor)
        };
        let found = found.filter(|found| self.is_callable(*found)).ok_or_else(gone)?;
        let known = self.subject.under_test.iter().chain(&self.subject.makers);
        if let Some(known) = known.into_iter().find(|it| it.method == found && it.class == class) {
            return Ok(known.clone());
        }
        Invokable::new(self.machine, class, found).map(Rc::new).ok_or_else(gone)
    }

    fn is_callable(&self, method: MethodId) -> bool {
        let loaded = self.machine.method(method);
        let same = self.machine.class(loaded.class).package() == self.subject.package;
        if loaded.is_private() {
            self.access == AccessLevel::Private && same
        } else {
            loaded.access.is_public() || same
        }
    }
}

/// Limit on the variables of one string or array.
const LONGEST: usize = 32;

/// Whether a call returns the bytes of a text that becomes the content of a file.
fn is_content(method: &MethodRef, text: &[u16]) -> bool {
    let bytes: Vec<u8> = text.iter().map(|unit| u8::try_from(*unit).unwrap_or(0)).collect();
    &*method.class == "java/lang/String"
        && &*method.name == "getBytes"
        && &*method.descriptor == "()[B"
        && crate::input::is_text(&bytes)
}

fn literal_bits(operand: &Operand) -> Option<(Kind, u64)> {
    match operand {
        Operand::Literal(literal) => bits_of(literal),
        Operand::Var(_) => None,
    }
}

/// The kind and sign-extended bits of a primitive literal.
fn bits_of(literal: &Literal) -> Option<(Kind, u64)> {
    Some(match literal {
        Literal::Boolean(it) => (Kind::Boolean, u64::from(*it)),
        Literal::Byte(it) => (Kind::Byte, i64::from(*it) as u64),
        Literal::Char(it) => (Kind::Char, u64::from(*it)),
        Literal::Short(it) => (Kind::Short, i64::from(*it) as u64),
        Literal::Int(it) => (Kind::Int, i64::from(*it) as u64),
        Literal::Long(it) => (Kind::Long, *it as u64),
        Literal::Float(it) => (Kind::Float, u64::from(it.to_bits())),
        Literal::Double(it) => (Kind::Double, it.to_bits()),
        _ => return None,
    })
}

/// The qualified name: `org.example.Stack.push`.
fn shown(method: &MethodRef) -> String {
    let class = method.class.replace(['/', '$'], ".");
    if &*method.name == "<init>" {
        format!("constructor of {class}")
    } else {
        format!("{class}.{}", method.name)
    }
}
