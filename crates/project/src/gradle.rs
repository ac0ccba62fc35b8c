//! Gradle: an init script adds a task that describes each module (`gradle/model.gradle`).

use crate::maven::{last_lines, scratch, tests_do_not_compile};
use crate::{Builder, Module, ProjectError, Tool, answer};
use cupping_confine::BuildTool;
use std::fs;
use std::path::{Path, PathBuf};

/// The init script.
const SCRIPT: &str = include_str!("gradle/model.gradle");

/// Compiles the build, and returns its description of the modules.
pub(crate) fn modules(root: &Path, builder: Builder<'_>) -> Result<Vec<Module>, ProjectError> {
    let wrapper = root.join(if cfg!(windows) { "gradlew.bat" } else { "gradlew" });
    let program = if wrapper.is_file() { wrapper } else { PathBuf::from("gradle") };
    let scratch = scratch()?;
    let (script, file) = (scratch.path().join("model.gradle"), scratch.path().join("answer"));
    fs::write(&script, SCRIPT).map_err(|source| ProjectError::File { path: script.clone(), source })?;
    (builder.note)("Gradle compiles the project and describes it");
    let build = |more: &[&str]| {
        let run = BuildTool::new(&program, root)
            .args(["-q".as_ref(), "--console=plain".as_ref(), "-I".as_ref(), script.as_os_str()])
            .args([format!("-Dcupping.answer={}", file.display()), "cuppingModel".into()])
            .args(more)
            .run()
            .map_err(|source| ProjectError::NoTool { tool: Tool::Gradle, root: root.to_owned(), source })?;
        let output = [run.stdout, run.stderr].concat();
        let answer = fs::read_to_string(&file).unwrap_or_default();
        // The script appends to it.
        let _ = fs::remove_file(&file);
        Ok::<_, ProjectError>((run.status.success(), output, answer))
    };
    let (mut succeeded, output, mut answer) = build(&[])?;
    if !succeeded && String::from_utf8_lossy(&output).contains("compileTest") {
        (succeeded, _, answer) = build(&["-Dcupping.tests=none"])?;
        if succeeded {
            (builder.warn)(&tests_do_not_compile(&output));
        }
    }
    if !succeeded {
        let command = format!("{} testClasses", program.display());
        return Err(ProjectError::Build { command, root: root.to_owned(), output: last_lines(&output) });
    }
    Ok(answer::modules(&answer))
}
