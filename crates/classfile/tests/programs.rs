//! Class paths, jars and selections.

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cupping_classfile::{ClassFileError, ClassPath, ClassSelector, Origin, Program};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Writes a jar of entries; a folder's files lie under a prefix.
fn jar(path: &Path, manifest: &str, folders: &[(&Path, &str)]) {
    let mut jar = ZipWriter::new(File::create(path).unwrap());
    let mut add = |name: &str, content: &[u8]| {
        jar.start_file(name, SimpleFileOptions::default()).unwrap();
        jar.write_all(content).unwrap();
    };
    add("META-INF/MANIFEST.MF", manifest.as_bytes());
    add("org/x/messages.properties", b"a=b");
    for (folder, prefix) in folders {
        for name in [
            "org/x/Library",
            "org/x/Library$Nested",
            "org/x/Library$Nested$Deep",
            "org/x/sub/Sub",
            "org/x/package-info",
        ] {
            let name = format!("{name}.class");
            if let Ok(content) = fs::read(folder.join(&name)) {
                add(&format!("{prefix}{name}"), &content);
            }
        }
    }
    jar.finish().unwrap();
}

/// The library, and its version for Java 11, compiled.
static LIBRARY: LazyLock<(PathBuf, PathBuf)> = LazyLock::new(|| {
    let base = common::compiled("lib", "programs-lib", &["--release", "8", "-Xlint:-options"]);
    (base, common::compiled("lib9", "programs-lib9", &["--release", "11"]))
});

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// `classes`: the library; `classes9`: its version for Java 11; `lib.jar`: both.
    fn new() -> World {
        let folder = common::folder();
        let (base, versioned) = (folder.path().join("classes"), folder.path().join("classes9"));
        copy(&LIBRARY.0, &base);
        copy(&LIBRARY.1, &versioned);
        let manifest = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";
        jar(&folder.path().join("lib.jar"), manifest, &[(&base, ""), (&versioned, "META-INF/versions/11/")]);
        World { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn program(&self, name: &str) -> Program {
        common::program(&self.path(name))
    }
}

#[test]
fn classes_are_found_in_directories_jars_and_the_jdk() {
    let world = World::new();
    for (entry, major) in [("classes", 52), ("lib.jar", 55)] {
        let program = world.program(entry);
        let class = program.require("org/x/Library").unwrap();
        assert_eq!(class.major_version, major, "{entry}");
        assert!(matches!(class.origin(), Origin::ClassPath { entry: from } if from.ends_with(entry)));
        assert!(program.require("java/lang/String").unwrap().origin().is_jdk());
        assert!(program.find("org/x/Nothing").unwrap().is_none());
        assert!(program.find("org/x/../x/Library").unwrap().is_none());
    }
    assert!(
        world
            .program("lib.jar")
            .require("org/x/Library")
            .unwrap()
            .file()
            .ends_with("lib.jar!/org/x/Library.class")
    );
    assert_eq!(
        world.program("lib.jar").resource("org/x/messages.properties").unwrap().as_deref(),
        Some(&b"a=b"[..])
    );
}

#[test]
fn a_multi_release_jar_shows_what_fits_the_jdk() {
    let world = World::new();
    let path = world.path("lib.jar");
    for (feature_version, major) in [(8, 52), (10, 52), (11, 55), (25, 55)] {
        let program = Program::new(common::jdk(), ClassPath::open(&path, feature_version).unwrap());
        assert_eq!(program.require("org/x/Library").unwrap().major_version, major, "{feature_version}");
    }
    let plain = world.folder.path().join("plain.jar");
    let versioned = world.folder.path().join("classes9");
    jar(
        &plain,
        "Manifest-Version: 1.0\r\n\r\nName: x\r\nMulti-Release: true\r\n",
        &[(&versioned, "META-INF/versions/11/")],
    );
    assert!(world.program("plain.jar").find("org/x/Library").unwrap().is_none());
}

#[test]
fn a_folder_of_jars_is_expanded() {
    let world = World::new();
    let program = common::program(&format!("{}/*", world.folder.path().display()));
    assert_eq!(program.class_path().entries().count(), 1);
    assert!(program.find("org/x/Library").unwrap().is_some());
}

#[test]
fn selectors_resolve_to_sorted_names() {
    let world = World::new();
    let all = ["org/x/Library", "org/x/Library$Nested", "org/x/Library$Nested$Deep", "org/x/sub/Sub"];
    for entry in ["classes", "lib.jar"] {
        let program = world.program(entry);
        let cases: [(&str, &[&str]); 9] = [
            ("org.x.Library", &all[..1]),
            ("org.x.Library$Nested", &all[1..2]),
            ("org.x.Library.Nested", &all[1..2]),
            ("org.x.Library.Nested.Deep", &all[2..3]),
            ("org/x/sub/Sub", &all[3..]),
            ("org.x.*", &all[..3]),
            ("org.x.**", &all),
            // Not those of the JDK.
            ("**", &all),
            (&world.path(entry), &all),
        ];
        for (text, expected) in cases {
            assert_eq!(ClassSelector::parse(text).resolve(&program).unwrap(), expected, "{text}");
        }
    }
}

#[test]
fn a_place_can_be_added_by_its_selector() {
    let world = World::new();
    let jdk = common::jdk();
    let selector = ClassSelector::parse(&world.path("lib.jar"));
    let mut class_path = ClassPath::default();
    selector.add_to(&mut class_path, jdk.feature_version()).unwrap();
    selector.add_to(&mut class_path, jdk.feature_version()).unwrap();
    assert_eq!(class_path.entries().count(), 1);
    assert_eq!(selector.resolve(&Program::new(jdk, class_path)).unwrap().len(), 4);
}

#[test]
fn missing_files_are_reported_with_a_remedy() {
    let world = World::new();
    let program = world.program("classes");
    let message = |text: &str| ClassSelector::parse(text).resolve(&program).unwrap_err().to_string();
    let missing = message("org.y.Deep");
    assert!(missing.starts_with("class org.y.Deep is not on the class path ("), "{missing}");
    assert!(missing.contains("; did you mean org.x.Library$Nested$Deep?"), "{missing}");
    assert!(message("org.y.*").starts_with("org.y.* selects no class"));
    assert!(message("other.jar").contains("add it to --classpath"));
    let unreadable = ClassPath::open("/nowhere/lib.jar", 17).unwrap_err();
    assert!(matches!(&unreadable, ClassFileError::Unreadable { file, .. } if &**file == "/nowhere/lib.jar"));
}

#[test]
fn damage_is_told_with_file_and_place() {
    let world = World::new();
    let classes = world.folder.path().join("classes");
    fs::rename(classes.join("org/x/Library$Nested.class"), classes.join("org/x/Other.class")).unwrap();
    fs::write(classes.join("org/x/Short.class"), [0xCA, 0xFE]).unwrap();
    fs::write(classes.join("org/x/Text.class"), "no class").unwrap();
    let program = world.program("classes");
    let cases = [
        (
            "org/x/Other",
            "Other.class: declares class org.x.Library$Nested, but the path requires org.x.Other; put the root",
        ),
        ("org/x/Short", "Short.class: damaged class file, offset 0x0: the file is too short"),
        ("org/x/Text", "Text.class: damaged class file, offset 0x0: does not begin with CAFEBABE"),
    ];
    for (name, expected) in cases {
        let error = program.find(name).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // The rest is still served.
    assert!(program.find("org/x/Library").unwrap().is_some());
    assert_eq!(program.classes_of_package("org/x", false).unwrap().len(), 5);
}

#[test]
fn a_damaged_jar_is_an_error() {
    let world = World::new();
    let path = world.folder.path().join("lib.jar");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = ClassPath::open(&world.path("lib.jar"), 17).unwrap_err().to_string();
    assert!(error.contains("lib.jar: damaged archive: "), "{error}");
    // The directory of the jar is whole, an entry is not.
    let mut scrambled = whole.clone();
    scrambled[300..1500].fill(0x55);
    fs::write(&path, &scrambled).unwrap();
    if let Ok(class_path) = ClassPath::open(&world.path("lib.jar"), 17) {
        let program = Program::new(common::jdk(), class_path);
        let errors: Vec<String> = program
            .classes_of_package("org/x", true)
            .unwrap()
            .iter()
            .filter_map(|name| program.find(name).err())
            .map(|error| error.to_string())
            .collect();
        assert!(
            !errors.is_empty() && errors.iter().all(|error| error.contains("lib.jar!/org/x/")),
            "{errors:?}"
        );
    }
}

#[test]
fn threads_share_one_class() {
    let program = common::program("");
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| program.require("java/util/ArrayList").unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.windows(2).all(|pair| std::sync::Arc::ptr_eq(&pair[0], &pair[1])));
}
