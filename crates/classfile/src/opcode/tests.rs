use super::*;

#[test]
fn the_table_is_dense_and_its_own_inverse() {
    for (code, opcode) in (0..=0xC9).zip(Opcode::ALL) {
        assert_eq!(Opcode::from_byte(code), Some(*opcode));
        assert_eq!(*opcode as u8, code);
    }
    assert_eq!(Opcode::ALL.len(), 0xCA);
    assert_eq!((0xCA..=0xFF).find_map(Opcode::from_byte), None);
}

#[test]
fn mnemonics_agree_with_types_and_implied_operands() {
    let letter = |ty: StackType| match ty {
        StackType::Int => 'i',
        StackType::Long => 'l',
        StackType::Float => 'f',
        StackType::Double => 'd',
        StackType::Reference | StackType::Address => 'a',
    };
    for opcode in Opcode::ALL {
        let mnemonic = opcode.mnemonic();
        let of = |ty: Option<StackType>| ty.map(letter);
        match opcode.action() {
            Action::Load | Action::Store | Action::Arithmetic(_) | Action::Negate => {
                assert_eq!(of(opcode.stack_type()), mnemonic.chars().next(), "{mnemonic}");
            }
            Action::Convert => {
                let expected =
                    format!("{}2{}", of(opcode.stack_type()).unwrap(), of(opcode.result_type()).unwrap());
                assert_eq!(mnemonic, expected);
            }
            _ => {}
        }
        if let Some((general, number)) = mnemonic.split_once('_')
            && matches!(opcode.action(), Action::Load | Action::Store)
        {
            assert_eq!(opcode.implied_local(), number.parse().ok(), "{mnemonic}");
            assert_eq!(opcode.general().mnemonic(), general);
        }
    }
}

#[test]
fn opcodes_name_their_literals() {
    for (opcode, literal) in [
        (Opcode::AconstNull, Literal::Null),
        (Opcode::IconstM1, Literal::Int(-1)),
        (Opcode::Iconst5, Literal::Int(5)),
        (Opcode::Lconst1, Literal::Long(1)),
        (Opcode::Fconst2, Literal::Float(2.0)),
        (Opcode::Dconst1, Literal::Double(1.0)),
    ] {
        assert_eq!(opcode.implied_literal(), Some(literal), "{opcode:?}");
    }
    assert_eq!(Opcode::Iload2.implied_literal(), None);
    assert_eq!(Opcode::Bipush.implied_literal(), None);
}

#[test]
fn general_forms_name_everything_by_operands() {
    for (opcode, general) in [
        (Opcode::Ldc2W, Opcode::Ldc),
        (Opcode::LdcW, Opcode::Ldc),
        (Opcode::GotoW, Opcode::Goto),
        (Opcode::JsrW, Opcode::Jsr),
        (Opcode::Aload3, Opcode::Aload),
        (Opcode::Dstore0, Opcode::Dstore),
        (Opcode::Iconst1, Opcode::Iconst1),
        (Opcode::Iadd, Opcode::Iadd),
    ] {
        assert_eq!(opcode.general(), general, "{opcode:?}");
    }
}

#[test]
fn shuffles_move_slots() {
    for (opcode, expected) in [
        (Opcode::Pop, &[1, 2, 3][..]),
        (Opcode::Pop2, &[1, 2]),
        (Opcode::Dup, &[1, 2, 3, 4, 4]),
        (Opcode::DupX1, &[1, 2, 4, 3, 4]),
        (Opcode::DupX2, &[1, 4, 2, 3, 4]),
        (Opcode::Dup2, &[1, 2, 3, 4, 3, 4]),
        (Opcode::Dup2X1, &[1, 3, 4, 2, 3, 4]),
        (Opcode::Dup2X2, &[3, 4, 1, 2, 3, 4]),
        (Opcode::Swap, &[1, 2, 4, 3]),
    ] {
        let Effect::Shuffle(shuffle) = opcode.effect() else { panic!("{opcode:?} is no shuffle") };
        let mut stack = vec![1, 2, 3, 4];
        shuffle.apply(&mut stack).unwrap();
        assert_eq!(stack, expected, "{opcode:?}");
        let mut low = vec![0; usize::from(shuffle.take) - 1];
        assert_eq!(shuffle.apply(&mut low), None);
        assert_eq!(low.len(), usize::from(shuffle.take) - 1);
    }
}

#[test]
fn operators_compute_as_the_jvm_does() {
    assert_eq!(Arithmetic::Divide.ints(i32::MIN, -1), Some(i32::MIN));
    assert_eq!(Arithmetic::Remainder.ints(1, 0), None);
    assert_eq!(Arithmetic::ShiftRightUnsigned.ints(-1, 33), Some(i32::MAX));
    assert_eq!(Arithmetic::ShiftLeft.longs(1, 65), Some(2));
    assert_eq!(Arithmetic::ShiftRight.longs(-4, i64::from(-63_i32)), Some(-2));
    assert_eq!(Arithmetic::And.floats(1.0, 2.0), None);
    assert_eq!(ArrayElement::Char.narrow(-1), 0xFFFF);
    assert_eq!(ArrayElement::Byte.narrow(0x80), -0x80);
}

/// An encoded instruction of this opcode with operands that every form takes; what the disassembler prints for them.
fn sample(opcode: Opcode) -> (Vec<u8>, &'static str) {
    let (operands, printed): (&[u8], _) = match opcode.operand_kind() {
        OperandKind::None => (&[], ""),
        OperandKind::Byte => (&[0xFE], " -2"),
        OperandKind::Short => (&[0xFF, 0xFE], " -2"),
        OperandKind::Local => (&[7], " 7"),
        OperandKind::LocalIncrement => (&[7, 0xFF], " 7, -1"),
        OperandKind::ConstantByte => (&[9], " #9"),
        OperandKind::Constant => (&[0, 9], " #9"),
        OperandKind::InvokeInterface => (&[0, 9, 1, 0], " #9, 1"),
        OperandKind::InvokeDynamic => (&[0, 9, 0, 0], " #9, 0"),
        OperandKind::MultiArray => (&[0, 9, 2], " #9, 2"),
        OperandKind::ArrayType => (&[10], " int"),
        OperandKind::Branch => (&[0, 0], " 0"),
        OperandKind::BranchWide => (&[0, 0, 0, 0], " 0"),
        OperandKind::TableSwitch => (&[0; 19], " { 0: 0, default: 0 }"),
        OperandKind::LookupSwitch => (&[0; 11], " { default: 0 }"),
        OperandKind::Wide => (&[Opcode::Iload as u8, 1, 0], " 256"),
    };
    ([&[opcode as u8], operands].concat(), printed)
}

/// A row suffices for the decoder, the disassembler, and the effect: none of them asks which opcode it has.
#[test]
fn every_row_is_decoded_and_printed_by_its_form() {
    for opcode in Opcode::ALL {
        let (bytes, operands) = sample(*opcode);
        let all: Vec<_> = crate::instructions(&bytes).collect();
        let [Ok(instruction)] = &all[..] else { panic!("{opcode:?}: {all:?}") };
        assert_eq!(instruction.length as usize, bytes.len(), "{opcode:?}");
        let expected = match opcode.action() {
            Action::Wide => Opcode::Iload,
            _ => *opcode,
        };
        assert_eq!(instruction.to_string(), format!("0: {}{operands}", expected.mnemonic()));
        let depends = matches!(
            opcode.action(),
            Action::LoadConstant
                | Action::GetField
                | Action::PutField
                | Action::GetStatic
                | Action::PutStatic
                | Action::Invoke(_)
                | Action::NewMultiArray
        );
        assert_eq!(opcode.effect().slots().is_none(), depends, "{opcode:?}");
    }
}

/// Only the table names opcodes; the rest of this crate works on rows. Tests may name them.
#[test]
fn no_other_file_of_this_crate_names_an_opcode() {
    let names: Vec<String> = Opcode::ALL.iter().map(|opcode| format!("Opcode::{opcode:?}")).collect();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("opcode/table.rs") || path.ends_with("tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let named = |name: &&String| {
                let behind = |at: usize| code[at + name.len()..].chars().next();
                code.match_indices(name.as_str())
                    .any(|(at, _)| !behind(at).is_some_and(char::is_alphanumeric))
            };
            assert_eq!(names.iter().find(named), None, "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 20, "only {files} files were read");
}
