//! Conditions as the source states them: `Integer.parseInt(number) > 12`, where the path's term is about the
//! tables by which the JDK computes digits.
//!
//! The abstract interpreter runs over the method of a decision with texts as values: it writes loads, calls and
//! arithmetic as Java. Where paths meet, a local variable becomes its name again. A condition stays in terms of
//! the inputs, `b == a * 3`, unless that term has names that do not occur in source
//! ([`Terms::has_inner_words`]).
//!
//! [`Terms::has_inner_words`]: cupping_term::Terms::has_inner_words

mod operands;

use cupping_classfile::interpreter::Frame;
use cupping_classfile::{Action, Comparison, InstructionGraph, StackType};
use cupping_explore::PathDecision;
use cupping_machine::{DecisionKind, Machine, MethodBody, MethodId, Site};
use cupping_term::TermId;
use operands::{Form, SourceText, operands};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The conditions of methods, cached.
#[derive(Default)]
pub(crate) struct SourceConditions {
    methods: FxHashMap<MethodId, Option<Rc<SourceMethod>>>,
}

/// A method with the operands of its instructions as texts.
struct SourceMethod {
    graph: InstructionGraph,
    before: Vec<Option<Frame<SourceText>>>,
    /// The offset of each instruction of the machine.
    offsets: Vec<u32>,
}

impl SourceConditions {
    /// The text of a path's decision, with at most about `limit` characters.
    pub(crate) fn text(&mut self, machine: &Machine, taken: &PathDecision, limit: usize) -> String {
        match taken.kind {
            DecisionKind::Branch | DecisionKind::BoundsCheck | DecisionKind::DivisionCheck => {
                self.text_at(machine, taken.site, taken.side, taken.constraint, limit)
            }
            _ => machine.terms().display(taken.constraint, limit),
        }
    }

    /// The text of a side of a branch, or of a check of bounds or of a divisor, with its constraint.
    pub(crate) fn text_at(
        &mut self,
        machine: &Machine,
        site: Site,
        side: u32,
        constraint: TermId,
        limit: usize,
    ) -> String {
        if machine.terms().has_inner_words(constraint)
            && let Some(mut text) = self.source_text(machine, site, side)
        {
            if let Some((end, _)) = text.char_indices().nth(limit) {
                text.truncate(end);
                text.push('…');
            }
            return text;
        }
        machine.terms().display(constraint, limit)
    }

    /// The condition of the source.
    fn source_text(&mut self, machine: &Machine, site: Site, side: u32) -> Option<String> {
        let id = site.method;
        let known = self.methods.entry(id).or_insert_with(|| SourceMethod::of(machine, id).map(Rc::new));
        let method = known.clone()?;
        let at = method.graph.at_offset(*method.offsets.get(site.at as usize)?)?;
        method.condition(at, side == 1)
    }
}

impl SourceMethod {
    fn of(machine: &Machine, id: MethodId) -> Option<SourceMethod> {
        let method = machine.methods().get(id.0 as usize)?;
        let MethodBody::Code(decoded) = &method.body else { return None };
        let file = machine.class(method.class).file.clone()?;
        let declared = file.methods.get(method.index)?;
        let code = file.code(declared).ok().flatten()?;
        let (graph, before) = operands(&file, code, method.is_static())?;
        Some(SourceMethod { graph, before, offsets: decoded.offsets.to_vec() })
    }

    /// The condition of an instruction's side: it jumps or falls through, its check holds or fails.
    fn condition(&self, at: usize, is_side: bool) -> Option<String> {
        let instruction = self.graph.instructions.get(at)?;
        let frame = self.before.get(at)?.as_ref()?;
        match instruction.opcode.action() {
            Action::Branch(comparison) => {
                let comparison = if is_side { comparison } else { comparison.negated() };
                let is_of_two = instruction.opcode.effect().slots().is_some_and(|(popped, _)| popped == 2);
                branch_text(comparison, frame, is_of_two, instruction.stack_type()?)
            }
            Action::ArrayLoad(_) => bounds_text(frame, 0, is_side),
            Action::ArrayStore(element) => {
                bounds_text(frame, usize::from(element.stack_type().slots()), is_side)
            }
            Action::Arithmetic(operator) if operator.checks_divisor() => {
                let ty =
                    instruction.stack_type().filter(|it| matches!(it, StackType::Int | StackType::Long))?;
                let depth = usize::from(ty.slots()) - 1;
                let symbol = if is_side { "!=" } else { "==" };
                Some(format!("{} {symbol} 0", operand(frame, depth)?.text))
            }
            _ => None,
        }
    }
}

/// `a < b`, `!text.isEmpty()`.
fn branch_text(
    comparison: Comparison,
    frame: &Frame<SourceText>,
    is_of_two: bool,
    ty: StackType,
) -> Option<String> {
    let symbol = comparison.symbol();
    if is_of_two {
        let (first, second) = (operand(frame, 1)?, operand(frame, 0)?);
        let (a, b) = (first.compared_with(&second.form), second.compared_with(&first.form));
        return Some(format!("{a} {symbol} {b}"));
    }
    let only = operand(frame, 0)?;
    match (&only.form, comparison) {
        (Form::Truth, Comparison::NotEqual) => Some(only.text.to_string()),
        (Form::Truth, Comparison::Equal) => Some(format!("!{}", only.text)),
        (Form::Comparison(a, b), _) => Some(format!("{a} {symbol} {b}")),
        _ if ty == StackType::Reference => Some(format!("{} {symbol} null", only.text)),
        _ => Some(format!("{} {symbol} 0", only.text)),
    }
}

/// `0 <= at && at < a.length`, or its negation. A value to be stored takes this many slots above the index.
fn bounds_text(frame: &Frame<SourceText>, above: usize, is_within: bool) -> Option<String> {
    let (array, index) = (operand(frame, above + 1)?, operand(frame, above)?);
    let length = format!("{}.length", array.within());
    Some(match (index.text.parse::<i32>(), is_within) {
        (Ok(number), true) if number >= 0 => format!("{length} > {number}"),
        (Ok(number), false) if number >= 0 => format!("{length} <= {number}"),
        (_, true) => format!("0 <= {0} && {0} < {length}", index.text),
        (_, false) => format!("{0} < 0 || {0} >= {length}", index.text),
    })
}

/// The operand in the slot at this depth, if it can be written.
fn operand(frame: &Frame<SourceText>, depth: usize) -> Option<&SourceText> {
    let at = frame.stack.len().checked_sub(depth + 1)?;
    frame.stack[at].as_ref().filter(|it| it.form != Form::Unknown)
}

#[cfg(test)]
mod tests;
