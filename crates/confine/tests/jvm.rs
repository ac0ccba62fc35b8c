//! Runs Java programs in a sandbox to test what they can and cannot do.

#![cfg(target_os = "linux")]

use cupping_confine::{Attempt, AttemptKind, Policy, Sandbox, Support, Tool};
use std::collections::BTreeMap;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Home of the JDK on the path.
fn jdk_home() -> PathBuf {
    if let Some(home) = env::var_os("JAVA_HOME") {
        return home.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let javac = env::split_paths(&path).map(|folder| folder.join("javac")).find(|it| it.is_file());
    let javac = fs::canonicalize(javac.expect("the tests need a JDK")).unwrap();
    javac.parent().and_then(Path::parent).unwrap().to_owned()
}

/// A compiled program of `tests/java`.
fn compiled(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/{name}.java"));
    let status = Command::new(jdk_home().join("bin/javac"))
        .args(["-nowarn", "-d"])
        .arg(folder.path())
        .arg(source)
        .status()
        .unwrap();
    assert!(status.success());
    folder
}

/// The output of a program in a sandbox, and its attempts.
fn run(name: &str, arguments: &[&str]) -> (String, Vec<Attempt>) {
    assert!(Support::of_kernel().is_full(), "{}", Support::of_kernel());
    let classes = compiled(name);
    let mut policy = Policy::new(&jdk_home());
    policy.readable.push(classes.path().into());
    let sandbox = Sandbox::new(policy, false).unwrap();
    let mut command = sandbox.command(&jdk_home().join("bin/java"), Tool::Java);
    command.arg("-cp").arg(classes.path()).arg(name).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut confined = sandbox.spawn(command).unwrap();
    let mut printed = String::new();
    confined.take_stdout().unwrap().read_to_string(&mut printed).unwrap();
    let attempts = confined.take_attempts().unwrap();
    let root = confined.folder().root().to_owned();
    drop(confined);
    assert!(!root.exists(), "the private folder is removed");
    (printed, attempts)
}

/// Names, contents, permissions and times of everything below a folder.
fn picture(folder: &Path) -> BTreeMap<PathBuf, String> {
    use std::os::unix::fs::MetadataExt;
    let mut picture = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let known = folder.metadata().unwrap();
        picture.insert(folder.clone(), format!("{:o} {}", known.mode(), known.mtime_nsec()));
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let known = path.metadata().unwrap();
                let (mode, time, links) = (known.mode(), known.mtime_nsec(), known.nlink());
                picture
                    .insert(path.clone(), format!("{mode:o} {time} {links} {:?}", fs::read(&path).unwrap()));
            }
        }
    }
    picture
}

#[test]
fn an_ordinary_program_works() {
    let (printed, attempts) = run("Ordinary", &[]);
    assert!(printed.contains("variables works") && !printed.contains("FAILS"), "{printed}");
    // All file operations were reported, and stayed within its own folder.
    let removed = attempts
        .iter()
        .any(|it| it.act == AttemptKind::Rename && it.path.as_ref().is_some_and(|it| it.ends_with("text")));
    assert!(removed, "{attempts:?}");
}

#[test]
fn an_attack_does_nothing_and_is_noticed() {
    let victim = tempfile::tempdir().unwrap();
    fs::write(victim.path().join("file"), "content").unwrap();
    fs::create_dir(victim.path().join("empty")).unwrap();
    let before = picture(victim.path());
    let (tcp, port) = loop {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        if let Ok(udp) = UdpSocket::bind(("127.0.0.1", port)) {
            udp.set_nonblocking(true).unwrap();
            break ((tcp, udp), port);
        }
    };
    let (printed, attempts) = run("Attack", &[victim.path().to_str().unwrap(), &port.to_string()]);
    assert!(printed.ends_with("end\n"), "{printed}");
    assert!(!printed.contains("SUCCEEDED"), "{printed}");
    assert_eq!(picture(victim.path()), before);
    let (tcp, udp) = tcp;
    tcp.set_nonblocking(true).unwrap();
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 9]).is_err(), "somebody was heard");
    for act in [AttemptKind::OpenSocket, AttemptKind::StartProcess] {
        assert!(attempts.contains(&Attempt::of(act)), "{act:?}: {attempts:?}");
    }
    for act in [AttemptKind::Write, AttemptKind::Remove, AttemptKind::Rename, AttemptKind::ChangeAttributes] {
        let file = victim.path().canonicalize().unwrap().join("file");
        assert!(attempts.contains(&Attempt::on(act, file)), "{act:?}: {attempts:?}");
    }
    assert!(!Path::new("/tmp/cupping-attack").exists() && !Path::new("/dev/shm/cupping-attack").exists());
}
