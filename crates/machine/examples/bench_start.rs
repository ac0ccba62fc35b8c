//! Benchmark of the start: `bench_start [--jdk HOME] SOURCE CUPPING`, where SOURCE is a program without input
//! and CUPPING the command. Runs whole processes in turn, first `java`, then `cupping run`; reports minimum and
//! median time, and maximum memory.

use cupping_classfile::Jdk;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut home = PathBuf::from("/usr/lib/jvm/java-17-openjdk-amd64");
    if words.first().is_some_and(|word| word == "--jdk") && words.len() > 1 {
        home = words.remove(1).into();
        words.remove(0);
    }
    let [source, cupping] = &words[..] else {
        return Err("usage: bench_start [--jdk HOME] SOURCE CUPPING".into());
    };
    let jdk = Jdk::open(&home)?;
    let classes = std::env::temp_dir().join(format!("cupping-start-{}", std::process::id()));
    let status = Command::new(jdk.javac_binary()).arg("-d").arg(&classes).arg(source).status()?;
    if !status.success() {
        return Err(format!("{source} does not compile").into());
    }
    let name = Path::new(source).file_stem().unwrap_or_default().to_owned();
    let mut java = Command::new(jdk.java_binary());
    java.arg("-cp").arg(&classes).arg(&name);
    let mut ours = Command::new(cupping);
    ours.arg("run").arg("--jdk").arg(&home).arg("-cp").arg(&classes).arg(&name);
    let mut times = [Vec::new(), Vec::new()];
    let mut printed = Vec::new();
    for _ in 0..RUNS {
        for (command, times) in [&mut java, &mut ours].into_iter().zip(&mut times) {
            let start = Instant::now();
            let output = command.output()?;
            times.push(start.elapsed());
            printed.push(output.stdout);
        }
    }
    if printed.iter().any(|text| *text != printed[0]) {
        return Err("java and cupping print different things".into());
    }
    let commands = [("java", &mut java), ("cupping run", &mut ours)];
    for ((name, command), times) in commands.into_iter().zip(&mut times) {
        times.sort();
        let (least, median) = (times[0], times[RUNS / 2]);
        println!(
            "start: {name:<17} {least:>10.1?}   median {median:.1?}, {} MiB",
            most_memory(command)? / 1024
        );
    }
    std::fs::remove_dir_all(&classes)?;
    Ok(())
}

/// The maximum memory of the command in KiB, as seen by polling.
fn most_memory(command: &mut Command) -> Result<usize, Box<dyn Error>> {
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        most = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0).max(most);
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(most)
}
