//! Families: tests that differ only in literals become the rows of one parameterized test.
//!
//! The bodies of certified tests are compared with a hole in place of each literal and each array of literals. Holes
//! whose values differ become parameters; holes that always have equal values are one parameter. Conditions that
//! hold and conditions that do not are asserted as an expected truth value, so that both belong to one family.

mod columns;
mod holes;
mod rows;

use super::class::{JunitClass, JunitMethod};
use super::slugs::is_identifier;
use crate::framework::Framework;
use crate::source::java::Printer;
use crate::source::tree::{Method, Stmt};
use columns::columns;
use cupping_case::Suite;
use holes::Skeleton;
use rows::Rows;
use std::collections::BTreeSet;

/// Tests that make a family, at least.
const LEAST: usize = 5;
/// Parameters of a test, at most.
const MOST_PARAMETERS: usize = 5;
/// The annotation of a parameterized test.
pub(super) const PARAMETERIZED: &str = "org.junit.jupiter.params.ParameterizedTest";

/// The class with its families as parameterized tests; `None` if it has none. The cases are those of the suite from
/// which it was printed.
pub fn parameterized(class: &JunitClass, suite: &Suite) -> Option<JunitClass> {
    if class.framework != Framework::Junit5 || class.failing {
        return None;
    }
    let mut families: Vec<(Skeleton, Vec<usize>)> = Vec::new();
    for (at, method) in class.methods.iter().enumerate() {
        let Some(skeleton) = Skeleton::of(method) else { continue };
        match families.iter_mut().find(|(known, _)| known.is_like(&skeleton)) {
            Some((_, members)) => members.push(at),
            None => families.push((skeleton, vec![at])),
        }
    }
    let mut folded = class.clone();
    let mut gone = BTreeSet::new();
    for (_, members) in families.iter().filter(|(_, members)| members.len() >= LEAST) {
        let Some(family) = family(class, &folded, members, suite) else { continue };
        gone.extend(members[1..].iter().copied());
        folded.methods[members[0]] = family;
    }
    if gone.is_empty() {
        return None;
    }
    let mut place = 0;
    folded.methods.retain(|_| {
        place += 1;
        !gone.contains(&(place - 1))
    });
    Some(folded)
}

/// One test that replaces these. `folded` contains the families created before.
fn family(class: &JunitClass, folded: &JunitClass, members: &[usize], suite: &Suite) -> Option<JunitMethod> {
    let methods: Vec<&JunitMethod> = members.iter().map(|at| &class.methods[*at]).collect();
    let skeletons: Vec<Skeleton> = methods.iter().map(|it| Skeleton::of(it)).collect::<Option<_>>()?;
    let columns = columns(&skeletons, methods.first().and_then(|it| suite.cases.get(it.case)))?;
    if columns.is_empty() || columns.len() > MOST_PARAMETERS {
        return None;
    }
    let rows = Rows::of(&columns, class)?;
    let name = name(folded, &methods, members);
    let filled = |hole: usize| columns.iter().find(|it| it.holes.contains(&hole)).map(|it| it.name.clone());
    let body = skeletons.first()?.filled(&filled);
    let mut imports: BTreeSet<String> = methods.iter().flat_map(|it| it.imports.iter().cloned()).collect();
    imports.extend([PARAMETERIZED.to_owned()]);
    imports.extend(rows.imports());
    let mut lines = vec!["@ParameterizedTest".to_owned()];
    lines.extend(rows.annotation(&name));
    let mut printer = Printer::styled(class.framework, &class.style);
    lines.extend(printer.method(&Method {
        modifiers: class.framework.visibility(),
        name: name.clone(),
        parameters: columns.iter().map(|it| (it.ty.clone(), it.name.clone())).collect(),
        throws: methods.iter().find_map(|it| it.throws).map(Into::into),
        body: body.clone(),
        ..Method::default()
    }));
    lines.extend(rows.provider(&name));
    Some(JunitMethod {
        name,
        case: methods.first()?.case,
        rows: methods.iter().map(|it| (it.case, it.name.clone())).collect(),
        fails_with: None,
        harmless: methods.iter().all(|it| it.harmless),
        lines,
        imports,
        assertions: printer.assertions,
        body: Vec::<Vec<Stmt>>::new(),
        throws: None,
    })
}

/// The common parts of the tests' names.
fn name(class: &JunitClass, methods: &[&JunitMethod], members: &[usize]) -> String {
    let parts: Vec<Vec<&str>> = methods.iter().map(|it| it.name.split('_').collect()).collect();
    let first = &parts[0];
    let common =
        (0..first.len()).take_while(|at| parts.iter().all(|it| it.get(*at) == first.get(*at))).count();
    let stem = first[..common.max(1)].join("_");
    let others = class.methods.iter().enumerate().filter(|(at, _)| !members.contains(at));
    let taken: BTreeSet<&str> = others.map(|(_, it)| it.name.as_str()).collect();
    let is_free = |name: &String| {
        let calls = format!(" {name}(");
        is_identifier(name)
            && !taken.contains(name.as_str())
            && !class.all_lines().any(|it| it.contains(&calls))
    };
    let last = methods[0].name.clone();
    let numbered = (2..).map(|number| format!("{stem}_cases{number}")).take(members.len() + taken.len());
    [stem.clone(), format!("{stem}_cases")].into_iter().chain(numbered).find(is_free).unwrap_or(last)
}
