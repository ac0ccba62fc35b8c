//! Candidates written down as cases, with everything that a test can assert at their end.

use crate::candidate::Candidate;
use crate::case_coverage::CaseCoverage;
use crate::counterfactual::too_small;
use crate::influence::Influence;
use crate::invokable::Subject;
use crate::observe::{Original, Spare, Variations, Volatility, observe};
use crate::outcome::InternalError;
use crate::realization::{Realization, realize, try_realize, write_down};
use crate::representative::{FixedDecisions, representative};
use crate::statics::Statics;
use crate::versions::{Extent, Image};
use cupping_case::{Assertion, Blame, Case, Cause, Member, Probe, VarId, WithheldCase};
use cupping_coverage::{CoverageMap, merge};
use cupping_machine::{Machine, MethodId, Snapshot};
use cupping_term::Model;
use std::collections::BTreeSet;

/// Why a case is withheld that would not pass everywhere.
const ENDS_DIFFERENTLY: &str = "has another outcome on another computer or at another time";

/// A candidate that has been written down.
pub(crate) struct Draft {
    /// The candidate, with the inputs of the case.
    pub candidate: Candidate,
    /// Its run with these inputs.
    pub realized: Realization,
    /// The variables of the case, by variable of the plan.
    pub ids: Vec<Option<VarId>>,
    /// The case.
    pub case: Case,
    /// Assertions that also hold, but concern what the invocation under test does not change.
    pub unchanged: Vec<Assertion>,
    /// The probes that their observers hit.
    pub unchanged_hits: Vec<(Probe, Vec<u64>)>,
    /// Whether the invocation under test has written nothing to `System.out`.
    pub is_silent: bool,
    /// What it covers.
    pub coverage: CaseCoverage,
    /// Whether it reveals a likely defect.
    pub is_failing: bool,
    /// Whether it read a value that differs from run to run.
    pub is_volatile: bool,
    /// Fuel of its run.
    pub fuel: u64,
    /// The end of its run; `None` if that is too large.
    pub image: Option<Image>,
    /// Methods of the code under test that the observers of its end may run.
    pub observing: BTreeSet<MethodId>,
}

/// Writes down the candidates of one class.
pub(crate) struct CaseWriter<'a> {
    booted: &'a Snapshot,
    base: Snapshot,
    map: &'a CoverageMap,
    subject: &'a Subject,
    statics: Statics,
    /// Varied states before a test: other computers, other times.
    variations: Variations<'a>,
    /// Cases that are not safe to run.
    pub withheld: Vec<WithheldCase>,
    /// Failed self-checks.
    pub internal_errors: Vec<InternalError>,
}

impl<'a> CaseWriter<'a> {
    /// A writer of cases that start from the current state.
    pub fn new(
        machine: &mut Machine,
        booted: &'a Snapshot,
        map: &'a CoverageMap,
        subject: &'a Subject,
    ) -> CaseWriter<'a> {
        CaseWriter {
            booted,
            base: machine.snapshot(),
            map,
            subject,
            statics: Statics::of(machine, subject.class),
            variations: Variations::new(machine, booted, subject.class),
            withheld: Vec::new(),
            internal_errors: Vec::new(),
        }
    }

    /// The state in which the class is not initialised.
    pub fn booted(&self) -> &Snapshot {
        self.booted
    }

    /// The state before every case.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    /// Writes a candidate down; `None` if it cannot be a test. The machine is at the end of its run.
    pub fn write(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        candidate: &Candidate,
        is_failing: bool,
    ) -> Option<Draft> {
        // With other inputs, an unsafe test may become safe.
        match self.write_with(machine, influence, candidate, is_failing) {
            Some(Ok(draft)) => Some(draft),
            Some(Err(withheld)) => {
                let own = Candidate { keeps_inputs: true, ..candidate.clone() };
                match self.write_with(machine, influence, &own, is_failing) {
                    Some(Ok(draft)) => Some(draft),
                    _ => {
                        self.withheld.push(withheld);
                        None
                    }
                }
            }
            None => None,
        }
    }

    /// As [`CaseWriter::write`]; an error is a case that is not safe to run.
    fn write_with(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        candidate: &Candidate,
        is_failing: bool,
    ) -> Option<Result<Draft, WithheldCase>> {
        let (realized, model) =
            match realize_representative(machine, &self.base, self.map, candidate, is_failing) {
                Ok(found) => found,
                // The clock or a random value has led down another path.
                Err(_) if machine.registers().volatile_reads > 0 => return None,
                Err(error) => {
                    self.internal_errors.push(error);
                    return None;
                }
            };
        let candidate = Candidate { model, ..candidate.clone() };
        let image = Image::of(machine, &realized.driver, &realized.ended, Extent::State, &BTreeSet::new());
        let package = &self.subject.package;
        let (mut case, ids) = write_down(machine, &candidate, &realized, package)?;
        if let Some(cause) = case.cause.as_mut().filter(|it| it.blame == Blame::Defect && is_failing) {
            let end = machine.snapshot();
            if let Some(what) = too_small(machine, &self.base, &candidate, &realized) {
                *cause = Cause { blame: Blame::Precondition, what: what.into() };
            }
            machine.restore(&end);
        }
        let compared = Volatility::Compared;
        let observed = observe(machine, influence, &mut case, &realized, &ids, package, compared);
        let end = machine.snapshot();
        let changed: Vec<Probe> = case.assertions.iter().map(|it| it.probe.clone()).collect();
        case.assertions.extend(observed.unchanged);
        let original = Original {
            candidate: &candidate,
            realized: &realized,
            ids: &ids,
            package,
            is_volatile: observed.is_volatile,
            wanted: &changed,
        };
        if self.variations.confirm(machine, influence, &mut case, &original).is_err() {
            return Some(Err(WithheldCase { case, why: ENDS_DIFFERENTLY.into() }));
        }
        let is_changed = |it: &Assertion| changed.contains(&it.probe);
        let (assertions, unchanged) = case.assertions.drain(..).partition(is_changed);
        case.assertions = assertions;
        machine.restore(&end);
        self.statics.note(machine, &mut case);
        if let Some(why) = case.danger() {
            return Some(Err(WithheldCase { case, why }));
        }
        let all = case.assertions.iter().chain(&unchanged);
        let observing = observing(machine, influence, all);
        let mut hits = realized.hits.clone();
        merge(&mut hits, &observed.hits);
        let thrown = candidate.thrown.as_ref().map(|it| it.in_map(machine, self.map));
        let (path, leaf) = (Some(candidate.path_taken()), candidate.leaf);
        let fuel = realized.fuel;
        let coverage = CaseCoverage { hits, path, leaf, thrown, noticed: Vec::new() };
        Some(Ok(Draft {
            candidate,
            realized,
            ids,
            case,
            unchanged,
            unchanged_hits: observed.unchanged_hits,
            is_silent: observed.is_silent,
            coverage,
            is_failing,
            is_volatile: observed.is_volatile,
            fuel,
            image,
            observing,
        }))
    }

    /// Adds those of these observations to a case that hold in its varied runs; returns which. The run is one of the
    /// case, at whose end the machine is.
    pub fn amend(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        draft: &mut Draft,
        run: &Realization,
        asked: &[Spare],
        chosen: BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let assertions: Vec<Assertion> = chosen.iter().map(|at| asked[*at].assertion.clone()).collect();
        let wanted: Vec<Probe> = assertions.iter().map(|it| it.probe.clone()).collect();
        let mut case = Case { assertions, ..draft.case.clone() };
        let original = Original {
            candidate: &draft.candidate,
            realized: run,
            ids: &draft.ids,
            package: &self.subject.package,
            is_volatile: draft.is_volatile,
            wanted: &wanted,
        };
        if self.variations.confirm(machine, influence, &mut case, &original).is_err() {
            return BTreeSet::new();
        }
        let holds = |at: &usize| case.assertions.contains(&asked[*at].assertion);
        let added: BTreeSet<usize> = chosen.into_iter().filter(holds).collect();
        for at in &added {
            merge(&mut draft.coverage.hits, &asked[*at].hits);
            draft.case.assertions.push(asked[*at].assertion.clone());
        }
        let assertions = added.iter().map(|at| &asked[*at].assertion);
        draft.observing.extend(observing(machine, influence, assertions));
        added
    }
}

/// The methods of the code under test that these assertions may run: observers and their callees. Methods that
/// only `equals` runs, in comparisons of values, are excluded.
fn observing<'a>(
    machine: &mut Machine,
    influence: &mut Influence,
    assertions: impl Iterator<Item = &'a Assertion>,
) -> BTreeSet<MethodId> {
    let mut methods = BTreeSet::new();
    let called = |assertion: &'a Assertion| match &assertion.probe {
        Probe::Observer { method, .. } => vec![method],
        Probe::Chain { members, .. } => members.iter().filter_map(Member::method).collect(),
        _ => Vec::new(),
    };
    for method in assertions.flat_map(called) {
        let Ok(class) = machine.load(&method.class) else { continue };
        let Some(found) = machine.find_method(class, &method.name, &method.descriptor) else { continue };
        let effects = influence.effects(machine, class, found);
        methods.insert(found);
        methods.extend(effects.runs.iter().copied());
    }
    methods
}

/// Runs a candidate again with the representative inputs of its path, or with its own inputs if the
/// representative ones lose coverage. Also returns the inputs. Failing candidates keep the small values with
/// which they were found; tests of an earlier run and tests aimed at a mutant keep theirs.
fn realize_representative(
    machine: &mut Machine,
    base: &Snapshot,
    map: &CoverageMap,
    candidate: &Candidate,
    is_failing: bool,
) -> Result<(Realization, Model), InternalError> {
    if !is_failing && candidate.remembered.is_none() && !candidate.keeps_inputs {
        for kept in [FixedDecisions::OfCodeUnderTest, FixedDecisions::All] {
            let model = representative(machine, candidate, kept);
            let candidate = Candidate { model, ..candidate.clone() };
            let Ok(realized) = try_realize(machine, base, map, &candidate) else { continue };
            if kept != FixedDecisions::All && !candidate.pairs.is_subset(&machine.registers().pairs) {
                continue;
            }
            if realized.plan.steps.len() == candidate.plan.steps.len() {
                return Ok((realized, candidate.model));
            }
            // Inputs of dropped calls no longer count.
            let mut shorter = Candidate { plan: realized.plan.clone(), ..candidate.clone() };
            shorter.model = representative(machine, &shorter, kept);
            let again = try_realize(machine, base, map, &shorter).ok();
            let again = again.filter(|_| shorter.pairs.is_subset(&machine.registers().pairs));
            return match again {
                Some(again) => Ok((again, shorter.model)),
                None => realize(machine, base, map, &candidate).map(|realized| (realized, candidate.model)),
            };
        }
    }
    realize(machine, base, map, candidate).map(|realized| (realized, candidate.model.clone()))
}
