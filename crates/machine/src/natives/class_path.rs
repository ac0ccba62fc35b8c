//! Files of the class path, as the application's class loader finds them.
//!
//! On the JVM that loader opens each jar until it has found a file, and all of them for `getResources`, which
//! `ServiceLoader` asks. Here the program's index of its class path answers. Names and paths that a URL would
//! encode, and names of the versions of a file or folder, go the JDK's way.

use super::support::reference;
use super::{Args, Native, NativeOutcome, resources, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use crate::world::program_files::absolute;
use std::sync::Arc;

const LOADER: &str = "jdk/internal/loader/BuiltinClassLoader";
const JAR_CONNECTION: &str = "sun/net/www/protocol/jar/JarURLConnection";

pub(super) const NATIVES: &[Native] =
    &[
        row(LOADER, "findResourceOnClassPath", "(Ljava/lang/String;)Ljava/net/URL;", |m, a| {
            match found(m, a, Wanted::First)? {
                Some(urls) => match urls.first() {
                    Some(url) => {
                        let text = m.new_text(url)?;
                        Ok(NativeOutcome::Call(m.url_of()?, vec![Value::reference(text)]))
                    }
                    None => reference(0),
                },
                None => by_search(m, a, "findResource", "Ljava/net/URL;"),
            }
        }),
        row(LOADER, "findResourcesOnClassPath", "(Ljava/lang/String;)Ljava/util/Enumeration;", |m, a| {
            match found(m, a, Wanted::All)? {
                Some(urls) => {
                    let texts: Vec<Option<String>> = urls.into_iter().map(Some).collect();
                    let texts = m.string_array(&texts)?;
                    Ok(NativeOutcome::Call(m.urls_of()?, vec![Value::reference(texts)]))
                }
                None => by_search(m, a, "findResources", "Ljava/util/Enumeration;"),
            }
        }),
        row(JAR_CONNECTION, "getInputStream", "()Ljava/io/InputStream;", |m, a| {
            let connection = a.non_null(m, 0)?;
            match bytes_of(m, connection) {
                Some(bytes) => resources::stream_of(m, &bytes),
                None => Ok(NativeOutcome::Forward(m.stream_of_jar()?)),
            }
        }),
    ];

/// How many files of a name are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    All,
}

/// Whether this is how a URL shows a path (`ParseUtil.encodePath`).
fn is_literal(text: &str) -> bool {
    text.chars().all(|it| it.is_ascii_graphic() && !"\"#%;<=>?[\\]^`{|}".contains(it))
}

/// The URLs of the files and folders of a name; `None` if the JDK has to look for them.
fn found(m: &mut Machine, args: &Args, wanted: Wanted) -> Step<Option<Vec<String>>> {
    let (loader, name) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let name = m.text(name);
    // Loaders without a class path of their own find nothing on it.
    if m.named(loader, "ucp") == 0 {
        return Ok(Some(Vec::new()));
    }
    let is_of_program = m.class_name_of(loader) == "jdk/internal/loader/ClassLoaders$AppClassLoader"
        && !m.environment.options.properties.iter().any(|(property, _)| &**property == "java.class.path");
    let plain = name.strip_suffix('/').unwrap_or(&name);
    let is_plain = plain.split('/').all(|part| !matches!(part, "." | ".."));
    // Neither a folder nor a jar shows anything by an absolute name.
    if is_of_program && name.starts_with('/') {
        return Ok(Some(Vec::new()));
    }
    // The empty name is that of the folders themselves.
    if !is_of_program || name.starts_with("META-INF/versions") {
        return Ok(None);
    }
    let program = Arc::clone(&m.program);
    let stored = program.stored_names(&name);
    let mut urls = Vec::new();
    for (entry, stored) in program.class_path().entries().zip(stored.iter()) {
        let Some(place) = entry.path().to_str().map(absolute) else { return Ok(None) };
        let url = if entry.is_jar() {
            // JDKs differ in the names of folders there.
            let is_folder = name.is_empty() || stored.as_ref().is_some_and(|stored| stored.ends_with('/'));
            if entry.is_multi_release() && is_folder {
                return Ok(None);
            }
            let Some(stored) = stored else { continue };
            // Files of a version are shown by the names under which the jar stores them.
            let shown = if stored.trim_end_matches('/') == plain { &*name } else { stored };
            format!("jar:file:{place}!/{shown}")
        } else {
            let folder = format!("{}/", place.trim_end_matches('/'));
            let path = format!("{folder}{name}");
            let file = if is_plain { path.clone() } else { absolute(&path) };
            m.enter_looked_up(file.as_bytes());
            // That a class loader looks here is no effect of the program.
            if !format!("{file}/").starts_with(&folder) || !m.registers.cold.disk.has(file.as_bytes()) {
                continue;
            }
            format!("file:{path}")
        };
        if !is_plain || !is_literal(&url) {
            return Ok(None);
        }
        urls.push(url);
        if wanted == Wanted::First {
            break;
        }
    }
    Ok(Some(urls))
}

/// The JDK's search by the loader's `URLClassPath`.
fn by_search(m: &mut Machine, args: &Args, name: &str, result: &str) -> Step<NativeOutcome> {
    let path = m.named(args.reference(m, 0), "ucp") as Addr;
    let class = m.class_of(path);
    let wanted = Value::reference(args.reference(m, 1));
    if let Some(method) = m.find_method(class, name, &format!("(Ljava/lang/String;){result}")) {
        return Ok(NativeOutcome::Call(method, vec![Value::reference(path), wanted]));
    }
    // Older JDKs ask whether permissions are to be checked.
    match m.find_method(class, name, &format!("(Ljava/lang/String;Z){result}")) {
        Some(method) => {
            Ok(NativeOutcome::Call(method, vec![Value::reference(path), wanted, Value::boolean(false)]))
        }
        None => reference(0),
    }
}

/// What a connection to an entry of a jar of the class path reads.
fn bytes_of(m: &Machine, connection: Addr) -> Option<Arc<[u8]>> {
    let text = |object: Addr, name: &str| match m.named(object, name) as Addr {
        0 => None,
        text => Some(m.text(text)),
    };
    let jar = m.named(connection, "jarFileURL") as Addr;
    if jar == 0 || text(jar, "protocol")? != "file" || m.named(jar, "ref") != 0 {
        return None;
    }
    let (path, name) = (text(jar, "path")?, text(connection, "entryName")?);
    if !is_literal(&path) || !is_literal(&name) {
        return None;
    }
    let is_it = |place: &std::path::Path| place.to_str().is_some_and(|place| absolute(place) == path);
    let entry = m.program.class_path().entries().find(|entry| entry.is_jar() && is_it(entry.path()))?;
    match entry.stored_name(&name)? == name {
        true => entry.read(&name).ok()?,
        false => None,
    }
}
