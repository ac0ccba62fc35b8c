//! Repairs failing operations under test.
//!
//! A service refuses an order for an empty cart, then since the catalogue lacks the product, then since nothing is in
//! stock. Each refusal names its reason: the method that threw, and what it asked just before. So an operation under
//! test that throws is called again after operations that change what the refusing code has read, on whichever object,
//! until it returns or nothing is left to change. What these operations need is constructed first.

use super::construction::{Effort, Round};
use super::operation::InputChoice;
use crate::neighbourhood::needs_of;
use crate::search::Search;
use cupping_machine::{ClassId, Kind, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The share of the rest of the budget for repairs, and the share of all of it without a find after which they begin.
const SHARE: u64 = 4;
const PATIENCE: u64 = 12;
/// Limit on the calls of one operation under test, with a change before each.
const MAX_ROUNDS: usize = 12;
/// Limit on the changes that are tried for the same refusal.
const MAX_CHANGES: usize = 6;
/// How often the same operation is called for the same refusal.
const MAX_TRIES: u32 = 4;
/// How often parts of an object are made anew, and how deep.
const MAX_PARTS: usize = 4;
const DEPTH: usize = 1;
/// How hard the operation under test and what changes its state are tried.
const GOAL: Effort = Effort { again: 2, words: 0, begins: 1, paths: 12, share: 600 };
const PART: Effort = Effort { again: 0, words: 8, begins: 1, paths: 12, share: 200 };
const CHANGE: Effort = Effort { again: 2, words: 60, begins: 1, paths: 40, share: 150 };

/// How often an operation was called for a refusal at a place.
type Tried = FxHashMap<(Option<(MethodId, u32)>, usize), u32>;

impl Search<'_> {
    /// Whether operations are repaired next: once, when nothing else has found anything for a while.
    pub(in crate::search) fn has_turn_for_repairs(&self) -> bool {
        let patience = self.options.budget.as_micros() as u64 / PATIENCE;
        let is_idle = self.is_tried() || self.work - self.last_find > patience;
        !self.worlds.are_repaired && self.worlds.are_constructed && is_idle && !self.is_complete()
    }

    /// Calls each operation under test that leads to something uncovered, and changes what it asks for while it throws.
    /// What one operation has led to is where the next begins.
    pub(in crate::search) fn repair_operations(&mut self) {
        self.worlds.are_repaired = true;
        let left = (self.options.budget.as_micros() as u64).saturating_sub(self.work);
        let end = self.work + left / SHARE;
        let mut round = Round { end, seen: BTreeSet::new(), made: BTreeSet::new() };
        let mut reached = None;
        for goal in 0..self.worlds.neighbourhood.under_test {
            let invokable = self.worlds.neighbourhood.operations[goal].invokable.clone();
            if self.is_past(end) {
                break;
            }
            if !invokable.has_receiver()
                || invokable.is_constructor()
                || !self.is_relevant(invokable.method, 0)
            {
                continue;
            }
            if let Some(world) = reached {
                let found = self.repair(goal, world, &mut round);
                reached = found.or(reached);
                if found.is_some() {
                    continue;
                }
            }
            if let Some(world) = self.world_with(invokable.class, &mut round) {
                reached = self.repair(goal, world, &mut round).or(reached);
            }
        }
    }

    /// A world with an object of a class: made in it, so that the arguments of its constructor are free, or else by a
    /// recipe.
    fn world_with(&mut self, class: ClassId, round: &mut Round) -> Option<usize> {
        if !self.construct(class, round) {
            return None;
        }
        self.remake(None, class, 0, 0, round).or_else(|| self.append_recipe(None, class))
    }

    /// The world that an operation under test leads to, when what it asks for has been changed.
    fn repair(&mut self, goal: usize, mut world: usize, round: &mut Round) -> Option<usize> {
        let (mut places, mut tried) = (FxHashSet::default(), Tried::default());
        self.construct_needs(goal, round);
        // What the operation takes is in the world, so that other operations can change it before.
        for need in self.needs(goal) {
            if self.worlds.of(Some(world), |it| self.machine.is_subtype(it, need)).is_empty() {
                world = self.append_recipe(Some(world), need).unwrap_or(world);
            }
        }
        for _ in 0..MAX_ROUNDS {
            let returned = self.call_until_returned(Some(world), goal, GOAL);
            if returned.is_some() || self.is_past(round.end) {
                return returned;
            }
            let failure = std::mem::take(&mut self.worlds.failures.last);
            if failure.is_empty() {
                // It has returned, and changed nothing.
                return Some(world);
            }
            let place = failure.first().copied();
            if places.insert(place) {
                let returned = self.call_with_null(world, goal);
                if returned.is_some() {
                    return returned;
                }
            }
            let [near, far] = self.changes_after(goal, &failure);
            let changed = self.change(world, place, &near, &mut tried, round);
            world = changed.or_else(|| self.change(world, place, &far, &mut tried, round))?;
        }
        None
    }

    /// The world that the first of some operations leads to that returns and has not been tried for this refusal.
    fn change(
        &mut self,
        world: usize,
        place: Option<(MethodId, u32)>,
        changes: &[usize],
        tried: &mut Tried,
        round: &mut Round,
    ) -> Option<usize> {
        for change in changes.iter().copied().take(MAX_CHANGES) {
            if self.is_past(round.end) {
                return None;
            }
            let tries = tried.entry((place, change)).or_insert(0);
            *tries += 1;
            // Other arguments may suit.
            let is_again = *tries > 1;
            if *tries <= MAX_TRIES {
                self.construct_needs(change, round);
                let start = if is_again { self.with_other_needs(world, change, round) } else { world };
                let changed = self.call_until_returned(Some(start), change, CHANGE);
                let changed = changed.or_else(|| self.with_other_parts(Some(world), change, round));
                if changed.is_some() {
                    return changed;
                }
            }
        }
        None
    }

    /// A world with further objects of the classes that an operation takes.
    fn with_other_needs(&mut self, world: usize, operation: usize, round: &Round) -> usize {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        let mut world = world;
        for need in self.needs(operation).into_iter().filter(|it| *it != invokable.class) {
            let nth = self.worlds.below(MAX_PARTS);
            world = self.remake(Some(world), need, nth, DEPTH, round).unwrap_or(world);
        }
        world
    }

    /// Calls an operation with `null` for one of its parameters each.
    fn call_with_null(&mut self, world: usize, operation: usize) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            if parameter.kind == Kind::Reference {
                self.worlds.last = None;
                let end = self.work + self.options.budget.as_micros() as u64 / GOAL.share;
                let begun = self.begin_operation(Some(world), operation, InputChoice::Null(at));
                if let Some(begun) = begun.filter(|_| self.worlds.last.is_none()) {
                    self.run_until_returned(begun, GOAL.paths, end);
                }
                if self.worlds.last.is_some() {
                    return self.worlds.last;
                }
            }
        }
        None
    }

    /// Makes an object by a maker that refuses the parts that were made first: other makers of the class that was asked
    /// make further parts, whose values are free. A price must be positive, and the first one made is zero.
    pub(super) fn with_other_parts(
        &mut self,
        start: Option<usize>,
        maker: usize,
        round: &Round,
    ) -> Option<usize> {
        let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
        let needs = needs_of(self.machine, &invokable);
        let failures = std::mem::take(&mut self.worlds.failures.all);
        let rows = failures.iter().flatten();
        let asked: Vec<ClassId> =
            rows.filter_map(|(method, offset)| Some(self.asked_before(*method, *offset)?.0)).collect();
        for need in needs {
            let is_asked =
                asked.iter().any(|it| self.machine.is_subtype(*it, need) || self.is_part(*it, need));
            for nth in 0..if is_asked { MAX_PARTS } else { 0 } {
                let part = self.remake(start, need, nth, DEPTH, round);
                let made = part.and_then(|part| self.call_until_returned(Some(part), maker, CHANGE));
                if made.is_some() || self.is_past(round.end) {
                    return made;
                }
            }
        }
        None
    }

    /// Whether some maker of a class takes an object of another class.
    fn is_part(&mut self, part: ClassId, whole: ClassId) -> bool {
        let makers = self.worlds.neighbourhood.makers(self.machine, whole);
        makers.into_iter().any(|maker| {
            let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
            needs_of(self.machine, &invokable).iter().any(|it| self.machine.is_subtype(part, *it))
        })
    }

    /// Makes a further object of a class in a world by its nth constructor or factory, after what that needs.
    fn remake(
        &mut self,
        world: Option<usize>,
        class: ClassId,
        nth: usize,
        depth: usize,
        round: &Round,
    ) -> Option<usize> {
        let makers = self.worlds.neighbourhood.makers(self.machine, class);
        let free = |it: &usize| !self.worlds.neighbourhood.operations[*it].invokable.has_receiver();
        let makers: Vec<usize> = makers.into_iter().filter(free).collect();
        let maker = *makers.get(nth % makers.len().max(1))?;
        let invokable = self.worlds.neighbourhood.operations[maker].invokable.clone();
        let mut world = world;
        for need in needs_of(self.machine, &invokable) {
            if depth > 0 && !self.is_past(round.end) {
                let nth = self.worlds.below(MAX_PARTS);
                world = self.remake(world, need, nth, depth - 1, round).or(world);
            }
        }
        self.call_until_returned(world, maker, PART)
    }

    fn needs(&mut self, operation: usize) -> Vec<ClassId> {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        needs_of(self.machine, &invokable)
    }

    fn construct_needs(&mut self, operation: usize, round: &mut Round) {
        for need in self.needs(operation) {
            self.construct(need, round);
        }
    }
}
