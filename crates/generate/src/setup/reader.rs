//! Reads the code of a set-up: what it does to the test class is kept in mind, what it does to others become steps.

use super::Prelude;
use super::frame::{Frame, Refusal, arithmetic, class_type, compare, constant};
use super::values::{KnownValue, PartialArray, fitted, widened, zero};
use cupping_case::{
    Action, FieldRef, JavaType, Literal, MethodRef, Operand, Step, VarId, Variable, parse_method_descriptor,
};
use cupping_classfile::{ClassFile, Constant, Instruction, Operand as Coded, Program, instructions};
use std::collections::BTreeMap;

/// Instructions that are read, at most: loops over known numbers are unrolled.
const MOST_INSTRUCTIONS: usize = 20_000;
/// Steps that they may become.
const MOST_STEPS: usize = 200;
/// Methods of the test class within each other.
const DEEPEST: u32 = 16;

pub struct Reader<'a> {
    program: &'a Program,
    /// The test class and its superclasses.
    family: Vec<String>,
    steps: Vec<Step>,
    variables: Vec<Variable>,
    fields: BTreeMap<(bool, String), KnownValue>,
    arrays: Vec<PartialArray>,
    news: usize,
    read: usize,
}

enum Next {
    Behind,
    At(u32),
    Return(Option<KnownValue>),
}

impl<'a> Reader<'a> {
    pub fn new(program: &'a Program, family: Vec<String>) -> Reader<'a> {
        Reader {
            program,
            family,
            steps: Vec::new(),
            variables: Vec::new(),
            fields: BTreeMap::new(),
            arrays: Vec::new(),
            news: 0,
            read: 0,
        }
    }

    /// Initialises the test class and makes its object.
    pub fn construct(&mut self, class: &str) -> Result<(), Refusal> {
        for name in self.family.clone().iter().rev() {
            let file = self.program.require(name).map_err(|error| error.to_string())?;
            if let Some(at) = method(&file, "<clinit>", "()V") {
                self.run(&file, at, Vec::new(), 0)?;
            }
        }
        let file = self.program.require(class).map_err(|error| error.to_string())?;
        let at = method(&file, "<init>", "()V");
        let at = at.ok_or_else(|| format!("{} has no constructor without parameters", dotted(class)))?;
        self.run(&file, at, vec![KnownValue::This], 0).map(drop)
    }

    /// What has been read, with the objects that fields of the test class refer to.
    pub fn finish(self, name: String) -> Prelude {
        let Reader { steps, variables, fields, .. } = self;
        let mut objects: Vec<VarId> = Vec::new();
        for held in fields.values() {
            if let KnownValue::Var(var) = held
                && variables[var.0 as usize].ty.is_reference()
                && !objects.contains(var)
            {
                objects.push(*var);
            }
        }
        Prelude { name, steps, variables, objects }
    }

    /// Reads a method of the test class.
    pub fn run(
        &mut self,
        file: &ClassFile,
        at: usize,
        arguments: Vec<KnownValue>,
        depth: u32,
    ) -> Result<Option<KnownValue>, Refusal> {
        let declared = &file.methods[at];
        let here = |line: Option<u16>| {
            let line = line.map_or(String::new(), |line| format!(":{line}"));
            format!("{}.{}{line}", dotted(&file.name), declared.name)
        };
        let code = file.code(declared).ok().flatten().ok_or_else(|| format!("{} has no code", here(None)))?;
        if depth > DEEPEST {
            return Err(Refusal::Placed(format!("{} calls itself too often", here(None))));
        }
        let all: Vec<Instruction> = instructions(&code.bytecode).map_while(Result::ok).collect();
        let mut frame = Frame { stack: Vec::new(), locals: Vec::new() };
        for argument in arguments {
            let wide = argument.is_wide(|var| self.type_of(var));
            frame.locals.push(Some(argument));
            frame.locals.extend(wide.then_some(None));
        }
        let mut next = 0;
        while let Some(instruction) = all.get(next) {
            self.read += 1;
            let told = if self.read > MOST_INSTRUCTIONS || self.steps.len() > MOST_STEPS {
                Err("too many steps".into())
            } else {
                self.instruction(file, instruction, &mut frame, depth)
            };
            match told.map_err(|why: Refusal| Refusal::Placed(why.at(&here(code.line_at(instruction.pc)))))? {
                Next::Behind => next += 1,
                Next::At(pc) => next = all.binary_search_by_key(&pc, |it| it.pc).unwrap_or(all.len()),
                Next::Return(held) => return Ok(held),
            }
        }
        Ok(None)
    }

    fn instruction(
        &mut self,
        file: &ClassFile,
        instruction: &Instruction,
        frame: &mut Frame,
        depth: u32,
    ) -> Result<Next, Refusal> {
        let code = instruction.opcode as u8;
        match (code, &instruction.operand) {
            (0x00, _) => {}
            (0x01, _) => frame.stack.push(KnownValue::Literal(Literal::Null)),
            (0x02..=0x08, _) => frame.stack.push(KnownValue::int(i32::from(code) - 3)),
            (0x09..=0x0a, _) => frame.stack.push(KnownValue::Literal(Literal::Long(i64::from(code) - 9))),
            (0x0b..=0x0d, _) => frame.stack.push(KnownValue::Literal(Literal::Float(f32::from(code - 0x0b)))),
            (0x0e..=0x0f, _) => {
                frame.stack.push(KnownValue::Literal(Literal::Double(f64::from(code - 0x0e))))
            }
            (0x10..=0x11, Coded::Immediate(value)) => frame.stack.push(KnownValue::int(i32::from(*value))),
            (0x12..=0x14, Coded::Constant(index)) => frame.stack.push(constant(file, *index)?),
            (0x15..=0x19, Coded::Local(local)) => frame.load(*local)?,
            (0x1a..=0x2d, _) => frame.load(u16::from((code - 0x1a) % 4))?,
            (0x2e..=0x35, _) => {
                let (index, array) = (frame.int()?, frame.pop()?);
                let element = self.element(&array, index)?;
                frame.stack.push(element);
            }
            (0x36..=0x3a, Coded::Local(local)) => frame.store(*local)?,
            (0x3b..=0x4e, _) => frame.store(u16::from((code - 0x3b) % 4))?,
            (0x4f..=0x56, _) => {
                let (value, index, array) = (frame.pop()?, frame.int()?, frame.pop()?);
                self.fill(&array, index, value)?;
            }
            (0x57, _) => drop(frame.pop()?),
            (0x58, _) => {
                if !frame.pop()?.is_wide(|var| self.type_of(var)) {
                    frame.pop()?;
                }
            }
            (0x59, _) => {
                let top = frame.stack.last().cloned().ok_or("a damaged stack")?;
                frame.stack.push(top);
            }
            (0x60 | 0x64 | 0x68 | 0x6c | 0x70 | 0x78 | 0x7a | 0x7e | 0x80 | 0x82, _) => {
                let (b, a) = (frame.int()?, frame.int()?);
                frame.stack.push(KnownValue::int(arithmetic(instruction.opcode, a, b)?));
            }
            (0x74, _) => {
                let a = frame.int()?;
                frame.stack.push(KnownValue::int(a.wrapping_neg()));
            }
            (0x84, Coded::LocalIncrement { local, by }) => {
                frame.load(*local)?;
                let value = frame.int()?.wrapping_add(i32::from(*by));
                frame.stack.push(KnownValue::int(value));
                frame.store(*local)?;
            }
            (0x85..=0x87, _) => {
                let a = frame.int()?;
                frame.stack.push(KnownValue::Literal(match code {
                    0x85 => Literal::Long(i64::from(a)),
                    0x86 => Literal::Float(a as f32),
                    _ => Literal::Double(f64::from(a)),
                }));
            }
            (0x91..=0x93, _) => {
                let a = frame.int()?;
                frame.stack.push(KnownValue::int(match code {
                    0x91 => i32::from(a as i8),
                    0x92 => i32::from(a as u16),
                    _ => i32::from(a as i16),
                }));
            }
            (0x99..=0x9e, Coded::Branch(target)) => {
                let a = frame.int()?;
                return Ok(if compare(code - 0x99, a, 0) { Next::At(*target) } else { Next::Behind });
            }
            (0x9f..=0xa4, Coded::Branch(target)) => {
                let (b, a) = (frame.int()?, frame.int()?);
                return Ok(if compare(code - 0x9f, a, b) { Next::At(*target) } else { Next::Behind });
            }
            (0xa7 | 0xc8, Coded::Branch(target)) => return Ok(Next::At(*target)),
            (0xac..=0xb0, _) => return Ok(Next::Return(Some(frame.pop()?))),
            (0xb1, _) => return Ok(Next::Return(None)),
            (0xb2..=0xb5, Coded::Constant(index)) => self.field(file, *index, code, frame)?,
            (0xb6..=0xb8, Coded::Constant(index))
            | (0xb9, Coded::InvokeInterface { constant: index, .. }) => {
                self.call(file, *index, code, frame, depth)?;
            }
            (0xbb, Coded::Constant(index)) => {
                let Ok(Constant::Class(class)) = file.constant(*index) else {
                    return Err("a damaged class".into());
                };
                self.news += 1;
                frame.stack.push(KnownValue::New(self.news, class.into()));
            }
            (0xbc, Coded::ArrayType(kind)) => {
                let element = JavaType::parse(&"ZCFDBSIJ"[usize::from(*kind - 4)..][..1]);
                let length = frame.int()?;
                frame.stack.push(self.array(element.ok_or("a damaged array")?, length)?);
            }
            (0xbd, Coded::Constant(index)) => {
                let Ok(Constant::Class(class)) = file.constant(*index) else {
                    return Err("a damaged class".into());
                };
                let length = frame.int()?;
                let array = self.array(class_type(&class), length)?;
                frame.stack.push(array);
            }
            (0xbe, _) => match frame.pop()? {
                KnownValue::Array(at) => {
                    frame.stack.push(KnownValue::int(self.arrays[at].elements.len() as i32))
                }
                _ => return Err("the length of an array that a call returned".into()),
            },
            // A cast of what is known to be what it is.
            (0xc0, _) => {}
            (0xc6 | 0xc7, Coded::Branch(target)) => {
                let is_null = match frame.pop()? {
                    KnownValue::Literal(literal) => literal == Literal::Null,
                    KnownValue::Var(_) => return Err("a branch on what a call returned".into()),
                    _ => false,
                };
                return Ok(if is_null == (code == 0xc6) { Next::At(*target) } else { Next::Behind });
            }
            (0xba, _) => {
                return Err("a lambda expression, a method reference or a concatenation of strings".into());
            }
            (0xbf, _) => return Err("an exception".into()),
            _ => {
                return Err(
                    format!("{}, whose outcome only a run can tell", instruction.opcode.mnemonic()).into()
                );
            }
        }
        Ok(Next::Behind)
    }

    fn field(&mut self, file: &ClassFile, index: u16, code: u8, frame: &mut Frame) -> Result<(), Refusal> {
        let Ok(Constant::Field { class, name, descriptor }) = file.constant(index) else {
            return Err("a damaged field".into());
        };
        let ty = JavaType::parse(&descriptor).ok_or("a damaged field")?;
        let is_static = code < 0xb4;
        let is_own = self.family.iter().any(|it| **it == *class);
        let value = if code == 0xb3 || code == 0xb5 { Some(frame.pop()?) } else { None };
        let object = if is_static { None } else { Some(frame.pop()?) };
        let key = (is_static, name.to_string());
        match (value, object) {
            (Some(value), None | Some(KnownValue::This)) if is_own => {
                let value = self.settled(value, &ty)?;
                self.fields.insert(key, value);
            }
            (None, None | Some(KnownValue::This)) if is_own => {
                let held = self.fields.get(&key).cloned();
                frame.stack.push(held.unwrap_or_else(|| KnownValue::Literal(zero(&ty))));
            }
            (None, None) => {
                frame
                    .stack
                    .push(KnownValue::Literal(Literal::Constant { class: class.into(), field: name.into() }));
            }
            (Some(value), object) => {
                let receiver = object.map(|it| self.operand(it, &JavaType::class(&class))).transpose()?;
                let value = self.operand(value, &ty)?;
                let field = FieldRef { class: class.into(), name: name.into(), ty };
                self.steps.push(Step { action: Action::SetField { field, receiver, value }, result: None });
            }
            (None, Some(_)) => return Err(format!("a field of an object of {}", dotted(&class)).into()),
        }
        Ok(())
    }

    fn call(
        &mut self,
        file: &ClassFile,
        index: u16,
        code: u8,
        frame: &mut Frame,
        depth: u32,
    ) -> Result<(), Refusal> {
        let Ok(Constant::Method { class, name, descriptor, .. }) = file.constant(index) else {
            return Err("a damaged method".into());
        };
        let (types, result) = parse_method_descriptor(&descriptor).ok_or("a damaged descriptor")?;
        let mut arguments = Vec::new();
        for _ in &types {
            arguments.push(frame.pop()?);
        }
        arguments.reverse();
        let receiver = if code == 0xb8 { None } else { Some(frame.pop()?) };
        let is_own = self.family.iter().any(|it| **it == *class);
        if (receiver == Some(KnownValue::This) || receiver.is_none()) && is_own {
            let found = self.family.iter().skip_while(|it| code == 0xb7 && **it != *class);
            for name_of_class in found.cloned().collect::<Vec<String>>() {
                let file = self.program.require(&name_of_class).map_err(|error| error.to_string())?;
                let Some(at) = method(&file, &name, &descriptor) else { continue };
                let arguments = receiver.into_iter().chain(arguments).collect();
                frame.stack.extend(self.run(&file, at, arguments, depth + 1)?);
                return Ok(());
            }
            return Err(format!("there is no method {}.{name}", dotted(&class)).into());
        }
        if receiver == Some(KnownValue::This) {
            // The constructor of Object, or of a class that all tests of a framework extend.
            let is_constructor = &*name == "<init>";
            return if is_constructor { Ok(()) } else { Err(format!("{} of the test itself", name).into()) };
        }
        // What a box is unboxed to.
        if let (Some(KnownValue::Literal(Literal::Boxed(literal))), true) = (&receiver, types.is_empty())
            && name.strip_suffix("Value").is_some_and(|it| *it == result.to_string())
        {
            frame.stack.push(KnownValue::Literal(widened((**literal).clone())));
            return Ok(());
        }
        // Source states boxes without calling anything.
        if code == 0xb8
            && &*name == "valueOf"
            && let ([KnownValue::Literal(literal)], [ty]) = (arguments.as_slice(), types.as_slice())
            && crate::input::boxed_kind(&class).is_some()
            && !ty.is_reference()
        {
            let boxed = Literal::Boxed(Box::new(fitted(literal.clone(), ty)));
            frame.stack.push(KnownValue::Literal(boxed));
            return Ok(());
        }
        let mut args = Vec::new();
        for (argument, ty) in arguments.into_iter().zip(&types) {
            args.push(self.operand(argument, ty)?);
        }
        let method = MethodRef {
            class: Box::from(&*class),
            name: Box::from(&*name),
            descriptor: Box::from(&*descriptor),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        };
        match receiver {
            Some(KnownValue::New(number, class)) => {
                let var = self.variable(JavaType::class(&class));
                self.steps.push(Step {
                    action: Action::Construct { constructor: method, args },
                    result: Some(var),
                });
                let made = KnownValue::New(number, class);
                for held in frame.stack.iter_mut().chain(frame.locals.iter_mut().flatten()) {
                    if *held == made {
                        *held = KnownValue::Var(var);
                    }
                }
            }
            receiver => {
                let receiver = receiver.map(|it| self.operand(it, &JavaType::class(&class))).transpose()?;
                let var = (result != JavaType::Void).then(|| self.variable(result));
                let action = match receiver {
                    Some(receiver) => Action::Invoke { method, receiver, args },
                    None => Action::InvokeStatic { method, args },
                };
                self.steps.push(Step { action, result: var });
                frame.stack.extend(var.map(KnownValue::Var));
            }
        }
        Ok(())
    }

    fn array(&mut self, element: JavaType, length: i32) -> Result<KnownValue, Refusal> {
        let length = usize::try_from(length).ok().filter(|it| *it <= MOST_STEPS).ok_or("a large array")?;
        let elements = vec![KnownValue::Literal(zero(&element)); length];
        self.arrays.push(PartialArray { element, elements, var: None });
        Ok(KnownValue::Array(self.arrays.len() - 1))
    }

    fn element(&self, array: &KnownValue, index: i32) -> Result<KnownValue, Refusal> {
        let KnownValue::Array(at) = array else {
            return Err("an element of an array that a call returned".into());
        };
        let element = usize::try_from(index).ok().and_then(|index| self.arrays[*at].elements.get(index));
        element.cloned().ok_or_else(|| Refusal::from("an index out of range"))
    }

    fn fill(&mut self, array: &KnownValue, index: i32, value: KnownValue) -> Result<(), Refusal> {
        let KnownValue::Array(at) = array else {
            return Err("an element of an array that a call returned".into());
        };
        let filling = &mut self.arrays[*at];
        if filling.var.is_some() {
            return Err("an element of an array that has been passed on".into());
        }
        let element = usize::try_from(index).ok().and_then(|index| filling.elements.get_mut(index));
        *element.ok_or("an index out of range")? = value;
        Ok(())
    }

    /// What a field of the test class holds: arrays are made where they are kept.
    fn settled(&mut self, value: KnownValue, ty: &JavaType) -> Result<KnownValue, Refusal> {
        match value {
            KnownValue::Array(_) => match self.operand(value, ty)? {
                Operand::Var(var) => Ok(KnownValue::Var(var)),
                Operand::Literal(literal) => Ok(KnownValue::Literal(literal)),
            },
            other => Ok(other),
        }
    }

    fn operand(&mut self, held: KnownValue, ty: &JavaType) -> Result<Operand, Refusal> {
        match held {
            KnownValue::Literal(literal) => Ok(Operand::Literal(fitted(literal, ty))),
            KnownValue::Var(var) => Ok(Operand::Var(var)),
            KnownValue::This => Err("the test itself, which is passed on".into()),
            KnownValue::New(..) => Err("an object that is not made yet".into()),
            KnownValue::Array(at) => {
                if let Some(var) = self.arrays[at].var {
                    return Ok(Operand::Var(var));
                }
                let element = self.arrays[at].element.clone();
                let held = self.arrays[at].elements.clone();
                let elements =
                    held.into_iter().map(|it| self.operand(it, &element)).collect::<Result<_, Refusal>>()?;
                let var = self.variable(JavaType::Array(Box::new(element.clone())));
                self.steps.push(Step { action: Action::NewArray { element, elements }, result: Some(var) });
                self.arrays[at].var = Some(var);
                Ok(Operand::Var(var))
            }
        }
    }

    fn variable(&mut self, ty: JavaType) -> VarId {
        self.variables.push(Variable { ty });
        VarId(self.variables.len() as u32 - 1)
    }

    fn type_of(&self, var: VarId) -> JavaType {
        self.variables.get(var.0 as usize).map_or(JavaType::Void, |it| it.ty.clone())
    }
}

fn method(file: &ClassFile, name: &str, descriptor: &str) -> Option<usize> {
    file.methods.iter().position(|it| *it.name == *name && *it.descriptor == *descriptor)
}

fn dotted(class: &str) -> String {
    class.replace(['/', '$'], ".")
}
