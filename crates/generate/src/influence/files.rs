//! Which JDK methods access files: file contents are state that carries influence, like fields.

/// How a method accesses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// It reads them.
    Reads,
    /// It changes them.
    Writes,
}

/// How a method with this class and name accesses files, if at all.
pub fn file_access(class: &str, name: &str) -> Option<FileAccess> {
    let is_one_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match class {
        "java/io/File" if is_one_of(&["get", "to", "<", "compare", "isAbsolute", "equals", "hashCode"]) => {
            (name == "getCanonicalPath" || name == "getCanonicalFile").then_some(FileAccess::Reads)
        }
        "java/io/File" if is_one_of(&["delete", "mkdir", "createNew", "rename", "set"]) => {
            Some(FileAccess::Writes)
        }
        "java/nio/file/Files"
            if is_one_of(&["write", "copy", "move", "delete", "create", "new", "set", "walkFileTree"])
                && !is_one_of(&["newInputStream", "newBufferedReader", "newDirectoryStream"]) =>
        {
            Some(FileAccess::Writes)
        }
        _ if WRITERS.contains(&class) => Some(FileAccess::Writes),
        _ if READERS.contains(&class) => Some(FileAccess::Reads),
        _ => None,
    }
}

/// Classes whose methods write files.
const WRITERS: &[&str] = &[
    "java/io/FileOutputStream",
    "java/io/FileWriter",
    "java/io/RandomAccessFile",
    "java/nio/channels/FileChannel",
    "java/nio/file/spi/FileSystemProvider",
    "java/util/logging/FileHandler",
];

/// Classes whose methods read files.
const READERS: &[&str] = &[
    "java/io/File",
    "java/io/FileInputStream",
    "java/io/FileReader",
    "java/nio/file/Files",
    "java/nio/file/DirectoryStream",
    "java/util/zip/ZipFile",
    "java/util/jar/JarFile",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_alone_touch_nothing() {
        assert_eq!(file_access("java/io/File", "getName"), None);
        assert_eq!(file_access("java/io/File", "<init>"), None);
        assert_eq!(file_access("java/io/File", "exists"), Some(FileAccess::Reads));
        assert_eq!(file_access("java/io/File", "getCanonicalPath"), Some(FileAccess::Reads));
        assert_eq!(file_access("java/io/File", "delete"), Some(FileAccess::Writes));
        assert_eq!(file_access("java/nio/file/Files", "newBufferedReader"), Some(FileAccess::Reads));
        assert_eq!(file_access("java/nio/file/Files", "newBufferedWriter"), Some(FileAccess::Writes));
        assert_eq!(file_access("java/util/ArrayList", "delete"), None);
    }
}
