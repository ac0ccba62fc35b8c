//! Method bodies for the analyses: instructions by index, handlers, lines.

use cupping_classfile::interpreter::Site;
use cupping_classfile::{ClassFile, Code, Constant, InstructionGraph};
use cupping_machine::{ClassId, Machine, MethodId};
use std::ops::Deref;
use std::sync::Arc;

/// A method body.
#[derive(Debug)]
pub struct AnalysedBody {
    /// The method.
    pub method: MethodId,
    /// Its class.
    pub class: ClassId,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Whether it is static.
    pub is_static: bool,
    /// The class file with its constant pool.
    pub file: Arc<ClassFile>,
    /// Its instructions and their control flow.
    pub graph: InstructionGraph,
    /// The code in the class file.
    pub code: Arc<Code>,
}

/// A body is read like its graph.
impl Deref for AnalysedBody {
    type Target = InstructionGraph;

    fn deref(&self) -> &InstructionGraph {
        &self.graph
    }
}

impl AnalysedBody {
    /// The body of a method; `None` if it has no code, or the code is damaged.
    pub fn of(machine: &Machine, method: MethodId) -> Option<AnalysedBody> {
        let loaded = machine.method(method);
        let file = machine.class(loaded.class).file.clone()?;
        let code = file.code(file.methods.get(loaded.index)?).ok()??.clone();
        let graph = InstructionGraph::of(&code)?;
        Some(AnalysedBody {
            method,
            class: loaded.class,
            name: loaded.name.clone(),
            descriptor: loaded.descriptor.clone(),
            is_static: loaded.is_static(),
            graph,
            code,
            file,
        })
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// The instruction, for the abstract interpreter.
    pub fn site(&self, at: usize) -> Site<'_> {
        Site { class: &self.file, instruction: &self.graph.instructions[at], index: at }
    }

    /// The constant that an instruction refers to.
    pub fn constant(&self, at: usize) -> Option<Constant<'_>> {
        self.instructions.get(at)?.constant(&self.file)
    }

    /// Slots that an instruction pops.
    pub fn pops(&self, at: usize) -> usize {
        self.instructions[at].slots(&self.file).map_or(0, |(pops, _)| usize::from(pops))
    }

    /// The source line of an instruction.
    pub fn line(&self, at: usize) -> Option<u16> {
        self.code.line_at(self.instructions.get(at)?.pc)
    }
}
