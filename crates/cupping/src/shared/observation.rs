//! Classes whose executions are observed: by `infer`, and by `diff` for the contracts that a change breaks.

use cupping_case::Case;
use cupping_coverage::CoverageMap;
use cupping_generate::{GenerateError, GenerateOptions, Session, Workbench};
use cupping_infer::{Recording, Subject, listen};
use std::rc::Rc;

/// Memory of the machine that explores, in words of 8 bytes. States are objects with few elements; an array with a
/// capacity near the limit of its type is not informative and fills memory whenever it is copied.
pub const HEAP_WORDS: u32 = 3 << 19;

/// A class that can be observed, and the machine that runs it.
pub struct Observed<'s> {
    pub bench: Workbench<'s>,
    pub subject: Rc<Subject>,
}

impl Observed<'_> {
    /// Opens a class.
    ///
    /// # Errors
    /// The class cannot be loaded or initialised.
    pub fn open<'s>(
        session: &'s mut Session,
        class: &str,
        options: &GenerateOptions,
    ) -> Result<Observed<'s>, GenerateError> {
        let mut bench = session.open(class, &[], options)?;
        bench.reset();
        let subject = Rc::new(Subject::new(&mut bench));
        bench.reset();
        // Coverage is not measured, to save its cost.
        bench.machine().track(&CoverageMap::new());
        Ok(Observed { bench, subject })
    }

    /// Runs cases and records the calls of the class.
    pub fn listen(&mut self, cases: &[&Case]) -> Recording {
        listen(self.bench.machine(), &self.subject, cases)
    }
}
