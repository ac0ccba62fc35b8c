//! `cupping generate --explain METHOD`: explains the sequences that a method needs, without writing tests.

use super::arguments::Arguments;
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::names;
use cupping_generate::{GenerateOptions, Session};
use std::sync::Arc;

/// Explains this method of each class that has one; one class after the other.
///
/// # Errors
/// There is no JDK, or it does not start on the machine.
pub fn explain(args: &Arguments, method: &str) -> Result<Status, String> {
    let (program, selection) = args.classes.select(args.jdk.locate()?);
    let program = args.assertions.of(&program);
    let mut status = Status::DONE;
    for error in &selection.errors {
        status.add(bad_input(error));
    }
    let mut session = Session::new(Arc::clone(&program)).map_err(|error| error.to_string())?;
    let options =
        GenerateOptions { methods: vec![method.to_owned()], explain_sequences: true, ..args.options() };
    let mut found = false;
    for class in &selection.classes {
        let outcome = match &class.error {
            Some(error) => Err(error.clone()),
            None => {
                session.generate(&class.name, &options, &mut |_| !interrupted()).map_err(|e| e.to_string())
            }
        };
        match outcome {
            Ok(outcome) => {
                if let Some(text) = outcome.sequences {
                    found = true;
                    console::answer(&text);
                }
            }
            Err(error) => status.add(bad_input(&error)),
        }
        if interrupted() {
            status.add(Status::INTERRUPTED);
            return Ok(status);
        }
    }
    if !found && status.code() == Status::DONE.code() {
        let classes: Vec<String> = selection.classes.iter().map(|c| c.name.replace('/', ".")).collect();
        let wrong = names::unknown_methods("--explain", &[method.to_owned()], &program, &selection);
        if let Some(error) = wrong.first() {
            return Ok(bad_input(error));
        }
        status.add(bad_input(&format!(
            "{}: no method {method} that a test can call; it is named as --method names it, add or add(I)V",
            classes.join(", ")
        )));
    }
    Ok(status)
}
