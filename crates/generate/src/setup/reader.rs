//! Reads the code of a set-up: what it does to the test class is kept in mind, what it does to others become steps.

use super::Prelude;
use super::domain::{Reading, depends_on_a_run};
use super::refusal::Refusal;
use super::values::{KnownValue, PartialArray, fitted, zero};
use cupping_case::{Action, JavaType, Operand, Step, VarId, Variable};
use cupping_classfile::interpreter::{Call, Flow, Frame, Site, step};
use cupping_classfile::{ClassFile, Instruction, Invocation, Program, StackType, descriptor, instructions};
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
    pub(super) family: Vec<String>,
    pub(super) steps: Vec<Step>,
    variables: Vec<Variable>,
    pub(super) fields: BTreeMap<(bool, String), KnownValue>,
    pub(super) arrays: Vec<PartialArray>,
    pub(super) news: usize,
    read: usize,
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
        let mut frame = Frame::default();
        let mut local = 0;
        let is_static = declared.access.is_static();
        let parameters = descriptor::parameters(&declared.descriptor).into_iter().flatten().flatten();
        let types = parameters.filter_map(StackType::of_descriptor);
        let receiver = (!is_static).then_some(StackType::Reference);
        for (argument, ty) in arguments.into_iter().zip(receiver.into_iter().chain(types)) {
            frame.set_local(local, Some(argument), ty.slots());
            local += ty.slots();
        }
        let mut next = 0;
        while let Some(instruction) = all.get(next) {
            self.read += 1;
            let told = if self.read > MOST_INSTRUCTIONS || self.steps.len() > MOST_STEPS {
                Err("too many steps".into())
            } else {
                let site = Site { class: file, instruction, index: next };
                step(&mut Reading { reader: self, depth }, &mut frame, &site)
            };
            let placed = |why: Refusal| Refusal::Placed(why.at(&here(code.line_at(instruction.pc))));
            match told.map_err(placed)? {
                Flow::All | Flow::Next => next += 1,
                Flow::To(pc) => next = all.binary_search_by_key(&pc, |it| it.pc).unwrap_or(all.len()),
                Flow::Return(held) => return Ok(held),
                Flow::Throw(_) => return Err(placed("an exception".into())),
                Flow::Stop => return Err(placed(depends_on_a_run(instruction))),
            }
        }
        Ok(None)
    }

    /// Reads a call of a method of the test class.
    pub(super) fn own_call(
        &mut self,
        call: &Call<'_>,
        operands: Vec<KnownValue>,
        depth: u32,
    ) -> Result<Option<KnownValue>, Refusal> {
        let is_special = call.how == Invocation::Special;
        let found = self.family.iter().skip_while(|it| is_special && **it != *call.class);
        for name_of_class in found.cloned().collect::<Vec<String>>() {
            let file = self.program.require(&name_of_class).map_err(|error| error.to_string())?;
            let Some(at) = method(&file, call.name, call.descriptor) else { continue };
            return self.run(&file, at, operands, depth + 1);
        }
        Err(format!("there is no method {}.{}", dotted(call.class), call.name).into())
    }

    pub(super) fn array(&mut self, element: JavaType, length: i32) -> Result<KnownValue, Refusal> {
        let length = usize::try_from(length).ok().filter(|it| *it <= MOST_STEPS).ok_or("a large array")?;
        let elements = vec![KnownValue::Literal(zero(&element)); length];
        self.arrays.push(PartialArray { element, elements, var: None });
        Ok(KnownValue::Array(self.arrays.len() - 1))
    }

    pub(super) fn element(&self, array: &KnownValue, index: i32) -> Result<KnownValue, Refusal> {
        let KnownValue::Array(at) = array else {
            return Err("an element of an array that a call returned".into());
        };
        let element = usize::try_from(index).ok().and_then(|index| self.arrays[*at].elements.get(index));
        element.cloned().ok_or_else(|| Refusal::from("an index out of range"))
    }

    pub(super) fn fill(&mut self, array: &KnownValue, index: i32, value: KnownValue) -> Result<(), Refusal> {
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
    pub(super) fn settled(&mut self, value: KnownValue, ty: &JavaType) -> Result<KnownValue, Refusal> {
        match value {
            KnownValue::Array(_) => match self.operand(value, ty)? {
                Operand::Var(var) => Ok(KnownValue::Var(var)),
                Operand::Literal(literal) => Ok(KnownValue::Literal(literal)),
            },
            other => Ok(other),
        }
    }

    pub(super) fn operand(&mut self, held: KnownValue, ty: &JavaType) -> Result<Operand, Refusal> {
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

    pub(super) fn variable(&mut self, ty: JavaType) -> VarId {
        self.variables.push(Variable { ty });
        VarId(self.variables.len() as u32 - 1)
    }
}

fn method(file: &ClassFile, name: &str, descriptor: &str) -> Option<usize> {
    file.methods.iter().position(|it| *it.name == *name && *it.descriptor == *descriptor)
}

pub(super) fn dotted(class: &str) -> String {
    class.replace(['/', '$'], ".")
}
