//! The result of a class as a store has it: what was concluded, and what was written.

use crate::frame::keeping::Keeping;
use crate::frame::ledger::Concluded;
use crate::frame::schedule::Need;
use crate::process::exit::Status;
use cupping_report::files::journal::{self, Deed};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What there is of a class when its job is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptClass<R> {
    /// For the ledger.
    pub concluded: Concluded<R>,
    /// What it used of its share.
    pub need: Need,
    /// What was done to files; their paths begin with the options that name the places.
    deeds: Vec<Deed>,
    /// Whether the result says something about this folder alone, and is no use to another run.
    #[serde(skip)]
    pub is_of_here: bool,
}

impl<R: Clone + Serialize + DeserializeOwned> KeptClass<R> {
    /// Of what was concluded, with what was done to files in this run.
    pub fn new(concluded: Concluded<R>, need: Need, deeds: Vec<Deed>, keeping: &Keeping) -> KeptClass<R> {
        let count = deeds.len();
        let stored: Vec<Deed> = deeds.into_iter().filter_map(|deed| stored(deed, keeping)).collect();
        // A file at a place that no option names, or an earlier run's that had to go.
        let is_of_here = stored.len() < count || stored.contains(&Deed::Removed);
        let named = keeping.is_elsewhere().then(|| named(&concluded, keeping)).flatten();
        KeptClass { concluded: named.unwrap_or(concluded), need, deeds: stored, is_of_here }
    }

    /// Whether nothing went wrong that may go another way next time.
    pub fn is_sound(&self) -> bool {
        self.concluded.internal_errors == 0 && !self.concluded.status.bad_input
    }

    /// Whether all its files belong where options of this run place them.
    pub fn is_placed(&self, keeping: &Keeping) -> bool {
        self.actual(keeping).is_some()
    }

    /// Whether its files can be put in place now.
    pub fn fits(&self, keeping: &Keeping) -> bool {
        self.actual(keeping).is_some_and(|deeds| journal::fits(&deeds))
    }

    /// Puts its files in place, as far as they are not; what is concluded then.
    pub fn put(self, keeping: &Keeping) -> Concluded<R> {
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

    fn actual(&self, keeping: &Keeping) -> Option<Vec<Deed>> {
        self.deeds.iter().map(|deed| actual(deed.clone(), keeping)).collect()
    }
}

fn stored(deed: Deed, keeping: &Keeping) -> Option<Deed> {
    Some(match deed {
        Deed::Put { path, text, mark } => Deed::Put { path: keeping.stored(&path)?, text, mark },
        Deed::Whole { root, command, class } => Deed::Whole { root: keeping.stored(&root)?, command, class },
        // Who has the name is a matter of this folder.
        Deed::Avoided { .. } | Deed::Removed => deed,
    })
}

fn actual(deed: Deed, keeping: &Keeping) -> Option<Deed> {
    Some(match deed {
        Deed::Put { path, text, mark } => Deed::Put { path: keeping.actual(&path)?, text, mark },
        Deed::Whole { root, command, class } => Deed::Whole { root: keeping.actual(&root)?, command, class },
        Deed::Avoided { .. } | Deed::Removed => deed,
    })
}

/// The same with the folders that the user named in all texts.
fn named<R: Serialize + DeserializeOwned>(
    concluded: &Concluded<R>,
    keeping: &Keeping,
) -> Option<Concluded<R>> {
    let text = serde_json::to_string(concluded).ok()?;
    serde_json::from_str(&keeping.as_named(text)).ok()
}
