//! Which JDK methods access files: file contents are state that carries influence, like fields.

/// How a method accesses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It reads them.
    Looks,
    /// It changes them.
    Changes,
}

/// How a method with this class and name accesses files, if at all.
pub fn touch(class: &str, name: &str) -> Option<Touch> {
    let is_one_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match class {
        "java/io/File" if is_one_of(&["get", "to", "<", "compare", "isAbsolute", "equals", "hashCode"]) => {
            (name == "getCanonicalPath" || name == "getCanonicalFile").then_some(Touch::Looks)
        }
        "java/io/File" if is_one_of(&["delete", "mkdir", "createNew", "rename", "set"]) => {
            Some(Touch::Changes)
        }
        "java/nio/file/Files"
            if is_one_of(&["write", "copy", "move", "delete", "create", "new", "set", "walkFileTree"])
                && !is_one_of(&["newInputStream", "newBufferedReader", "newDirectoryStream"]) =>
        {
            Some(Touch::Changes)
        }
        _ if WRITERS.contains(&class) => Some(Touch::Changes),
        _ if READERS.contains(&class) => Some(Touch::Looks),
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
        assert_eq!(touch("java/io/File", "getName"), None);
        assert_eq!(touch("java/io/File", "<init>"), None);
        assert_eq!(touch("java/io/File", "exists"), Some(Touch::Looks));
        assert_eq!(touch("java/io/File", "getCanonicalPath"), Some(Touch::Looks));
        assert_eq!(touch("java/io/File", "delete"), Some(Touch::Changes));
        assert_eq!(touch("java/nio/file/Files", "newBufferedReader"), Some(Touch::Looks));
        assert_eq!(touch("java/nio/file/Files", "newBufferedWriter"), Some(Touch::Changes));
        assert_eq!(touch("java/util/ArrayList", "delete"), None);
    }
}
