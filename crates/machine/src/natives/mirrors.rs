//! `Class` and `Module` objects as the JVM itself sets them up.
//!
//! The JDK's boot of its module system is left out: it costs more than all the rest of booting. In its place,
//! each module of the JDK that is asked for gets a `Module` object that only has its name, and the class path
//! gets the unnamed one. What the JDK asks of a module beyond that is answered by `java_lang_module.rs`.

use super::Outcome;
use crate::classes::modules::module_of;
use crate::classes::{ClassId, ClassKind};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use std::rc::Rc;

/// Sets the fields of a new `Class` object that the JVM sets on a real one.
pub(crate) fn finish_mirror(machine: &mut Machine, class: ClassId, mirror: Addr) -> Step<()> {
    let name = module_of(machine, class);
    let module = machine.module_object(name.as_deref())?;
    machine.set_named(mirror, "module", module as u64);
    // Fields since JDK 25, natives before.
    let modifiers = machine.modifiers(class);
    machine.set_named(mirror, "modifiers", modifiers as u64);
    let primitive = matches!(machine.class(class).kind, ClassKind::Primitive(_));
    machine.set_named(mirror, "primitive", primitive as u64);
    Ok(())
}

impl Machine {
    /// The `Module` object of a module of the JDK, or of the class path.
    pub(crate) fn module_object(&mut self, name: Option<&str>) -> Step<Addr> {
        let key: Rc<str> = name.unwrap_or("").into();
        if let Some(known) = self.registers.cold.modules.get(&key) {
            return Ok(*known);
        }
        let class = self.load("java/lang/Module")?;
        let module = self.new_object(class)?;
        if let Some(name) = name {
            let text = self.intern_text(name)?;
            self.set_named(module, "name", text as u64);
        }
        self.registers.cold.modules.insert(key, module);
        Ok(module)
    }

    /// The loader of the class path: `ClassLoader.getSystemClassLoader()`.
    pub(crate) fn system_loader(&mut self) -> Step<Outcome> {
        let class = self.load("jdk/internal/loader/ClassLoaders")?;
        self.ensure_initialized(class)?;
        let loader = self.static_field(class, "APP_LOADER").unwrap_or(0);
        Ok(Outcome::Value(Value::concrete(loader)))
    }
}
