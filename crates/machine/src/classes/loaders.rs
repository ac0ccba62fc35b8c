//! Class loaders that programs create: separate name spaces (JVMS §5.3).
//!
//! The boot, platform and application loaders share one name space, that of the class path, which is searched
//! without running Java code. Any other loader is an object whose `loadClass` is called for the names in its
//! classes, once for each name; its answers are part of the state. A loader is identified by its address, since
//! objects do not move.

use crate::classes::load;
use crate::classes::{ClassId, ClassKind};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::cold::Answer;
use crate::state::{Frame, Purpose, Value};
use cupping_classfile::ClassFile;
use cupping_classfile::descriptor::class_name;
use std::rc::Rc;
use std::sync::Arc;

impl Machine {
    /// The loader whose name space a class is in; 0 for those of the class path and of the JDK.
    pub(crate) fn name_space_of(&self, loader: Addr) -> Addr {
        let built_in = loader == 0
            || self.class(self.class_of(loader)).name.starts_with("jdk/internal/loader/ClassLoaders$");
        if built_in { 0 } else { loader }
    }

    /// The class that this name denotes within another class.
    ///
    /// # Errors
    ///
    /// As [`Machine::load`]; [`Trap::Restart`] if the loader of the class has to be asked first.
    pub(crate) fn load_for(&mut self, class: ClassId, name: &str) -> Step<ClassId> {
        if *self.class(class).name == *name {
            return Ok(class);
        }
        self.load_by(self.class(class).loader, name, true)
    }

    /// The class that a field descriptor denotes within another class.
    ///
    /// # Errors
    ///
    /// As [`Machine::load_for`].
    pub(crate) fn load_descriptor_for(&mut self, class: ClassId, descriptor: &str) -> Step<ClassId> {
        match class_name(descriptor) {
            Some(name) => self.load_for(class, name),
            None if descriptor.starts_with('[') => self.load_for(class, descriptor),
            None => self.load_descriptor(descriptor),
        }
    }

    /// The class of this name in a name space. With `linking`, a missing class is a `NoClassDefFoundError`.
    ///
    /// # Errors
    ///
    /// As [`Machine::load_for`].
    pub(crate) fn load_by(&mut self, loader: Addr, name: &str, linking: bool) -> Step<ClassId> {
        if loader == 0 {
            let class = self.load(name)?;
            let own = self.loader_of(class) == 0;
            return if own { Ok(class) } else { Err(Trap::Missing(name.to_owned())) };
        }
        load_from(self, loader, name, name, linking)
    }

    /// The loader's recorded answer for a name, if there is one.
    pub(crate) fn answered(&self, loader: Addr, name: &str) -> Answer {
        self.registers.cold.answers.get(&(loader, name.into())).copied().flatten()
    }

    /// At the end of a `loadClass` frame: records the answer. The instruction below runs again.
    pub(crate) fn keep_answer(&mut self, frame: &Frame, answer: Value) {
        let loader = self.stack.get(frame.base) as Addr;
        let name = self.text(self.stack.get(frame.base + 1) as Addr).replace('.', "/");
        let answer = match answer.bits as Addr {
            0 => None,
            mirror => Some(self.class_of_mirror(mirror)).filter(|class| *self.class(*class).name == *name),
        };
        self.registers.cold.answers.insert((loader, name.into()), answer);
    }

    /// The exception to throw when a `loadClass` frame threw. A class that is not found while linking is
    /// missing for good.
    pub(crate) fn failed_answer(&mut self, frame: &Frame, linking: bool, exception: Addr) -> Addr {
        let not_found = self.load("java/lang/ClassNotFoundException");
        if !linking || !not_found.is_ok_and(|class| self.is_subtype(self.class_of(exception), class)) {
            return exception;
        }
        let name = self.text(self.stack.get(frame.base + 2) as Addr);
        let Ok(error) = self.new_throwable("java/lang/NoClassDefFoundError", Some(&name)) else {
            return exception;
        };
        self.memory.write(error + self.classes.well_known.throwable_cause, exception as u64);
        error
    }

    /// Defines a class from a class file in the name space of a loader.
    ///
    /// # Errors
    ///
    /// As [`Machine::load_for`]; `LinkageError` if the name space has a class of this name.
    pub(crate) fn define_in(&mut self, loader: Addr, file: ClassFile) -> Step<ClassId> {
        let key: (Addr, Rc<str>) = (loader, Rc::from(&*file.name));
        if self.registers.cold.answers.get(&key).is_some_and(Option::is_some) {
            let (name, by) = (file.name.replace('/', "."), described_loader(self, loader));
            return Err(Trap::Raise(
                "java/lang/LinkageError",
                Some(format!(
                    "{by} attempted duplicate class definition for {name}. ({name} is in unnamed module of {by})"
                )),
            ));
        }
        // Another path may have defined the same class; the state of this path is in memory.
        let made = (loader, file.name.clone());
        let known = self.classes.names.made_by(&made);
        let same =
            known.filter(|id| self.class(*id).file.as_ref().is_some_and(|f| f.bytes() == file.bytes()));
        let class = match same {
            Some(class) => class,
            None => {
                let class = load::load_file_by(self, loader, Arc::new(file))?;
                self.classes.names.set_made(made, class);
                class
            }
        };
        self.registers.cold.answers.insert(key, Some(class));
        Ok(class)
    }

    /// Whether a handler for this class, as named in the code of `within`, catches an exception of class
    /// `thrown`.
    pub(crate) fn catches(&mut self, within: ClassId, name: &str, thrown: ClassId) -> bool {
        let loader = self.class(within).loader;
        if loader == 0 {
            return self.load(name).is_ok_and(|class| self.is_subtype(thrown, class));
        }
        match self.answered(loader, name) {
            Some(class) => self.is_subtype(thrown, class),
            // No loader is asked while an exception propagates.
            None => self.class(thrown).supertypes.iter().any(|class| *self.class(*class).name == *name),
        }
    }

    /// The loader of a class, or of the elements of an array.
    pub(crate) fn loader_of(&self, class: ClassId) -> Addr {
        match self.class(class).kind {
            ClassKind::Array { element, .. } => self.loader_of(element),
            ClassKind::Instance | ClassKind::Primitive(_) => self.class(class).loader,
        }
    }
}

/// Loads a class that is needed for the class `wanted`, of which it may be the element class.
fn load_from(machine: &mut Machine, loader: Addr, name: &str, wanted: &str, linking: bool) -> Step<ClassId> {
    if let Some(element) = name.strip_prefix('[') {
        let element = match class_name(element) {
            Some(element) => load_from(machine, loader, element, wanted, linking)?,
            None if element.starts_with('[') => load_from(machine, loader, element, wanted, linking)?,
            None => machine.load_descriptor(element)?,
        };
        return machine.array_of(element);
    }
    match machine.registers.cold.answers.get(&(loader, name.into())) {
        Some(Some(class)) => Ok(*class),
        Some(None) => Err(Trap::Missing(wanted.to_owned())),
        None => {
            ask_loader(machine, loader, name, wanted, linking)?;
            Err(Trap::Restart)
        }
    }
}

/// Pushes the frame of `loader.loadClass(name)`.
fn ask_loader(machine: &mut Machine, loader: Addr, name: &str, wanted: &str, linking: bool) -> Step<()> {
    let text = machine.new_text(&name.replace('/', "."))?;
    let wanted = machine.new_text(wanted)?;
    let method = machine.asking()?;
    let base = machine.stack_top() as u32;
    for (slot, address) in (base..).zip([loader, text, wanted]) {
        machine.stack.set(slot, address as u64);
        machine.stack.set_shadow(slot, 0);
    }
    machine.push_frame(method, base, Purpose::Loading { linking }, false)
}

/// A loader as messages name it.
fn described_loader(machine: &mut Machine, loader: Addr) -> String {
    let class = machine.class_of(loader);
    let name = machine.external_name(class);
    format!("loader {name} @{:x}", machine.identity_hash(loader))
}
