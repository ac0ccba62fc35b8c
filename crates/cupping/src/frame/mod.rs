//! One class after the other: the frame of commands that work on one machine.
//!
//! A class that panics costs itself: its session is thrown away, and the next class gets a fresh one.

use crate::console::{self, bad_input};
use crate::exit::Status;
use crate::internal_errors;
use crate::interrupt;
use crate::panics;
use crate::selection::Selected;
use cupping_generate::InternalError;
use std::path::PathBuf;

/// What is done for each class.
pub trait PerClass {
    /// What is booted once, and again after a panic.
    type Session;

    /// Boots.
    ///
    /// # Errors
    /// What is wrong, with the remedy.
    fn boot(&mut self) -> Result<Self::Session, String>;

    /// Does the work for the class of this internal name.
    ///
    /// # Errors
    /// What is wrong with the class.
    fn work(&mut self, session: &mut Self::Session, class: &str) -> Result<Status, String>;

    /// The command line that repeats the run, up to the class.
    fn command(&self) -> String;

    /// The output folder, if there is one: internal errors are written there.
    fn out(&self) -> Option<PathBuf>;
}

/// Does the work for all classes, as far as the user lets it.
pub fn one_after_the_other<P: PerClass>(
    per_class: &mut P,
    session: P::Session,
    classes: &[Selected],
    interrupted: fn() -> bool,
) -> Status {
    let mut status = Status::DONE;
    let mut session = Some(session);
    let mut begun = 0;
    for class in classes {
        if interrupted() {
            break;
        }
        begun += 1;
        if let Some(error) = &class.error {
            status.add(bad_input(error));
            continue;
        }
        let name = class.name.replace('/', ".");
        interrupt::so_far(format!(
            "it was at {name}, and {} of {} classes are done",
            begun - 1,
            classes.len()
        ));
        let booted = session.take();
        let done = panics::catch(|| {
            let mut session = booted.map_or_else(|| per_class.boot(), Ok)?;
            let done = per_class.work(&mut session, &class.name);
            Ok::<_, String>((session, done))
        });
        match done {
            Ok(Ok((used, done))) => {
                session = Some(used);
                status.add(done.unwrap_or_else(|error| bad_input(&error)));
            }
            Ok(Err(error)) => status.add(bad_input(&error)),
            Err(panic) => status.add(panicked(per_class, &class.name, &panic)),
        }
    }
    if interrupted() {
        interrupt::closing();
        let not_begun = classes.len() - begun;
        console::error(&format!("interrupted; {not_begun} of {} classes were not begun", classes.len()));
        status.add(Status::INTERRUPTED);
    }
    status
}

fn panicked<P: PerClass>(per_class: &P, class: &str, panic: &str) -> Status {
    let message = format!("panic: {panic}");
    let reproduction = format!("{} '{}'", per_class.command(), class.replace('/', "."));
    match per_class.out() {
        Some(out) => {
            let error = InternalError { message, reproduction };
            internal_errors::write(&out, class, &[error]).iter().for_each(|line| console::error(line));
        }
        None => console::error(&format!(
            "{}: internal error: {message}; `{reproduction}` reproduces it; please report both",
            class.replace('/', ".")
        )),
    }
    Status::WRONG
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes the session that each class is done in; classes that are called so panic or fail.
    struct Noted {
        boots: usize,
        done: Vec<(usize, String)>,
        out: Option<PathBuf>,
    }

    impl PerClass for Noted {
        type Session = usize;

        fn boot(&mut self) -> Result<usize, String> {
            self.boots += 1;
            Ok(self.boots)
        }

        fn work(&mut self, session: &mut usize, class: &str) -> Result<Status, String> {
            self.done.push((*session, class.to_owned()));
            match class {
                "p/Panics" => panic!("half of it"),
                "p/Fails" => Err("it fails".into()),
                _ => Ok(Status::DONE),
            }
        }

        fn command(&self) -> String {
            "cupping test".into()
        }

        fn out(&self) -> Option<PathBuf> {
            self.out.clone()
        }
    }

    fn run(out: Option<PathBuf>, names: &[&str], interrupted: fn() -> bool) -> (Noted, Status) {
        let classes: Vec<Selected> =
            names.iter().map(|name| Selected { name: (*name).to_owned(), error: None }).collect();
        let mut noted = Noted { boots: 0, done: Vec::new(), out };
        let session = noted.boot().unwrap();
        let status = one_after_the_other(&mut noted, session, &classes, interrupted);
        (noted, status)
    }

    #[test]
    fn a_panic_costs_one_class_and_its_session() {
        let out = tempfile::tempdir().unwrap();
        let names = ["p/A", "p/Panics", "p/B", "p/C"];
        let (noted, status) = run(Some(out.path().to_owned()), &names, || false);
        let sessions: Vec<usize> = noted.done.iter().map(|(session, _)| *session).collect();
        assert_eq!(sessions, [1, 1, 2, 2]);
        assert_eq!(status, Status::WRONG);
        let report = out.path().join("cupping-internal-errors/p.Panics-1.txt");
        let report = std::fs::read_to_string(report).unwrap();
        assert!(report.contains("panic: half of it"), "{report}");
        assert!(report.ends_with("cupping test 'p.Panics'\n"), "{report}");
    }

    #[test]
    fn a_class_that_fails_leaves_the_session() {
        let (noted, status) = run(None, &["p/A", "p/Fails", "p/B"], || false);
        assert_eq!((noted.boots, noted.done.len()), (1, 3));
        assert_eq!(status, Status::BAD_INPUT);
    }

    #[test]
    fn an_interruption_is_told_even_behind_the_last_class() {
        let (noted, status) = run(None, &["p/A", "p/B"], || true);
        assert_eq!((noted.done.len(), status.code()), (0, 130));
    }
}
