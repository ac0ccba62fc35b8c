//! Records what the work on a class reads from the program and does to files.
//!
//! A unit's session is booted while the record runs: what it reads then belongs to the unit.

use crate::frame::schedule::{Failure, Share, Work};
use crate::process::effort::Effort;
use crate::process::progress::Line;
use cupping_classfile::reads::{self, Read};
use cupping_report::files::journal::{self, FileAction};
use std::collections::BTreeSet;
use std::time::Duration;

/// The work of a command, with notes.
pub struct TracedWork<'a, W>(pub &'a W);

/// The result, and the records.
pub struct Trace<F> {
    /// The findings, or the error of the class.
    pub found: Result<F, String>,
    /// The recorded reads.
    pub reads: BTreeSet<Read>,
    /// The recorded file operations.
    pub deeds: Vec<FileAction>,
    /// The processor time that it took.
    pub effort: Duration,
}

impl<W: Work> Work for TracedWork<'_, W> {
    type Session = ();
    type Findings = Trace<W::Findings>;

    fn boot(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn work(
        &self,
        (): &mut (),
        unit: &str,
        share: Share,
        line: &Line,
    ) -> Result<Trace<W::Findings>, Failure> {
        let effort = Effort::start();
        let ((found, deeds), reads) = reads::record(|| {
            journal::record(|| {
                let mut session = self.0.boot()?;
                self.0.work(&mut session, unit, share, line)
            })
        });
        let found = match found {
            Ok(found) => Ok(found),
            Err(Failure::Input(error)) => Err(error),
            Err(failure) => return Err(failure),
        };
        Ok(Trace { found, reads, deeds, effort: effort.spent() })
    }
}
