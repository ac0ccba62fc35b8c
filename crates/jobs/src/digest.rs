//! Digests of bytes.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// A SHA-256, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(Box<str>);

/// A digest in the making.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes. The digest does not depend on how they are split into parts.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds bytes prefixed by their number, so that neighbours cannot be confused.
    pub fn add_whole(&mut self, bytes: &[u8]) {
        self.add(&(bytes.len() as u64).to_le_bytes());
        self.add(bytes);
    }

    /// The digest.
    pub fn digest(self) -> Digest {
        let digits: String = self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Digest(digits.into())
    }
}

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        let mut hasher = Hasher::default();
        hasher.add(bytes);
        hasher.digest()
    }

    /// The digest of a file's content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Digest> {
        let mut file = std::fs::File::open(path)?;
        let (mut hasher, mut buffer) = (Hasher::default(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hasher.digest()),
                count => hasher.add(&buffer[..count]),
            }
        }
    }

    /// The digest of a file, or of a folder with its content: names and bytes. A missing path has one too.
    pub fn of_tree(path: &Path) -> Digest {
        let mut hasher = Hasher::default();
        add_tree(path, &mut hasher);
        hasher.digest()
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn add_tree(path: &Path, hasher: &mut Hasher) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|it| it.file_name()).collect();
        names.sort();
        for name in names {
            hasher.add_whole(name.as_encoded_bytes());
            add_tree(&path.join(&name), hasher);
        }
        hasher.add(b"end");
    } else {
        match Digest::of_file(path) {
            Ok(digest) => hasher.add_whole(digest.as_str().as_bytes()),
            Err(_) => hasher.add_whole(b"none"),
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").as_str(), abc);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        std::fs::write(&file, "abc").unwrap();
        assert_eq!(Digest::of_file(&file).unwrap().as_str(), abc);
    }

    #[test]
    fn a_folder_is_told_from_one_with_other_names_or_content() {
        let tree = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Digest::of_tree(folder.path())
        };
        let first = tree(&[("a/b", "x"), ("c", "y")]);
        assert_eq!(first, tree(&[("c", "y"), ("a/b", "x")]));
        assert_ne!(first, tree(&[("a/b", "x"), ("c", "z")]));
        assert_ne!(first, tree(&[("a", "x"), ("c", "y")]));
        assert_ne!(tree(&[]), Digest::of_tree(Path::new("/nowhere")));
    }
}
