//! What a run of a call and of the conditions behind it shows.

use super::super::active_branch::ActiveBranch;
use super::super::applicability::variables;
use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use super::assertions::AssertingMethods;
use super::rendering::rendered;
use cupping_machine::{Addr, CallEnd, Halt, Kind, Machine, MethodId, Observer, Value, WatchedCall};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the assertions recorded of a condition.
const MOST_ASSERTIONS: usize = 200;

/// How a call ends that returns.
const RETURNS: &str = "it returns";

/// What a run shows.
pub(super) struct Observation {
    /// How the call ended, without its result.
    end: String,
    /// Its result, if it is a plain value that tests assert something of.
    result: Option<String>,
    /// By condition, the values that it asserts something of, and how it ended; `None` if that is not known.
    conditions: Vec<Option<Vec<String>>>,
    /// The methods that were entered.
    pub(super) entered: BTreeSet<MethodId>,
}

impl Observation {
    /// Whether the call returned.
    pub(super) fn has_returned(&self) -> bool {
        self.end == RETURNS
    }

    /// The first difference from a later run, with the number of the condition that shows it.
    pub(super) fn difference(&self, other: &Observation) -> Option<(Option<usize>, String)> {
        let told = |was: &str, is: &str| format!("{was} with the earlier version, {is} now");
        if self.end != other.end {
            return Some((None, told(&self.end, &other.end)));
        }
        let mut has_compared = false;
        for (number, (was, is)) in self.conditions.iter().zip(&other.conditions).enumerate() {
            let (Some(was), Some(is)) = (was, is) else { continue };
            has_compared = true;
            if let Some((was, is)) = was.iter().zip(is).find(|(was, is)| was != is) {
                return Some((Some(number), told(was, is)));
            }
        }
        match (&self.result, &other.result) {
            (Some(was), Some(is)) if !has_compared && was != is => Some((None, told(was, is))),
            _ => None,
        }
    }
}

/// Records what runs: the methods that are entered, and the values that are asserted something of.
#[derive(Clone, Default)]
struct Witness(Rc<RefCell<Seen>>);

#[derive(Default)]
struct Seen {
    entered: BTreeSet<MethodId>,
    asserted: Vec<String>,
    asserting: AssertingMethods,
}

impl Observer for Witness {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        let is_assertion = self.0.borrow().asserting.contains(call.method);
        if !is_assertion {
            self.0.borrow_mut().entered.insert(call.method);
        } else if self.0.borrow().asserted.len() < MOST_ASSERTIONS {
            let arguments = machine.arguments_of_call(call.method);
            let text = super::assertions::rendered_assertion(machine, call.method, &arguments);
            self.0.borrow_mut().asserted.push(text);
        }
        false
    }

    fn left(&mut self, _: &mut Machine, _: WatchedCall, _: CallEnd) {}

    fn probed(&mut self, _: u32, _: u32) {}
}

impl WatcherState {
    /// Runs a call that begins, with the earlier bodies of these methods, and conditions behind it, all on forks.
    /// `None` if the call does not end or cannot be run.
    pub(super) fn observe(
        &self,
        machine: &mut Machine,
        running: &RunningCall,
        with_earlier: &[MethodId],
        conditions: &[(usize, Vec<Addr>)],
    ) -> Option<Observation> {
        let asserting = self.versions.assertions.clone().unwrap_or_default();
        let witness = Witness::default();
        witness.0.borrow_mut().asserting = asserting.clone();
        self.exchange(machine, with_earlier, true);
        let observed = self.aside(machine, |machine| {
            machine.exchange_observer(Some(Box::new(witness.clone())));
            let ended = machine.ask(running.call.method, &running.arguments);
            let end = end_of(machine, &ended)?;
            let Ok(CallEnd::Returned(result)) = ended else {
                return Some((end, None, Vec::new()));
            };
            asserting.watch(machine, true);
            let shown = conditions.iter().map(|(branch, matched)| {
                witness.0.borrow_mut().asserted.clear();
                let end = self.continued(machine, running, &witness, (*branch, matched), result)?;
                let mut shown = std::mem::take(&mut witness.0.borrow_mut().asserted);
                shown.push(end);
                Some(shown)
            });
            let shown = shown.collect();
            asserting.watch(machine, false);
            let kind = machine.method(running.call.method).result;
            let is_asserted = running.tested.branches.iter().any(|it| {
                let branch = &self.branches[*it];
                let is_sure = branch.unsure.is_none() && branch.property.is_none();
                is_sure && branch.uses_result && self.triple(*it).post.is_some()
            });
            let is_plain = kind != Kind::Reference
                || result.bits == 0
                || machine.class_name_of(result.as_ref()) == "java/lang/String";
            let text = (kind != Kind::Void && is_asserted && is_plain)
                .then(|| format!("it returns {}", rendered(machine, kind, result)));
            Some((end, text, shown))
        });
        self.exchange(machine, with_earlier, false);
        let (end, result, conditions) = observed?;
        let entered = std::mem::take(&mut witness.0.borrow_mut().entered);
        Some(Observation { end, result, conditions, entered })
    }

    /// Runs the code that a test has after a call; how it ends, if it does.
    fn continued(
        &self,
        machine: &mut Machine,
        running: &RunningCall,
        witness: &Witness,
        (branch, matched): (usize, &[Addr]),
        result: Value,
    ) -> Option<String> {
        let of = &self.branches[branch];
        let triple = self.triple(branch);
        let (class, post) = (self.classes[of.case].as_ref()?, triple.post.as_ref()?);
        let place = running.tested.branches.iter().position(|it| *it == branch)?;
        let active = ActiveBranch { matched: matched.to_vec(), ..ActiveBranch::new(place, branch) };
        let is_void = machine.method(running.call.method).result == Kind::Void;
        machine.aside(self.options.fuel, |machine| {
            machine.exchange_observer(Some(Box::new(witness.clone())));
            let arguments = &running.arguments;
            let mut values = variables(machine, of, &active, arguments, &triple.post_names).ok()?;
            match (triple.is_new, is_void) {
                (true, _) => values.push(*arguments.first()?),
                (false, true) => {}
                (false, false) => values.push(result),
            }
            let ended = class.ask(machine, post, &values);
            machine.exchange_observer(None);
            end_of(machine, &ended)
        })
    }
}

/// How a run ended: `None` if it did not, or for reasons that say nothing about the program.
fn end_of(machine: &Machine, ended: &Result<CallEnd, Halt>) -> Option<String> {
    match ended {
        Ok(CallEnd::Returned(_)) => Some(RETURNS.into()),
        Ok(CallEnd::Threw(thrown)) => {
            let mut at = Some(machine.class_of(*thrown));
            let mut names = std::iter::from_fn(|| {
                let class = machine.class(at?);
                at = class.super_class;
                Some(class.name.clone())
            });
            let own = names.next()?;
            let is_ours =
                |name: &str| matches!(name, "java/lang/LinkageError" | "java/lang/VirtualMachineError");
            let is_overflow = &*own == "java/lang/StackOverflowError";
            (is_overflow || !is_ours(&own) && !names.any(|it| is_ours(&it)))
                .then(|| format!("it throws {}", own.replace('/', ".")))
        }
        Err(_) => None,
    }
}
