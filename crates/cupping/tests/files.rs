//! Code that reads and writes files (`fixtures/files`) gets tests whose files all lie in their own temporary folder.
//! Other paths are reported and not written as tests. JUnit's console runs the emitted tests under `strace`, which
//! shows the files that they use.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile, contents, cupping, files, repository, scratch};

const JAVA: &str = "/usr/share/java";

/// The tests generated for the fixtures.
struct Generated {
    folder: PathBuf,
    report: Value,
    said: String,
}

fn generate(name: &str, junit: &str, classes: &[&str]) -> Generated {
    generate_from("files", name, junit, classes)
}

fn generate_from(fixtures: &str, name: &str, junit: &str, classes: &[&str]) -> Generated {
    generate_in("", fixtures, name, junit, classes)
}

/// As [`generate_from`], in this folder of the scratch folder; `classes` holds the classes.
fn generate_in(place: &str, fixtures: &str, name: &str, junit: &str, classes: &[&str]) -> Generated {
    let folder = scratch(name);
    let sources: Vec<PathBuf> = files(&repository().join("fixtures").join(fixtures))
        .into_iter()
        .filter(|it| it.extension() == Some(OsStr::new("java")))
        .collect();
    compile(&sources, "", &folder.join("classes"));
    let (class_path, top) = if place == "classes" { (".", "..") } else { ("classes", ".") };
    let (tests, json) = (format!("{top}/tests"), format!("{top}/report.json"));
    let mut args = vec!["generate", "--classpath", class_path, "--budget", "20s", "--out", &tests];
    args.extend(["--json", &json, "--junit", junit]);
    args.extend(classes);
    // Nothing is dropped: all emitted tests hold on the JVM.
    let run = cupping(&folder.join(place), &args).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    Generated { folder, report, said: run.stdout }
}

impl Generated {
    /// Compiles the emitted tests against these jars; returns the class path to run them with.
    fn compiled(&self, jars: &[&str]) -> String {
        let jars = jars.iter().map(|jar| format!("{JAVA}/{jar}.jar")).collect::<Vec<_>>().join(":");
        let sources = files(&self.folder.join("tests"));
        let class_path = format!("{}:{jars}", self.folder.join("classes").display());
        compile(&sources, &class_path, &self.folder.join("compiled"));
        format!("{}:{class_path}", self.folder.join("compiled").display())
    }

    fn class(&self, name: &str) -> &Value {
        let classes = self.report["results"]["classes"].as_array().unwrap();
        classes.iter().find(|it| it["class"] == name).unwrap()
    }

    /// By method, the reasons why tests are withheld.
    fn withheld(&self, class: &str) -> BTreeMap<&str, &str> {
        let all = self.class(class)["withheld"].as_array().unwrap();
        all.iter().map(|it| (it["method"]["name"].as_str().unwrap(), it["why"].as_str().unwrap())).collect()
    }
}

/// Runs Java under `strace`; returns the trace, or `None` without `strace`.
fn traced(folder: &Path, args: &[&str]) -> Option<String> {
    let has_strace = Command::new("strace").arg("-V").output().is_ok();
    if !has_strace {
        eprintln!("skipped: there is no strace");
        return None;
    }
    for name in ["work", "tmp"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let trace = folder.join("trace.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file,connect,bind,sendto"]);
    strace.arg("-o").arg(&trace).arg("java").args(["-ea", "-XX:-UsePerfData"]);
    strace.arg(format!("-Djava.io.tmpdir={}", folder.join("tmp").display())).args(args);
    let output = strace.current_dir(folder.join("work")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(files(&folder.join("work")), Vec::<PathBuf>::new(), "the current folder stays empty");
    assert_eq!(contents(&folder.join("tmp")).len(), 0, "temporary folders are deleted");
    Some(String::from_utf8_lossy(&fs::read(&trace).unwrap()).into_owned())
}

/// The calls of a trace that change a file outside of a folder, use an Internet socket, or start a program.
fn escapes(trace: &str, folder: &Path, work: &Path) -> Vec<String> {
    const CHANGES: [&str; 22] = [
        "creat",
        "mkdir",
        "mkdirat",
        "rmdir",
        "unlink",
        "unlinkat",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "chmod",
        "fchmodat",
        "chown",
        "fchownat",
        "truncate",
        "utimensat",
        "mknod",
        "mknodat",
        "setxattr",
    ];
    let mut found = Vec::new();
    let mut programs = 0;
    for line in trace.lines() {
        // `123 openat(AT_FDCWD</work>, "a", O_WRONLY|O_CREAT) = 5</tmp/a>`
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let Some((name, arguments)) = call.split_once('(') else { continue };
        match name {
            "execve" => {
                // The launcher may start itself again.
                programs += 1;
                if programs > 2 || !arguments.contains("java") {
                    found.push(line.to_owned());
                }
                continue;
            }
            // The JDK opens a socket to check for IPv6, and closes it.
            "connect" | "bind" | "sendto" => {
                if arguments.contains("AF_INET") {
                    found.push(line.to_owned());
                }
                continue;
            }
            "open" | "openat"
                if ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|it| call.contains(it)) => {}
            name if CHANGES.contains(&name) => {}
            _ => continue,
        }
        let mut place = work.to_owned();
        for (at, part) in arguments.split('"').enumerate() {
            if at % 2 == 0 {
                // `5</tmp/a>`: what the next path is relative to.
                if let Some((_, rest)) = part.split_once("</")
                    && let Some((path, _)) = rest.split_once('>')
                {
                    place = Path::new("/").join(path);
                }
                continue;
            }
            let path = place.join(part);
            let is_system = ["/dev/null", "/dev/tty", "/proc/self"].iter().any(|it| path.starts_with(it));
            if !path.starts_with(folder) && !is_system {
                found.push(line.to_owned());
            }
        }
    }
    found
}

#[test]
fn escapes_are_seen() {
    let (folder, work) = (Path::new("/t/tmp"), Path::new("/t/work"));
    let of = |line: &str| escapes(line, folder, work).len();
    assert_eq!(of(r#"1 openat(AT_FDCWD</t/work>, "a", O_WRONLY|O_CREAT, 0666) = 3</t/work/a>"#), 1);
    assert_eq!(of(r#"1 openat(AT_FDCWD</t/work>, "/t/tmp/a", O_WRONLY|O_CREAT, 0666) = 3"#), 0);
    assert_eq!(of(r#"1 openat(AT_FDCWD</t/work>, "/etc/hosts", O_RDONLY) = 3"#), 0);
    assert_eq!(of(r#"1 unlinkat(5</t/tmp/junit1>, "x", 0) = 0"#), 0);
    assert_eq!(of(r#"1 rename("/t/tmp/a", "/home/b") = 0"#), 1);
    assert_eq!(of(r#"1 connect(3, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0"#), 1);
    assert_eq!(of(r#"1 execve("/bin/touch", ["touch"], 0x7f /* 2 vars */) = 0"#), 1);
}

/// Many libraries ask once which system they run on. That concerns no class under test but those that ask themselves;
/// files of the user are another matter.
#[test]
fn initialisers_of_other_classes_may_ask_the_system() {
    let generated = generate_from("systems", "systems", "5", &["systems.*"]);
    for (class, branches) in [("systems.Greeter", 2), ("systems.Report", 2)] {
        assert_eq!(generated.class(class)["coverage"]["branches"]["covered"], branches, "{class}");
        assert!(generated.withheld(class).is_empty(), "{class}: {:?}", generated.withheld(class));
    }
    assert_eq!(generated.withheld("systems.Detector").len(), 1);
    assert_eq!(generated.withheld("systems.Volumes")["count"], "/proc/mounts read");
    assert_eq!(generated.withheld("systems.Interfaces")["count"], "socket: network interfaces listed");
    assert!(generated.withheld("systems.Watcher")["state"].starts_with("unknown native method"));
    let client = generated.withheld("systems.Client");
    assert!(client["port"].starts_with("client.properties in the current folder"), "{client:?}");
}

/// What the JDK does behind its interfaces is allowed where tests are certified: it looks up this computer, reads its
/// own configuration, and looks for entropy.
#[test]
fn services_of_the_jdk_work_where_tests_are_certified() {
    let generated = generate_from("services", "services", "5", &["services.*"]);
    for class in ["services.Channels", "services.Draws", "services.Endpoint", "services.Sealer"] {
        let lines = &generated.class(class)["coverage"]["lines"];
        assert_eq!(lines["covered"], lines["total"], "{class}");
        assert!(generated.withheld(class).is_empty(), "{class}: {:?}", generated.withheld(class));
    }
}

/// A shutdown hook counts by what it does at the end. The name of the computer may be asked for, and is not asserted.
#[test]
fn hooks_count_by_what_they_do() {
    let generated = generate_from("hooks", "hooks", "5", &["hooks.*"]);
    for (class, branches) in [("hooks.Till", 4), ("hooks.Depot", 4), ("hooks.Doorplate", 3)] {
        assert_eq!(generated.class(class)["coverage"]["branches"]["covered"], branches, "{class}");
        assert!(generated.withheld(class).is_empty(), "{class}: {:?}", generated.withheld(class));
    }
    let sweeper = generated.withheld("hooks.Sweeper");
    let why = "/srv/sweeper.lock deleted, shutdown hook java.lang.Thread registered";
    assert_eq!(sweeper["sweep"], why, "{sweeper:?}");
    let watchman = generated.withheld("hooks.Watchman");
    assert_eq!(watchman["hours"], "shutdown hook java.lang.Thread registered", "{watchman:?}");
    let doorplate = fs::read_to_string(generated.folder.join("tests/hooks/DoorplateTest.java")).unwrap();
    assert!(doorplate.contains("isLong") && !doorplate.contains("localhost"), "{doorplate}");
}

/// The initialiser of another class takes long, and reads the clock or a seed. It runs before all paths, not in each,
/// and what it has read is not asserted.
#[test]
fn slow_initialisers_that_read_the_clock_do_not_use_up_the_budget() {
    let folder = scratch("slow-initialisers");
    let sources = ["Timetable", "Station", "Seal", "Vault"].map(|it| format!("fixtures/hooks/{it}.java"));
    compile(&sources.map(|it| repository().join(it)), "", &folder.join("classes"));
    let args =
        ["generate", "--classpath", "classes", "--work", "2s", "--out", "tests", "--json", "report.json"];
    cupping(&folder, &[&args[..], &["hooks.Station", "hooks.Vault"]].concat()).expect(0);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let generated = Generated { folder, report: serde_json::from_str(&report).unwrap(), said: String::new() };
    for (class, branches) in [("hooks.Station", 8), ("hooks.Vault", 12)] {
        let covered = &generated.class(class)["coverage"]["branches"]["covered"];
        assert!(covered.as_u64().is_some_and(|it| it >= branches), "{class}: {covered}");
    }
    let read =
        |class: &str| fs::read_to_string(generated.folder.join(format!("tests/hooks/{class}"))).unwrap();
    for line in read("StationTest.java").lines().filter(|it| it.contains("opened()")) {
        assert!(line.contains("assertNotEquals(0L, "), "{line}");
    }
    assert!(!read("VaultTest.java").lines().any(|it| it.contains("assert") && it.contains(".id()")));
}

/// Threads that have done their work, or have none, end by themselves.
#[test]
fn threads_that_only_end_are_no_effects() {
    let generated =
        generate_from("naps", "pools", "5", &["naps.Batch", "naps.Handover", "naps.Loose", "naps.Reminder"]);
    for (class, branches) in [("naps.Batch", 6), ("naps.Reminder", 2)] {
        assert_eq!(generated.class(class)["coverage"]["branches"]["covered"], branches, "{class}");
        assert!(generated.withheld(class).is_empty(), "{class}: {:?}", generated.withheld(class));
    }
    for class in ["naps.Handover", "naps.Loose"] {
        assert_eq!(generated.withheld(class)["start"], "thread pool-1-thread-1 left running", "{class}");
    }
}

/// A class loader that looks for a file in the current folder, since that is the class path, asks the program.
#[test]
fn looks_of_class_loaders_are_no_effects() {
    let generated = generate_in("classes", "lookups", "lookups", "5", &["lookups.*"]);
    // Of `Wording` one edge is that a file is found; of `Fees` that there is a rule.
    for (class, branches) in [("lookups.Wording", 3), ("lookups.Fees", 3)] {
        assert_eq!(generated.class(class)["coverage"]["branches"]["covered"], branches, "{class}");
        assert!(generated.withheld(class).is_empty(), "{class}: {:?}", generated.withheld(class));
    }
    assert!(generated.withheld("lookups.Presence").contains_key("isHere"));
}

#[test]
fn tests_of_files_stay_in_their_folder() {
    let generated = generate("files", "5", &["files.*"]);
    let expected = fs::read_to_string(repository().join("fixtures/files/COVERAGE")).unwrap();
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [class, lines, branches, ..] = words[..] else { panic!("{line}") };
        let covered = |kind: &str| generated.class(class)["coverage"][kind]["covered"].as_u64().unwrap();
        let figures = format!("{class} {} {}", covered("lines"), covered("branches"));
        assert!(covered("lines") >= lines.parse().unwrap(), "{figures}, and {lines} lines are expected");
        assert!(covered("branches") >= branches.parse().unwrap(), "{figures}, and {branches} are expected");
    }
    let outside = generated.withheld("files.Outside");
    assert_eq!(outside.keys().copied().collect::<Vec<_>>(), ["knows", "purge", "start"]);
    assert_eq!(outside["knows"], "/etc/hosts read");
    assert!(outside["purge"].contains("the current folder"), "{outside:?}");
    assert!(outside["start"].starts_with("process touch"), "{outside:?}");
    assert!(generated.said.contains("files.Outside: 3 tests are withheld"), "{}", generated.said);
    let emitted = contents(&generated.folder.join("tests"));
    for (path, text) in &emitted {
        assert!(!text.contains("/cupping-"), "{}: {text}", path.display());
    }
    let globals = &emitted[Path::new("files/GlobalsTest.java")];
    for line in
        ["Locale.setDefault(locale);", "TimeZone.setDefault(timeZone);", "System.setOut(standardOutput);"]
    {
        assert!(globals.contains(line), "{globals}");
    }
    assert!(
        globals.contains("properties.put(\"files.mode\", System.getProperty(\"files.mode\"));"),
        "{globals}"
    );
    let copies = &emitted[Path::new("files/FileCopyTest.java")];
    assert!(copies.contains("@TempDir\n    File folder;"), "{copies}");
    assert!(copies.contains("textOf(new File(folder, "), "what is written is asserted: {copies}");
    let api = ["junit-jupiter-api", "junit-platform-commons", "opentest4j", "apiguardian-api"];
    let class_path = generated.compiled(&api);
    let console = format!("{JAVA}/junit-platform-console-standalone.jar:{class_path}");
    let root = generated.folder.join("compiled");
    let args = [
        "-cp",
        &console,
        "org.junit.platform.console.ConsoleLauncher",
        "--scan-classpath",
        root.to_str().unwrap(),
        "--disable-banner",
    ];
    if let Some(trace) = traced(&generated.folder, &args) {
        let (tmp, work) = (generated.folder.join("tmp"), generated.folder.join("work"));
        assert!(
            trace.lines().any(|line| line.contains("O_CREAT") && line.contains("junit")),
            "files are made"
        );
        assert_eq!(escapes(&trace, &tmp, &work), Vec::<String>::new());
    }
}

#[test]
fn the_same_for_junit_4() {
    let classes = ["files.FileCopy", "files.Store", "files.Globals", "files.Notes"];
    let generated = generate("files4", "4", &classes);
    let emitted = contents(&generated.folder.join("tests"));
    let copies = &emitted[Path::new("files/FileCopyTest.java")];
    assert!(copies.contains("public final TemporaryFolder folder = new TemporaryFolder();"), "{copies}");
    assert!(copies.contains("new File(folder.getRoot(), "), "{copies}");
    let class_path = generated.compiled(&["junit4", "hamcrest-core"]);
    let mut args = vec!["-cp", &class_path, "org.junit.runner.JUnitCore"];
    let names: Vec<String> =
        emitted.keys().map(|path| path.with_extension("").display().to_string().replace('/', ".")).collect();
    args.extend(names.iter().map(String::as_str));
    if let Some(trace) = traced(&generated.folder, &args) {
        let (tmp, work) = (generated.folder.join("tmp"), generated.folder.join("work"));
        assert_eq!(escapes(&trace, &tmp, &work), Vec::<String>::new());
    }
}
