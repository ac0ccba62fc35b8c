//! The suites of Debian's commons libraries, run by JUnit itself on the machine: a part of them, compared with the
//! JDK. `./x bench suites` runs all.

use std::path::Path;
use std::process::Command;

#[test]
fn a_part_of_the_commons_suites_ends_as_on_the_jdk() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new("bash")
        .arg("scripts/suites.sh")
        .args(["test", env!("CARGO_BIN_EXE_cupping")])
        .current_dir(root)
        .output()
        .expect("bash is there");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // No network: then this says so and is over.
    if output.status.code() == Some(77) {
        println!("a_part_of_the_commons_suites_ends_as_on_the_jdk is skipped:\n{text}");
        return;
    }
    assert!(output.status.success(), "scripts/suites.sh test failed:\n{text}");
    print!("{text}");
}
