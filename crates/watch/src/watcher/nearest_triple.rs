//! Why no triple applies to a call: the triple whose state is closest to that of the call, and the differences.

use super::method_knowledge::MethodTriples;
use super::state::{WatcherState, triple_of};
use crate::branch::Restriction;
use crate::difference::Difference;
use cupping_machine::{Machine, Value};

/// Number of differences that are counted, and of those that are shown.
const MOST_COUNTED: usize = 16;
const MOST_SHOWN: usize = 2;

/// Why a triple does not apply.
enum Mismatch {
    /// It depends on other values.
    Values(Vec<Difference>),
    /// Its dependence is not known completely.
    Incomplete(&'static str),
    /// An argument is out of the bounds of a requirement.
    Bounds,
    /// Its precondition does not hold.
    Precondition,
}

impl WatcherState {
    /// Describes the triple that comes nearest to applying to a call.
    pub(super) fn nearest(
        &self,
        machine: &Machine,
        tested: &MethodTriples,
        arguments: &[Value],
    ) -> Option<String> {
        let misfits = tested.branches.iter().map(|at| (*at, self.misfit(machine, *at, arguments)));
        let distance = |misfit: &Mismatch| match misfit {
            Mismatch::Values(all) => all.len(),
            Mismatch::Precondition | Mismatch::Bounds => MOST_COUNTED,
            Mismatch::Incomplete(_) => MOST_COUNTED + 1,
        };
        let (branch, misfit) = misfits.min_by_key(|(_, misfit)| distance(misfit))?;
        let why = match misfit {
            Mismatch::Values(all) => {
                let shown: Vec<String> = all.iter().take(MOST_SHOWN).map(ToString::to_string).collect();
                let more = if all.len() > MOST_SHOWN { ", and more" } else { "" };
                shown.join(", ") + more
            }
            Mismatch::Incomplete(why) => why.to_owned(),
            Mismatch::Bounds => "its requirements exclude these arguments".to_owned(),
            Mismatch::Precondition => "its precondition does not hold here".to_owned(),
        };
        Some(format!("the nearest triple is {}: {why}", self.place(branch).0))
    }

    fn misfit(&self, machine: &Machine, branch: usize, arguments: &[Value]) -> Mismatch {
        let branch = &self.branches[branch];
        if let Some(dependence) = &branch.dependence {
            return match dependence.limit {
                Some(why) => Mismatch::Incomplete(why),
                None => Mismatch::Values(dependence.differences(machine, arguments, MOST_COUNTED)),
            };
        }
        let mut found = Vec::new();
        for (position, restriction) in &branch.restrictions {
            let value = arguments.get(*position).copied().unwrap_or_default();
            match restriction {
                Restriction::Within(_, space) if !space.contains(value) => return Mismatch::Bounds,
                Restriction::Within(..) => {}
                Restriction::Shape(shape) => {
                    let is_static = branch.kinds.len() == self.triple_arguments(branch);
                    let name = match (position, is_static) {
                        (0, false) => "this".to_owned(),
                        (at, _) => format!("argument {}", at + usize::from(is_static)),
                    };
                    found.extend(shape.difference(machine, value.bits, name));
                }
            }
        }
        if found.is_empty() { Mismatch::Precondition } else { Mismatch::Values(found) }
    }

    fn triple_arguments(&self, branch: &crate::Branch) -> usize {
        triple_of(&self.compiled, branch).arguments.len()
    }
}
