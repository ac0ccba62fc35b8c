//! Reads the code of a set-up: its effects on the test class are tracked, its effects on other objects become
//! steps.

use super::domain::{OwnMethods, SetupDomain, depends_on_a_run};
use super::prelude::Prelude;
use super::recording::{MOST_STEPS, Recording, dotted};
use super::refusal::SetupRefusal;
use super::values::KnownValue;
use cupping_classfile::interpreter::{CalledMethod, Flow, Frame, Site, step};
use cupping_classfile::{ClassFile, Instruction, Invocation, Program, StackType, descriptor, instructions};

/// Limit on the instructions that are read: loops with known bounds are unrolled.
const MOST_INSTRUCTIONS: usize = 20_000;
/// Methods of the test class within each other.
const DEEPEST: u32 = 16;

pub struct SetupReader<'a> {
    program: &'a Program,
    recording: Recording,
    /// Instructions read so far.
    read: usize,
}

impl<'a> SetupReader<'a> {
    pub fn new(program: &'a Program, family: Vec<String>) -> SetupReader<'a> {
        SetupReader { program, recording: Recording::new(family), read: 0 }
    }

    /// The result of reading, as the prelude of this name.
    pub fn finish(self, name: String) -> Prelude {
        self.recording.finish(name)
    }

    /// Initialises the test class and makes its object.
    pub fn construct(&mut self, class: &str) -> Result<(), SetupRefusal> {
        for name in self.recording.family.clone().iter().rev() {
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

    /// Reads a method of the test class.
    pub fn run(
        &mut self,
        file: &ClassFile,
        at: usize,
        arguments: Vec<KnownValue>,
        depth: u32,
    ) -> Result<Option<KnownValue>, SetupRefusal> {
        let declared = &file.methods[at];
        let here = |line: Option<u16>| {
            let line = line.map_or(String::new(), |line| format!(":{line}"));
            format!("{}.{}{line}", dotted(&file.name), declared.name)
        };
        let code = file.code(declared).ok().flatten().ok_or_else(|| format!("{} has no code", here(None)))?;
        if depth > DEEPEST {
            return Err(SetupRefusal::Placed(format!("{} calls itself too often", here(None))));
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
            let told = if self.read > MOST_INSTRUCTIONS || self.recording.steps.len() > MOST_STEPS {
                Err("too many steps".into())
            } else {
                let site = Site { class: file, instruction, index: next };
                step(&mut SetupDomain { methods: self, depth }, &mut frame, &site)
            };
            let placed =
                |why: SetupRefusal| SetupRefusal::Placed(why.at(&here(code.line_at(instruction.pc))));
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
}

impl OwnMethods for SetupReader<'_> {
    fn recording(&mut self) -> &mut Recording {
        &mut self.recording
    }

    fn own_call(
        &mut self,
        call: &CalledMethod<'_>,
        operands: Vec<KnownValue>,
        depth: u32,
    ) -> Result<Option<KnownValue>, SetupRefusal> {
        let is_special = call.how == Invocation::Special;
        let found = self.recording.family.iter().skip_while(|it| is_special && **it != *call.class);
        for name_of_class in found.cloned().collect::<Vec<String>>() {
            let file = self.program.require(&name_of_class).map_err(|error| error.to_string())?;
            let Some(at) = method(&file, call.name, call.descriptor) else { continue };
            return self.run(&file, at, operands, depth + 1);
        }
        Err(format!("there is no method {}.{}", dotted(call.class), call.name).into())
    }
}

fn method(file: &ClassFile, name: &str, descriptor: &str) -> Option<usize> {
    file.methods.iter().position(|it| *it.name == *name && *it.descriptor == *descriptor)
}
