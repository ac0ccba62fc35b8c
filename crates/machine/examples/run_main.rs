//! Runs the `main` method of a class on the machine, as `java` would: `run_main [--jdk HOME] [--time] CLASSPATH MAIN
//! [ARGUMENT…]`. Prints what the program printed, then how it ended.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Exit, Machine, RunLimits, Value};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const DEFAULT_JDK: &str = "/usr/lib/jvm/java-17-openjdk-amd64";

struct Options {
    jdk: PathBuf,
    time: bool,
    class_path: String,
    main: String,
    arguments: Vec<String>,
}

fn options() -> Option<Options> {
    let mut jdk = PathBuf::from(DEFAULT_JDK);
    let mut time = false;
    let mut words = Vec::new();
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--jdk" => jdk = rest.next()?.into(),
            "--time" => time = true,
            _ => words.push(word),
        }
    }
    let mut words = words.into_iter();
    let (class_path, main) = (words.next()?, words.next()?);
    Some(Options { jdk, time, class_path, main, arguments: words.collect() })
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: run_main [--jdk HOME] [--time] CLASSPATH MAIN [ARGUMENT...]");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let start = Instant::now();
    let jdk = Jdk::open(&options.jdk).map_err(|e| e.to_string())?;
    let class_path =
        ClassPath::open(&options.class_path, jdk.feature_version()).map_err(|e| e.to_string())?;
    let mut machine = Machine::boot(Arc::new(Program::new(jdk, class_path)), RunLimits::default())
        .map_err(|e| e.to_string())?;
    if options.time {
        eprintln!("booted in {:?}, {} classes", start.elapsed(), machine.classes().len());
    }
    let start = Instant::now();
    let exit = invoke_main(&mut machine, options)?;
    for (descriptor, bytes) in machine.registers().cold.output.iter() {
        let written = match descriptor {
            1 => std::io::stdout().write_all(bytes),
            _ => std::io::stderr().write_all(bytes),
        };
        written.map_err(|e| e.to_string())?;
    }
    if options.time {
        eprintln!("ran in {:?}, {} words used", start.elapsed(), machine.memory().used());
    }
    for native in machine.missing_natives() {
        eprintln!("missing native: {native}");
    }
    Ok(match exit {
        Exit::Returned(_) => ExitCode::SUCCESS,
        Exit::Threw(exception) => {
            eprintln!("Exception in thread \"main\" {}", machine.describe_throwable(exception));
            ExitCode::FAILURE
        }
        other => {
            eprintln!("{other:?}");
            for frame in machine.registers().frames.iter().rev().take(20) {
                eprintln!("    in {}", machine.method_name(frame.code.method));
            }
            ExitCode::FAILURE
        }
    })
}

fn invoke_main(machine: &mut Machine, options: &Options) -> Result<Exit, String> {
    let arguments = machine.initialize_now(&options.main.replace('.', "/"));
    let class = match arguments {
        Ok(class) => class,
        Err(trap) => return Err(machine.describe_trap(&trap)),
    };
    let main = machine
        .find_method(class, "main", "([Ljava/lang/String;)V")
        .ok_or_else(|| format!("{} has no main(String[])", options.main))?;
    let prepared =
        prepare(machine, options).and_then(|array| machine.enter(main, &[Value::reference(array)]));
    match prepared {
        Ok(()) => Ok(match machine.run() {
            Exit::Returned(_) => machine.run_threads(),
            other => other,
        }),
        Err(trap) => Err(machine.describe_trap(&trap)),
    }
}

fn prepare(machine: &mut Machine, options: &Options) -> Result<u32, cupping_machine::Trap> {
    let class = machine.load("[Ljava/lang/String;")?;
    let array = machine.new_array(class, options.arguments.len() as u32)?;
    for (index, argument) in options.arguments.iter().enumerate() {
        let text = machine.new_text(argument)?;
        machine.set_element_ref(array, index as u32, text);
    }
    Ok(array)
}
