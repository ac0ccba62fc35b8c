//! A method's instructions for coverage: forms of one opcode unified, with labels and lines.

use cupping_classfile::{Action, ClassFile, Code, Literal, Method, Opcode, Operand, instructions};

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct InstructionNode {
    /// Its offset in the bytecode.
    pub(super) pc: u32,
    /// Its opcode; among the forms of one instruction (`aload_0`, `aload`), the general one.
    pub(super) opcode: Opcode,
    /// The local variable it reads or writes, or the constant it names.
    pub(super) operand: Operand,
    /// Its source line.
    pub(super) line: Option<u32>,
    /// Whether a line of the table begins here.
    pub(super) line_start: bool,
    /// Whether anything refers to this offset: jumps, exception table, line table, variable table.
    pub(super) label: bool,
}

/// A row of the exception table, in indices of nodes.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// First node guarded.
    pub(super) start: usize,
    /// First node behind those.
    pub(super) end: usize,
    /// First node of the handler.
    pub(super) handler: usize,
    /// Internal name of the class caught; everything for `None`.
    pub(super) catch_type: Option<String>,
}

/// A method with a body.
pub(super) struct CoveredBody<'a> {
    pub(super) file: &'a ClassFile,
    pub(super) method: &'a Method,
    pub(super) nodes: Vec<InstructionNode>,
    pub(super) guards: Vec<Guard>,
    /// Node by offset; [`NO_NODE`] inside instructions.
    node_at: Vec<u32>,
}

const NO_NODE: u32 = u32::MAX;

/// Why a method is not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExclusionReason {
    /// Its code is damaged.
    Damaged,
    /// It has subroutines (`jsr`, `ret`), which compilers have not emitted since Java 6.
    Subroutines,
}

impl<'a> CoveredBody<'a> {
    pub(super) fn new(
        file: &'a ClassFile,
        method: &'a Method,
        code: &Code,
    ) -> Result<CoveredBody<'a>, ExclusionReason> {
        let bytes = &code.bytecode;
        let mut body = CoveredBody {
            file,
            method,
            nodes: Vec::with_capacity(bytes.len() / 2),
            guards: Vec::new(),
            node_at: vec![NO_NODE; bytes.len() + 1],
        };
        for instruction in instructions(bytes) {
            let instruction = instruction.map_err(|_| ExclusionReason::Damaged)?;
            if matches!(instruction.action(), Action::Jsr | Action::Ret) {
                return Err(ExclusionReason::Subroutines);
            }
            body.node_at[instruction.pc as usize] = body.nodes.len() as u32;
            let (pc, opcode) = (instruction.pc, instruction.opcode.general());
            // The implicit operand of a short form becomes explicit.
            let operand = match instruction.opcode.implied_local() {
                Some(local) => Operand::Local(local),
                None => instruction.operand,
            };
            body.nodes.push(InstructionNode {
                pc,
                opcode,
                operand,
                line: None,
                line_start: false,
                label: false,
            });
        }
        body.node_at[bytes.len()] = body.nodes.len() as u32;
        body.attach_guards(code).ok_or(ExclusionReason::Damaged)?;
        body.attach_labels(code).ok_or(ExclusionReason::Damaged)?;
        body.attach_lines(code);
        Ok(body)
    }

    /// The node at an offset; the number of nodes for the end of the code.
    pub(super) fn node_at(&self, pc: u32) -> Option<usize> {
        self.node_at.get(pc as usize).copied().filter(|node| *node != NO_NODE).map(|node| node as usize)
    }

    /// The internal name of the superclass; empty for `Object`.
    pub(super) fn super_name(&self) -> &str {
        self.file.super_name.as_deref().unwrap_or("")
    }

    fn attach_guards(&mut self, code: &Code) -> Option<()> {
        for row in &code.exception_table {
            let guard = Guard {
                start: self.node_at(u32::from(row.start))?,
                end: self.node_at(u32::from(row.end))?,
                handler: self.node_at(u32::from(row.handler)).filter(|node| *node < self.nodes.len())?,
                catch_type: row.catch_type.as_deref().map(str::to_owned),
            };
            for node in [guard.start, guard.end, guard.handler] {
                self.label(node);
            }
            self.guards.push(guard);
        }
        Some(())
    }

    fn attach_labels(&mut self, code: &Code) -> Option<()> {
        for node in 0..self.nodes.len() {
            for target in self.nodes[node].targets() {
                let target = self.node_at(target).filter(|target| *target < self.nodes.len())?;
                self.label(target);
            }
        }
        for variable in &code.local_variables {
            for pc in [u32::from(variable.start), u32::from(variable.start) + u32::from(variable.length)] {
                if let Some(node) = self.node_at(pc) {
                    self.label(node);
                }
            }
        }
        Some(())
    }

    fn attach_lines(&mut self, code: &Code) {
        for entry in code.line_numbers.entries() {
            if let Some(node) = self.node_at(u32::from(entry.pc)).filter(|node| *node < self.nodes.len()) {
                let node = &mut self.nodes[node];
                (node.line, node.line_start, node.label) = (Some(u32::from(entry.line)), true, true);
            }
        }
        let mut line = None;
        for node in &mut self.nodes {
            line = node.line.or(line);
            node.line = line;
        }
    }

    fn label(&mut self, node: usize) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.label = true;
        }
    }
}

impl InstructionNode {
    /// Offsets it can jump to: a switch's default first, duplicates kept.
    pub(super) fn targets(&self) -> Vec<u32> {
        self.operand.targets()
    }

    /// The target of a jump that is not a switch.
    pub(super) fn jump(&self) -> Option<u32> {
        match self.operand {
            Operand::Branch(target) => Some(target),
            _ => None,
        }
    }

    /// The local variable that a load or store names.
    pub(super) fn local(&self) -> Option<u16> {
        match self.operand {
            Operand::Local(local) => Some(local),
            _ => None,
        }
    }

    /// The constant pool index that it names.
    pub(super) fn constant(&self) -> Option<u16> {
        match self.operand {
            Operand::Constant(constant) | Operand::InvokeInterface { constant, .. } => Some(constant),
            _ => None,
        }
    }

    /// The number that it pushes if it alone decides: `iconst_2`, `bipush`.
    pub(super) fn literal(&self) -> Option<Literal> {
        match self.operand {
            Operand::Immediate(value) => Some(Literal::Int(i32::from(value))),
            _ => self.opcode.implied_literal(),
        }
    }

    pub(super) fn is_switch(&self) -> bool {
        self.opcode.action() == Action::Switch
    }

    /// Whether it leaves the method, or throws.
    pub(super) fn is_exit(&self) -> bool {
        matches!(self.opcode.action(), Action::Return | Action::Throw)
    }

    pub(super) fn is_invocation(&self) -> bool {
        self.opcode.is_invocation()
    }
}
