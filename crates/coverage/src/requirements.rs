//! Requirements of a class beyond lines and branches: conditions on operands, by instruction.
//!
//! *Boundary*: at each comparison by `<`, `<=`, `>` or `>=`, equal operands, and adjacent operands on the side with
//! the other outcome. `==` and `!=` of numbers require equal operands and both neighbours. *Overflow*: at each
//! addition, subtraction, multiplication, negation, division and increment of ints and longs, operands whose result
//! overflows. *Exception*: each `throw new`, and the exceptions of divisions, array accesses and array sizes that
//! depend on something.

use crate::body::CoveredBody;
use crate::checks::{Arithmetic, Check, CheckSite, Operands};
use crate::filter::FilterResult;
use crate::goals::GoalId;
use crate::operands;
use cupping_classfile::{
    Action, Arithmetic as Operator, Code, Comparison, Constant, Opcode, Operand, StackType,
};
use std::collections::BTreeMap;

/// The kind of requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequirementKind {
    /// Operands at the edge of a comparison.
    Boundary,
    /// Operands of which the result does not fit.
    Overflow,
    /// An exception.
    Exception,
}

/// A requirement at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its kind.
    pub kind: RequirementKind,
    /// Place of the method in the class file.
    pub method: usize,
    /// Offset of the instruction; for an exception that the code creates, of the call of its constructor.
    pub offset: u32,
    /// Its source line, if the class has a line table.
    pub line: Option<u32>,
    /// The requirement in readable form: `index == size - 1`, `a * b overflows`, or the exception's internal name.
    pub text: String,
    /// The number of its probe; exceptions have none, since whoever catches them knows.
    pub probe: Option<u32>,
    /// Its goal; exceptions have none.
    pub goal: Option<GoalId>,
}

/// The requirements of one method: without numbers yet, each with its check, and the places of the checks.
pub(super) struct MethodRequirements {
    /// The requirements.
    pub(super) requirements: Vec<(Requirement, Option<(Check, Operands)>)>,
    /// For each instruction with checks, by offset: the requirements by index. Copies of a `finally` block share
    /// theirs.
    pub(super) sites: BTreeMap<u32, Vec<usize>>,
}

/// Looks for all that is asked of these kinds.
pub(super) fn find(
    body: &CoveredBody<'_>,
    code: &Code,
    filtered: &FilterResult,
    kinds: &[RequirementKind],
) -> MethodRequirements {
    let mut found = MethodRequirements { requirements: Vec::new(), sites: BTreeMap::new() };
    let mut first_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..body.nodes.len() {
        let Some(original) = filtered.counted_as(at) else { continue };
        let node = &body.nodes[at];
        if original != at {
            if let Some(same) = first_of.get(&original) {
                found.sites.insert(node.pc, same.clone());
            }
            continue;
        }
        let asked = requirements_at(body, code, at);
        for RequirementDraft { kind, offset, text, check } in
            asked.into_iter().filter(|it| kinds.contains(&it.kind))
        {
            let place = found.requirements.len();
            let method = usize::from(body.method.index);
            let requirement =
                Requirement { kind, method, offset, line: node.line, text, probe: None, goal: None };
            if check.is_some() {
                found.sites.entry(node.pc).or_default().push(place);
                first_of.entry(at).or_default().push(place);
            }
            found.requirements.push((requirement, check));
        }
    }
    found
}

struct RequirementDraft {
    kind: RequirementKind,
    offset: u32,
    text: String,
    check: Option<(Check, Operands)>,
}

/// The requirements at a node.
fn requirements_at(body: &CoveredBody<'_>, code: &Code, at: usize) -> Vec<RequirementDraft> {
    let opcode = body.nodes[at].opcode;
    let one_or_two = |one: Operands, two: Operands| if operand_slots(opcode) == 1 { one } else { two };
    match (opcode.action(), opcode.stack_type()) {
        // Booleans are compared as well.
        (Action::Branch(Comparison::Equal | Comparison::NotEqual), Some(StackType::Int))
            if operands::may_be_boolean(body, code, at) =>
        {
            Vec::new()
        }
        (Action::Branch(how), Some(StackType::Int)) => {
            comparison(body, code, at, one_or_two(Operands::IntAndZero, Operands::Ints), how)
        }
        (Action::Compare(_), Some(StackType::Long)) => order(body, code, at, Operands::Longs),
        (Action::Compare(_), Some(StackType::Float)) => order(body, code, at, Operands::Floats),
        (Action::Compare(_), _) => order(body, code, at, Operands::Doubles),
        (Action::Arithmetic(operator), Some(ty @ (StackType::Int | StackType::Long))) => {
            let place = if ty == StackType::Int { Operands::Ints } else { Operands::Longs };
            match operator {
                Operator::Add => overflow(body, code, at, Arithmetic::Add, place),
                Operator::Subtract => overflow(body, code, at, Arithmetic::Sub, place),
                Operator::Multiply => overflow(body, code, at, Arithmetic::Mul, place),
                Operator::Divide | Operator::Remainder => division(body, code, at, operator, place),
                _ => Vec::new(),
            }
        }
        (Action::Negate, Some(StackType::Int)) => {
            overflow(body, code, at, Arithmetic::Neg, Operands::IntAndZero)
        }
        (Action::Negate, Some(StackType::Long)) => {
            overflow(body, code, at, Arithmetic::Neg, Operands::LongAndZero)
        }
        (Action::Increment, _) => {
            let Operand::LocalIncrement { local, by } = body.nodes[at].operand else { return Vec::new() };
            let place = Operands::LocalAndConstant(local, i32::from(by));
            overflow(body, code, at, Arithmetic::Add, place)
        }
        (Action::ArrayLoad(_) | Action::ArrayStore(_), _) => {
            exception(body, at, "java/lang/ArrayIndexOutOfBoundsException")
        }
        (Action::NewArray, _) if operands::constant_before(body, at).is_none() => {
            exception(body, at, "java/lang/NegativeArraySizeException")
        }
        (Action::Throw, _) => thrown(body, at),
        _ => Vec::new(),
    }
}

/// Slots of the operands of a branch.
fn operand_slots(opcode: Opcode) -> u16 {
    opcode.effect().slots().map_or(0, |(pops, _)| pops)
}

fn comparison(
    body: &CoveredBody<'_>,
    code: &Code,
    at: usize,
    place: Operands,
    how: Comparison,
) -> Vec<RequirementDraft> {
    let checks: &[Check] = match how {
        Comparison::Less | Comparison::GreaterOrEqual => &[Check::OneBelow, Check::Equal],
        Comparison::Greater | Comparison::LessOrEqual => &[Check::Equal, Check::OneAbove],
        _ => &[Check::OneBelow, Check::Equal, Check::OneAbove],
    };
    let (left, right) = operands::texts(body, code, at, place);
    let is_float = matches!(place, Operands::Floats | Operands::Doubles);
    let text = |check: &Check| match check {
        Check::OneBelow if is_float => format!("{left} just below {right}"),
        Check::OneAbove if is_float => format!("{left} just above {right}"),
        Check::OneBelow => format!("{left} == {}", operands::moved(&right, -1)),
        Check::OneAbove => format!("{left} == {}", operands::moved(&right, 1)),
        _ => format!("{left} == {right}"),
    };
    let (kind, offset) = (RequirementKind::Boundary, body.nodes[at].pc);
    let asked =
        checks.iter().map(|it| RequirementDraft { kind, offset, text: text(it), check: Some((*it, place)) });
    asked.collect()
}

/// A comparison that pushes an int, with a jump on it.
fn order(body: &CoveredBody<'_>, code: &Code, at: usize, place: Operands) -> Vec<RequirementDraft> {
    let jump = body.nodes.get(at + 1).filter(|next| !next.label);
    match jump.map(|jump| (jump.opcode.action(), jump.opcode)) {
        Some((Action::Branch(how), jump))
            if operand_slots(jump) == 1 && jump.stack_type() == Some(StackType::Int) =>
        {
            comparison(body, code, at, place, how)
        }
        _ => Vec::new(),
    }
}

fn overflow(
    body: &CoveredBody<'_>,
    code: &Code,
    at: usize,
    arithmetic: Arithmetic,
    place: Operands,
) -> Vec<RequirementDraft> {
    let (left, right) = operands::texts(body, code, at, place);
    let text = match arithmetic {
        Arithmetic::Add => format!("{left} + {right} overflows"),
        Arithmetic::Sub => format!("{left} - {right} overflows"),
        Arithmetic::Mul => format!("{left} * {right} overflows"),
        Arithmetic::Neg => format!("-{left} overflows"),
        Arithmetic::Div => format!("{left} / {right} overflows"),
    };
    let check = Some((Check::Overflow(arithmetic), place));
    vec![RequirementDraft { kind: RequirementKind::Overflow, offset: body.nodes[at].pc, text, check }]
}

/// The requirements of a quotient; for a remainder only that the divisor is zero, since the remainder of the least
/// value by -1 is 0.
fn division(
    body: &CoveredBody<'_>,
    code: &Code,
    at: usize,
    operator: Operator,
    place: Operands,
) -> Vec<RequirementDraft> {
    let known = operands::constant_before(body, at);
    let mut asked = Vec::new();
    if operator == Operator::Divide && known.is_none_or(|by| by == -1) {
        asked.extend(overflow(body, code, at, Arithmetic::Div, place));
    }
    if known.is_none_or(|by| by == 0) {
        asked.extend(exception(body, at, "java/lang/ArithmeticException"));
    }
    asked
}

fn exception(body: &CoveredBody<'_>, at: usize, class: &str) -> Vec<RequirementDraft> {
    let (kind, offset) = (RequirementKind::Exception, body.nodes[at].pc);
    vec![RequirementDraft { kind, offset, text: class.to_owned(), check: None }]
}

/// `throw new`: the constructor's call comes right before.
fn thrown(body: &CoveredBody<'_>, at: usize) -> Vec<RequirementDraft> {
    let Some(call) = at.checked_sub(1).filter(|_| !body.nodes[at].label) else { return Vec::new() };
    let constant = body.nodes[call].constant().and_then(|constant| body.file.constant(constant).ok());
    match constant {
        Some(Constant::Method { class, name, .. }) if name == "<init>" => exception(body, call, &class),
        _ => Vec::new(),
    }
}

/// The plan of a method's checks, once probes have numbers.
pub(super) fn plan(found: &MethodRequirements, probe_of: &[Option<u32>]) -> BTreeMap<u32, CheckSite> {
    let site = |places: &Vec<usize>| {
        let mut checks = Vec::new();
        let mut operands = None;
        for place in places {
            let (Some((check, from)), Some(probe)) = (found.requirements[*place].1, probe_of[*place]) else {
                continue;
            };
            checks.push((probe, check));
            operands = Some(from);
        }
        Some(CheckSite { operands: operands?, checks })
    };
    found.sites.iter().filter_map(|(offset, places)| Some((*offset, site(places)?))).collect()
}
