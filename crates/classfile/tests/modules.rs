//! The declarations of a JDK's modules.

use cupping_classfile::{ClassPath, Jdk, Program};

#[test]
fn the_modules_of_the_jdk_export_open_and_provide() {
    let jdk = Jdk::locate(None).unwrap();
    let program = Program::new(jdk, ClassPath::default());
    let base = &program.modules()["java.base"];
    let exports = |package: &str, to: Option<&str>| base.exports.iter().any(|it| it.is_for(package, to));
    assert!(exports("java/lang", None));
    assert!(!exports("jdk/internal/misc", None));
    assert!(exports("jdk/internal/misc", Some("java.desktop")));
    assert!(!base.is_open);
    let (_, providers) = base
        .provides
        .iter()
        .find(|(service, _)| &**service == "java/nio/file/spi/FileSystemProvider")
        .unwrap();
    assert!(providers.iter().any(|class| &**class == "jdk/internal/jrtfs/JrtFileSystemProvider"));
}
