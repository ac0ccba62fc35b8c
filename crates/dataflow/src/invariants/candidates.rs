//! Formulas that may be invariants: bounds and multiples of numbers, the constants that a variable may hold, orders of
//! two numbers, and facts about one variable that hold as long as another has a value.

use crate::flattened_class::FlatClass;
use crate::symbolic::{MethodSummary, PathEnd, StateVariables, widened};
use cupping_classfile::{Action, Arithmetic, Constant, Literal};
use cupping_machine::Kind;
use cupping_term::{TermId, Terms, VarIndex};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of the code that bounds are made of, at most.
const MAX_NUMBERS: usize = 14;
/// Numbers beyond are no bounds.
const GREATEST: i32 = 100_000;
/// Constants of one variable, at most.
const MAX_VALUES: usize = 8;
/// Variables, at most.
const MAX_VARIABLES: usize = 14;

/// A formula that may be an invariant.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub formula: TermId,
    /// What it is about.
    pub variables: BTreeSet<VarIndex>,
}

/// A variable with its value as a slot holds it.
struct Field {
    variable: VarIndex,
    kind: Kind,
    /// Its value in a slot.
    value: TermId,
    /// All its values, if the code only stores constants.
    values: Option<Vec<u64>>,
    is_length: bool,
}

impl Field {
    fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Int | Kind::Short | Kind::Byte | Kind::Char)
    }
}

/// All candidates for a class.
pub(super) fn candidates(
    terms: &mut Terms,
    flat: &FlatClass,
    variables: &StateVariables,
    summaries: &[MethodSummary],
) -> Vec<Candidate> {
    let fields = fields(terms, flat, variables, summaries);
    let (numbers, divisors) = numbers(flat);
    let mut found = Vec::new();
    let mut add = |variables: &[VarIndex], formula: TermId| {
        found.push(Candidate { formula, variables: variables.iter().copied().collect() });
    };
    for field in &fields {
        let own = [field.variable];
        if let Some(values) = &field.values {
            let formula = is_one_of(terms, field, values);
            add(&own, formula);
        }
        if !field.is_number() || field.is_length {
            continue;
        }
        for number in &numbers {
            let bound = terms.int(*number);
            let (least, greatest) = (terms.sle(bound, field.value), terms.sle(field.value, bound));
            add(&own, least);
            add(&own, greatest);
        }
        for divisor in &divisors {
            let (divisor, zero) = (terms.int(*divisor), terms.int(0));
            let rest = terms.srem(field.value, divisor);
            let is_multiple = terms.eq(rest, zero);
            add(&own, is_multiple);
        }
    }
    for a in &fields {
        for b in fields.iter().filter(|b| b.variable != a.variable) {
            let both = [a.variable, b.variable];
            if a.is_number() && b.is_number() && !a.is_length {
                let (at_most, less) = (terms.sle(a.value, b.value), terms.slt(a.value, b.value));
                add(&both, at_most);
                add(&both, less);
            }
            for guard in guards(terms, a) {
                for fact in facts(terms, b) {
                    let not = terms.not(guard);
                    let implication = terms.or(not, fact);
                    add(&both, implication);
                }
            }
        }
    }
    found.retain(|it| terms.as_constant(it.formula).is_none());
    found
}

/// The variables of the object that formulas may be about.
fn fields(
    terms: &mut Terms,
    flat: &FlatClass,
    variables: &StateVariables,
    summaries: &[MethodSummary],
) -> Vec<Field> {
    let stored = stored(terms, summaries);
    let mut fields = Vec::new();
    for (nth, of) in flat.variables.iter().enumerate().filter(|(_, of)| !of.is_static) {
        let variable = variables.values[nth];
        if matches!(of.kind, Kind::Long | Kind::Float | Kind::Double | Kind::Void) {
            continue;
        }
        let symbol = terms.variable(variable).term;
        let value = widened(terms, of.kind, symbol);
        let values = stored.get(&variable).cloned().unwrap_or_default();
        let values = values.filter(|it| !it.is_empty() && it.len() <= MAX_VALUES);
        let values = values.map(|it| it.into_iter().collect());
        fields.push(Field { variable, kind: of.kind, value, values, is_length: false });
        if let Some(length) = variables.lengths[nth] {
            let value = terms.variable(length).term;
            fields.push(Field { variable: length, kind: Kind::Int, value, values: None, is_length: true });
        }
    }
    fields.truncate(MAX_VARIABLES);
    fields
}

/// The constants that the code stores to each variable; `None` if it also stores something else.
fn stored(terms: &Terms, summaries: &[MethodSummary]) -> BTreeMap<VarIndex, Option<BTreeSet<u64>>> {
    let mut found: BTreeMap<VarIndex, Option<BTreeSet<u64>>> = BTreeMap::new();
    for path in summaries.iter().flat_map(|summary| &summary.paths).filter(|it| it.end != PathEnd::Threw) {
        for (variable, value) in &path.after {
            let known = found.entry(*variable).or_insert_with(|| Some(BTreeSet::new()));
            match (terms.as_constant(*value), known.as_mut()) {
                (Some(value), Some(known)) => drop(known.insert(value)),
                (None, _) => *known = None,
                _ => {}
            }
        }
    }
    found
}

/// Whether a variable has one of these values. They are the bits of its sort.
fn is_one_of(terms: &mut Terms, field: &Field, values: &[u64]) -> TermId {
    let mut any = terms.bool(false);
    for value in values {
        let is_it = has_value(terms, field, *value);
        any = terms.or(any, is_it);
    }
    any
}

fn has_value(terms: &mut Terms, field: &Field, value: u64) -> TermId {
    let (symbol, sort) = (terms.variable(field.variable).term, terms.variable(field.variable).sort);
    let value = terms.constant(sort, value);
    terms.eq(symbol, value)
}

/// Conditions on a variable under which something may hold of another.
fn guards(terms: &mut Terms, field: &Field) -> Vec<TermId> {
    if field.is_length {
        return Vec::new();
    }
    let zero = terms.int(0);
    let is_zero = terms.eq(field.value, zero);
    match &field.values {
        Some(values) => values.iter().map(|value| has_value(terms, field, *value)).collect(),
        None if field.is_number() => vec![is_zero],
        None => vec![is_zero, terms.not(is_zero)],
    }
}

/// What may hold of a variable.
fn facts(terms: &mut Terms, field: &Field) -> Vec<TermId> {
    let zero = terms.int(0);
    let is_zero = terms.eq(field.value, zero);
    let mut facts = vec![is_zero, terms.not(is_zero)];
    if let Some(values) = field.values.as_ref().filter(|_| field.kind != Kind::Boolean) {
        for value in values {
            let is_it = has_value(terms, field, *value);
            facts.push(is_it);
            facts.push(terms.not(is_it));
        }
    } else if field.is_number() {
        facts.push(terms.slt(zero, field.value));
        facts.push(terms.sle(field.value, zero));
    }
    facts
}

/// The numbers of the code and their neighbours, in order, and the numbers that it divides by for a remainder.
fn numbers(flat: &FlatClass) -> (Vec<i32>, BTreeSet<i32>) {
    let (mut found, mut divisors) = (BTreeSet::from([0, 1]), BTreeSet::new());
    for body in &flat.methods {
        for (at, instruction) in body.instructions.iter().enumerate() {
            let number = match (instruction.literal(), body.constant(at)) {
                (Some(Literal::Int(number)), _) | (_, Some(Constant::Integer(number))) => number,
                _ => continue,
            };
            let next = body.instructions.get(at + 1).map(|next| next.action());
            if next == Some(Action::Arithmetic(Arithmetic::Remainder)) && number > 1 {
                divisors.insert(number);
            }
            if number.abs() <= GREATEST {
                found.insert(number);
            }
        }
    }
    let mut numbers: Vec<i32> = found.into_iter().collect();
    numbers.sort_by_key(|number| (number.abs(), *number < 0));
    numbers.truncate(MAX_NUMBERS);
    let below: Vec<i32> = numbers.iter().map(|number| number - 1).collect();
    numbers.extend(below);
    numbers.sort_unstable();
    numbers.dedup();
    (numbers, divisors)
}
