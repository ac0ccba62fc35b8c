//! `Class` and `Module` objects as the JVM itself sets them up.
//!
//! The JDK's boot of its module system is omitted: it costs more than all the rest of booting. Instead, each
//! requested JDK module gets a `Module` object that only has its name, and the class path gets the unnamed one.
//! `java_lang_module.rs` answers further requests about a module.

use super::NativeOutcome;
use crate::classes::modules::module_of;
use crate::classes::{ClassId, ClassKind};
use crate::exit::Step;
use crate::heap::layout::mirror_word;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use std::rc::Rc;

/// Sets the fields of a new `Class` object that the JVM sets on a real one.
pub(crate) fn finish_mirror(machine: &mut Machine, class: ClassId, mirror: Addr) -> Step<()> {
    let name = module_of(machine, class);
    let module = module_object(machine, name.as_deref())?;
    machine.set_named(mirror, "module", module as u64);
    // Fields since JDK 25, natives before.
    let modifiers = modifiers(machine, class);
    machine.set_named(mirror, "modifiers", modifiers as u64);
    let primitive = matches!(machine.class(class).kind, ClassKind::Primitive(_));
    machine.set_named(mirror, "primitive", primitive as u64);
    Ok(())
}

/// The `Module` object of a JDK module, or of the class path.
pub(super) fn module_object(m: &mut Machine, name: Option<&str>) -> Step<Addr> {
    let key: Rc<str> = name.unwrap_or("").into();
    if let Some(known) = m.registers.cold.modules.get(&key) {
        return Ok(*known);
    }
    let class = m.load("java/lang/Module")?;
    let module = m.new_object(class)?;
    if let Some(name) = name {
        let text = m.intern_text(name)?;
        m.set_named(module, "name", text as u64);
    }
    m.registers.cold.modules.insert(key, module);
    Ok(module)
}

/// Replaces the `Module` object of a module.
pub(super) fn set_module(m: &mut Machine, name: &str, module: Addr) {
    m.registers.cold.modules.insert(name.into(), module);
    for number in 0..m.classes().len() as u32 {
        let class = ClassId(number);
        let mirror = m.memory.read(mirror_word(class)) as Addr;
        if mirror != 0 && module_of(m, class).is_some_and(|of_class| of_class == name) {
            m.set_named(mirror, "module", module as u64);
        }
    }
}

/// The loader of the class path: `ClassLoader.getSystemClassLoader()`.
pub(super) fn system_loader(m: &mut Machine) -> Step<NativeOutcome> {
    let class = m.load("jdk/internal/loader/ClassLoaders")?;
    m.ensure_initialized(class)?;
    let loader = m.static_field(class, "APP_LOADER").unwrap_or(0);
    Ok(NativeOutcome::Value(Value::concrete(loader)))
}

/// The flags that `Class.getModifiers` gives: those of the source for a nested class.
pub(super) fn modifiers(m: &Machine, class: ClassId) -> u16 {
    let loaded = m.class(class);
    let inner = loaded.file.as_ref().and_then(|file| {
        file.inner_classes.iter().find(|inner| *inner.inner == *loaded.name).map(|inner| inner.access.0)
    });
    match loaded.kind {
        // Arrays are as accessible as their elements.
        ClassKind::Array { element, .. } => (modifiers(m, element) & 0x0007) | 0x0410,
        _ => inner.unwrap_or(loaded.access.0) & !0x0020,
    }
}
