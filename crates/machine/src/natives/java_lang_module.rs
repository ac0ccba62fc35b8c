//! `java.lang.Module`.
//!
//! The JDK's modules are not set up when a program starts: each is a `Module` object that only has a name
//! (`mirrors.rs`). Requests for more are answered from its `module-info` in the image. Only if a program asks
//! for the boot layer does the JDK create it, with modules that replace those objects.

use super::support::{NOTHING, ONE, boolean, reference};
use super::{Args, Native, NativeOutcome, VOID, mirrors, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;

const MODULE: &str = "java/lang/Module";
const SYSTEM: &str = "java/lang/System";
const BASE: &str = "java.base";
const EXPORTED: &str = "(Ljava/lang/String;Ljava/lang/Module;Z)Z";

pub(super) const NATIVES: &[Native] = &[
    row(MODULE, "defineModule0", "*", define_module),
    row("java/lang/ModuleLayer", "boot", "()Ljava/lang/ModuleLayer;", boot_layer),
    row(MODULE, "addReads0", "*", NOTHING),
    row(MODULE, "addExports0", "*", NOTHING),
    row(MODULE, "addExportsToAll0", "*", NOTHING),
    row(MODULE, "addExportsToAllUnnamed0", "*", NOTHING),
    row(MODULE, "canUse", "(Ljava/lang/Class;)Z", ONE),
    row(MODULE, "canRead", "(Ljava/lang/Module;)Z", ONE),
    row(MODULE, "implIsExportedOrOpen", EXPORTED, is_exported_or_open),
    row(MODULE, "getDescriptor", "()Ljava/lang/module/ModuleDescriptor;", descriptor),
];

/// The boot layer, which the JDK creates on first request. While it does so, there is none.
fn boot_layer(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let system = m.load(SYSTEM)?;
    let known = m.static_field(system, "bootLayer").unwrap_or(0);
    let base = mirrors::module_object(m, Some(BASE))?;
    // The base module is initialised when the modules are defined.
    if known != 0 || m.named(base, "descriptor") != 0 {
        return reference(known as Addr);
    }
    let bootstrap = "jdk/internal/module/ModuleBootstrap";
    Ok(NativeOutcome::Call(m.jdk_method(bootstrap, "boot", "()Ljava/lang/ModuleLayer;")?, Vec::new()))
}

/// The JDK creates the modules of its boot layer on request: from then on they are the modules of the classes.
fn define_module(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let module = args.non_null(m, 0)?;
    let Some(name) = name_of(m, module) else { return Ok(VOID) };
    let layer = m.named(module, "layer");
    let system = m.load(SYSTEM)?;
    let is_booting = m.static_field(system, "bootLayer").is_none_or(|known| known == 0 || known == layer);
    if !is_booting || !m.program.modules().contains_key(&*name) {
        return Ok(VOID);
    }
    if name == BASE {
        // This module has existed from the beginning: only its data is new.
        let base = mirrors::module_object(m, Some(BASE))?;
        let descriptor = m.named(module, "descriptor");
        m.set_named(base, "descriptor", descriptor);
        return Ok(VOID);
    }
    m.set_static_field(system, "bootLayer", layer)?;
    mirrors::set_module(m, &name, module);
    Ok(VOID)
}

/// The name of a module, or nothing for an unnamed one.
fn name_of(m: &Machine, module: Addr) -> Option<String> {
    match m.named(module, "name") as Addr {
        0 => None,
        name => Some(m.text(name)),
    }
}

/// Whether a package is exported or open: by declaration, by options of the launcher, or because the program
/// added it.
fn is_exported_or_open(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (this, package, other, open) =
        (args.reference(m, 0), args.non_null(m, 1)?, args.reference(m, 2), args.int(m, 3) != 0);
    let Some(name) = name_of(m, this) else { return boolean(true) };
    if this == other {
        return boolean(true);
    }
    let other_name = if other == 0 { None } else { name_of(m, other) };
    let package = m.text(package);
    let internal = package.replace('.', "/");
    let declared = m.program.modules().get(&*name).is_some_and(|module| {
        let is_for = |it: &cupping_classfile::Package| it.is_for(&internal, other_name.as_deref());
        module.is_open || module.opens.iter().any(is_for) || !open && module.exports.iter().any(is_for)
    });
    if declared || is_added(m, &name, &package, other_name.as_deref(), open) {
        return boolean(true);
    }
    // Renamed in a JDK between 17 and 25.
    let class = m.load(MODULE)?;
    let names = ["isReflectivelyExportedOrOpen", "isReflectivelyExportedOrOpened"];
    let reflectively = names.iter().find_map(|name| m.declared_method(class, name, EXPORTED));
    let Some(reflectively) = reflectively else { return boolean(false) };
    Ok(NativeOutcome::Call(reflectively, (0..4).map(|slot| args.value(m, slot)).collect()))
}

/// Whether `--add-opens` or `--add-exports` says so. These options reach the class library as numbered
/// properties: `jdk.module.addopens.0` is `module/package=target,target`.
fn is_added(m: &Machine, module: &str, package: &str, other: Option<&str>, open: bool) -> bool {
    let target = other.unwrap_or("ALL-UNNAMED");
    m.environment.options.properties.iter().any(|(name, value)| {
        let applies =
            name.starts_with("jdk.module.addopens.") || !open && name.starts_with("jdk.module.addexports.");
        let added = value.split_once('=').and_then(|(from, to)| Some((from.split_once('/')?, to)));
        applies
            && added.is_some_and(|((from, of), to)| {
                from == module && of == package && to.split(',').any(|it| it == target)
            })
    })
}

/// The JDK's own reader reads it each time: it is rarely requested.
fn descriptor(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let Some(name) = name_of(m, args.reference(m, 0)) else { return reference(0) };
    match m.named(args.reference(m, 0), "descriptor") as Addr {
        0 => {}
        known => return reference(known),
    }
    let NativeOutcome::Value(stream) = super::resources::of_module(m, &name, "module-info.class")? else {
        return reference(0);
    };
    let read = m.jdk_method(
        "java/lang/module/ModuleDescriptor",
        "read",
        "(Ljava/io/InputStream;)Ljava/lang/module/ModuleDescriptor;",
    )?;
    Ok(NativeOutcome::Call(read, vec![stream]))
}
