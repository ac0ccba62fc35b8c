//! `./x bench infer`: the classes of `fixtures/infer/truths` in tables; each line is checked against an opponent's
//! calls. The last two columns are the shares of mutated post-states that the lines reject, and that lines of
//! Daikon's templates on the same executions reject. Arguments: the number of sequences, then names of classes;
//! `--lines` prints all lines. With `--on PATH`, the classes are those of a class path, for which no truths are known.

#[path = "../tests/support/mod.rs"]
mod support;

use cupping_infer::ExplorerLimits;
use support::truths::{head, judge, truths};
use support::{compile, files, session};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let all_lines = arguments.iter().any(|it| it == "--lines");
    let on = arguments
        .iter()
        .position(|it| it == "--on")
        .map(|at| arguments.drain(at..arguments.len().min(at + 2)).nth(1));
    arguments.retain(|it| !it.starts_with("--"));
    let sequences: usize = arguments.first().and_then(|it| it.parse().ok()).unwrap_or(100_000);
    if let Some(class_path) = on.flatten() {
        print!("{sequences} sequences a class\n{}", head());
        let mut session = session(std::path::Path::new(&class_path));
        for class in &arguments[1..] {
            let class = class.replace('.', "/");
            let verdict = judge(&mut session, &class, &[], ExplorerLimits::default(), sequences);
            print!("{verdict}");
        }
        return;
    }
    for part in ["develop", "judge"] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let files = files(&format!("truths/{part}"));
        let is = |it: &&std::path::PathBuf, extension: &str| it.extension().is_some_and(|it| it == extension);
        let sources: Vec<_> = files.iter().filter(|it| is(it, "java")).cloned().collect();
        compile(&sources, "", folder.path());
        let mut session = session(folder.path());
        let (mut lines, mut wrong, mut found, mut all) = (0, 0, 0, 0);
        let (mut ours, mut daikons) = Default::default();
        print!("{part}, {sequences} sequences a class\n{}", head());
        for file in files.iter().filter(|it| is(it, "txt")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            if arguments.len() > 1 && !arguments[1..].iter().any(|it| **it == *name) {
                continue;
            }
            let class = format!("truths/{name}");
            let verdict = judge(&mut session, &class, &truths(file), ExplorerLimits::default(), sequences);
            lines += verdict.lines;
            wrong += verdict.wrong.len();
            found += verdict.truths - verdict.missed.len();
            all += verdict.truths;
            ours = verdict.ours.and(ours);
            daikons = verdict.daikons.and(daikons);
            print!("{verdict}");
            if all_lines {
                verdict.said.iter().for_each(|it| println!("    {it}"));
            }
        }
        println!(
            "{:<12} {lines:>5} {wrong:>5} {found:>6} {:>6} {:>6} {:>7}\n",
            "all",
            all - found,
            ours.percent(),
            daikons.percent()
        );
    }
}
