//! Exit codes; `docs/exit-codes.md` describes them.

use serde::{Deserialize, Serialize};

/// The errors of a run. Partial statuses are combined by [`Status::add`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The user ended the run early.
    pub interrupted: bool,
    /// A request could not be fulfilled: no such class, a damaged file, no JDK.
    pub bad_input: bool,
    /// Cupping made an error: a divergence from the JDK, a failed self-check, a panic.
    pub wrong: bool,
    /// Tests were requested, and there was none to write.
    pub empty: bool,
    /// The time was over before everything was examined. That is not an error, since the user chose the time.
    #[serde(default)]
    pub late: bool,
}

impl Status {
    /// All is well.
    pub const DONE: Status =
        Status { interrupted: false, bad_input: false, wrong: false, empty: false, late: false };
    /// A request could not be fulfilled.
    pub const BAD_INPUT: Status = Status { bad_input: true, ..Status::DONE };
    /// Cupping was wrong.
    pub const WRONG: Status = Status { wrong: true, ..Status::DONE };
    /// Tests were requested, and there was none to write.
    pub const EMPTY: Status = Status { empty: true, ..Status::DONE };
    /// The user ended the run early.
    pub const INTERRUPTED: Status = Status { interrupted: true, ..Status::DONE };
    /// The time was over before all was looked at.
    pub const LATE: Status = Status { late: true, ..Status::DONE };

    /// Takes note of another part's status.
    pub fn add(&mut self, other: Status) {
        let Status { interrupted, bad_input, wrong, empty, late } = other;
        self.interrupted |= interrupted;
        self.bad_input |= bad_input;
        self.wrong |= wrong;
        self.empty |= empty;
        self.late |= late;
    }

    /// The word for it in JSON reports.
    pub fn word(self) -> cupping_view::Status {
        match self {
            Status { interrupted: true, .. } => cupping_view::Status::Interrupted,
            Status { bad_input: true, .. } | Status { late: true, .. } => cupping_view::Status::Partial,
            _ => cupping_view::Status::Complete,
        }
    }

    /// The exit code: if several apply, the one that stands for the least complete result.
    pub fn code(self) -> u8 {
        match self {
            Status { interrupted: true, .. } => 130,
            Status { bad_input: true, .. } => 2,
            Status { wrong: true, .. } => 1,
            Status { empty: true, .. } => 3,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn the_least_complete_result_decides() {
        let sum = |parts: &[Status]| {
            let mut sum = Status::DONE;
            parts.iter().for_each(|part| sum.add(*part));
            sum.code()
        };
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[Status::LATE, Status::DONE]), 0);
        assert_eq!(sum(&[Status::EMPTY, Status::LATE, Status::DONE]), 3);
        assert_eq!(sum(&[Status::WRONG, Status::EMPTY]), 1);
        assert_eq!(sum(&[Status::BAD_INPUT, Status::WRONG]), 2);
        assert_eq!(sum(&[Status::WRONG, Status::INTERRUPTED, Status::BAD_INPUT]), 130);
    }
}
