//! Processes: there is only the current one, and no other program can be started.

use super::support::{NOTHING, int, long};
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::world::Errno;
use cupping_case::Effect;

const PROCESS: &str = "java/lang/ProcessImpl";
const HANDLE: &str = "java/lang/ProcessHandleImpl";
/// The id of this process.
const OWN_NUMBER: i64 = 1;
/// First feature version with the new message for a failure to start a program.
const NEW_WORDS: u16 = 24;

pub(super) const NATIVES: &[Native] = &[
    row(PROCESS, "init", "()V", NOTHING),
    row(PROCESS, "forkAndExec", "(I[B[B[BI[BI[B[IZ)I", no_program),
    row(HANDLE, "initNative", "()V", NOTHING),
    row(HANDLE, "getCurrentPid0", "()J", |_, _| long(OWN_NUMBER)),
    row(HANDLE, "parent0", "(JJ)J", |m, _| {
        m.note(Effect::OtherProcesses);
        long(-1)
    }),
    row(HANDLE, "isAlive0", "(J)J", |m, a| {
        // The time at which it started is not known.
        if a.long(m, 0) == OWN_NUMBER {
            return long(0);
        }
        m.note(Effect::OtherProcesses);
        long(-1)
    }),
    row("java/lang/ProcessHandleImpl$Info", "info0", "(J)V", |m, _| {
        m.note(Effect::OtherProcesses);
        Ok(VOID)
    }),
    row(HANDLE, "getProcessPids0", "(J[J[J[J)I", |m, _| others(m, 0)),
    row(HANDLE, "destroy0", "(JJZ)Z", |m, _| others(m, 0)),
    row(HANDLE, "waitForProcessExit0", "(JZ)I", |m, _| others(m, -1)),
];

/// There are no other processes here, but there may be on another computer.
fn others(m: &mut Machine, answer: i32) -> Step<NativeOutcome> {
    m.note(Effect::OtherProcesses);
    int(answer)
}

fn no_program(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let program = match args.reference(m, 3) {
        0 => Vec::new(),
        bytes => m.byte_array(bytes),
    };
    let program = String::from_utf8_lossy(&program).trim_end_matches('\0').to_owned();
    m.note(Effect::Process(program.into()));
    let (number, words) = (Errno::NoEntry.number(), Errno::NoEntry.message());
    let message = if m.program.jdk().feature_version() >= NEW_WORDS {
        format!("Exec failed, error: {number} ({words}) ")
    } else {
        format!("error={number}, {words}")
    };
    Err(Trap::Raise("java/io/IOException", Some(message)))
}
