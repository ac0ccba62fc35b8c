//! The seccomp filters.
//!
//! Three filters are stacked, and the strictest verdict wins: one notifies the monitor, one allows harmless
//! calls and refuses all others, and one pretends that some calls do not exist.

use super::calls::{REQUESTS, Report, UNKNOWN, harmless, reported};
use crate::ConfineError;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;

/// The verdict that passes a call to the monitor (`SECCOMP_RET_USER_NOTIF`).
const NOTIFY: u32 = 0x7fc0_0000;
/// A placeholder for it in the compiler, which does not know that verdict (`SECCOMP_RET_TRACE`).
const STAND_IN: u32 = 0x7ff0_0000;
/// `BPF_RET | BPF_K`.
const RETURN: u16 = 0x06;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filters in the order of their installation.
#[derive(Debug)]
pub struct Filters {
    /// Notifies the monitor; `None` if the kernel does not support it.
    pub notify: Option<BpfProgram>,
    /// The filters without a monitor.
    pub others: Vec<BpfProgram>,
}

/// The architecture for the filters; `None` if it is not supported.
pub fn architecture() -> Option<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH).ok()
}

/// Builds the filters.
pub fn filters(with_monitor: bool) -> Result<Filters, ConfineError> {
    let notify = if with_monitor { Some(monitor_filter()?) } else { None };
    Ok(Filters { notify, others: vec![allowed(with_monitor)?, unknown()?] })
}

/// The filter that notifies the monitor.
fn monitor_filter() -> Result<BpfProgram, ConfineError> {
    let mut rules = Rules::new();
    for (call, report) in reported() {
        let conditions = match report {
            Report::Open { flags: Some(flags), .. } => to_write(flags)?,
            _ => Vec::new(),
        };
        rules.insert(call, conditions);
    }
    let mut program = compiled(rules, SeccompAction::Allow, SeccompAction::Trace(0))?;
    for instruction in &mut program {
        if instruction.code == RETURN && instruction.k == STAND_IN {
            instruction.k = NOTIFY;
        }
    }
    Ok(program)
}

/// Rules of which one matches if a file is opened for writing.
fn to_write(flags: u8) -> Result<Vec<SeccompRule>, ConfineError> {
    [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC]
        .into_iter()
        .map(|bits| has_bits(flags, bits as u64))
        .collect()
}

fn has_bits(argument: u8, bits: u64) -> Result<SeccompRule, ConfineError> {
    rule(argument, SeccompCmpOp::MaskedEq(bits), bits)
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, ConfineError> {
    // Flags and requests are ints: the kernel ignores the upper half of the register too.
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| ConfineError::Refused(error.to_string()))
}

/// The filter that allows harmless calls, and calls that another mechanism checks.
fn allowed(with_monitor: bool) -> Result<BpfProgram, ConfineError> {
    let mut rules: Rules = harmless().into_iter().map(|call| (call, Vec::new())).collect();
    let requests: Result<Vec<SeccompRule>, ConfineError> =
        REQUESTS.iter().map(|request| rule(1, SeccompCmpOp::Eq, *request as u32 as u64)).collect();
    rules.insert(libc::SYS_ioctl, requests?);
    // The process may set its own limits, which it cannot raise, but not those of others.
    rules.insert(libc::SYS_prlimit64, vec![rule(0, SeccompCmpOp::Eq, 0)?]);
    for call in UNKNOWN {
        rules.insert(*call, Vec::new());
    }
    // Needed to install the remaining filters.
    rules.insert(libc::SYS_seccomp, Vec::new());
    for (call, report) in reported() {
        let is_allowed = match report {
            _ if with_monitor => Some(Vec::new()),
            // Landlock checks these.
            Report::Open { .. } | Report::File { .. } => Some(Vec::new()),
            Report::Clone { flags } => Some(vec![has_bits(flags, libc::CLONE_THREAD as u64)?]),
            // The program itself must be executed. Landlock allows no others except the system's loader and
            // the JDK's tools.
            Report::Execute if call == libc::SYS_execve => Some(Vec::new()),
            _ => None,
        };
        if let Some(conditions) = is_allowed {
            rules.insert(call, conditions);
        }
    }
    compiled(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

/// The filter that hides calls.
fn unknown() -> Result<BpfProgram, ConfineError> {
    let rules = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    compiled(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))
}

fn compiled(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, ConfineError> {
    let refused = |error: &dyn std::fmt::Display| ConfineError::Refused(error.to_string());
    let architecture = architecture().ok_or_else(|| refused(&"this architecture is not supported"))?;
    let filter =
        SeccompFilter::new(rules, otherwise, matched, architecture).map_err(|error| refused(&error))?;
    filter.try_into().map_err(|error: seccompiler::BackendError| refused(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monitor_is_told_and_nobody_traces() {
        let program = monitor_filter().unwrap();
        assert!(program.iter().any(|it| it.code == RETURN && it.k == NOTIFY));
        assert!(!program.iter().any(|it| it.code == RETURN && it.k & 0xffff_0000 == STAND_IN));
    }

    #[test]
    fn no_call_is_harmless_and_reported_at_once() {
        let reported: Vec<i64> = reported().into_iter().map(|(call, _)| call).collect();
        assert!(harmless().iter().all(|call| !reported.contains(call) && !UNKNOWN.contains(call)));
    }
}
