//! The mutants at which tests are aimed.

use crate::candidate::Candidate;
use crate::versions::Version;
use cupping_case::{Criterion, CriterionResult, GoalStanding, NoticedMutant, OpenGoal};
use cupping_coverage::CoverageMap;
use cupping_machine::Machine;
use cupping_mutate::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A mutant of the code under test.
pub(crate) struct MutationTarget {
    /// The version that it is.
    pub version: Rc<Version>,
    /// The class, by its place in the coverage map.
    pub class: usize,
    /// The mutant.
    pub mutant: Mutant,
    /// Whether a test notices it.
    pub fate: Fate,
}

impl MutationTarget {
    fn describe(&self, map: &CoverageMap, machine: &Machine) -> NoticedMutant {
        let class = map.classes()[self.class].name.rsplit(['/', '$']).next().unwrap_or_default();
        NoticedMutant {
            place: format!("{class}.{}", machine.method(self.version.method).name),
            line: self.mutant.line.map(u32::from),
            what: format!("{}: {}", self.mutant.operator, self.mutant.replacement.what),
        }
    }
}

/// Facts about a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A test notices it.
    Noticed,
    /// No test runs the mutated instruction.
    NotReached,
    /// The budget ended before a test that reaches it was run on it.
    Untried,
    /// Tests were run on it, and none notices it.
    Unnoticed,
    /// All arguments were tried on all paths, without a difference.
    Equivalent,
}

/// All mutants of a class and of the nested classes that are tested through it.
#[derive(Default)]
pub(crate) struct Targets {
    /// Mutants in the order of the code.
    pub all: Vec<MutationTarget>,
}

impl Targets {
    /// The mutants of the code that counts for coverage. `with_initialiser` adds those of the initialiser of
    /// the class under test, which runs before every test.
    pub fn of(machine: &mut Machine, map: &CoverageMap, with_initialiser: bool) -> Targets {
        let mut all = Vec::new();
        for (class, covered) in map.classes().iter().enumerate() {
            let Ok(id) = machine.load(&covered.name) else { continue };
            let Some(file) = machine.class(id).file.clone() else { continue };
            let counted: BTreeSet<(usize, u32)> = covered
                .methods
                .iter()
                .flat_map(|method| method.instructions().map(move |it| (method.index, it.offset)))
                .collect();
            let methods = machine.class(id).methods.clone();
            for mutant in cupping_mutate::mutants(&file).unwrap_or_default() {
                let method = methods.iter().find(|it| machine.method(**it).index == mutant.method);
                let Some(method) = method.filter(|_| counted.contains(&(mutant.method, mutant.pc))) else {
                    continue;
                };
                let is_initialiser = &*machine.method(*method).name == "<clinit>";
                if is_initialiser && !(with_initialiser && class == 0) {
                    continue;
                }
                let Ok(Some(body)) = mutant.code(&file) else { continue };
                let version = Rc::new(Version::new(*method, body, is_initialiser.then_some(id)));
                all.push(MutationTarget { version, class, mutant, fate: Fate::NotReached });
            }
        }
        Targets { all }
    }

    /// The indices of the mutants, in order, that a candidate's run with these hits has reached. Probes come
    /// after calls, so if the run ended with an exception, all mutants of the methods that it may have left are
    /// included.
    pub fn reached(&self, map: &CoverageMap, hits: &[u64], candidate: &Candidate) -> Vec<usize> {
        let covered = CoveredInstructions::by(map, hits, candidate);
        (0..self.all.len()).filter(|at| covered.has(&self.all[*at])).collect()
    }

    /// The indices of the mutants whose instructions are among these hits.
    pub fn run_by(&self, map: &CoverageMap, hits: &[u64]) -> Vec<usize> {
        let offsets = offsets_of(map, hits);
        let is_run = |at: &usize| {
            let target = &self.all[*at];
            let run = offsets.get(&(target.class, target.mutant.method));
            run.is_some_and(|run| run.binary_search(&target.mutant.pc).is_ok())
        };
        (0..self.all.len()).filter(is_run).collect()
    }

    /// Whether this mutant is still to be noticed.
    pub fn is_open(&self, at: usize) -> bool {
        !matches!(self.all[at].fate, Fate::Noticed | Fate::Equivalent)
    }

    /// A mutant in words.
    pub fn note(&self, at: usize, map: &CoverageMap, machine: &Machine) -> NoticedMutant {
        self.all[at].describe(map, machine)
    }

    /// The result for the criterion.
    pub fn result(&self, map: &CoverageMap, machine: &Machine) -> CriterionResult {
        let count = |fate: Fate| self.all.iter().filter(|it| it.fate == fate).count() as u32;
        let (met, infeasible) = (count(Fate::Noticed), count(Fate::Equivalent));
        let open = self.all.iter().filter(|it| it.fate != Fate::Noticed).map(|target| {
            let NoticedMutant { place, line, what } = target.describe(map, machine);
            let why = match target.fate {
                Fate::NotReached => "no test runs it",
                Fate::Untried => "the budget ended before it was tried",
                Fate::Equivalent => "no argument makes a difference",
                Fate::Unnoticed | Fate::Noticed => "no test that runs it detects it",
            };
            OpenGoal {
                place,
                line,
                text: what,
                standing: match target.fate {
                    Fate::Equivalent => GoalStanding::Infeasible,
                    _ => GoalStanding::Unmet,
                },
                why: why.to_owned(),
            }
        });
        CriterionResult {
            criterion: Criterion::Mutation,
            met,
            unmet: self.all.len() as u32 - met - infeasible,
            infeasible,
            open: open.collect(),
        }
    }
}

/// The offsets of the instructions that are among the hits, by class and method in the map.
fn offsets_of(map: &CoverageMap, hits: &[u64]) -> BTreeMap<(usize, usize), Vec<u32>> {
    let mut offsets = BTreeMap::new();
    for (class, one) in map.classes().iter().enumerate() {
        for method in &one.methods {
            let Some(ways) = method.covered_ways(hits) else { continue };
            let run = method.instructions().filter(|it| ways[it.ways.clone()].contains(&true));
            offsets.insert((class, method.index), run.map(|it| it.offset).collect());
        }
    }
    offsets
}

/// The instructions that a run has covered.
struct CoveredInstructions {
    /// Offsets by class and method in the map.
    offsets: BTreeMap<(usize, usize), Vec<u32>>,
    has_thrown: bool,
    under_test: Option<cupping_machine::MethodId>,
}

impl CoveredInstructions {
    /// The instructions covered by a candidate's run with these hits.
    fn by(map: &CoverageMap, hits: &[u64], candidate: &Candidate) -> CoveredInstructions {
        let offsets = offsets_of(map, hits);
        let under_test = candidate.plan.under_test().map(|it| it.method);
        CoveredInstructions { offsets, has_thrown: candidate.thrown.is_some(), under_test }
    }

    fn has(&self, target: &MutationTarget) -> bool {
        if target.version.initialises.is_some() {
            return true;
        }
        let covered = self.offsets.get(&(target.class, target.mutant.method));
        let may_have_left = self.has_thrown && Some(target.version.method) == self.under_test;
        may_have_left
            || covered.is_some_and(|it| {
                it.binary_search(&target.mutant.pc).is_ok() || (self.has_thrown && !it.is_empty())
            })
    }
}
