//! Benchmark of forking and of instruction speed: `bench_fork [--jdk HOME]`.
//!
//! Speeds are given as ratios to `java -Xint` on the same kernels, whose results must agree.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Exit, Limits, Machine, Snapshot, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const KERNELS: &str = r#"
public class Kernels {
    static int fields(int n) { Kernels k = new Kernels(); for (int i = 0; i < n; i++) { k.a += i; k.b ^= k.a; } return k.b; }
    int a, b;
    static int arrays(int n) {
        int[] a = new int[1024];
        for (int i = 0; i < n; i++) { a[i & 1023] += a[(i * 7) & 1023] + i; }
        return a[5];
    }
    static int calls(int n) { return n < 2 ? n : calls(n - 1) + calls(n - 2); }
    static int library(int n) {
        java.util.HashMap<Integer, String> map = new java.util.HashMap<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) {
            map.put(i & 4095, "v");
            text.append((char) ('a' + i % 26));
            if (text.length() > 1000) text.setLength(0);
        }
        return map.hashCode() + text.toString().hashCode();
    }
    static int run(String kernel, int n) {
        switch (kernel) {
            case "fields": return fields(n);
            case "arrays": return arrays(n);
            case "calls": return calls(n);
            default: return library(n);
        }
    }
    public static void main(String[] args) {
        run(args[0], 1);
        long start = System.nanoTime();
        int result = run(args[0], Integer.parseInt(args[1]));
        System.out.println(result + " " + (System.nanoTime() - start));
    }
}
"#;

const SIZES: [(&str, i32); 4] =
    [("fields", 4_000_000), ("arrays", 3_000_000), ("calls", 28), ("library", 300_000)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip_while(|a| a != "--jdk").skip(1);
    let home = arguments.next().unwrap_or_else(|| "/usr/lib/jvm/java-17-openjdk-amd64".into());
    let jdk = Jdk::open(Path::new(&home))?;
    let classes = compile(&jdk)?;
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version())?;
    let program = Arc::new(Program::new(jdk.clone(), class_path));
    let start = Instant::now();
    let mut machine = Machine::boot(program, Limits::default())?;
    println!(
        "boot                     {:>10.1?}   {} classes, {} KiB of heap",
        start.elapsed(),
        machine.classes.len(),
        machine.memory.used() as usize * 8 / 1024
    );
    fork_costs(&mut machine)?;
    live_forks(&mut machine)?;
    for (kernel, size) in SIZES {
        speed(&mut machine, &jdk, &classes, kernel, size)?;
    }
    Ok(())
}

fn compile(jdk: &Jdk) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("cupping-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let source = folder.join("Kernels.java");
    std::fs::write(&source, KERNELS)?;
    let status = Command::new(jdk.javac_binary()).arg("-d").arg(&folder).arg(source).status()?;
    if status.success() { Ok(folder) } else { Err("javac failed".into()) }
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
            machine.memory.write(words + page * 64, 7);
        }
        machine.restore(&base);
    });
    println!("10 writes and undo       {time:>10.1?}   on ten pages");
    let time = mean(100_000, || {
        for page in 0..10 {
            machine.memory.write(words + page * 64, 7);
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
                machine.memory.write(words + (i * 31 + write * 977) % 90_000, i as u64);
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
    machine.restore(&base);
    Ok(())
}

/// Resident memory of this process in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn speed(
    machine: &mut Machine,
    jdk: &Jdk,
    classes: &Path,
    kernel: &str,
    size: i32,
) -> Result<(), Box<dyn std::error::Error>> {
    let base = machine.snapshot();
    let class = machine.initialize_now("Kernels").map_err(|t| machine.describe_trap(&t))?;
    let method = machine.find_method(class, kernel, "(I)I").ok_or("no such kernel")?;
    machine.call(method, &[Value::int(1)]).map_err(|t| machine.describe_trap(&t))?;
    machine.enter(method, &[Value::int(size)]).map_err(|t| machine.describe_trap(&t))?;
    let start = Instant::now();
    let Exit::Returned(result) = machine.run() else { return Err("the kernel did not return".into()) };
    let ours = start.elapsed();
    machine.restore(&base);
    let output = Command::new(jdk.java_binary())
        .args(["-Xint", "-cp"])
        .arg(classes)
        .args(["Kernels", kernel, &size.to_string()])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let (theirs, nanos) = text.trim().split_once(' ').ok_or("java printed nothing")?;
    if theirs != result.as_int().to_string() {
        return Err(format!("{kernel}: {} here, {theirs} on the JDK", result.as_int()).into());
    }
    let theirs = Duration::from_nanos(nanos.parse()?);
    println!(
        "{kernel:<24} {ours:>10.1?}   java -Xint {theirs:.1?}, ratio {:.2}",
        ours.as_secs_f64() / theirs.as_secs_f64()
    );
    Ok(())
}
