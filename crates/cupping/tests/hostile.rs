//! Classes that are harmless on the machine and attack on a JVM (`fixtures/hostile_certified`). Each command that
//! certifies runs on them, in the middle of a tree of files that must be byte-identical afterwards, with listeners
//! that must hear nothing and a process that must survive.
//!
//! If the confinement of the JVM fails, the damage is limited by construction: the attacks know one folder, created
//! by the test, and delete and change nothing else.

#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::repository;

/// `nobody`.
const ORDINARY_USER: u32 = 65534;
/// Attacks that take time or end the JVM, each in its own class.
const SLOW: [&str; 10] =
    ["hooks", "protocol", "exit", "halt", "threads", "output", "disk", "memory", "told", "elsewhere"];

/// The target of the attacks.
struct Arena {
    root: tempfile::TempDir,
    /// A text that occurs in no file name on this computer, except in those of the attacks.
    unique: String,
    user: Option<u32>,
    process: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
}

/// The result of a command.
struct Outcome {
    code: Option<i32>,
    /// All that it said and wrote.
    told: String,
}

impl Arena {
    /// A tree of files, including the hostile classes, and the listeners. Everything belongs to the user, if one is
    /// named.
    fn new(user: Option<u32>) -> Arena {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("tree");
        for folder in ["home/folder/deep", "home/locked", "cwd", "tmp", "classes", "elsewhere"] {
            fs::create_dir_all(tree.join(folder)).unwrap();
        }
        for folder in ["out", "cache"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        for (name, content) in [
            ("home/notes.txt", "SECRET notes"),
            ("home/data.bin", "\0\u{1}data"),
            ("home/folder/deep/leaf", "leaf"),
            ("home/locked/key", "SECRET key"),
            ("home/empty", ""),
            ("cwd/build.gradle", "plugins {}"),
            ("tmp/notes.txt", "SECRET of somebody else"),
            ("secret.txt", "SECRET beside the class path"),
        ] {
            fs::write(tree.join(name), content).unwrap();
        }
        symlink("notes.txt", tree.join("home/link")).unwrap();
        symlink("../elsewhere", tree.join("home/to-folder")).unwrap();
        symlink("nowhere", tree.join("cwd/dangling")).unwrap();
        fs::hard_link(tree.join("home/data.bin"), tree.join("elsewhere/same-data")).unwrap();
        fs::set_permissions(tree.join("home/data.bin"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::set_permissions(tree.join("home/locked"), fs::Permissions::from_mode(0o700)).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("0.0.0.0:0").unwrap();
        // Not every system has multicast on its loopback.
        let _ = udp.join_multicast_v4(&Ipv4Addr::new(239, 1, 2, 3), &Ipv4Addr::LOCALHOST);
        let unix = UnixListener::bind(tree.join("socket")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        unix.set_nonblocking(true).unwrap();
        let mut process = Command::new("sleep");
        process.arg("3600").stdin(Stdio::null());
        if let Some(user) = user {
            process.uid(user).gid(user);
        }
        let process = process.spawn().unwrap();
        let unique =
            format!("cupping-hostile-{}", root.path().file_name().unwrap().display()).replace('.', "");
        // Other users may be unable to read the folder in which the binary was built.
        fs::copy(env!("CARGO_BIN_EXE_cupping"), root.path().join("cupping")).unwrap();
        let arena = Arena { root, unique, user, process, tcp, udp, unix };
        arena.compile();
        if let Some(user) = user {
            give(arena.root.path(), user);
        }
        arena
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Creates the classes: a copy of the subject for each attack, and the targets.
    fn compile(&self) {
        let fixtures = repository().join("fixtures/hostile_certified");
        let sources = self.path("sources");
        fs::create_dir(&sources).unwrap();
        let text = |name: &str| fs::read_to_string(fixtures.join(name)).unwrap();
        for name in ["Attack.java", "Detect.java", "Initialised.java", "Processor.java"] {
            fs::write(sources.join(name), text(name)).unwrap();
        }
        for kind in SLOW.into_iter().chain(["all"]) {
            let class = class_of(kind);
            let source = text("Subject.java").replace("Subject", &class).replace("KIND", kind);
            fs::write(sources.join(format!("{class}.java")), source).unwrap();
        }
        let tree = self.path("tree");
        let victim = format!(
            "package hostile; final class Victim {{ static final String TREE = \"{}\", UNIQUE = \"{}\", LIBRARY = \"{}\", \
             SOCKET = \"{}\"; static final int TCP = {}, UDP = {}; static final long PROCESS = {}L; }}",
            tree.display(),
            self.unique,
            tree.join("classes/libnative.so").display(),
            tree.join("socket").display(),
            self.tcp.local_addr().unwrap().port(),
            self.udp.local_addr().unwrap().port(),
            self.process.id(),
        );
        fs::write(sources.join("Victim.java"), victim).unwrap();
        let sources: Vec<PathBuf> = support::files(&sources);
        let classes = tree.join("classes");
        support::compile_with(Path::new("javac"), &["-proc:none"], &sources, "", &classes);
        let services = classes.join("META-INF/services");
        fs::create_dir_all(&services).unwrap();
        fs::write(services.join("javax.annotation.processing.Processor"), "hostile.Processor\n").unwrap();
        let library = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(classes.join("libnative.so"))
            .arg(format!("-DVICTIM=\"{}\"", tree.display()))
            .arg(fixtures.join("native.c"))
            .output();
        // Rust's linker is available where these tests are built.
        assert!(library.is_ok_and(|it| it.status.success()), "the library is not built");
    }

    /// Runs a command with home, temporary files and current folder in the tree; `OUT` stands for the output folder.
    fn run(&self, arguments: &[&str]) -> Outcome {
        let before = self.picture();
        let (out, classes) = (self.path("out"), self.path("tree/classes"));
        let mut command = Command::new(self.path("cupping"));
        let replaced = arguments.iter().map(|it| {
            it.replace("OUT", &out.display().to_string()).replace("CLASSES", &classes.display().to_string())
        });
        command
            .args(replaced)
            .current_dir(self.path("tree/cwd"))
            .env("HOME", self.path("tree/home"))
            .env("TMPDIR", self.path("tree/tmp"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("HOSTILE_TOKEN", "SECRET of the environment")
            .stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let output = command.output().unwrap();
        let mut told = String::from_utf8_lossy(&output.stdout).into_owned();
        told += &String::from_utf8_lossy(&output.stderr);
        self.check(&before, arguments, &told);
        for file in support::files(&out) {
            told += &String::from_utf8_lossy(&fs::read(file).unwrap());
        }
        assert!(!told.contains("SECRET"), "{arguments:?}: a secret got out: {told}");
        Outcome { code: output.status.code(), told }
    }

    /// Checks that nothing happened.
    fn check(&self, before: &BTreeMap<PathBuf, String>, arguments: &[&str], told: &str) {
        let after = self.picture();
        let changed: Vec<&PathBuf> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
        let differs: Vec<String> = changed
            .iter()
            .map(|it| format!("{}: {:?} {:?}", it.display(), before.get(*it), after.get(*it)))
            .collect();
        assert!(differs.is_empty(), "{arguments:?}: {}\n{told}", differs.join("\n"));
        for folder in ["/tmp", "/var/tmp", "/dev/shm", "/run", "/"] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                assert!(!name.to_string_lossy().contains(&self.unique), "{folder}/{}", name.display());
            }
        }
        let silent = |error: std::io::Error| assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
        silent(self.tcp.accept().expect_err("somebody has connected"));
        silent(self.udp.recv_from(&mut [0; 8]).expect_err("somebody has sent"));
        silent(self.unix.accept().expect_err("somebody has connected"));
        let state = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        assert!(state.starts_with("Name:\tsleep\n") && state.contains("State:\tS"), "{state}");
        let left = self.processes();
        assert!(left.is_empty(), "{arguments:?}: processes are left: {left:?}");
    }

    /// Names, kinds, contents, owners, permissions, links and times of everything in the tree.
    fn picture(&self) -> BTreeMap<PathBuf, String> {
        let tree = self.path("tree");
        let mut picture = BTreeMap::new();
        let mut waiting = vec![tree.clone()];
        while let Some(path) = waiting.pop() {
            let known = fs::symlink_metadata(&path).unwrap();
            let kind = known.file_type();
            let content = if kind.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else if kind.is_file() {
                format!("{:?}", fs::read(&path).unwrap())
            } else {
                String::new()
            };
            // Cupping's own folder is made and removed there.
            let times = match path == tree.join("tmp") {
                true => String::new(),
                false => format!("{}.{}", known.mtime(), known.mtime_nsec()),
            };
            let (mode, links, owner) = (known.mode(), known.nlink(), (known.uid(), known.gid()));
            picture.insert(path.clone(), format!("{mode:o} {links} {owner:?} {times} {content}"));
            if kind.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
            }
        }
        picture
    }

    /// Command lines of processes that mention this arena.
    fn processes(&self) -> Vec<String> {
        let root = self.root.path().display().to_string();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|it| {
            let line = String::from_utf8_lossy(&fs::read(it.path().join("cmdline")).ok()?).replace('\0', " ");
            (line.contains(&root) || line.contains(&self.unique)).then_some(line)
        });
        lines.collect()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The class that attacks in this way.
fn class_of(kind: &str) -> String {
    format!("On{}{}", kind[..1].to_uppercase(), &kind[1..])
}

/// Gives a folder with all below it to a user.
fn give(folder: &Path, user: u32) {
    chown(folder, Some(user), Some(user)).unwrap();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            give(&entry.path(), user);
        } else {
            lchown(entry.path(), Some(user), Some(user)).unwrap();
        }
    }
}

/// As the user who runs the tests, and if that is root, as an ordinary user too.
fn as_each_user(test: impl Fn(&Arena)) {
    test(&Arena::new(None));
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        test(&Arena::new(Some(ORDINARY_USER)));
    }
}

/// Checks that a command came to its end.
fn ended(outcome: &Outcome) {
    assert!(matches!(outcome.code, Some(0 | 1)), "{:?} {}", outcome.code, outcome.told);
}

/// Checks that a command came to its end, and that the attacks did run on a JVM: their attempts were noticed.
fn noticed(outcome: &Outcome) {
    ended(outcome);
    assert!(outcome.told.contains("dropped (escape)"), "{}", outcome.told);
}

#[test]
fn generate_is_out_of_reach() {
    as_each_user(|arena| {
        let outcome = arena.run(&[
            "generate",
            "--classpath",
            "CLASSES",
            "hostile.OnAll",
            "hostile.Initialised",
            "--budget",
            "1s",
            "--out",
            "OUT",
            "--json",
            "OUT/report.json",
        ]);
        noticed(&outcome);
    });
}

#[test]
fn generate_outlives_what_takes_all_there_is() {
    as_each_user(|arena| {
        for kind in SLOW {
            let class = format!("hostile.{}", class_of(kind));
            let outcome =
                arena.run(&["generate", "--classpath", "CLASSES", &class, "--budget", "1s", "--out", "OUT"]);
            ended(&outcome);
        }
    });
}

#[test]
fn dataflow_is_out_of_reach() {
    as_each_user(|arena| {
        for class in ["hostile.OnAll", "hostile.Initialised"] {
            noticed(&arena.run(&["dataflow", "-cp", "CLASSES", class, "--out", "OUT"]));
        }
    });
}

#[test]
fn infer_is_out_of_reach() {
    as_each_user(|arena| {
        for class in ["hostile.OnAll", "hostile.Initialised"] {
            let arguments =
                ["infer", "-cp", "CLASSES", class, "--budget", "0s", "--executions", "200", "--out", "OUT"];
            noticed(&arena.run(&arguments));
        }
    });
}

#[test]
fn exhaust_is_out_of_reach() {
    as_each_user(|arena| {
        for class in ["hostile.OnAll", "hostile.Initialised"] {
            let predicate = format!("{class}.repOk");
            let outcome = arena.run(&[
                "exhaust",
                "-cp",
                "CLASSES",
                "--repok",
                &predicate,
                "--method",
                "put",
                "--scope",
                "size=0..2,value=1..4",
                "--out",
                "OUT",
            ]);
            noticed(&outcome);
        }
    });
}
