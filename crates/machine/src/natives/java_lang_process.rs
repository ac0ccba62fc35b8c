//! Processes: there is this one alone, and no program that another could run.

use super::support::{MINUS_ONE, MINUS_ONE_LONG, NOTHING, ZERO, long};
use super::{Args, Native, Outcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::sandbox::Errno;

const PROCESS: &str = "java/lang/ProcessImpl";
const HANDLE: &str = "java/lang/ProcessHandleImpl";
/// First feature version that words a failure to start a program in its new way.
const NEW_WORDS: u16 = 24;

pub(super) const NATIVES: &[Native] = &[
    row(PROCESS, "init", "()V", NOTHING),
    row(PROCESS, "forkAndExec", "(I[B[B[BI[BI[B[IZ)I", no_program),
    row(HANDLE, "initNative", "()V", NOTHING),
    row(HANDLE, "getCurrentPid0", "()J", |_, _| long(1)),
    row(HANDLE, "parent0", "(JJ)J", MINUS_ONE_LONG),
    row(HANDLE, "isAlive0", "(J)J", MINUS_ONE_LONG),
    row(HANDLE, "getProcessPids0", "(J[J[J[J)I", ZERO),
    row(HANDLE, "destroy0", "(JJZ)Z", ZERO),
    row(HANDLE, "waitForProcessExit0", "(JZ)I", MINUS_ONE),
];

fn no_program(m: &mut Machine, _: &Args) -> Step<Outcome> {
    let (number, words) = (Errno::NoEntry.number(), Errno::NoEntry.message());
    let message = if m.program.jdk().feature_version() >= NEW_WORDS {
        format!("Exec failed, error: {number} ({words}) ")
    } else {
        format!("error={number}, {words}")
    };
    Err(Trap::Raise("java/io/IOException", Some(message)))
}
