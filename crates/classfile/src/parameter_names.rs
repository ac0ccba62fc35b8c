//! The names of a method's parameters, which the declaration or the debug tables of the body have.

use crate::class_file::{ClassFile, Method};
use crate::descriptor::MethodDescriptor;
use crate::reads::without_recording;
use std::sync::Arc;

impl ClassFile {
    /// The name of each parameter in `method`'s descriptor: from `MethodParameters` if that names all, else from the
    /// local variable table. Compilers make both from the declaration, so [recorded](crate::reads) is only that.
    pub fn parameter_names(&self, method: &Method) -> Vec<Option<Arc<str>>> {
        let Some(descriptor) = MethodDescriptor::parse(&method.descriptor) else { return Vec::new() };
        let types = &descriptor.parameters;
        let declared = &method.parameters;
        if declared.len() == types.len() && declared.iter().all(|it| it.name.is_some()) {
            return declared.iter().map(|it| it.name.clone()).collect();
        }
        let code = without_recording(|| self.code(method)).ok().flatten();
        let mut slot = u16::from(!method.access.is_static());
        let mut name = |slots: u16| {
            let at = slot;
            slot = slot.saturating_add(slots);
            Some(Arc::clone(&code?.variable_at(at, 0)?.name))
        };
        types.iter().map(|it| name(it.slots())).collect()
    }
}
