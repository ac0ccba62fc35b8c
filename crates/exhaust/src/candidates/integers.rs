//! Symbolic integers of structures: the search decides comparisons, and chooses values only at the end.

use super::Candidates;
use super::search_node::{Alternatives, HoleLocation, Side};
use crate::classes::simple_name;
use crate::error::Error;
use crate::world::World;
use cupping_machine::{Decision, DecisionKind, Kind};
use std::rc::Rc;

/// A range of at most this many values is enumerated instead.
const FEW: i64 = 2;
/// Integers beyond this bound are not symbolic.
const LARGE: i64 = 1 << 28;
/// Number of solutions held in memory at once.
const PORTION: usize = 1 << 18;
/// Limit on the symbolic integers of one structure.
pub(super) const MOST_SYMBOLS: usize = 64;

impl Candidates<'_> {
    /// The range and kind of an integer that can be symbolic.
    pub(super) fn symbol(&self, world: &World, place: HoleLocation) -> Option<((i64, i64), Kind)> {
        let (HoleLocation::Field { at, .. } | HoleLocation::Static { at }) = place else { return None };
        let kind = world.fields[at].kind;
        let is_integer = matches!(kind, Kind::Int | Kind::Short | Kind::Byte | Kind::Char | Kind::Long);
        if !self.symbolic || !is_integer || self.places.len() >= MOST_SYMBOLS {
            return None;
        }
        let field = &self.specification.after.fields[at].1;
        let (least, most) = self.scope.integers(simple_name(&field.class), &field.name);
        let fits = |it: i64| match kind {
            Kind::Short => i16::try_from(it).is_ok(),
            Kind::Byte => i8::try_from(it).is_ok(),
            Kind::Char => u16::try_from(it).is_ok(),
            _ => it.abs() < LARGE,
        };
        (most - least >= FEW && fits(least) && fits(most)).then_some(((least, most), kind))
    }

    /// Continues with the outcome that the concrete values have and saves the other feasible outcomes.
    /// Returns false if the subtree belongs to another thread.
    pub(super) fn decide(&mut self, world: &mut World, decision: &Decision) -> bool {
        if self.expected.take() == Some(decision.taken) {
            return true;
        }
        let mut sides = Vec::new();
        for &condition in &decision.others {
            let terms = world.machine.terms();
            let mut order = (*self.order).clone();
            if order.require(&self.symbols, terms, condition, true)
                && let Some(values) = order.values(&self.symbols, terms)
            {
                sides.push(Side { condition, order, values });
            }
        }
        if sides.is_empty() {
            return true;
        }
        let fixed = decision.kind == DecisionKind::Concretization;
        if !self.freeze(world, Alternatives::Sides { sides, fixed }, false) {
            return false;
        }
        let order = Rc::make_mut(&mut self.order);
        order.require(&self.symbols, world.machine.terms(), decision.taken, true);
        true
    }

    /// Visits the structure with each solution for its integers.
    pub(super) fn solutions(
        &mut self,
        world: &mut World,
        written: bool,
        visit: &mut impl FnMut(&mut World, &Candidates) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let order = self.order.clone();
        if order.len() == 0 {
            self.tried.valid += 1;
            return visit(world, self);
        }
        if !written {
            let mut outcome = Ok(true);
            let symbols = std::mem::take(&mut self.symbols);
            let terms = std::mem::take(world.machine.terms_mut());
            order.each(&symbols, &terms, &mut |_| {
                self.tried.valid += 1;
                outcome = visit(world, self);
                matches!(outcome, Ok(true))
            });
            *world.machine.terms_mut() = terms;
            self.symbols = symbols;
            return outcome;
        }
        let state = world.machine.snapshot();
        let mut done = 0;
        loop {
            // Work in chunks to bound the memory used.
            let mut portion: Vec<Vec<i64>> = Vec::new();
            let mut passed = 0;
            order.each(&self.symbols, world.machine.terms(), &mut |values| {
                passed += 1;
                if passed > done {
                    portion.push(values.to_vec());
                }
                portion.len() < PORTION
            });
            done += portion.len();
            let is_last = portion.len() < PORTION;
            for values in portion {
                world.machine.restore(&state);
                let model = self.symbols.model(world.machine.terms(), &values);
                world.machine.adopt_model(&model);
                world.machine.forget_heap_shadows();
                self.tried.valid += 1;
                if !visit(world, self)? {
                    return Ok(false);
                }
            }
            if is_last {
                return Ok(true);
            }
        }
    }
}
