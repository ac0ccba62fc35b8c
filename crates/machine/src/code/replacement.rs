//! Methods that run another body than their class file's: mutants.

use crate::classes::MethodId;
use crate::machine::{Machine, MethodBody};

impl Machine {
    /// Lets a method run this body, whose constants are those of its class, from its next call on; `None` for
    /// its own again. It counts no coverage: its offsets are not the class file's.
    ///
    /// Like decoded code this is not part of the state that [`Machine::restore`] brings back. Nothing is
    /// verified: the body must be as well typed as the method's own. Invocations that are under way go on as
    /// they are.
    pub fn replace_code(&mut self, method: MethodId, body: Option<cupping_classfile::Code>) {
        let (is_own, is_back) = (self.classes.replacement(method).is_none(), body.is_none());
        self.classes.set_replacement(method, body);
        let decoded = match &self.method(method).body {
            MethodBody::Code(code) => Some(code.clone()),
            MethodBody::Bytecode => None,
            _ => return,
        };
        let next = match (is_own, is_back, decoded) {
            (true, true, _) => return,
            (true, false, decoded) => {
                if let Some(own) = decoded {
                    self.classes.keep_original(method, own);
                }
                MethodBody::Bytecode
            }
            (false, true, _) => {
                self.classes.take_original(method).map_or(MethodBody::Bytecode, MethodBody::Code)
            }
            (false, false, _) => MethodBody::Bytecode,
        };
        self.classes.method_mut(method).body = next;
    }
}
