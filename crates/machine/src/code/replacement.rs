//! Methods that run another body than their class file's: mutants.

use crate::classes::MethodId;
use crate::machine::{Body, Machine};

impl Machine {
    /// Lets a method run this body, whose constants are those of its class, from its next call on; `None` for
    /// its own again. It counts no coverage: its offsets are not the class file's.
    ///
    /// Like decoded code this is no part of the state that [`Machine::restore`] brings back. Nothing is
    /// verified: the body must be as well typed as the method's own. Invocations that are under way go on as
    /// they are.
    pub fn replace_code(&mut self, method: MethodId, body: Option<cupping_classfile::Code>) {
        self.classes.set_replacement(method, body);
        let method = self.classes.method_mut(method);
        if let Body::Code(_) = method.body {
            method.body = Body::Bytecode;
        }
    }
}
