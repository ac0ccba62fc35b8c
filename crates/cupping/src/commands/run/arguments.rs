//! The arguments of `cupping run`.

use crate::shared::program::arguments::ProgramArgs;
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping run --classpath classes org.example.Main one two
  cupping run -cp classes:lib.jar -Dmode=fast -ea org.example.Main
  cupping run --jdk 25 --jar app.jar
  cupping run -cp classes --file data.csv=/data.csv Main /data.csv

Words after the main class are arguments of the program. The program sees the files that it created or that
--file gave it, a clock and random numbers that are the same in each run, and no network.

Exit codes: those of the program, as with java (1 after an uncaught exception); and
  2    it could not be started: wrong options, no JDK, a class path that cannot be read
  124  it exceeded --max-steps
  125  all its threads wait for each other
  126  it used something that the machine does not support
  130  interrupted with Ctrl-C";

/// Arguments of `cupping run`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub program: ProgramArgs,
}
