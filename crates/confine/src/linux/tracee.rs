//! Reads a process's memory and status through `/proc`.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

const PAGE: u64 = 4096;
/// Maximal length of a path (`PATH_MAX`).
const LONGEST: usize = 4096;

/// Reads bytes from a thread's memory.
pub fn bytes(thread: u32, address: u64, length: usize) -> Option<Vec<u8>> {
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut bytes = vec![0; length];
    memory.read_exact_at(&mut bytes, address).ok()?;
    Some(bytes)
}

/// Reads a zero-terminated string.
fn text(thread: u32, address: u64) -> Option<Vec<u8>> {
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < LONGEST {
        // Read up to the end of the page, since the next page may not be mapped.
        let mut piece = vec![0; (PAGE - at % PAGE) as usize];
        let read = memory.read_at(&mut piece, at).ok().filter(|read| *read > 0)?;
        piece.truncate(read);
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return Some(text);
        }
        text.extend_from_slice(&piece);
        at += read as u64;
    }
    None
}

/// Reads a path, relative to the folder of a descriptor or to the current one; returns it absolute and
/// normalised.
pub fn path(thread: u32, folder: Option<u64>, address: u64) -> Option<PathBuf> {
    let text = text(thread, address)?;
    let path = Path::new(std::ffi::OsStr::from_bytes(&text));
    if path.is_absolute() {
        return Some(plain(path));
    }
    let base = match folder.map(|folder| folder as i32) {
        None | Some(libc::AT_FDCWD) => fs::read_link(format!("/proc/{thread}/cwd")).ok()?,
        Some(folder) => open_path(thread, folder)?,
    };
    Some(plain(&base.join(path)))
}

/// The path of an open file.
pub fn open_path(thread: u32, file: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{thread}/fd/{file}")).ok()
}

/// Normalises a path lexically, without resolving links.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => {
                plain.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    plain
}

/// Number of threads in a thread's process.
pub fn threads(thread: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse().ok())
}

/// Processor time used by a process.
pub fn processor_time(process: u32) -> Option<Duration> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program name is in parentheses and may contain anything.
    let mut fields = status.rsplit_once(')')?.1.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_millis((user + system) * 1000 / ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_this_process_is_read() {
        let words = c"a path".to_owned();
        let thread = std::process::id();
        let expected = std::env::current_dir().unwrap().join("a path");
        assert_eq!(path(thread, None, words.as_ptr() as u64), Some(expected));
        assert_eq!(path(thread, None, 8), None);
    }

    #[test]
    fn paths_are_plain() {
        assert_eq!(plain(Path::new("/a/./b/../../../c//d")), Path::new("/c/d"));
    }
}
