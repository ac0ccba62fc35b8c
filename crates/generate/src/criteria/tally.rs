//! Counts the goals that the cases of a suite meet, and lists those that remain open.

use super::Criteria;
use super::goal_status::GoalStatuses;
use crate::case_coverage::CaseCoverage;
use crate::exceptions::MapPlace;
use cupping_case::{Criterion, CriterionResult, GoalStanding, OpenGoal};
use cupping_coverage::{CoverageMap, Goal, GoalSet, Requirement, RequirementKind, merge};
use std::collections::BTreeSet;

/// The results of the reported criteria for these cases.
pub(crate) fn tally<'a>(
    criteria: &Criteria,
    map: &CoverageMap,
    standings: &GoalStatuses,
    initialisation: &[u64],
    cases: impl Iterator<Item = &'a CaseCoverage>,
) -> Vec<CriterionResult> {
    let cases: Vec<&CaseCoverage> = cases.collect();
    let mut hits = Vec::new();
    for case in &cases {
        merge(&mut hits, initialisation);
        merge(&mut hits, &case.hits);
    }
    let tally = Tally { map, standings, covered: map.covered(&hits), cases };
    criteria.reported().into_iter().map(|criterion| tally.result(criterion)).collect()
}

struct Tally<'a> {
    map: &'a CoverageMap,
    standings: &'a GoalStatuses,
    covered: GoalSet,
    cases: Vec<&'a CaseCoverage>,
}

impl Tally<'_> {
    fn result(&self, criterion: Criterion) -> CriterionResult {
        match criterion {
            Criterion::Line | Criterion::Branch => self.of_code(criterion),
            Criterion::Boundary => self.of_operands(criterion, RequirementKind::Boundary),
            Criterion::Overflow => self.of_operands(criterion, RequirementKind::Overflow),
            Criterion::Exception => self.of_exceptions(),
            Criterion::Path => self.of_paths(),
            Criterion::Mutation => {
                let judged = self.standings.mutants.clone();
                judged.unwrap_or_else(|| CriterionResult::new(criterion, 0, Vec::new()))
            }
        }
    }

    /// Lines and branches of the class under test, as JaCoCo counts them.
    fn of_code(&self, criterion: Criterion) -> CriterionResult {
        let (mut met, mut open) = (0, Vec::new());
        for (at, goal) in (0..).zip(self.map.goals()) {
            let (place, text, (standing, why)) = match goal {
                Goal::Line { class: 0, line } if criterion == Criterion::Line => {
                    let why = (GoalStanding::Unmet, String::from("no test runs it"));
                    (self.simple_name(0), format!("line {line}"), why)
                }
                Goal::Branch { class: 0, method, edges, .. } if criterion == Criterion::Branch => {
                    let Some(edge) = edges.first() else { continue };
                    let why = self.standings.of_branch(0, *method, edge.offset, edge.target);
                    (
                        self.method_name(0, *method),
                        format!("the edge from offset {} to {}", edge.offset, edge.target),
                        why,
                    )
                }
                _ => continue,
            };
            if self.covered.contains(cupping_coverage::GoalId(at)) {
                met += 1;
            } else {
                open.push(OpenGoal { place, line: goal.line(), text, standing, why });
            }
        }
        CriterionResult::new(criterion, met, open)
    }

    fn of_operands(&self, criterion: Criterion, kind: RequirementKind) -> CriterionResult {
        let (mut met, mut open) = (0, Vec::new());
        for (class, requirement) in self.requirements(kind) {
            let (Some(goal), Some(probe)) = (requirement.goal, requirement.probe) else { continue };
            if self.covered.contains(goal) {
                met += 1;
                continue;
            }
            let (standing, why) = self.standings.of_requirement(class, requirement.method, probe);
            open.push(self.open(class, requirement, standing, why));
        }
        CriterionResult::new(criterion, met, open)
    }

    /// Each type and place counts once; exceptions from unexpected places count too.
    fn of_exceptions(&self) -> CriterionResult {
        let thrown: BTreeSet<(&str, Option<MapPlace>)> = self
            .cases
            .iter()
            .filter_map(|case| case.thrown.as_ref())
            .map(|(c, at)| (c.as_str(), *at))
            .collect();
        let mut open = Vec::new();
        for (class, requirement) in self.requirements(RequirementKind::Exception) {
            let place = (class, requirement.method, requirement.offset);
            if thrown.contains(&(requirement.text.as_str(), Some(place))) {
                continue;
            }
            let (standing, why) = self.standings.of_check(class, requirement.method, requirement.offset);
            open.push(self.open(class, requirement, standing, why));
        }
        CriterionResult::new(Criterion::Exception, thrown.len() as u32, open)
    }

    fn of_paths(&self) -> CriterionResult {
        let (mut met, mut open) = (0, Vec::new());
        for method in &self.standings.paths {
            let of_method = self.cases.iter().filter_map(|case| case.path.filter(|it| it.0 == method.method));
            let taken = of_method.collect::<BTreeSet<_>>().len() as u32;
            met += taken;
            let ran = method.ran.saturating_sub(taken);
            let left = [
                (ran, GoalStanding::Unmet, "no test ends with it"),
                (method.timed_out, GoalStanding::Unmet, "the solver gave up"),
                (method.unexplored, GoalStanding::Unmet, "not tried within the limits"),
                (method.infeasible, GoalStanding::Infeasible, "refuted"),
            ];
            for (count, standing, why) in left {
                let goal = OpenGoal {
                    place: method.name.clone(),
                    line: None,
                    text: "a path".into(),
                    standing,
                    why: why.into(),
                };
                open.extend(std::iter::repeat_n(goal, count as usize));
            }
        }
        CriterionResult::new(Criterion::Path, met, open)
    }

    fn requirements(&self, kind: RequirementKind) -> impl Iterator<Item = (usize, &Requirement)> {
        let all = self.map.classes().iter().enumerate();
        let all = all.flat_map(|(at, class)| class.requirements.iter().map(move |it| (at, it)));
        all.filter(move |(_, requirement)| requirement.kind == kind)
    }

    fn open(&self, class: usize, requirement: &Requirement, standing: GoalStanding, why: String) -> OpenGoal {
        let place = self.method_name(class, requirement.method);
        let text = requirement
            .text
            .replace('/', if requirement.kind == RequirementKind::Exception { "." } else { "/" });
        OpenGoal { place, line: requirement.line, text, standing, why }
    }

    fn method_name(&self, class: usize, method: usize) -> String {
        let known =
            self.map.classes().get(class).and_then(|it| it.methods.iter().find(|m| m.index == method));
        format!("{}.{}", self.simple_name(class), known.map_or("", |method| &method.name))
    }

    fn simple_name(&self, class: usize) -> String {
        let name = self.map.classes().get(class).map_or("", |class| &class.name);
        name.rsplit(['/', '$']).next().unwrap_or(name).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::goal_status::MethodPaths;
    use super::*;
    use cupping_machine::MethodId;

    fn case(path: Option<(u32, u64)>, thrown: Option<(&str, Option<MapPlace>)>) -> CaseCoverage {
        CaseCoverage {
            hits: Vec::new(),
            path: path.map(|(method, path)| (MethodId(method), path)),
            leaf: None,
            thrown: thrown.map(|(class, place)| (class.to_owned(), place)),
            noticed: Vec::new(),
        }
    }

    /// The result for a criterion, of code of which nothing is mapped.
    fn result(criterion: Criterion, standings: &GoalStatuses, cases: &[CaseCoverage]) -> CriterionResult {
        let criteria = Criteria::new([criterion], false);
        let mut all = tally(&criteria, &CoverageMap::new(), standings, &[], cases.iter());
        assert_eq!(all.len(), 1, "only what is asked for is reported");
        all.remove(0)
    }

    /// A method with six paths that ran, and one of each other kind.
    fn paths_of(method: u32) -> MethodPaths {
        let name = format!("Box.m{method}");
        MethodPaths { method: MethodId(method), name, ran: 6, infeasible: 1, timed_out: 1, unexplored: 1 }
    }

    fn with_paths(paths: Vec<MethodPaths>) -> GoalStatuses {
        let mut standings = GoalStatuses::default();
        standings.paths = paths;
        standings
    }

    #[test]
    fn tests_of_one_path_meet_it_once() {
        let standings = with_paths(vec![paths_of(3)]);
        let cases = [(3, 1), (3, 2), (3, 1), (4, 9)].map(|path| case(Some(path), None));
        let result = result(Criterion::Path, &standings, &cases);
        assert_eq!(result.met, 2, "a path of another method is no path of this one");
        assert_eq!(result.unmet, 4 + 1 + 1, "four ran without a test");
        assert_eq!(result.infeasible, 1);
        assert_eq!(result.open.len(), 7);
        assert!(result.open.iter().all(|it| it.place == "Box.m3" && it.text == "a path"));
        let infeasible = result.open.iter().filter(|it| it.standing == GoalStanding::Infeasible);
        assert_eq!(infeasible.map(|it| &*it.why).collect::<Vec<_>>(), ["refuted"]);
    }

    #[test]
    fn paths_of_all_methods_add_up() {
        let paths = vec![paths_of(3), MethodPaths { ran: 0, ..paths_of(4) }];
        let standings = with_paths(paths);
        // A test of the second method takes a path that the search did not run.
        let cases = [(3, 1), (4, 1)].map(|path| case(Some(path), None));
        let result = result(Criterion::Path, &standings, &cases);
        assert_eq!((result.met, result.unmet, result.infeasible), (2, 5 + 2 + 2, 2));
    }

    #[test]
    fn each_type_and_place_of_an_exception_counts_once() {
        let (here, there) = (Some((0, 1, 4)), Some((0, 1, 9)));
        let cases = [
            case(None, Some(("java/io/IOException", here))),
            case(None, Some(("java/io/IOException", here))),
            case(None, Some(("java/io/IOException", there))),
            case(None, Some(("java/lang/Error", here))),
            case(None, Some(("java/lang/Error", None))),
            case(None, None),
        ];
        let result = result(Criterion::Exception, &GoalStatuses::default(), &cases);
        assert_eq!((result.met, result.unmet, result.infeasible), (4, 0, 0));
    }

    #[test]
    fn the_result_for_mutants_is_that_of_the_run_on_them() {
        let judged = CriterionResult { met: 7, ..CriterionResult::new(Criterion::Mutation, 0, Vec::new()) };
        let mut standings = GoalStatuses::default();
        standings.mutants = Some(judged.clone());
        assert_eq!(result(Criterion::Mutation, &standings, &[]), judged);
        let unjudged = result(Criterion::Mutation, &GoalStatuses::default(), &[]);
        assert_eq!((unjudged.met, unjudged.unmet), (0, 0));
    }
}
