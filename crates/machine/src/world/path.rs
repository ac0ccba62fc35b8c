//! Paths, part by part.

/// Symbolic links that one path may lead through.
pub const LINKS: usize = 40;
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 4096;

/// Whether a path or a name in it is longer than allowed.
pub fn is_too_long(path: &[u8]) -> bool {
    path.len() >= LONGEST_PATH || path.split(|byte| *byte == b'/').any(|name| name.len() > LONGEST_NAME)
}

/// The remaining parts of a path, without `.` and empty parts.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The last part first.
    left: Vec<Vec<u8>>,
    directory: bool,
}

impl Parts {
    /// The parts of a path.
    pub fn of(path: &[u8]) -> Parts {
        let mut parts = Parts { left: Vec::new(), directory: path.ends_with(b"/") || path.ends_with(b"/.") };
        parts.prepend(path);
        parts
    }

    /// Puts the parts of another path before those that are left.
    pub fn prepend(&mut self, path: &[u8]) {
        let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
        self.left.extend(parts.rev().map(<[u8]>::to_vec));
    }

    /// The next part.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        self.left.pop()
    }

    /// Whether no part is left.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether the path ends in a slash.
    pub fn must_be_directory(&self) -> bool {
        self.directory
    }
}
