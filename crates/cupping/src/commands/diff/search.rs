//! The search for calls that distinguish the versions, class by class.

use super::arguments::{Arguments, budget_of_each};
use super::confirm::Judge;
use super::contracts::ContractChecks;
use super::jdk_search::JdkSearches;
use super::plan::{ClassDifferences, SearchPlan};
use super::versions::Versions;
use crate::frame::parts::Parts;
use crate::frame::schedule::Schedule;
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, Failure, Share, UnitEnd, Work};
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::{Board, Line};
use cupping_classfile::Program;
use cupping_generate::{
    ChangedMethod, ComparisonVerdict, Contrast, Difference, GenerateOptions, Session, VersionEnd,
};
use cupping_machine::SpaceId;
use cupping_view::Problem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The results of the search.
#[derive(Default)]
pub struct SearchFindings {
    /// Results by searched class.
    pub differences: BTreeMap<String, Vec<Difference>>,
    /// Facts about each changed method; `None` if it was not examined.
    pub verdicts: Vec<Option<ComparisonVerdict>>,
    /// How many differences were left out, because the JDK did not confirm them.
    pub unconfirmed: usize,
    /// Why classes could not be searched, by name.
    pub failures: BTreeMap<String, String>,
    /// Errors.
    pub problems: Vec<Problem>,
}

/// Searches all classes of the plan; `judge` confirms what is found. The result is `None` if the run only plans, or
/// does jobs of a plan.
///
/// # Errors
///
/// The JDK cannot confirm differences, or tests of them cannot be written.
pub fn search(
    args: &Arguments,
    versions: &Versions,
    plan: &SearchPlan,
    mut judge: Option<Judge<'_>>,
    keeping: Option<&StoreContext>,
) -> Result<(Option<SearchFindings>, Status), String> {
    let units: Vec<&str> = plan.units.keys().map(String::as_str).collect();
    let board = Board::new(units.len());
    let schedule = Schedule {
        units: &units,
        jobs: args.budget.jobs.threads(),
        budget: Budget::Each(args.budget.budget.unwrap_or_else(|| budget_of_each(units.len()))),
        interrupted,
        board: &board,
    };
    let parts = Parts { command: "diff", schedule, keeping };
    let mut found = SearchFindings { verdicts: vec![None; plan.changed.len()], ..SearchFindings::default() };
    let mut failure = None;
    let mut confirm = |class: &str, mut outcome: ClassDifferences| {
        if plan.has_moves {
            // Under its old name, a class may no longer see what its package keeps to itself.
            outcome.differences.retain(|it| !is_access_error(&it.what));
        }
        if let Some(judge) = &mut judge {
            judge.confirm(versions, class, &mut outcome).inspect_err(|error| {
                failure.get_or_insert_with(|| error.clone());
            })?;
        }
        Ok(outcome)
    };
    let mut conclude = |at: usize, end: UnitEnd<ClassDifferences>| {
        let class = units[at].to_owned();
        let dotted = class.replace('/', ".");
        match end {
            UnitEnd::Done(outcome) => found.add(plan, class, outcome),
            UnitEnd::Failed(Failure::Interrupted | Failure::Late) => {}
            UnitEnd::Failed(Failure::Boot(error) | Failure::Input(error)) => {
                found.failures.insert(class, error);
            }
            UnitEnd::Panicked(panic) => {
                let message = format!("{dotted}: internal error: panic: {panic}; please report it");
                found.problems.push(Problem::of(dotted, message));
            }
        }
        board.class_done();
    };
    let end = match versions.across_jdks {
        Some(_) => parts.conduct(&JdkSearches { args, versions, plan }, &mut confirm, &mut conclude),
        None => parts.conduct(&Searches { args, versions, plan }, &mut confirm, &mut conclude),
    };
    board.clear();
    match failure {
        Some(error) => Err(error),
        None => Ok(((!end.is_over).then_some(found), end.status)),
    }
}

impl SearchFindings {
    fn add(&mut self, plan: &SearchPlan, class: String, outcome: ClassDifferences) {
        let ClassDifferences { mut differences, verdicts, unconfirmed } = outcome;
        self.unconfirmed += unconfirmed;
        let changed: Vec<usize> = plan.units[&class].changed.iter().copied().collect();
        for difference in &mut differences {
            difference.runs = difference.runs.iter().map(|at| changed[*at]).collect();
        }
        for (at, verdict) in changed.into_iter().zip(verdicts) {
            let known = &mut self.verdicts[at];
            if known.as_ref().is_none_or(|known| rank(&verdict) > rank(known)) {
                *known = Some(verdict);
            }
        }
        self.differences.insert(class, differences);
    }
}

/// Whether the difference is that one version may not access a member.
fn is_access_error(what: &Contrast) -> bool {
    let is_error = |end: &VersionEnd| matches!(end, VersionEnd::Threw { class, .. } if &**class == "java/lang/IllegalAccessError");
    matches!(what, Contrast::Ends(old, new) if is_error(old) || is_error(new))
}

/// The strength of a verdict.
fn rank(verdict: &ComparisonVerdict) -> (usize, usize) {
    match verdict {
        ComparisonVerdict::NotRun => (0, 0),
        ComparisonVerdict::Open { paths, .. } => (1, *paths),
        ComparisonVerdict::Same(bound) => {
            (2, bound.sequences.as_ref().map_or(usize::MAX, |it| it.calls as usize))
        }
        ComparisonVerdict::Differs => (3, 0),
    }
}

struct Searches<'a> {
    args: &'a Arguments,
    versions: &'a Versions,
    plan: &'a SearchPlan,
}

/// The machines of a thread. One runs the old version beside the new one. The other, booted on first use, runs the
/// new version beside the old one.
struct Machines {
    forwards: (Session, SpaceId),
    backwards: Option<(Session, SpaceId)>,
    contracts: Option<ContractChecks>,
}

fn boot(program: &Arc<Program>, other: &Arc<Program>) -> Result<(Session, SpaceId), Failure> {
    let mut session = Session::new(Arc::clone(program))?;
    let version = session.add_version(Arc::clone(other));
    Ok((session, version))
}

impl Work for Searches<'_> {
    type Session = Machines;
    type Findings = ClassDifferences;

    fn boot(&self) -> Result<Machines, Failure> {
        let forwards = boot(&self.versions.old, &self.versions.new)?;
        Ok(Machines { forwards, backwards: None, contracts: None })
    }

    fn work(
        &self,
        machines: &mut Machines,
        class: &str,
        share: Share,
        line: &Line,
    ) -> Result<ClassDifferences, Failure> {
        let mut outcome = self.in_both_directions(machines, class, share, line)?;
        // Contracts are ranked by, so they may take a little time of their own.
        if !outcome.differences.is_empty() && !interrupted() {
            if machines.contracts.is_none() {
                machines.contracts = Some(ContractChecks::boot(self.versions)?);
            }
            if let Some(contracts) = &mut machines.contracts {
                contracts.note(self.args, class, share.budget, &mut outcome.differences);
            }
        }
        Ok(outcome)
    }
}

impl Searches<'_> {
    /// Searches the old version beside the new one and, if methods are still open, the new version beside the old one.
    fn in_both_directions(
        &self,
        machines: &mut Machines,
        class: &str,
        share: Share,
        line: &Line,
    ) -> Result<ClassDifferences, Failure> {
        let unit = &self.plan.units[class];
        let changed: Vec<ChangedMethod> =
            unit.changed.iter().map(|at| self.plan.changed[*at].clone()).collect();
        let mut progress = |progress| {
            line.update(progress);
            !interrupted()
        };
        let mut compare = |(session, version): &mut (Session, SpaceId)| {
            let options = GenerateOptions {
                seed: self.args.seed,
                budget: share.budget / 2,
                // Both directions together stay within five quarters of the budget.
                clock: share.clock.or(Some(share.budget * 5 / 8)),
                methods: unit.methods.clone(),
                ..GenerateOptions::default()
            };
            session.compare(class, *version, &changed, &options, &mut progress)
        };
        let forwards = compare(&mut machines.forwards);
        let mut outcome = match &forwards {
            Ok(found) => ClassDifferences {
                differences: found.differences.clone(),
                verdicts: found.verdicts.clone(),
                unconfirmed: 0,
            },
            Err(_) => ClassDifferences {
                differences: Vec::new(),
                verdicts: vec![ComparisonVerdict::NotRun; changed.len()],
                unconfirmed: 0,
            },
        };
        if !outcome.verdicts.iter().any(ComparisonVerdict::is_open) || interrupted() {
            return forwards.map(|_| outcome).map_err(Failure::from);
        }
        // If the new version distinguishes more special cases, it is the better base for the search.
        if machines.backwards.is_none() {
            machines.backwards = Some(boot(&self.versions.new, &self.versions.old)?);
        }
        // One direction may still work if the other cannot be searched.
        let backwards = machines.backwards.as_mut().map(&mut compare);
        if forwards.is_err() && !matches!(backwards, Some(Ok(_))) {
            return forwards.map(|_| outcome).map_err(Failure::from);
        }
        if let Some(Ok(found)) = backwards {
            outcome.differences.extend(found.differences.into_iter().filter_map(Difference::turned));
            for (known, verdict) in outcome.verdicts.iter_mut().zip(found.verdicts) {
                if rank(&verdict) > rank(known) {
                    *known = verdict;
                }
            }
        }
        Ok(outcome)
    }
}
