//! What is asked of a class beside its lines and branches: where, and what.
//!
//! *Boundary*: at each comparison by `<`, `<=`, `>` or `>=`, operands that are equal, and operands that are
//! next to each other on the side where the outcome is another. `==` and `!=` of numbers ask for equal
//! operands and for both neighbours. *Overflow*: at each addition, subtraction, multiplication, negation,
//! division and increment of ints and longs, operands of which the result does not fit. *Exception*: each
//! `throw new`, and the exceptions of divisions, array accesses and array sizes that depend on something.

use crate::body::Body;
use crate::checks::{Arithmetic, Check, CheckSite, Operands};
use crate::filter::Filtered;
use crate::goals::GoalId;
use crate::operands;
use cupping_classfile::{Code, Constant, Opcode, Operand};
use std::collections::BTreeMap;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequirementKind {
    /// Operands at the edge of a comparison.
    Boundary,
    /// Operands of which the result does not fit.
    Overflow,
    /// An exception.
    Exception,
}

/// Something that is asked for at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Of what kind it is.
    pub kind: RequirementKind,
    /// Place of the method in the class file.
    pub method: usize,
    /// Offset of the instruction; of an exception that the code makes, of the call of its constructor.
    pub offset: u32,
    /// Its source line, if the class has a line table.
    pub line: Option<u32>,
    /// What is asked for, readable: `index == size - 1`, `a * b overflows`, or the exception's internal name.
    pub text: String,
    /// The number of its probe; exceptions have none, who catches them knows.
    pub probe: Option<u32>,
    /// Its goal; exceptions have none.
    pub goal: Option<GoalId>,
}

/// What one method asks for: requirements without numbers yet, each with its check, and the places of the checks.
pub(super) struct Found {
    /// The requirements.
    pub(super) requirements: Vec<(Requirement, Option<(Check, Operands)>)>,
    /// For each instruction with checks, by offset: the requirements by place. Copies of a `finally` block
    /// share theirs.
    pub(super) sites: BTreeMap<u32, Vec<usize>>,
}

/// Looks for all that is asked of these kinds.
pub(super) fn find(body: &Body<'_>, code: &Code, filtered: &Filtered, kinds: &[RequirementKind]) -> Found {
    let mut found = Found { requirements: Vec::new(), sites: BTreeMap::new() };
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
        let asked = asked(body, code, at);
        for Asked { kind, offset, text, check } in asked.into_iter().filter(|it| kinds.contains(&it.kind)) {
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

struct Asked {
    kind: RequirementKind,
    offset: u32,
    text: String,
    check: Option<(Check, Operands)>,
}

/// What is asked at a node.
fn asked(body: &Body<'_>, code: &Code, at: usize) -> Vec<Asked> {
    use Opcode::*;
    let opcode = body.nodes[at].opcode;
    match opcode {
        Iflt | Ifge | Ifgt | Ifle => comparison(body, code, at, Operands::IntAndZero, opcode),
        Ifeq | Ifne if !operands::may_be_boolean(body, code, at) => {
            comparison(body, code, at, Operands::IntAndZero, opcode)
        }
        IfIcmplt | IfIcmpge | IfIcmpgt | IfIcmple => comparison(body, code, at, Operands::Ints, opcode),
        IfIcmpeq | IfIcmpne if !operands::may_be_boolean(body, code, at) => {
            comparison(body, code, at, Operands::Ints, opcode)
        }
        Lcmp => order(body, code, at, Operands::Longs),
        Fcmpl | Fcmpg => order(body, code, at, Operands::Floats),
        Dcmpl | Dcmpg => order(body, code, at, Operands::Doubles),
        Iadd => overflow(body, code, at, Arithmetic::Add, Operands::Ints),
        Isub => overflow(body, code, at, Arithmetic::Sub, Operands::Ints),
        Imul => overflow(body, code, at, Arithmetic::Mul, Operands::Ints),
        Ineg => overflow(body, code, at, Arithmetic::Neg, Operands::IntAndZero),
        Ladd => overflow(body, code, at, Arithmetic::Add, Operands::Longs),
        Lsub => overflow(body, code, at, Arithmetic::Sub, Operands::Longs),
        Lmul => overflow(body, code, at, Arithmetic::Mul, Operands::Longs),
        Lneg => overflow(body, code, at, Arithmetic::Neg, Operands::LongAndZero),
        Iinc => {
            let Operand::LocalIncrement { local, by } = body.nodes[at].operand else { return Vec::new() };
            let place = Operands::LocalAndConstant(local, i32::from(by));
            overflow(body, code, at, Arithmetic::Add, place)
        }
        Idiv | Irem | Ldiv | Lrem => division(body, code, at),
        Iaload | Laload | Faload | Daload | Aaload | Baload | Caload | Saload | Iastore | Lastore
        | Fastore | Dastore | Aastore | Bastore | Castore | Sastore => {
            exception(body, at, "java/lang/ArrayIndexOutOfBoundsException")
        }
        Newarray | Anewarray if operands::constant_before(body, at).is_none() => {
            exception(body, at, "java/lang/NegativeArraySizeException")
        }
        Athrow => thrown(body, at),
        _ => Vec::new(),
    }
}

fn comparison(body: &Body<'_>, code: &Code, at: usize, place: Operands, jump: Opcode) -> Vec<Asked> {
    use Opcode::*;
    let checks: &[Check] = match jump {
        Iflt | Ifge | IfIcmplt | IfIcmpge => &[Check::OneBelow, Check::Equal],
        Ifgt | Ifle | IfIcmpgt | IfIcmple => &[Check::Equal, Check::OneAbove],
        _ => &[Check::OneBelow, Check::Equal, Check::OneAbove],
    };
    let (left, right) = operands::texts(body, code, at, place);
    let is_float = matches!(place, Operands::Floats | Operands::Doubles);
    let text = |check: &Check| match check {
        Check::OneBelow if is_float => format!("{left} next below {right}"),
        Check::OneAbove if is_float => format!("{left} next above {right}"),
        Check::OneBelow => format!("{left} == {}", operands::moved(&right, -1)),
        Check::OneAbove => format!("{left} == {}", operands::moved(&right, 1)),
        _ => format!("{left} == {right}"),
    };
    let (kind, offset) = (RequirementKind::Boundary, body.nodes[at].pc);
    let asked = checks.iter().map(|it| Asked { kind, offset, text: text(it), check: Some((*it, place)) });
    asked.collect()
}

/// A comparison that pushes an int, and a jump on that.
fn order(body: &Body<'_>, code: &Code, at: usize, place: Operands) -> Vec<Asked> {
    let jump = body.nodes.get(at + 1).filter(|next| !next.label && is_jump_on_order(next.opcode));
    jump.map_or(Vec::new(), |jump| comparison(body, code, at, place, jump.opcode))
}

fn is_jump_on_order(opcode: Opcode) -> bool {
    (Opcode::Ifeq..=Opcode::Ifle).contains(&opcode)
}

fn overflow(body: &Body<'_>, code: &Code, at: usize, arithmetic: Arithmetic, place: Operands) -> Vec<Asked> {
    let (left, right) = operands::texts(body, code, at, place);
    let text = match arithmetic {
        Arithmetic::Add => format!("{left} + {right} overflows"),
        Arithmetic::Sub => format!("{left} - {right} overflows"),
        Arithmetic::Mul => format!("{left} * {right} overflows"),
        Arithmetic::Neg => format!("-{left} overflows"),
        Arithmetic::Div => format!("{left} / {right} overflows"),
    };
    let check = Some((Check::Overflow(arithmetic), place));
    vec![Asked { kind: RequirementKind::Overflow, offset: body.nodes[at].pc, text, check }]
}

/// What a quotient asks for; of a remainder only that the divisor is zero, for that of the least value by -1 is 0.
fn division(body: &Body<'_>, code: &Code, at: usize) -> Vec<Asked> {
    let place = match body.nodes[at].opcode {
        Opcode::Idiv | Opcode::Irem => Operands::Ints,
        _ => Operands::Longs,
    };
    let known = operands::constant_before(body, at);
    let mut asked = Vec::new();
    if matches!(body.nodes[at].opcode, Opcode::Idiv | Opcode::Ldiv) && known.is_none_or(|by| by == -1) {
        asked.extend(overflow(body, code, at, Arithmetic::Div, place));
    }
    if known.is_none_or(|by| by == 0) {
        asked.extend(exception(body, at, "java/lang/ArithmeticException"));
    }
    asked
}

fn exception(body: &Body<'_>, at: usize, class: &str) -> Vec<Asked> {
    let (kind, offset) = (RequirementKind::Exception, body.nodes[at].pc);
    vec![Asked { kind, offset, text: class.to_owned(), check: None }]
}

/// `throw new`: the constructor's call comes right before.
fn thrown(body: &Body<'_>, at: usize) -> Vec<Asked> {
    let Some(call) = at.checked_sub(1).filter(|_| !body.nodes[at].label) else { return Vec::new() };
    let constant = body.nodes[call].constant().and_then(|constant| body.file.constant(constant).ok());
    match constant {
        Some(Constant::Method { class, name, .. }) if name == "<init>" => exception(body, call, &class),
        _ => Vec::new(),
    }
}

/// The plan of a method's checks, once probes have numbers.
pub(super) fn plan(found: &Found, probe_of: &[Option<u32>]) -> BTreeMap<u32, CheckSite> {
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
