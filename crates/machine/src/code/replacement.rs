//! Methods that run another body than that of their class file: mutants, and those of another version.

use crate::classes::{ClassId, MethodId};
use crate::machine::{Machine, MethodBody};
use std::sync::Arc;

impl Machine {
    /// Makes a method run this body from its next call on; `None` restores its own. Constants of the body refer
    /// to the method's class. The body counts no coverage, since its offsets are not those of the class file.
    ///
    /// Like decoded code, the body is not part of the state that [`Machine::restore`] brings back. It is not
    /// verified: it must be as well typed as the original. Running invocations are not affected.
    pub fn replace_code(&mut self, method: MethodId, body: Option<cupping_classfile::Code>) {
        self.replace_body(method, body.map(|it| (Arc::new(it), None)));
    }

    /// The same with a body whose constants refer to another class. It must be one that is trusted
    /// ([`Machine::define_privileged`]), as its accesses count as that class's.
    pub fn replace_code_with_constants(
        &mut self,
        method: MethodId,
        body: Arc<cupping_classfile::Code>,
        constants: ClassId,
    ) {
        self.replace_body(method, Some((body, Some(constants))));
    }

    fn replace_body(
        &mut self,
        method: MethodId,
        body: Option<(Arc<cupping_classfile::Code>, Option<ClassId>)>,
    ) {
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
