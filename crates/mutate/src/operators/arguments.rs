//! Exchange of neighbouring arguments of the same type, among the last three: no instruction reaches further down
//! the operand stack.

use super::invocation::Invocation;
use super::{Change, Operator, Piece, Replacement, Site};
use cupping_classfile::Opcode::{self, Dup2X1, Dup2X2, DupX2, Pop, Pop2, Swap};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "swapped arguments",
    description: "two adjacent arguments of the same type are swapped",
    pit: &[],
    is_default: true,
    replacements: |site: &Site<'_>| Invocation::of(site).map_or_else(Vec::new, |call| swapped(&call)),
};

fn swapped(call: &Invocation) -> Vec<Replacement> {
    let arguments = &call.operands[usize::from(call.has_receiver)..];
    let pairs = (0..arguments.len().saturating_sub(1)).filter(|at| arguments[*at] == arguments[at + 1]);
    let slots = |at: usize| arguments.get(at).map(|ty| ty.slots());
    pairs
        .filter_map(|at| {
            let (moves, more_stack): (&[Opcode], u16) = match (slots(at + 1)?, slots(at + 2), slots(at + 3)) {
                (1, None, _) => (&[Swap], 0),
                (2, None, _) => (&[Dup2X2, Pop2], 2),
                (1, Some(1), None) => (&[DupX2, Pop, Swap, Dup2X1, Pop2], 2),
                (1, Some(2), None) => (&[Dup2X2, Pop2, Swap, Dup2X2, Pop2], 2),
                _ => return None,
            };
            let moves = moves.iter().map(|it| *it as u8).collect();
            Some(Replacement {
                change: Change::Code(vec![Piece::Bytes(moves), Piece::Original]),
                more_stack,
                what: format!("arguments {} and {} of {} are swapped", at + 1, at + 2, call.shown),
                pit: None,
            })
        })
        .collect()
}
