//! `./x bench generate`: the whole process, from its start to its exit code, certification included.
//!
//! Memory is the sum of the peaks of Cupping and of the JVM that certifies, as the kernel counts them, so at least
//! what both took at any one time. `CUPPING_BENCH_BUDGET` is the time for each class of the library (10s).

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const LIBRARY: &str = "/usr/share/java/commons-lang3.jar";

const CLASSES: [&str; 12] = [
    "math.Fraction",
    "math.NumberUtils",
    "CharUtils",
    "BooleanUtils",
    "StringUtils",
    "text.StrBuilder",
    "tuple.MutablePair",
    "mutable.MutableInt",
    "BitField",
    "CharRange",
    "Range",
    "ArrayUtils",
];

/// Published with the project's plan, measured once on a machine of this kind, for other classes.
const QUOTED: &str = "\
Quoted, not measured here: other tools on seven small container classes (320 branches), JDK 17, 2 cores, whole process:
  Randoop 4.3.4,  10 s a class: 12 s and 410 to 680 MB a class, 61.3 % of the branches
  EvoSuite 1.2.1, 10 s a class: 17 to 31 s and 790 to 1220 MB a class, 96.6 % of the branches";

/// What one run took and found.
struct Measurement {
    time: Duration,
    megabytes: u64,
    class: Value,
}

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-generate");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    coin_box(&folder);
    library(&folder);
    println!("\n{QUOTED}");
}

/// The median of ten runs on a small class, after one that fills the cache.
fn coin_box(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers/papers/CoinBox.java");
    let classes = folder.join("classes");
    let compiled = Command::new("javac").arg("-g").arg("-d").arg(&classes).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "javac compiles CoinBox");
    let mut runs: Vec<Measurement> =
        (0..=10).map(|_| run(folder, &classes, "papers.CoinBox")).skip(1).collect();
    runs.sort_by_key(|run| run.time);
    let [first, .., last] = &runs[..] else { return };
    let median = (runs[4].time + runs[5].time) / 2;
    println!(
        "papers.CoinBox, 10 runs: median {:.3} s, from {:.3} to {:.3} s, {} MB\n",
        median.as_secs_f64(),
        first.time.as_secs_f64(),
        last.time.as_secs_f64(),
        runs[5].megabytes
    );
}

fn library(folder: &Path) {
    println!(
        "{:<22} {:>5} {:>7} {:>15} {:>15} {:>8} {:>6}",
        "commons-lang3", "tests", "failing", "lines", "branches", "time s", "MB"
    );
    for class in CLASSES {
        let name = format!("org.apache.commons.lang3.{class}");
        let Measurement { time, megabytes, class: found } = run(folder, Path::new(LIBRARY), &name);
        println!(
            "{class:<22} {:>5} {:>7} {:>15} {:>15} {:>8.2} {megabytes:>6}{}",
            length(&found["tests"]),
            length(&found["failing"]),
            ratio(&found["coverage"]["lines"]),
            ratio(&found["coverage"]["branches"]),
            time.as_secs_f64(),
            found["error"].as_str().map(|error| format!("  {error}")).unwrap_or_default(),
        );
    }
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

fn ratio(count: &Value) -> String {
    let part = |name: &str| count[name].as_u64().unwrap_or(0);
    let (covered, total) = (part("covered"), part("total"));
    format!("{covered}/{total} {:>3}%", (covered * 100).checked_div(total).unwrap_or(100))
}

/// One process for one class.
fn run(folder: &Path, class_path: &Path, class: &str) -> Measurement {
    let report = folder.join("report.json");
    let budget = std::env::var("CUPPING_BENCH_BUDGET").unwrap_or_else(|_| "10s".into());
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cupping"))
        .args(["generate", "--quiet", "--budget", &budget, class, "--classpath"])
        .arg(class_path)
        .arg("--out")
        .arg(folder.join("tests"))
        .arg("--json")
        .arg(&report)
        .stdin(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut peaks = BTreeMap::new();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the process is a child of ours") {
            break status;
        }
        record_peaks(child.id(), &mut peaks);
        sleep(Duration::from_millis(5));
    };
    let time = started.elapsed();
    if !status.success() {
        println!("{class}: {status}");
    }
    let text = fs::read_to_string(&report).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let megabytes = peaks.values().sum::<u64>() / 1024;
    Measurement { time, megabytes, class: report["classes"][0].clone() }
}

/// Notes the peak of resident memory, in kilobytes, of a process and of all below it.
fn record_peaks(process: u32, peaks: &mut BTreeMap<u32, u64>) {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
    let peak: Option<u64> =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    if let Some(peak) = peak {
        let known = peaks.entry(process).or_insert(0);
        *known = peak.max(*known);
    }
    for task in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|it| it.parse().ok()) {
            record_peaks(child, peaks);
        }
    }
}
