//! Atomic writing: a file exists as a whole or not at all.
//!
//! The text goes into a temporary file in the folder of the target, which is then renamed. An error on the way, a
//! full disk for instance, leaves the target unchanged and no temporary file. A process that is being terminated
//! waits for [`quiet`] first.
//!
//! `tempfile` provides names that cannot be guessed, removal on every exit, and a rename that refuses to replace.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Held as long as there is a temporary file.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is partly written, and keeps it so as long as the guard lives; `None` if that takes longer
/// than the limit.
pub fn quiet(limit: Duration) -> Option<MutexGuard<'static, ()>> {
    let started = Instant::now();
    loop {
        match WRITING.try_lock() {
            Ok(guard) => return Some(guard),
            Err(std::sync::TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(_) if started.elapsed() >= limit => return None,
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Writes a file in place of the existing one, as [`super::put`] describes.
///
/// # Errors
///
/// The error of the operating system; the file is unchanged then.
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, true)
}

/// As [`put`], but does not replace a file that exists or appears in the meantime.
///
/// # Errors
///
/// The error of the operating system; [`io::ErrorKind::AlreadyExists`] if the file exists.
pub fn put_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, false)
}

fn write(path: &Path, bytes: &[u8], may_replace: bool) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let permissions = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
        Ok(_) if !may_replace => return Err(io::ErrorKind::AlreadyExists.into()),
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => Some(found.permissions()),
        Ok(found) if found.is_symlink() => match fs::metadata(path) {
            Ok(target) if !target.is_file() && !target.is_dir() => return stream(path, bytes),
            _ => return Err(io::Error::other("it is a symbolic link, which is not followed")),
        },
        Ok(_) => return stream(path, bytes),
    };
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cupping-");
    // As for an ordinary file, the operating system removes the bits of the user's mask.
    #[cfg(unix)]
    let ordinary: Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(ordinary);
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.flush()?;
    if let Some(permissions) = permissions {
        // Keeps those of the previous file; not everybody who may write a file may set them.
        let _ = file.as_file().set_permissions(permissions);
    }
    let persisted = if may_replace { file.persist(path) } else { file.persist_noclobber(path) };
    persisted.map(drop).map_err(|failed| failed.error)
}

/// Writes to a device or pipe.
fn stream(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_as_any_other_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, other) = (folder.path().join("a/b/ours"), folder.path().join("other"));
        fs::write(&other, "x").unwrap();
        put(&ours, b"one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&other), "as the pattern says");
        fs::set_permissions(&ours, Permissions::from_mode(0o600)).unwrap();
        put(&ours, b"two").unwrap();
        assert_eq!(fs::read(&ours).unwrap(), b"two");
        assert_eq!(mode(&ours) & 0o777, 0o600);
        assert_eq!(names(ours.parent().unwrap()), ["ours"]);
    }

    #[test]
    fn existing_files_are_replaced_on_request_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        put_new(&file, b"one").unwrap();
        assert_eq!(put_new(&file, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
        assert_eq!(put(&file, b"two").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&file).unwrap(), b"one");
        assert_eq!(put(folder.path(), b"two").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_link_is_neither_followed_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "kept").unwrap();
        symlink(&target, &link).unwrap();
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("nowhere"), &dangling).unwrap();
        for link in [&link, &dangling] {
            assert!(put(link, b"new").unwrap_err().to_string().contains("symbolic link"));
            assert!(put_new(link, b"new").is_err());
            assert!(fs::symlink_metadata(link).unwrap().is_symlink());
        }
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        assert_eq!(names(folder.path()), ["dangling", "link", "target"]);
    }

    #[test]
    fn devices_are_written_to_and_stay() {
        put(Path::new("/dev/null"), b"gone").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        put(&link, b"gone").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        if Path::new("/dev/full").exists() {
            let full = put(Path::new("/dev/full"), b"no room").unwrap_err();
            assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        }
    }

    #[test]
    fn files_are_written_completely_while_interrupts_are_deferred() {
        let folder = tempfile::tempdir().unwrap();
        let guard = quiet(Duration::from_secs(10)).unwrap();
        let file = folder.path().join("file");
        let writing = std::thread::spawn(move || put(&file, b"text"));
        assert_eq!(names(folder.path()), [""; 0]);
        drop(guard);
        writing.join().unwrap().unwrap();
        assert_eq!(names(folder.path()), ["file"]);
    }
}
