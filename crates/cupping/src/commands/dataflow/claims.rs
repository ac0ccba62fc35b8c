//! Claims about loops and methods (`--invariant`, `--contract`): compiled, with the resulting classes on the class
//! path.

use super::arguments::Arguments;
use crate::shared::selection::Selection;
use crate::shared::specifications;
use cupping_classfile::Program;
use cupping_dataflow::claims::Claims;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The claims of a command line.
pub struct CommandClaims {
    /// Compiled.
    pub claims: Arc<Claims>,
    /// The program with the classes that were made.
    pub program: Arc<Program>,
    /// The folder of these classes; it exists as long as this value.
    pub _folder: Option<tempfile::TempDir>,
}

impl CommandClaims {
    /// Reads and compiles the claims about the classes.
    ///
    /// # Errors
    ///
    /// The first invalid claim.
    pub fn of(
        args: &Arguments,
        program: &Arc<Program>,
        selection: &Selection,
    ) -> Result<CommandClaims, String> {
        let specifications =
            if args.contracts.is_empty() { Vec::new() } else { specifications::read(&args.contracts)? };
        let classes = selection.classes.iter().filter(|c| c.error.is_none());
        let classes: Vec<&str> = classes.map(|c| c.name.as_str()).collect();
        let claims = Claims::compile(program, &classes, &args.invariants, specifications)?;
        let (mut program, mut folder) = (Arc::clone(program), None);
        if !claims.classes.is_empty() {
            let made = tempfile::tempdir()
                .map_err(|error| format!("cannot create a folder for conditions: {error}"))?;
            write(made.path(), &claims)
                .map_err(|error| format!("cannot write conditions to {}: {error}", made.path().display()))?;
            program = Arc::new(with(&program, made.path())?);
            folder = Some(made);
        }
        Ok(CommandClaims { claims: Arc::new(claims), program, _folder: folder })
    }
}

fn write(folder: &Path, claims: &Claims) -> std::io::Result<()> {
    for (name, bytes) in &claims.classes {
        let file = folder.join(format!("{name}.class"));
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, bytes)?;
    }
    Ok(())
}

/// A program with one more folder of classes.
fn with(program: &Program, folder: &Path) -> Result<Program, String> {
    let jdk = program.jdk().clone();
    let version = jdk.feature_version();
    let mut class_path = program.class_path().clone();
    class_path.push(folder, version).map_err(|error| error.to_string())?;
    Ok(Program::new(jdk, class_path).with_assertions(program.has_assertions()))
}
