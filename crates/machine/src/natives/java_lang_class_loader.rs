//! `java.lang.ClassLoader`, and `jdk.internal.loader`.
//!
//! The loaders of the JDK are one name space of classes; for those that programs make see `crate::classes::loaders`.

use super::support::{NOTHING, ZERO, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::classes::ClassId;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{bytes, mirrors, unsafe_memory};
use cupping_classfile::{ClassFile, Origin};
use std::sync::Arc;

const LOADER: &str = "java/lang/ClassLoader";
const BOOT: &str = "jdk/internal/loader/BootLoader";
const LIBRARIES: &str = "jdk/internal/loader/NativeLibraries";

pub(super) const NATIVES: &[Native] = &[
    row(LOADER, "registerNatives", "()V", NOTHING),
    row(LOADER, "findLoadedClass0", "(Ljava/lang/String;)Ljava/lang/Class;", find_loaded),
    row(LOADER, "findBootstrapClass", "(Ljava/lang/String;)Ljava/lang/Class;", find_bootstrap),
    row(LOADER, "retrieveDirectives", "()Ljava/lang/AssertionStatusDirectives;", |m, _| {
        let class = m.load("java/lang/AssertionStatusDirectives")?;
        let directives = m.new_object(class)?;
        m.set_named(directives, "deflt", m.environment.options.assertions as u64);
        reference(directives)
    }),
    row(
        LOADER,
        "defineClass1",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
        |m, a| {
            let (array, offset, length) = (a.non_null(m, 2)?, a.int(m, 3), a.int(m, 4));
            let loader = a.reference(m, 0);
            let name = a.reference(m, 1);
            let name = (name != 0).then(|| m.text(name).replace('.', "/"));
            if let Some(name) = &name {
                check_name(m, name, array, offset, length)?;
            }
            let mirror = define_from_bytes(m, loader, array, offset, length, Definition::Named)?;
            keep_domain(m, mirror, a.reference(m, 5));
            reference(mirror)
        },
    ),
    row(
        LOADER,
        "defineClass2",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/nio/ByteBuffer;IILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
        |m, a| {
            // The buffer is a direct one.
            let (buffer, offset, length) = (a.non_null(m, 2)?, a.int(m, 3), a.int(m, 4));
            let at = m.named(buffer, "address").wrapping_add(offset as i64 as u64);
            unsafe_memory::check_outside(m, at, length.max(0) as u64)?;
            bytes::fix_bytes(m, at, length.max(0) as u64)?;
            let content = bytes::bytes_at(m, at, length.max(0) as u64).plain;
            let array = m.new_byte_array(&content)?;
            let name = a.reference(m, 1);
            let name = (name != 0).then(|| m.text(name).replace('.', "/"));
            if let Some(name) = &name {
                check_name(m, name, array, 0, length)?;
            }
            let mirror = define_from_bytes(m, a.reference(m, 0), array, 0, length, Definition::Named)?;
            keep_domain(m, mirror, a.reference(m, 5));
            reference(mirror)
        },
    ),
    row(
        LOADER,
        "defineClass0",
        "(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;ZILjava/lang/Object;)Ljava/lang/Class;",
        |m, a| {
            let (array, offset, length) = (a.non_null(m, 3)?, a.int(m, 4), a.int(m, 5));
            let (loader, flags, data) = (a.reference(m, 0), a.int(m, 8), a.reference(m, 9));
            let (initialize, host) = (a.int(m, 7) != 0, m.class_of_mirror(a.non_null(m, 1)?));
            let how = match (flags & 2 != 0, flags & 1 != 0) {
                (false, _) => Definition::Named,
                (true, false) => Definition::Hidden(None),
                (true, true) => Definition::Hidden(Some(host)),
            };
            let mirror = define_from_bytes(m, loader, array, offset, length, how)?;
            keep_domain(m, mirror, a.reference(m, 6));
            m.set_named(mirror, "classData", data as u64);
            if initialize {
                return Ok(NativeOutcome::Call(
                    m.initializing()?,
                    vec![crate::state::Value::reference(mirror)],
                ));
            }
            reference(mirror)
        },
    ),
    row(LOADER, "getSystemClassLoader", "()Ljava/lang/ClassLoader;", |m, _| mirrors::system_loader(m)),
    row(BOOT, "getSystemPackageNames", "()[Ljava/lang/String;", |m, _| {
        reference(m.string_array::<&str>(&[])?)
    }),
    row(BOOT, "getSystemPackageLocation", "(Ljava/lang/String;)Ljava/lang/String;", package_location),
    row(BOOT, "setBootLoaderUnnamedModule0", "(Ljava/lang/Module;)V", NOTHING),
    row(BOOT, "loadLibrary", "(Ljava/lang/String;)V", NOTHING),
    row(BOOT, "loadClass", "(Ljava/lang/Module;Ljava/lang/String;)Ljava/lang/Class;", |m, a| {
        find_jdk_class(m, a.non_null(m, 1)?)
    }),
    row(BOOT, "loadClassOrNull", "(Ljava/lang/String;)Ljava/lang/Class;", |m, a| {
        find_jdk_class(m, a.non_null(m, 0)?)
    }),
    row(LIBRARIES, "findBuiltinLib", "(Ljava/lang/String;)Ljava/lang/String;", |m, a| {
        let name = a.non_null(m, 0)?;
        m.note(cupping_case::Effect::NativeLibrary(m.text(name).into()));
        reference(0)
    }),
    row("jdk/internal/loader/NativeLibrary", "findEntry0", "(JLjava/lang/String;)J", ZERO),
];

fn find_loaded(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (loader, name) = (args.reference(m, 0), args.reference(m, 1));
    if m.name_space_of(loader) != 0 {
        let name = m.text(name).replace('.', "/");
        return match m.answered(loader, &name) {
            Some(class) => reference(m.mirror(class)?),
            None => reference(0),
        };
    }
    if m.class_name_of(loader) != "jdk/internal/loader/ClassLoaders$AppClassLoader" {
        return reference(0);
    }
    find_class(m, name, false)
}

/// The location of a JDK package with a loaded class; else `null`.
fn package_location(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let package = m.text(args.non_null(m, 0)?).replace('.', "/");
    let mut classes = m.classes().iter().filter(|class| class.from_jdk && class.package() == package);
    let module = classes.find_map(|class| match class.file.as_ref()?.origin() {
        Origin::Jdk { module } => Some(module.to_string()),
        _ => None,
    });
    reference(module.map_or(Ok(0), |module| m.new_text(&format!("jrt:/{module}")))?)
}

fn find_bootstrap(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.reference(m, 0);
    find_class(m, name, true)
}

fn find_jdk_class(m: &mut Machine, name: Addr) -> Step<NativeOutcome> {
    find_class(m, name, true)
}

/// The `Class` of this binary name, or `null`.
fn find_class(m: &mut Machine, name: Addr, only_jdk: bool) -> Step<NativeOutcome> {
    if name == 0 {
        return reference(0);
    }
    let name = m.text(name);
    match super::java_lang_class::find_by_name(m, &name) {
        Ok(class) if m.loader_of(class) == 0 && (!only_jdk || m.class(class).from_jdk) => {
            reference(m.mirror(class)?)
        }
        Ok(_) | Err(Trap::Raise(..)) => reference(0),
        Err(other) => Err(other),
    }
}

/// How a class is defined.
enum Definition {
    /// Under its name.
    Named,
    /// As a hidden class, in this nest.
    Hidden(Option<ClassId>),
}

fn define_from_bytes(
    m: &mut Machine,
    loader: Addr,
    array: Addr,
    offset: i32,
    length: i32,
    how: Definition,
) -> Step<Addr> {
    let bytes = m.byte_array(array);
    let range = offset.max(0) as usize..(offset as i64 + length as i64).max(0) as usize;
    let Some(part) = bytes.get(range) else {
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    };
    let class = match how {
        Definition::Named if m.name_space_of(loader) != 0 => {
            let file = ClassFile::parse(Arc::from(part), "bytes of a program", Origin::Made)
                .map_err(|e| crate::classes::errors::file_error("a class", &e))?;
            m.define_in(loader, file)?
        }
        Definition::Named => m.define_class(part)?,
        Definition::Hidden(host) => m.define_hidden(part, host)?,
    };
    let mirror = m.mirror(class)?;
    m.set_named(mirror, "classLoader", loader as u64);
    Ok(mirror)
}

fn keep_domain(m: &mut Machine, mirror: Addr, domain: Addr) {
    if domain != 0 {
        let class = m.class_of_mirror(mirror);
        m.registers.cold.domains.insert(class, domain);
    }
}

/// `NoClassDefFoundError` if the bytes are of a class with another name.
fn check_name(m: &Machine, name: &str, array: Addr, offset: i32, length: i32) -> Step<()> {
    let bytes = m.byte_array(array);
    let range = offset.max(0) as usize..(offset as i64 + length as i64).max(0) as usize;
    // Damage is detected when the class is defined.
    let Some(part) = bytes.get(range) else { return Ok(()) };
    match ClassFile::parse(Arc::from(part), "bytes of a program", Origin::Made) {
        Ok(file) if *file.name != *name => Err(Trap::Raise(
            "java/lang/NoClassDefFoundError",
            Some(format!("{name} (wrong name: {})", file.name)),
        )),
        _ => Ok(()),
    }
}

impl Machine {
    /// Defines a class from the bytes of a class file, as `ClassLoader.defineClass`.
    ///
    /// # Errors
    ///
    /// `ClassFormatError`; `LinkageError` if a class of this name exists.
    pub(crate) fn define_class(&mut self, bytes: &[u8]) -> Step<ClassId> {
        let file = ClassFile::parse(Arc::from(bytes), "bytes of a program", Origin::Made)
            .map_err(|e| crate::classes::errors::file_error("a class", &e))?;
        if self.classes.names.get(&file.name).is_some() {
            let name = file.name.replace('/', ".");
            return Err(Trap::Raise(
                "java/lang/LinkageError",
                Some(format!(
                    "loader 'app' attempted duplicate class definition for {name}. ({name} is in unnamed module of \
                     loader 'app')"
                )),
            ));
        }
        self.classes.names.forget_unloadable(&file.name);
        self.load_file(Arc::new(file))
    }
}
