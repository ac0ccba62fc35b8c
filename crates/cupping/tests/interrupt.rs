//! Ctrl-C: what is found is certified and written.
#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use support::{command, papers, scratch};

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
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{stdout}\n{stderr}");
    assert!(stdout.contains("papers.CoinBox"), "{stdout}");
    assert!(stdout.contains("lang3.StringUtils"), "begun, so certified: {stdout}");
    assert!(!folder.join("tests/org/apache/commons/lang3/ArrayUtilsTest.java").exists());
    assert!(stderr.contains("interrupted; 1 of 3 classes were not begun"), "{stderr}");
}
