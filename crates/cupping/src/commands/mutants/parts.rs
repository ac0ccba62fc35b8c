//! The mutants in parts: on threads of this process, or as jobs.
//!
//! Each part first runs the whole suite, which shows what its tests reach. So a job has about a thousand mutants.

use super::arguments::Arguments;
use super::store::key;
use crate::frame::parts::{Parts, PartsEnd};
use crate::frame::schedule::Schedule;
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, Failure, Share, UnitEnd, Work};
use crate::process::interrupt::interrupted;
use crate::process::progress::{Board, Line};
use crate::shared::mutation::faults::Faults;
use crate::shared::mutation::judge::{Judge, JudgedMutants};
use crate::shared::mutation::{JudgeOptions, KnownResults};
use crate::shared::suite::Suite;
use cupping_classfile::Program;
use cupping_jobs::Digest;
use cupping_report::files::Author;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Mutants of a job.
const MUTANTS_OF_JOB: usize = 1000;

/// Estimated work on a suite without faults, and on a mutant, in milliseconds.
const COST_OF_SUITE: u64 = 2000;
const COST_OF_MUTANT: u64 = 10;

/// The ends of the parts.
pub struct Judgement {
    /// By index of the suite, in order.
    pub parts: Vec<(usize, UnitEnd<JudgedMutants>)>,
    /// The end of the stage.
    pub end: PartsEnd,
}

/// A suite and some of the mutants.
struct Part {
    name: String,
    suite: usize,
    /// The instructions whose mutants are judged, by their places in [`Faults::places`].
    places: Vec<usize>,
}

/// Judges all suites, each in as many parts as there are threads for it.
pub fn on_threads(
    args: &Arguments,
    options: &JudgeOptions,
    faults: &Faults,
    suites: &[Suite],
    known: &[KnownResults],
) -> Judgement {
    let jobs = args.budget.jobs.threads();
    let count = jobs.get().div_ceil(suites.len().max(1)).min(faults.places.len()).max(1);
    let part = |at: usize| Part {
        name: at.to_string(),
        suite: at / count,
        places: (at % count..faults.places.len()).step_by(count).collect(),
    };
    let parts: Vec<Part> = (0..suites.len() * count).map(part).collect();
    judge(args, &Judges { options, faults, suites, known, parts: &parts }, None)
}

/// Judges all suites at the present stage of a run.
///
/// # Errors
///
/// There is no store.
pub fn in_jobs(
    args: &Arguments,
    author: &Author,
    options: &JudgeOptions,
    faults: &Faults,
    suites: &[Suite],
    program: &Arc<Program>,
    known: &[KnownResults],
) -> Result<Judgement, String> {
    let groups = groups(faults);
    let part = |suite: usize, (name, places): &(String, Vec<usize>)| Part {
        name: if suites.len() == 1 { name.clone() } else { format!("{name} by suite {}", suite + 1) },
        suite,
        places: places.clone(),
    };
    let parts: Vec<Part> =
        (0..suites.len()).flat_map(|suite| groups.iter().map(move |it| part(suite, it))).collect();
    let programs: Vec<Arc<Program>> =
        std::iter::once(program).chain(suites.iter().map(|it| &it.program)).map(Arc::clone).collect();
    let mut keeping = StoreContext::wanted_for(&args.store, "mutants", &author.options, &[], &programs)?;
    if let Some(keeping) = &mut keeping {
        for part in &parts {
            let mutants: usize = part.places.iter().map(|it| faults.places[*it].mutants.len()).sum();
            keeping.costs(&part.name, COST_OF_SUITE + COST_OF_MUTANT * mutants as u64);
            keeping.depends_on(&part.name, described(faults, &part.places));
            for class in suites[part.suite].classes.iter() {
                keeping.depends_on(&part.name, Digest::of(class.as_bytes()));
            }
        }
    }
    Ok(judge(args, &Judges { options, faults, suites, known, parts: &parts }, keeping.as_ref()))
}

fn judge(args: &Arguments, judges: &Judges<'_>, keeping: Option<&StoreContext>) -> Judgement {
    let names: Vec<&str> = judges.parts.iter().map(|it| it.name.as_str()).collect();
    let board = Board::hidden();
    let schedule = Schedule {
        units: &names,
        jobs: args.budget.jobs.threads(),
        budget: Budget::Each(Duration::ZERO),
        interrupted,
        board: &board,
    };
    let mut parts = Vec::new();
    let end = Parts { command: "mutants", schedule, keeping }.conduct(
        judges,
        &mut |name, judged| Ok(judges.within_part(name, judged)),
        &mut |at, end| parts.push((at, end)),
    );
    parts.sort_by_key(|(at, _)| *at);
    let parts = parts.into_iter().map(|(at, end)| (judges.parts[at].suite, judges.within_all(at, end)));
    Judgement { parts: parts.collect(), end }
}

/// Judges parts.
struct Judges<'a> {
    options: &'a JudgeOptions,
    faults: &'a Faults,
    suites: &'a [Suite],
    known: &'a [KnownResults],
    parts: &'a [Part],
}

impl Judges<'_> {
    fn part(&self, name: &str) -> &Part {
        // All names are those of parts.
        self.parts.iter().find(|it| it.name == name).unwrap_or(&self.parts[0])
    }

    /// The mutants of a part.
    fn mutants<'s>(&'s self, part: &'s Part) -> impl Iterator<Item = usize> + 's {
        part.places.iter().flat_map(|place| &self.faults.places[*place].mutants).copied()
    }

    /// A result with mutants numbered within their part, so that it does not depend on other classes.
    fn within_part(&self, name: &str, mut judged: JudgedMutants) -> JudgedMutants {
        let numbers: BTreeMap<usize, usize> = self.mutants(self.part(name)).zip(0..).collect();
        judged.ends = judged.ends.into_iter().map(|(at, end, steps)| (numbers[&at], end, steps)).collect();
        judged
    }

    /// A result with mutants numbered as they are in [`Faults::mutants`].
    fn within_all(&self, part: usize, end: UnitEnd<JudgedMutants>) -> UnitEnd<JudgedMutants> {
        let UnitEnd::Done(mut judged) = end else { return end };
        let mutants: Vec<usize> = self.mutants(&self.parts[part]).collect();
        let ends = judged.ends.into_iter();
        judged.ends = ends.filter_map(|(at, end, steps)| Some((*mutants.get(at)?, end, steps))).collect();
        UnitEnd::Done(judged)
    }
}

impl Work for Judges<'_> {
    type Session = ();
    type Findings = JudgedMutants;

    fn boot(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn work(&self, (): &mut (), unit: &str, _: Share, _: &Line) -> Result<JudgedMutants, Failure> {
        let part = self.part(unit);
        let (suite, known) = (&self.suites[part.suite], &self.known[part.suite]);
        if self.faults.mutants.is_empty() || known.is_complete() {
            let (passed, left_out) = known.tests.unwrap_or_default();
            return Ok(JudgedMutants {
                ends: Vec::new(),
                passed,
                left_out,
                panics: Vec::new(),
                notes: Vec::new(),
            });
        }
        let judge = Judge::new(self.options, suite, self.faults).map_err(Failure::Input)?;
        judge.judge(known, part.places.iter().copied()).map_err(Failure::Input)
    }
}

/// Groups of instructions with about a thousand mutants each, with names. Classes are grouped by digests of their
/// names, so that a changed class leaves the groups of others as they are.
fn groups(faults: &Faults) -> Vec<(String, Vec<usize>)> {
    let count = (faults.mutants.len() / MUTANTS_OF_JOB).max(1).next_power_of_two();
    let mut by_class: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, place) in faults.places.iter().enumerate() {
        by_class.entry(place.class).or_default().push(at);
    }
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (class, places) in by_class {
        let name = &faults.files[class].name;
        let digits = u32::from_str_radix(&Digest::of(name.as_bytes()).as_str()[..8], 16);
        let group = digits.unwrap_or_default() as usize % count;
        let mut chunk = 0;
        let mut size = 0;
        for place in places {
            let mutants = faults.places[place].mutants.len();
            if size + mutants > MUTANTS_OF_JOB {
                (chunk, size) = (chunk + 1, 0);
            }
            size += mutants;
            let name = match chunk {
                0 => format!("mutants {} of {count}", group + 1),
                _ => format!("{name} {}", chunk + 1),
            };
            groups.entry(name).or_default().push(place);
        }
    }
    groups.into_iter().collect()
}

/// A digest of mutants and of their classes.
fn described(faults: &Faults, places: &[usize]) -> Digest {
    let mut lines = Vec::new();
    let mut last = None;
    for place in places {
        let place = &faults.places[*place];
        let file = &faults.files[place.class];
        if last != Some(place.class) {
            lines.push(format!("{} {}", file.name, Digest::of(file.bytes())));
            last = Some(place.class);
        }
        lines.extend(place.mutants.iter().map(|it| key(&faults.mutants[*it].1)));
    }
    Digest::of(lines.join("\n").as_bytes())
}
