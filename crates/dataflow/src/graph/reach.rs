//! Which uses a definition reaches along paths of the class control-flow graph without another definition.
//!
//! Constants are propagated along these paths (`constants`), so that one which sets a variable to zero does not go on
//! where that variable is not zero. Nothing is known where a path begins: what was before the definition is a matter of
//! deduction. Calls are followed without regard to where they came from, so that a path may return to a caller it did not
//! have: what is found to be unreachable is so.

use super::constants::{Known, Values, join, step};
use super::{ClassGraph, Place};
use crate::accesses::Accesses;
use crate::flat::Flat;
use cupping_classfile::interpreter::Frame;
use rustc_hash::FxHashMap;

/// The places that are reached from the definition of a variable without another definition of it.
pub struct Reach {
    before: FxHashMap<Place, Values>,
}

/// The steps that may be taken for all definitions of a class; those behind them are followed without constants.
pub const STEPS: u64 = 4_000_000;

impl Reach {
    /// Follows a definition; `at` is a place that defines the variable. `steps` is what is left for constants.
    pub fn of(
        flat: &Flat,
        graph: &ClassGraph,
        accesses: &Accesses,
        variable: usize,
        at: Place,
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
            returned: vec![None; methods],
            threw: vec![None; methods],
            outside: None,
        };
        let mut first = Values::at(graph, at, vec![Known::Anything; flat.variables.len()]);
        walk.statement(at, &mut first);
        walk.leave(at, first, true);
        while let Some(place) = walk.open.pop() {
            let Some(mut values) = walk.before.get(&place).cloned() else { continue };
            match steps.checked_sub(1) {
                Some(left) => *steps = left,
                None => values = Values::at(graph, place, vec![Known::Anything; flat.variables.len()]),
            }
            if !accesses.defines(place.0, place.1, variable) {
                walk.leave(place, values, false);
            } else {
                // The new value is not there yet where the instruction fails.
                walk.fail(place, &values);
            }
        }
        Reach { before: walk.before }
    }

    /// Whether a place is reached.
    pub fn reaches(&self, place: Place) -> bool {
        self.before.contains_key(&place)
    }
}

/// What becomes of a sequence when one of its calls throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// It goes on with the same object.
    GoOn,
    /// It ends.
    End,
}

struct Walk<'a> {
    flat: &'a Flat,
    graph: &'a ClassGraph,
    /// Whether the variable is static: other objects may come between then.
    is_static: bool,
    failures: Failures,
    /// Places before which the definition may be the last, with what is known there.
    before: FxHashMap<Place, Values>,
    open: Vec<Place>,
    /// By method: what is known of variables where it returns.
    returned: Vec<Option<Vec<Known>>>,
    /// And where an exception leaves it.
    threw: Vec<Option<Vec<Known>>>,
    /// And at the class node.
    outside: Option<Vec<Known>>,
}

/// Takes in what is known on another way; whether there is something new.
fn meet(known: &mut Option<Vec<Known>>, other: &[Known]) -> bool {
    match known {
        Some(known) => join(known, other),
        None => {
            *known = Some(other.to_vec());
            true
        }
    }
}

impl Walk<'_> {
    fn arrive(&mut self, place: Place, values: Values) {
        let is_new = match self.before.get_mut(&place) {
            Some(known) => known.join(&values),
            None => {
                self.before.insert(place, values);
                true
            }
        };
        if is_new {
            self.open.push(place);
        }
    }

    /// A place is reached from another method.
    fn enter(&mut self, place: Place, fields: Vec<Known>) {
        let values = Values::at(self.graph, place, fields);
        self.arrive(place, values);
    }

    /// What a definition stores, where it is a constant: that is a part of its statement.
    fn statement(&self, (method, at): Place, values: &mut Values) {
        let body = &self.flat.methods[method];
        if let Some(before) = at.checked_sub(1)
            && body.targets[before] == [at]
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

    /// Variables of an object that need not be the one under test.
    fn of_another(&self, fields: &[Known]) -> Vec<Known> {
        let known = fields.iter().zip(&self.flat.variables);
        known.map(|(known, variable)| if variable.is_static { *known } else { Known::Anything }).collect()
    }

    fn forget(fields: &mut [Known], defined: impl IntoIterator<Item = usize>) {
        defined.into_iter().for_each(|variable| fields[variable] = Known::Anything);
    }

    /// Goes on behind a place; a definition that fails has not taken place.
    fn leave(&mut self, place: Place, values: Values, is_definition: bool) {
        let (method, at) = place;
        if !is_definition {
            self.fail(place, &values);
        }
        let next = self.graph.next(self.flat, place);
        if next.returns {
            self.exit(method, values.fields, false);
            return;
        }
        let mut fields = values.fields.clone();
        if let Some(call) = self.graph.calls[method][at] {
            let inside = if call.is_own { fields.clone() } else { self.of_another(&fields) };
            self.enter((call.callee, 0), inside);
            if !call.is_own {
                Self::forget(&mut fields, self.graph.defined[call.callee].iter().copied());
            }
        } else if self.graph.hooks.contains(&place) {
            for called in &self.flat.back.methods {
                self.enter((*called, 0), fields.clone());
            }
            Self::forget(&mut fields, self.flat.back.defined.iter().copied());
        }
        let after = step(self.flat, self.graph, place, Values { fields: fields.clone(), ..values });
        for next in next.places {
            match &after {
                Some((after, ways)) if ways.contains(&next.1) => self.arrive(next, after.clone()),
                Some(_) => {}
                None => self.enter(next, vec![Known::Anything; fields.len()]),
            }
        }
    }

    /// Goes on where an instruction throws, before it has done anything.
    fn fail(&mut self, place: Place, values: &Values) {
        let next = self.graph.next(self.flat, place);
        for handler in next.handlers {
            let frame = Frame { locals: values.frame.locals.clone(), stack: vec![Some(Known::Object)] };
            let caught = Values { fields: values.fields.clone(), frame };
            self.arrive(handler, caught);
        }
        if next.throws {
            self.exit(place.0, values.fields.clone(), true);
        }
    }

    /// Leaves a method: to its callers, and through the class node to all that can be called on the object.
    fn exit(&mut self, method: usize, fields: Vec<Known>, is_exception: bool) {
        // Exceptions go up through callers, each of which is left in its turn.
        let mut leaving = vec![(method, fields)];
        while let Some((method, fields)) = leaving.pop() {
            let known = if is_exception { &mut self.threw[method] } else { &mut self.returned[method] };
            if !meet(known, &fields) {
                continue;
            }
            let fields = known.clone().unwrap_or(fields);
            let (flat, graph) = (self.flat, self.graph);
            let is_hooked = flat.back.methods.contains(&method);
            let hooks = graph.hooks.iter().filter(|_| is_hooked);
            for place in graph.callers[method].iter().chain(hooks) {
                let is_own = graph.calls[place.0][place.1].is_none_or(|call| call.is_own);
                let there = if is_own { fields.clone() } else { self.of_another(&fields) };
                if !is_exception {
                    for next in &flat.methods[place.0].targets[place.1] {
                        self.enter((place.0, *next), there.clone());
                    }
                    continue;
                }
                let next = graph.next(flat, *place);
                for handler in next.handlers {
                    self.enter(handler, there.clone());
                }
                if next.throws {
                    leaving.push((place.0, there));
                }
            }
            if !is_exception || self.failures == Failures::GoOn {
                self.outside(method, &fields);
            }
        }
    }

    /// Through the class node, where the method is one that a client calls.
    fn outside(&mut self, method: usize, fields: &[Known]) {
        let is_initializer = &*self.flat.methods[method].name == "<clinit>";
        let is_deferred = self.flat.back.deferred.contains(&method);
        if !(self.flat.is_entry[method] || is_initializer || is_deferred) {
            return;
        }
        let mut fields: Vec<Known> = fields.to_vec();
        for (known, variable) in fields.iter_mut().zip(&self.flat.variables) {
            // Calls on other objects may come between; they change static variables, and they are what a pair of a
            // static variable is about.
            if variable.is_static || self.is_static || is_initializer {
                *known = Known::Anything;
            }
        }
        if !meet(&mut self.outside, &fields) {
            return;
        }
        let fields = self.outside.clone().unwrap_or(fields);
        // Whoever was given a lambda may call it.
        let is_open = |m: &usize| self.flat.is_entry[*m] || self.flat.back.deferred.contains(m);
        for entry in (0..self.flat.methods.len()).filter(is_open) {
            // An object is constructed once.
            if self.is_static || !self.flat.methods[entry].is_constructor() {
                self.enter((entry, 0), fields.clone());
            }
        }
    }
}
