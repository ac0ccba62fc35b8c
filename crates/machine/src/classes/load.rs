//! Loading: from a name to a class, its supertypes first (JVMS §5.3).

use crate::classes::errors::file_error;
use crate::classes::format::check_format;
use crate::classes::{ClassId, primitive_name};
use crate::classes::{access, arrays, define};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use cupping_classfile::{ClassFile, Origin, descriptor};
use std::sync::Arc;

/// Errors of loading that are repeated whenever the same class is loaded.
const LINKAGE_ERRORS: &[&str] = &[
    "java/lang/ClassFormatError",
    "java/lang/ClassCircularityError",
    "java/lang/IllegalAccessError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/NoClassDefFoundError",
    "java/lang/UnsupportedClassVersionError",
    "java/lang/VerifyError",
];

impl Machine {
    /// The loaded class with this internal name or array descriptor.
    ///
    /// # Errors
    ///
    /// [`Trap::Missing`] if it, or a supertype, does not exist; [`Trap::Raise`] with a `LinkageError` if it is
    /// damaged or incompatible with its supertypes. Both results are remembered.
    pub fn load(&mut self, name: &str) -> Step<ClassId> {
        if let Some(id) = self.classes.names.get(name) {
            return Ok(id);
        }
        if self.classes.guests.is_open()
            && let Some(loaded) = load_guest(self, name)
        {
            return loaded;
        }
        if let Some((error, message)) = self.classes.names.error(name) {
            return Err(Trap::Raise(error, Some(message.clone())));
        }
        if self.classes.names.is_unloadable(name) {
            return load_foreign(self, name);
        }
        if name.starts_with('[') {
            return arrays::load_array(self, name).map_err(|trap| match trap {
                Trap::Missing(_) => Trap::Missing(name.to_owned()),
                other => other,
            });
        }
        let outcome = match self.program.find(name) {
            Ok(Some(file)) => self.load_file(file),
            Ok(None) => {
                self.classes.names.set_unloadable(name, "not on the class path".into());
                return load_foreign(self, name);
            }
            Err(error) => {
                self.classes.names.set_unloadable(name, error.to_string());
                Err(file_error(name, &error))
            }
        };
        if let Err(Trap::Raise(error, message)) = &outcome
            && LINKAGE_ERRORS.contains(error)
        {
            let message = message.clone().unwrap_or_default();
            self.classes.names.set_error(name, error, message);
        }
        outcome
    }

    /// Defines a class from the bytes of a class file that is not on the class path.
    ///
    /// # Errors
    ///
    /// As [`Machine::load`]; `LinkageError` if a class of this name exists.
    pub fn define_bytes(&mut self, bytes: &[u8]) -> Step<ClassId> {
        self.define_class(bytes)
    }

    /// Loads a class from its file, its supertypes first.
    ///
    /// # Errors
    /// As [`Machine::load`].
    pub(crate) fn load_file(&mut self, file: Arc<ClassFile>) -> Step<ClassId> {
        load_file_by(self, 0, file)
    }

    /// The messages of classes that could not be loaded, by name.
    pub fn unloadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.classes.names.unloadable()
    }

    /// The class of a field descriptor (`I`, `Ljava/lang/String;`, `[[J`).
    pub fn load_descriptor(&mut self, descriptor: &str) -> Step<ClassId> {
        match descriptor.as_bytes() {
            [b'[', ..] => self.load(descriptor),
            [letter @ (b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'V' | b'Z')] => {
                self.load(primitive_name(*letter))
            }
            _ => match descriptor::class_name(descriptor) {
                Some(name) => self.load(name),
                None => Err(Trap::Missing(descriptor.to_owned())),
            },
        }
    }

    /// Sets the class path for classes of conditions that the program does not have. They are trusted like JDK
    /// classes.
    pub fn set_guests(&mut self, class_path: Arc<cupping_classfile::ClassPath>) {
        self.classes.guests.set_class_path(class_path);
    }
}

/// A class of this name that some loader of the program defined, for callers that have only a name.
fn load_foreign(machine: &Machine, name: &str) -> Step<ClassId> {
    machine.classes.names.foreign(name).ok_or_else(|| Trap::Missing(name.to_owned()))
}

/// Loads a class in the name space of a loader.
///
/// # Errors
/// As [`Machine::load_for`].
pub(super) fn load_file_by(machine: &mut Machine, loader: Addr, file: Arc<ClassFile>) -> Step<ClassId> {
    let trusted = file.origin().is_jdk();
    if !trusted {
        access::check_version(machine, &file)?;
        check_format(&file).map_err(|(error, message)| Trap::Raise(error, Some(message)))?;
    }
    let supertypes = load_supertypes(machine, loader, &file)?;
    let super_class = file.super_name.as_ref().map(|_| supertypes[0]);
    let interfaces = supertypes[super_class.is_some() as usize..].to_vec();
    if !trusted {
        access::check_supertypes(machine, loader, &file, super_class, &interfaces)?;
    }
    define::define(machine, loader, file, super_class, interfaces)
}

fn load_supertypes(machine: &mut Machine, loader: Addr, file: &ClassFile) -> Step<Vec<ClassId>> {
    if !machine.classes.linkage.begin(&file.name) {
        return Err(Trap::Raise("java/lang/StackOverflowError", None));
    }
    let mut supertypes = Vec::new();
    let mut outcome = Ok(());
    for name in file.super_name.iter().chain(file.interfaces.iter()) {
        if machine.classes.linkage.is_loading(name) {
            let message = Some(name.to_string());
            outcome = Err(Trap::Raise("java/lang/ClassCircularityError", message));
            break;
        }
        match machine.load_by(loader, name, true) {
            Ok(class) => supertypes.push(class),
            Err(trap) => {
                outcome = Err(trap);
                break;
            }
        }
    }
    machine.classes.linkage.end();
    outcome.map(|()| supertypes)
}

/// The guest class of this name; `None` if there is none, or the program has one of its own.
fn load_guest(machine: &mut Machine, name: &str) -> Option<Step<ClassId>> {
    let guests = &machine.classes.guests;
    if let Some(id) = guests.get(name) {
        return Some(Ok(id));
    }
    if !guests.has_class_path() || name.starts_with('[') || matches!(machine.program.find(name), Ok(Some(_)))
    {
        return None;
    }
    let bytes = guests.file(name)?;
    let origin = Origin::Jdk { module: Arc::from("cupping") };
    let file = ClassFile::parse(bytes, "a class of a suite", origin).ok()?;
    let loaded = machine.load_file(Arc::new(file));
    if let Ok(id) = loaded {
        let name = machine.class(id).name.clone();
        machine.classes.names.remove(&name);
        machine.classes.guests.add(name, id);
    }
    Some(loaded)
}
