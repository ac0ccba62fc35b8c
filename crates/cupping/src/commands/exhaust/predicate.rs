//! `--repok`: inputs are the objects for which a Java predicate holds.

use super::arguments::Arguments;
use super::counterexamples::write_tests;
use super::limits::{limits, other, threads};
use super::outcome::{InputCount, conclude, notes, picture, pictures, write_counted};
use super::parts::{self, InputSource};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::process::progress::Counter;
use cupping_classfile::Program;
use cupping_exhaust::{Error, Picture, Predicate, SearchCounters, World};
use cupping_report::files::Author;
use std::sync::Arc;

/// Counts, shows or checks the objects.
///
/// # Errors
///
/// The predicate, the method or the scope is wrong, or the machine cannot run them.
pub fn search(
    args: &Arguments,
    author: &Author,
    predicate: &str,
    program: Arc<Program>,
) -> Result<Status, Error> {
    let scope = args.scope.as_deref().unwrap_or_default();
    let predicate = Predicate::read(&program, predicate, args.method.as_deref(), scope, &args.header)?;
    let specification = &predicate.specification;
    let mut world = World::boot(program.clone(), specification)?;
    let counter = Counter::new();
    if let Some(most) = args.show {
        let shown: Vec<Picture> = predicate
            .show(&mut world, most)?
            .iter()
            .map(|it| picture(&specification.after, &[], it))
            .collect();
        return pictures(args, specification, shown);
    }
    let in_parts = if parts::are_wanted(args) {
        let source = InputSource::Predicate(args.repok.as_deref().unwrap_or_default());
        let (found, status) = parts::all(args, author, &program, &source).map_err(other)?;
        let Some(found) = found else { return Ok(status) };
        Some((found, status))
    } else {
        None
    };
    if args.count || args.method.is_none() {
        let tried = match &in_parts {
            Some((found, _)) => SearchCounters { valid: found.checked.inputs, candidates: found.candidates },
            None => predicate.count_by(threads(args), &program, &mut world, |so_far| {
                counter.update(|| format!("{} objects, {} candidates", so_far.valid, so_far.candidates));
                !interrupted()
            })?,
        };
        counter.clear();
        notes(specification);
        console::answer(&format!(
            "{}: {} objects, {} candidates tried\n",
            specification.file, tried.valid, tried.candidates
        ));
        let mut status = in_parts.map_or(Status::DONE, |(_, status)| status);
        if interrupted() {
            status.add(Status::INTERRUPTED);
        }
        let counted = InputCount { inputs: tried.valid, candidates: Some(tried.candidates) };
        write_counted(args, specification, status, counted)?;
        return Ok(status);
    }
    let limits = limits(args);
    let (checked, candidates, mut status) = match in_parts {
        Some((found, status)) => (found.checked, found.candidates, status),
        None => {
            let (checked, tried) = predicate.check(&mut world, limits, |so_far| {
                let failed = so_far.inputs - so_far.passed;
                let text = || format!("{} inputs, {failed} counterexamples", so_far.inputs);
                if so_far.inputs.is_power_of_two() || so_far.inputs.is_multiple_of(1000) {
                    interrupt::so_far(format!("at least {} so far", text()));
                }
                counter.update(text);
                !interrupted()
            })?;
            (checked, tried.candidates, Status::DONE)
        }
    };
    counter.clear();
    if checked.inputs == 0 && checked.is_complete {
        return Err(other(format!(
            "{} holds for no object within the scope ({} candidates tried)",
            specification.file, candidates
        )));
    }
    status.add(conclude(args, &program, specification, &checked)?);
    status.add(write_tests(
        args,
        author,
        &mut world,
        &program,
        specification,
        Some(predicate.name()),
        &checked,
    )?);
    Ok(status)
}
