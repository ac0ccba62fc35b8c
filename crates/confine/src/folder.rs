//! The private folder of a confined process.

use crate::ConfineError;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that serves as working directory, home and temporary folder, and is deleted in the end.
#[derive(Debug)]
pub struct PrivateFolder {
    // `None` only after `drop` has taken it.
    folder: Option<TempDir>,
    root: PathBuf,
}

impl PrivateFolder {
    /// Creates a private folder with its three empty subfolders and the table of hosts.
    ///
    /// # Errors
    /// The temporary folder is not writable.
    pub fn new() -> Result<PrivateFolder, ConfineError> {
        let place = std::env::temp_dir();
        let failed = |source| ConfineError::Folder { path: place.clone(), source };
        let folder = tempfile::Builder::new().prefix("cupping-").tempdir().map_err(failed)?;
        // The kernel reports real paths.
        let root = folder.path().canonicalize().map_err(failed)?;
        let private = PrivateFolder { folder: Some(folder), root };
        for inner in [private.work(), private.home(), private.temporary()] {
            fs::create_dir(inner).map_err(failed)?;
        }
        // Whoever asks for the name of the computer looks up its address, and lists network interfaces otherwise.
        let own = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        fs::write(private.hosts(), format!("127.0.0.1 localhost {}\n", own.trim())).map_err(failed)?;
        Ok(private)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The hosts that the JVM knows, as in `/etc/hosts`: the computer itself.
    pub fn hosts(&self) -> PathBuf {
        self.root.join("hosts")
    }

    /// The temporary folder.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let Some(folder) = self.folder.take() else { return };
        // The process may have removed access rights, without which the files cannot be deleted.
        let path = folder.path().to_owned();
        if folder.close().is_err() {
            open_up(&path);
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Gives the owner full rights to all subfolders. Links are not followed.
fn open_up(root: &Path) {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
}

/// The number of files and folders below a folder, and their size on disk. Counting stops at `most` files.
#[cfg(target_os = "linux")]
pub(crate) fn measure(root: &Path, most: u64) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    let (mut files, mut bytes) = (0, 0);
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(known) = entry.path().symlink_metadata() else { continue };
            files += 1;
            bytes += known.blocks() * 512;
            if files > most {
                return (files, bytes);
            }
            if known.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    (files, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_folder_is_always_removed() {
        let private = PrivateFolder::new().unwrap();
        let root = private.root().to_owned();
        let inner = private.work().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("file"), "text").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
            std::os::unix::fs::symlink("/", private.home().join("link")).unwrap();
        }
        drop(private);
        assert!(!root.exists());
    }
}
