//! Changed constants: 0 and 1 become each other, other numbers grow by 1, a string becomes another one of the class,
//! preferably the empty one.

use super::{Change, Operator, Piece, Replacement, Site};
use cupping_classfile::Opcode::{self, *};
use cupping_classfile::{Action, Constant, FieldType, Instruction, Literal, MethodDescriptor};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "changed constant",
    description: "0 becomes 1, 1 becomes 0, another number `n` becomes `n + 1`, a string another one or empty",
    pit: &["INLINE_CONSTS"],
    is_default: true,
    replacements: |site: &Site<'_>| changed(site).into_iter().collect(),
};

fn changed(site: &Site<'_>) -> Option<Replacement> {
    let literal = match site.instruction.action() {
        Action::Constant => site.instruction.literal(),
        Action::LoadConstant => match site.instruction.constant(site.class)? {
            Constant::String(units) => return other_string(site, &units),
            constant => constant.literal(),
        },
        _ => None,
    };
    if is_result(site) || is_index_of_element(site) {
        return None;
    }
    Some(number(literal?)?.named("INLINE_CONSTS"))
}

/// Whether it is a constant `boolean` result, which another operator changes.
fn is_result(site: &Site<'_>) -> bool {
    let is_returned = site.rest.first().is_some_and(|it| it.opcode == Ireturn);
    let result = || MethodDescriptor::parse(&site.method.descriptor)?.result;
    is_returned && result() == Some(FieldType::Boolean)
}

/// Whether it is the index of an element in an array initialiser: `dup`, index, value, store. The elements
/// themselves are changed.
fn is_index_of_element(site: &Site<'_>) -> bool {
    let is_constant = |it: &Instruction| matches!(it.action(), Action::Constant | Action::LoadConstant);
    let [value, store, ..] = site.rest else { return false };
    let is_stored = is_constant(value) && matches!(store.action(), Action::ArrayStore(_));
    is_stored && site.before.is_some_and(|it| it.opcode == Dup)
}

fn number(literal: Literal) -> Option<Replacement> {
    // The constant, and what adds one to it.
    let (one, zero, add, slots, value, is_one, next) = match literal {
        Literal::Int(value) => {
            let next = if value == 1 { 0 } else { value.wrapping_add(1) };
            return Some(integer(value, next));
        }
        Literal::Long(value) => {
            (Lconst1, Lconst0, Ladd, 2, value.to_string(), value == 1, value.wrapping_add(1).to_string())
        }
        Literal::Float(value) => {
            (Fconst1, Fconst0, Fadd, 1, value.to_string(), value == 1.0, (value + 1.0).to_string())
        }
        Literal::Double(value) => {
            (Dconst1, Dconst0, Dadd, 2, value.to_string(), value == 1.0, (value + 1.0).to_string())
        }
        Literal::Null => return None,
    };
    if value == next {
        // It is so large that it has no successor.
        return None;
    }
    Some(match is_one {
        true => Replacement::bytes(vec![zero as u8], format!("{value} becomes 0")),
        false => added(one, add, slots, format!("{value} becomes {next}")),
    })
}

/// The instruction itself, and what adds one.
fn added(one: Opcode, add: Opcode, slots: u16, what: String) -> Replacement {
    let change = Change::Code(vec![Piece::Original, Piece::Bytes(vec![one as u8, add as u8])]);
    Replacement { change, more_stack: slots, what, pit: None }
}

fn integer(value: i32, next: i32) -> Replacement {
    let what = format!("{value} becomes {next}");
    match (i8::try_from(next), i16::try_from(next)) {
        (Ok(next @ -1..=5), _) => Replacement::bytes(vec![(Iconst0 as i16 + i16::from(next)) as u8], what),
        (Ok(next), _) => Replacement::bytes(vec![Bipush as u8, next as u8], what),
        (_, Ok(next)) => {
            let [high, low] = next.to_be_bytes();
            Replacement::bytes(vec![Sipush as u8, high, low], what)
        }
        _ => added(Iconst1, Iadd, 1, what),
    }
}

fn other_string(site: &Site<'_>, units: &[u16]) -> Option<Replacement> {
    let all = site.strings.of(site.class);
    let empty = all.iter().find(|(_, other)| other.is_empty() && !units.is_empty());
    let (index, other) = empty.or_else(|| all.iter().find(|(_, other)| other != units))?;
    let [high, low] = index.to_be_bytes();
    let what = format!("{} becomes {}", shown(units), shown(other));
    Some(Replacement::bytes(vec![LdcW as u8, high, low], what))
}

/// A string for display, cut where it is long.
fn shown(units: &[u16]) -> String {
    const MOST: usize = 30;
    let text = String::from_utf16_lossy(&units[..units.len().min(MOST)]);
    let more = if units.len() > MOST { "…" } else { "" };
    format!("{text:?}{more}")
}
