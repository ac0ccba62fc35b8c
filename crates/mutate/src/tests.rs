use super::*;
use crate::operators::{Change, Piece};
use cupping_classfile::{ExceptionHandler, LineNumber, Opcode, instructions};

/// A method body with one exception handler, and one line per instruction.
fn body(bytes: &[u8]) -> Code {
    let lines = instructions(bytes).map(|it| it.unwrap().pc as u16);
    Code {
        max_stack: 2,
        max_locals: 1,
        bytecode: bytes.to_vec().into(),
        exception_table: Box::new([ExceptionHandler {
            start: 0,
            end: bytes.len() as u16,
            handler: 0,
            catch_type: None,
        }]),
        line_numbers: lines.enumerate().map(|(at, pc)| LineNumber { pc, line: at as u16 + 1 }).collect(),
        local_variables: Box::default(),
        stack_map: None,
    }
}

/// The body with instructions that do not jump in the place of another.
fn replaced(code: &Code, pc: u32, bytes: &[u8], more_stack: u16) -> Option<Code> {
    rewrite::apply(code, pc, &Change::Code(vec![Piece::Bytes(bytes.to_vec())]), more_stack)
}

/// Opcodes with their jump targets as instruction indices.
fn listing(code: &Code) -> Vec<(Opcode, Vec<usize>)> {
    let all: Vec<Instruction> = instructions(&code.bytecode).map(|it| it.unwrap()).collect();
    let place = |pc: u32| all.iter().position(|it| it.pc == pc).expect("a jump to an instruction");
    all.iter().map(|it| (it.opcode, it.targets().into_iter().map(place).collect())).collect()
}

#[test]
fn jumps_over_a_longer_replacement_arrive() {
    use Opcode::*;
    // 0 iload_0; 1 ifeq 6; 4 iconst_1; 5 ireturn; 6 iconst_0; 7 ireturn
    let code = body(&[0x1a, 0x99, 0, 5, 0x04, 0xac, 0x03, 0xac]);
    let bytes = [Iconst1 as u8, Ixor as u8, Ireturn as u8];
    let changed = replaced(&code, 5, &bytes, 1).unwrap();
    let expected = [
        (Iload0, vec![]),
        (Ifeq, vec![6]),
        (Iconst1, vec![]),
        (Iconst1, vec![]),
        (Ixor, vec![]),
        (Ireturn, vec![]),
        (Iconst0, vec![]),
        (Ireturn, vec![]),
    ];
    assert_eq!(listing(&changed), expected);
    assert_eq!(changed.max_stack, 3);
    assert_eq!(changed.exception_table[0].end, 10);
    let lines: Vec<u16> = changed.line_numbers.entries().iter().map(|it| it.pc).collect();
    assert_eq!(lines, [0, 1, 4, 5, 8, 9]);
}

#[test]
fn switches_are_padded_anew() {
    use Opcode::*;
    // 0 iload_0; 1 tableswitch to 24 (default) and 26 (0); 20..23 is the low..: laid out by hand below.
    let mut bytes = vec![Iload0 as u8, Tableswitch as u8, 0, 0];
    for operand in [23, 0, 0, 19i32] {
        bytes.extend(operand.to_be_bytes());
    }
    // pc 20: iconst_1 ireturn nop nop; pc 24: iconst_0 ireturn.
    bytes.extend([Iconst1, Ireturn, Nop, Nop, Iconst0, Ireturn].map(|it| it as u8));
    let code = body(&bytes);
    assert_eq!(listing(&code)[1], (Tableswitch, vec![6, 2]));
    for more in 0..5 {
        let mut in_place = vec![Nop as u8; more];
        in_place.push(Iload0 as u8);
        let changed = replaced(&code, 0, &in_place, 0).unwrap();
        assert_eq!(listing(&changed)[more + 1], (Tableswitch, vec![more + 6, more + 2]));
    }
}

#[test]
fn a_jump_that_becomes_too_long_is_no_mutant() {
    use Opcode::*;
    let mut bytes = vec![Goto as u8, 0x7f, 0xff];
    bytes.resize(32_767, Nop as u8);
    bytes.push(Return as u8);
    let code = body(&bytes);
    assert!(replaced(&code, 4, &[Nop as u8], 0).is_some());
    assert!(replaced(&code, 4, &[Nop as u8; 2], 0).is_none());
}

#[test]
fn a_jump_may_be_added_and_removed() {
    use Opcode::*;
    // 0 iload_0; 1 ifeq 6; 4 iconst_1; 5 ireturn; 6 iconst_0; 7 ireturn
    let code = body(&[0x1a, 0x99, 0, 5, 0x04, 0xac, 0x03, 0xac]);
    let pop = || Piece::Bytes(vec![Pop as u8]);
    let never = rewrite::apply(&code, 1, &Change::Code(vec![pop()]), 0).unwrap();
    let opcodes: Vec<Opcode> = listing(&never).into_iter().map(|it| it.0).collect();
    assert_eq!(opcodes, [Iload0, Pop, Iconst1, Ireturn, Iconst0, Ireturn]);
    let goto = Piece::Jump(Goto, cupping_classfile::Operand::Branch(6));
    let change = Change::Code(vec![pop(), goto]);
    let always = rewrite::apply(&code, 1, &change, 0).unwrap();
    assert_eq!(listing(&always)[2], (Goto, vec![5]));
    let addresses = rewrite::addresses(&code, 1, &change).unwrap();
    assert_eq!(
        addresses.into_iter().collect::<Vec<_>>(),
        [(0, 0), (1, 1), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9)]
    );
}

#[test]
fn a_handler_may_be_dropped() {
    let code = body(&[Opcode::Return as u8]);
    let changed = rewrite::apply(&code, 0, &Change::Handlers(vec![0]), 0).unwrap();
    assert!(changed.exception_table.is_empty());
    assert_eq!(changed.bytecode, code.bytecode);
}

#[test]
fn every_operator_has_a_name_of_its_own() {
    let mut names: Vec<&str> = operators::ALL.iter().map(|it| it.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), operators::ALL.len());
}

#[test]
fn what_is_replaced_in_place_is_what_a_new_layout_gives() {
    let jdk = cupping_classfile::Jdk::locate(None).unwrap();
    let program = cupping_classfile::Program::new(jdk, Default::default());
    let mut compared = 0;
    for name in
        ["java/util/ArrayList", "java/lang/Character", "java/util/regex/Pattern", "java/util/Formatter"]
    {
        let class = program.require(name).unwrap();
        for mutant in mutants_of(&class, &Selection::default()).unwrap().iter().step_by(3) {
            let Change::Code(pieces) = &mutant.replacement.change else { continue };
            let body = class.code(&class.methods[mutant.method]).unwrap().unwrap();
            let anew = rewrite::laid_out_anew(body, mutant.pc, pieces, mutant.replacement.more_stack);
            assert_eq!(mutant.code(&class).unwrap(), anew, "{name} {} {}", mutant.pc, mutant.description());
            compared += 1;
        }
    }
    assert!(compared > 1_000, "{compared}");
}
