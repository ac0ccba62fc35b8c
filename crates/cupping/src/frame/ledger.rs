//! Prints conclusions in the order of the classes, regardless of the order in which they finish.

use crate::process::console;
use crate::process::exit::Status;
use serde::{Deserialize, Serialize};

/// The output for a class that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassConclusion<R> {
    /// What is printed on standard output.
    pub text: String,
    /// Output that is printed even with `--quiet`: the answer to a question.
    pub answer: String,
    /// Notes for the user that are not errors of the class; printed on standard error, one line each.
    pub notes: Vec<String>,
    /// Errors; printed on standard error, one line each.
    pub errors: Vec<String>,
    /// Number of errors that are Cupping's own.
    pub internal_errors: usize,
    /// The effect on the exit code.
    pub status: Status,
    /// The row for the summary, the JSON report and the index.
    pub row: R,
}

impl<R> ClassConclusion<R> {
    /// A class with nothing to say of it.
    pub fn new(row: R) -> ClassConclusion<R> {
        ClassConclusion {
            text: String::new(),
            answer: String::new(),
            notes: Vec::new(),
            errors: Vec::new(),
            internal_errors: 0,
            status: Status::DONE,
            row,
        }
    }
}

/// A class and what was concluded.
#[derive(Clone, Debug)]
pub struct LedgerEntry<R> {
    /// Its name with dots.
    pub class: String,
    /// Errors.
    pub errors: Vec<String>,
    /// Number of errors that are Cupping's own.
    pub internal_errors: usize,
    /// The effect on the exit code.
    pub status: Status,
    /// Its row.
    pub row: R,
}

/// All classes of a run.
pub struct Ledger<R> {
    classes: Vec<String>,
    concluded: Vec<Option<ClassConclusion<R>>>,
    /// Classes before this one have been printed.
    printed: usize,
}

impl<R: Clone> Ledger<R> {
    /// For these classes, by internal name.
    pub fn new(classes: Vec<String>) -> Ledger<R> {
        let concluded = classes.iter().map(|_| None).collect();
        Ledger { classes, concluded, printed: 0 }
    }

    /// Enters a class by its index; it is printed once the ones before it are printed.
    pub fn put(&mut self, at: usize, concluded: ClassConclusion<R>) {
        self.concluded[at] = Some(concluded);
        while let Some(Some(next)) = self.concluded.get(self.printed) {
            print(next);
            self.printed += 1;
        }
    }

    /// Enters missing classes, prints what has not been printed, and hands out all classes, of which there may be tens
    /// of thousands; the ledger does not keep them.
    pub fn finish(&mut self, missing: impl Fn(&str) -> ClassConclusion<R>) -> Vec<LedgerEntry<R>> {
        for at in 0..self.classes.len() {
            if self.concluded[at].is_none() {
                let concluded = missing(&self.classes[at]);
                self.put(at, concluded);
            }
        }
        let classes = self.classes.iter().zip(self.concluded.iter_mut().map(Option::take));
        let entry = |(class, concluded): (&String, Option<ClassConclusion<R>>)| {
            let ClassConclusion { errors, internal_errors, status, row, .. } = concluded?;
            Some(LedgerEntry { class: class.replace('/', "."), errors, internal_errors, status, row })
        };
        classes.filter_map(entry).collect()
    }
}

fn print<R>(concluded: &ClassConclusion<R>) {
    if !concluded.text.is_empty() {
        console::say(&concluded.text);
    }
    if !concluded.answer.is_empty() {
        console::answer(&concluded.answer);
    }
    let lines = concluded.notes.iter().chain(&concluded.errors);
    lines.for_each(|line| console::error(line));
}
