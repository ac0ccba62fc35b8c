//! Exceptions as arguments: what code asks of them is their cause.

use super::library::invokable;
use super::{Provider, Provision};
use crate::input::Input;
use cupping_machine::{ClassId, Machine};

/// Limit on the causes by their types.
const MAX_CAUSES: usize = 3;

impl Provider {
    /// Exceptions of a class with causes: of the types that the code asks for, and one that has a message.
    pub(super) fn caused(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        types: &[ClassId],
    ) -> Vec<Provision> {
        let Ok(throwable) = machine.load("java/lang/Throwable") else { return Vec::new() };
        if !machine.is_subtype(class, throwable) {
            return Vec::new();
        }
        let Some(wraps) = invokable(machine, class, "<init>", "(Ljava/lang/Throwable;)V") else {
            return Vec::new();
        };
        if machine.class(class).is_abstract() {
            return Vec::new();
        }
        let plain = |it: &Provision| matches!(it, Provision::Make(_) | Provision::MakeOf(..));
        let mut causes = Vec::new();
        let mut types = types.to_vec();
        types.retain(|it| machine.is_subtype(*it, throwable));
        for ty in types.into_iter().take(MAX_CAUSES) {
            causes.extend(self.provisions(machine, ty, None, 1).iter().find(|it| plain(it)).cloned());
        }
        let telling = machine
            .load("java/lang/IllegalStateException")
            .ok()
            .and_then(|class| invokable(machine, class, "<init>", "(Ljava/lang/String;)V"));
        let message = Provision::Input(Input::string(self.max_elements.min(3)));
        causes.extend(telling.map(|it| Provision::MakeOf(it, vec![message])));
        causes.into_iter().map(|cause| Provision::MakeOf(wraps.clone(), vec![cause])).collect()
    }
}
