//! Findings for the report: grouped by cause, ranked, and written as Java.

use super::plan::SearchPlan;
use super::search::SearchFindings;
use super::versions::Versions;
use crate::process::console::on_one_line;
use crate::shared::class_facts::ProgramFacts;
use cupping_case::{Assertion, Case, Member, Outcome, Probe, Suite};
use cupping_classfile::Program;
use cupping_diff::{MethodFate, MethodName, Status, signature};
use cupping_generate::{ComparisonVerdict, Contrast, Difference, SameBound, SequenceBound, VersionEnd};
use cupping_report::differences::{
    ApiChange, Cause, ChangedMethod, Differences, Example, FindingKind, MovedClass, NOT_SEARCHED,
};
use cupping_report::framework::Framework;
use cupping_report::junit::test_classes;
use std::collections::{BTreeMap, BTreeSet};

/// Methods with a contract that other code relies on.
const CONTRACTS: [&str; 3] = ["equals", "hashCode", "compareTo"];
/// Callers of a change that are named.
const MAX_VISIBLE: usize = 20;

/// Puts everything together.
pub fn differences(versions: &Versions, plan: &SearchPlan, found: &SearchFindings) -> Differences {
    let comparison = &versions.comparison;
    let dotted = |name: &str| name.replace(['/', '$'], ".");
    let of = |status: Status| {
        let classes = comparison.classes.iter().filter(move |it| it.status == status);
        classes.map(|it| dotted(&it.name)).collect::<Vec<String>>()
    };
    let differing = shown_changes(plan, found);
    let mut fields = Vec::new();
    let mut changed = Vec::new();
    for class in &comparison.classes {
        fields.extend(class.fields.iter().map(|it| format!("{}: {it}", dotted(&class.name))));
        for method in &class.methods {
            let is_this = |it: &cupping_generate::ChangedMethod| {
                it.class == class.name && it.name == method.name && it.descriptor == method.descriptor
            };
            let known = plan.changed.iter().position(is_this);
            let is_searched = |at: usize| plan.units.values().any(|it| it.changed.contains(&at));
            let verdict = known.and_then(|at| found.verdicts[at].clone());
            let is_in_both = method.fate == MethodFate::Changed;
            let (verdict, why) = match (verdict, known) {
                (Some(ComparisonVerdict::Differs), Some(at)) if !differing.contains(&at) => {
                    ("unknown", "no difference that was confirmed".to_owned())
                }
                (Some(ComparisonVerdict::Differs), _) => words(&ComparisonVerdict::Differs),
                (Some(verdict), _) if is_in_both => words(&verdict),
                (None, Some(at)) if !versions.selected.is_empty() && !is_searched(at) => {
                    ("", NOT_SEARCHED.to_owned())
                }
                (None, Some(at)) if is_in_both && !plan.units.is_empty() => {
                    ("unknown", missing(plan, found, at))
                }
                _ => ("", String::new()),
            };
            let name = MethodName {
                class: class.name.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
            };
            let influence = if method.fate == MethodFate::Removed { &versions.before } else { &versions.now };
            let visible = influence.visible_from(&name);
            let (fate, was) = match &method.fate {
                MethodFate::Added => ("added", None),
                MethodFate::Removed => ("removed", None),
                MethodFate::Changed => ("changed", None),
                MethodFate::Renamed(was) => ("renamed", Some(was.to_string())),
            };
            changed.push(ChangedMethod {
                class: dotted(&class.name),
                method: shown(versions, &name),
                fate,
                was,
                old_line: method.old_line,
                new_line: method.new_line,
                verdict,
                why,
                visible_from: visible
                    .iter()
                    .take(MAX_VISIBLE)
                    .map(|it| format!("{}.{}", dotted(&it.class), shown(versions, it)))
                    .collect(),
            });
        }
    }
    let api = comparison.api.iter().map(|it| ApiChange {
        place: it.place.clone(),
        what: it.what.clone(),
        breaks: it.breaks.to_string(),
        jls: it.section.to_owned(),
    });
    Differences {
        common: comparison.common,
        added: of(Status::Added),
        removed: of(Status::Removed),
        moved: versions.moves.list().iter().map(moved).collect(),
        fields,
        changed,
        api: api.collect(),
        causes: causes(versions, plan, found),
        unconfirmed: 0,
    }
}

/// The changes that differences show.
fn shown_changes(plan: &SearchPlan, found: &SearchFindings) -> BTreeSet<usize> {
    let mut shown = BTreeSet::new();
    for (class, differences) in &found.differences {
        for difference in differences {
            shown.extend(runs(plan, class, difference));
        }
    }
    shown
}

/// The changes that a difference runs. If it runs none, only methods that the old version lacks, or does not count, can
/// cause it.
fn runs(plan: &SearchPlan, class: &str, difference: &Difference) -> BTreeSet<usize> {
    if difference.runs.is_empty() {
        return plan.units.get(class).map(|it| it.changed.clone()).unwrap_or_default();
    }
    difference.runs.clone()
}

fn moved(class: &cupping_diff::MovedClass) -> MovedClass {
    let [was, is] = [&class.was, &class.is].map(|it| it.replace('/', "."));
    MovedClass { was, is, likeness: class.likeness }
}

/// Why a changed method was not examined.
fn missing(plan: &SearchPlan, found: &SearchFindings, changed: usize) -> String {
    let mut units = plan.units.iter().filter(|(_, unit)| unit.changed.contains(&changed)).peekable();
    if units.peek().is_none() {
        return "no class that was searched may run it".to_owned();
    }
    units
        .find_map(|(class, _)| found.failures.get(class).map(|it| on_one_line(it)))
        .unwrap_or_else(|| "interrupted".to_owned())
}

/// A verdict in words, with its bound or the obstacle.
fn words(verdict: &ComparisonVerdict) -> (&'static str, String) {
    match verdict {
        ComparisonVerdict::Differs => ("differs", String::new()),
        ComparisonVerdict::Same(bound) => ("same", within(bound)),
        ComparisonVerdict::Open { sequences, paths: 0 } => {
            ("unknown", format!("no difference on {}", counted(*sequences, "path")))
        }
        ComparisonVerdict::Open { sequences, paths } => {
            let paths = counted(*paths + sequences, "path");
            ("unknown", format!("no difference on {paths}"))
        }
        ComparisonVerdict::NotRun => ("unknown", "no calls were found that run it".to_owned()),
    }
}

/// The bound of a proof in words.
fn within(bound: &SameBound) -> String {
    let lengths = format!("with texts and arrays of at most {} elements", bound.elements);
    let Some(SequenceBound { calls, class, without }) = &bound.sequences else {
        return format!("on all paths, {lengths}");
    };
    let class = class.rsplit(['/', '$']).next().unwrap_or(class);
    let sequences = match calls {
        1 => "all single calls".to_owned(),
        calls => format!("all sequences of up to {calls} calls"),
    };
    let left_out = match without.as_slice() {
        [] => String::new(),
        [only] => format!(", without {only}"),
        [first, rest @ ..] => format!(", without {first} and {}", counted(rest.len(), "other method")),
    };
    format!("on all paths of {sequences} of {class}, {lengths}{left_out}")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A method with its parameters, as declared in the version that has it.
fn shown(versions: &Versions, method: &MethodName) -> String {
    let of = |program: &Program| {
        let file = program.find(&method.class).ok().flatten()?;
        let declared = file.method(&method.name, &method.descriptor)?;
        Some(signature(&file, declared))
    };
    of(&versions.new).or_else(|| of(&versions.old)).unwrap_or_else(|| method.name.to_string())
}

/// Groups differences by the changed methods that their calls run. If some calls run fewer of them than others and
/// show the same kind of difference, these suffice.
fn causes(versions: &Versions, plan: &SearchPlan, found: &SearchFindings) -> Vec<Cause> {
    let mut groups: BTreeMap<BTreeSet<usize>, BTreeMap<FindingKind, Vec<&Difference>>> = BTreeMap::new();
    for (class, differences) in &found.differences {
        for difference in differences {
            let runs = runs(plan, class, difference);
            groups.entry(runs).or_default().entry(kind(difference)).or_default().push(difference);
        }
    }
    let known: Vec<(BTreeSet<usize>, BTreeSet<FindingKind>)> =
        groups.iter().map(|(runs, kinds)| (runs.clone(), kinds.keys().copied().collect())).collect();
    let mut causes = Vec::new();
    for (runs, mut kinds) in groups {
        kinds.retain(|kind, _| {
            let says_enough = |(other, has): &(BTreeSet<usize>, BTreeSet<FindingKind>)| {
                other.len() < runs.len() && other.is_subset(&runs) && has.contains(kind)
            };
            !known.iter().any(says_enough)
        });
        let changed: Vec<String> = runs.iter().map(|at| place(versions, &plan.changed[*at])).collect();
        let examples = kinds.iter().filter_map(|(kind, differences)| {
            let smallest = differences.iter().min_by_key(|it| {
                let calls = &it.old_case.steps;
                (it.breaks.is_empty(), calls.len(), format!("{calls:?}").len())
            })?;
            Some(example(versions, *kind, smallest, &changed))
        });
        let mut examples: Vec<Example> = examples.collect();
        examples.sort_by_key(Example::rank);
        if examples.is_empty() {
            continue;
        }
        let first = runs.first().map(|at| &plan.changed[*at]);
        let (file, line) = first.map(|it| source(versions, it)).unwrap_or_default();
        causes.push(Cause { changed, file, line, examples, sources: Vec::new() });
    }
    let rank = |it: &Cause| it.examples.iter().map(Example::rank).min();
    causes.sort_by(|a, b| (rank(a), &a.changed).cmp(&(rank(b), &b.changed)));
    causes
}

/// The name of a method in causes.
pub(super) fn place(versions: &Versions, method: &cupping_generate::ChangedMethod) -> String {
    let name = MethodName {
        class: method.class.clone(),
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
    };
    format!("{}.{}", method.class.replace(['/', '$'], "."), shown(versions, &name))
}

/// The source file and line of a changed method, in the new version if it exists there.
fn source(versions: &Versions, method: &cupping_generate::ChangedMethod) -> (String, Option<u16>) {
    let package = method.class.rfind('/').map_or("", |at| &method.class[..=at]);
    let class = versions.comparison.classes.iter().find(|it| it.name == method.class);
    let change = class.and_then(|it| {
        it.methods.iter().find(|it| it.name == method.name && it.descriptor == method.descriptor)
    });
    let line = change.and_then(|it| it.new_line.or(it.old_line));
    let file = [&versions.new, &versions.old]
        .into_iter()
        .find_map(|program| program.find(&method.class).ok().flatten()?.source_file.clone());
    (file.map_or(String::new(), |file| format!("{package}{file}")), line)
}

fn kind(difference: &Difference) -> FindingKind {
    match &difference.what {
        Contrast::Ends(_, VersionEnd::Endless) => FindingKind::Endless,
        Contrast::Ends(VersionEnd::Returned, VersionEnd::Threw { .. }) => FindingKind::NewFailure,
        Contrast::Ends(VersionEnd::Threw { .. } | VersionEnd::Endless, VersionEnd::Returned) => {
            FindingKind::FailureMended
        }
        Contrast::Ends(VersionEnd::Threw { class, .. }, VersionEnd::Threw { class: other, .. })
            if class == other =>
        {
            FindingKind::OtherText
        }
        Contrast::Ends(..) => FindingKind::OtherException,
        Contrast::Values(pairs) => {
            let last = &*difference.old_case.under_test.name;
            let names: Vec<&str> = pairs
                .iter()
                .map(|(old, _)| match &old.probe {
                    Probe::Observer { method, .. } => &*method.name,
                    Probe::Chain { members, .. } => members.last().map_or(last, Member::name),
                    _ => last,
                })
                .collect();
            if names.iter().any(|it| CONTRACTS.contains(it)) {
                FindingKind::Contract
            } else if names.iter().all(|it| matches!(*it, "toString" | "getMessage")) {
                FindingKind::OtherText
            } else {
                FindingKind::OtherResult
            }
        }
    }
}

fn example(versions: &Versions, kind: FindingKind, difference: &Difference, changed: &[String]) -> Example {
    let under_test = &difference.old_case.under_test;
    let method = MethodName {
        class: under_test.class.clone(),
        name: under_test.name.clone(),
        descriptor: under_test.descriptor.clone(),
    };
    let method = format!("{}.{}", under_test.class.replace(['/', '$'], "."), shown(versions, &method));
    let bare = Case { outcome: Outcome::Returned, assertions: Vec::new(), ..difference.old_case.clone() };
    let (calls, old, new) = match &difference.what {
        Contrast::Ends(old, new) => (lines(versions, &bare), end(old), end(new)),
        Contrast::Values(pairs) => {
            let with = |assertion: &Assertion| {
                let outcome = difference.old_case.outcome.clone();
                lines(versions, &Case { outcome, assertions: vec![assertion.clone()], ..bare.clone() })
            };
            let (old, new) = (with(&pairs[0].0), with(&pairs[0].1));
            let common = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
            (old[..common].to_vec(), old[common..].join(" "), new[common..].join(" "))
        }
    };
    Example {
        id: Example::identity(changed, kind, &calls, &old, &new),
        kind,
        method,
        when: difference.conditions.clone(),
        breaks: difference.breaks.clone(),
        calls,
        old,
        new,
        confirmed: difference.is_confirmed,
        accepted: None,
    }
}

/// The statements of a case as a test has them.
fn lines(versions: &Versions, case: &Case) -> Vec<String> {
    let mut suite = Suite::new(case.under_test.class.clone());
    suite.cases.push(case.clone());
    let classes = test_classes(&suite, Framework::Junit5, &ProgramFacts::new(&versions.old));
    let Some(method) = classes.first().and_then(|it| it.methods.first()) else { return Vec::new() };
    let body = method.lines.iter().skip_while(|it| !it.ends_with('{')).skip(1);
    let mut body: Vec<String> = body.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    body.pop();
    body
}

fn end(end: &VersionEnd) -> String {
    match end {
        VersionEnd::Returned => "returns".to_owned(),
        VersionEnd::Endless => "does not end".to_owned(),
        VersionEnd::Threw { class, message } => {
            let class = class.replace(['/', '$'], ".");
            match message {
                Some(text) => format!("throws {class}: {}", String::from_utf16_lossy(text).escape_debug()),
                None => format!("throws {class}"),
            }
        }
    }
}
