//! Adds to the frontier at a decision: the sides not taken, and requirements of coverage criteria.

use super::fork::{ForkPoint, Side};
use super::{Driver, Exploration, Tools};
use crate::search::Candidate;
use cupping_machine::{Decision, DecisionKind};
use cupping_term::Evaluator;

/// Number of times that a requirement at one site is offered before it is met.
const REQUIRED_OFFERS: u32 = 64;

impl<D: Driver> Exploration<D> {
    /// Puts the sides not taken on the frontier, with the current state.
    pub(super) fn offer_others(&mut self, tools: &mut Tools<'_>, here: &ForkPoint<'_, D>) {
        let ForkPoint { path, decision, forced, .. } = *here;
        if self.limits.repeats_decisions && path.has(decision.taken) {
            return;
        }
        let under_test = (tools.under_test)(tools.machine, decision.site.method);
        let mut wanted = Vec::new();
        for (side, constraint) in decision.other_sides().zip(&decision.others) {
            if tools.machine.terms().as_constant(*constraint) == Some(0) {
                continue;
            }
            let known = tools.counts.taken(decision.site, side) > 0;
            let fixed = decision.kind == DecisionKind::Concretization;
            if !fixed && !self.memory.borrow_mut().met.insert(path.signature_with(decision.site, side)) {
                continue;
            }
            let crowded = self.frontier.len() >= self.limits.waiting
                || tools.machine.retained_words() > self.limits.retained_words
                || self.offered.get(&(decision.site, side)).is_some_and(|it| *it >= self.limits.offers)
                || tools.counts.offered(decision.site, side) >= self.limits.shared_offers;
            // A requirement narrows the inputs, so sides after it are only offered if no other path leads to
            // them.
            if !(known && (crowded || forced)) {
                wanted.push((side, *constraint));
            } else if !forced {
                self.counters.skipped += 1;
            }
        }
        // The tree gets nodes for all sides, whether or not they are offered.
        let mut probe = here.cursor.clone();
        let sides = decision.other_sides();
        let nodes = tools.trees.decide(
            &mut probe,
            &tools.machine.registers().frames,
            decision.site,
            (decision.side, decision.taken),
            sides.clone().zip(decision.others.iter().copied()),
        );
        if wanted.is_empty() {
            return;
        }
        let fork = here.fork(tools.machine);
        for (side, constraint) in wanted {
            tools.counts.offer(decision.site, side);
            *self.offered.entry((decision.site, side)).or_default() += 1;
            let node = sides.clone().position(|s| s == side).and_then(|at| nodes.get(at)).copied();
            let candidate = Candidate { site: decision.site, side, depth: path.len() as u32, under_test };
            let item = Side { fork: fork.clone(), constraint, number: side, node };
            self.frontier.push(candidate, item, tools.searcher, tools.counts);
        }
    }

    /// Puts a requirement on the frontier, unless it has been met or holds already.
    pub(super) fn offer_required(&mut self, tools: &mut Tools<'_>, here: &ForkPoint<'_, D>) {
        let Decision { site, side, ref others, .. } = *here.decision;
        let Some(constraint) = others.first().copied() else { return };
        let most = if here.forced { 1 } else { REQUIRED_OFFERS };
        if tools.counts.is_met(side)
            || tools.counts.required(side).offered >= most
            || Evaluator::new().eval(tools.machine.terms(), here.model, constraint) == 1
            || !self.memory.borrow_mut().met.insert(here.path.signature_with(site, side))
        {
            return;
        }
        tools.counts.required_mut(side).offered += 1;
        let under_test = (tools.under_test)(tools.machine, site.method);
        let candidate = Candidate { site, side, depth: here.path.len() as u32, under_test };
        let item = Side { fork: here.fork(tools.machine), constraint, number: side, node: None };
        self.frontier.push(candidate, item, tools.searcher, tools.counts);
    }
}
