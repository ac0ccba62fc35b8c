//! Errors in class files, archives and the JDK image.

/// Result of this crate's operations.
pub(crate) type Result<T, E = ClassFileError> = std::result::Result<T, E>;

/// Errors in classes, archives, the JDK, or the user's input. The message of each names the file, the position in
/// it, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassFileError {
    /// The bytes are not a well-formed class file (JVMS §4.8).
    #[error("{file}: damaged class file, {place}: {problem}; compile or download it again")]
    Damaged {
        /// The file, as `lib.jar!/org/x/Y.class`.
        file: Box<str>,
        /// The position in the file, such as `constant pool entry 17` or `offset 0x1a2`.
        place: Box<str>,
        /// The problem.
        problem: Box<str>,
    },
    /// Cupping does not support the class file's version.
    #[error(
        "{file}: class file version {major}.{minor} is not supported; Cupping reads versions 45 (Java 1.1) to 69 (Java \
         25), so compile it with a matching --release"
    )]
    UnsupportedVersion {
        /// The file, as `lib.jar!/org/x/Y.class`.
        file: Box<str>,
        /// Major version found.
        major: u16,
        /// Minor version found.
        minor: u16,
    },
    /// The class declares a name that does not match its path.
    #[error(
        "{file}: declares class {found}, but the path requires {expected}; put the root of the package tree on the class \
         path"
    )]
    WrongName {
        /// The file, as `lib.jar!/org/x/Y.class`.
        file: Box<str>,
        /// Internal name that belongs to the place.
        expected: Box<str>,
        /// Internal name that the class declares.
        found: Box<str>,
    },
    /// No class has this name.
    #[error(
        "class {name} is not on the class path ({searched}){hint}; add the folder or jar that contains it with \
         --classpath"
    )]
    ClassNotFound {
        /// The name as it was asked for.
        name: Box<str>,
        /// The places looked at.
        searched: Box<str>,
        /// `, did you mean …` or nothing.
        hint: Box<str>,
    },
    /// A selection such as `org.x.*` holds no class.
    #[error("{selector} selects no class; {remedy}")]
    NothingSelected {
        /// The selector as the user wrote it.
        selector: Box<str>,
        /// What to check.
        remedy: Box<str>,
    },
    /// A file or directory cannot be read.
    #[error("{file}: {problem}; check that it exists and can be read")]
    Unreadable {
        /// The file.
        file: Box<str>,
        /// The system's message.
        problem: Box<str>,
    },
    /// A file of a folder of the class path is a symbolic link to something outside that folder.
    #[error("{file}: leaves the class path folder {folder}, for {to}; put its target on the class path")]
    LeadsOut {
        /// The file as it was asked for.
        file: Box<str>,
        /// The folder of the class path.
        folder: Box<str>,
        /// The location of the file.
        to: Box<str>,
    },
    /// A file of the class path exceeds the size limit.
    #[error("{file}: has more than {limit}, the maximum that is read; remove it from the class path")]
    TooLarge {
        /// The file, as `lib.jar!/org/x/Y.class`.
        file: Box<str>,
        /// The limit, with its unit.
        limit: Box<str>,
    },
    /// A jar or one of its entries cannot be read.
    #[error("{file}: damaged archive: {problem}; build or download it again")]
    DamagedArchive {
        /// The jar or the entry in it.
        file: Box<str>,
        /// The problem.
        problem: Box<str>,
    },
    /// The JDK's `lib/modules` is not a well-formed image.
    #[error("{file}: damaged JDK image, {place}: {problem}; reinstall this JDK or name another with --jdk")]
    DamagedImage {
        /// The image.
        file: Box<str>,
        /// The position in it.
        place: Box<str>,
        /// The problem.
        problem: Box<str>,
    },
    /// No JDK was found.
    #[error("no JDK found; looked at {looked_at}; install a JDK (17 or later) or name one with --jdk")]
    NoJdk {
        /// The places and what was wrong with each.
        looked_at: Box<str>,
    },
}

impl ClassFileError {
    /// A damaged class file.
    pub(crate) fn damaged(
        file: &str,
        place: impl Into<Box<str>>,
        problem: impl Into<Box<str>>,
    ) -> ClassFileError {
        ClassFileError::Damaged { file: file.into(), place: place.into(), problem: problem.into() }
    }

    /// A file that the system does not let us read.
    pub(crate) fn unreadable(file: impl Into<Box<str>>, problem: &std::io::Error) -> ClassFileError {
        ClassFileError::Unreadable { file: file.into(), problem: problem.to_string().into() }
    }
}
