//! The tutorial: every command is run, in order, and prints what the page shows.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{files, repository, scratch};

/// A command, and the lines of its output on the page. `…` stands for any text.
struct Step {
    command: String,
    shown: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            steps.push(Step { command: command.to_owned(), shown: Vec::new() });
        } else if let (true, Some(step)) = (inside, steps.last_mut()) {
            step.shown.push(line.to_owned());
        }
    }
    steps
}

/// Whether a line contains the parts of the shown line, in order.
fn is_like(line: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').map(str::trim).filter(|it| !it.is_empty()).collect();
    let mut rest = line;
    parts.iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[test]
fn every_step_prints_what_it_shows() {
    let page = fs::read_to_string(repository().join("docs/tutorial.md")).unwrap();
    let scratch = scratch("tutorial");
    let shop = scratch.join("shop");
    let from = repository().join("fixtures/tutorial");
    for file in files(&from) {
        let to = shop.join(file.strip_prefix(&from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, to).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_cupping")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let steps = steps(&page);
    assert!(steps.len() >= 12);
    for Step { command, shown } in steps {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(&shop).env("PATH", &path);
        let output = shell.env("XDG_CACHE_HOME", scratch.join("cache")).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {stdout}{stderr}");
        assert_eq!(stderr, "", "{command}");
        let mut lines = stdout.lines();
        for line in shown {
            assert!(lines.any(|it| is_like(it, &line)), "{command} does not print '{line}':\n{stdout}");
        }
    }
}

#[test]
fn dots_stand_for_any_text() {
    assert!(is_like("a: 3 of 4", "a: … of …") && is_like("x", "…") && is_like("abc", "b"));
    assert!(!is_like("4 of a: 3", "a: … of …") && !is_like("", "a"));
}
