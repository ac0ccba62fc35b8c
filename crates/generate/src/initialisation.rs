//! The initialisation of the class under test.

use crate::workbench::Workbench;

impl Workbench<'_> {
    /// Initialises the class under test again, so that accesses in its initialisers that were marked after
    /// [`crate::Session::open`] are recorded. What was recorded before refers to code without the marks.
    pub fn initialise_again(&mut self) {
        let class = self.subject.class;
        let name = self.session.machine().class(class).name.clone();
        if self.session.initialise(class, &name).is_ok() {
            self.base = self.session.machine().snapshot();
        }
    }
}
