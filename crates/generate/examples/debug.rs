//! Prints what is found for a class, for work on this room.
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{Options, Session};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let jdk = Jdk::locate(None)?;
    let class_path = ClassPath::open(&arguments[1], jdk.feature_version())?;
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path)))?;
    let outcome = session.generate(&arguments[2], &Options::default(), &mut |_| true)?;
    println!("{:#?}", outcome.suite);
    println!("{:#?}", outcome.statistics);
    Ok(())
}
