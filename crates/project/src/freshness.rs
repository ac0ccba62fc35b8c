//! Whether classes are as new as their sources.

use crate::Module;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Extensions of source files.
pub(crate) const SOURCES: [&str; 4] = ["java", "kt", "groovy", "scala"];
/// Limit on the depth of folders that are searched: no sources are deeper, and links may form cycles.
const DEEPEST: usize = 40;

/// Whether a module has a source that is newer than all its classes, or sources and no classes. A source that was
/// deleted is not noticed.
pub(crate) fn is_stale(module: &Module) -> bool {
    newer(&module.sources, &module.classes) || newer(&module.test_sources, &module.test_classes)
}

fn newer(sources: &[std::path::PathBuf], classes: &[std::path::PathBuf]) -> bool {
    let newest = |folders: &[std::path::PathBuf], extensions: &[&str]| {
        folders.iter().filter_map(|folder| newest(folder, extensions, DEEPEST)).max()
    };
    let Some(source) = newest(sources, &SOURCES) else { return false };
    newest(classes, &["class"]).is_none_or(|class| class < source)
}

/// The time of the last change to a file with one of these extensions.
pub(crate) fn newest(folder: &Path, extensions: &[&str], depth: usize) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| {
            let path = entry.path();
            if entry.file_type().ok()?.is_dir() {
                return newest(&path, extensions, depth.checked_sub(1)?);
            }
            let is_wanted = path.extension().is_some_and(|it| extensions.iter().any(|wanted| it == *wanted));
            if is_wanted { entry.metadata().ok()?.modified().ok() } else { None }
        })
        .max()
}
