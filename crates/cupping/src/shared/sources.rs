//! `--source-path`: the sources of classes, for pages, and for the places of findings.

use clap::Args;
use cupping_classfile::{ClassFile, ClassPath, ClassPathEntry, Origin, PATH_SEPARATOR, Program};
use std::path::{Path, PathBuf};

/// Maximal size of a source file in bytes; longer files are not written by hand.
const LONGEST: usize = 8 << 20;
/// Number of folders above a folder of classes in which a source folder is searched: `build/classes/java/main` is
/// the deepest usual one.
const LEVELS: usize = 4;
/// Folders of sources in the usual layouts.
const FOLDERS: [&str; 5] = ["src/main/java", "src/main/kotlin", "src/java", "src", "source"];

/// Arguments of commands that look at sources.
#[derive(Clone, Debug, Default, Args)]
pub struct SourceArgs {
    /// Folders and jars with the sources, for pages and for the places of findings [default: those found next to the
    /// classes]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub source_path: Option<String>,
}

impl SourceArgs {
    /// Opens the named sources, with the errors of entries.
    pub fn open(&self) -> (Sources, Vec<String>) {
        Sources::open(self.source_path.as_deref())
    }
}

/// Folders and jars with sources.
#[derive(Debug)]
pub struct Sources {
    named: ClassPath,
    /// Whether they were named; otherwise they are found by the location of the class.
    is_named: bool,
}

impl Sources {
    /// The sources named by `--source-path`, with its errors; without it, sources are searched next to the classes.
    pub fn open(named: Option<&str>) -> (Sources, Vec<String>) {
        let mut path = ClassPath::default();
        let mut errors = Vec::new();
        for entry in named.unwrap_or_default().split(PATH_SEPARATOR).filter(|entry| !entry.is_empty()) {
            errors.extend(path.push(Path::new(entry), 0).err().map(|it| format!("source path entry {it}")));
        }
        (Sources { named: path, is_named: named.is_some() }, errors)
    }

    /// The folders of sources, each once: the named ones, or those beside the folders and jars of a class path.
    pub fn folders(&self, class_path: &[PathBuf]) -> Vec<PathBuf> {
        let beside = class_path.iter().filter(|_| !self.is_named).flat_map(|it| beside(it));
        let mut folders = self.named.paths();
        for folder in beside {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.retain(|it| it.is_dir());
        folders
    }

    /// The source of a class, if it is found.
    pub fn find(&self, class: &ClassFile, program: &Program) -> Option<String> {
        let file = class.source_file.as_deref().filter(|file| !file.contains(['/', '\\']))?;
        let package = class.name.rsplit_once('/').map_or("", |(package, _)| package);
        let name = if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") };
        if self.is_named {
            return self.named.entries().find_map(|entry| read(entry, &name));
        }
        let places: Vec<(PathBuf, String)> = match class.origin() {
            Origin::Jdk { module } => {
                vec![(program.jdk().home().join("lib/src.zip"), format!("{module}/{name}"))]
            }
            Origin::ClassPath { entry } => {
                beside(entry).into_iter().map(|place| (place, name.clone())).collect()
            }
            Origin::Made => return None,
        };
        places.iter().find_map(|(place, name)| {
            let mut path = ClassPath::default();
            path.push(place, 0).ok()?;
            path.entries().find_map(|entry| read(entry, name))
        })
    }
}

/// Folders and jars that may contain the sources of the classes in a folder or jar.
fn beside(classes: &Path) -> Vec<PathBuf> {
    let mut places = vec![classes.to_owned()];
    if let Some(jar) = classes.to_str().and_then(|path| path.strip_suffix(".jar")) {
        places.push(format!("{jar}-sources.jar").into());
    }
    let Ok(absolute) = std::path::absolute(classes) else { return places };
    for above in absolute.ancestors().skip(1).take(LEVELS) {
        places.extend(FOLDERS.iter().map(|folder| above.join(folder)));
    }
    places.retain(|place| place.exists());
    places
}

/// A file as text; invalid UTF-8 is shown as such.
fn read(entry: &ClassPathEntry, name: &str) -> Option<String> {
    let bytes = entry.read(name).ok().flatten().filter(|bytes| bytes.len() <= LONGEST)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
