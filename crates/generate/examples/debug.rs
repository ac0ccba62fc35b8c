//! Prints the suite and statistics of a class, for development of this crate: `debug CLASSPATH CLASS`.
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{GenerateOptions, Session};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [class_path, class] = &arguments[..] else {
        return Err("usage: debug CLASSPATH CLASS".into());
    };
    let jdk = Jdk::locate(None)?;
    let class_path = ClassPath::open(class_path, jdk.feature_version())?;
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path)))?;
    let outcome = session.generate(class, &GenerateOptions::default(), &mut |_| true)?;
    println!("{:#?}", outcome.suite);
    println!("{:#?}", outcome.statistics);
    Ok(())
}
