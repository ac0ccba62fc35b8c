//! A folder without a build tool: sources and classes in the usual places.

use crate::maven::{last_lines, scratch};
use crate::usual_folders::CLASSES;
use crate::{Builder, Module, ProjectError, freshness, record};
use cupping_classfile::manifest::jars_beside;
use cupping_confine::JdkTool;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Source folders, each with the corresponding folder of tests.
const SOURCES: [(&str, &str); 3] = [("src/main/java", "src/test/java"), ("src", "test"), ("source", "test")];
/// Folders of jars.
const LIBRARIES: [&str; 2] = ["lib", "libs"];
/// Folders below that are looked at.
const DEPTH: usize = 40;

/// Whether a folder has sources in a usual place.
pub(crate) fn is_project(folder: &Path) -> bool {
    sources(folder).is_some()
}

fn sources(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let places = SOURCES.iter().map(|(main, test)| (folder.join(main), folder.join(test)));
    places.into_iter().find(|(main, _)| freshness::newest(main, &["java"], DEPTH).is_some())
}

/// The one module of the folder. Classes that are missing or older than the sources are compiled into the cache.
pub(crate) fn modules(root: &Path, builder: Builder<'_>) -> Result<Vec<Module>, ProjectError> {
    let Some((source, tests)) = sources(root) else { return Ok(Vec::new()) };
    let jars = LIBRARIES.iter().flat_map(|name| files(&root.join(name), "jar"));
    let mut module = Module {
        name: root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        root: root.to_owned(),
        sources: vec![source.clone()],
        test_sources: vec![tests],
        class_path: jars.collect(),
        ..Module::default()
    };
    let known = CLASSES.iter().map(|name| root.join(name));
    let mut known = known.filter(|it| freshness::newest(it, &["class"], DEPTH).is_some());
    let own = builder.cache.join("projects").join(record::hex(root.to_string_lossy().as_bytes()));
    module.classes = vec![known.next().unwrap_or_else(|| own.clone())];
    if freshness::is_stale(&module) && builder.may_build {
        compile(root, &source, &own, &module.class_path, builder)?;
        module.classes = vec![own];
    }
    module.class_path.splice(0..0, module.classes.clone());
    Ok(vec![module])
}

fn compile(
    root: &Path,
    source: &Path,
    classes: &Path,
    class_path: &[PathBuf],
    builder: Builder<'_>,
) -> Result<(), ProjectError> {
    (builder.note)("javac compiles the sources");
    let failed = |output: String| ProjectError::Sources { root: root.to_owned(), output };
    let scratch = scratch()?;
    let made = scratch.path().join("classes");
    let list = scratch.path().join("sources");
    // javac reads the names of files from a file, each in quotes.
    let names: Vec<String> = files(source, "java")
        .iter()
        .map(|file| format!("\"{}\"", file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    fs::create_dir_all(&made)
        .and_then(|()| fs::write(&list, names.join("\n")))
        .map_err(|source| ProjectError::File { path: list.clone(), source })?;
    let mut argument = std::ffi::OsString::from("@");
    argument.push(&list);
    let options: [&OsStr; 7] = [
        "-g".as_ref(),
        "-proc:none".as_ref(),
        "-encoding".as_ref(),
        "UTF-8".as_ref(),
        "-d".as_ref(),
        made.as_os_str(),
        &argument,
    ];
    let readable = [vec![source.to_owned()], jars_beside(class_path)].concat();
    let run = JdkTool::javac(builder.jdk, scratch.path(), class_path, readable)
        .and_then(|javac| javac.args(options).run())
        .map_err(|error| failed(error.to_string()))?;
    if !run.status.success() {
        return Err(failed(last_lines(&run.stderr)));
    }
    let moved = fs::create_dir_all(classes.parent().unwrap_or(classes)).and_then(|()| {
        let _ = fs::remove_dir_all(classes);
        copy(&made, classes)
    });
    moved.map_err(|source| ProjectError::File { path: classes.to_owned(), source })
}

/// The files with an extension in and below a folder, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((at, depth)) = waiting.pop() {
        for path in fs::read_dir(&at).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() && depth < DEPTH && !path.is_symlink() {
                waiting.push((path, depth + 1));
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?
        } else {
            fs::copy(entry.path(), target).map(drop)?
        }
    }
    Ok(())
}
