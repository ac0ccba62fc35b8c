//! Why a system call of the in-memory file system fails, with Linux' error numbers and messages.

/// A failure of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// The operation is not allowed to any user.
    NotPermitted = 1,
    /// There is no such file.
    NoEntry = 2,
    /// The descriptor is not open, or not for this.
    BadDescriptor = 9,
    /// The permissions of the file forbid it.
    AccessDenied = 13,
    /// There is one already.
    Exists = 17,
    /// A part of the path is not a directory.
    NotDirectory = 20,
    /// It is a directory.
    IsDirectory = 21,
    /// The arguments make no sense.
    Invalid = 22,
    /// The file would be larger than can be.
    TooLarge = 27,
    /// The file system is full.
    NoSpace = 28,
    /// The file cannot be written to.
    ReadOnly = 30,
    /// A name is longer than 255 bytes, or a path longer than 4096.
    NameTooLong = 36,
    /// The machine has no such system call.
    NoSystemCall = 38,
    /// The directory is not empty.
    NotEmpty = 39,
    /// Symbolic links lead in a circle.
    Loop = 40,
    /// There are no extended attributes.
    NotSupported = 95,
    /// There is no network.
    NetworkUnreachable = 101,
}

impl Errno {
    /// The message of `strerror`.
    pub fn message(self) -> &'static str {
        match self {
            Errno::NotPermitted => "Operation not permitted",
            Errno::NoEntry => "No such file or directory",
            Errno::BadDescriptor => "Bad file descriptor",
            Errno::AccessDenied => "Permission denied",
            Errno::Exists => "File exists",
            Errno::NotDirectory => "Not a directory",
            Errno::IsDirectory => "Is a directory",
            Errno::Invalid => "Invalid argument",
            Errno::TooLarge => "File too large",
            Errno::NoSpace => "No space left on device",
            Errno::ReadOnly => "Read-only file system",
            Errno::NameTooLong => "File name too long",
            Errno::NoSystemCall => "Function not implemented",
            Errno::NotEmpty => "Directory not empty",
            Errno::Loop => "Too many levels of symbolic links",
            Errno::NotSupported => "Operation not supported",
            Errno::NetworkUnreachable => "Network is unreachable",
        }
    }

    /// Its number, as natives hand it to Java code.
    pub fn number(self) -> i32 {
        self as i32
    }

    /// The message of a number.
    pub fn message_of(number: i32) -> String {
        let all = [
            Errno::NotPermitted,
            Errno::NoEntry,
            Errno::BadDescriptor,
            Errno::AccessDenied,
            Errno::Exists,
            Errno::NotDirectory,
            Errno::IsDirectory,
            Errno::Invalid,
            Errno::TooLarge,
            Errno::NoSpace,
            Errno::ReadOnly,
            Errno::NameTooLong,
            Errno::NoSystemCall,
            Errno::NotEmpty,
            Errno::Loop,
            Errno::NotSupported,
            Errno::NetworkUnreachable,
        ];
        let known = all.into_iter().find(|errno| errno.number() == number);
        known.map_or_else(|| format!("Unknown error {number}"), |errno| errno.message().to_owned())
    }
}
