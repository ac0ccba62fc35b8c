//! Method bodies for the analyses: instructions by index, handlers, lines.

use cupping_classfile::{ClassFile, Code, Constant, Instruction, Opcode, Operand, instructions};
use cupping_machine::{ClassId, Machine, MethodId};
use std::sync::Arc;

/// An exception handler; positions are instruction indices.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The first guarded instruction.
    pub start: usize,
    /// The instruction after the last guarded one.
    pub end: usize,
    /// The first instruction of the handler.
    pub target: usize,
    /// Internal name of the caught class; `None` for all.
    pub catches: Option<Arc<str>>,
}

/// A method body.
#[derive(Debug)]
pub struct Body {
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
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// The successors of each instruction.
    pub targets: Vec<Vec<usize>>,
    /// Its handlers in order of precedence.
    pub handlers: Vec<Handler>,
    /// The code in the class file.
    pub code: Arc<Code>,
}

impl Body {
    /// The body of a method; `None` if it has no code, or the code is damaged.
    pub fn of(machine: &Machine, method: MethodId) -> Option<Body> {
        let loaded = machine.method(method);
        let file = machine.class(loaded.class).file.clone()?;
        let code = file.code(file.methods.get(loaded.index)?).ok()??.clone();
        let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
        let place = |pc: u32| all.binary_search_by_key(&pc, |i| i.pc).ok();
        let behind = |pc: u32| if pc as usize == code.bytecode.len() { Some(all.len()) } else { place(pc) };
        let mut targets = Vec::with_capacity(all.len());
        for (at, instruction) in all.iter().enumerate() {
            let mut next = Vec::new();
            if !instruction.opcode.ends_path() {
                next.push(at + 1);
            }
            for target in instruction.targets() {
                next.push(place(target)?);
            }
            next.dedup();
            targets.push(next);
        }
        let handlers = code.exception_table.iter().map(|h| {
            Some(Handler {
                start: place(h.start.into())?,
                end: behind(h.end.into())?,
                target: place(h.handler.into())?,
                catches: h.catch_type.clone(),
            })
        });
        let handlers = handlers.collect::<Option<Vec<_>>>()?;
        // The verifier rejects code that runs off its end; here it would be an invalid index.
        if targets.iter().flatten().any(|t| *t >= all.len()) {
            return None;
        }
        Some(Body {
            method,
            class: loaded.class,
            name: loaded.name.clone(),
            descriptor: loaded.descriptor.clone(),
            is_static: loaded.is_static(),
            instructions: all,
            targets,
            handlers,
            code,
            file,
        })
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// The constant that an instruction refers to.
    pub fn constant(&self, at: usize) -> Option<Constant<'_>> {
        let index = match self.instructions.get(at)?.operand {
            Operand::Constant(index)
            | Operand::InvokeInterface { constant: index, .. }
            | Operand::MultiArray { constant: index, .. } => index,
            _ => return None,
        };
        self.file.constant(index).ok()
    }

    /// The source line of an instruction.
    pub fn line(&self, at: usize) -> Option<u16> {
        self.code.line_at(self.instructions.get(at)?.pc)
    }

    /// The instruction at an offset.
    pub fn at_offset(&self, pc: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |i| i.pc).ok()
    }

    /// The local variable that an instruction accesses.
    pub fn local(&self, at: usize) -> Option<u16> {
        local(&self.instructions[at])
    }

    /// The handlers that guard an instruction, in order.
    pub fn guards(&self, at: usize) -> impl Iterator<Item = &Handler> {
        self.handlers.iter().filter(move |h| (h.start..h.end).contains(&at))
    }
}

/// Whether the opcode returns from the method.
pub fn returns(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Ireturn | Lreturn | Freturn | Dreturn | Areturn | Return)
}

/// Whether an instruction may throw.
pub fn may_throw(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Idiv | Ldiv
            | Irem
            | Lrem
            | Getfield
            | Putfield
            | Getstatic
            | Putstatic
            | Invokevirtual
            | Invokespecial
            | Invokestatic
            | Invokeinterface
            | Invokedynamic
            | New
            | Newarray
            | Anewarray
            | Multianewarray
            | Arraylength
            | Athrow
            | Checkcast
            | Monitorenter
            | Monitorexit
    ) || array_access(opcode).is_some()
}

/// For an array access: whether it is a store, and the number of slots of the value.
pub fn array_access(opcode: Opcode) -> Option<(bool, usize)> {
    use Opcode::*;
    Some(match opcode {
        Laload | Daload => (false, 2),
        Iaload | Faload | Aaload | Baload | Caload | Saload => (false, 1),
        Lastore | Dastore => (true, 2),
        Iastore | Fastore | Aastore | Bastore | Castore | Sastore => (true, 1),
        _ => return None,
    })
}

/// The local variable that an instruction accesses.
pub fn local(instruction: &Instruction) -> Option<u16> {
    match instruction.operand {
        Operand::Local(local) | Operand::LocalIncrement { local, .. } => return Some(local),
        _ => {}
    }
    let code = instruction.opcode as u8;
    match code {
        0x1a..=0x2d => Some(u16::from(code - 0x1a) % 4),
        0x3b..=0x4e => Some(u16::from(code - 0x3b) % 4),
        _ => None,
    }
}

/// Whether an instruction stores into a local variable.
pub fn stores_local(opcode: Opcode) -> bool {
    let code = opcode as u8;
    (0x36..=0x3a).contains(&code) || (0x3b..=0x4e).contains(&code) || opcode == Opcode::Iinc
}
