//! Ctrl-C: what is found is certified and written.
#![cfg(unix)]

mod support;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use support::{command, compile, files, papers, scratch};

#[test]
fn an_interruption_ends_the_run_with_what_is_found() {
    let folder = scratch("interrupt");
    let papers = papers().to_str().unwrap();
    // StringUtils is far from done when CoinBox, before it, is written.
    let class_path = format!("{papers}:/usr/share/java/commons-lang3.jar");
    let last = "org.apache.commons.lang3.ArrayUtils";
    let args = ["generate", "-cp", &class_path, "--out", "tests", "--budget", "60s", "--jobs", "1"];
    let classes = ["papers.CoinBox", "org.apache.commons.lang3.StringUtils", last];
    let mut command = command(&folder, &[&args[..], &classes].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.join("tests/papers/CoinBoxTest.java").is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        sleep(Duration::from_millis(10));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{stdout}\n{stderr}");
    assert!(stdout.contains("papers.CoinBox"), "{stdout}");
    assert!(!folder.join("tests/org/apache/commons/lang3/ArrayUtilsTest.java").exists());
    // Whether the tests of the second are certified in time depends on the computer.
    let told = ["interrupted; 1 of 3 classes were not done", "interrupted; 2 of 3 classes were not done"];
    assert!(told.iter().any(|it| stderr.contains(it)), "{stderr}");
    let whole = |path: &std::path::PathBuf| std::fs::read_to_string(path).unwrap().ends_with("}\n");
    let written = files(&folder.join("tests"));
    assert!(
        written.iter().all(|it| it.extension().is_some_and(|it| it == "java") && whole(it)),
        "{written:?}"
    );
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Interrupts a command that would take minutes, this many times; returns its standard error.
#[track_caller]
fn ends(name: &str, args: &[&str], times: usize) -> String {
    let folder = scratch(name);
    let mut child = command(&folder, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(3));
    assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
    let ours = children(child.id());
    for time in 0..times {
        if time > 0 {
            // A sooner signal would count as the same one.
            sleep(Duration::from_millis(400));
        }
        interrupt(&child);
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    for child in ours {
        // Nobody may wait for it: it is gone, or only its process entry is left.
        let is_gone = || {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            state.is_empty() || state.rsplit(')').next().is_some_and(|it| it.trim_start().starts_with('Z'))
        };
        for _ in 0..500 {
            if is_gone() {
                break;
            }
            sleep(Duration::from_millis(10));
        }
        assert!(is_gone(), "a process that it started is still there");
    }
    said
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<String> {
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(children.split_whitespace().map(str::to_owned));
    }
    found
}

const LANG: &str = "/usr/share/java/commons-lang3.jar";
const LARGE: &str = "org.apache.commons.lang3.text.StrBuilder";

#[test]
fn dataflow_ends() {
    let said =
        ends("interrupt-dataflow", &["dataflow", "-cp", LANG, LARGE, "--out", "tests", "--budget", "10m"], 1);
    assert!(said.contains("interrupted; "), "{said}");
}

#[test]
fn infer_ends() {
    let said =
        ends("interrupt-infer", &["infer", "-cp", LANG, LARGE, "--out", "tests", "--budget", "10m"], 1);
    assert!(said.contains("interrupted; "), "{said}");
}

#[test]
fn a_second_interruption_ends_at_once() {
    ends("interrupt-twice", &["generate", "-cp", LANG, LARGE, "--out", "tests", "--budget", "10m"], 2);
    ends(
        "interrupt-twice-dataflow",
        &["dataflow", "-cp", LANG, LARGE, "--out", "tests", "--budget", "10m"],
        2,
    );
}

/// A program that never ends, with its classes and a specification.
fn endless(name: &str) -> (String, String) {
    let folder = scratch(name);
    let source = folder.join("Endless.java");
    let text = "public class Endless {
        static int twice(int x) { return x + x; }
        public static void main(String[] args) {
            for (int n = 0; ; n++) twice(n);
        }
    }";
    std::fs::write(&source, text).unwrap();
    compile(&[source], "", &folder);
    let specification = folder.join("spec.tj");
    let text = "test Endless { testcase one { (true) requiredBy Endless.twice(3) ensure (result == 6); } }\n";
    std::fs::write(&specification, text).unwrap();
    (folder.to_str().unwrap().to_owned(), specification.to_str().unwrap().to_owned())
}

#[test]
fn programs_that_are_run_end() {
    let (classes, specification) = endless("interrupt-endless");
    ends("interrupt-run", &["run", "-cp", &classes, "Endless"], 1);
    let said = ends("interrupt-watch", &["watch", "--specs", &specification, "-cp", &classes, "Endless"], 1);
    assert!(said.contains("interrupted; it was at") && said.contains("Endless.main"), "{said}");
}

#[test]
fn exhaust_ends() {
    let folder = scratch("interrupt-trees");
    let source = folder.join("Ring.java");
    let text = "public class Ring {\n    Ring next;\n    int value;\n    boolean repOk() { return next != null; }\n    \
                void turn() { value++; }\n}\n";
    std::fs::write(&source, text).unwrap();
    compile(&[source], "", &folder);
    let classes = folder.to_str().unwrap();
    let scope = "Ring=8,value=0..9";
    let args = ["exhaust", "--repok", "Ring.repOk", "--method", "turn", "--scope", scope, "-cp", classes];
    ends("interrupt-exhaust", &args, 1);
}
