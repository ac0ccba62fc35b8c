//! `java.lang.String` and `java.lang.StringUTF16`.
//!
//! Strings are never compact here, so every character is two bytes of a `byte[]`. These intrinsics read and
//! write the two as one 16-bit value, which keeps the terms of symbolic characters whole.

use super::support::{ZERO, boolean, reference};
use super::{Args, Native, NativeOutcome, VOID, inlined, quick, row, symbolic};
use crate::classes::Kind;
use crate::code::Op;
use crate::exit::{Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Shadow, Value};
use crate::symbols::term_of;
use cupping_term::{Sort, TermId};

const STRING: &str = "java/lang/String";
const UTF16: &str = "java/lang/StringUTF16";

pub(super) const NATIVES: &[Native] = &[
    row(STRING, "intern", "()Ljava/lang/String;", |m, a| {
        let string = a.reference(m, 0);
        reference(m.intern_existing(string))
    }),
    quick(symbolic(STRING, "length", "()I", string_length)),
    row(UTF16, "isBigEndian", "()Z", ZERO),
    inlined(symbolic(UTF16, "length", "([B)I", utf16_length), Op::CountCharacters),
    inlined(symbolic(UTF16, "charAt", "([BI)C", char_at), Op::GetCharacter),
    inlined(symbolic(UTF16, "getChar", "([BI)C", get_char), Op::GetCharacter),
    inlined(symbolic(UTF16, "putChar", "([BII)V", put_char), Op::PutCharacter),
    quick(symbolic("java/lang/StringLatin1", "equals", "([B[B)Z", equals)),
    quick(symbolic(UTF16, "equals", "([B[B)Z", equals)),
];

fn string_length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let value = m.field_ref(args.reference(m, 0), m.classes.well_known.string_value);
    Ok(NativeOutcome::Value(char_length(m, value)))
}

fn utf16_length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let value = args.non_null(m, 0)?;
    Ok(NativeOutcome::Value(char_length(m, value)))
}

fn get_char(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (value, index) = (args.non_null(m, 0)?, args.value(m, 1));
    check_char_index(m, value, index)?;
    let character = char_value(m, value, index.bits as u32);
    let Some(index_term) = term_of(index.shadow) else { return Ok(NativeOutcome::Value(character)) };
    let capacity = m.array_capacity(value) / 2;
    if capacity > m.limits.reasoning_elements {
        m.concretize(index, Kind::Int)?;
        return Ok(NativeOutcome::Value(character));
    }
    let mut term = m.terms.int(0);
    for at in (0..capacity).rev() {
        let element = char_value(m, value, at);
        let (element, position) = (m.term(element, Sort::Bv32), m.terms.int(at as i32));
        let here = m.terms.eq(index_term, position);
        term = if at + 1 == capacity { element } else { m.terms.ite(here, element, term) };
    }
    Ok(NativeOutcome::Value(Value { bits: character.bits, shadow: m.shadow(term) }))
}

/// On a JVM with a compact string, the code for compact strings detects that the index is out of bounds. It
/// runs here for its message, which differs between JDKs.
fn char_at(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (value, index) = (args.non_null(m, 0)?, args.value(m, 1));
    let length = m.array_length(value) / 2;
    if index.shadow != 0 || length_shadow(m, value) != 0 || (index.bits as u32) < length {
        return get_char(m, args);
    }
    let mut compact = Vec::new();
    for at in 0..length {
        match u8::try_from(char_value(m, value, at).bits) {
            Ok(character) => compact.push(character),
            Err(_) => {
                let check = m.jdk_method(UTF16, "checkIndex", "(I[B)V")?;
                return Ok(NativeOutcome::Call(check, vec![index, Value::reference(value)]));
            }
        }
    }
    let compact = m.new_byte_array(&compact)?;
    let method = m.jdk_method("java/lang/StringLatin1", "charAt", "([BI)C")?;
    Ok(NativeOutcome::Call(method, vec![Value::reference(compact), index]))
}

fn put_char(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (value, index, character) = (args.non_null(m, 0)?, args.value(m, 1), args.value(m, 2));
    check_char_index(m, value, index)?;
    m.concretize(index, Kind::Int)?;
    set_char_value(m, value, index.bits as u32, character);
    Ok(VOID)
}

/// Equality of two arrays of characters: if characters are symbolic, one term over all of them.
fn equals(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (left, right) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let lengths = (m.array_length(left), m.array_length(right));
    let shadows = (length_shadow(m, left), length_shadow(m, right));
    if shadows != (0, 0) && left != right {
        let a = Value { bits: lengths.0 as u64, shadow: shadows.0 };
        let b = Value { bits: lengths.1 as u64, shadow: shadows.1 };
        let (a, b) = (m.term(a, Sort::Bv32), m.term(b, Sort::Bv32));
        let condition = m.terms.eq(a, b);
        m.decide_branch(crate::exit::DecisionKind::Branch, condition, lengths.0 == lengths.1)?;
    }
    if lengths.0 != lengths.1 {
        return boolean(false);
    }
    // If both lengths are symbolic, they are equal from here on, but may still have any value.
    let open_length = shadows.0 != 0 && shadows.1 != 0;
    let bytes = if open_length { m.array_capacity(left).min(m.array_capacity(right)) } else { lengths.0 };
    let concrete = left == right || m.byte_array(left) == m.byte_array(right);
    let touched =
        |array: Addr| m.shadows.may_be_within(element_byte(array, 0, 1), element_byte(array, bytes, 1));
    if left == right || !(touched(left) || touched(right)) {
        return boolean(concrete);
    }
    let mut same = m.terms.bool(true);
    let length = char_length(m, left);
    let length = m.term(length, Sort::Bv32);
    for at in 0..bytes / 2 {
        let (a, b) = (char_value(m, left, at), char_value(m, right, at));
        if (a.shadow | b.shadow) == 0 && !open_length {
            if a.bits != b.bits {
                return boolean(false);
            }
            continue;
        }
        let (a, b) = (m.term(a, Sort::Bv32), m.term(b, Sort::Bv32));
        let mut equal = m.terms.eq(a, b);
        if open_length {
            let position = m.terms.int(at as i32);
            let beyond = m.terms.ule(length, position);
            equal = m.terms.or(beyond, equal);
        }
        same = m.terms.and(same, equal);
    }
    let term = m.terms.bool_to_int(same);
    Ok(NativeOutcome::Value(Value { bits: concrete as u64, shadow: m.shadow(term) }))
}

fn length_shadow(m: &Machine, array: Addr) -> Shadow {
    m.heap_shadow((array + 1) as u64 * 8)
}

/// The number of characters in a `byte[]` that holds a string.
pub(super) fn char_length(m: &mut Machine, value: Addr) -> Value {
    let bits = m.array_length(value) as u64 / 2;
    let bytes = length_shadow(m, value);
    let Some(term) = term_of(bytes) else { return Value::concrete(bits) };
    if let Some(known) = m.shadows.length_of(bytes) {
        return Value { bits, shadow: known };
    }
    let one = m.terms.int(1);
    let half = m.terms.ashr(term, one);
    Value { bits, shadow: m.shadow(half) }
}

fn check_char_index(m: &mut Machine, value: Addr, index: Value) -> Step<()> {
    let length = char_length(m, value);
    let within = (index.bits as u32) < length.bits as u32;
    if (index.shadow | length.shadow) != 0 {
        let (i, n) = (m.term(index, Sort::Bv32), m.term(length, Sort::Bv32));
        let condition = m.terms.ult(i, n);
        m.decide_branch(crate::exit::DecisionKind::BoundsCheck, condition, within)?;
    }
    if within {
        return Ok(());
    }
    let message = format!("Index {} out of bounds for length {}", index.bits as i32, length.bits);
    Err(Trap::Raise("java/lang/StringIndexOutOfBoundsException", Some(message)))
}

/// The character at this index of a `byte[]` that holds a string, as an int with its term.
pub(super) fn char_value(m: &mut Machine, value: Addr, index: u32) -> Value {
    let byte = element_byte(value, index, 2);
    let bits = m.memory.read_bytes(byte, 2);
    let (low, high) = (m.heap_shadow(byte), m.heap_shadow(byte + 1));
    if (low | high) == 0 {
        return Value::concrete(bits);
    }
    // Elements of a byte[] are shadowed as the ints that baload pushes.
    let (low, high) = (unsigned_byte(m, low, bits & 0xFF), unsigned_byte(m, high, bits >> 8));
    let eight = m.terms.int(8);
    let high = m.terms.shl(high, eight);
    let term = m.terms.or(low, high);
    Value { bits, shadow: m.shadow(term) }
}

fn unsigned_byte(m: &mut Machine, shadow: Shadow, bits: u64) -> TermId {
    match term_of(shadow) {
        Some(term) => m.terms.narrow_int(Sort::Bv8, false, term),
        None => m.terms.int(bits as i32),
    }
}

/// Sets the character at this index of a `byte[]` that holds a string.
fn set_char_value(m: &mut Machine, value: Addr, index: u32, character: Value) {
    let byte = element_byte(value, index, 2);
    m.memory.write_bytes(byte, 2, character.bits);
    let (low, high) = match term_of(character.shadow) {
        Some(term) => {
            let low = m.terms.narrow_int(Sort::Bv8, true, term);
            let eight = m.terms.int(8);
            let shifted = m.terms.lshr(term, eight);
            let high = m.terms.narrow_int(Sort::Bv8, true, shifted);
            (m.shadow(low), m.shadow(high))
        }
        None => (0, 0),
    };
    m.set_heap_shadow(byte, 1, low);
    m.set_heap_shadow(byte + 1, 1, high);
}
