//! Resources: files beside classes, from the class path and from the JDK's modules.

use super::support::{ZERO, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::classes::modules::module_of;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use std::sync::Arc;

const BYTES: &str = "java/io/ByteArrayInputStream";
const DESCRIPTOR: &str = "(Ljava/lang/String;)Ljava/io/InputStream;";

const BOOT: &str = "jdk/internal/loader/BootLoader";
const IN_MODULE: &str = "(Ljava/lang/String;Ljava/lang/String;)Ljava/net/URL;";

pub(super) const NATIVES: &[Native] = &[
    row(BOOT, "findResource", IN_MODULE, |m, a| url_in_module(m, a.reference(m, 0), a.reference(m, 1))),
    row("jdk/internal/loader/BuiltinClassLoader", "findResource", IN_MODULE, |m, a| {
        url_in_module(m, a.reference(m, 1), a.reference(m, 2))
    }),
    row(BOOT, "findResource", "(Ljava/lang/String;)Ljava/net/URL;", |m, a| {
        let name = a.non_null(m, 0)?;
        let name = m.text(name);
        // Other files of a module are its own affair.
        if !name.ends_with(".class") {
            return reference(0);
        }
        let package = name.rfind('/').map_or("", |at| &name[..at]).to_owned();
        match m.program.module_of_package(&package) {
            Ok(Some(module)) => url(m, &module, &name),
            Ok(None) | Err(_) => reference(0),
        }
    }),
    row(
        "sun/net/www/protocol/jrt/JavaRuntimeURLConnection",
        "getInputStream",
        "()Ljava/io/InputStream;",
        |m, a| {
            let connection = a.non_null(m, 0)?;
            let (module, name) = (m.named(connection, "module") as Addr, m.named(connection, "name") as Addr);
            if module == 0 || name == 0 {
                return Err(Trap::Raise("java/io/IOException", Some("cannot connect".into())));
            }
            let (module, name) = (m.text(module), m.text(name));
            of_module(m, &module, &name)
        },
    ),
    // The answer decides whether the whole image is mapped; its index suffices here.
    row(
        "jdk/internal/jimage/BasicImageReader",
        "isSystemProperty",
        "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z",
        ZERO,
    ),
    row("java/lang/Class", "getResourceAsStream", DESCRIPTOR, of_class),
    row("java/lang/Module", "getResourceAsStream", DESCRIPTOR, |m, a| {
        let (module, name) = (m.named(a.reference(m, 0), "name") as Addr, a.non_null(m, 1)?);
        let name = m.text(name).trim_start_matches('/').to_owned();
        if module == 0 {
            return of_program(m, &name);
        }
        let module = m.text(module);
        of_module(m, &module, &name)
    }),
];

fn url_in_module(m: &mut Machine, module: Addr, name: Addr) -> Step<NativeOutcome> {
    if module == 0 || name == 0 {
        return reference(0);
    }
    let (module, name) = (m.text(module), m.text(name));
    url(m, &module, &name)
}

/// The URL of a file of a module; `null` if there is none.
fn url(m: &mut Machine, module: &str, name: &str) -> Step<NativeOutcome> {
    match m.program.module_resource(module, name) {
        Ok(Some(_)) => {
            let text = m.new_text(&format!("jrt:/{module}/{name}"))?;
            Ok(NativeOutcome::Call(m.url_of()?, vec![Value::reference(text)]))
        }
        Ok(None) | Err(_) => reference(0),
    }
}

/// Names are relative to the package of the class, unless they start with a slash.
fn of_class(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.non_null(m, 1)?;
    let class = m.class_of_mirror(args.reference(m, 0));
    let name = m.text(name);
    let name = match name.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None if m.class(class).package().is_empty() => name,
        None => format!("{}/{name}", m.class(class).package()),
    };
    let loader = m.named(args.reference(m, 0), "classLoader") as Addr;
    if loader != 0 && !m.class(m.class_of(loader)).from_jdk {
        let text = m.new_text(&name)?;
        let class = m.class_of(loader);
        if let Some(method) = m.find_method(class, "getResourceAsStream", DESCRIPTOR) {
            return Ok(NativeOutcome::Call(method, vec![Value::reference(loader), Value::reference(text)]));
        }
    }
    match module_of(m, class) {
        Some(module) => of_module(m, &module, &name),
        None => of_program(m, &name),
    }
}

pub(super) fn of_module(m: &mut Machine, module: &str, name: &str) -> Step<NativeOutcome> {
    let found = m.program.module_resource(module, name);
    stream(m, found)
}

fn of_program(m: &mut Machine, name: &str) -> Step<NativeOutcome> {
    let found = m.program.resource(name);
    stream(m, found)
}

fn stream(
    m: &mut Machine,
    found: Result<Option<Arc<[u8]>>, cupping_classfile::ClassFileError>,
) -> Step<NativeOutcome> {
    let bytes = match found {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return reference(0),
        Err(error) => return Err(Trap::Raise("java/io/UncheckedIOException", Some(error.to_string()))),
    };
    stream_of(m, &bytes)
}

/// A `ByteArrayInputStream` of these bytes.
pub(super) fn stream_of(m: &mut Machine, bytes: &[u8]) -> Step<NativeOutcome> {
    let class = m.load(BYTES)?;
    m.ensure_initialized(class)?;
    let array = m.new_byte_array(bytes)?;
    let stream = m.new_object(class)?;
    m.set_named(stream, "buf", array as u64);
    m.set_named(stream, "count", bytes.len() as u64);
    reference(stream)
}
