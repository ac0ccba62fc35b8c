//! What a run of a call and of the conditions behind it shows.

use super::super::active_branch::ActiveBranch;
use super::super::applicability::variables;
use super::super::running_call::RunningCall;
use super::super::state::WatcherState;
use super::assertions::{AssertedValues, AssertingMethods};
use super::rendering::{rendered, without_identities};
use cupping_machine::{Addr, CallEnd, Halt, Kind, Machine, MethodId, Observer, Value, WatchedCall};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the assertions recorded of a condition.
const MOST_ASSERTIONS: usize = 200;

/// How a call ends that returns.
const RETURNS: &str = "it returns";

/// How an answer ends that is not known.
pub(super) const UNKNOWN: &str = "() is unknown";

/// What a run is to show.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// Whether the program's own code makes the call.
    pub(super) is_at_border: bool,
    /// The conditions that follow, with the objects that correspond to the test's.
    pub(super) conditions: &'w [(usize, Vec<Addr>)],
    /// Whether objects are asked what tests ask them.
    pub(super) asks: bool,
}

/// What a run shows.
pub(super) struct Observation {
    /// How the call ended, without its result.
    end: String,
    /// Its result, if it is a plain value that tests assert something of.
    result: Option<String>,
    /// By condition, the values that it asserts something of, and how it ended; `None` if that is not known.
    conditions: Vec<Option<Vec<AssertedValues>>>,
    /// By object of the call, its class and what tests would see of it.
    answers: Vec<(String, Vec<String>)>,
    /// Whether the program itself sees the result.
    is_at_border: bool,
    /// The methods that were entered.
    pub(super) entered: BTreeSet<MethodId>,
}

impl Observation {
    /// Whether the call returned.
    pub(super) fn has_returned(&self) -> bool {
        self.end == RETURNS
    }

    /// The first difference from a later run, with the number of the condition that shows it.
    pub(super) fn difference(
        &self,
        other: &Observation,
        has_hashes: bool,
    ) -> Option<(Option<usize>, String)> {
        let told = |was: &str, is: &str| format!("{was} with the earlier version, {is} now");
        if self.end != other.end {
            return Some((None, told(&self.end, &other.end)));
        }
        let mut has_compared = false;
        for (number, (was, is)) in self.conditions.iter().zip(&other.conditions).enumerate() {
            let (Some(was), Some(is)) = (was, is) else { continue };
            has_compared = true;
            if let Some((was, is)) = was.iter().zip(is).find(|(was, is)| !was.is_same(is, has_hashes)) {
                return Some((Some(number), told(&was.text, &is.text)));
            }
        }
        match (&self.result, &other.result) {
            (Some(was), Some(is)) if (self.is_at_border || !has_compared) && was != is => {
                return Some((None, told(was, is)));
            }
            _ => {}
        }
        for ((class, was), (other, is)) in self.answers.iter().zip(&other.answers) {
            // Objects of other classes are asked other things.
            let differ = |it: &(&String, &String)| {
                it.0 != it.1 && !it.0.ends_with(UNKNOWN) && !it.1.ends_with(UNKNOWN)
            };
            if class == other
                && let Some((was, is)) = was.iter().zip(is).find(differ)
            {
                return Some((None, told(was, is)));
            }
        }
        None
    }
}

/// Records what runs: the methods that are entered, and the values that are asserted something of.
#[derive(Clone, Default)]
struct Witness(Rc<RefCell<Seen>>);

#[derive(Default)]
struct Seen {
    entered: BTreeSet<MethodId>,
    asserted: Vec<AssertedValues>,
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
        wanted: Wanted<'_>,
    ) -> Option<Observation> {
        let asserting = self.versions.assertions.clone().unwrap_or_default();
        let witness = Witness::default();
        witness.0.borrow_mut().asserting = asserting.clone();
        self.exchange(machine, with_earlier, true);
        let observed = self.aside(machine, |machine| {
            machine.exchange_observer(Some(Box::new(witness.clone())));
            let looks = machine.registers().entropy_reads;
            let ended = machine.ask(running.call.method, &running.arguments);
            let end = end_of(machine, &ended)?;
            let result = match ended {
                Ok(CallEnd::Returned(result)) => result,
                Ok(CallEnd::Threw(thrown)) if wanted.is_at_border => {
                    return Some((told_end(machine, end, thrown), None, Vec::new(), Vec::new()));
                }
                _ => return Some((end, None, Vec::new(), Vec::new())),
            };
            // What depends on the time need not be the same twice.
            let is_determined = machine.registers().entropy_reads == looks;
            let answers = match wanted.asks && is_determined {
                true => self.answers(machine, running, result, &|| Box::new(witness.clone())),
                false => Vec::new(),
            };
            asserting.watch(machine, true);
            let shown = wanted.conditions.iter().map(|(branch, matched)| {
                witness.0.borrow_mut().asserted.clear();
                let end = self.continued(machine, running, &witness, (*branch, matched), result)?;
                let mut shown = std::mem::take(&mut witness.0.borrow_mut().asserted);
                shown.push(AssertedValues::end(end));
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
            let is_seen = is_asserted || wanted.is_at_border && is_determined;
            let text =
                (kind != Kind::Void && is_seen && is_plain && !is_hash_code(machine, running.call.method))
                    .then(|| format!("it returns {}", without_identities(&rendered(machine, kind, result))));
            Some((end, text, shown, answers))
        });
        self.exchange(machine, with_earlier, false);
        let (end, result, conditions, answers) = observed?;
        let entered = std::mem::take(&mut witness.0.borrow_mut().entered);
        let is_at_border = wanted.is_at_border;
        Some(Observation { end, result, conditions, answers, is_at_border, entered })
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

/// Whether a method is `hashCode()`, whose values may be others in each version.
pub(super) fn is_hash_code(machine: &Machine, method: MethodId) -> bool {
    let method = machine.method(method);
    &*method.name == "hashCode" && &*method.descriptor == "()I"
}

/// How a call ended that threw, with the message if the exception is not one of the JDK, whose messages may
/// depend on how a method is written.
fn told_end(machine: &Machine, end: String, thrown: Addr) -> String {
    let is_own = !machine.class(machine.class_of(thrown)).from_jdk;
    match machine.throwable_message(thrown).filter(|_| is_own) {
        Some(units) => format!("{end}: {}", without_identities(&String::from_utf16_lossy(&units))),
        None => end,
    }
}

/// How a run ended: `None` if it did not, or for reasons that say nothing about the program.
pub(super) fn end_of(machine: &Machine, ended: &Result<CallEnd, Halt>) -> Option<String> {
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
