//! Files that exist because of the program: its class path, and the data that the JDK's class library reads
//! besides its image.
//!
//! These files are read-only. In folders of the class path a program may create others, as it may with `java`;
//! the host does not see them. Of a folder of the class path it sees what `cupping_classfile` shows: regular
//! files in it, and only the classes if nobody named the folder. The class path appears at the locations of its
//! entries, relative ones below the working folder; the JDK appears at `/jdk`. Folders of the class path are
//! entered into the tree when a path leads there.

use super::content::Content;
use super::descriptors::Disk;
use super::files::{EntryContent, Files, JDK, USER, VARIED_TEST_FOLDER, WORKING_DIRECTORY};
use crate::machine::Machine;
use crate::run::BootError;
use cupping_classfile::limits::LARGEST_RESOURCE;
use cupping_classfile::manifest::other_places;
use cupping_classfile::{ClassPathEntry, ListedEntry, ListedKind, reads};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Files of the JDK below its home, and folders of them. Files that the administrator of the host adds (trusted
/// certificates) are excluded.
const OF_JDK: [&str; 10] = [
    "lib/tzdb.dat",
    "lib/security/default.policy",
    "lib/security/blocked.certs",
    "lib/security/public_suffix_list.dat",
    "lib/psfontj2d.properties",
    "lib/jvm.cfg",
    "release",
    "conf",
    // All classes, for `jrt:/`, and those of earlier releases, for `javac --release`.
    "lib/modules",
    "lib/ct.sym",
];
/// The owner of given files: not the user that the program runs as.
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

/// Folders of the JDK in one another.
const DEEPEST: u32 = 16;
/// Limit on the bytes of a jar or JDK file that a program may read.
const LARGEST: u64 = 1 << 30;
/// Limit on the bytes of given files that are kept for further reads.
const MOST_KEPT: usize = 512 << 20;

/// Enters a jar, or a file or folder of the JDK with its contents, owned by `owner`. Unreadable files are
/// skipped. Links are followed: systems put parts of a JDK elsewhere.
fn enter(files: &mut Files, seen: &str, place: PathBuf, owner: u32, now: i64, depth: u32) {
    let Ok(known) = fs::metadata(&place) else { return };
    if known.is_file() {
        let _ = files.install(seen, EntryContent::Given(place.into(), known.len()), ROOT_USER, now);
        return;
    }
    if !known.is_dir() || depth == 0 {
        return;
    }
    let _ = files.install(seen, EntryContent::Directory(Rc::default()), owner, now);
    let entries = fs::read_dir(&place).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // The numbers of files must not depend on the host's order.
    names.sort();
    for inner in names {
        if let Some(name) = inner.file_name().and_then(|name| name.to_str()) {
            let seen = format!("{}/{name}", seen.trim_end_matches('/'));
            enter(files, &seen, inner, owner, now, depth - 1);
        }
    }
}

/// Enters the visible part of a folder of the class path.
fn enter_folder(files: &mut Files, root: &str, folder: &ClassPathEntry, now: i64) {
    let root = root.trim_end_matches('/');
    enter_root(files, root, now);
    for ListedEntry { name, kind } in folder.list().unwrap_or_default() {
        let (node, owner) = match kind {
            ListedKind::Folder => (EntryContent::Directory(Rc::default()), USER),
            // In a folder that was not named, only files that look like classes are opened.
            _ if folder.is_implied() && !matches!(folder.resource(&name), Ok(Some(_))) => continue,
            ListedKind::File(length) if length > LARGEST_RESOURCE => continue,
            ListedKind::File(length) => {
                (EntryContent::Given(folder.path().join(&name).into(), length), ROOT_USER)
            }
            ListedKind::Link(target) => {
                (EntryContent::Link(format!("{root}/{target}").into_bytes().into()), USER)
            }
        };
        let _ = files.install(&format!("{root}/{name}"), node, owner, now);
    }
}

/// Enters a folder of the class path, if it is not there, without its contents.
fn enter_root(files: &mut Files, root: &str, now: i64) {
    let root = format!("{}/", root.trim_end_matches('/'));
    let _ = files.install(&root, EntryContent::Directory(Rc::default()), USER, now);
}

/// A file of the JDK or a jar.
fn read(place: &Path) -> Option<Vec<u8>> {
    // A former regular file may be a FIFO by now.
    fs::metadata(place).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(place).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then_some(bytes)
}

impl Machine {
    /// Adds the folder that varied runs have in place of the test's own.
    pub(crate) fn install_varied_folder(&mut self) {
        let now = self.environment.options.start_millis.saturating_mul(1_000_000);
        let files = &mut self.registers.cold.disk.files;
        // Only the folder itself may be there already.
        let _ = files.install(VARIED_TEST_FOLDER, EntryContent::Directory(Rc::default()), USER, now);
    }

    /// Sets up the file system: the standard folders, the JDK's data, the class path, and the files of the
    /// options.
    pub(crate) fn install_files(&mut self) -> Result<(), BootError> {
        let now = self.environment.options.start_millis.saturating_mul(1_000_000);
        let mut files = Files::new(now);
        let home = self.program.jdk().home().to_owned();
        for place in OF_JDK {
            enter(&mut files, &format!("{JDK}/{place}"), home.join(place), ROOT_USER, now, DEEPEST);
        }
        for entry in self.program.class_path().entries().filter(|entry| entry.is_jar()) {
            if let Some(seen) = entry.path().to_str() {
                enter(&mut files, &absolute(seen), entry.path().to_owned(), ROOT_USER, now, 1);
            }
        }
        for (path, content) in &self.environment.options.files {
            let node = match content {
                Some(bytes) => EntryContent::File(Content::of(bytes)),
                None => EntryContent::Directory(Default::default()),
            };
            files
                .install(&absolute(path), node, USER, now)
                .map_err(|errno| BootError::File(path.clone(), errno.message()))?;
        }
        let places = self.program.class_path().entries().map(|entry| entry.path().to_owned());
        let places: Vec<PathBuf> = places.chain(other_places(self.program.class_path())).collect();
        let places = places.iter().filter_map(|it| it.to_str());
        // If the working folder itself is on the class path, files of the program are below it, too.
        let below = format!("{WORKING_DIRECTORY}/");
        let places = places
            .map(absolute)
            .filter(|place| !below.starts_with(&format!("{}/", place.trim_end_matches('/'))));
        let places = places.map(String::into_bytes).collect();
        self.registers.cold.disk = Disk::new(files);
        self.registers.cold.disk.class_path = places;
        Ok(())
    }

    /// Enters the folders of the class path that this path leads to, before a system call looks the path up. Their
    /// contents are entered once a path leads into them: what a program reads from its class path is recorded, and
    /// many only ask whether the folder itself is there.
    pub(crate) fn enter_looked_up(&mut self, path: &[u8]) {
        let path = absolute(&String::from_utf8_lossy(path));
        let below = |seen: &str| path.strip_prefix(seen.trim_end_matches('/')).is_some_and(|it| it.len() > 1);
        let program = Arc::clone(&self.program);
        let folders = program.class_path().entries().enumerate().filter(|(_, entry)| !entry.is_jar());
        let now = self.environment.options.start_millis.saturating_mul(1_000_000);
        for (index, entry) in folders {
            let Some(seen) = entry.path().to_str().map(absolute) else { continue };
            if below(&seen) {
                return self.enter_given(path.as_bytes());
            }
            if seen.starts_with(&path) && !self.registers.cold.disk.entered.contains(&index) {
                enter_root(&mut self.registers.cold.disk.files, &seen, now);
            }
        }
    }

    /// Enters the folders of the class path that this path leads to, with their contents.
    pub(crate) fn enter_given(&mut self, path: &[u8]) {
        let folders = self.program.class_path().entries().filter(|entry| !entry.is_jar()).count();
        if self.registers.cold.disk.entered.len() >= folders {
            return;
        }
        let path = absolute(&String::from_utf8_lossy(path));
        let program = Arc::clone(&self.program);
        let mut due = Vec::new();
        for (index, entry) in program.class_path().entries().enumerate() {
            if entry.is_jar() || self.registers.cold.disk.entered.contains(&index) {
                continue;
            }
            let seen = entry.path().to_str().map(absolute);
            if let Some(seen) = seen.filter(|seen| path.starts_with(seen.as_str()) || seen.starts_with(&path))
            {
                due.push((index, seen, entry));
            }
        }
        let now = self.environment.options.start_millis.saturating_mul(1_000_000);
        for (index, seen, folder) in due {
            enter_folder(&mut self.registers.cold.disk.files, &seen, folder, now);
            Rc::make_mut(&mut self.registers.cold.disk.entered).insert(index);
        }
    }

    /// The content of a given file; nothing if it has changed since it was entered.
    pub(crate) fn given_file(&mut self, place: &Rc<Path>) -> Arc<[u8]> {
        if let Some(known) = self.environment.given_files.get(place) {
            return known.clone();
        }
        let of_folder = |entry: &ClassPathEntry| {
            let name = place.strip_prefix(entry.path()).ok()?.to_str()?;
            entry.resource(name).ok().flatten()
        };
        let is_of_jdk = place.starts_with(self.program.jdk().home());
        let mut entries = self.program.class_path().entries();
        let jar = entries.position(|entry| !is_of_jdk && entry.is_jar() && entry.path() == &**place);
        jar.into_iter().for_each(|place| reads::note(|| reads::Read::Jar(place)));
        let content: Option<Arc<[u8]>> = match is_of_jdk || jar.is_some() {
            true => read(place).map(Into::into),
            false => self.program.class_path().entries().filter(|it| !it.is_jar()).find_map(of_folder),
        };
        let content = content.unwrap_or_default();
        let kept: usize = self.environment.given_files.values().map(|it| it.len()).sum();
        if kept + content.len() > MOST_KEPT {
            self.environment.given_files.clear();
        }
        self.environment.given_files.insert(place.clone(), content.clone());
        content
    }
}
