//! Confirms differences on the JDK: a test passes there on one version and fails on the other.

use super::arguments::{Arguments, EmittedVersion};
use super::plan::{ClassDifferences, SearchPlan};
use super::versions::Versions;
use crate::process::console;
use crate::shared::class_facts::ProgramFacts;
use crate::shared::emit::Emitter;
use cupping_case::{Case, Suite};
use cupping_classfile::Program;
use cupping_report::certify::{Certifier, Stage};
use cupping_report::files::Author;
use cupping_report::junit::{JunitClass, TestForm, test_classes};
use std::collections::BTreeSet;
use std::path::Path;

/// Two JVMs, one for each version.
pub struct Judge<'a> {
    old: Certifier,
    new: Certifier,
    form: TestForm,
    emit: Option<(EmittedVersion, Emitter<'a>)>,
}

impl<'a> Judge<'a> {
    /// Starts both JVMs, which takes a while; `None` if confirmation is disabled.
    ///
    /// # Errors
    ///
    /// There is no `javac`, or no JUnit.
    pub fn start(
        args: &'a Arguments,
        author: &Author,
        versions: &'a Versions,
        plan: &SearchPlan,
        out: Option<&'a Path>,
    ) -> Result<Option<Judge<'a>>, String> {
        if args.no_confirm && args.emit.is_none() || plan.units.is_empty() {
            return Ok(None);
        }
        let emit = match (args.emit, out) {
            (Some(emit), Some(out)) => {
                let program = if emit == EmittedVersion::Old { &versions.old } else { &versions.new };
                let classes = plan.units.keys().map(String::as_str);
                Some((emit, Emitter::start(&args.emission, author, out, program, classes)?))
            }
            _ => None,
        };
        Ok(Some(Judge {
            old: args.emission.certifier(&versions.old)?,
            new: args.emission.certifier(&versions.new)?,
            form: args.emission.form(&versions.old)?,
            emit,
        }))
    }

    /// Drops the differences of a class that the JDK does not confirm, and writes tests of the others if requested. A
    /// difference that is not a test, because a call does not end, stays.
    ///
    /// # Errors
    ///
    /// A JVM ended, or a file cannot be written.
    pub fn confirm(
        &mut self,
        versions: &Versions,
        class: &str,
        found: &mut ClassDifferences,
    ) -> Result<(), String> {
        let differences = &mut found.differences;
        let is_test = |at: &usize| differences[*at].is_test();
        let tested: Vec<usize> = (0..differences.len()).filter(is_test).collect();
        let cases: Vec<Case> = tested.iter().map(|at| differences[*at].old_case.clone()).collect();
        let (held, _) = failing_on_one_version(
            class,
            cases,
            &versions.old,
            (&mut self.old, &mut self.new),
            self.form.clone(),
        )?;
        let gone: BTreeSet<usize> =
            tested.iter().enumerate().filter(|(at, _)| !held.contains(at)).map(|(_, at)| *at).collect();
        found.unconfirmed = gone.len();
        let mut at = 0;
        differences.retain_mut(|difference| {
            difference.is_confirmed = tested.binary_search(&at).is_ok();
            at += 1;
            !gone.contains(&(at - 1))
        });
        let Some((emit, emitter)) = &mut self.emit else { return Ok(()) };
        let (cases, program, judges): (Vec<Case>, _, _) = match emit {
            EmittedVersion::Old => (
                differences.iter().map(|it| it.old_case.clone()).collect(),
                &versions.old,
                (&mut self.old, &mut self.new),
            ),
            EmittedVersion::New => (
                differences.iter().filter_map(|it| it.new_case.clone()).collect(),
                &versions.new,
                (&mut self.new, &mut self.old),
            ),
        };
        let (_, classes) = failing_on_one_version(class, cases, program, judges, self.form.clone())?;
        write(class, classes, emitter)
    }
}

/// The cases that pass on one version and fail on the other, by index, and their test classes.
fn failing_on_one_version(
    class: &str,
    cases: Vec<Case>,
    program: &Program,
    (pass, fail): (&mut Certifier, &mut Certifier),
    form: TestForm,
) -> Result<(BTreeSet<usize>, Vec<JunitClass>), String> {
    if cases.is_empty() {
        return Ok(Default::default());
    }
    let mut suite = Suite::new(class);
    suite.cases = cases;
    let mut classes = test_classes(&suite, form, &ProgramFacts::new(program));
    // A test of the user's may have the usual name.
    classes.iter_mut().for_each(|it| it.name += "Cupping");
    let mut held = pass.certify(classes).map_err(|error| error.to_string())?.classes;
    let verdict = fail.certify(held.clone()).map_err(|error| error.to_string())?;
    let failing: BTreeSet<(&str, &str)> = verdict
        .divergences
        .iter()
        .filter(|it| it.stage == Stage::Run)
        .map(|it| (it.class.as_str(), it.test.as_str()))
        .collect();
    let mut places = BTreeSet::new();
    for class in &mut held {
        let name = class.binary_name();
        class.methods.retain(|it| failing.contains(&(name.as_str(), it.name.as_str())));
        places.extend(class.methods.iter().map(|it| it.case));
    }
    held.retain(|it| !it.methods.is_empty());
    Ok((places, held))
}

fn write(class: &str, mut classes: Vec<JunitClass>, emitter: &mut Emitter<'_>) -> Result<(), String> {
    for class in &mut classes {
        class.name.truncate(class.name.len() - "Cupping".len());
        emitter.name(class);
    }
    let emitted = emitter.classes(class, classes, true);
    emitted.notes.iter().for_each(|note| console::warning(note));
    emitted.error.map_or(Ok(()), Err)
}
