//! `cupping generate --explain METHOD`: what is known of the sequences that a method needs, instead of tests.

use crate::args::GenerateArgs;
use crate::console::{self, bad_input};
use crate::exit::Status;
use crate::interrupt::interrupted;
use crate::names;
use crate::selection;
use cupping_classfile::Jdk;
use cupping_generate::{Options, Session};
use std::sync::Arc;

/// Explains this method of each class that has one; one class after the other.
pub fn explain(args: &GenerateArgs, method: &str) -> Status {
    let jdk = match Jdk::locate(args.jdk.as_deref()) {
        Ok(jdk) => jdk,
        Err(error) => return bad_input(&error.to_string()),
    };
    let (program, selection) = selection::choose(&args.selectors, args.classpath.as_deref(), jdk);
    let mut status = Status::DONE;
    for error in &selection.errors {
        status.add(bad_input(error));
    }
    let mut session = match Session::new(Arc::clone(&program)) {
        Ok(session) => session,
        Err(error) => return bad_input(&error.to_string()),
    };
    let options = Options { methods: vec![method.to_owned()], explain_sequences: true, ..args.options() };
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
                    console::say(&text);
                }
            }
            Err(error) => status.add(bad_input(&error)),
        }
        if interrupted() {
            status.add(Status::INTERRUPTED);
            return status;
        }
    }
    if !found && status.code() == Status::DONE.code() {
        let classes: Vec<String> = selection.classes.iter().map(|c| c.name.replace('/', ".")).collect();
        let wrong = names::methods("--explain", &[method.to_owned()], &program, &selection);
        if let Some(error) = wrong.first() {
            return bad_input(error);
        }
        status.add(bad_input(&format!(
            "{}: no method {method} that a test can call; it is named as --method names it, add or add(I)V",
            classes.join(", ")
        )));
    }
    status
}
