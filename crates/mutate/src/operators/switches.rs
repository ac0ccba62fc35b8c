//! Changed edges of switches: cases that go to the default, two exchanged targets, and PIT's switch mutant, whose
//! cases all go to the default and whose default goes to the first other target.

use super::{Change, Operator, Piece, Replacement, Site};
use cupping_classfile::{Instruction, Operand};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "switch edge",
    description: "cases of a switch go to the default, or two targets are swapped",
    pit: &["EXPERIMENTAL_SWITCH", "REMOVE_SWITCH"],
    is_default: true,
    replacements,
};

fn replacements(site: &Site<'_>) -> Vec<Replacement> {
    let instruction = site.instruction;
    let Some((default, cases)) = edges(instruction) else { return Vec::new() };
    // The other targets, in the order in which the cases name them.
    let mut targets: Vec<u32> = Vec::new();
    for (_, target) in &cases {
        if *target != default && !targets.contains(target) {
            targets.push(*target);
        }
    }
    let keys = |target: u32| shown(cases.iter().filter(|(_, to)| *to == target).map(|(key, _)| *key));
    let mut found = Vec::new();
    if let Some(first) = targets.first().copied().filter(|_| targets.len() > 1) {
        let flip = |target| if target == default { first } else { default };
        let what = "all cases go to the default, and the default to the first case".to_owned();
        found.push(redirected(instruction, flip, what).named("EXPERIMENTAL_SWITCH"));
    }
    for target in &targets {
        let cut = |to| if to == *target { default } else { to };
        let replacement = redirected(instruction, cut, format!("{} goes to the default", keys(*target)));
        let is_one = cases.iter().filter(|(_, to)| to == target).count() == 1;
        found.push(if is_one { replacement.named("REMOVE_SWITCH") } else { replacement });
    }
    for pair in targets.windows(2) {
        let &[one, other] = pair else { continue };
        let exchange = |to| match to {
            to if to == one => other,
            to if to == other => one,
            to => to,
        };
        let what = format!("{} and {} are exchanged", keys(one), keys(other));
        found.push(redirected(instruction, exchange, what));
    }
    found
}

/// The default target and the cases of a switch.
fn edges(instruction: &Instruction) -> Option<(u32, Vec<(i32, u32)>)> {
    match &instruction.operand {
        Operand::TableSwitch { default, low, targets } => {
            let cases = (0..).zip(targets.iter()).map(|(at, target)| (low.wrapping_add(at), *target));
            Some((*default, cases.collect()))
        }
        Operand::LookupSwitch { default, pairs } => Some((*default, pairs.to_vec())),
        _ => None,
    }
}

/// The switch with other targets.
fn redirected(instruction: &Instruction, target: impl Fn(u32) -> u32, what: String) -> Replacement {
    let operand = match &instruction.operand {
        Operand::TableSwitch { default, low, targets } => Operand::TableSwitch {
            default: target(*default),
            low: *low,
            targets: targets.iter().map(|it| target(*it)).collect(),
        },
        Operand::LookupSwitch { default, pairs } => Operand::LookupSwitch {
            default: target(*default),
            pairs: pairs.iter().map(|(key, it)| (*key, target(*it))).collect(),
        },
        other => other.clone(),
    };
    let change = Change::Code(vec![Piece::Jump(instruction.opcode, operand)]);
    Replacement { change, more_stack: 0, what, pit: None }
}

/// Cases for display: `case 1, 2`, at most four of them.
fn shown(keys: impl Iterator<Item = i32>) -> String {
    let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
    let more = if keys.len() > 4 { ", …" } else { "" };
    format!("case {}{more}", keys[..keys.len().min(4)].join(", "))
}
