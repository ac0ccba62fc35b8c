//! `cupping check`: reports generated tests that fail, and why.
//!
//! The files are found by their first lines ([`inventory`]) and run on the confined JVM ([`judge`]). A test that no
//! longer holds is reported with its old and new value, unless it is accepted; with `--update` the tests of these
//! classes are rewritten ([`update`]).

pub mod arguments;
mod gain;
mod inventory;
mod judge;
mod update;

use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::shared::accepted_findings::AcceptableFinding;
use crate::shared::repository::Repository;
use crate::shared::{all_modules, since, write};
use arguments::Arguments;
use cupping_classfile::{ClassSelector, Program};
use cupping_report::files::Author;
use cupping_report::test_check::{self, CheckReport, NewDefect};
use cupping_view::Envelope;
use inventory::GeneratedFile;
use judge::TestJudge;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &'static Arguments, _: Author) -> ExitCode {
    ExitCode::from(check(args).unwrap_or_else(|error| bad_input(&error)).code())
}

fn check(args: &'static Arguments) -> Result<Status, String> {
    let (program, selectors, mut errors) = args.classes.open(args.jdk.locate()?);
    if selectors.is_empty() {
        // Without named classes all are checked, so that error, which comes last, does not apply.
        errors.pop();
    }
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let mut accepted = args.accept.read()?;
    let judge = TestJudge::new(args, &program);
    let judged = || -> Result<(Vec<GeneratedFile>, judge::Judged), String> {
        let found = affected(args, &program, &selectors, inventory::find(&args.tests, &selectors)?)?;
        let judged = judge.judge(&found)?;
        Ok((found, judged))
    };
    let (found, judged_files) = judged()?;
    let mut status = judged_files.status;
    let Some(mut all) = judged_files.report else { return Ok(status) };
    let mut updated = Vec::new();
    if args.update && all.open().next().is_some() && !interrupted() {
        let update = update::update(args, &program, &found, &all);
        status.add(update.status);
        updated = update.files;
        all = judged()?.1.report.unwrap_or_default();
    }
    interrupt::closing();
    all.updated = updated;
    if let Some(accepted) = &mut accepted {
        let findings = all.files.iter_mut().flat_map(|it| &mut it.findings).map(|it| AcceptableFinding {
            id: &it.id,
            method: &it.test,
            old: &it.old,
            new: &it.new,
            accepted: &mut it.accepted,
        });
        accepted.apply(args.accept.reason.as_deref(), findings)?;
    }
    if interrupted() {
        status.add(Status::INTERRUPTED);
        console::error(&"interrupted; tests that were not run do not count");
    }
    if let (Some(revision), true) = (&args.since.since, found.is_empty()) {
        console::say(&since::nothing(revision));
    } else if found.is_empty() {
        console::error(&nothing(args));
        status.add(Status::EMPTY);
    }
    if all.open().next().is_some() {
        status.add(Status::WRONG);
    }
    if let Some(revision) = &args.since.since {
        match new_defects(revision, &found) {
            Ok(new) => all.new_defects = new,
            Err(error) => status.add(bad_input(&format!("--since {revision}: {error}"))),
        }
    }
    if args.gain && !found.is_empty() && !interrupted() {
        let classes = found.iter().map(|it| class_under_test(it, &program)).collect();
        match gain::gain(args, &program, &found, &classes) {
            // Of an interrupted measurement the figures are too small.
            Ok(_) if interrupted() => status.add(Status::INTERRUPTED),
            Ok(gain) => all.gain = Some(gain),
            Err(error) => status.add(bad_input(&error)),
        }
    }
    console::say(&test_check::text(&all));
    let (mut whole, status_of_all) =
        all_modules::join(args.classes.module.as_deref(), (all, status), |(whole, of_all), (all, status)| {
            whole.append(all);
            of_all.add(status);
        });
    // Findings of classes that were left out may still exist.
    if let (Some(accepted), None) = (&accepted, &args.since.since) {
        whole.obsolete =
            accepted.unused(whole.files.iter().flat_map(|it| &it.findings).map(|it| it.id.as_str()));
    }
    write_documents(args, &whole, status_of_all)?;
    Ok(status)
}

/// The files of classes that no rule leaves out; with `--since`, of those that have changed.
fn affected(
    args: &Arguments,
    program: &Program,
    selectors: &[ClassSelector],
    mut found: Vec<GeneratedFile>,
) -> Result<Vec<GeneratedFile>, String> {
    // Classes that rules leave out are checked if they are named.
    if selectors.iter().all(|it| !matches!(it, ClassSelector::Class(_))) {
        found.retain(|it| !args.classes.rules.skips(&class_under_test(it, program)));
    }
    if let Some(revision) = &args.since.since {
        let classes: Vec<String> = found.iter().map(|it| class_under_test(it, program)).collect();
        let names: Vec<&str> = classes.iter().map(String::as_str).collect();
        let affected = since::affected(revision, &names, program)?;
        let mut names = names.iter();
        found.retain(|_| names.next().is_some_and(|it| affected.contains(it)));
    }
    Ok(found)
}

/// Counterexamples that the files did not have at a revision.
fn new_defects(revision: &str, found: &[GeneratedFile]) -> Result<Vec<NewDefect>, String> {
    let repository = Repository::around_here()?;
    let mut new = Vec::new();
    for file in found.iter().filter(|it| it.file.must_fail) {
        let old = repository.text_at(revision, &file.path)?;
        new.extend(test_check::new_defects(&file.shown, &file.file, old.as_deref()));
    }
    Ok(new)
}

/// The internal name of the class that a file is about; in a nested one, `.` or `$` separates the names.
fn class_under_test(file: &GeneratedFile, program: &Program) -> String {
    let selected = ClassSelector::Class(file.first.subject.clone()).resolve(program);
    let found = selected.ok().and_then(|names| names.into_iter().next());
    found.unwrap_or_else(|| file.first.subject.replace('.', "/"))
}

fn nothing(args: &Arguments) -> String {
    let folders: Vec<String> = args.tests.iter().map(|it| it.display().to_string()).collect();
    format!(
        "there are no generated tests in {}; `cupping generate` writes some, and --tests names another folder",
        folders.join(", ")
    )
}

fn write_documents(args: &Arguments, all: &CheckReport, status: Status) -> Result<(), String> {
    let envelope = || Envelope::new("check", all).status(status.word());
    args.documents.write(
        envelope,
        || test_check::markdown(all),
        || test_check::sarif(all),
        || test_check::page(all),
    )?;
    match &args.junit_xml {
        Some(file) => {
            write::file(file, test_check::junit_xml(all).as_bytes(), "name another file with --junit-xml")
        }
        None => Ok(()),
    }
}
