//! The search for calls that behave differently on two JDKs: tests found on either are run on the other.

use super::arguments::Arguments;
use super::plan::{ClassDifferences, SearchPlan};
use super::versions::Versions;
use crate::frame::{Failure, Share, Work};
use crate::process::interrupt::interrupted;
use crate::process::progress::Line;
use cupping_case::Case;
use cupping_generate::{
    ChangedMethod, ComparisonVerdict, Difference, GenerateError, GenerateOptions, Progress, ReplayDifference,
    Session,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The search on two JDKs.
pub struct JdkSearches<'a> {
    pub args: &'a Arguments,
    pub versions: &'a Versions,
    pub plan: &'a SearchPlan,
}

impl Work for JdkSearches<'_> {
    /// A machine on each JDK.
    type Session = [Session; 2];
    type Findings = ClassDifferences;

    fn boot(&self) -> Result<[Session; 2], Failure> {
        let [old, new] = [&self.versions.old, &self.versions.new].map(|it| Session::new(Arc::clone(it)));
        Ok([old?, new?])
    }

    fn work(
        &self,
        machines: &mut [Session; 2],
        class: &str,
        share: Share,
        line: &Line,
    ) -> Result<ClassDifferences, Failure> {
        let methods: Vec<&ChangedMethod> =
            self.plan.units[class].changed.iter().map(|at| &self.plan.changed[*at]).collect();
        let mut found = ClassDifferences {
            differences: Vec::new(),
            verdicts: vec![ComparisonVerdict::NotRun; methods.len()],
            unconfirmed: 0,
        };
        let options = GenerateOptions {
            seed: self.args.seed,
            // The rest of the time is for the writing of tests and for running them again.
            budget: share.budget * 3 / 10,
            clock: share.clock.or(Some(share.budget * 5 / 8)),
            ..GenerateOptions::default()
        };
        let mut progress = |progress| {
            line.update(progress);
            !interrupted()
        };
        let [old, new] = machines;
        let mut failure = None;
        let mut is_searched = false;
        for is_turned in [false, true] {
            let (here, there) = if is_turned { (&mut *new, &mut *old) } else { (&mut *old, &mut *new) };
            if interrupted() {
                break;
            }
            let (tests, differing) = match tests_with_differences(here, there, class, &options, &mut progress)
            {
                Ok(found) => found,
                // The other direction may still work.
                Err(error) => {
                    failure = Some(error);
                    continue;
                }
            };
            is_searched = true;
            let place = |case: &Case| {
                let called = &case.under_test;
                methods.iter().position(|it| it.name == called.name && it.descriptor == called.descriptor)
            };
            for at in tests.iter().filter_map(place) {
                match &mut found.verdicts[at] {
                    ComparisonVerdict::Open { sequences, .. } => *sequences += 1,
                    known => *known = ComparisonVerdict::Open { sequences: 1, paths: 0 },
                }
            }
            for replayed in differing {
                let old_case = tests[replayed.test].clone();
                let runs: BTreeSet<usize> = place(&old_case).into_iter().collect();
                let difference = Difference {
                    old_case,
                    new_case: Some(replayed.case),
                    what: replayed.what,
                    conditions: Vec::new(),
                    runs,
                    breaks: Vec::new(),
                    is_confirmed: false,
                };
                found.differences.extend(if is_turned { difference.turned() } else { Some(difference) });
            }
        }
        for at in found.differences.iter().flat_map(|it| &it.runs) {
            found.verdicts[*at] = ComparisonVerdict::Differs;
        }
        failure.filter(|_| !is_searched).map_or(Ok(found), |error| Err(error.into()))
    }
}

/// Finds tests of a class on one machine and runs them on the other.
fn tests_with_differences(
    here: &mut Session,
    there: &mut Session,
    class: &str,
    options: &GenerateOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Vec<Case>, Vec<ReplayDifference>), GenerateError> {
    let suite = here.generate(class, options, progress)?.suite;
    let tests: Vec<Case> = suite.cases.into_iter().chain(suite.failing).collect();
    let differing = there.replay(class, &tests, options)?;
    Ok((tests, differing))
}
