//! Maven: an event spy describes each module at the end of its build (`maven/ProjectSpy.java`).

use crate::{Builder, Module, ProjectError, Tool, answer, record};
use cupping_confine::{BuildTool, JdkTool};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The listener.
const SPY: &str = include_str!("maven/ProjectSpy.java");
/// Maven finds components of extensions by this index.
const INDEX: &str = "META-INF/sisu/javax.inject.Named";
/// Maven 3.9 runs on Java 8, Maven 4 on 17; in practice, 11 is the minimum.
const RELEASE: &str = "11";
/// Lines of a failed build that are shown.
const MOST_LINES: usize = 30;

/// The root of the build that a folder with a POM belongs to: the topmost folder from which lists of modules lead
/// here.
pub(crate) fn root(folder: &Path) -> PathBuf {
    let mut root = folder.to_owned();
    for above in folder.ancestors().skip(1) {
        let Ok(text) = fs::read_to_string(above.join("pom.xml")) else { continue };
        if modules_of(&text).iter().any(|module| is_folder(&above.join(module), &root)) {
            root = above.to_owned();
        }
    }
    root
}

/// Whether a module, given by its folder or its POM, is in this folder.
fn is_folder(module: &Path, folder: &Path) -> bool {
    let of = if module.is_file() { module.parent().map(Path::to_owned) } else { Some(module.to_owned()) };
    of.and_then(|it| it.canonicalize().ok()).is_some_and(|it| it == folder)
}

/// The modules that a POM lists, including those of profiles.
fn modules_of(pom: &str) -> Vec<String> {
    let Ok(document) = roxmltree::Document::parse(pom) else { return Vec::new() };
    let modules = document.descendants().filter(|node| node.tag_name().name() == "module");
    modules.filter_map(|node| Some(node.text()?.trim().to_owned())).collect()
}

/// Compiles the build, and returns its description of the modules.
pub(crate) fn modules(root: &Path, builder: Builder<'_>) -> Result<Vec<Module>, ProjectError> {
    let program = program(root);
    let failed = |source| ProjectError::NoTool { tool: Tool::Maven, root: root.to_owned(), source };
    (builder.note)("Maven compiles the project and describes it");
    let told =
        BuildTool::new(&program, root).args(["-B", "-v", "-Dstyle.color=never"]).run().map_err(failed)?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let home = told.lines().find_map(|line| line.split_once("Maven home: ")).map(|(_, home)| plain(home));
    let home = home.ok_or_else(|| ProjectError::Listener {
        reason: format!("`{} -v` does not report where Maven is", program.display()),
    })?;
    let spy = spy(Path::new(home.trim()), builder)?;
    let scratch = scratch()?;
    let build = |name: &str, more: &[&str]| {
        let file = scratch.path().join(name);
        let run = BuildTool::new(&program, root)
            .args(["-B", "-q", "-Dstyle.color=never", "test-compile"])
            .args([
                format!("-Dmaven.ext.class.path={}", spy.display()),
                format!("-Dcupping.answer={}", file.display()),
            ])
            .args(more)
            .run()
            .map_err(failed)?;
        let output = [run.stdout, run.stderr].concat();
        Ok::<_, ProjectError>((run.status.success(), output, fs::read_to_string(&file).unwrap_or_default()))
    };
    let (mut succeeded, output, mut answer) = build("answer", &[])?;
    // If tests do not compile, for instance generated ones, the modules are still useful.
    if !succeeded && String::from_utf8_lossy(&output).contains(":testCompile") {
        (succeeded, _, answer) = build("answer-without-tests", &["-Dmaven.test.skip=true"])?;
        if succeeded {
            (builder.warn)(&tests_do_not_compile(&output));
        }
    }
    if !succeeded {
        let command = format!("{} test-compile", program.display());
        return Err(ProjectError::Build { command, root: root.to_owned(), output: last_lines(&output) });
    }
    Ok(answer::modules(&answer))
}

/// The warning if a build succeeds without its tests.
pub(crate) fn tests_do_not_compile(output: &[u8]) -> String {
    let text = plain(&String::from_utf8_lossy(output));
    let error = text.lines().find(|line| line.contains(".java:")).unwrap_or_default();
    format!("the tests of the project do not compile, so their old classes are used: {}", error.trim())
}

/// The wrapper of the project, or else Maven on the path.
fn program(root: &Path) -> PathBuf {
    let wrapper = root.join(if cfg!(windows) { "mvnw.cmd" } else { "mvnw" });
    if wrapper.is_file() { wrapper } else { PathBuf::from(if cfg!(windows) { "mvn.cmd" } else { "mvn" }) }
}

/// The jar with the listener, compiled once against this Maven.
fn spy(maven: &Path, builder: Builder<'_>) -> Result<PathBuf, ProjectError> {
    let failed = |reason: String| ProjectError::Listener { reason };
    let library = maven.join("lib");
    let mut jars: Vec<PathBuf> = fs::read_dir(&library)
        .map_err(|source| ProjectError::File { path: library.clone(), source })?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "jar"))
        .collect();
    jars.sort();
    let key = record::hex(format!("{SPY}{}", maven.display()).as_bytes());
    let jar = builder.cache.join("projects").join(format!("maven-{key}.jar"));
    if jar.is_file() {
        return Ok(jar);
    }
    let scratch = scratch()?;
    let (source, classes) = (scratch.path().join("ProjectSpy.java"), scratch.path().join("classes"));
    let index = classes.join(INDEX);
    let written = fs::create_dir_all(index.parent().unwrap_or(&classes))
        .and_then(|()| fs::write(&source, SPY))
        .and_then(|()| fs::write(&index, "cupping.ProjectSpy\n"))
        .and_then(|()| fs::create_dir_all(builder.cache.join("projects")));
    written.map_err(|source| ProjectError::File { path: scratch.path().into(), source })?;
    let run = |tool: Result<JdkTool, _>, args: &[&std::ffi::OsStr]| {
        let output =
            tool.and_then(|tool| tool.args(args).run()).map_err(|error| failed(error.to_string()))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(failed(last_lines(&[output.stdout, output.stderr].concat()))),
        }
    };
    // Manifests name jars next to the real files, which are links on Debian; javac opens those too.
    let folders = jars.iter().filter_map(|jar| Some(jar.canonicalize().ok()?.parent()?.to_owned()));
    let beside: BTreeSet<PathBuf> = folders.collect();
    let javac = JdkTool::javac(builder.jdk, scratch.path(), &jars, beside.into_iter().collect());
    run(
        javac,
        &[
            "--release".as_ref(),
            RELEASE.as_ref(),
            "-proc:none".as_ref(),
            "-d".as_ref(),
            classes.as_os_str(),
            source.as_os_str(),
        ],
    )?;
    let part = scratch.path().join("spy.jar");
    let packed = JdkTool::jar(builder.jdk, scratch.path());
    run(packed, &["cf".as_ref(), part.as_os_str(), "-C".as_ref(), classes.as_os_str(), ".".as_ref()])?;
    // Copied under a temporary name first, so that another process never loads a partial file.
    let near = jar.with_extension(format!("{}.part", std::process::id()));
    let kept = fs::copy(&part, &near).and_then(|_| fs::rename(&near, &jar));
    kept.map_err(|source| ProjectError::File { path: jar.clone(), source })?;
    Ok(jar)
}

/// An empty folder that goes when it is dropped.
pub(crate) fn scratch() -> Result<tempfile::TempDir, ProjectError> {
    let failed = |source| ProjectError::File { path: std::env::temp_dir(), source };
    tempfile::Builder::new().prefix("cupping-project-").tempdir().map_err(failed)
}

/// The end of what a tool printed, without colours.
pub(crate) fn last_lines(output: &[u8]) -> String {
    let text = plain(&String::from_utf8_lossy(output));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MOST_LINES)..].join("\n")
}

/// A text without escape sequences of a terminal.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // `ESC [ … letter`.
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out() {
        assert_eq!(plain("\u{1b}[1mMaven home: /m\u{1b}[m"), "Maven home: /m");
        assert_eq!(last_lines(b"a\n\n\x1b[31mb\n"), "a\nb");
    }

    #[test]
    fn modules_are_listed() {
        let pom = "<project xmlns='x'><modules> <module>a</module><module> b/c </module></modules></project>";
        assert_eq!(modules_of(pom), ["a", "b/c"]);
        assert!(modules_of("<project").is_empty());
    }
}
