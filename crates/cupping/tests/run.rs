//! `cupping run` against `java`: standard output, standard error and exit code are the same.
//!
//! The programs are `fixtures/run/*.java`, and `fixtures/run25` for JDK 25 and later. Comments at the top of a
//! program give its options and input: `// options:`, `// arguments:`, `// stdin:` (with `\n`). `// of module: NAME`
//! says that a class needs this module, which `java` and `javac` get by an option.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::{compile_with, files, repository, scratch};

/// A program with what it is run with.
struct Program {
    name: String,
    options: Vec<String>,
    arguments: Vec<String>,
    stdin: Option<String>,
    /// A module that is not resolved by default.
    module: Option<String>,
}

/// `java`'s warning about an incubating module.
const INCUBATOR: &str = "WARNING: Using incubator modules: ";

#[test]
fn programs_run_as_on_jdk_17() {
    compare("17");
}

#[test]
fn programs_run_as_on_jdk_25() {
    compare("25");
}

/// The JDK of this version; without it, its programs are skipped, by name.
fn home_of(version: &str) -> Option<PathBuf> {
    let homes = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut homes: Vec<PathBuf> = homes.chain(std::env::var_os("JAVA_HOME").map(PathBuf::from)).collect();
    homes.sort();
    let wanted = format!("JAVA_VERSION=\"{version}");
    homes.into_iter().find(|home| {
        let release = fs::read_to_string(home.join("release")).unwrap_or_default();
        home.join("bin/javac").is_file() && release.lines().any(|line| line.starts_with(&wanted))
    })
}

fn programs(version: &str) -> Vec<(PathBuf, Program)> {
    let mut folders = vec!["fixtures/run"];
    if version == "25" {
        folders.push("fixtures/run25");
    }
    let sources = folders.iter().flat_map(|folder| files(&repository().join(folder)));
    let sources = sources.filter(|path| path.extension() == Some(OsStr::new("java")));
    let mut found: Vec<(PathBuf, Program)> = sources.map(|path| (path.clone(), read(&path))).collect();
    let named = |name: &str, arguments: &[&str]| Program {
        name: name.into(),
        options: Vec::new(),
        arguments: arguments.iter().map(|it| it.to_string()).collect(),
        stdin: None,
        module: None,
    };
    // Classes that have no source here.
    let none = PathBuf::new();
    found.push((none.clone(), named("no.such.Program", &["x"])));
    found.push((none, named("java.util.ArrayList", &[])));
    assert!(found.len() > 12, "the programs are not there");
    found
}

fn read(path: &Path) -> Program {
    let text = fs::read_to_string(path).unwrap();
    let line = |key: &str| {
        let key = format!("// {key}: ");
        text.lines().find_map(|line| line.strip_prefix(&key)).map(str::to_owned)
    };
    let words = |key: &str| line(key).unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    Program {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        options: words("options"),
        arguments: words("arguments"),
        stdin: line("stdin").map(|text| text.replace("\\n", "\n").replace("\\u00e9", "\u{e9}")),
        module: line("of module"),
    }
}

fn compare(version: &str) {
    let programs = programs(version);
    let Some(home) = home_of(version) else {
        for (_, program) in &programs {
            println!("skipped, as JDK {version} is not installed: {}", program.name);
        }
        return;
    };
    let classes = scratch(&format!("run-{version}"));
    let sources: Vec<PathBuf> =
        programs.iter().map(|(path, _)| path.clone()).filter(|path| path.is_file()).collect();
    let modules: Vec<&str> = programs.iter().filter_map(|(_, program)| program.module.as_deref()).collect();
    let modules = modules.join(",");
    let mut options = vec!["--release", version];
    if !modules.is_empty() {
        options.extend(["--add-modules", &modules]);
    }
    compile_with(&home.join("bin/javac"), &options, &sources, "", &classes);
    let mut report = String::new();
    for (_, program) in &programs {
        let mut java = Command::new(home.join("bin/java"));
        java.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS");
        java.args([
            "-Duser.language=en",
            "-Dstdout.encoding=UTF-8",
            "-Dstderr.encoding=UTF-8",
            "-Dfile.encoding=UTF-8",
        ]);
        if let Some(module) = &program.module {
            java.args(["--add-modules", module]);
        }
        let mut expected = run(java, program, &classes, &[]);
        if program.module.is_some() {
            let lines = String::from_utf8_lossy(&expected.stderr).into_owned();
            let kept = lines.split_inclusive('\n').filter(|line| !line.starts_with(INCUBATOR));
            expected.stderr = kept.collect::<String>().into_bytes();
        }
        let mut cupping = Command::new(env!("CARGO_BIN_EXE_cupping"));
        cupping.args(["run", "--jdk"]).arg(&home);
        let stdin: &[&str] = if program.stdin.is_some() { &["--stdin"] } else { &[] };
        let actual = run(cupping, program, &classes, stdin);
        for (what, expected, actual) in
            [("stdout", &expected.stdout, &actual.stdout), ("stderr", &expected.stderr, &actual.stderr)]
        {
            if expected != actual {
                report += &format!(
                    "== {}: {what}\n-- java:\n{}\n-- cupping:\n{}\n",
                    program.name,
                    String::from_utf8_lossy(expected),
                    String::from_utf8_lossy(actual)
                );
            }
        }
        if expected.status.code() != actual.status.code() {
            report += &format!("== {}: java {}, cupping {}\n", program.name, expected.status, actual.status);
        }
    }
    assert!(report.is_empty(), "JDK {version}\n{report}");
}

fn run(mut command: Command, program: &Program, classes: &Path, more: &[&str]) -> Output {
    command
        .args(more)
        .args(&program.options)
        .arg("-cp")
        .arg(classes)
        .arg(&program.name)
        .args(&program.arguments);
    command.current_dir(classes).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A program that does not read its input may have ended already.
    let _ = input.write_all(program.stdin.as_deref().unwrap_or_default().as_bytes());
    drop(input);
    child.wait_with_output().unwrap()
}

#[test]
fn limits_are_met_with_codes_of_their_own() {
    let folder = scratch("run-limits");
    let source = folder.join("Loops.java");
    fs::write(
        &source,
        "public class Loops {
            public static void main(String[] args) throws Exception {
                if (args.length > 0) { synchronized (args) { args.wait(); } }
                while (true) { Math.abs(1); }
            }
        }",
    )
    .unwrap();
    support::compile(&[source], "", &folder);
    let endless = support::cupping(&folder, &["run", "--max-steps", "100000", "Loops"]).expect(124);
    assert!(endless.stderr.contains("limit of steps of 100000"), "{}", endless.stderr);
    assert!(endless.stderr.contains("at Loops.main(Loops.java:4)"), "{}", endless.stderr);
    let stuck = support::cupping(&folder, &["run", "Loops", "wait"]).expect(125);
    assert!(stuck.stderr.contains("Loops.main(Loops.java:3)"), "{}", stuck.stderr);
    assert_eq!(stuck.stdout, "");
}

#[test]
fn files_are_copied_in_and_out_and_the_host_is_out_of_reach() {
    let folder = scratch("run-files");
    let source = folder.join("Copies.java");
    fs::write(
        &source,
        "import java.nio.file.*;
        public class Copies {
            public static void main(String[] args) throws Exception {
                System.out.println(Files.readString(Path.of(\"/in/data.txt\")) + new java.io.File(args[0]).exists());
                Files.createDirectories(Path.of(\"/made/sub\"));
            }
        }"
        .replace("/made/sub", "out/sub")
        .replace("Path.of(\"out/sub\"));", "Path.of(\"out/sub\")); Files.writeString(Path.of(\"out/sub/x\"), \"made\");"),
    )
    .unwrap();
    support::compile(std::slice::from_ref(&source), "", &folder);
    fs::create_dir(folder.join("given")).unwrap();
    fs::write(folder.join("given/data.txt"), "given ").unwrap();
    let hosts = folder.join("given/data.txt");
    let classes = folder.join("classes");
    fs::create_dir(&classes).unwrap();
    fs::rename(folder.join("Copies.class"), classes.join("Copies.class")).unwrap();
    let run = support::cupping(
        &folder,
        &[
            "run",
            "-cp",
            "classes",
            "--file",
            "given=/in",
            "--out",
            "out=taken",
            "Copies",
            hosts.to_str().unwrap(),
        ],
    )
    .expect(0);
    assert_eq!(run.stdout, "given false\n");
    assert_eq!(fs::read_to_string(folder.join("taken/sub/x")).unwrap(), "made");
    let wrong =
        support::cupping(&folder, &["run", "-cp", "classes", "--file", "none=/in", "Copies"]).expect(2);
    assert!(wrong.stderr.contains("none cannot be read"), "{}", wrong.stderr);
}

/// Builds the class path of `fixtures/run-jars` in a folder: classes and files in a folder, in a plain jar, in one
/// with folders and in one with files of versions, one of them under a name that URLs encode.
fn class_path_of_jars(home: &Path, folder: &Path) -> String {
    let sources = files(&repository().join("fixtures/run-jars"));
    let classes = folder.join("classes");
    let own: Vec<PathBuf> = sources.iter().filter(|it| it.ends_with("FindsFiles.java")).cloned().collect();
    let provided: Vec<PathBuf> = sources.iter().filter(|it| it.ends_with("Greets.java")).cloned().collect();
    let release = ["--release", "17"];
    compile_with(&home.join("bin/javac"), &release, &own, "", &classes);
    compile_with(&home.join("bin/javac"), &release, &provided, "", &folder.join("plain"));
    let write = |name: &str, text: &str| {
        let place = folder.join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    };
    for part in ["classes", "plain", "foldered"] {
        write(&format!("{part}/note.txt"), &format!("note of {part}"));
    }
    write("plain/META-INF/services/java.util.function.Supplier", "Greets # a comment\n");
    write("plain/with space.txt", "space");
    write("classes/with#mark.txt", "mark");
    write("classes/caf\u{e9}.txt", "coffee");
    write("foldered/data/in.txt", "in foldered");
    write("plain/data/in.txt", "in plain");
    write("versioned/of/version.txt", "base");
    write("eleven/of/version.txt", "eleven");
    write("seventeen/note.txt", "note of 17");
    fs::create_dir(folder.join("odd name")).unwrap();
    let jar = |args: &[&str]| {
        let status = Command::new(home.join("bin/jar")).args(args).current_dir(folder).status().unwrap();
        assert!(status.success(), "{args:?}");
    };
    let plain = ["Greets.class", "note.txt", "data/in.txt", "with space.txt"];
    let services = "META-INF/services/java.util.function.Supplier";
    jar(&[&["cf0", "plain.jar", "-C", "plain", services][..], &plain.map(|it| ["-C", "plain", it]).concat()]
        .concat());
    jar(&["cf", "foldered.jar", "-C", "foldered", "."]);
    jar(&[
        "--create",
        "--file",
        "odd name/versioned.jar",
        "-C",
        "versioned",
        ".",
        "--release",
        "11",
        "-C",
        "eleven",
        ".",
        "--release",
        "17",
        "-C",
        "seventeen",
        ".",
    ]);
    "classes:plain.jar:foldered.jar".into()
}

#[test]
fn files_of_jars_are_found_as_on_the_jdk() {
    for version in ["17", "25"] {
        let Some(home) = home_of(version) else {
            println!("skipped, as JDK {version} is not installed");
            continue;
        };
        let folder = scratch(&format!("run-jars-{version}"));
        let some = class_path_of_jars(&home, &folder);
        fs::copy(folder.join("odd name/versioned.jar"), folder.join("versioned.jar")).unwrap();
        // With a path that URLs encode, the JDK's own search is used.
        for class_path in
            [some.clone(), format!("{some}:versioned.jar"), format!("{some}:odd name/versioned.jar")]
        {
            let java = |mut command: Command| {
                command.args(["-cp", &class_path, "FindsFiles"]).current_dir(&folder);
                let output = command.output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout).unwrap()
            };
            let mut real = Command::new(home.join("bin/java"));
            real.env_remove("JAVA_TOOL_OPTIONS").args(["-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8"]);
            real.args(["-Dsun.jnu.encoding=UTF-8", "-Duser.language=en"]).env("LC_ALL", "C.UTF-8");
            let mut ours = Command::new(env!("CARGO_BIN_EXE_cupping"));
            ours.args(["run", "--jdk"]).arg(&home);
            let (expected, actual) = (java(real), java(ours));
            assert!(expected.contains("greetings"), "{expected}");
            assert!(expected == actual, "JDK {version}, {class_path}\n{}", difference(&expected, &actual));
        }
    }
}

/// The first lines in which two texts differ.
fn difference(expected: &str, actual: &str) -> String {
    let mut pairs = expected.lines().zip(actual.lines()).skip_while(|(expected, actual)| expected == actual);
    let first = pairs.next().map(|(expected, actual)| format!("java    {expected}\ncupping {actual}"));
    first.unwrap_or_else(|| {
        format!("java {} lines, cupping {}", expected.lines().count(), actual.lines().count())
    })
}
