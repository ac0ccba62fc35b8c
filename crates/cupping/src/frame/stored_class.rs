//! The stored result of a class: its conclusion, and the files written.

use crate::frame::ledger::ClassConclusion;
use crate::frame::schedule::ShareUsage;
use crate::frame::store_context::StoreContext;
use crate::process::exit::Status;
use cupping_report::files::journal::{self, FileAction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The result of a class whose job is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredClass<R> {
    /// For the ledger.
    pub concluded: ClassConclusion<R>,
    /// Its use of its share.
    pub need: ShareUsage,
    /// File operations; their paths begin with the options that name the folders.
    deeds: Vec<FileAction>,
    /// Whether the result depends on this folder, and is useless to another run.
    #[serde(skip)]
    pub is_of_here: bool,
}

impl<R: Clone + Serialize + DeserializeOwned> StoredClass<R> {
    /// The conclusion together with the file operations of this run.
    pub fn new(
        concluded: ClassConclusion<R>,
        need: ShareUsage,
        deeds: Vec<FileAction>,
        keeping: &StoreContext,
    ) -> StoredClass<R> {
        let count = deeds.len();
        let stored: Vec<FileAction> = deeds.into_iter().filter_map(|deed| stored(deed, keeping)).collect();
        // A file whose path belongs to no option, or a removed file of an earlier run.
        let is_of_here = stored.len() < count || stored.contains(&FileAction::Removed);
        let named = keeping.is_elsewhere().then(|| named(&concluded, keeping)).flatten();
        StoredClass { concluded: named.unwrap_or(concluded), need, deeds: stored, is_of_here }
    }

    /// Whether nothing failed that may succeed next time.
    pub fn is_sound(&self) -> bool {
        self.concluded.internal_errors == 0 && !self.concluded.status.bad_input
    }

    /// Whether all its files belong to paths of this run's options.
    pub fn is_placed(&self, keeping: &StoreContext) -> bool {
        self.actual(keeping).is_some()
    }

    /// Whether its files can be put in place now.
    pub fn fits(&self, keeping: &StoreContext) -> bool {
        self.actual(keeping).is_some_and(|deeds| journal::fits(&deeds))
    }

    /// Puts its missing files in place and returns the resulting conclusion.
    pub fn put(self, keeping: &StoreContext) -> ClassConclusion<R> {
        let deeds = self.actual(keeping).unwrap_or_default();
        let mut concluded = self.concluded;
        match journal::repeat(&deeds) {
            Ok(notes) => concluded.notes.extend(notes),
            Err((path, error)) => {
                concluded.errors.push(format!("{}: cannot be written ({error})", path.display()));
                concluded.status.add(Status::BAD_INPUT);
            }
        }
        concluded
    }

    fn actual(&self, keeping: &StoreContext) -> Option<Vec<FileAction>> {
        self.deeds.iter().map(|deed| actual(deed.clone(), keeping)).collect()
    }
}

fn stored(deed: FileAction, keeping: &StoreContext) -> Option<FileAction> {
    Some(match deed {
        FileAction::Put { path, text, mark } => FileAction::Put { path: keeping.stored(&path)?, text, mark },
        FileAction::Whole { root, command, class } => {
            FileAction::Whole { root: keeping.stored(&root)?, command, class }
        }
        // The owner of a name depends on this folder.
        FileAction::Avoided { .. } | FileAction::Removed => deed,
    })
}

fn actual(deed: FileAction, keeping: &StoreContext) -> Option<FileAction> {
    Some(match deed {
        FileAction::Put { path, text, mark } => FileAction::Put { path: keeping.actual(&path)?, text, mark },
        FileAction::Whole { root, command, class } => {
            FileAction::Whole { root: keeping.actual(&root)?, command, class }
        }
        FileAction::Avoided { .. } | FileAction::Removed => deed,
    })
}

/// The same result with the folders that the user named in all texts.
fn named<R: Serialize + DeserializeOwned>(
    concluded: &ClassConclusion<R>,
    keeping: &StoreContext,
) -> Option<ClassConclusion<R>> {
    let text = serde_json::to_string(concluded).ok()?;
    serde_json::from_str(&keeping.as_named(text)).ok()
}
