//! The status of goals that no test meets: whether they were tried, and with which result.

use cupping_case::{CriterionResult, GoalStanding};
use cupping_classfile::{Operand, instructions};
use cupping_coverage::CoverageMap;
use cupping_explore::{ConstraintNode, Edge, NodeKind, RequiredCounts, SideCounts, Signature, Trees};
use cupping_machine::{Machine, MethodBody, MethodId, OTHER_VALUES};
use std::collections::{BTreeMap, BTreeSet};

/// The results of attempts at goals after a search.
#[derive(Debug, Default)]
pub(crate) struct GoalStatuses {
    /// Requirements on operands, by probe number.
    required: BTreeMap<u32, RequiredCounts>,
    /// Sides of branches and checks never taken: by class and method in the map, offset and side.
    sides: BTreeMap<(usize, usize, u32, u32), RequiredCounts>,
    /// Paths of the methods under test.
    pub(crate) paths: Vec<MethodPaths>,
    /// Offset and target of jumps, by class and method in the map.
    jumps: BTreeMap<(usize, usize, u32), u32>,
    /// Methods with unexplored paths to them, by class and method in the map.
    unfinished: BTreeSet<(usize, usize)>,
    /// The result for mutants, if the tests were judged by them.
    pub(crate) mutants: Option<CriterionResult>,
}

/// Number of refutations after which a goal counts as infeasible although more paths may lead to it.
const CONVINCING: u32 = 4;

/// The data of a finished search.
pub(crate) struct FinishedSearch<'a> {
    pub(crate) counts: &'a SideCounts,
    pub(crate) trees: &'a Trees,
    /// Methods with unexplored paths to them.
    pub(crate) unfinished: &'a BTreeSet<MethodId>,
    /// The paths that ran, if requested.
    pub(crate) ways: &'a BTreeSet<(MethodId, Signature)>,
}

/// Path statistics of a method.
#[derive(Debug)]
pub(crate) struct MethodPaths {
    /// The method.
    pub(crate) method: MethodId,
    /// The name in reports.
    pub(crate) name: String,
    /// Paths run.
    pub(crate) ran: u32,
    /// Infeasible paths.
    pub(crate) infeasible: u32,
    /// Paths on which the solver gave up.
    pub(crate) timed_out: u32,
    /// Unexplored paths.
    pub(crate) unexplored: u32,
}

impl GoalStatuses {
    /// Derives the status from the counts and trees of a search.
    pub(crate) fn new(
        machine: &Machine,
        map: &CoverageMap,
        under_test: &[MethodId],
        ended: &FinishedSearch<'_>,
    ) -> GoalStatuses {
        let FinishedSearch { counts, trees, unfinished, ways } = *ended;
        let mut standings = GoalStatuses::default();
        for method in unfinished {
            let method = machine.method(*method);
            if let Some((class, _)) = map.class(&machine.class(method.class).name) {
                standings.unfinished.insert((class, method.index));
            }
        }
        for requirement in map.classes().iter().flat_map(|class| &class.requirements) {
            if let Some(probe) = requirement.probe {
                standings.required.insert(probe, counts.required(probe));
            }
        }
        for (site, side) in counts.untaken() {
            let Some(method) = machine.methods().get(site.method.0 as usize) else { continue };
            let Some((class, _)) = map.class(&machine.class(method.class).name) else { continue };
            let MethodBody::Code(code) = &method.body else { continue };
            let Some(offset) = code.offsets.get(site.at as usize).copied() else { continue };
            let (failed, timed_out) = (counts.failed(site, side), counts.timed_out(site, side));
            let found =
                RequiredCounts { offered: failed, refuted: failed.saturating_sub(timed_out), timed_out };
            standings.sides.insert((class, method.index, offset, side), found);
            if let Some(target) = jump(machine, &machine.class(method.class).name, method.index, offset) {
                standings.jumps.insert((class, method.index, offset), target);
            }
        }
        standings.paths = under_test.iter().map(|method| paths(machine, *method, trees, ways)).collect();
        standings
    }

    /// The status of a requirement that is not met.
    pub(crate) fn of_requirement(&self, class: usize, method: usize, probe: u32) -> (GoalStanding, String) {
        self.explain((class, method), self.required.get(&probe).copied().unwrap_or_default())
    }

    /// The status of a jump's edge that is not taken.
    pub(crate) fn of_branch(
        &self,
        class: usize,
        method: usize,
        offset: u32,
        target: u32,
    ) -> (GoalStanding, String) {
        let jumps = self.jumps.get(&(class, method, offset)).is_some_and(|it| *it == target);
        let side = self.sides.get(&(class, method, offset, u32::from(jumps)));
        match side.filter(|_| self.jumps.contains_key(&(class, method, offset))) {
            Some(counts) => self.explain((class, method), *counts),
            None => untried(),
        }
    }

    /// The status of an implicit check that never fails.
    pub(crate) fn of_check(&self, class: usize, method: usize, offset: u32) -> (GoalStanding, String) {
        let counts = self.sides.get(&(class, method, offset, 0));
        counts.map_or_else(untried, |counts| self.explain((class, method), *counts))
    }

    fn explain(&self, method: (usize, usize), counts: RequiredCounts) -> (GoalStanding, String) {
        let paths = match counts.refuted {
            1 => "on the one path tried".to_owned(),
            paths => format!("on each of {paths} paths tried"),
        };
        match counts {
            RequiredCounts { timed_out: 1.., .. } => (GoalStanding::Unmet, "the solver gave up".into()),
            RequiredCounts { refuted: 0, offered: 0, .. } => untried(),
            RequiredCounts { refuted: 0, .. } => (GoalStanding::Unmet, "the budget was spent".into()),
            _ if !self.unfinished.contains(&method) => {
                (GoalStanding::Infeasible, format!("refuted {paths}, and no other path is left"))
            }
            RequiredCounts { refuted: CONVINCING.., .. } => {
                (GoalStanding::Infeasible, format!("refuted {paths}"))
            }
            _ => (GoalStanding::Unmet, format!("refuted {paths}")),
        }
    }
}

fn untried() -> (GoalStanding, String) {
    (GoalStanding::Unmet, "on no path found does it depend on inputs".into())
}

/// The target of the jump at an offset.
fn jump(machine: &Machine, class: &str, method: usize, offset: u32) -> Option<u32> {
    let file = machine.program().require(class).ok()?;
    let code = file.code(file.methods.get(method)?).ok()??.clone();
    match instructions(&code.bytecode).flatten().find(|it| it.pc == offset)?.operand {
        Operand::Branch(target) => Some(target),
        _ => None,
    }
}

fn paths(
    machine: &Machine,
    method: MethodId,
    trees: &Trees,
    ways: &BTreeSet<(MethodId, Signature)>,
) -> MethodPaths {
    let class = &machine.class(machine.method(method).class).name;
    let class = class.rsplit(['/', '$']).next().unwrap_or(class);
    // Another value of a concretized index is not a control-flow path.
    let is_way = |node: &ConstraintNode| match node.parent {
        Some((_, Edge::Branch { side, .. })) => side != OTHER_VALUES,
        _ => true,
    };
    let count = |kind| {
        let nodes = trees.get(method).map_or(&[][..], |tree| tree.nodes());
        nodes.iter().filter(|node| node.kind == kind && is_way(node)).count() as u32
    };
    MethodPaths {
        method,
        name: format!("{class}.{}", machine.method(method).name),
        ran: ways.iter().filter(|(of, _)| *of == method).count() as u32,
        infeasible: count(NodeKind::Infeasible),
        timed_out: count(NodeKind::TimeOut),
        unexplored: count(NodeKind::Unexplored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a goal that was tried so often, in a method whose search has ended or not.
    fn explained(offered: u32, refuted: u32, timed_out: u32, is_finished: bool) -> (GoalStanding, String) {
        let unfinished = if is_finished { BTreeSet::new() } else { BTreeSet::from([(0, 1)]) };
        let statuses = GoalStatuses { unfinished, ..GoalStatuses::default() };
        statuses.explain((0, 1), RequiredCounts { offered, refuted, timed_out })
    }

    #[test]
    fn a_goal_is_infeasible_if_all_paths_refute_it() {
        let (standing, why) = explained(2, 2, 0, true);
        assert_eq!(standing, GoalStanding::Infeasible);
        assert_eq!(why, "refuted on each of 2 paths tried, and no other path is left");
        assert_eq!(explained(1, 1, 0, true).1, "refuted on the one path tried, and no other path is left");
    }

    #[test]
    fn an_unfinished_search_needs_several_refutations() {
        assert_eq!(explained(3, CONVINCING - 1, 0, false).0, GoalStanding::Unmet);
        assert_eq!(explained(4, CONVINCING, 0, false).0, GoalStanding::Infeasible);
    }

    #[test]
    fn a_solver_that_gave_up_refutes_nothing() {
        assert_eq!(explained(9, 8, 1, true), (GoalStanding::Unmet, "the solver gave up".into()));
    }

    #[test]
    fn an_offered_goal_was_left_for_lack_of_budget() {
        assert_eq!(explained(1, 0, 0, true), (GoalStanding::Unmet, "the budget was spent".into()));
        assert_eq!(explained(0, 0, 0, true), untried());
    }

    #[test]
    fn an_unknown_branch_is_untried() {
        let statuses = GoalStatuses::default();
        assert_eq!(statuses.of_branch(0, 0, 4, 9), untried());
        assert_eq!(statuses.of_check(0, 0, 4), untried());
        assert_eq!(statuses.of_requirement(0, 0, 7), untried());
    }

    /// Side 1 of a conditional jump is the one that jumps; side 0 continues with the next instruction.
    #[test]
    fn a_branch_is_the_side_that_leads_to_its_target() {
        let refuted = RequiredCounts { offered: 1, refuted: 1, timed_out: 0 };
        let gave_up = RequiredCounts { offered: 1, refuted: 0, timed_out: 1 };
        let statuses = GoalStatuses {
            sides: BTreeMap::from([((0, 1, 4, 1), refuted), ((0, 1, 4, 0), gave_up)]),
            jumps: BTreeMap::from([((0, 1, 4), 20)]),
            ..GoalStatuses::default()
        };
        assert_eq!(statuses.of_branch(0, 1, 4, 20).0, GoalStanding::Infeasible);
        assert_eq!(statuses.of_branch(0, 1, 4, 7).1, "the solver gave up");
    }
}
