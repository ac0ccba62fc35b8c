//! The representative of a path: the inputs with which the path is written down as a test.
//!
//! A model of the path condition sets every unconstrained value to zero. A test of zeros hides faults: with a
//! setter that stores nothing, `setWidth(0); assertEquals(0, getWidth())` still passes. Inputs that no decision
//! depends on therefore get small values, each different from the others and from a field's default. Inputs
//! that a decision depends on keep their values, since these lie on the boundary of the path, unless they are
//! hard to read and others serve as well.

use crate::candidate::Candidate;
use crate::input::Input;
use crate::plan::PlanStep;
use cupping_machine::{Kind, Machine, MethodId};
use cupping_term::{Evaluator, Model, Sort, TermId, Terms, VarIndex};
use std::collections::{BTreeMap, BTreeSet};

/// Values of numbers, in the order in which a test's inputs take them. 0, 1 and 2 are excluded: they are
/// neutral in too many operations.
const NUMBERS: [i64; 12] = [5, 7, 3, 11, 13, 17, 19, 23, 29, 31, 37, 41];
/// Numbers that are read at a glance.
const READABLE: std::ops::RangeInclusive<i64> = -1000..=1000;
/// Replacements for characters that are hard to read, in order of preference.
const CHARACTERS: &[u8] = b"abxyAB019 .,;:_-+*/=<>()[]{}!?@#$%&'\"\\|~^`";
/// Length of strings and arrays whose length is open.
const LENGTH: u64 = 2;
/// Limit on the term nodes evaluated for one candidate.
const MAX_STEPS: u64 = 2_000_000;

/// Which decisions of a path must stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedDecisions {
    /// Those in code under test. Decisions of the JDK may change, so a run must show whether the coverage stays
    /// the same.
    OfCodeUnderTest,
    /// All: the model satisfies the path condition, as the candidate's own does.
    All,
}

/// The model with which a candidate is written down.
pub fn representative(machine: &Machine, candidate: &Candidate, kept: FixedDecisions) -> Model {
    let mut search = Representative::new(machine, candidate, kept);
    for step in &candidate.plan.steps {
        let PlanStep::Input { input, var } = step else { continue };
        let symbols = &candidate.driver.slots[*var].symbols;
        match input {
            Input::Primitive(kind) | Input::Boxed(kind) => {
                if let Some(value) = symbols.values.first() {
                    search.scalar(*kind, *value);
                }
            }
            Input::String { max, .. } => {
                let length = search.length(symbols.length, *max);
                search.text(&symbols.values[..length.min(symbols.values.len())]);
            }
            Input::Array { element, max } => {
                let length = search.length(symbols.length, *max);
                search.elements(*element, &symbols.values[..length.min(symbols.values.len())]);
            }
            Input::Null
            | Input::Text(_)
            | Input::Bytes(_)
            | Input::ClassLiteral(_)
            | Input::Fixed(..)
            | Input::FixedBox(..)
            | Input::Elements(..) => {}
        }
    }
    search.model
}

struct Representative<'a> {
    terms: &'a Terms,
    model: Model,
    /// The conditions of the path that mention a variable.
    conditions: BTreeMap<VarIndex, Vec<TermId>>,
    /// Variables that a decision depends on; the others occur at most in bounds of inputs.
    decisive: BTreeSet<VarIndex>,
    evaluator: Evaluator,
    /// Numbers and letters given out so far.
    numbers: usize,
    letters: usize,
}

impl<'a> Representative<'a> {
    fn new(machine: &'a Machine, candidate: &Candidate, kept: FixedDecisions) -> Representative<'a> {
        let terms = machine.terms();
        let mut conditions: BTreeMap<VarIndex, Vec<TermId>> = BTreeMap::new();
        let mut decisive = BTreeSet::new();
        for taken in candidate.path.decisions() {
            let is_assumed = taken.site.method == MethodId(u32::MAX);
            let is_in_jdk = || machine.class(machine.method(taken.site.method).class).from_jdk;
            if kept == FixedDecisions::OfCodeUnderTest && !is_assumed && is_in_jdk() {
                continue;
            }
            for variable in terms.variables(taken.constraint) {
                conditions.entry(*variable).or_default().push(taken.constraint);
                if !is_assumed {
                    decisive.insert(*variable);
                }
            }
        }
        Representative {
            terms,
            model: candidate.model.clone(),
            conditions,
            decisive,
            evaluator: Evaluator::new(),
            numbers: 0,
            letters: 0,
        }
    }

    /// A number, character or truth value.
    fn scalar(&mut self, kind: Kind, variable: VarIndex) {
        let nth = if kind == Kind::Char { &mut self.letters } else { &mut self.numbers };
        let at = *nth;
        *nth += 1;
        self.improve(kind, variable, at);
    }

    /// The length of a string or an array, in elements.
    fn length(&mut self, variable: Option<VarIndex>, max: u32) -> usize {
        let Some(variable) = variable else { return 0 };
        if !self.decisive.contains(&variable) && self.model.get(variable) == 0 {
            self.set(variable, LENGTH.min(u64::from(max)));
        }
        self.model.get(variable) as usize
    }

    fn text(&mut self, characters: &[VarIndex]) {
        for character in characters {
            self.scalar(Kind::Char, *character);
        }
    }

    /// Sets unconstrained elements in descending order.
    fn elements(&mut self, element: Kind, values: &[VarIndex]) {
        let first = self.numbers;
        let open = values.iter().filter(|it| !self.decisive.contains(it)).count();
        let mut order: Vec<usize> = (first..first + open).collect();
        order.sort_by_key(|at| std::cmp::Reverse(NUMBERS[at % NUMBERS.len()]));
        let mut order = order.into_iter();
        for value in values {
            let at = if self.decisive.contains(value) { first } else { order.next().unwrap_or(first) };
            self.improve(element, *value, at);
        }
        self.numbers += open;
    }

    /// Gives a variable the value with this rank, or the next one that stays on the path.
    fn improve(&mut self, kind: Kind, variable: VarIndex, rank: usize) {
        let now = self.model.get(variable);
        let is_open = !self.decisive.contains(&variable);
        let sort = self.terms.variable(variable).sort;
        if kind == Kind::Char {
            let is_readable = (0x20..0x7f).contains(&now);
            if is_open {
                self.set(variable, u64::from(b'a') + rank as u64 % 26);
            } else if !is_readable {
                CHARACTERS.iter().any(|it| self.attempt(variable, u64::from(*it)));
            }
            return;
        }
        if kind == Kind::Boolean {
            if is_open {
                self.set(variable, 1);
            }
            return;
        }
        let number = NUMBERS[rank % NUMBERS.len()];
        if is_open {
            self.set(variable, bits_of(sort, number));
        } else if is_hard_to_read(sort, now) || now == 0 && !self.is_edge(sort, variable) {
            [number, -number].into_iter().any(|it| self.attempt(variable, bits_of(sort, it)));
        }
    }

    /// Whether 0 is the least or the greatest value that stays on the path.
    fn is_edge(&mut self, sort: Sort, variable: VarIndex) -> bool {
        let neighbours = [bits_of(sort, 1), bits_of(sort, -1)];
        let edge = neighbours.into_iter().any(|it| !self.attempt(variable, it));
        self.set(variable, 0);
        edge
    }

    /// Sets a variable, unless that would leave the path.
    fn attempt(&mut self, variable: VarIndex, bits: u64) -> bool {
        if self.evaluator.steps() > MAX_STEPS {
            return false;
        }
        let before = self.model.get(variable);
        self.model.set(variable, bits);
        let none = Vec::new();
        let conditions = self.conditions.get(&variable).unwrap_or(&none);
        if self.evaluator.all_hold(self.terms, &self.model, conditions) {
            return true;
        }
        self.model.set(variable, before);
        false
    }

    /// Sets a variable to a value that is known to stay on the path.
    fn set(&mut self, variable: VarIndex, bits: u64) {
        self.model.set(variable, bits);
    }
}

/// The bits of a number in a sort. Floating-point numbers get a fraction.
fn bits_of(sort: Sort, number: i64) -> u64 {
    match sort {
        Sort::Bool => u64::from(number != 0),
        Sort::F32 => u64::from((number as f32 + 0.5).to_bits()),
        Sort::F64 => (number as f64 + 0.5).to_bits(),
        _ => sort.wrap(number),
    }
}

fn is_hard_to_read(sort: Sort, bits: u64) -> bool {
    match sort {
        Sort::Bool => false,
        Sort::F32 => {
            let value = f64::from(f32::from_bits(bits as u32));
            value.is_finite() && value != 0.0 && !(0.01..1000.0).contains(&value.abs())
        }
        Sort::F64 => {
            let value = f64::from_bits(bits);
            value.is_finite() && value != 0.0 && !(0.01..1000.0).contains(&value.abs())
        }
        _ => !READABLE.contains(&sort.signed(bits)),
    }
}

#[cfg(test)]
mod tests;
