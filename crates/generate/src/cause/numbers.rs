//! Numbers, sizes and empty collections that the test passes and the code fails on.

use super::conditions::{Lack, is_affine};
use super::{BlameText, CauseRun};
use crate::input::Input;
use crate::plan::{PlanStep, Var};
use cupping_case::{Blame, JavaType};
use cupping_machine::{ReferenceOrigin, TraceRow};
use cupping_term::{TermId, VarIndex};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays of objects from this size on are larger than any that a test creates.
const HUGE: i64 = 1 << 24;

/// What a solver variable stands for in the test.
pub(super) struct PassedVariable {
    /// The variable of the plan.
    pub(super) var: Var,
    role: Role,
}

/// As what the test passed it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A number, or the size of an array.
    Number,
    /// The length of a text. The code may have to handle every length, but not an index beyond it.
    Length,
    /// A character of a text, or an element.
    Data,
}

impl CauseRun<'_> {
    /// An index or a size that is out of bounds, or an element that is not there.
    pub(super) fn of_number(&self, missing: Lack) -> BlameText {
        let what = if missing == Lack::Element { "size" } else { "index or size" };
        let is_asked = missing == Lack::Element;
        if let Some((name, of)) = self.beyond().filter(|_| missing == Lack::Place) {
            return Some((
                Blame::Precondition,
                format!("the test passes {name}, which lies outside {of} that it passes too"),
            ));
        }
        if let Some((name, least)) = self.too_few().filter(|_| missing == Lack::Place) {
            return Some((
                Blame::Precondition,
                format!("the test passes fewer than {least} elements as {name}"),
            ));
        }
        let precondition = |text: String| Some((Blame::Precondition, text));
        if let Some(name) = self.passed_index().filter(|_| missing == Lack::Place) {
            return precondition(format!("the test passes the index as {name}"));
        }
        let empty = || self.empty_collection(is_asked);
        if let Some(name) = is_asked.then(empty).flatten() {
            return precondition(format!("the test passes an empty collection as {name}"));
        }
        if let Some(last) = self.last_decision() {
            if let Some(name) = self.answered(last.constraint) {
                return precondition(format!("a stub of the test answers with {name}"));
            }
            if let Some(names) = self.numbers_of(last.constraint) {
                return precondition(format!("the test passes the {what} as {names}"));
            }
            if let Some(maker) = self.nonsense_of_jdk(last.constraint) {
                return precondition(format!(
                    "the test creates a JDK object with {maker} that does not work"
                ));
            }
            if let Some(name) = self.sized_by(last.constraint).filter(|_| missing == Lack::Room) {
                return precondition(format!(
                    "the test asks for more than an array can hold, through {name}"
                ));
            }
            if let Some(name) = self.outside(last.constraint) {
                return precondition(format!(
                    "the test passes {name}, which lies outside the text that it passes too"
                ));
            }
        } else if let Some(name) = self.handed_number() {
            return precondition(format!("the test passes the {what} as {name}"));
        }
        if let Some(name) = empty() {
            return precondition(format!("the test passes an empty collection as {name}"));
        }
        let is_traced = self.last_decision().is_some();
        let name = self.empty_array().filter(|_| !is_traced && !is_asked)?;
        precondition(format!("the test passes an empty array as {name}"))
    }

    /// The number that the test passes and the code uses as an index as it is.
    fn passed_index(&self) -> Option<String> {
        let Some(ReferenceOrigin::Argument(at)) = self.machine.index_origin(self.rows.first()?) else {
            return None;
        };
        let var = self.passed(at).filter(|it| self.is_number(*it))?;
        self.name(var)
    }

    /// Calls of the JDK with a number that a condition depends on, such as the offset of a stream.
    fn nonsense_of_jdk(&self, condition: TermId) -> Option<String> {
        let passed = self.passed_numbers();
        let variables = self.machine.terms().variables(condition);
        let numbers = variables.iter().filter_map(|it| passed.get(it)).filter(|it| it.role == Role::Number);
        let vars: Vec<Var> = numbers.map(|it| it.var).collect();
        self.plan.steps.iter().find_map(|step| {
            let PlanStep::Call { invokable, arguments, .. } = step else { return None };
            let is_of_jdk = self.machine.class(self.machine.method(invokable.method).class).from_jdk;
            let is_given = arguments.iter().any(|it| vars.contains(it));
            (is_of_jdk && is_given).then(|| format!("`{}`", super::called(invokable)))
        })
    }

    /// The numbers that determine a negative array size, if it depends on nothing else: the computation has
    /// overflowed, and the intended size would be too large as well.
    fn sized_by(&self, condition: TermId) -> Option<String> {
        let passed = self.passed_numbers();
        let variables = self.machine.terms().variables(condition);
        let numbers = variables.iter().map(|it| passed.get(it).filter(|it| it.role == Role::Number));
        let numbers: Vec<&PassedVariable> = numbers.collect::<Option<_>>()?;
        let is_huge =
            |it: &&&PassedVariable| self.concrete(it.var).is_some_and(|number| number.abs() >= HUGE);
        let huge = numbers.iter().find(is_huge)?;
        self.name(huge.var)
    }

    /// A number that the test passes together with an array or text, and that lies outside of its bounds, if a
    /// condition depends on both.
    fn outside(&self, condition: TermId) -> Option<String> {
        let passed = self.passed_numbers();
        let variables = self.machine.terms().variables(condition);
        let vars: Vec<&PassedVariable> = variables.iter().filter_map(|it| passed.get(it)).collect();
        let PlanStep::Call { arguments, .. } = self.plan.steps.last()? else { return None };
        let length = |var: Var| {
            let symbol = self.driver.slots.get(var)?.symbols.length?;
            variables.contains(&symbol).then(|| self.length(var))?
        };
        let longest = arguments.iter().filter_map(|var| length(*var)).max()?;
        let is_outside = |var: Var| self.concrete(var).is_some_and(|number| number < 0 || number > longest);
        let mut numbers = vars.iter().filter(|it| it.role == Role::Number && arguments.contains(&it.var));
        let found = numbers.find(|it| length(it.var).is_none() && is_outside(it.var))?;
        self.name(found.var)
    }

    /// A number that the failing call passes together with the array or text in which the code misses a place, if the
    /// number, or the sum of it and another one, as an offset and a length, is no place there.
    fn beyond(&self) -> Option<(String, String)> {
        let (extent, place) = self.places()?;
        let PlanStep::Call { arguments, .. } = self.plan.steps.last()? else { return None };
        let deciding = self.deciding(place);
        let decides = |var: Var| {
            // Nothing is known of what a fixed number decides.
            let symbols = self.driver.slots.get(var).map(|it| &it.symbols.values);
            symbols.is_some_and(|all| all.is_empty() || all.iter().any(|it| deciding.contains(it)))
        };
        let numbers: Vec<(Var, i64)> = arguments
            .iter()
            .filter(|var| decides(**var))
            .filter_map(|var| Some((*var, self.concrete(*var)?)))
            .collect();
        let is_outside = |number: i64| !(0..=extent).contains(&number);
        let alone = numbers.iter().find(|(_, number)| is_outside(*number));
        let is_part = |(at, (_, number)): &(usize, &(Var, i64))| {
            numbers[at + 1..].iter().any(|(_, other)| is_outside(number.saturating_add(*other)))
        };
        let found = alone.or_else(|| numbers.iter().enumerate().find(is_part).map(|(_, it)| it))?;
        Some((self.name(found.0)?, self.name(place)?))
    }

    /// The variables that decide which place the code asks for: those that it compares with the length, or, if the
    /// place is the same on the whole path, those of the conditions on numbers and lengths alone.
    fn deciding(&self, place: Var) -> BTreeSet<VarIndex> {
        let terms = self.machine.terms();
        let length = self.driver.slots.get(place).and_then(|it| it.symbols.length);
        let last = self.last_decision().map(|it| terms.variables(it.constraint));
        if let Some(compared) = last.filter(|all| length.is_some_and(|it| all.contains(&it))) {
            return compared.iter().copied().collect();
        }
        let passed = self.passed_numbers();
        let is_size = |it: &VarIndex| passed.get(it).is_some_and(|it| it.role != Role::Data);
        let conditions = self.path.decisions().into_iter().map(|it| terms.variables(it.constraint));
        let on_sizes = conditions.filter(|all| all.iter().all(is_size));
        on_sizes.flat_map(<[VarIndex]>::to_vec).collect()
    }

    /// The length of the array or text in which the code misses a place, if the failing call passes it as it is.
    fn places(&self) -> Option<(i64, Var)> {
        let inner = self.rows_in_jdk();
        let row = self.rows.get(inner)?;
        let extent = |var: Var| Some((self.length(var).or_else(|| self.text_length(var))?, var));
        if inner == 0 {
            let Some(ReferenceOrigin::Argument(at)) = self.machine.null_origin(row) else { return None };
            return extent(self.passed_to(0, at)?);
        }
        // The JDK looked into what the code handed on.
        let asked = self.machine.method(self.rows[inner - 1].method);
        let (parameters, _) = cupping_case::parse_method_descriptor(&asked.descriptor)?;
        let operands = parameters.len() + usize::from(!asked.is_static());
        (0..operands).find_map(|at| extent(self.passed_to(inner - 1, at)?))
    }

    /// The length of a text that the test passes.
    fn text_length(&self, var: Var) -> Option<i64> {
        let is_text = self.plan.variables.get(var)?.ty == JavaType::class("java/lang/String");
        let object = self.driver.object(var).filter(|_| is_text)?;
        i64::try_from(self.machine.string_units(object).len()).ok()
    }

    /// The value of a number that the test passes.
    fn concrete(&self, var: Var) -> Option<i64> {
        let bits = self.driver.slots.get(var)?.value?.bits;
        Some(match self.plan.variables.get(var)?.ty {
            JavaType::Int => i64::from(bits as u32 as i32),
            JavaType::Long => bits as i64,
            _ => return None,
        })
    }

    /// The length of an array that the test passes.
    fn length(&self, var: Var) -> Option<i64> {
        let is_array = matches!(self.plan.variables.get(var)?.ty, JavaType::Array(_));
        let object = self.driver.object(var).filter(|_| is_array)?;
        Some(i64::from(self.machine.array_length(object)))
    }

    /// An empty array that the test passes in the failing call, directly or within another array.
    fn empty_array(&self) -> Option<String> {
        let PlanStep::Call { arguments, .. } = self.plan.steps.last()? else { return None };
        let made = |var: Var| {
            self.plan.steps.iter().find_map(|step| match step {
                PlanStep::NewArray { elements, var: made, .. } if *made == var => Some(elements),
                _ => None,
            })
        };
        let is_empty = |var: Var| self.length(var) == Some(0);
        let holds_empty = |var: Var| made(var).is_some_and(|all| all.iter().any(|it| is_empty(*it)));
        let found = arguments.iter().find(|var| is_empty(**var) || holds_empty(**var))?;
        self.name(*found)
    }

    /// A number or an array that the code passes on from the test to the JDK, which rejects it.
    fn handed_number(&self) -> Option<String> {
        let place = self.rows_in_jdk().checked_sub(1)?;
        let method = self.machine.method(self.rows[place].method);
        let (parameters, _) = cupping_case::parse_method_descriptor(&method.descriptor)?;
        let first = usize::from(!method.is_static());
        let is_sized = |ty: &JavaType| matches!(ty, JavaType::Int | JavaType::Long | JavaType::Array(_));
        let numbers = (0..parameters.len()).filter(|at| is_sized(&parameters[*at]));
        let mut passed = numbers.filter_map(|at| self.passed_to(place, first + at));
        passed.find(|var| self.is_number(*var)).and_then(|var| self.name(var))
    }

    fn is_number(&self, var: Var) -> bool {
        self.plan.steps.iter().any(|step| match step {
            PlanStep::Input {
                input: Input::Primitive(_) | Input::Fixed(..) | Input::Array { .. },
                var: set,
            } => *set == var,
            PlanStep::NewArray { var: set, .. } => *set == var,
            _ => false,
        })
    }

    /// An empty collection that the test passes to the code, if the JDK found it to be empty. `is_asked` says
    /// that the code asked for an element.
    fn empty_collection(&self, is_asked: bool) -> Option<String> {
        let inner = self.rows_in_jdk();
        let row = self.rows.get(inner).filter(|_| inner > 0)?;
        let is_passed = match self.machine.argument_origin(row, 0)? {
            ReferenceOrigin::Argument(_) => true,
            // An iterator or stream of an empty collection has no element either.
            ReferenceOrigin::Result(..) => is_asked,
            ReferenceOrigin::Field(class, name) => {
                let stored = |row: &TraceRow| self.machine.stored_origin(row);
                self.stores(&class, &name)
                    .iter()
                    .any(|row| matches!(stored(row), Some(ReferenceOrigin::Argument(_))))
            }
            _ => false,
        };
        let steps = &self.plan.steps;
        steps.iter().filter(|_| is_passed).find_map(|step| {
            let PlanStep::Call { invokable, result: Some(made), .. } = step else { return None };
            let is_used = |step: &PlanStep| {
                matches!(step, PlanStep::Call { invokable, arguments, .. }
                    if invokable.has_receiver() && arguments.first() == Some(made))
            };
            let is_collection = invokable.reference.class.starts_with("java/util/");
            (is_collection && !steps.iter().any(is_used)).then(|| self.name(*made)).flatten()
        })
    }

    /// The names of the numbers and sizes that a condition compares, if the test passed them unchanged or with
    /// a constant added; `None` if the condition depends on anything else. They may also be compared with the
    /// lengths of texts that the same call passes.
    pub(super) fn numbers_of(&self, condition: TermId) -> Option<String> {
        let terms = self.machine.terms();
        let variables = terms.variables(condition);
        if variables.is_empty() || !is_affine(self.machine, condition) {
            return None;
        }
        let passed = self.passed_numbers();
        let mut names: Vec<String> = Vec::new();
        for variable in variables {
            let passed = passed.get(variable)?;
            if passed.role == Role::Length {
                continue;
            }
            if passed.role == Role::Data {
                return None;
            }
            let name = self.name(passed.var).unwrap_or("a number".into());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(" and "))
    }

    pub(super) fn passed_numbers(&self) -> BTreeMap<VarIndex, PassedVariable> {
        let mut passed = BTreeMap::new();
        for step in &self.plan.steps {
            let PlanStep::Input { input, var } = step else { continue };
            let Some(slot) = self.driver.slots.get(*var) else { continue };
            let is_array = matches!(input, Input::Array { .. } | Input::Bytes(_));
            let is_primitive = matches!(input, Input::Primitive(_) | Input::Boxed(_));
            if let Some(symbol) = slot.symbols.length {
                passed.insert(
                    symbol,
                    PassedVariable { var: *var, role: if is_array { Role::Number } else { Role::Length } },
                );
            }
            let role = if is_primitive { Role::Number } else { Role::Data };
            for symbol in &slot.symbols.values {
                passed.insert(*symbol, PassedVariable { var: *var, role });
            }
        }
        passed
    }
}
