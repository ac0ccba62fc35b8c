//! The search for calls that distinguish the versions, class by class.

use super::arguments::{Arguments, budget_of_each};
use super::jdk_search::{self, JdkSearches};
use super::versions::Versions;
use crate::frame::schedule::Schedule;
use crate::frame::{Budget, Failure, Share, UnitEnd, Work};
use crate::process::interrupt::interrupted;
use crate::process::progress::{Board, Line};
use crate::shared::applicability::{missing, obstacle};
use cupping_classfile::{ClassSelector, Program};
use cupping_diff::{MethodFate, MethodName, Status};
use cupping_generate::{ChangedMethod, ComparisonVerdict, Difference, GenerateOptions, Session};
use cupping_machine::SpaceId;
use cupping_view::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Limit on the classes searched for a change that no class accessible to tests reaches.
const MAX_CALLERS: usize = 3;

/// Which classes are searched for which changes.
#[derive(Default)]
pub struct SearchPlan {
    /// The methods whose behaviour may have changed.
    pub changed: Vec<ChangedMethod>,
    /// Results by internal name of the searched class.
    pub units: BTreeMap<String, Unit>,
}

/// Limit on the concrete subclasses of an abstract class that are searched for its changes.
const MAX_SUBCLASSES: usize = 2;

/// The search in a class.
#[derive(Default)]
pub struct Unit {
    /// The changes, as indices into [`SearchPlan::changed`].
    pub changed: BTreeSet<usize>,
    /// The methods to be called, with descriptors; empty for all.
    methods: Vec<String>,
}

impl SearchPlan {
    /// Chooses the classes from which the changes are visible.
    ///
    /// # Errors
    ///
    /// A class that the user names does not exist.
    pub fn of(args: &Arguments, versions: &Versions) -> Result<SearchPlan, String> {
        if let Some(classes) = &versions.across_jdks {
            let wanted = wanted(&versions.selected, &versions.old)?;
            let searched = wanted.map_or_else(|| classes.clone(), |it| &it & classes);
            let is_searched = args.budget.budget != Some(Duration::ZERO);
            return Ok(if is_searched {
                jdk_search::plan(versions, &searched)
            } else {
                SearchPlan::default()
            });
        }
        let mut changed = Vec::new();
        for class in versions.comparison.classes.iter().filter(|it| it.status == Status::Changed) {
            for method in class.methods.iter().filter(|it| !matches!(it.fate, MethodFate::Renamed(_))) {
                changed.push(ChangedMethod {
                    class: class.name.clone(),
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                });
            }
        }
        let wanted = wanted(&versions.selected, &versions.old)?;
        let mut units: BTreeMap<String, Unit> = BTreeMap::new();
        if args.budget.budget != Some(Duration::ZERO) {
            for (at, method) in changed.iter().enumerate() {
                for class in classes_for(versions, method) {
                    if wanted.as_ref().is_none_or(|it| it.contains(&*class)) {
                        units.entry(class.into_string()).or_default().changed.insert(at);
                    }
                }
            }
            // A class that the user names is searched for all changes.
            for class in wanted.iter().flatten().filter(|it| is_testable(versions, it)) {
                units
                    .entry(class.clone())
                    .or_insert_with(|| Unit { changed: (0..changed.len()).collect(), methods: Vec::new() });
            }
        }
        for (class, unit) in &mut units {
            unit.methods = methods(versions, class, unit.changed.iter().map(|at| &changed[*at]));
        }
        Ok(SearchPlan { changed, units })
    }
}

/// The classes that the user names; `None` for all.
fn wanted(selected: &[String], old: &Program) -> Result<Option<BTreeSet<String>>, String> {
    if selected.is_empty() {
        return Ok(None);
    }
    let mut names = BTreeSet::new();
    for text in selected {
        names.extend(ClassSelector::parse(text).resolve(old).map_err(|error| error.to_string())?);
    }
    Ok(Some(names))
}

fn named(method: &ChangedMethod) -> MethodName {
    MethodName {
        class: method.class.clone(),
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
    }
}

/// The class of a changed method, or the nearest ones from which it may be run.
fn classes_for(versions: &Versions, method: &ChangedMethod) -> Vec<Box<str>> {
    let mut found: Vec<Box<str>> = Vec::new();
    // The behaviour of an abstract class is observed on objects of its subclasses.
    if versions.now.is_abstract(&method.class) {
        let below = versions.now.concrete_subclasses(&method.class);
        found.extend(below.into_iter().filter(|it| is_testable(versions, it)).take(MAX_SUBCLASSES));
    }
    for influence in [&versions.before, &versions.now] {
        for running in influence.running(&named(method)) {
            if found.len() < MAX_CALLERS
                && !found.contains(&running.class)
                && is_testable(versions, &running.class)
            {
                found.push(running.class);
                if found.last() == Some(&method.class) {
                    return found;
                }
            }
        }
    }
    found
}

/// Whether both versions have a class of this name that tests can be written for.
pub(super) fn is_testable(versions: &Versions, class: &str) -> bool {
    [&versions.old, &versions.new].into_iter().all(|program: &Arc<Program>| {
        let file = program.find(class).ok().flatten();
        file.is_some_and(|it| obstacle(&it).is_none() && missing(&it, program).is_none())
    })
}

/// The methods of a class to which the search is limited: those that may run the changes, if they are static. If an
/// object changes, any of its methods may show it.
fn methods<'a>(
    versions: &Versions,
    class: &str,
    changed: impl Iterator<Item = &'a ChangedMethod>,
) -> Vec<String> {
    let mut methods = BTreeSet::new();
    for changed in changed {
        for influence in [&versions.before, &versions.now] {
            for running in influence.running(&named(changed)).into_iter().filter(|it| *it.class == *class) {
                if &*running.name == "<clinit>" || influence.is_static(&running) == Some(false) {
                    return Vec::new();
                }
                methods.insert(format!("{}{}", running.name, running.descriptor));
            }
        }
    }
    methods.into_iter().collect()
}

/// The results of the search.
#[derive(Default)]
pub struct SearchFindings {
    /// Results by searched class.
    pub differences: BTreeMap<String, Vec<Difference>>,
    /// Facts about each changed method; `None` if it was not examined.
    pub verdicts: Vec<Option<ComparisonVerdict>>,
    /// Why classes could not be searched, by name.
    pub failures: BTreeMap<String, String>,
    /// Errors.
    pub problems: Vec<Problem>,
}

/// Searches all classes of the plan.
pub fn search(args: &Arguments, versions: &Versions, plan: &SearchPlan) -> SearchFindings {
    let units: Vec<&str> = plan.units.keys().map(String::as_str).collect();
    let board = Board::new(units.len());
    let schedule = Schedule {
        units: &units,
        jobs: args.budget.jobs.threads(),
        budget: Budget::Each(args.budget.budget.unwrap_or_else(|| budget_of_each(units.len()))),
        interrupted,
        board: &board,
    };
    let mut found = SearchFindings { verdicts: vec![None; plan.changed.len()], ..SearchFindings::default() };
    let conclude = |at: usize, end: UnitEnd<ClassDifferences>| {
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
    match versions.across_jdks {
        Some(_) => schedule.run(&JdkSearches { args, versions, plan }, conclude),
        None => schedule.run(&Searches { args, versions, plan }, conclude),
    }
    board.clear();
    found
}

impl SearchFindings {
    fn add(&mut self, plan: &SearchPlan, class: String, outcome: ClassDifferences) {
        let ClassDifferences { mut differences, verdicts } = outcome;
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

/// The strength of a verdict.
fn rank(verdict: &ComparisonVerdict) -> (usize, usize) {
    match verdict {
        ComparisonVerdict::NotRun => (0, 0),
        ComparisonVerdict::Open { paths, .. } => (1, *paths),
        ComparisonVerdict::Same(bound) => (2, bound.calls.map_or(usize::MAX, |it| it as usize)),
        ComparisonVerdict::Differs => (3, 0),
    }
}

struct Searches<'a> {
    args: &'a Arguments,
    versions: &'a Versions,
    plan: &'a SearchPlan,
}

/// The differences found in a class.
pub struct ClassDifferences {
    /// The differences; what they run are indices into the changes of the class.
    pub differences: Vec<Difference>,
    /// A verdict for each change of the class.
    pub verdicts: Vec<ComparisonVerdict>,
}

/// The machines of a thread. One runs the old version beside the new one. The other, booted on first use, runs the
/// new version beside the old one.
struct Machines {
    forwards: (Session, SpaceId),
    backwards: Option<(Session, SpaceId)>,
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
        Ok(Machines { forwards, backwards: None })
    }

    fn work(
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
        let found = compare(&mut machines.forwards)?;
        let mut outcome = ClassDifferences { differences: found.differences, verdicts: found.verdicts };
        if !outcome.verdicts.iter().any(ComparisonVerdict::is_open) || interrupted() {
            return Ok(outcome);
        }
        // If the new version distinguishes more special cases, it is the better base for the search.
        if machines.backwards.is_none() {
            machines.backwards = Some(boot(&self.versions.new, &self.versions.old)?);
        }
        let Some(backwards) = &mut machines.backwards else { return Ok(outcome) };
        // The other direction may still work if this one cannot be searched.
        if let Ok(found) = compare(backwards) {
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
