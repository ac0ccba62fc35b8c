//! One call on one state: how an exploration makes it, records it, and recognises the state that it leads to.

use super::extremes::Extremes;
use super::limits::{Exploration, ExplorerLimits, ReachedState};
use super::shape::shape;
use super::statics::Statics;
use super::warm_up::warm_up;
use crate::capture::{Observers, find_observers, value_of};
use crate::object_equality::{ObjectCopy, detach, hash_code};
use crate::pool::Pool;
use crate::recorder::{Recording, Subjects, declares};
use crate::runner::{CALL_FUEL, prepare, run_call};
use crate::sequence::{Arg, CallSequence, Construction, Invocation};
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::{Image, Moment, Value};
use cupping_explore::Path;
use cupping_generate::canonical;
use cupping_machine::{Addr, CallEnd, Kind, Machine, MethodId, Snapshot, Value as Slot};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The part of a state that is kept besides its observable values.
pub(super) struct Fork {
    pub(super) snapshot: Snapshot,
    /// Number of argument lists tried, by method.
    pub(super) called: Vec<usize>,
}

/// A call that was made, before the state that it leads to is looked up.
pub(super) struct ExecutedCall {
    /// The recorded execution.
    pub(super) execution: Execution,
    /// If it returned, the object that it created or left, with its construction.
    pub(super) object: Option<(Construction, Addr)>,
    /// The object that it returned.
    result: Option<Addr>,
}

/// The explorer of a class.
pub struct Explorer<'m> {
    pub(super) machine: &'m mut Machine,
    pub(super) subject: &'m Subject,
    pub(super) observers: Observers,
    pub(super) limits: ExplorerLimits,
    pub(super) pool: Pool,
    pub(super) equals: Option<MethodId>,
    pub(super) base: Snapshot,
    pub(super) shared: Addr,
    pub(super) forks: Vec<Fork>,
    pub(super) keys: FxHashMap<u64, u32>,
    /// The numbers of objects, by what tells these apart.
    numbers: FxHashMap<u64, u32>,
    /// The numbers of objects, by their shape.
    shapes: FxHashMap<u64, u32>,
    pub(super) hash: Option<MethodId>,
    /// A copy of the first state of each number, with its hash code.
    pub(super) representatives: Vec<(Option<ObjectCopy>, Option<u64>)>,
    pub(super) queue: BTreeSet<(usize, u32)>,
    pub(super) work: u64,
    /// Whether a call led to another state, by method.
    pub(super) moved: Vec<bool>,
    /// Whether the last call took much memory.
    pub(super) is_large: bool,
    /// Whether a call read the clock, a seed or an identity hash code.
    pub(super) reads_entropy: bool,
    pub(super) found: Exploration,
    pub(super) statics: Statics,
    /// Extreme states of challenges.
    pub(super) extremes: Extremes,
}

/// The largest number of states that a new one is compared with.
const MOST_COMPARED: usize = 120;
/// Limit on the memory, in words, of a call whose state is extended.
const LARGE: u64 = 2_048;
/// Limit on the growth of memory by a call, in words. Huge arrays are not informative.
const MOST_GROWTH: u64 = 200_000;
/// The largest number of objects of the class that are passed as arguments.
const MOST_PASSED: usize = 5;
/// Limit on the additional objects that methods of other objects return.
const MOST_GROWN: usize = 2;

impl<'m> Explorer<'m> {
    /// Prepares an exploration from the machine's present state.
    pub fn new(
        machine: &'m mut Machine,
        subject: &'m Subject,
        recorded: &Recording,
        limits: ExplorerLimits,
    ) -> Explorer<'m> {
        let limits = limits.of(subject.methods.len());
        let mut pool = Pool::new(machine, subject, recorded);
        // A class with many methods gets more states and fewer values of each argument.
        let called =
            subject.methods.iter().filter(|it| it.has_receiver() && !it.parameters.is_empty()).count();
        pool.limit(limits.executions / (24 * called.max(1)));
        let constants = pool.constants().iter().map(|it| i128::from(*it)).collect();
        // States, arguments and images are known by their addresses.
        machine.disable_collection();
        pool.implement(machine, subject);
        warm_up(machine, subject, &mut pool);
        let statics = Statics::new(machine, subject.layouts.keys());
        let base = machine.snapshot();
        let shared = machine.memory().used();
        let observers = find_observers(machine, subject.class, subject);
        let equals = machine.find_method(subject.class, "equals", "(Ljava/lang/Object;)Z");
        let hash = machine.find_method(subject.class, "hashCode", "()I");
        let object = machine.load("java/lang/Object").ok();
        let hash = hash.filter(|it| subject.has_equals && Some(machine.method(*it).class) != object);
        Explorer {
            machine,
            statics,
            extremes: Extremes::default(),
            subject,
            hash,
            observers,
            limits,
            pool,
            equals: equals.filter(|_| subject.has_equals),
            base,
            shared,
            forks: Vec::new(),
            keys: FxHashMap::default(),
            numbers: FxHashMap::default(),
            shapes: FxHashMap::default(),
            representatives: Vec::new(),
            queue: BTreeSet::new(),
            work: 0,
            moved: vec![false; subject.methods.len()],
            is_large: false,
            reads_entropy: false,
            found: Exploration { constants, ..Exploration::default() },
        }
    }

    /// Whether more calls may be made.
    pub(super) fn has_budget(&self) -> bool {
        self.found.executions.len() < self.limits.executions
            && self.work < self.limits.work
            && !(self.limits.interrupted)()
    }

    /// Makes all calls on a state that have not been made yet.
    pub(super) fn expand(&mut self, state: u32) {
        self.found.states[state as usize].expanded = true;
        for method in 0..self.subject.methods.len() {
            if !self.subject.methods[method].has_receiver() {
                continue;
            }
            self.machine.restore(&self.base);
            let called = self.forks[state as usize].called[method];
            for arguments in self.pool.choices(self.machine, self.subject, method).into_iter().skip(called) {
                if !self.has_budget() {
                    let calls = self.found.states[state as usize].made.calls();
                    self.found.complete = self.found.complete.min(calls - 1);
                    return;
                }
                self.forks[state as usize].called[method] += 1;
                let snapshot = self.forks[state as usize].snapshot.clone();
                self.machine.restore(&snapshot);
                let call = Invocation { invokable: self.subject.methods[method].clone(), arguments };
                self.call(method, call, Some(state));
            }
        }
    }

    /// Makes a call and records it, with the state that it leads to. The machine is in the state before the call.
    pub(super) fn call(&mut self, method: usize, call: Invocation, from: Option<u32>) {
        let before = from.map(|it| self.found.states[it as usize].clone());
        let Some(ExecutedCall { mut execution, object, result }) =
            self.attempt(method, call, before.as_ref(), from)
        else {
            return;
        };
        let mut to = None;
        if let Some((made, object)) = object {
            let image = Some(execution.exit.state.clone()).filter(|it| it.objects.contains_key(&object));
            let image = image.filter(|_| execution.exit.this.is_present());
            to = self.reach(from, Rc::new(made), object, image);
            self.moved[method] |= from.is_some() && to.is_some() && from != to;
        }
        if let (Some(test), Some(result)) = (&execution.test, result)
            && let Some(made) = &test.receiver
        {
            self.grow(from, made, &test.call, result, before.map(|it| it.receiver));
        }
        execution.origin = ExecutionOrigin::Explored { from, to };
        self.found.executions.push(execution);
    }

    /// Makes a call. The machine is in the state `before` the call, which has the index `from` if it is a numbered
    /// state.
    pub(super) fn attempt(
        &mut self,
        method: usize,
        call: Invocation,
        before: Option<&ReachedState>,
        from: Option<u32>,
    ) -> Option<ExecutedCall> {
        self.found.tried += 1;
        let object = before.map(|it| it.receiver);
        let Ok(ready) = prepare(self.machine, &call, object) else {
            self.found.stuck += 1;
            return None;
        };
        let invokable = call.invokable.clone();
        let kinds: Vec<Kind> = invokable.parameters.iter().map(|it| it.kind).collect();
        let plain = &ready.values[usize::from(ready.has_this)..];
        let entry = self.moment(&kinds, object, before.map(|it| it.image.clone()), plain, None);
        self.found.passed.extend(entry.arguments.iter().filter_map(Value::number));
        let (volatile, used) = (self.machine.registers().volatile_reads, self.machine.memory().used());
        let left = run_call(self.machine, &ready);
        self.work += 1 + CALL_FUEL.saturating_sub(self.machine.fuel()).min(CALL_FUEL);
        let is_spent = |machine: &Machine, left: &CallEnd| match left {
            // Exhausted memory is a limit of this machine, not a property of the code.
            CallEnd::Threw(exception) => machine.class_name_of(*exception) == "java/lang/OutOfMemoryError",
            CallEnd::Returned(_) => false,
        };
        // Reading a large heap is work, too; huge ones are not read.
        let grown = u64::from(self.machine.memory().used().saturating_sub(used));
        self.work += grown / 16;
        self.is_large = grown > LARGE;
        let effects = self.machine.effects();
        let changes = self.found.changes_statics || self.statics.changed(self.machine).is_some();
        self.found.changes_statics = changes;
        let left = left.ok().filter(|it| grown < MOST_GROWTH && !is_spent(self.machine, it));
        let Some(left) = left else {
            self.found.stuck += 1;
            return None;
        };
        let is_stable = self.machine.registers().volatile_reads == volatile;
        self.reads_entropy |= !is_stable;
        let this = if invokable.is_constructor() { Some(ready.values[0].as_ref()) } else { object };
        let (ending, result) = self.ending(&invokable, &left, is_stable);
        let mut made = None;
        if matches!(ending, CallOutcome::Returned(_)) {
            made = match before {
                Some(before) => Some((before.made.and(call.clone()), before.receiver)),
                None => self.maker(method, &call, &left, this),
            };
        }
        let key = this.filter(|_| !matches!(ending, CallOutcome::Threw { .. }) || object.is_some());
        let key = key.and_then(|it| self.key(it));
        let is_untouched = used == self.machine.memory().used()
            && from.is_some_and(|it| key.is_some() && self.keys.get(&key.unwrap_or(0)) == Some(&it));
        let known = before.map(|it| it.image.clone()).filter(|_| is_untouched);
        let shown = this.filter(|_| object.is_some() || !matches!(ending, CallOutcome::Threw { .. }));
        let exit = self.moment(&kinds, shown, known, plain, result);
        let test = Some(Rc::new(CallSequence { receiver: before.map(|it| it.made.clone()), call }));
        let origin = ExecutionOrigin::Explored { from: None, to: None };
        let execution = Execution { method, entry, exit, ending, origin, test, effects };
        Some(ExecutedCall { execution, object: made, result })
    }

    fn ending(
        &mut self,
        invokable: &cupping_generate::Invokable,
        left: &CallEnd,
        is_stable: bool,
    ) -> (CallOutcome, Option<Addr>) {
        match left {
            CallEnd::Returned(value) => {
                let kind = result_kind(invokable);
                let is_object = kind == Kind::Reference && value.as_ref() != 0;
                let shown = if kind == Kind::Void || invokable.is_constructor() || !is_stable {
                    Value::Absent
                } else {
                    value_of(self.machine, kind, value.bits)
                };
                (CallOutcome::Returned(shown), is_object.then(|| value.as_ref()))
            }
            CallEnd::Threw(exception) => {
                let declared = declares(self.machine, invokable, *exception);
                (
                    CallOutcome::Threw { class: Rc::from(self.machine.class_name_of(*exception)), declared },
                    None,
                )
            }
        }
    }

    /// An object of the class that a method returns is a state to continue from (slides: "grow parameters").
    fn grow(
        &mut self,
        from: Option<u32>,
        of: &Rc<Construction>,
        call: &Invocation,
        result: Addr,
        this: Option<Addr>,
    ) {
        let is_own = self.machine.class_of(result) == self.subject.class && this != Some(result);
        if is_own && of.calls() < self.limits.calls {
            self.reach(from, Rc::new(Construction::grown(of.clone(), call.clone())), result, None);
        }
    }

    /// The object that a maker returned.
    fn maker(
        &mut self,
        method: usize,
        call: &Invocation,
        left: &CallEnd,
        this: Option<Addr>,
    ) -> Option<(Construction, Addr)> {
        let is_maker = self.subject.makers.contains(&method);
        let object = match left {
            _ if !is_maker => 0,
            CallEnd::Returned(value) => this.unwrap_or(value.as_ref()),
            CallEnd::Threw(_) => 0,
        };
        (object != 0).then(|| (Construction::new(call.clone()), object))
    }

    fn moment(
        &mut self,
        kinds: &[Kind],
        this: Option<Addr>,
        state: Option<Rc<Image>>,
        arguments: &[Slot],
        result: Option<Addr>,
    ) -> Moment {
        let of = Subjects { subject: self.subject };
        let observers = self.observers.clone();
        match state {
            Some(state) => of.with_state(self.machine, &observers, state, kinds, this, arguments, result),
            None => of.moment(self.machine, &observers, kinds, this, arguments, result),
        }
    }

    /// What tells states apart: the object, and static fields as far as calls have changed them.
    pub(super) fn key(&mut self, object: Addr) -> Option<u64> {
        self.keys_of(object).map(|it| it.1)
    }

    /// What tells objects apart, and what tells states apart.
    fn keys_of(&mut self, object: Addr) -> Option<(u64, u64)> {
        let key = canonical(self.machine, &[Slot::reference(object)], &Path::default())?.key;
        let changed = self.statics.changed(self.machine);
        self.found.changes_statics |= changed.is_some();
        Some((key, changed.map_or(key, |it| key.rotate_left(1) ^ it)))
    }

    /// An object and what it refers to, as they are now.
    pub(super) fn image_of(&mut self, object: Addr) -> Rc<Image> {
        let of = Subjects { subject: self.subject };
        Rc::new(of.image(self.machine, &self.observers, &[object], None))
    }

    /// Adds the state that the machine is in, if it is new; returns its index.
    pub(super) fn reach(
        &mut self,
        parent: Option<u32>,
        made: Rc<Construction>,
        object: Addr,
        image: Option<Rc<Image>>,
    ) -> Option<u32> {
        let (shape, key) = self.keys_of(object)?;
        if let Some(known) = self.keys.get(&key) {
            return Some(*known);
        }
        let state = self.found.states.len() as u32;
        if self.found.states.len() >= self.limits.states * 32 {
            self.found.complete = self.found.complete.min(made.calls().saturating_sub(1));
            return None;
        }
        let image = image.unwrap_or_else(|| self.image_of(object));
        // Objects that are alike are not told apart by static fields.
        let (number, is_new) = match self.numbers.get(&shape) {
            Some(known) => (*known, false),
            None => self.number(parent, object),
        };
        self.numbers.insert(shape, number);
        self.keys.insert(key, state);
        let called = vec![0; self.subject.methods.len()];
        self.forks.push(Fork { snapshot: self.machine.snapshot(), called });
        let is_passed = |arg: &Arg| matches!(arg, Arg::Make(_));
        let is_simple = !made.then.iter().chain([&made.maker]).any(|it| it.arguments.iter().any(is_passed));
        let most = MOST_PASSED + if made.of.is_some() { MOST_GROWN } else { 0 };
        if is_new && is_simple && self.pool.objects.len() < most && made.calls() <= 3 {
            self.pool.objects.push(made.clone());
        }
        let is_large = self.is_large || parent.is_some_and(|it| self.found.states[it as usize].is_large);
        let priority = made.calls() + usize::from(!is_new) * 2 + usize::from(is_large) * 4;
        self.queue.insert((priority, state));
        let expanded = false;
        self.found.states.push(ReachedState {
            parent,
            made,
            number,
            receiver: object,
            image,
            expanded,
            is_large,
        });
        Some(state)
    }

    /// The number of the state that the machine is in, and whether it is new.
    fn number(&mut self, parent: Option<u32>, object: Addr) -> (u32, bool) {
        let shape = shape(self.machine, self.subject, object);
        if let Some(known) = shape.and_then(|it| self.shapes.get(&it)) {
            return (*known, false);
        }
        let (number, is_new) = self.number_by_equals(parent, object);
        self.shapes.extend(shape.map(|it| (it, number)));
        (number, is_new)
    }

    /// As `number`; objects without an `equals` of their own are new.
    fn number_by_equals(&mut self, parent: Option<u32>, object: Addr) -> (u32, bool) {
        if let Some(equals) = self.equals {
            let likely = parent.map(|it| self.found.states[it as usize].number);
            // Equal objects have equal hash codes, if there are hash codes.
            let hash = self.hash.and_then(|hash| hash_code(self.machine, hash, object));
            let fits = |at: &u32| hash.is_none() || self.representatives[*at as usize].1 == hash;
            let all = (0..self.representatives.len() as u32).filter(fits).take(MOST_COMPARED);
            let all: Vec<u32> = likely.into_iter().chain(all).collect();
            for number in all {
                let Some(copy) = self.representatives[number as usize].0.take() else { continue };
                let is_same = copy.equals(self.machine, equals, object);
                self.representatives[number as usize].0 = Some(copy);
                if is_same {
                    return (number, false);
                }
            }
            self.representatives.push((detach(self.machine, object, self.shared), hash));
        }
        let number = self.found.numbers;
        self.found.numbers += 1;
        (number, true)
    }
}

/// The kind of what a method returns.
pub(super) fn result_kind(invokable: &cupping_generate::Invokable) -> Kind {
    let descriptor = invokable.reference.descriptor.rsplit(')').next().unwrap_or("V");
    Kind::of_descriptor(descriptor.as_bytes().first().copied().unwrap_or(b'V'))
}
