//! `java.lang.Class`, except for its members, which are in [`super::members`].

use super::support::{NOTHING, ZERO, boolean, int, null_pointer, reference};
use super::{Args, Native, NativeOutcome, quick, row};
use crate::classes::{ClassId, ClassKind};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{mirrors, support};
use crate::state::Value;
use cupping_classfile::Origin;

const CLASS: &str = "java/lang/Class";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    row(
        CLASS,
        "forName0",
        "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;",
        for_name,
    ),
    row(CLASS, "forName", "(Ljava/lang/Module;Ljava/lang/String;)Ljava/lang/Class;", for_name_in_module),
    quick(row(CLASS, "isInstance", "(Ljava/lang/Object;)Z", is_instance)),
    quick(row(CLASS, "isAssignableFrom", "(Ljava/lang/Class;)Z", is_assignable_from)),
    quick(row(CLASS, "isInterface", "()Z", |m, a| boolean(m.class(this(m, a)).is_interface()))),
    quick(row(CLASS, "isArray", "()Z", |m, a| {
        boolean(matches!(m.class(this(m, a)).kind, ClassKind::Array { .. }))
    })),
    quick(row(CLASS, "isPrimitive", "()Z", |m, a| {
        boolean(matches!(m.class(this(m, a)).kind, ClassKind::Primitive(_)))
    })),
    row(CLASS, "isHidden", "()Z", |m, a| {
        let class = this(m, a);
        boolean(m.class(class).host.is_some() || m.hidden_nest(class).is_some())
    }),
    row(CLASS, "isRecord0", "()Z", |m, a| {
        boolean(m.class(this(m, a)).file.as_ref().is_some_and(|f| f.record_components.is_some()))
    }),
    row(CLASS, "initClassName", "()Ljava/lang/String;", init_class_name),
    quick(row(CLASS, "getSuperclass", "()Ljava/lang/Class;", get_superclass)),
    row(CLASS, "getInterfaces0", "()[Ljava/lang/Class;", |m, a| {
        let interfaces = m.class(this(m, a)).interfaces.clone();
        reference(support::class_array(m, &interfaces)?)
    }),
    quick(row(CLASS, "getModifiers", "()I", |m, a| int(mirrors::modifiers(m, this(m, a)) as i32))),
    row(CLASS, "getClassAccessFlagsRaw0", "()I", |m, a| int(i32::from(m.class(this(m, a)).access.0))),
    row(CLASS, "getClassFileVersion0", "()I", |m, a| {
        let file = m.class(this(m, a)).file.clone();
        int(file.map_or(0, |f| (f.minor_version as i32) << 16 | f.major_version as i32))
    }),
    row(CLASS, "getSigners", "()[Ljava/lang/Object;", ZERO),
    row(CLASS, "setSigners", "([Ljava/lang/Object;)V", NOTHING),
    row(CLASS, "getProtectionDomain0", "()Ljava/security/ProtectionDomain;", protection_domain),
    row(CLASS, "getProtectionDomain", "()Ljava/security/ProtectionDomain;", protection_domain),
    row(CLASS, "getPrimitiveClass", "(Ljava/lang/String;)Ljava/lang/Class;", get_primitive_class),
    row(CLASS, "getGenericSignature0", "()Ljava/lang/String;", |m, a| {
        let signature = m.class(this(m, a)).file.as_ref().and_then(|f| f.signature.clone());
        optional_text(m, signature.as_deref())
    }),
    row(CLASS, "desiredAssertionStatus0", "(Ljava/lang/Class;)Z", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 0));
        boolean(m.environment.options.assertions && !m.class(class).from_jdk)
    }),
    row(CLASS, "desiredAssertionStatus", "()Z", |m, a| {
        boolean(m.environment.options.assertions && !m.class(this(m, a)).from_jdk)
    }),
    row(CLASS, "getClassLoader0", "()Ljava/lang/ClassLoader;", get_class_loader),
    // Since JDK 25 the class library reads the field, which is set on first request.
    row(CLASS, "getClassLoader", "()Ljava/lang/ClassLoader;", get_class_loader),
    row(CLASS, "getPackage", "()Ljava/lang/Package;", get_package),
];

pub(super) fn this(m: &Machine, args: &Args) -> ClassId {
    m.class_of_mirror(args.reference(m, 0))
}

pub(super) fn optional_text(m: &mut Machine, text: Option<&str>) -> Step<NativeOutcome> {
    match text {
        Some(text) => reference(m.new_text(text)?),
        None => reference(0),
    }
}

fn for_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.non_null(m, 0)?;
    let name = m.text(name);
    let loader = args.reference(m, 2);
    let class = match m.name_space_of(loader) {
        0 => find_by_name(m, &name)?,
        space => find_in(m, space, &name)?,
    };
    if args.int(m, 1) != 0 {
        m.ensure_initialized(class)?;
    }
    reference(m.mirror(class)?)
}

/// The class of a name in the syntax of `Class.forName`: with dots, arrays by descriptor.
pub(super) fn find_by_name(m: &mut Machine, name: &str) -> Step<ClassId> {
    let missing = || Trap::Raise("java/lang/ClassNotFoundException", Some(name.to_owned()));
    let internal = name.replace('.', "/");
    if name.contains('/') || PRIMITIVES.contains(&&*internal) {
        return Err(missing());
    }
    m.load(&internal).map_err(|trap| match trap {
        Trap::Missing(_) => missing(),
        other => other,
    })
}

/// The class of a name that a loader of the program is asked for.
fn find_in(m: &mut Machine, loader: Addr, name: &str) -> Step<ClassId> {
    let missing = || Trap::Raise("java/lang/ClassNotFoundException", Some(name.to_owned()));
    let internal = name.replace('.', "/");
    if name.contains('/') || PRIMITIVES.contains(&&*internal) {
        return Err(missing());
    }
    m.load_by(loader, &internal, false).map_err(|trap| match trap {
        Trap::Missing(_) => missing(),
        other => other,
    })
}

fn for_name_in_module(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (module, name) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let _ = module;
    let name = m.text(name);
    match find_by_name(m, &name) {
        Ok(class) => reference(m.mirror(class)?),
        Err(Trap::Raise(..)) => reference(0),
        Err(other) => Err(other),
    }
}

fn is_instance(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let object = args.reference(m, 1);
    boolean(object != 0 && m.is_subtype(m.class_of(object), this(m, args)))
}

fn is_assignable_from(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let other = args.non_null(m, 1)?;
    boolean(m.is_subtype(m.class_of_mirror(other), this(m, args)))
}

fn init_class_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let mirror = args.reference(m, 0);
    let class = m.class_of_mirror(mirror);
    let name = m.external_name(class);
    let text = m.intern_text(&name)?;
    m.set_named(mirror, "name", text as u64);
    reference(text)
}

/// For a class of the class path, the domain names its entry; for a class made of bytes, it is the one given by
/// its loader.
fn protection_domain(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = this(m, args);
    if let Some(said) = m.registers.cold.domains.get(&class) {
        return reference(*said);
    }
    let class = m.class(class).host.unwrap_or(class);
    let origin = m.class(class).file.as_ref().map(|file| file.origin().clone());
    let Some(Origin::ClassPath { entry }) = origin else {
        return Ok(NativeOutcome::Call(m.protection_domain_of_jdk()?, Vec::new()));
    };
    let NativeOutcome::Value(loader) = mirrors::system_loader(m)? else { return reference(0) };
    let path = m.new_text(&crate::world::absolute(&entry.to_string_lossy()))?;
    Ok(NativeOutcome::Call(m.protection_domain()?, vec![Value::reference(path), loader]))
}

fn get_superclass(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.class(this(m, args));
    match class.super_class {
        Some(parent) if !class.is_interface() => reference(m.mirror(parent)?),
        _ => reference(0),
    }
}

fn get_primitive_class(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.non_null(m, 0)?;
    let name = m.text(name);
    let class = m.load(&name)?;
    reference(m.mirror(class)?)
}

fn get_class_loader(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let mirror = args.reference(m, 0);
    if mirror == 0 {
        return Err(null_pointer());
    }
    let own = m.named(mirror, "classLoader") as Addr;
    let class = m.class_of_mirror(mirror);
    let own = if own == 0 { m.loader_of(class) } else { own };
    if own != 0 || is_of_boot_loader(m, class) {
        return reference(own);
    }
    let NativeOutcome::Value(loader) = mirrors::system_loader(m)? else { return reference(0) };
    m.set_named(mirror, "classLoader", loader.bits);
    Ok(NativeOutcome::Value(loader))
}

fn get_package(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    const DEFINE: &str = "(Ljava/lang/Class;)Ljava/lang/Package;";
    let mirror = args.non_null(m, 0)?;
    if m.class(this(m, args)).kind != ClassKind::Instance {
        return reference(0);
    }
    let NativeOutcome::Value(loader) = get_class_loader(m, args)? else { return reference(0) };
    let class = Value::reference(mirror);
    if loader.bits == 0 {
        let define = m.jdk_method("jdk/internal/loader/BootLoader", "definePackage", DEFINE)?;
        return Ok(NativeOutcome::Call(define, vec![class]));
    }
    Ok(NativeOutcome::Call(
        m.jdk_method("java/lang/ClassLoader", "definePackage", DEFINE)?,
        vec![loader, class],
    ))
}

/// Whether `Class.getClassLoader` gives `null`.
fn is_of_boot_loader(m: &Machine, class: ClassId) -> bool {
    match m.class(class).kind {
        ClassKind::Array { element, .. } => is_of_boot_loader(m, element),
        _ => m.class(class).from_jdk,
    }
}

const PRIMITIVES: [&str; 9] = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "void"];
