//! Benchmark of interpretation: `bench_speed [--jdk HOME] [--rounds N] FOLDER [KERNEL…]`.
//!
//! Each kernel of the folder is a class with `run(int input, boolean live)`, which discards its input unless
//! `live`, and a `main` that prints `run(0, true)`. It runs under `java -Xint`, `java`, and this program in
//! three modes, each in its own process, in turn. The shortest time of all rounds counts, including the start
//! of the process. All runs must compute the same result.
//!
//! - *concrete*: `main`, without any symbol.
//! - *possible*: the input is a symbol that the kernel discards at once, and another one is in the heap: every
//!   frame and page that may have shadows is checked, and none is found.
//! - *live*: the input is a symbol that the kernel keeps in a local variable and compares now and then.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Exit, Machine, RunLimits, Trap, Value, shadow_of};
use cupping_term::Sort;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The ways in which the machine runs a kernel, and what is required of each (times `java -Xint`).
const MODES: [(&str, f64); 3] = [("concrete", 2.0), ("possible", 2.5), ("live", 3.0)];

struct Options {
    jdk: PathBuf,
    rounds: u32,
    mode: Option<String>,
    words: Vec<String>,
}

fn options() -> Option<Options> {
    let jdk = "/usr/lib/jvm/java-17-openjdk-amd64".into();
    let mut options = Options { jdk, rounds: 3, mode: None, words: Vec::new() };
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--jdk" => options.jdk = rest.next()?.into(),
            "--rounds" => options.rounds = rest.next()?.parse().ok()?,
            "--mode" => options.mode = Some(rest.next()?),
            _ => options.words.push(word),
        }
    }
    (!options.words.is_empty()).then_some(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options().ok_or("usage: bench_speed [--jdk HOME] [--rounds N] FOLDER [KERNEL...]")?;
    match &options.mode {
        Some(mode) => {
            println!("{}", kernel(&options, mode)?);
            Ok(())
        }
        None => compare(&options),
    }
}

/// Runs one kernel in this process; its result.
fn kernel(options: &Options, mode: &str) -> Result<String, Box<dyn Error>> {
    let [classes, name] = &options.words[..] else { return Err("--mode needs class path and kernel".into()) };
    let jdk = Jdk::open(&options.jdk)?;
    let class_path = ClassPath::open(classes, jdk.feature_version())?;
    let mut machine = Machine::boot(Arc::new(Program::new(jdk, class_path)), RunLimits::default())?;
    let result = prepare(&mut machine, name, mode).map_err(|trap| machine.describe_trap(&trap))?;
    match result {
        Exit::Returned(value) => Ok(value.as_int().to_string()),
        other => Err(format!("{name} ended with {other:?}").into()),
    }
}

fn prepare(machine: &mut Machine, name: &str, mode: &str) -> Result<Exit, Trap> {
    let class = machine.initialize_now(name)?;
    let run = machine
        .find_method(class, "run", "(IZ)I")
        .ok_or_else(|| Trap::Missing(format!("{name}.run(int, boolean)")))?;
    let mut input = Value::int(0);
    if mode != "concrete" {
        let term = machine.terms_mut().new_variable("input", Sort::Bv32);
        input.shadow = shadow_of(term);
        let array = machine.load("[I")?;
        let array = machine.new_array(array, 1)?;
        machine.set_heap_shadow(cupping_machine::element_byte(array, 0, 4), 4, shadow_of(term));
    }
    machine.enter(run, &[input, Value::boolean(mode != "possible")])?;
    loop {
        match machine.run() {
            // The side of the concrete values is taken.
            Exit::Decision(_) => {}
            other => return Ok(other),
        }
    }
}

fn compare(options: &Options) -> Result<(), Box<dyn Error>> {
    let sources = Path::new(&options.words[0]);
    let jdk = Jdk::open(&options.jdk)?;
    let classes = std::env::temp_dir().join(format!("cupping-kernels-{}", std::process::id()));
    let kernels = compile(&jdk, sources, &options.words[1..], &classes)?;
    println!(
        "kernel             java -Xint       java   concrete  ratio   possible  ratio       live  ratio"
    );
    let mut logarithms = [0.0; MODES.len()];
    let mut beside_java = 0.0;
    for kernel in &kernels {
        let mut java = Command::new(jdk.java_binary());
        java.arg("-Xint").arg("-cp").arg(&classes).arg(kernel);
        let mut compiled = Command::new(jdk.java_binary());
        compiled.arg("-cp").arg(&classes).arg(kernel);
        let mut commands = vec![java, compiled];
        for (mode, _) in MODES {
            let mut ours = Command::new(std::env::current_exe()?);
            ours.arg("--jdk").arg(&options.jdk).args(["--mode", mode]).arg(&classes).arg(kernel);
            commands.push(ours);
        }
        let times = in_turn(&mut commands, options.rounds).map_err(|error| format!("{kernel}: {error}"))?;
        let mut row = format!("{kernel:<18} {:>10} {:>10}", milliseconds(times[0]), milliseconds(times[1]));
        beside_java += (times[2].as_secs_f64() / times[1].as_secs_f64()).ln();
        for (sum, time) in logarithms.iter_mut().zip(&times[2..]) {
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            *sum += ratio.ln();
            row += &format!(" {:>10} {ratio:>6.2}", milliseconds(*time));
        }
        println!("{row}");
    }
    for ((mode, required), sum) in MODES.iter().zip(logarithms) {
        let mean = (sum / kernels.len() as f64).exp();
        println!("{mode:<18} geometric mean {mean:.2} x java -Xint (required: {required:.1})");
    }
    let mean = (beside_java / kernels.len() as f64).exp();
    println!("concrete           geometric mean {mean:.2} x java");
    std::fs::remove_dir_all(&classes)?;
    Ok(())
}

/// Compiles the kernels; their names in order.
fn compile(jdk: &Jdk, folder: &Path, wanted: &[String], to: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let chosen = wanted.is_empty() || wanted.contains(&name);
        if path.extension().is_some_and(|extension| extension == "java") && chosen {
            names.push(name);
        }
    }
    names.sort();
    let files = names.iter().map(|name| folder.join(format!("{name}.java")));
    let status = Command::new(jdk.javac_binary()).arg("-d").arg(to).args(files).status()?;
    if names.is_empty() || !status.success() {
        return Err(format!("{}: no kernels that compile", folder.display()).into());
    }
    Ok(names)
}

/// The shortest time of each command; all must print the same.
fn in_turn(commands: &mut [Command], rounds: u32) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut best = vec![Duration::MAX; commands.len()];
    let mut printed = None;
    for _ in 0..rounds.max(1) {
        for (best, command) in best.iter_mut().zip(commands.iter_mut()) {
            let start = Instant::now();
            let output = command.output()?;
            *best = start.elapsed().min(*best);
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into());
            }
            if *printed.get_or_insert_with(|| output.stdout.clone()) != output.stdout {
                return Err(format!("{command:?} computed something else").into());
            }
        }
    }
    Ok(best)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}
