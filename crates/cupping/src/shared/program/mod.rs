//! A Java program on the machine, run as by `java`.
//!
//! Standard output and error are passed on as the program writes them. Cupping's own messages come at the end, on
//! standard error, and only if there are any: missing natives, an exceeded limit.

pub mod arguments;
mod exchange;

use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::panics;
use crate::shared::class_path;
use arguments::ProgramArgs;
use cupping_classfile::{Program, manifest};
use cupping_machine::{Compile, Halt, Machine, ProgramEnd, RunLimits, WorldOptions};
use std::io::{self, Write};
use std::sync::Arc;

/// Exit code of a program that was stopped at the limit of its steps (as for `timeout`).
const OUT_OF_STEPS: u8 = 124;
/// All threads wait for each other.
const DEADLOCK: u8 = 125;
/// The machine lacks something.
pub const UNSUPPORTED: u8 = 126;
/// Number of bytes of stack that a frame counts as: what HotSpot's interpreter takes for a small method.
const BYTES_OF_FRAME: u64 = 112;
/// Number of lines shown of the stack of a program that was stopped.
const TRACE_LINES: usize = 24;

/// Runs the program to its end, reports notable events, and copies out its files; returns the exit code.
pub fn launch(args: &ProgramArgs, machine: &mut Machine, main_class: &str, arguments: &[String]) -> u8 {
    // A panic is contained: all that the program can do is to end the run.
    let ending = match panics::catch(|| machine.launch(main_class, arguments)) {
        Ok(ending) => ending,
        Err(message) => {
            note(&format!("stopped by an internal error: {message}; please report it, with the program"));
            return UNSUPPORTED;
        }
    };
    let code = conclude(args, machine, &ending);
    let copied = pairs(&args.out, "--out", "PATH=HOST").and_then(|pairs| exchange::copy_out(machine, &pairs));
    match copied {
        Ok(()) => code,
        Err(message) => {
            console::error(&message);
            Status::BAD_INPUT.code()
        }
    }
}

/// The booted machine, the main class and the program's arguments.
pub fn start(args: &ProgramArgs) -> Result<(Machine, String, Vec<String>), String> {
    let jdk = args.jdk.locate()?;
    let (named, main_class, arguments) = what_to_run(args)?;
    let class_path = named.clone().unwrap_or_else(|| ".".into());
    // Report errors before the run rather than after it.
    pairs(&args.out, "--out", "PATH=HOST")?;
    let program = Arc::new(Program::new(jdk.clone(), class_path::open(named.as_deref(), &jdk)?));
    let options = WorldOptions {
        properties: args.properties.iter().map(|it| name_and_value(it)).collect(),
        environment: pairs(&args.environment, "--env", "NAME=VALUE")?,
        class_path,
        files: exchange::copied_in(&pairs(&args.files, "--file", "HOST=PATH")?)?,
        seed: args.seed,
        start_millis: args.time,
        assertions: args.enable_assertions,
        abrupt_exit: false,
    };
    let (schedule, schedule_seed) = args.schedule();
    let limits = RunLimits {
        heap_words: u32::try_from(args.heap / 8).unwrap_or(u32::MAX),
        frames: usize::try_from(args.stack / BYTES_OF_FRAME).unwrap_or(usize::MAX),
        threads: args.threads.map_or(RunLimits::default().threads, usize::from),
        schedule,
        schedule_seed,
        compile: if args.no_compile { Compile::Never } else { Compile::Hot },
        ..RunLimits::default()
    };
    let mut machine = Machine::boot_with(program, limits, options).map_err(|error| error.to_string())?;
    machine.console().set_sink(|descriptor, bytes| {
        // If the reader of the output is gone, the program continues.
        let _ = match descriptor {
            1 => io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().flush()),
            _ => io::stderr().lock().write_all(bytes),
        };
    });
    if args.stdin {
        machine.console().set_source(io::stdin());
    }
    if let Some(steps) = args.max_steps {
        machine.set_fuel(steps);
    }
    Ok((machine, main_class, arguments))
}

/// Class path, if one is named, main class and arguments.
fn what_to_run(args: &ProgramArgs) -> Result<(Option<String>, String, Vec<String>), String> {
    let mut words = args.words.iter().cloned();
    match &args.jar {
        Some(jar) => {
            let main_class = manifest::main_class(jar)?;
            Ok((Some(jar.display().to_string()), main_class, words.collect()))
        }
        None => {
            let main_class = words.next().ok_or("no class is named; write `cupping run -cp PATH MAIN`")?;
            Ok((args.class_path.classpath.clone(), main_class, words.collect()))
        }
    }
}

/// `NAME=VALUE`; a name alone has an empty value.
pub fn name_and_value(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.to_owned(), value.to_owned())
}

/// Pairs that an option gives.
fn pairs(texts: &[String], option: &str, form: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("{option} {text}: write it as {form}")),
    };
    texts.iter().map(pair).collect()
}

/// Says what is notable and gives the exit code.
fn conclude(args: &ProgramArgs, machine: &mut Machine, ending: &ProgramEnd) -> u8 {
    let code = match ending {
        ProgramEnd::Exited(code) => *code as u8,
        ProgramEnd::Stopped(halt) => stopped(args, machine, halt),
    };
    let missing: Vec<&str> = machine.missing_natives().iter().map(String::as_str).collect();
    if !missing.is_empty() {
        note(&format!(
            "the program called native methods that the machine lacks; they threw UnsatisfiedLinkError:\n    {}",
            missing.join("\n    ")
        ));
    }
    code
}

fn stopped(args: &ProgramArgs, machine: &mut Machine, halt: &Halt) -> u8 {
    match halt {
        Halt::OutOfFuel if interrupted() => {
            note(&format!("interrupted; it was at\n{}", trace(machine)));
            Status::INTERRUPTED.code()
        }
        Halt::OutOfFuel => {
            let steps = args.max_steps.map_or(String::new(), |steps| format!(" of {steps} (--max-steps)"));
            note(&format!("stopped at the limit of steps{steps}; it was at\n{}", trace(machine)));
            OUT_OF_STEPS
        }
        Halt::Deadlock(report) => {
            note(&format!("stopped, because no thread can run\n{report}"));
            DEADLOCK
        }
        Halt::Unsupported(what) => {
            note(&format!(
                "stopped, because the machine does not support {what}; it was at\n{}",
                trace(machine)
            ));
            UNSUPPORTED
        }
        Halt::Arrived(place) => {
            note(&format!("stopped at place {place}"));
            UNSUPPORTED
        }
        Halt::Exit(code) => *code as u8,
    }
}

/// The stack of the running thread, innermost first, as `jstack` prints it.
fn trace(machine: &mut Machine) -> String {
    let mut text = String::new();
    for line in machine.running_stack().into_iter().take(TRACE_LINES) {
        text += &format!("    at {line}\n");
    }
    text.trim_end().to_owned()
}

fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "cupping: {text}");
}
