//! The context in which a run looks up and keeps the results of its classes in a store.

use crate::frame::schedule::Share;
use crate::shared::store::{Stage, StoreArgs};
use cupping_classfile::Program;
use cupping_classfile::reads::Read;
use cupping_jobs::{Answers, Digest, Key, Request, Store};
use cupping_report::certify::cache_folder;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The store, and the common part of all requests of a run.
pub struct StoreContext {
    /// The store, if there is one.
    pub store: Option<Store>,
    /// The stage that the run performs.
    pub stage: Stage,
    /// The answers of the program.
    pub answers: Answers,
    common: Request,
    roots: Vec<Root>,
    /// A folder with a file for each class that is read, `CLASS.json`.
    by_class: Option<PathBuf>,
    /// What units depend on besides the program.
    by_unit: BTreeMap<String, Vec<Digest>>,
    /// Estimated work on units that are not classes, in milliseconds.
    costs: BTreeMap<String, u64>,
    /// The output folder of a worker; it is removed at the end.
    scratch: Option<tempfile::TempDir>,
}

/// A place that an option names.
#[derive(Clone, Debug)]
struct Root {
    name: &'static str,
    /// The path as the user named it.
    named: PathBuf,
    /// The path that files are written to in this run.
    actual: PathBuf,
}

/// The environment variable that names the folder of copies of object stores.
const COPIES: &str = "CUPPING_STORES";

/// The folder of copies of object stores.
fn copies() -> PathBuf {
    std::env::var_os(COPIES).map_or_else(|| cache_folder().join("stores"), PathBuf::from)
}

/// The folder on this computer of a store that the user names: the store itself, or the copy of an object store.
pub fn local_folder(store: &Path) -> PathBuf {
    Store::folder(store, &copies())
}

impl StoreContext {
    /// The context, if results are kept; see [`StoreContext::new`].
    ///
    /// # Errors
    ///
    /// As [`StoreContext::new`].
    pub fn wanted(
        args: &StoreArgs,
        command: &str,
        options: &str,
        inputs: &[PathBuf],
        program: &Arc<Program>,
    ) -> Result<Option<StoreContext>, String> {
        StoreContext::wanted_for(args, command, options, inputs, std::slice::from_ref(program))
    }

    /// The same for a command that works on several programs.
    ///
    /// # Errors
    ///
    /// As [`StoreContext::new`].
    pub fn wanted_for(
        args: &StoreArgs,
        command: &str,
        options: &str,
        inputs: &[PathBuf],
        programs: &[Arc<Program>],
    ) -> Result<Option<StoreContext>, String> {
        match (&args.store, &args.stage) {
            (None, Stage::All) => Ok(None),
            _ => StoreContext::new(args, command, options, inputs, programs).map(Some),
        }
    }

    /// The context for a command with these options, as far as they affect its results. `inputs` are files and
    /// folders that it reads besides the class path.
    ///
    /// # Errors
    ///
    /// There is no folder for temporary files, or no store although one is needed.
    fn new(
        args: &StoreArgs,
        command: &str,
        options: &str,
        inputs: &[PathBuf],
        programs: &[Arc<Program>],
    ) -> Result<StoreContext, String> {
        let is_work = matches!(args.stage, Stage::Work { .. });
        if args.store.is_none() && (is_work || matches!(args.stage, Stage::Merge)) {
            return Err("there is no store: give the planned command a --store DIR".into());
        }
        let answers = Answers::of_all(programs.to_vec(), cupping_generate::FACTS);
        let tool = std::env::current_exe().and_then(|it| Digest::of_file(&it));
        let common = Request {
            tool: tool.unwrap_or_else(|_| Digest::of(env!("CARGO_PKG_VERSION").as_bytes())),
            jdk: answers.jdk(),
            command: command.to_owned(),
            options: format!(
                "{options}{}",
                if programs.iter().all(|it| it.has_assertions()) { "" } else { " -da" }
            ),
            outputs: Vec::new(),
            inputs: inputs.iter().map(|it| Digest::of_tree(it)).collect(),
            class: String::new(),
            content: Digest::of(b""),
            budget: Default::default(),
            clock: None,
        };
        let scratch = match is_work {
            false => None,
            true => Some(
                tempfile::tempdir().map_err(|error| format!("no folder for a worker's files ({error})"))?,
            ),
        };
        let store = args.store.as_deref().map(|it| Store::open(it, &copies())).transpose();
        let store = store.map_err(|error| error.to_string())?;
        Ok(StoreContext {
            store,
            stage: args.stage.clone(),
            answers,
            common,
            roots: Vec::new(),
            by_class: None,
            by_unit: BTreeMap::new(),
            costs: BTreeMap::new(),
            scratch,
        })
    }

    /// Registers an option that names an output path; returns the path that is used in this run.
    fn root(&mut self, name: &'static str, named: &Path) -> PathBuf {
        let actual = self.scratch.as_ref().map_or_else(|| named.to_owned(), |it| it.path().join(name));
        self.roots.push(Root { name, named: named.to_owned(), actual: actual.clone() });
        self.common.outputs.push(name.to_owned());
        actual
    }

    /// The actual output path of an option, whether results are kept or not.
    pub fn place(keeping: &mut Option<StoreContext>, name: &'static str, named: &Path) -> PathBuf {
        match keeping {
            Some(keeping) => keeping.root(name, named),
            None => named.to_owned(),
        }
    }

    /// Registers a folder from which each class reads the file `CLASS.json`.
    pub fn reads_by_class(&mut self, folder: &Path) {
        self.by_class = Some(folder.to_owned());
    }

    /// Registers what the work on a unit depends on, besides what it reads from the program.
    pub fn depends_on(&mut self, unit: &str, input: Digest) {
        self.by_unit.entry(unit.to_owned()).or_default().push(input);
    }

    /// The current state of a unit's inputs besides the class path.
    pub fn inputs_of(&self, unit: &str) -> Vec<Digest> {
        let file = |folder: &PathBuf| folder.join(format!("{}.json", unit.replace('/', ".")));
        let of_class = self.by_class.iter().map(|folder| Digest::of_tree(&file(folder)));
        of_class.chain(self.by_unit.get(unit).into_iter().flatten().cloned()).collect()
    }

    /// Registers an estimate of the work on a unit that is not a class, in milliseconds.
    pub fn costs(&mut self, unit: &str, milliseconds: u64) {
        self.costs.insert(unit.to_owned(), milliseconds);
    }

    /// Estimated work on a unit in milliseconds; on a class with this share, by its size; measured on the libraries of
    /// docs/scale.md.
    pub fn estimate(&self, unit: &str, share: Share) -> u64 {
        let by_class = || {
            let share = u64::try_from(share.budget.as_millis()).unwrap_or(u64::MAX);
            (300 + self.answers.size(unit) / 8).min(share.saturating_add(1000))
        };
        self.costs.get(unit).copied().unwrap_or_else(by_class)
    }

    /// Whether files are written to paths other than those that the user named.
    pub fn is_elsewhere(&self) -> bool {
        self.scratch.is_some()
    }

    /// The request for a class with this share. `inputs` are those of the class alone.
    fn request(&self, class: &str, inputs: &[Digest], share: Share) -> Request {
        let mut request = self.common.clone();
        request.inputs.extend_from_slice(inputs);
        Request {
            class: class.to_owned(),
            content: self.answers.one(&Read::Class(class.into())),
            budget: share.budget,
            clock: share.clock,
            ..request
        }
    }

    /// The key of that request.
    pub fn key(&self, class: &str, inputs: &[Digest], share: Share) -> Key {
        self.request(class, inputs, share).key()
    }

    /// A path of this run in stored form, relative to its option; `None` if it belongs to no option.
    pub fn stored(&self, path: &Path) -> Option<PathBuf> {
        let of = |root: &Root| {
            let below = path.strip_prefix(&root.actual).ok()?;
            Some(Path::new(root.name).join(below))
        };
        self.roots.iter().find_map(of)
    }

    /// The path of this run for a stored path; `None` if it belongs to no option, or leads out of its folder.
    /// Anybody may have written a store.
    pub fn actual(&self, stored: &Path) -> Option<PathBuf> {
        if !stored.components().all(|it| matches!(it, Component::Normal(_))) {
            return None;
        }
        let of = |root: &Root| {
            let below = stored.strip_prefix(root.name).ok()?;
            // The folder itself has no name below it.
            Some(if below.as_os_str().is_empty() { root.actual.clone() } else { root.actual.join(below) })
        };
        self.roots.iter().find_map(of)
    }

    /// A text in which the folders of a worker are replaced by those that the user named.
    pub fn as_named(&self, text: String) -> String {
        self.roots.iter().fold(text, |text, root| {
            text.replace(&*root.actual.to_string_lossy(), &root.named.to_string_lossy())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::store::WorkerJobs;

    #[test]
    fn paths_are_kept_by_the_options_that_name_them() {
        let jdk = cupping_classfile::Jdk::locate(None).unwrap();
        let program = Arc::new(Program::new(jdk, Default::default()));
        let args = |stage| StoreArgs { store: Some("s".into()), stage };
        let open = |stage| {
            StoreContext::new(&args(stage), "generate", "", &[], std::slice::from_ref(&program)).unwrap()
        };
        let mut here = open(Stage::All);
        assert_eq!(here.root("out", Path::new("a/b")), Path::new("a/b"));
        assert_eq!(here.stored(Path::new("a/b/C.java")), Some("out/C.java".into()));
        assert_eq!(here.stored(Path::new("a/C.java")), None);
        let mut worker = open(Stage::Work { jobs: WorkerJobs::Known(Vec::new()), threads: None });
        let scratch = worker.root("out", Path::new("a/b"));
        assert!(scratch.is_absolute() && scratch != Path::new("a/b"));
        assert_eq!(worker.stored(&scratch.join("C.java")), Some("out/C.java".into()));
        assert_eq!(worker.as_named(format!("{}/C is", scratch.display())), "a/b/C is");
        assert_eq!(here.actual(Path::new("out/C.java")), Some("a/b/C.java".into()));
        for out in ["out/../C.java", "out/p/../../../C.java", "/a/b/C.java", "html/C.java"] {
            assert_eq!(here.actual(Path::new(out)), None, "{out}");
        }
        let share = Share { budget: Default::default(), clock: None };
        assert_eq!(here.key("p/A", &[], share), worker.key("p/A", &[], share), "wherever it is done");
    }
}
