//! `cupping spec`: checks and formats specifications.

pub mod arguments;

use crate::process::console;
use crate::process::exit::Status;
use crate::shared::specifications::{files, results, test, text_of};
use crate::shared::{class_path, write};
use arguments::{Arguments, SpecCheckArgs, SpecCommand, SpecFormatArgs};
use cupping_classfile::Program;
use cupping_contract::SpecificationSource;
use cupping_report::files::Author;
use cupping_watch::CheckOptions;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let done = match &args.command {
        SpecCommand::Check(args) => check(args),
        SpecCommand::Format(args) => format(args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(Status::WRONG.code()),
        Err(message) => {
            console::diagnostic(&message);
            ExitCode::from(Status::BAD_INPUT.code())
        }
    }
}

fn check(args: &SpecCheckArgs) -> Result<bool, String> {
    let jdk = args.jdk.locate()?;
    let class_path = class_path::open(args.class_path.classpath.as_deref(), &jdk)?;
    let program = Arc::new(Program::new(jdk, class_path));
    let options = CheckOptions { tries: args.tries, seed: args.seed, ..CheckOptions::default() };
    let tested = test(&args.files, program, &options, args.jobs.threads())?;
    console::say(&results(&tested));
    Ok(tested.checked.passed())
}

fn format(args: &SpecFormatArgs) -> Result<bool, String> {
    let mut all = true;
    for path in files(&args.files)? {
        let text = text_of(&path)?;
        let source = SpecificationSource::new(&path.display().to_string(), &text);
        cupping_contract::read(&source).map_err(|diagnostic| diagnostic.to_string())?;
        let formatted = cupping_contract::format(&text);
        if formatted == text {
            continue;
        }
        if args.check {
            console::answer(&format!("{} is not formatted\n", path.display()));
            all = false;
        } else {
            write::file(&path, formatted.as_bytes(), "make it writable")?;
        }
    }
    Ok(all)
}
