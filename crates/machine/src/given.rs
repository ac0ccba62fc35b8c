//! Files that are there because the program is: its class path, and the data that the JDK's class library reads.
//!
//! They can be read and nothing else. The class path is seen where its entries say it is, relative ones below the
//! working folder; the JDK at `/jdk`.

use crate::machine::Machine;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `user.dir`.
const WORKING_FOLDER: &str = "/cupping-dir";
/// `java.home`.
const JDK: &str = "/jdk";

/// What is at a path.
#[derive(Clone)]
pub(crate) enum Given {
    /// A file with this content.
    File(Arc<[u8]>),
    /// A folder.
    Folder,
}

/// The path from the root, without `.`, `..` and empty parts; nothing is a link here.
pub(crate) fn absolute(path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { WORKING_FOLDER };
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

impl Machine {
    /// What is given at a path from [`absolute`].
    pub(crate) fn given_file(&mut self, path: &str) -> Option<Given> {
        if let Some(known) = self.given_files.get(path) {
            return known.clone();
        }
        let given = self.place_of(path).and_then(|place| read(&place));
        self.given_files.insert(path.to_owned(), given.clone());
        given
    }

    /// Where the content of a path is on the host; `None` for all that is not given.
    fn place_of(&self, path: &str) -> Option<PathBuf> {
        if let Some(rest) = path.strip_prefix(JDK).and_then(|rest| rest.strip_prefix('/')) {
            return is_data(rest).then(|| self.program.jdk().home().join(rest));
        }
        self.program.class_path().entries().find_map(|entry| {
            let seen = absolute(entry.path().to_str()?);
            let rest = path.strip_prefix(&seen)?;
            match rest.strip_prefix('/') {
                None if rest.is_empty() => Some(entry.path().to_owned()),
                Some(rest) if !entry.is_jar() => Some(entry.path().join(rest)),
                _ => None,
            }
        })
    }
}

/// Whether the JDK's classes read this file below its home; the image and the native libraries they do not.
fn is_data(rest: &str) -> bool {
    rest.starts_with("conf/")
        || rest.starts_with("lib/security/")
        || rest == "lib/tzdb.dat"
        || rest.starts_with("lib/") && rest.ends_with(".properties")
}

fn read(place: &Path) -> Option<Given> {
    if fs::metadata(place).ok()?.is_dir() {
        return Some(Given::Folder);
    }
    fs::read(place).ok().map(|content| Given::File(content.into()))
}
