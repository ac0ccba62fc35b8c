//! The progress of loading and linking.

use super::format::LinkError;
use super::ids::ClassId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Limit on the entries in the tables of all classes (supertypes, methods), which bounds the memory that a
/// program can demand.
const MAX_TABLES: u64 = 1 << 28;
/// Limit on the classes that are being loaded at a time, each waiting for a supertype.
const MAX_LOADING: usize = 256;

/// Classes that are being loaded, and the verification results of linked classes.
#[derive(Default)]
pub(crate) struct Linkage {
    /// Classes whose supertypes are being loaded, outermost first.
    loading: Vec<Arc<str>>,
    /// Verification results of linked classes.
    verified: FxHashMap<ClassId, Option<LinkError>>,
    /// Entries of the tables of all classes.
    tables: u64,
}

impl Linkage {
    /// Begins to load the supertypes of a class; false if too many classes are being loaded.
    pub(super) fn begin(&mut self, name: &Arc<str>) -> bool {
        let has_room = self.loading.len() < MAX_LOADING;
        if has_room {
            self.loading.push(name.clone());
        }
        has_room
    }

    /// Whether the supertypes of this class are being loaded.
    pub(super) fn is_loading(&self, name: &Arc<str>) -> bool {
        self.loading.contains(name)
    }

    /// Ends what was begun last.
    pub(super) fn end(&mut self) {
        self.loading.pop();
    }

    /// Counts entries of tables; false if there are too many.
    pub(super) fn has_room(&mut self, entries: u64) -> bool {
        self.tables += entries;
        self.tables <= MAX_TABLES
    }

    /// The verification result of a class, if it has been linked.
    pub(super) fn outcome(&self, class: ClassId) -> Option<&Option<LinkError>> {
        self.verified.get(&class)
    }

    /// Notes the result of verifying a class.
    pub(super) fn set_outcome(&mut self, class: ClassId, outcome: Option<LinkError>) {
        self.verified.insert(class, outcome);
    }
}
