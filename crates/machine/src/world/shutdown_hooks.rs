//! Shutdown hooks: threads that run when the JVM ends. A framework for logs registers one when the first class asks for
//! a logger, so a hook alone says nothing against a run. What it does at the end counts.

use super::jdk_statics::static_of;
use crate::machine::Machine;
use crate::memory::Addr;
use cupping_case::{Effect, Effects};

/// Fuel of all hooks together.
const FUEL: u64 = 2_000_000;

impl Machine {
    /// The registered hooks, by their threads, except for those of the JDK's own classes.
    pub fn hooks(&self) -> Vec<Addr> {
        let hooks = static_of(self, "java/lang/ApplicationShutdownHooks", "hooks");
        let table = if hooks == 0 { 0 } else { self.named(hooks, "table") as Addr };
        let length = if table == 0 { 0 } else { self.array_length(table) };
        // Keys and values in turn.
        let threads = (0..length).step_by(2).map(|at| self.element_ref(table, at)).filter(|it| *it != 0);
        let by_program = |thread: &Addr| {
            let class = self.class(self.class_of(*thread));
            !class.from_jdk || &*class.name == "java/lang/Thread"
        };
        threads.filter(by_program).collect()
    }

    /// The effects of the run that led to the present state, and of the hooks that would end it. Hooks are no effect if
    /// they come to an end and do nothing outside of the heap that the run has not done: a test's folder for temporary
    /// files no longer exists when they run. The state stays as it is.
    pub fn effects_at_exit(&mut self) -> Effects {
        let mut effects = self.effects();
        if self.hooks().is_empty() {
            return effects;
        }
        let (before, fuel) = (self.snapshot(), self.fuel());
        self.set_fuel(FUEL);
        let shutdown = self.jdk_method("java/lang/Shutdown", "shutdown", "()V");
        let has_ended = shutdown.and_then(|it| self.call(it, &[])).is_ok();
        let at_exit = self.effects();
        self.restore(&before);
        self.set_fuel(fuel);
        let done: Vec<&Effect> = at_exit.escapes("").into_iter().filter(|it| !effects.contains(it)).collect();
        if has_ended && done.is_empty() {
            effects.forget_hooks();
        }
        done.into_iter().for_each(|effect| effects.insert(effect.clone()));
        effects
    }

    /// The effects of the run, without these hooks, if there are no others.
    pub fn effects_beside_hooks(&self, known: &[Addr]) -> Effects {
        let mut effects = self.effects();
        if self.hooks().iter().all(|hook| known.contains(hook)) {
            effects.forget_hooks();
        }
        effects
    }
}

/// The hooks as effects.
pub(super) fn registered(machine: &Machine) -> Vec<Effect> {
    let name = |thread| machine.class(machine.class_of(thread)).name.replace('/', ".");
    machine.hooks().into_iter().map(|thread| Effect::ShutdownHook(name(thread).into())).collect()
}
