//! Compositions: pairs of executions of which the second begins in the state in which the first ends.

use crate::explore::Exploration;
use crate::sequence::Test;
use crate::subject::Subject;
use crate::trace::{Ending, Execution, Origin};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The largest number of compositions of a pair of methods.
const MOST: usize = 600;
/// The largest number from which they are drawn, evenly, so that late states are included.
const MOST_PAIRS: usize = 60_000;

/// A composition, or a single execution.
#[derive(Clone, Debug)]
pub struct Sample<'e> {
    /// Arguments of the first call.
    pub first: &'e [Value],
    /// Arguments of the second.
    pub second: &'e [Value],
    /// What the last call returned.
    pub result: Option<&'e Value>,
    /// The number of the state before.
    pub before: Option<u32>,
    /// The number of the state between the calls.
    pub middle: Option<u32>,
    /// The number of the state after them.
    pub after: Option<u32>,
    /// The number of the state after the calls in the other order.
    pub swapped: Option<u32>,
    /// What the second method returns on the state before.
    pub alone: Option<&'e Value>,
    /// Whether the second method throws on the state before.
    pub throws_alone: bool,
    /// Boolean observers in the state before.
    pub guards: Vec<(&'e str, bool)>,
    /// Whether both calls are of one method.
    pub is_repeated: bool,
    /// The number of calls.
    pub calls: usize,
    /// The calls.
    pub test: &'e Rc<Test>,
}

/// Executions, indexed for composition.
pub struct Samples<'e> {
    explored: &'e Exploration,
    /// Executions of a method from a state.
    from: FxHashMap<(usize, Option<u32>), Vec<usize>>,
    /// Executions by state, method and arguments.
    calls: FxHashMap<(u32, usize, String), usize>,
    /// Those that throw.
    thrown: FxHashSet<(u32, usize, String)>,
    by_method: Vec<Vec<usize>>,
    /// Whether a method never changes its object.
    pub pure: Vec<bool>,
}

impl<'e> Samples<'e> {
    /// Indexes executions for composition.
    pub fn new(subject: &Subject, explored: &'e Exploration) -> Samples<'e> {
        let mut samples = Samples {
            explored,
            from: FxHashMap::default(),
            calls: FxHashMap::default(),
            thrown: FxHashSet::default(),
            by_method: vec![Vec::new(); subject.methods.len()],
            pure: (0..subject.methods.len()).map(|at| is_pure(explored, at)).collect(),
        };
        for (at, execution) in explored.executions.iter().enumerate() {
            let Origin::Explored { from, .. } = execution.origin else { continue };
            if execution.test.is_none() {
                continue;
            }
            if !matches!(execution.ending, Ending::Returned(_)) {
                let call = from.map(|from| (from, execution.method, arguments(execution)));
                samples.thrown.extend(call);
                continue;
            }
            samples.from.entry((execution.method, from)).or_default().push(at);
            samples.by_method[execution.method].push(at);
            if let Some(from) = from {
                samples.calls.insert((from, execution.method, arguments(execution)), at);
            }
        }
        samples
    }

    fn number(&self, state: Option<u32>) -> Option<u32> {
        state.map(|it| self.explored.states[it as usize].number)
    }

    fn ends(execution: &Execution) -> (Option<u32>, Option<u32>) {
        match execution.origin {
            Origin::Explored { from, to } => (from, to),
            Origin::Suite => (None, None),
        }
    }

    /// Single executions of a method, of at most this many calls.
    pub fn of_one(&self, method: usize, calls: usize) -> Vec<Sample<'e>> {
        let samples = self.by_method[method].iter().filter_map(|at| {
            let execution = &self.explored.executions[*at];
            let (from, to) = Self::ends(execution);
            self.sample(execution, None, from, to, to)
        });
        samples.filter(|it| it.calls <= calls).take(MOST).collect()
    }

    /// Compositions of two methods, of at most this many calls.
    pub fn of_two(&self, first: usize, second: usize, calls: usize) -> Vec<Sample<'e>> {
        let mut pairs: Vec<(&'e Execution, &'e Execution)> = Vec::new();
        for at in &self.by_method[first] {
            let one = &self.explored.executions[*at];
            let (_, Some(middle)) = Self::ends(one) else { continue };
            let then = self.from.get(&(second, Some(middle))).into_iter().flatten();
            let then = then.map(|at| &self.explored.executions[*at]).filter(|two| calls_of(two) <= calls);
            pairs.extend(then.map(|two| (one, two)));
            if pairs.len() >= MOST_PAIRS {
                break;
            }
        }
        let step = pairs.len().div_ceil(MOST).max(1);
        let samples = pairs.into_iter().step_by(step).filter_map(|(one, two)| {
            let ((before, middle), (_, after)) = (Self::ends(one), Self::ends(two));
            self.sample(one, Some(two), before, middle, after)
        });
        samples.collect()
    }

    fn sample(
        &self,
        one: &'e Execution,
        two: Option<&'e Execution>,
        before: Option<u32>,
        middle: Option<u32>,
        after: Option<u32>,
    ) -> Option<Sample<'e>> {
        let last = two.unwrap_or(one);
        let test = last.test.as_ref()?;
        let alone = two.zip(before).and_then(|(two, before)| {
            let at = self.calls.get(&(before, two.method, arguments(two)))?;
            Some((*at, self.explored.executions[*at].result()?))
        });
        let throws_alone = two
            .zip(before)
            .is_some_and(|(two, before)| self.thrown.contains(&(before, two.method, arguments(two))));
        let swapped = alone.and_then(|(at, _)| {
            let (_, then) = Self::ends(&self.explored.executions[at]);
            let at = self.calls.get(&(then?, one.method, arguments(one)))?;
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
            calls: calls_of(last),
            test,
        })
    }
}

/// Whether a method never changes its object.
fn is_pure(explored: &Exploration, method: usize) -> bool {
    let number = |state: u32| explored.states[state as usize].number;
    explored.executions.iter().filter(|it| it.method == method).all(|it| match it.origin {
        Origin::Explored { from: Some(from), to: Some(to) } => number(from) == number(to),
        Origin::Explored { from: Some(_), to: None } => matches!(it.ending, Ending::Threw { .. }),
        _ => true,
    })
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
