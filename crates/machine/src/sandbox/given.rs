//! Files that are there because the program is: its class path, and the data that the JDK's class library reads beside
//! its image.
//!
//! The files can be read and nothing else; in folders of the class path a program may make others, as it may with
//! `java`, of which the host sees nothing. The class path is seen where its entries say it is, relative ones below the
//! working folder; the JDK at `/jdk`. Folders of the class path are entered into the tree when a path leads there.

use super::content::Content;
use super::descriptors::Disk;
use super::files::{Files, JDK, Node, USER, WORKING_DIRECTORY};
use crate::boot::BootError;
use crate::machine::Machine;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Files of the JDK below its home, and folders of them. What the administrator of the host puts beside them
/// (trusted certificates) is left out.
const OF_JDK: [&str; 8] = [
    "lib/tzdb.dat",
    "lib/security/default.policy",
    "lib/security/blocked.certs",
    "lib/security/public_suffix_list.dat",
    "lib/psfontj2d.properties",
    "lib/jvm.cfg",
    "release",
    "conf",
];
/// The owner of what is given: not the user that the program runs as.
const ROOT_USER: u32 = 0;

/// The path that a program sees, from the root, without `.`, `..` and empty parts.
pub(crate) fn absolute(path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { WORKING_DIRECTORY };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Enters a file of the host, or a folder with all that is in it, which is `owner`'s. What cannot be read is left out.
fn enter(files: &mut Files, seen: &str, place: PathBuf, owner: u32, now: i64) {
    let Ok(known) = fs::metadata(&place) else { return };
    if known.is_file() {
        let _ = files.install(seen, Node::Given(place.into(), known.len()), ROOT_USER, now);
        return;
    }
    let _ = files.install(seen, Node::Directory(Rc::default()), owner, now);
    let entries = fs::read_dir(&place).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // The numbers of files must not depend on the host's order.
    names.sort();
    for inner in names {
        if let Some(name) = inner.file_name().and_then(|name| name.to_str()) {
            let seen = format!("{}/{name}", seen.trim_end_matches('/'));
            enter(files, &seen, inner, owner, now);
        }
    }
}

impl Machine {
    /// Sets up the file system: what every program finds, the JDK's data, the class path, the files of the settings.
    pub(crate) fn install_files(&mut self) -> Result<(), BootError> {
        let now = self.settings.start_millis.saturating_mul(1_000_000);
        let mut files = Files::new(now);
        let home = self.program.jdk().home().to_owned();
        for place in OF_JDK {
            enter(&mut files, &format!("{JDK}/{place}"), home.join(place), ROOT_USER, now);
        }
        for entry in self.program.class_path().entries().filter(|entry| entry.is_jar()) {
            if let Some(seen) = entry.path().to_str() {
                enter(&mut files, &absolute(seen), entry.path().to_owned(), ROOT_USER, now);
            }
        }
        for (path, content) in &self.settings.files {
            let node = match content {
                Some(bytes) => Node::File(Content::of(bytes)),
                None => Node::Directory(Default::default()),
            };
            files
                .install(&absolute(path), node, USER, now)
                .map_err(|errno| BootError::File(path.clone(), errno.message()))?;
        }
        let places = self.program.class_path().entries().filter_map(|entry| entry.path().to_str());
        // With the working folder itself on the class path, files of the program's are below it, too.
        let below = format!("{WORKING_DIRECTORY}/");
        let places = places
            .map(absolute)
            .filter(|place| !below.starts_with(&format!("{}/", place.trim_end_matches('/'))));
        let places = places.map(String::into_bytes).collect();
        self.registers.seldom.disk = Disk::new(files);
        self.registers.seldom.disk.class_path = places;
        Ok(())
    }

    /// Enters the folders of the class path that this path leads to.
    pub(crate) fn enter_given(&mut self, path: &[u8]) {
        let folders = self.program.class_path().entries().filter(|entry| !entry.is_jar()).count();
        if self.registers.seldom.disk.entered.len() >= folders {
            return;
        }
        let path = absolute(&String::from_utf8_lossy(path));
        let mut due = Vec::new();
        for (index, entry) in self.program.class_path().entries().enumerate() {
            if entry.is_jar() || self.registers.seldom.disk.entered.contains(&index) {
                continue;
            }
            let seen = entry.path().to_str().map(absolute);
            if let Some(seen) = seen.filter(|seen| path.starts_with(seen.as_str()) || seen.starts_with(&path))
            {
                due.push((index, seen, entry.path().to_owned()));
            }
        }
        let now = self.settings.start_millis.saturating_mul(1_000_000);
        for (index, seen, place) in due {
            enter(&mut self.registers.seldom.disk.files, &seen, place, USER, now);
            Rc::make_mut(&mut self.registers.seldom.disk.entered).insert(index);
        }
    }

    /// The content of a file that was given, read once.
    pub(crate) fn given_file(&mut self, place: &Rc<Path>) -> Arc<[u8]> {
        let read = || fs::read(place).unwrap_or_default().into();
        self.given_files.entry(place.clone()).or_insert_with(read).clone()
    }
}
