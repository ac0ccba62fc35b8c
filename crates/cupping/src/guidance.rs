//! What the user gives `generate` to go by: a setup, and existing tests.

use crate::args::GenerateArgs;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::Guidance;

/// Reads what `--setup` and `--suite` name. What cannot be read is an error, and the rest is used.
pub fn read(args: &GenerateArgs, jdk: &Jdk) -> (Guidance, Vec<String>) {
    let mut guidance = Guidance::default();
    let mut errors = Vec::new();
    for setup in &args.setup {
        match setup.rsplit_once('.') {
            Some((class, method)) => guidance.set_up(&class.replace('.', "/"), method),
            None => {
                errors.push(format!("--setup {setup}: write it as CLASS.METHOD, as app.Fixtures.newTill"))
            }
        }
    }
    for suite in &args.suite {
        if let Err(error) = read_suite(suite, jdk, &mut guidance) {
            errors.push(format!("--suite {error}"));
        }
    }
    (guidance, errors)
}

fn read_suite(
    suite: &str,
    jdk: &Jdk,
    guidance: &mut Guidance,
) -> Result<(), cupping_classfile::ClassFileError> {
    let class_path = ClassPath::open(suite, jdk.feature_version())?;
    let program = Program::new(jdk.clone(), class_path);
    for entry in program.class_path().entries() {
        for name in entry.class_names()? {
            guidance.read(&*program.require(&name)?);
        }
    }
    Ok(())
}
