//! The abstract interpreter, with the domain of known ints, on code made by hand and on all of the JDK's `java.util`.

mod common;

use cupping_classfile::ClassPath;
use cupping_classfile::interpreter::{Decision, Domain, Fixpoint, Frame, FrameMismatch, Site};
use cupping_classfile::{
    Arithmetic, Code, Comparison, ExceptionHandler, InstructionGraph, Literal, Opcode, Program, StackType,
};

/// Ints that are known, or not.
struct Constants;

impl Domain for Constants {
    type Value = Option<i32>;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<Option<i32>, FrameMismatch> {
        Ok(None)
    }

    fn literal(&mut self, _: &Site<'_>, literal: Literal) -> Result<Option<i32>, FrameMismatch> {
        Ok(if let Literal::Int(value) = literal { Some(value) } else { None })
    }

    fn arithmetic(
        &mut self,
        _: &Site<'_>,
        operator: Arithmetic,
        ty: StackType,
        operands: [Option<i32>; 2],
    ) -> Result<Option<i32>, FrameMismatch> {
        let [Some(a), Some(b)] = operands else { return Ok(None) };
        Ok(if ty == StackType::Int { operator.ints(a, b) } else { None })
    }

    fn branch(
        &mut self,
        _: &Site<'_>,
        comparison: Comparison,
        _: StackType,
        first: Option<i32>,
        second: Option<Option<i32>>,
    ) -> Result<Decision, FrameMismatch> {
        let (Some(a), Some(b)) = (first, second.unwrap_or(Some(0))) else { return Ok(Decision::Either) };
        Ok(comparison.holds(a.cmp(&b)).into())
    }

    fn join(&mut self, _: Option<&Option<i32>>, _: Option<&Option<i32>>) -> Option<Option<i32>> {
        Some(None)
    }
}

/// Only the positions of values.
struct Types;

impl Domain for Types {
    type Value = ();
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<(), FrameMismatch> {
        Ok(())
    }

    fn load(&mut self, _: &Site<'_>, _: u16, _: Option<&()>) -> Result<(), FrameMismatch> {
        Ok(())
    }
}

fn program() -> Program {
    let jdk = common::jdk();
    let version = jdk.feature_version();
    Program::new(jdk, ClassPath::open("", version).unwrap())
}

fn code(bytes: &[u8], handlers: &[(u16, u16, u16)]) -> Code {
    let handler = |(start, end, handler): &(u16, u16, u16)| ExceptionHandler {
        start: *start,
        end: *end,
        handler: *handler,
        catch_type: None,
    };
    Code {
        max_stack: 8,
        max_locals: 4,
        bytecode: bytes.to_vec().into(),
        exception_table: handlers.iter().map(handler).collect(),
        line_numbers: Default::default(),
        local_variables: Box::default(),
        stack_map: None,
    }
}

fn constants(bytes: &[u8], handlers: &[(u16, u16, u16)]) -> Vec<Option<Frame<Option<i32>>>> {
    let class = program().require("java/lang/Object").unwrap();
    let graph = InstructionGraph::of(&code(bytes, handlers)).unwrap();
    let entry = Frame { locals: vec![Some(None); 4], stack: Vec::new() };
    Fixpoint::of(&mut Constants, &class, &graph, entry).before
}

fn stack(frame: &Option<Frame<Option<i32>>>) -> Vec<Option<Option<i32>>> {
    frame.as_ref().unwrap().stack.clone()
}

#[test]
fn operands_come_and_go_as_the_table_says() {
    use Opcode::*;
    let bytes = [Iconst2, Iconst3, DupX1, Isub, Imul, I2l, Lneg, L2i, Ireturn].map(|opcode| opcode as u8);
    let before = constants(&bytes, &[]);
    assert_eq!(stack(&before[3]), [Some(Some(3)), Some(Some(2)), Some(Some(3))]);
    assert_eq!(stack(&before[5]), [Some(Some(-3))]);
    // Longs are not followed, and take two slots.
    assert_eq!(stack(&before[6]), [Some(None), None]);
    assert_eq!(stack(&before[8]), [Some(None)]);
}

#[test]
fn decided_branches_leave_the_other_side_unreached() {
    // 0 iconst_0; 1 ifeq 6; 4 iconst_1; 5 ireturn; 6 iconst_2; 7 ireturn
    let before = constants(&[0x03, 0x99, 0, 5, 0x04, 0xac, 0x05, 0xac], &[]);
    let reached: Vec<bool> = before.iter().map(Option::is_some).collect();
    assert_eq!(reached, [true, true, false, false, true, true]);
}

#[test]
fn values_that_differ_at_a_merge_are_unknown() {
    // 0 iconst_1; 1 istore_1; 2 iload_0; 3 ifeq 8; 6 iconst_2; 7 istore_1; 8 iload_1; 9 ireturn
    let before = constants(&[0x04, 0x3c, 0x1a, 0x99, 0, 5, 0x05, 0x3c, 0x1b, 0xac], &[]);
    assert_eq!(before[3].as_ref().unwrap().locals[1], Some(Some(1)));
    assert_eq!(stack(&before[7]), [Some(None)]);
}

#[test]
fn handlers_begin_with_the_exception_alone() {
    // 0 iconst_1; 1 istore_1; 2 iconst_5; 3 ireturn; 4 pop; 5 iload_1; 6 ireturn
    let before = constants(&[0x04, 0x3c, 0x08, 0xac, 0x57, 0x1b, 0xac], &[(2, 4, 4)]);
    assert_eq!(stack(&before[4]), [Some(None)]);
    assert_eq!(stack(&before[6]), [Some(Some(1))]);
}

/// Each reachable instruction of the JDK fits its frame, and the operand stack stays within its limit.
#[test]
fn the_code_of_the_jdk_fits_the_table() {
    let program = program();
    let mut instructions = 0;
    for name in program.classes_of_package("java/util", true).unwrap().iter() {
        let class = program.require(name).unwrap();
        for method in class.methods.iter() {
            let Some(code) = class.code(method).unwrap() else { continue };
            let graph = InstructionGraph::of(code).unwrap();
            let entry = Frame { locals: vec![Some(()); usize::from(code.max_locals)], stack: Vec::new() };
            let found = Fixpoint::of(&mut Types, &class, &graph, entry);
            let place = format!("{name}.{}{}", method.name, method.descriptor);
            for (at, frame) in found.before.iter().enumerate() {
                let Some(frame) = frame else { continue };
                assert!(frame.stack.len() <= usize::from(code.max_stack), "{place}: {at}");
                let successors = &graph.targets[at];
                // A refused instruction would end its path.
                assert!(successors.iter().all(|next| found.before[*next].is_some()), "{place}: {at}");
                instructions += 1;
            }
        }
    }
    assert!(instructions > 100_000, "only {instructions} instructions");
}
