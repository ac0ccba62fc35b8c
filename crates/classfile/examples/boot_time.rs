//! Prints how long it takes to open the JDK's image and to read classes from it, as a machine that boots does.
//!
//! `cargo run --release -p cupping-classfile --example boot_time [CLASSES]`

use std::time::Instant;

use cupping_classfile::{ClassFileError, ClassPath, Jdk, Program};

fn main() -> Result<(), ClassFileError> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(500);
    let names = {
        let program = Program::new(Jdk::locate(None)?, ClassPath::default());
        let mut names = program.classes_of_package("java/lang", true)?.to_vec();
        names.extend_from_slice(&program.classes_of_package("java/util", true)?);
        names.truncate(count);
        names
    };
    let start = Instant::now();
    let jdk = Jdk::locate(None)?;
    let opened = start.elapsed();
    let program = Program::new(jdk, ClassPath::default());
    let mut classes = Vec::new();
    for name in &names {
        classes.push(program.require(name)?);
    }
    let read = start.elapsed();
    let mut bytes = 0;
    for class in &classes {
        for method in class.methods.iter() {
            bytes += class.code(method)?.map_or(0, |code| code.bytecode.len());
        }
    }
    let decoded = start.elapsed();
    println!("JDK {} opened: {opened:?}", program.jdk().feature_version());
    println!("{} classes read: {:?}", classes.len(), read - opened);
    println!("all their bodies ({bytes} bytes of code) decoded: {:?}", decoded - read);
    Ok(())
}
