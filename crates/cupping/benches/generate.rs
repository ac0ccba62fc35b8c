//! `./x bench generate [BUDGETS [CLASSES]]`: the whole process, from its start to its exit code, with certification.
//!
//! First CoinBox, ten times. Then thirty classes of five Debian libraries, drawn at random from those of 2.5 to 30
//! kB, each with every budget: `1s,3s,10s,30s`, or those given; only classes with CLASSES in their name, if given.
//! *wall* and *processor* are seconds of all processes, *MB* is the peak of Cupping alone; the time of each layer of
//! the solver follows.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The libraries, by jar, with the common prefixes of their classes.
const LIBRARIES: [(&str, &str, [&str; 6]); 5] = [
    (
        "commons-math3",
        "org.apache.commons.math3.",
        [
            "stat.descriptive.rank.Percentile",
            "distribution.WeibullDistribution",
            "optim.linear.SimplexSolver",
            "analysis.interpolation.TricubicSplineInterpolatingFunction",
            "distribution.LogNormalDistribution",
            "distribution.LogisticDistribution",
        ],
    ),
    (
        "joda-time",
        "org.joda.time.",
        [
            "chrono.JulianChronology",
            "MutablePeriod",
            "chrono.StrictChronology",
            "chrono.BasicWeekyearDateTimeField",
            "base.BasePeriod",
            "chrono.GJLocaleSymbols",
        ],
    ),
    (
        "jsoup",
        "org.jsoup.",
        [
            "parser.XmlTreeBuilder",
            "nodes.Comment",
            "parser.Parser",
            "parser.TokenQueue",
            "select.Elements",
            "parser.TokeniserState",
        ],
    ),
    (
        "commons-validator",
        "org.apache.commons.validator.",
        [
            "EmailValidator",
            "routines.ISBNValidator",
            "routines.TimeValidator",
            "ValidatorResources",
            "routines.checkdigit.IBANCheckDigit",
            "CreditCardValidator",
        ],
    ),
    (
        "commons-compress",
        "org.apache.commons.compress.",
        [
            "compressors.lz4.FramedLZ4CompressorOutputStream",
            "archivers.arj.LocalFileHeader",
            "utils.SeekableInMemoryByteChannel",
            "compressors.lzw.LZWInputStream",
            "archivers.zip.Zip64ExtendedInformationExtraField",
            "compressors.deflate64.Deflate64CompressorInputStream",
        ],
    ),
];

/// The cost and the results of one run.
#[derive(Default)]
struct Measurement {
    wall: Duration,
    processor: Duration,
    megabytes: u64,
    covered: u64,
    branches: u64,
    /// Milliseconds of each layer of the solver, by name, and in total.
    layers: Vec<(String, f64)>,
    ended_by_clock: bool,
    error: Option<String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let budgets = arguments.first().map_or("1s,3s,10s,30s", String::as_str);
    let only = arguments.get(1).map_or("", String::as_str);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-generate");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    if only.is_empty() {
        coin_box(&folder);
    }
    println!(
        "{:<61} {:>6} {:>11} {:>7} {:>9} {:>5}",
        "class", "budget", "branches", "wall", "processor", "MB"
    );
    let budgets: Vec<&str> = budgets.split(',').collect();
    let mut totals: Vec<Total> = budgets.iter().map(|_| Total::default()).collect();
    for (library, prefix, classes) in LIBRARIES {
        for class in classes.iter().filter(|class| class.contains(only)) {
            for (budget, total) in budgets.iter().zip(&mut totals) {
                let jar = format!("/usr/share/java/{library}.jar");
                let found = run(&folder, Path::new(&jar), &format!("{prefix}{class}"), budget);
                println!(
                    "{class:<61} {budget:>6} {:>5}/{:<5} {:>7.2} {:>9.2} {:>5}{}{}",
                    found.covered,
                    found.branches,
                    found.wall.as_secs_f64(),
                    found.processor.as_secs_f64(),
                    found.megabytes,
                    if found.ended_by_clock { "  ended by the clock" } else { "" },
                    found.error.as_deref().map(|it| format!("  {it}")).unwrap_or_default(),
                );
                total.add(&found);
            }
        }
    }
    println!();
    for (budget, total) in budgets.iter().zip(&totals) {
        total.print(budget);
    }
}

/// All classes with one budget.
#[derive(Default)]
struct Total {
    classes: u32,
    shares: f64,
    with_branches: u32,
    covered: u64,
    branches: u64,
    wall: Duration,
    longest: Duration,
    processor: Duration,
    megabytes: u64,
    layers: Vec<(String, f64)>,
}

impl Total {
    fn add(&mut self, found: &Measurement) {
        self.classes += 1;
        if found.branches > 0 {
            self.with_branches += 1;
            self.shares += found.covered as f64 / found.branches as f64;
        }
        self.covered += found.covered;
        self.branches += found.branches;
        self.wall += found.wall;
        self.longest = self.longest.max(found.wall);
        self.processor += found.processor;
        self.megabytes = self.megabytes.max(found.megabytes);
        for (name, milliseconds) in &found.layers {
            match self.layers.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += milliseconds,
                None => self.layers.push((name.clone(), *milliseconds)),
            }
        }
    }

    fn print(&self, budget: &str) {
        let mean = 100.0 * self.shares / f64::from(self.with_branches.max(1));
        let wall = self.wall.as_secs_f64() / f64::from(self.classes.max(1));
        println!(
            "{budget}: {} of {} branches, {mean:.1} % a class; wall {wall:.2} s a class, {:.2} s at most; \
             processor {:.0} s; {} MB at most",
            self.covered,
            self.branches,
            self.longest.as_secs_f64(),
            self.processor.as_secs_f64(),
            self.megabytes,
        );
        let layers: Vec<String> =
            self.layers.iter().map(|(name, ms)| format!("{name} {:.1} s", ms / 1000.0)).collect();
        println!("  solver: {}", layers.join(", "));
    }
}

/// The median of ten runs on a small class, after one that fills the cache.
fn coin_box(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers/papers/CoinBox.java");
    let classes = folder.join("classes");
    let compiled = Command::new("javac").arg("-g").arg("-d").arg(&classes).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "javac compiles CoinBox");
    let mut runs: Vec<Measurement> =
        (0..=10).map(|_| run(folder, &classes, "papers.CoinBox", "10s")).skip(1).collect();
    runs.sort_by_key(|run| run.wall);
    let [first, .., last] = &runs[..] else { return };
    let median = (runs[4].wall + runs[5].wall) / 2;
    println!(
        "papers.CoinBox, 10 runs: median {:.3} s, from {:.3} to {:.3} s, {} MB\n",
        median.as_secs_f64(),
        first.wall.as_secs_f64(),
        last.wall.as_secs_f64(),
        runs[5].megabytes
    );
}

/// One process for one class.
fn run(folder: &Path, class_path: &Path, class: &str, budget: &str) -> Measurement {
    let (report, printed) = (folder.join("report.json"), folder.join("printed.txt"));
    let _ = fs::remove_file(&report);
    let before = processor_time();
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cupping"))
        .args(["generate", "--no-project", "--stats", "--budget", budget, class, "--classpath"])
        .arg(class_path)
        .arg("--out")
        .arg(folder.join("tests"))
        .arg("--json")
        .arg(&report)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&printed).expect("the folder can be written"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut megabytes = 0;
    while child.try_wait().expect("the process is a child of ours").is_none() {
        megabytes = megabytes.max(peak(child.id()));
        sleep(Duration::from_millis(5));
    }
    let wall = started.elapsed();
    let processor = processor_time().saturating_sub(before);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(&report).unwrap_or_default()).unwrap_or_default();
    let found = &report["results"]["classes"][0];
    let branches = &found["coverage"]["branches"];
    Measurement {
        wall,
        processor,
        megabytes,
        covered: branches["covered"].as_u64().unwrap_or(0),
        branches: branches["total"].as_u64().unwrap_or(0),
        layers: layers(&fs::read_to_string(&printed).unwrap_or_default()),
        ended_by_clock: found["ended_by_clock"].as_bool().unwrap_or(false),
        error: found["error"].as_str().map(str::to_owned),
    }
}

/// The rows of the solver's table: name and milliseconds, *all* last.
fn layers(printed: &str) -> Vec<(String, f64)> {
    let rows = printed.lines().skip_while(|line| !line.starts_with("layer ")).skip(1);
    let cells = rows.map(|row| row.split_whitespace().collect::<Vec<_>>()).take_while(|row| row.len() == 6);
    cells.filter_map(|row| Some((row[0].to_owned(), row[5].parse().ok()?))).collect()
}

/// Processor time of all processes that have ended and been waited for.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in brackets, may have spaces.
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(13).take(2).collect();
    let ticks: u64 = fields.iter().filter_map(|it| it.parse::<u64>().ok()).sum();
    // The kernel always counts hundredths of a second.
    Duration::from_millis(ticks * 10)
}

/// The peak of resident memory of a process, in megabytes.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    line.and_then(|it| it.parse::<u64>().ok()).unwrap_or(0) / 1024
}
