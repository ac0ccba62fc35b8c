//! The last challenge: after it nothing is inferred again, so what it breaks is dropped.

use crate::explore::Explorer;
use crate::outcome::{Evidence, InferenceOutcome};
use crate::refutation::{is_broken, upholds};
use crate::specification::Specification;
use crate::subject::Subject;
use rustc_hash::FxHashSet;

/// The seed of the random calls after which inference is over.
const LAST_SEED: u64 = 1_000;
/// The number of times that random calls try to break the final clauses, if some of these have little evidence.
const LAST_CHALLENGES: u64 = 3;
/// If as many calls could have violated each clause of a method, it needs no more.
const ENOUGH: usize = 600;

/// Random calls try to break the final clauses, and count as evidence; so do calls in extreme states. Clauses that they
/// break are dropped, and so are clauses that too few of them could have broken. `known` is the number of executions
/// from which the clauses were inferred.
pub fn last_challenge(
    subject: &Subject,
    explorer: &mut Explorer<'_>,
    known: usize,
    (calls, min_confidence): (usize, f64),
    outcome: &mut InferenceOutcome,
) {
    let Specification { clauses, throws } = outcome.specification.clone();
    let (evidence, of_throws) = (&mut outcome.evidence, &mut outcome.throws_evidence);
    // Methods of which too little is known get more calls.
    let mut focus: Vec<usize> = Vec::new();
    for seed in LAST_SEED..LAST_SEED + LAST_CHALLENGES {
        explorer.challenge(calls, seed, &focus, &mut |it| {
            let mut is_broken_by = false;
            for (clause, evidence) in clauses.iter().zip(evidence.iter_mut()) {
                evidence.tried += usize::from(upholds(subject, clause, it));
                is_broken_by |= is_broken(subject, clause, it);
            }
            for (throws, evidence) in throws.iter().zip(of_throws.iter_mut()) {
                evidence.tried += usize::from(throws.is_upheld(subject, it));
                is_broken_by |= throws.is_violated(subject, it);
            }
            is_broken_by
        });
        let of_clauses = clauses.iter().map(|it| it.point.method()).zip(evidence.iter());
        let all = of_clauses.chain(throws.iter().map(|it| Some(&*it.method)).zip(of_throws.iter()));
        let keys: FxHashSet<&str> = all.filter(|it| it.1.tried < ENOUGH).filter_map(|it| it.0).collect();
        focus = (0..subject.methods.len()).filter(|it| keys.contains(&*subject.key(*it))).collect();
        if focus.is_empty() {
            break;
        }
    }
    explorer.press(calls, LAST_SEED, &mut |it| {
        clauses.iter().any(|clause| is_broken(subject, clause, it))
            || throws.iter().any(|throws| throws.is_violated(subject, it))
    });
    let executions = &explorer.found().executions[known..];
    let is_sure = |it: &Evidence| it.confidence() >= min_confidence;
    let stands: Vec<bool> = clauses
        .iter()
        .zip(&outcome.evidence)
        .map(|(it, evidence)| is_sure(evidence) && !executions.iter().any(|e| is_broken(subject, it, e)))
        .collect();
    keep(&mut outcome.specification.clauses, &stands);
    keep(&mut outcome.evidence, &stands);
    let stands: Vec<bool> = throws
        .iter()
        .zip(&outcome.throws_evidence)
        .map(|(it, evidence)| is_sure(evidence) && !executions.iter().any(|e| it.is_violated(subject, e)))
        .collect();
    keep(&mut outcome.specification.throws, &stands);
    keep(&mut outcome.throws_evidence, &stands);
}

/// Keeps the elements that stand.
fn keep<T>(all: &mut Vec<T>, stands: &[bool]) {
    let mut at = stands.iter();
    all.retain(|_| *at.next().unwrap_or(&true));
}
