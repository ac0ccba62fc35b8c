//! The manual: its examples run, and it covers every option.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use support::{cupping, papers, repository, scratch};

/// The commands in the blocks marked `console`.
fn examples(manual: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in manual.lines() {
        match line.strip_prefix("```") {
            Some(language) => inside = language == "console",
            None if inside => commands.extend(line.strip_prefix("$ ")),
            None => {}
        }
    }
    commands
}

#[test]
fn examples_run() {
    let manual = fs::read_to_string(repository().join("docs/generate.md")).unwrap();
    let commands = examples(&manual);
    assert!(commands.len() >= 4, "{commands:?}");
    let folder = scratch("manual");
    symlink(papers(), folder.join("classes")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_cupping")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for command in commands {
        let output =
            Command::new("sh").args(["-c", command]).current_dir(&folder).env("PATH", &path).output();
        let output = output.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {stderr}");
        assert_eq!(stderr, "", "{command}");
    }
    assert!(folder.join("cupping-tests/papers/CoinBoxTest.java").is_file());
}

#[test]
fn every_option_is_described() {
    for command in ["generate", "check", "dataflow", "infer", "mutants", "exhaust", "run", "watch"] {
        described(command);
    }
}

fn described(command: &str) {
    let file = format!("docs/{command}.md");
    let read = |file: &str| fs::read_to_string(repository().join(file)).unwrap();
    let manual = read(&file) + &read("docs/options.md");
    let help = cupping(&scratch(&format!("help-{command}")), &[command, "--help"]).expect(0).stdout;
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let options: Vec<&str> = words.filter(|word| word.len() > 2 && word.starts_with("--")).collect();
    assert!(options.len() > 12, "{help}");
    for option in options {
        assert!(
            option == "--help" || manual.contains(&format!("`{option}")),
            "{option} is neither in {file} nor in docs/options.md"
        );
    }
}
