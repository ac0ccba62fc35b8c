//! Exports files of the program's file system.

use super::files::{EntryContent, Files};
use crate::machine::Machine;

/// The path of a file relative to the requested one (empty for that itself), with its content; `None` for a
/// folder.
pub type ExportedFile = (String, Option<Vec<u8>>);

impl Machine {
    /// The file at a path, or the folder with its contents, in order; empty if there is none. Links are
    /// excluded.
    pub fn export(&mut self, path: &str) -> Vec<ExportedFile> {
        let mut found = Vec::new();
        let mut waiting = vec![(path.to_owned(), String::new())];
        while let Some((place, name)) = waiting.pop() {
            let files = &self.registers.cold.disk.files;
            let Ok(entry) = files.find(place.as_bytes(), name.is_empty()).and_then(|it| files.entry(it))
            else {
                continue;
            };
            match &entry.node {
                EntryContent::File(content) => found.push((name, Some(content.read(0, usize::MAX)))),
                EntryContent::Given(given, _) => {
                    let given = given.clone();
                    found.push((name, Some(self.given_file(&given).to_vec())));
                }
                EntryContent::Directory(_) => {
                    waiting.extend(inner(files, &place, &name));
                    found.push((name, None));
                }
                EntryContent::Link(_) | EntryContent::Device(_) => {}
            }
        }
        found.sort();
        found
    }
}

/// Places and names of what is in a folder.
fn inner(files: &Files, place: &str, name: &str) -> Vec<(String, String)> {
    let names = files.list(place.as_bytes()).unwrap_or_default();
    let names = names.into_iter().filter_map(|name| String::from_utf8(name).ok());
    names
        .map(|inner| {
            let below = if name.is_empty() { inner.clone() } else { format!("{name}/{inner}") };
            (format!("{}/{inner}", place.trim_end_matches('/')), below)
        })
        .collect()
}
