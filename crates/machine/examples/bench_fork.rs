//! Benchmark of forking: `bench_fork [--jdk HOME]`. Times are means of many repetitions.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Machine, RunLimits, Snapshot};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip_while(|a| a != "--jdk").skip(1);
    let home = arguments.next().unwrap_or_else(|| "/usr/lib/jvm/java-17-openjdk-amd64".into());
    let jdk = Jdk::open(Path::new(&home))?;
    let class_path = ClassPath::open("", jdk.feature_version())?;
    let start = Instant::now();
    let mut machine = Machine::boot(Arc::new(Program::new(jdk, class_path)), RunLimits::default())?;
    println!(
        "boot                     {:>10.1?}   {} classes, {} KiB of heap",
        start.elapsed(),
        machine.classes().len(),
        machine.memory().used() as usize * 8 / 1024
    );
    fork_costs(&mut machine)?;
    live_forks(&mut machine)?;
    million_objects(&mut machine)
}

/// The mean time of one of many runs.
fn mean(count: u32, mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        run();
    }
    start.elapsed() / count
}

fn fork_costs(machine: &mut Machine) -> Result<(), Box<dyn std::error::Error>> {
    let base = machine.snapshot();
    let time = mean(200_000, || {
        let state = machine.snapshot();
        machine.restore(&base);
        drop(state);
    });
    println!("snapshot and discard     {time:>10.1?}   (goal: 5 µs)");
    let words = array(machine)?;
    let base = machine.snapshot();
    let time = mean(100_000, || {
        for page in 0..10 {
            machine.write_word(words + page * 64, 7);
        }
        machine.restore(&base);
    });
    println!("10 writes and undo       {time:>10.1?}   on ten pages");
    let time = mean(100_000, || {
        for page in 0..10 {
            machine.write_word(words + page * 64, 7);
        }
        let state = machine.snapshot();
        machine.restore(&base);
        drop(state);
    });
    println!("10 writes, fork, leave   {time:>10.1?}   on ten pages");
    Ok(())
}

fn array(machine: &mut Machine) -> Result<u32, Box<dyn std::error::Error>> {
    let class = machine.load("[J").map_err(|t| machine.describe_trap(&t))?;
    Ok(machine.new_array(class, 100_000).map_err(|t| machine.describe_trap(&t))? + 64)
}

/// Memory and switching cost of many states that are alive at once.
fn live_forks(machine: &mut Machine) -> Result<(), Box<dyn std::error::Error>> {
    const FORKS: u32 = 100_000;
    let words = array(machine)?;
    let base = machine.snapshot();
    let before = resident();
    let start = Instant::now();
    let forks: Vec<Snapshot> = (0..FORKS)
        .map(|i| {
            machine.restore(&base);
            for write in 0..10 {
                machine.write_word(words + (i * 31 + write * 977) % 90_000, i as u64);
            }
            machine.snapshot()
        })
        .collect();
    let made = start.elapsed() / FORKS;
    let bytes = resident().saturating_sub(before) * 1024 / FORKS as usize;
    println!("live fork of 10 writes   {made:>10.1?}   {bytes} bytes each, {FORKS} alive");
    let mut at = 0;
    let time = mean(FORKS, || {
        at = (at + 7919) % FORKS as usize;
        machine.restore(&forks[at]);
    });
    println!("switch between forks     {time:>10.1?}");
    println!(
        "peak memory              {:>8} MiB   with {FORKS} forks alive (goal: 2 GiB)",
        status_line("VmHWM") / 1024
    );
    machine.restore(&base);
    Ok(())
}

/// Snapshot and discard with a heap of a million objects that refer to each other.
fn million_objects(machine: &mut Machine) -> Result<(), Box<dyn std::error::Error>> {
    const OBJECTS: u32 = 1_000_000;
    let made = (|| {
        let nodes = machine.load("[Ljava/lang/Object;")?;
        let mut last = 0;
        for _ in 0..OBJECTS {
            let node = machine.new_array(nodes, 1)?;
            machine.set_element_ref(node, 0, last);
            last = node;
        }
        Ok(last)
    })();
    let last: u32 = made.map_err(|trap| machine.describe_trap(&trap))?;
    let base = machine.snapshot();
    let time = mean(100_000, || {
        let state = machine.snapshot();
        machine.restore(&base);
        drop(state);
    });
    println!("snapshot and discard     {time:>10.1?}   with {OBJECTS} objects (goal: microseconds)");
    let time = mean(100_000, || {
        for node in 0..10 {
            machine.set_element_ref(last - node * 64, 0, 0);
        }
        let state = machine.snapshot();
        machine.restore(&base);
        drop(state);
    });
    println!("10 writes, fork, leave   {time:>10.1?}   with {OBJECTS} objects");
    println!("peak memory              {:>8} MiB", status_line("VmHWM") / 1024);
    Ok(())
}

/// Resident memory of this process in KiB.
fn resident() -> usize {
    status_line("VmRSS")
}

fn status_line(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}
