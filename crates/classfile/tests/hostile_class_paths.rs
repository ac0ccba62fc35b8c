//! Untrusted class paths: links out of a folder, files that are not regular, and archives with false sizes.

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use cupping_classfile::limits::{LARGEST_CLASS, LARGEST_RESOURCE, MOST_ENTRIES};
use cupping_classfile::{ClassFileError, ClassPath, ListedKind, Program};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn open(path: &Path) -> ClassPath {
    ClassPath::open(path.to_str().unwrap(), 17).unwrap()
}

/// The resources that the only entry of a class path gives to the program.
fn resource(class_path: &ClassPath, name: &str) -> Option<Vec<u8>> {
    class_path.entries().next().unwrap().resource(name).unwrap().map(|it| it.to_vec())
}

#[cfg(unix)]
mod folders {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_stay_inside_their_folder() {
        let folder = common::folder();
        let (root, outside) = (folder.path().join("classes"), folder.path().join("outside"));
        write(&outside.join("secret.txt"), b"secret");
        write(&folder.path().join("classes-too/secret.txt"), b"secret");
        write(&root.join("a/inner.txt"), b"inner");
        write(&root.join(".hidden/key"), b"key");
        let links: [(&str, &Path); 12] = [
            ("file", &outside.join("secret.txt")),
            ("folder", &outside),
            ("up", Path::new("..")),
            ("relative", Path::new("../outside/secret.txt")),
            // A name that begins as the root's does.
            ("neighbour", Path::new("../classes-too")),
            ("chain", Path::new("folder")),
            ("nothing", Path::new("nowhere")),
            ("cycle", Path::new("cycle")),
            ("key", Path::new(".hidden/key")),
            ("a/root", Path::new("..")),
            ("within", Path::new("a/inner.txt")),
            ("absolute", &root.join("a")),
        ];
        for (name, target) in links {
            symlink(target, root.join(name)).unwrap();
        }
        let class_path = open(&root);
        let entry = class_path.entries().next().unwrap();
        for name in [
            "file",
            "folder/secret.txt",
            "up/outside/secret.txt",
            "relative",
            "neighbour/secret.txt",
            "chain/secret.txt",
            "key",
        ] {
            let error = entry.read(name).unwrap_err();
            assert!(matches!(error, ClassFileError::LeadsOut { .. }), "{name}: {error}");
            assert_eq!(entry.resource(name), Ok(None), "{name}");
        }
        for name in [
            "nothing",
            "nothing/x",
            ".hidden/key",
            "../outside/secret.txt",
            "/etc/passwd",
            "a",
            "a/./inner.txt",
            "",
        ] {
            assert_eq!(entry.read(name), Ok(None), "{name}");
        }
        assert!(!matches!(entry.read("cycle"), Ok(Some(_))));
        for name in
            ["a/inner.txt", "within", "absolute/inner.txt", "a/root/a/inner.txt", "a/root/a/root/within"]
        {
            assert_eq!(entry.read(name).unwrap().as_deref(), Some(&b"inner"[..]), "{name}");
        }
        let listed = entry.list().unwrap();
        let listed: Vec<(&str, &ListedKind)> = listed.iter().map(|it| (it.name.as_str(), &it.kind)).collect();
        assert_eq!(
            listed,
            [
                ("a", &ListedKind::Folder),
                ("a/inner.txt", &ListedKind::File(5)),
                ("a/root", &ListedKind::Link(String::new())),
                ("absolute", &ListedKind::Link("a".into())),
                ("within", &ListedKind::Link("a/inner.txt".into())),
            ]
        );
    }

    #[test]
    fn a_class_that_a_link_brings_in_is_refused_by_name() {
        let folder = common::folder();
        let classes = common::compiled("lib", "programs-lib", &["--release", "8", "-Xlint:-options"]);
        let root = folder.path().join("classes");
        fs::create_dir_all(root.join("org")).unwrap();
        symlink(classes.join("org/x"), root.join("org/x")).unwrap();
        let program = Program::new(common::jdk(), open(&root));
        let message = program.find("org/x/Library").unwrap_err().to_string();
        assert!(message.contains("leaves the class path folder"), "{message}");
        assert_eq!(program.resource("org/x/Library.class"), Ok(None));
        // The folder itself may be a link: the user has named it.
        symlink(&classes, folder.path().join("link")).unwrap();
        let program = Program::new(common::jdk(), open(&folder.path().join("link")));
        assert!(program.find("org/x/Library").unwrap().is_some());
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = common::folder();
        let fifo = folder.path().join("Fifo.class");
        common::run(std::process::Command::new("mkfifo").arg(&fifo));
        symlink("Fifo.class", folder.path().join("ToFifo.class")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let class_path = open(folder.path());
        let entry = class_path.entries().next().unwrap();
        // Opening a FIFO would wait for a writer.
        for name in ["Fifo.class", "ToFifo.class", "socket"] {
            assert_eq!(entry.read(name), Ok(None), "{name}");
        }
        assert_eq!(entry.list(), Ok(Vec::new()));
        assert!(
            ClassPath::open(fifo.to_str().unwrap(), 17).unwrap_err().to_string().contains("neither a file")
        );
        assert!(ClassPath::open("/dev/zero", 17).unwrap_err().to_string().contains("neither a file"));
    }
}

#[test]
fn a_folder_that_nobody_named_shows_its_classes_only() {
    let folder = common::folder();
    let classes = common::compiled("lib", "programs-lib", &["--release", "8", "-Xlint:-options"]);
    let class = fs::read(classes.join("org/x/Library.class")).unwrap();
    let root = folder.path().join("here");
    write(&root.join("org/x/Library.class"), &class);
    write(&root.join("org/y/Library.class"), &class);
    write(&root.join("secret.txt"), b"secret");
    write(&root.join("private/notes.txt"), b"secret");
    write(&root.join("key.class"), b"a key, not a class");
    write(&root.join(".env"), b"secret");
    write(&root.join(".git/Library.class"), &class);
    let name = root.to_str().unwrap();
    let named = ClassPath::open(name, 17).unwrap();
    assert_eq!(resource(&named, "secret.txt").as_deref(), Some(&b"secret"[..]));
    assert_eq!(resource(&named, "key.class").as_deref(), Some(&b"a key, not a class"[..]));
    assert_eq!(resource(&named, ".env"), None);
    let implied = ClassPath::open_implied(name, 17).unwrap();
    assert_eq!(resource(&implied, "org/x/Library.class"), Some(class));
    for name in
        ["secret.txt", "private/notes.txt", "key.class", ".env", ".git/Library.class", "org/y/Library.class"]
    {
        assert_eq!(resource(&implied, name), None, "{name}");
    }
    let listed = implied.entries().next().unwrap().list().unwrap();
    let listed: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(listed, ["key.class", "org", "org/x", "org/x/Library.class", "org/y", "org/y/Library.class"]);
    // A misplaced class is still reported as such.
    let program = Program::new(common::jdk(), implied.clone());
    assert!(matches!(program.find("org/y/Library"), Err(ClassFileError::WrongName { .. })));
    // Once it is named, it is named.
    let mut both = implied;
    both.push(&root, 17).unwrap();
    assert_eq!((both.entries().count(), resource(&both, "secret.txt").is_some()), (1, true));
}

/// A jar with one entry of this many zeros, which take a thousandth of that in the jar.
fn bomb(path: &Path, name: &str, length: u64) {
    let mut jar = ZipWriter::new(File::create(path).unwrap());
    jar.start_file(name, SimpleFileOptions::default()).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..length >> 20 {
        jar.write_all(&zeros).unwrap();
    }
    jar.write_all(&zeros[..(length % (1 << 20)) as usize]).unwrap();
    jar.finish().unwrap();
}

#[test]
fn entries_of_jars_have_a_limit_whatever_they_say_of_themselves() {
    let folder = common::folder();
    for (name, limit) in [("x/Big.class", LARGEST_CLASS), ("x/big.txt", LARGEST_RESOURCE)] {
        let jar = folder.path().join("bomb.jar");
        bomb(&jar, name, limit + 1);
        let place = format!("bomb.jar!/{name}: has more than {} MiB", limit >> 20);
        let class_path = open(&jar);
        let message = class_path.entries().next().unwrap().read(name).unwrap_err().to_string();
        assert!(message.contains(&place), "{message}");
        // The same jar, with a declared length of 100 wherever one is declared.
        let mut bytes = fs::read(&jar).unwrap();
        let true_length = ((limit + 1) as u32).to_le_bytes();
        let places: Vec<usize> =
            (0..bytes.len() - 4).filter(|at| bytes[*at..*at + 4] == true_length).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + 4].copy_from_slice(&100u32.to_le_bytes());
        }
        fs::write(&jar, bytes).unwrap();
        let class_path = open(&jar);
        let lying = class_path.entries().next().unwrap().read(name);
        assert!(lying.as_ref().is_err() || lying.as_ref().is_ok_and(|it| it.as_ref().unwrap().len() <= 100));
        bomb(&jar, name, 1000);
        assert_eq!(open(&jar).entries().next().unwrap().read(name).unwrap().unwrap().len(), 1000);
    }
    let file = folder.path().join("classes/Big.class");
    write(&file, b"");
    File::options().write(true).open(&file).unwrap().set_len(LARGEST_CLASS + 1).unwrap();
    let message =
        open(file.parent().unwrap()).entries().next().unwrap().read("Big.class").unwrap_err().to_string();
    assert!(message.contains("Big.class: has more than 64 MiB"), "{message}");
}

#[test]
fn a_manifest_is_not_read_without_end() {
    let folder = common::folder();
    let jar = folder.path().join("manifest.jar");
    bomb(&jar, "META-INF/MANIFEST.MF", 64 << 20);
    let message = open(&jar).entries().next().unwrap().read("META-INF/MANIFEST.MF").unwrap_err().to_string();
    assert!(message.contains("has more than 16 MiB"), "{message}");
}

#[test]
fn entry_names_that_leave_the_archive_are_ignored() {
    let folder = common::folder();
    let path = folder.path().join("names.jar");
    let mut jar = ZipWriter::new(File::create(&path).unwrap());
    for name in ["../up.txt", "/etc/passwd", "a/../b.txt", "a//b.txt", "nul\0.txt", "a\\b.txt", "fine.txt"] {
        jar.start_file(name, SimpleFileOptions::default()).unwrap();
        jar.write_all(name.as_bytes()).unwrap();
    }
    jar.finish().unwrap();
    let class_path = open(&path);
    for name in ["../up.txt", "/etc/passwd", "etc/passwd", "a/../b.txt", "b.txt", "a//b.txt", "nul\0.txt"] {
        assert_eq!(resource(&class_path, name), None, "{name:?}");
    }
    assert_eq!(resource(&class_path, "fine.txt").as_deref(), Some(&b"fine.txt"[..]));
}

#[test]
fn a_jar_that_says_it_has_too_many_entries_is_refused_before_they_are_read() {
    let folder = common::folder();
    let path = folder.path().join("many.jar");
    let mut jar = ZipWriter::new(File::create(&path).unwrap());
    jar.start_file("fine.txt", SimpleFileOptions::default()).unwrap();
    jar.finish().unwrap();
    // The record of a 64-bit archive, before the end record.
    let mut record = vec![b'P', b'K', 6, 6];
    record.resize(56, 0);
    record[32..40].copy_from_slice(&(MOST_ENTRIES + 1).to_le_bytes());
    let bytes = fs::read(&path).unwrap();
    let (head, end) = bytes.split_at(bytes.len() - 22);
    fs::write(&path, [head, &record, end].concat()).unwrap();
    let message = ClassPath::open(path.to_str().unwrap(), 17).unwrap_err().to_string();
    assert!(message.contains("more than 1048576 entries"), "{message}");
}

#[test]
fn a_resource_of_a_damaged_image_does_not_take_what_it_says() {
    use cupping_classfile::jimage::Image;
    let folder = common::folder();
    let real = common::jdk().home().join("lib/modules");
    let copy = folder.path().join("modules");
    fs::copy(real, &copy).unwrap();
    let name = "/java.base/java/lang/Object.class";
    let before = Image::open(&copy).unwrap();
    let found = before.find(name).unwrap().unwrap();
    let length = before.read(&found).unwrap().len();
    drop(before);
    // Attributes of locations: kind 7 (the length) with two bytes. The lengths of all classes named Object are
    // increased.
    let mut bytes = fs::read(&copy).unwrap();
    let index = bytes.len().min(8 << 20);
    let [high, low] = (length as u16).to_be_bytes();
    let places: Vec<usize> =
        (0..index - 3).filter(|at| bytes[*at..*at + 3] == [7 << 3 | 1, high, low]).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at + 1] = 0xFF;
    }
    fs::write(&copy, bytes).unwrap();
    let damaged = Image::open(&copy).unwrap();
    let found = damaged.find(name).unwrap().unwrap();
    let read = damaged.read(&found);
    assert!(read.is_err() || read.unwrap().len() != length);
}
