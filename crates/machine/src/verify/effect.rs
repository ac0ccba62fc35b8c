//! Effects of instructions on the types of locals and operands (JVMS §4.10.1.9).

use super::state::TypeState;
use super::types::Type;
use super::{VerifiedBody, Verifier, VerifyResult, bad};
use cupping_classfile::{Constant, Instruction, Opcode, Operand};

/// Types that an instruction pops and pushes, by letter: I, F, J, D, and A for any object.
fn signature(opcode: Opcode) -> Option<(&'static str, &'static str)> {
    use Opcode::*;
    Some(match opcode {
        Nop | Goto | GotoW => ("", ""),
        AconstNull => ("", "N"),
        IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 | Bipush | Sipush => ("", "I"),
        Lconst0 | Lconst1 => ("", "J"),
        Fconst0 | Fconst1 | Fconst2 => ("", "F"),
        Dconst0 | Dconst1 => ("", "D"),
        Iadd | Isub | Imul | Idiv | Irem | Ishl | Ishr | Iushr | Iand | Ior | Ixor => ("II", "I"),
        Ladd | Lsub | Lmul | Ldiv | Lrem | Land | Lor | Lxor => ("JJ", "J"),
        Lshl | Lshr | Lushr => ("JI", "J"),
        Fadd | Fsub | Fmul | Fdiv | Frem => ("FF", "F"),
        Dadd | Dsub | Dmul | Ddiv | Drem => ("DD", "D"),
        Ineg | I2b | I2c | I2s => ("I", "I"),
        Lneg => ("J", "J"),
        Fneg => ("F", "F"),
        Dneg => ("D", "D"),
        I2l => ("I", "J"),
        I2f => ("I", "F"),
        I2d => ("I", "D"),
        L2i => ("J", "I"),
        L2f => ("J", "F"),
        L2d => ("J", "D"),
        F2i => ("F", "I"),
        F2l => ("F", "J"),
        F2d => ("F", "D"),
        D2i => ("D", "I"),
        D2l => ("D", "J"),
        D2f => ("D", "F"),
        Lcmp => ("JJ", "I"),
        Fcmpl | Fcmpg => ("FF", "I"),
        Dcmpl | Dcmpg => ("DD", "I"),
        Ifeq | Ifne | Iflt | Ifge | Ifgt | Ifle | Tableswitch | Lookupswitch => ("I", ""),
        IfIcmpeq | IfIcmpne | IfIcmplt | IfIcmpge | IfIcmpgt | IfIcmple => ("II", ""),
        IfAcmpeq | IfAcmpne => ("AA", ""),
        Ifnull | Ifnonnull => ("A", ""),
        Monitorenter | Monitorexit => ("U", ""),
        _ => return None,
    })
}

/// Descriptors of arrays and the letter of an element, by family of `xaload` and `xastore`.
const ELEMENTS: [(&[&str], char); 8] = [
    (&["[I"], 'I'),
    (&["[J"], 'J'),
    (&["[F"], 'F'),
    (&["[D"], 'D'),
    (&[], 'A'),
    (&["[B", "[Z"], 'I'),
    (&["[C"], 'I'),
    (&["[S"], 'I'),
];

const LETTERS: [char; 5] = ['I', 'J', 'F', 'D', 'A'];

impl Verifier<'_> {
    /// Applies the effect of an instruction. Control flow is left to the caller, including `jsr` and `ret`.
    pub(super) fn effect(
        &mut self,
        body: &VerifiedBody,
        insn: &Instruction,
        state: &mut TypeState,
    ) -> VerifyResult {
        #[cfg(test)]
        let before = state.clone();
        self.apply(body, insn, state)?;
        #[cfg(test)]
        super::tests::compare_with_table(&self.file, insn, &before, state);
        Ok(())
    }

    fn apply(&mut self, body: &VerifiedBody, insn: &Instruction, state: &mut TypeState) -> VerifyResult {
        let opcode = insn.opcode;
        let byte = opcode as u8;
        if let Some((takes, gives)) = signature(opcode) {
            for letter in takes.chars().rev() {
                self.pop_letter(state, letter)?;
            }
            for letter in gives.chars() {
                state.push(letter_type(letter));
            }
        } else {
            match byte {
                18..=20 => self.constant(insn, state)?,
                21..=25 => self.load_local(body, state, byte - 21, local(insn))?,
                26..=45 => self.load_local(body, state, (byte - 26) / 4, ((byte - 26) % 4) as u16)?,
                46..=53 => self.load_element(state, byte - 46)?,
                54..=58 => self.store_local(body, state, byte - 54, local(insn))?,
                59..=78 => self.store_local(body, state, (byte - 59) / 4, ((byte - 59) % 4) as u16)?,
                79..=86 => self.store_element(state, byte - 79)?,
                87..=95 => shuffle(opcode, state)?,
                132 => {
                    let index = local(insn);
                    in_locals(body, index, false)?;
                    if state.local(index as usize) != Type::Int {
                        return Err(bad("Bad local variable type"));
                    }
                }
                172..=177 => self.give_back(body, opcode, state)?,
                178..=181 => self.field(insn, body, state)?,
                182..=186 => self.invocation(insn, body, state)?,
                187..=189 | 192 | 193 | 197 => self.class_operand(insn, state)?,
                190 => {
                    let array = state.pop()?;
                    if !self.types.is_any_array(array) {
                        return Err(bad("Bad type on operand stack in arraylength"));
                    }
                    state.push(Type::Int);
                }
                191 => {
                    let throwable = self.types.class("java/lang/Throwable");
                    let thrown = state.pop()?;
                    self.require(thrown, throwable, "Bad type on operand stack")?;
                }
                _ => return Err(bad(format!("Bad instruction: {:02x}", byte))),
            }
        }
        if state.stack.len() > body.code.max_stack as usize {
            return Err(bad("Operand stack overflow"));
        }
        Ok(())
    }

    /// Pops a value of the type of a letter.
    pub(super) fn pop_letter(&mut self, state: &mut TypeState, letter: char) -> VerifyResult {
        let found = state.pop()?;
        let fits = match letter {
            'A' => matches!(found, Type::Null | Type::Ref(_)),
            'U' => found.is_reference(),
            _ => found == letter_type(letter),
        };
        if fits { Ok(()) } else { Err(bad("Bad type on operand stack")) }
    }

    fn constant(&mut self, insn: &Instruction, state: &mut TypeState) -> VerifyResult {
        let Operand::Constant(index) = insn.operand else { return Err(bad("Bad operand")) };
        let file = self.file.clone();
        let version = file.major_version;
        let ty = match file.constant(index) {
            Ok(Constant::Integer(_)) => Type::Int,
            Ok(Constant::Float(_)) => Type::Float,
            Ok(Constant::Long(_)) => Type::Long,
            Ok(Constant::Double(_)) => Type::Double,
            Ok(Constant::String(_)) => self.types.class("java/lang/String"),
            Ok(Constant::Class(_)) if version >= 49 => self.types.class("java/lang/Class"),
            Ok(Constant::MethodHandle { .. }) if version >= 51 => {
                self.types.class("java/lang/invoke/MethodHandle")
            }
            Ok(Constant::MethodType(_)) if version >= 51 => self.types.class("java/lang/invoke/MethodType"),
            Ok(Constant::Dynamic { descriptor, .. }) if version >= 55 => self.descriptor_type(&descriptor)?,
            _ => return Err(bad(format!("Illegal type at constant pool entry {index}"))),
        };
        if ty.high().is_some() != (insn.opcode == Opcode::Ldc2W) {
            return Err(bad(format!("Illegal type at constant pool entry {index}")));
        }
        state.push(ty);
        Ok(())
    }

    fn load_local(
        &mut self,
        body: &VerifiedBody,
        state: &mut TypeState,
        family: u8,
        index: u16,
    ) -> VerifyResult {
        let letter = LETTERS[family as usize];
        in_locals(body, index, matches!(letter, 'J' | 'D'))?;
        let ty = state.local(index as usize);
        let fits = match letter {
            'A' => ty.is_reference(),
            _ => {
                ty == letter_type(letter)
                    && ty.high().is_none_or(|high| state.local(index as usize + 1) == high)
            }
        };
        if !fits {
            return Err(bad("Bad local variable type"));
        }
        state.push(ty);
        Ok(())
    }

    fn store_local(
        &mut self,
        body: &VerifiedBody,
        state: &mut TypeState,
        family: u8,
        index: u16,
    ) -> VerifyResult {
        let letter = LETTERS[family as usize];
        in_locals(body, index, matches!(letter, 'J' | 'D'))?;
        let ty = state.pop()?;
        let fits = match letter {
            'A' => ty.is_reference() || matches!(ty, Type::Address(_)),
            _ => ty == letter_type(letter),
        };
        if !fits {
            return Err(bad("Bad type on operand stack"));
        }
        state.store(index as usize, ty);
        Ok(())
    }

    fn load_element(&mut self, state: &mut TypeState, family: u8) -> VerifyResult {
        self.pop_letter(state, 'I')?;
        let array = state.pop()?;
        let ty = self.element_of(array, family)?;
        state.push(ty);
        Ok(())
    }

    /// The type of the elements that this family of instructions loads from or stores into an array.
    fn element_of(&mut self, array: Type, family: u8) -> VerifyResult<Type> {
        let (descriptors, letter) = ELEMENTS[family as usize];
        let ty = match letter {
            'A' => self.types.component(array),
            _ => self.types.is_array(array, descriptors).then(|| letter_type(letter)),
        };
        ty.ok_or_else(|| bad("Bad type on operand stack in array instruction"))
    }

    fn store_element(&mut self, state: &mut TypeState, family: u8) -> VerifyResult {
        // Whether the array accepts the object is checked when it is stored.
        let (_, letter) = ELEMENTS[family as usize];
        self.pop_letter(state, letter)?;
        self.pop_letter(state, 'I')?;
        let array = state.pop()?;
        self.element_of(array, family).map(|_| ())
    }

    fn give_back(&mut self, body: &VerifiedBody, opcode: Opcode, state: &mut TypeState) -> VerifyResult {
        let wanted = body.parsed.result.clone();
        let Some(result) = wanted else {
            if opcode != Opcode::Return {
                return Err(bad("Method expects a return value of void"));
            }
            if body.is_constructor() && state.this_uninit {
                return Err(bad("Constructor must call super() or this() before return"));
            }
            return Ok(());
        };
        let expected = self.types.field(&result);
        let fits = match opcode {
            Opcode::Ireturn => expected == Type::Int,
            Opcode::Lreturn => expected == Type::Long,
            Opcode::Freturn => expected == Type::Float,
            Opcode::Dreturn => expected == Type::Double,
            Opcode::Areturn => matches!(expected, Type::Ref(_)),
            _ => false,
        };
        if !fits {
            return Err(bad("Wrong return type in function"));
        }
        let found = state.pop()?;
        self.require(found, expected, "Bad return type")
    }
}

/// `pop` to `swap`.
fn shuffle(opcode: Opcode, state: &mut TypeState) -> VerifyResult {
    use Opcode::*;
    let stack: Vec<Type> = match opcode {
        Pop => {
            state.pop_one()?;
            vec![]
        }
        Pop2 => {
            state.pop_two()?;
            vec![]
        }
        Dup => {
            let a = state.pop_one()?;
            vec![a, a]
        }
        DupX1 => {
            let (a, b) = (state.pop_one()?, state.pop_one()?);
            vec![a, b, a]
        }
        DupX2 => {
            let a = state.pop_one()?;
            let [c, b] = state.pop_two()?;
            vec![a, c, b, a]
        }
        Dup2 => {
            let [b, a] = state.pop_two()?;
            vec![b, a, b, a]
        }
        Dup2X1 => {
            let [b, a] = state.pop_two()?;
            let c = state.pop_one()?;
            vec![b, a, c, b, a]
        }
        Dup2X2 => {
            let [b, a] = state.pop_two()?;
            let [d, c] = state.pop_two()?;
            vec![b, a, d, c, b, a]
        }
        _ => {
            let (a, b) = (state.pop_one()?, state.pop_one()?);
            vec![a, b]
        }
    };
    // Slot by slot, including the halves of longs and doubles.
    state.stack.extend(stack);
    Ok(())
}

/// The type of a letter of [`signature`].
fn letter_type(letter: char) -> Type {
    match letter {
        'I' => Type::Int,
        'J' => Type::Long,
        'F' => Type::Float,
        'D' => Type::Double,
        _ => Type::Null,
    }
}

/// The local that an instruction names.
pub(super) fn local(insn: &Instruction) -> u16 {
    match insn.operand {
        Operand::Local(index) | Operand::LocalIncrement { local: index, .. } => index,
        _ => 0,
    }
}

/// Fails unless the local, or both locals, are in the frame.
pub(super) fn in_locals(body: &VerifiedBody, index: u16, two: bool) -> VerifyResult {
    if index as usize + two as usize >= body.code.max_locals as usize {
        return Err(bad("Local index is invalid"));
    }
    Ok(())
}
