//! Compositions: pairs of executions, the second of which begins in the state in which the first ends.

use crate::explore::Exploration;
use crate::sequence::CallSequence;
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The largest number of compositions from which axioms are inferred.
const MOST: usize = 600;
/// The largest number of compositions of two methods with which axioms are compared.
const MOST_PAIRS: usize = 40_000;
/// The largest number of compositions of all methods with which axioms are compared; a class with many methods has
/// fewer of each two.
const MOST_IN_ALL: usize = 4_000_000;

/// A composition, or a single execution.
#[derive(Clone, Debug)]
pub struct Sample<'e> {
    /// Arguments of the first call.
    pub first: &'e [Value],
    /// Arguments of the second.
    pub second: &'e [Value],
    /// The result of the last call.
    pub result: Option<&'e Value>,
    /// The number of the state before.
    pub before: Option<u32>,
    /// The number of the state between the calls.
    pub middle: Option<u32>,
    /// The number of the state after them.
    pub after: Option<u32>,
    /// The number of the state after the calls in the other order.
    pub swapped: Option<u32>,
    /// The result of the second method in the state before both calls.
    pub alone: Option<&'e Value>,
    /// Whether the second method throws in the state before both calls.
    pub throws_alone: bool,
    /// Boolean observers in the state before.
    pub guards: Vec<(&'e str, bool)>,
    /// Whether both calls are of one method.
    pub is_repeated: bool,
    /// The index of the execution of the first call.
    pub execution: usize,
    /// The number of calls.
    pub calls: usize,
    /// The calls.
    pub test: &'e Rc<CallSequence>,
}

/// Executions, indexed for composition.
pub struct Samples<'e> {
    explored: &'e Exploration,
    /// Executions of a method from a state.
    from: FxHashMap<(usize, Option<u32>), Vec<usize>>,
    /// Executions by state, method and arguments.
    calls: FxHashMap<(u32, usize, usize), usize>,
    /// Those that throw.
    thrown: FxHashSet<(u32, usize, usize)>,
    /// Numbers of the argument lists, by execution.
    arguments: Vec<usize>,
    by_method: Vec<Vec<usize>>,
    /// The number of calls, by execution.
    counts: Vec<usize>,
    /// The largest number of compositions of two methods.
    most_pairs: usize,
    /// Whether a method never changes its object.
    pub pure: Vec<bool>,
}

impl<'e> Samples<'e> {
    /// Indexes executions for composition.
    pub fn new(subject: &Subject, explored: &'e Exploration) -> Samples<'e> {
        let mut samples = Samples {
            explored,
            arguments: Vec::with_capacity(explored.executions.len()),
            from: FxHashMap::default(),
            calls: FxHashMap::default(),
            thrown: FxHashSet::default(),
            by_method: vec![Vec::new(); subject.methods.len()],
            counts: explored.executions.iter().map(calls_of).collect(),
            most_pairs: MOST_PAIRS.min(MOST_IN_ALL / subject.methods.len().pow(2).max(1)),
            pure: (0..subject.methods.len()).map(|at| explored.is_kept_by(at)).collect(),
        };
        let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
        for (at, execution) in explored.executions.iter().enumerate() {
            let next = numbers.len();
            let number = *numbers.entry(arguments(execution)).or_insert(next);
            samples.arguments.push(number);
            let ExecutionOrigin::Explored { from, .. } = execution.origin else { continue };
            if execution.test.is_none() {
                continue;
            }
            if !matches!(execution.ending, CallOutcome::Returned(_)) {
                let call = from.map(|from| (from, execution.method, number));
                samples.thrown.extend(call);
                continue;
            }
            samples.from.entry((execution.method, from)).or_default().push(at);
            samples.by_method[execution.method].push(at);
            if let Some(from) = from {
                samples.calls.insert((from, execution.method, number), at);
            }
        }
        samples
    }

    fn number(&self, state: Option<u32>) -> Option<u32> {
        state.map(|it| self.explored.states[it as usize].number)
    }

    fn ends(execution: &Execution) -> (Option<u32>, Option<u32>) {
        match execution.origin {
            ExecutionOrigin::Explored { from, to } => (from, to),
            ExecutionOrigin::Suite => (None, None),
        }
    }

    /// Single executions of a method, of at most this many calls: a sample, spread evenly.
    pub fn of_one(&self, method: usize, calls: usize) -> Vec<Sample<'e>> {
        evenly(self.all_of_one(method, calls))
    }

    /// Compositions of two methods, of at most this many calls: a sample, spread evenly.
    pub fn of_two(&self, first: usize, second: usize, calls: usize) -> Vec<Sample<'e>> {
        evenly(self.all_of_two(first, second, calls))
    }

    /// All single executions of a method, of at most this many calls.
    pub fn all_of_one(&self, method: usize, calls: usize) -> Vec<Sample<'e>> {
        let samples = self.by_method[method].iter().filter_map(|at| {
            let execution = &self.explored.executions[*at];
            let (from, to) = Self::ends(execution);
            self.sample(*at, None, from, to, to)
        });
        samples.filter(|it| it.calls <= calls).collect()
    }

    /// All compositions of two methods, of at most this many calls.
    pub fn all_of_two(&self, first: usize, second: usize, calls: usize) -> Vec<Sample<'e>> {
        let ends = |at: usize| Self::ends(&self.explored.executions[at]);
        let pairs = || {
            let ones = self.by_method[first].iter().filter_map(move |one| Some((*one, ends(*one).1?)));
            ones.flat_map(move |(one, middle)| {
                let then = self.from.get(&(second, Some(middle))).into_iter().flatten();
                then.filter(move |two| self.counts[**two] <= calls).map(move |two| (one, *two))
            })
        };
        // There may be too many to keep.
        let step = pairs().count().div_ceil(self.most_pairs.max(1)).max(1);
        let samples = pairs().step_by(step).filter_map(|(one, two)| {
            let ((before, middle), (_, after)) = (ends(one), ends(two));
            self.sample(one, Some(two), before, middle, after)
        });
        samples.collect()
    }

    fn sample(
        &self,
        one: usize,
        two: Option<usize>,
        before: Option<u32>,
        middle: Option<u32>,
        after: Option<u32>,
    ) -> Option<Sample<'e>> {
        let call = |at: usize| (self.explored.executions[at].method, self.arguments[at]);
        let calls = self.counts[two.unwrap_or(one)];
        let second = two.zip(before).map(|(two, before)| (before, call(two).0, call(two).1));
        let alone = second.and_then(|it| {
            let at = self.calls.get(&it)?;
            Some((*at, self.explored.executions[*at].result()?))
        });
        let throws_alone = second.is_some_and(|it| self.thrown.contains(&it));
        let at = one;
        let (first_method, first_arguments) = call(one);
        let one = &self.explored.executions[one];
        let two = two.map(|it| &self.explored.executions[it]);
        let last = two.unwrap_or(one);
        let test = last.test.as_ref()?;
        let swapped = alone.and_then(|(at, _)| {
            let (_, then) = Self::ends(&self.explored.executions[at]);
            let at = self.calls.get(&(then?, first_method, first_arguments))?;
            Self::ends(&self.explored.executions[*at]).1
        });
        let guards = before.map_or(Vec::new(), |before| {
            let state = &self.explored.states[before as usize];
            let object = state.image.objects.get(&state.receiver);
            let fields = object.map_or(&[] as &[_], |it| it.fields.as_slice());
            let truths = fields.iter().filter(|it| it.0.ends_with("()"));
            let truths = truths.filter_map(|(name, value)| match value {
                Value::Bool(truth) => Some((&**name, *truth)),
                _ => None,
            });
            truths.collect()
        });
        Some(Sample {
            first: &one.entry.arguments,
            second: two.map_or(&[], |it| &it.entry.arguments),
            result: last.result().filter(|it| it.is_present()),
            before: self.number(before),
            middle: self.number(middle),
            after: self.number(after),
            swapped: self.number(swapped),
            alone: alone.map(|it| it.1).filter(|it| it.is_present()),
            throws_alone,
            guards,
            is_repeated: two.is_some_and(|it| it.method == one.method),
            execution: at,
            calls,
            test,
        })
    }
}

/// A sample, spread evenly so that it includes late states.
fn evenly(all: Vec<Sample<'_>>) -> Vec<Sample<'_>> {
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

/// The number of calls of an execution.
fn calls_of(execution: &Execution) -> usize {
    execution.test.as_ref().map_or(0, |it| it.receiver.as_ref().map_or(0, |it| it.calls()) + 1)
}

/// The arguments of an execution as text; objects by their construction.
fn arguments(execution: &Execution) -> String {
    execution.test.as_ref().map_or(String::new(), |it| {
        format!("{:?}", it.call.arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    })
}
