//! Reaching definitions: the uses that a definition reaches along definition-clear paths of the class
//! control-flow graph.
//!
//! Constants are propagated along these paths (`constants`), so that a path that sets a variable to zero does
//! not continue where the variable must be non-zero. Nothing is known at the start of a path, since the state
//! before the definition is up to deduction. Calls are followed context-insensitively, so a path may return
//! to a caller that it did not come from. This over-approximates: unreachable is a proof.
//!
//! A constructor that a method calls runs on a new object. Its own uses are not those of the object that has the
//! definition, and its own definitions do not overwrite it, so the walk remembers where it is on a new object. The
//! object with the definition is constructed once: a path returns only into constructors that may run at its start.
//!
//! A definition on an object other than `this`, as in a copy, may be followed by any call on that object. Calls on it
//! may also run already, and called what executes the definition. So such a walk also begins at all methods but
//! constructors, and behind all calls.

use super::constants::{KnownValue, Values, join, step};
use super::{ClassGraph, ProgramPoint};
use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use cupping_classfile::Action;
use cupping_classfile::interpreter::Frame;
use rustc_hash::FxHashMap;

/// The positions that a definition of a variable reaches.
pub struct Reach {
    before: FxHashMap<Stop, Values>,
    /// Whether a call by a client may throw while the definition is live.
    pub outlives_exception: bool,
}

/// A position, and whether it is reached on an object that was created after the definition.
type Stop = (ProgramPoint, bool);

/// Limit on the steps for all definitions of a class; beyond it, constants are not propagated.
pub const STEPS: u64 = 4_000_000;

impl Reach {
    /// Propagates the definition at position `at`. `steps` is the remaining limit.
    pub fn of(
        flat: &FlatClass,
        graph: &ClassGraph,
        accesses: &Accesses,
        variable: usize,
        at: ProgramPoint,
        failures: Failures,
        steps: &mut u64,
    ) -> Reach {
        let methods = flat.methods.len();
        let mut walk = Walk {
            flat,
            graph,
            is_static: flat.variables[variable].is_static,
            failures,
            before: FxHashMap::default(),
            open: Vec::new(),
            running: running_constructors(flat, graph, at.0),
            returned: vec![None; 2 * methods],
            threw: vec![None; 2 * methods],
            outside: None,
            outlives_exception: false,
        };
        let mut first = Values::at(graph, at, vec![KnownValue::Anything; flat.variables.len()]);
        walk.statement(at, &mut first);
        // A call may change its object and throw then; a store that fails stores nothing.
        if matches!(flat.methods[at.0].instructions[at.1].action(), Action::Invoke(_)) {
            walk.fail((at, false), &first);
        }
        walk.leave((at, false), first, true);
        let defines = |id: &usize| {
            let access = &accesses.all[*id];
            access.variable == variable && access.is_definition && !access.on_this
        };
        if accesses.at(at.0, at.1).iter().any(defines) {
            walk.enter_wherever_it_may_be();
        }
        while let Some(stop) = walk.open.pop() {
            let Some(mut values) = walk.before.get(&stop).cloned() else { continue };
            let (place, is_new) = stop;
            match steps.checked_sub(1) {
                Some(left) => *steps = left,
                None => values = Values::at(graph, place, vec![KnownValue::Anything; flat.variables.len()]),
            }
            if is_new || !accesses.defines(place.0, place.1, variable) {
                walk.leave(stop, values, false);
            } else {
                // If the instruction fails, the new value has not been stored.
                walk.fail(stop, &values);
            }
        }
        Reach { before: walk.before, outlives_exception: walk.outlives_exception }
    }

    /// Whether the definition reaches a position; with `or_new` also on an object that was created after it, which may
    /// share an array with the first.
    pub fn reaches(&self, place: ProgramPoint, or_new: bool) -> bool {
        self.before.contains_key(&(place, false)) || or_new && self.before.contains_key(&(place, true))
    }
}

/// How a sequence continues after a call that throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// A call on the same object.
    GoOn,
    /// Not at all.
    End,
}

struct Walk<'a> {
    flat: &'a FlatClass,
    graph: &'a ClassGraph,
    /// Whether the variable is static, so that other objects may access it in between.
    is_static: bool,
    failures: Failures,
    /// The positions reached, with the constants known there.
    before: FxHashMap<Stop, Values>,
    open: Vec<Stop>,
    /// The constructors of the object that may run when the definition is executed, by method.
    running: Vec<bool>,
    /// The values of variables at normal returns, by method: two each, the second for new objects.
    returned: Vec<Option<Vec<KnownValue>>>,
    /// The values of variables at exceptional exits, likewise.
    threw: Vec<Option<Vec<KnownValue>>>,
    /// The values of variables at the class node.
    outside: Option<Vec<KnownValue>>,
    outlives_exception: bool,
}

/// Merges the values of another path; returns whether anything changed.
fn meet(known: &mut Option<Vec<KnownValue>>, other: &[KnownValue]) -> bool {
    match known {
        Some(known) => join(known, other),
        None => {
            *known = Some(other.to_vec());
            true
        }
    }
}

/// The constructors that may run on the same object while a method runs: those from which calls lead to it, and those
/// that these call on their object.
fn running_constructors(flat: &FlatClass, graph: &ClassGraph, method: usize) -> Vec<bool> {
    let is_constructor = |method: usize| flat.methods[method].is_constructor();
    let mut above = vec![false; flat.methods.len()];
    let mut open = vec![method];
    while let Some(next) = open.pop() {
        if std::mem::replace(&mut above[next], true) {
            continue;
        }
        let hooks = graph.hooks.iter().filter(|_| flat.back.methods.contains(&next));
        for place in graph.callers[next].iter().chain(hooks) {
            let is_own = graph.calls[place.0][place.1].is_none_or(|call| call.is_own);
            if is_own || !is_constructor(next) {
                open.push(place.0);
            }
        }
    }
    let mut running = vec![false; flat.methods.len()];
    let mut open: Vec<usize> = (0..above.len()).filter(|it| above[*it] && is_constructor(*it)).collect();
    while let Some(next) = open.pop() {
        if !std::mem::replace(&mut running[next], true) {
            let calls = graph.calls[next].iter().flatten().filter(|call| call.is_own);
            open.extend(calls.map(|call| call.callee).filter(|callee| is_constructor(*callee)));
        }
    }
    running
}

impl Walk<'_> {
    fn arrive(&mut self, stop: Stop, values: Values) {
        let is_news = match self.before.get_mut(&stop) {
            Some(known) => known.join(&values),
            None => {
                self.before.insert(stop, values);
                true
            }
        };
        if is_news {
            self.open.push(stop);
        }
    }

    /// Begins where the methods of an object may be when other code changes it.
    fn enter_wherever_it_may_be(&mut self) {
        self.running.fill(true);
        let (flat, graph) = (self.flat, self.graph);
        let unknown = vec![KnownValue::Anything; flat.variables.len()];
        for (method, body) in flat.methods.iter().enumerate() {
            if !body.is_constructor() && !body.instructions.is_empty() {
                self.enter(((method, 0), false), unknown.clone());
            }
            for at in 0..body.instructions.len() {
                if matches!(body.instructions[at].action(), Action::Invoke(_)) {
                    let handlers = graph.next(flat, (method, at)).handlers;
                    let behind = body.targets[at].iter().map(|next| (method, *next)).chain(handlers);
                    behind.for_each(|place| self.enter((place, false), unknown.clone()));
                }
            }
        }
    }

    /// Enters a position from another method.
    fn enter(&mut self, stop: Stop, fields: Vec<KnownValue>) {
        let values = Values::at(self.graph, stop.0, fields);
        self.arrive(stop, values);
    }

    /// The constant stored by a definition is part of its statement, unless the store is also reached from elsewhere:
    /// `size > 0 ? list : null` has two values.
    fn statement(&self, (method, at): ProgramPoint, values: &mut Values) {
        let body = &self.flat.methods[method];
        if let Some(before) = at.checked_sub(1)
            && body.targets[before] == [at]
            && body.targets.iter().filter(|targets| targets.contains(&at)).count() == 1
        {
            let (locals, stack) = (values.frame.locals.len(), values.frame.stack.len());
            let unknown = Values::at(self.graph, (method, before), values.fields.clone());
            if let Some((after, _)) = step(self.flat, self.graph, (method, before), unknown)
                && (after.frame.locals.len(), after.frame.stack.len()) == (locals, stack)
            {
                values.frame.stack = after.frame.stack;
            }
        }
    }

    /// The variables of an object that may differ from the one under test.
    fn of_another(&self, fields: &[KnownValue]) -> Vec<KnownValue> {
        let known = fields.iter().zip(&self.flat.variables);
        known
            .map(|(known, variable)| if variable.is_static { *known } else { KnownValue::Anything })
            .collect()
    }

    fn forget(fields: &mut [KnownValue], defined: impl IntoIterator<Item = usize>) {
        defined.into_iter().for_each(|variable| fields[variable] = KnownValue::Anything);
    }

    /// Continues after a position; a definition that fails has not taken place.
    fn leave(&mut self, stop: Stop, values: Values, is_definition: bool) {
        let (place, is_new) = stop;
        let (method, at) = place;
        if !is_definition {
            self.fail(stop, &values);
        }
        let next = self.graph.next(self.flat, place);
        if next.returns {
            self.exit(method, is_new, values.fields, false);
            return;
        }
        let mut fields = values.fields.clone();
        if let Some(call) = self.graph.calls[method][at] {
            let inside = if call.is_own { fields.clone() } else { self.of_another(&fields) };
            let creates = !self.is_static && !call.is_own && self.flat.methods[call.callee].is_constructor();
            // A call on an object that is not `this` may be on the first one again.
            self.enter(((call.callee, 0), creates || is_new && call.is_own), inside);
            if !call.is_own {
                Self::forget(&mut fields, self.graph.defined[call.callee].iter().copied());
            }
        } else if self.graph.hooks.contains(&place) {
            let inside = if is_new { self.of_another(&fields) } else { fields.clone() };
            for called in &self.flat.back.methods {
                let creates = !self.is_static && self.flat.methods[*called].is_constructor();
                self.enter(((*called, 0), creates), inside.clone());
            }
            Self::forget(&mut fields, self.flat.back.defined.iter().copied());
        }
        let after = step(self.flat, self.graph, place, Values { fields: fields.clone(), ..values });
        for next in next.places {
            match &after {
                Some((after, ways)) if ways.contains(&next.1) => self.arrive((next, is_new), after.clone()),
                Some(_) => {}
                None => self.enter((next, is_new), vec![KnownValue::Anything; fields.len()]),
            }
        }
    }

    /// Continues at an exception, before the instruction has had an effect.
    fn fail(&mut self, (place, is_new): Stop, values: &Values) {
        let next = self.graph.next(self.flat, place);
        for handler in next.handlers {
            let frame = Frame { locals: values.frame.locals.clone(), stack: vec![Some(KnownValue::Object)] };
            let caught = Values { fields: values.fields.clone(), frame };
            self.arrive((handler, is_new), caught);
        }
        if next.throws {
            self.exit(place.0, is_new, values.fields.clone(), true);
        }
    }

    /// Leaves a method: to its callers, and through the class node to every method that can be called on the
    /// object.
    fn exit(&mut self, method: usize, is_new: bool, fields: Vec<KnownValue>, is_exception: bool) {
        // Exceptions propagate through the callers.
        let mut leaving = vec![(method, fields)];
        while let Some((method, fields)) = leaving.pop() {
            let ends = if is_exception { &mut self.threw } else { &mut self.returned };
            let known = &mut ends[2 * method + usize::from(is_new)];
            if !meet(known, &fields) {
                continue;
            }
            let fields = known.clone().unwrap_or(fields);
            let (flat, graph) = (self.flat, self.graph);
            let is_hooked = flat.back.methods.contains(&method);
            let hooks = graph.hooks.iter().filter(|_| is_hooked);
            for place in graph.callers[method].iter().chain(hooks) {
                let is_own = graph.calls[place.0][place.1].is_none_or(|call| call.is_own);
                // The walk went on behind the call that created the object, and was not there after a hook.
                if is_new && (!is_own || graph.hooks.contains(place)) {
                    continue;
                }
                let is_over = flat.methods[place.0].is_constructor() && !self.running[place.0];
                if is_over && !is_new && !self.is_static {
                    continue;
                }
                let there = if is_own { fields.clone() } else { self.of_another(&fields) };
                // Outside code may catch what a callback throws.
                if !is_exception || graph.hooks.contains(place) {
                    for next in &flat.methods[place.0].targets[place.1] {
                        self.enter(((place.0, *next), is_new), there.clone());
                    }
                }
                if !is_exception {
                    continue;
                }
                let next = graph.next(flat, *place);
                for handler in next.handlers {
                    self.enter((handler, is_new), there.clone());
                }
                if next.throws {
                    leaving.push((place.0, there));
                }
            }
            if !is_new && (!is_exception || self.failures == Failures::GoOn) {
                self.outlives_exception |= is_exception && self.flat.is_entry[method];
                self.outside(method, &fields);
            }
        }
    }

    /// Leaves through the class node, if a client can call the method.
    fn outside(&mut self, method: usize, fields: &[KnownValue]) {
        let is_initializer = &*self.flat.methods[method].name == "<clinit>";
        let back = &self.flat.back;
        let is_others = back.deferred.contains(&method)
            || back.makers.contains(&method)
            || self.graph.on_others.contains(&method);
        if !(self.flat.is_entry[method] || is_initializer || is_others) {
            return;
        }
        let mut fields: Vec<KnownValue> = fields.to_vec();
        for (known, variable) in fields.iter_mut().zip(&self.flat.variables) {
            // Calls on other objects may come in between. They change static variables, and a pair of a
            // static variable includes them.
            if variable.is_static || self.is_static || is_initializer {
                *known = KnownValue::Anything;
            }
        }
        if !meet(&mut self.outside, &fields) {
            return;
        }
        let fields = self.outside.clone().unwrap_or(fields);
        // Lambdas may be called by the code that holds them, and other methods by calls on another object of the class.
        let (flat, on_others) = (self.flat, &self.graph.on_others);
        let is_open =
            |m: &usize| flat.is_entry[*m] || flat.back.deferred.contains(m) || on_others.contains(m);
        for entry in (0..self.flat.methods.len()).filter(is_open) {
            // An object is constructed only once.
            if self.is_static || !self.flat.methods[entry].is_constructor() {
                self.enter(((entry, 0), false), fields.clone());
            }
        }
    }
}
