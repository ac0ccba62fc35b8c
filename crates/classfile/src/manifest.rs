//! Manifests of jars: the main class, and the jars that a jar needs.

use crate::{ClassPath, ClassPathEntry};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// The class that `Main-Class` of a jar names.
///
/// # Errors
///
/// There is no such jar, or its manifest names no main class; the message is for users.
pub fn main_class(jar: &Path) -> Result<String, String> {
    let name = jar.display();
    if !jar.exists() {
        return Err(format!("{name}: no such file; name another jar with --jar"));
    }
    attribute(jar, "Main-Class").ok_or_else(|| {
        format!("{name}: its manifest names no Main-Class; name the class: cupping run -cp {name} MAIN")
    })
}

/// An entry of a class path.
pub struct ManifestEntry {
    /// The file or folder.
    pub path: PathBuf,
    /// Whether only the manifest of a jar names it.
    pub in_manifest: bool,
}

/// The entries of a class path, each followed by those that its manifest's `Class-Path` names. Missing ones are
/// skipped, as by `java`; `folder/*` stands for its jars.
pub fn with_class_paths(text: &str) -> Vec<ManifestEntry> {
    let mut waiting: Vec<PathBuf> = Vec::new();
    for entry in std::env::split_paths(text) {
        if entry.as_os_str().is_empty() {
            waiting.push(PathBuf::from("."));
        } else if entry.ends_with("*") {
            waiting.extend(jars_of(&entry));
        } else {
            waiting.push(entry);
        }
    }
    closed(waiting)
}

/// Jars that the manifests of these entries name, directly or through other jars, and that are not among the entries
/// themselves: a JVM and `javac` read them as well. Named files that are not archives are ignored: the manifest is
/// not trusted, and may name a private file.
pub fn jars_beside(entries: &[PathBuf]) -> Vec<PathBuf> {
    let found = closed(entries.to_vec()).into_iter();
    found.filter(|entry| entry.in_manifest && is_archive(&entry.path)).map(|entry| entry.path).collect()
}

/// The places that manifests of these entries name and that are no entries: nothing is there, or an entry under another
/// name. A class loader looks for them whenever it has not found something elsewhere.
pub fn other_places(class_path: &ClassPath) -> Vec<PathBuf> {
    let of_entry = |entry: &ClassPathEntry| {
        let manifest = entry.bytes(MANIFEST).ok().flatten().filter(|_| entry.is_jar())?;
        let listed = value_of(&String::from_utf8_lossy(&manifest), "Class-Path")?;
        let folder = entry.path().parent().unwrap_or(Path::new("")).to_owned();
        Some(places(&folder, &listed))
    };
    let named = class_path.entries().filter_map(of_entry).flatten();
    let named: BTreeSet<PathBuf> = named.collect();
    let real = |path: &Path| path.canonicalize().ok();
    let entries: BTreeSet<PathBuf> = class_path.entries().filter_map(|it| real(it.path())).collect();
    named.into_iter().filter(|it| real(it).is_none_or(|it| entries.contains(&it))).collect()
}

/// Whether a path leads to a regular file that begins as a zip archive does.
fn is_archive(path: &Path) -> bool {
    // A pipe would keep who opens it waiting.
    let opened = if path.is_file() { std::fs::File::open(path).ok() } else { None };
    let mut start = [0; 4];
    opened.is_some_and(|mut file| file.read_exact(&mut start).is_ok()) && start == *b"PK\x03\x04"
}

/// Entries, each followed by those that its manifest names.
fn closed(entries: Vec<PathBuf>) -> Vec<ManifestEntry> {
    let named = |path| ManifestEntry { path, in_manifest: false };
    let mut waiting: Vec<ManifestEntry> = entries.into_iter().rev().map(named).collect();
    // An entry that is named later counts as named all the same.
    let all_named: BTreeSet<PathBuf> = waiting.iter().filter_map(|it| it.path.canonicalize().ok()).collect();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    while let Some(next) = waiting.pop() {
        let entry = &next.path;
        let Ok(real) = entry.canonicalize() else { continue };
        if !seen.insert(real.clone()) {
            continue;
        }
        let listed = if entry.is_file() { attribute(entry, "Class-Path") } else { None };
        let folder = entry.parent().unwrap_or(Path::new("")).to_owned();
        let beside = listed.map_or_else(Vec::new, |it| places(&folder, &it));
        found.push(ManifestEntry { in_manifest: next.in_manifest && !all_named.contains(&real), ..next });
        waiting.extend(beside.into_iter().rev().map(|path| ManifestEntry { path, in_manifest: true }));
    }
    found
}

/// The places that an attribute `Class-Path` names, as files.
fn places(folder: &Path, listed: &str) -> Vec<PathBuf> {
    let urls = listed.split_whitespace().filter(|it| !it.contains(':') || it.starts_with("file:"));
    urls.map(|it| place(folder, it)).collect()
}

/// The place that a relative URL names.
fn place(folder: &Path, url: &str) -> PathBuf {
    let path = url.strip_prefix("file:").unwrap_or(url).replace("%20", " ");
    folder.join(path.strip_prefix("//").unwrap_or(&path))
}

/// The jars of `folder/*`, sorted.
fn jars_of(pattern: &Path) -> Vec<PathBuf> {
    let folder = pattern.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|it| it.eq_ignore_ascii_case("jar"));
    let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_jar).collect();
    jars.sort();
    jars
}

/// An attribute of the main section of a jar's manifest.
fn attribute(jar: &Path, name: &str) -> Option<String> {
    let opened = ClassPath::open(jar.to_str()?, u16::MAX).ok()?;
    let bytes = opened.entries().next()?.read(MANIFEST).ok()??;
    value_of(&String::from_utf8_lossy(&bytes), name)
}

/// Lines that begin with a space continue the previous line; the main section ends at the first empty line.
fn value_of(manifest: &str, name: &str) -> Option<String> {
    let text = manifest.replace("\r\n", "\n").replace('\r', "\n").replace("\n ", "");
    let line = text.lines().take_while(|line| !line.is_empty()).find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })?;
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::{jars_beside, other_places, value_of};
    use crate::ClassPath;
    use std::fs::{File, write};
    use std::io::Write;
    use std::path::Path;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn jar(path: &Path, class_path: &str) {
        let mut jar = ZipWriter::new(File::create(path).unwrap());
        jar.start_file("META-INF/MANIFEST.MF", SimpleFileOptions::default()).unwrap();
        let manifest = format!("Manifest-Version: 1.0\r\nClass-Path: {class_path}\r\n\r\n");
        jar.write_all(manifest.as_bytes()).unwrap();
        jar.finish().unwrap();
    }

    #[test]
    fn a_manifest_opens_archives_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        jar(&place("a.jar"), "b.jar secret secret.jar folder/ none.jar same.jar");
        jar(&place("b.jar"), "c.jar");
        jar(&place("c.jar"), "a.jar");
        write(place("secret"), "a secret").unwrap();
        write(place("secret.jar"), "a secret").unwrap();
        std::fs::create_dir(place("folder")).unwrap();
        assert_eq!(jars_beside(&[place("a.jar")]), [place("b.jar"), place("c.jar")]);
        let opened = ClassPath::open(place("a.jar").to_str().unwrap(), 17).unwrap();
        std::os::unix::fs::symlink("a.jar", place("same.jar")).unwrap();
        assert_eq!(other_places(&opened), [place("none.jar"), place("same.jar")]);
    }

    #[test]
    fn attributes_go_over_lines() {
        let text = "Manifest-Version: 1.0\r\nmain-class: org.x\r\n .Main\r\nClass-Path: a.jar\r\n  b.jar\r\n\r\nX: y\r\n";
        assert_eq!(value_of(text, "Main-Class").as_deref(), Some("org.x.Main"));
        assert_eq!(value_of(text, "Class-Path").as_deref(), Some("a.jar b.jar"));
        assert_eq!(value_of(text, "X"), None);
    }
}
