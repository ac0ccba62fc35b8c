//! Conclusions for classes without a result.

use crate::frame::ledger::ClassConclusion;
use crate::frame::schedule::Failure;
use crate::process::exit::Status;
use crate::process::internal_errors;
use cupping_generate::InternalError;
use std::cell::Cell;
use std::path::Path;

/// Says why there is no result.
pub struct Absence<'a, R> {
    /// The row of a class without a result, by the class and the reason.
    pub row: &'a dyn Fn(&str, &str) -> R,
    /// The command line that repeats the run for a class, up to the class.
    pub reproduction: &'a str,
    /// Where internal errors are written, if there is an output folder.
    pub out: Option<&'a Path>,
    /// Whether no machine has failed to start yet.
    pub is_booted: Cell<bool>,
}

impl<R> Absence<'_, R> {
    /// The work on a class has failed.
    pub fn failed(&self, class: &str, failure: Failure) -> ClassConclusion<R> {
        match failure {
            // One reproduction is enough: it is the same for all classes.
            Failure::Boot(error) => {
                let message = format!("the machine did not start: {error}");
                if self.is_booted.take() {
                    return self.internal_error(class, message);
                }
                let message = format!("{}: {message}", class.replace('/', "."));
                self.absent(class, message, Status::WRONG)
            }
            Failure::Input(error) => self.absent(class, error, Status::BAD_INPUT),
            Failure::Interrupted => not_done(self.row, class),
            Failure::Late => {
                let row = (self.row)(class, "the time was over before this class was processed");
                ClassConclusion { status: Status::LATE, ..ClassConclusion::new(row) }
            }
        }
    }

    /// The result of a class without findings, for this reason.
    pub fn absent(&self, class: &str, error: String, status: Status) -> ClassConclusion<R> {
        let row = (self.row)(class, &error);
        ClassConclusion { errors: vec![error], status, ..ClassConclusion::new(row) }
    }

    /// Cupping was wrong.
    pub fn internal_error(&self, class: &str, message: String) -> ClassConclusion<R> {
        let reproduction = format!("{} '{}'", self.reproduction, class.replace('/', "."));
        let row = (self.row)(class, &message);
        let error = InternalError { message, reproduction };
        let errors = internal_errors::record(self.out, class, &[error]);
        ClassConclusion {
            internal_errors: errors.len(),
            errors,
            status: Status::WRONG,
            ..ClassConclusion::new(row)
        }
    }
}

/// The user has ended the run before.
pub fn not_done<R>(row: &dyn Fn(&str, &str) -> R, class: &str) -> ClassConclusion<R> {
    let row = row(class, "interrupted before it finished");
    ClassConclusion { status: Status::INTERRUPTED, ..ClassConclusion::new(row) }
}
