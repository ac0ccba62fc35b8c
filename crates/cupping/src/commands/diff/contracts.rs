//! The contracts that differences break: postconditions, invariants and conditions of exceptions that the new version
//! violates on calls on which the old version does not.
//!
//! They are those that the user recorded with `cupping infer --write`, or those that executions of the old version
//! suggest (Xie & Notkin, *Mutually enhancing test generation and specification inference*).

use super::arguments::Arguments;
use super::plan::SearchPlan;
use super::versions::Versions;
use crate::process::interrupt::interrupted;
use crate::shared::observation::{HEAP_WORDS, Observed};
use crate::shared::recorded_specifications as records;
use cupping_case::Case;
use cupping_generate::{Difference, GenerateError, GenerateOptions, Session};
use cupping_infer::{ExplorerLimits, InferOptions, ProgramPoint, RecordedSpecification, infer_class};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Contracts of a difference that are named, at most.
const MAX_NAMED: usize = 3;
/// The share of a class's budget for which tests are generated from whose executions contracts are inferred.
const SHARE: u32 = 10;

/// Reads the recorded specifications of the classes that are searched, so that a damaged one is reported before the
/// search.
///
/// # Errors
/// One cannot be read, or none of the classes has one.
pub fn check_records(args: &Arguments, plan: &SearchPlan) -> Result<(), String> {
    let Some(folder) = &args.specification else { return Ok(()) };
    let mut has_any = plan.units.is_empty();
    for class in plan.units.keys() {
        has_any |= records::read(folder, class)?.is_some();
    }
    if has_any {
        return Ok(());
    }
    let names: Vec<String> = plan.units.keys().map(|it| it.replace('/', ".")).collect();
    let (folder, names) = (folder.display(), names.join(", "));
    Err(format!("{folder}: contains no recorded specification of {names}; record it with infer --write"))
}

/// The machines on which contracts are checked.
pub struct ContractChecks {
    old: Session,
    new: Session,
}

impl ContractChecks {
    /// Boots a machine for each version.
    ///
    /// # Errors
    /// [`GenerateError::Boot`].
    pub fn boot(versions: &Versions) -> Result<ContractChecks, GenerateError> {
        let [old, new] = [&versions.old, &versions.new].map(|it| Session::sized(Arc::clone(it), HEAP_WORDS));
        Ok(ContractChecks { old: old?, new: new? })
    }

    /// Notes the contracts that differences of a class break. A class that cannot be observed has none.
    pub fn note(&mut self, args: &Arguments, class: &str, budget: Duration, differences: &mut [Difference]) {
        let options = GenerateOptions {
            seed: args.seed,
            budget: budget / SHARE,
            clock: Some(budget / SHARE),
            ..GenerateOptions::default()
        };
        let recorded = match &args.specification {
            Some(folder) => records::read(folder, class).ok().flatten(),
            None if args.no_inference => None,
            None => self.inferred(class, &options),
        };
        let Some(mut contract) = recorded else { return };
        // What held before a call is the caller's obligation.
        contract.specification.clauses.retain(|it| !matches!(it.point, ProgramPoint::Entry(_)));
        let source = if args.specification.is_some() { "recorded" } else { "inferred" };
        let (Ok(mut old), Ok(mut new)) =
            (Observed::open(&mut self.old, class, &options), Observed::open(&mut self.new, class, &options))
        else {
            return;
        };
        let has = |it: &ProgramPoint| it.method().is_none_or(|it| new.subject.find(it).is_some());
        contract.specification.clauses.retain(|it| has(&it.point));
        contract.specification.throws.retain(|it| new.subject.find(&it.method).is_some());
        for difference in differences {
            let before = violated(&mut old, &contract, &difference.old_case);
            let after = violated(&mut new, &contract, &difference.old_case);
            let broken = after.difference(&before).take(MAX_NAMED);
            difference.breaks = broken.map(|it| format!("{} ({source})", plain(it))).collect();
        }
    }

    /// The specification that executions of the old version suggest; `None` if the class cannot be observed, or after
    /// an interrupt.
    fn inferred(&mut self, class: &str, options: &GenerateOptions) -> Option<RecordedSpecification> {
        let generated = self.old.generate(class, options, &mut |_| !interrupted()).ok()?.suite;
        let cases: Vec<&Case> = generated.cases.iter().chain(&generated.failing).collect();
        let mut observed = Observed::open(&mut self.old, class, options).ok()?;
        let recording = observed.listen(&cases);
        let limits = ExplorerLimits {
            states: 60,
            executions: 1_200,
            each: 40,
            work: 400_000,
            paths: 60,
            challenges: 1_200,
            interrupted,
            ..ExplorerLimits::default()
        };
        let inference = InferOptions { algebraic: false, limits, ..InferOptions::default() };
        let Observed { mut bench, subject } = observed;
        let outcome = infer_class(bench.machine(), &subject, &recording, &inference);
        let executions: Vec<_> = recording.executions.iter().chain(&outcome.explored.executions).collect();
        let inferred = RecordedSpecification::new(&subject, &outcome.specification, &executions);
        (!interrupted()).then_some(inferred)
    }
}

/// What the calls of a case violate.
fn violated(observed: &mut Observed<'_>, contract: &RecordedSpecification, case: &Case) -> BTreeSet<String> {
    let recording = observed.listen(&[case]);
    let executions: Vec<_> = recording.executions.iter().collect();
    let violations = contract.violated(&observed.subject, &executions);
    violations.into_iter().map(|it| it.recorded).collect()
}

/// A claim without the descriptor of its method: `pay ensures result >= 0`.
fn plain(claim: &str) -> String {
    let Some((method, says)) = claim.split_once(' ') else { return claim.to_owned() };
    let name = method.split('(').next().unwrap_or(method);
    format!("{} {says}", if name == "<init>" { "new" } else { name })
}
