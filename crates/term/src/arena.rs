//! The arena of hash-consed terms: equal terms have equal ids, and arguments precede the terms that use them.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use crate::op::Op;
use crate::range::{self, Range};
use crate::rules::RuleCounters;
use crate::sort::Sort;
use crate::table::Table;
use crate::variables::{VarIndex, VarSetId, VarSets};

/// A term of one [`Terms`] arena. Ids increase: an argument's id is less than its user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(NonZeroU32);

impl TermId {
    /// The index in the arena, starting at 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    fn from_index(index: usize) -> TermId {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        TermId(number.expect("fewer than 2^32 terms: each takes over 50 bytes of memory"))
    }

    /// The id as a non-zero number, for packing into the machine's slots.
    #[must_use]
    pub const fn get(self) -> NonZeroU32 {
        self.0
    }

    /// The id for a number from [`TermId::get`]; only valid for the same arena.
    #[must_use]
    pub const fn from_raw(number: NonZeroU32) -> TermId {
        TermId(number)
    }
}

/// A constant table of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// A node of the term graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Constant {
        /// Its sort.
        sort: Sort,
        /// Its value, within the sort's mask.
        bits: u64,
    },
    /// A symbolic input.
    Variable {
        /// Its sort.
        sort: Sort,
        /// Its variable.
        index: VarIndex,
    },
    /// An entry of a constant table at a `Bv32` index; 0 if the index is out of range.
    Lookup {
        /// The sort of the entries.
        sort: Sort,
        /// The table.
        table: TableId,
        /// The index, read as unsigned.
        index: TermId,
    },
    /// An operation.
    Apply {
        /// The operation.
        op: Op,
        /// The sort of the result.
        sort: Sort,
        /// The arguments; the first `op.arity()` count, the others repeat the first.
        args: [TermId; 3],
    },
}

impl Term {
    /// The sort of the value.
    #[must_use]
    pub const fn sort(&self) -> Sort {
        match *self {
            Term::Constant { sort, .. }
            | Term::Variable { sort, .. }
            | Term::Lookup { sort, .. }
            | Term::Apply { sort, .. } => sort,
        }
    }

    /// The direct subterms.
    #[must_use]
    pub fn args(&self) -> &[TermId] {
        match self {
            Term::Apply { op, args, .. } => &args[..op.arity()],
            Term::Lookup { index, .. } => std::slice::from_ref(index),
            _ => &[],
        }
    }
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name for display.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// Its term.
    pub term: TermId,
}

/// Operations that building a node counts for.
const OPERATIONS_OF_BUILDING: u64 = 4;

/// Operations on an arena that take a microsecond on a reference machine.
pub const OPERATIONS_OF_MICROSECOND: u64 = 30;

/// The next arena number; never shown.
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

/// Distinguishes the arenas of a process. A clone gets a new identity.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64);

impl Identity {
    fn fresh() -> Identity {
        Identity(NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Identity {
        Identity::fresh()
    }
}

/// The arena of terms, variables and tables. Building a term rewrites it (see [`crate::Rule`]).
#[derive(Clone, Debug)]
pub struct Terms {
    identity: Identity,
    nodes: Vec<Term>,
    ranges: Vec<Range>,
    variable_sets: Vec<VarSetId>,
    interned: FxHashMap<Term, TermId>,
    variables: Vec<Variable>,
    tables: Vec<Arc<Table>>,
    interned_tables: FxHashMap<Arc<Table>, TableId>,
    sets: VarSets,
    operations: Cell<u64>,
    pub(crate) rewriting: bool,
    pub(crate) counters: RuleCounters,
    pub(crate) truth: [TermId; 2],
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty arena that rewrites terms.
    #[must_use]
    pub fn new() -> Terms {
        let placeholder = TermId::from_index(0);
        let mut terms = Terms {
            identity: Identity::fresh(),
            nodes: Vec::new(),
            ranges: Vec::new(),
            variable_sets: Vec::new(),
            interned: FxHashMap::default(),
            variables: Vec::new(),
            tables: Vec::new(),
            interned_tables: FxHashMap::default(),
            sets: VarSets::default(),
            operations: Cell::new(0),
            rewriting: true,
            counters: RuleCounters::default(),
            truth: [placeholder; 2],
        };
        terms.truth = [terms.constant(Sort::Bool, 0), terms.constant(Sort::Bool, 1)];
        terms
    }

    /// An empty arena that does not rewrite, as a reference for tests of the rewriter.
    #[must_use]
    pub fn without_rewriting() -> Terms {
        Terms { rewriting: false, ..Terms::new() }
    }

    /// A number unique to this arena within the process, for caches of its ids.
    #[must_use]
    pub fn identity(&self) -> u64 {
        self.identity.0
    }

    /// Number of operations on the arena so far, for budgets that do not depend on time: about 30 of them take a
    /// microsecond. Evaluating a node is one; building a node is several, whether or not it was known.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations.get()
    }

    /// Counts operations.
    pub(crate) fn count_operations(&self, more: u64) {
        self.operations.set(self.operations.get() + more);
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms; always false, since `false` and `true` always exist.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a term.
    #[must_use]
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.index()]
    }

    /// The term at an index in the arena.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<TermId> {
        (index < self.nodes.len()).then(|| TermId::from_index(index))
    }

    /// The sort of a term.
    #[must_use]
    pub fn sort(&self, id: TermId) -> Sort {
        self.get(id).sort()
    }

    /// The value of a constant.
    #[must_use]
    pub fn as_constant(&self, id: TermId) -> Option<u64> {
        match *self.get(id) {
            Term::Constant { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// The variable, if the term is one.
    #[must_use]
    pub fn as_variable(&self, id: TermId) -> Option<VarIndex> {
        match *self.get(id) {
            Term::Variable { index, .. } => Some(index),
            _ => None,
        }
    }

    /// Bounds of the term's values under all models.
    #[must_use]
    pub fn range(&self, id: TermId) -> Range {
        self.ranges[id.index()]
    }

    /// The variables of a term, ascending.
    #[must_use]
    pub fn variables(&self, id: TermId) -> &[VarIndex] {
        self.sets.get(self.variable_sets[id.index()])
    }

    /// The id of the term's set of variables; equal sets have equal ids.
    #[must_use]
    pub fn variable_set(&self, id: TermId) -> VarSetId {
        self.variable_sets[id.index()]
    }

    /// The declaration of a variable.
    #[must_use]
    pub fn variable(&self, index: VarIndex) -> &Variable {
        &self.variables[index.0 as usize]
    }

    /// Number of variables.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// A constant table.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// Number of tables.
    #[must_use]
    pub fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// Gives a variable another name, which is for display only.
    pub fn rename_variable(&mut self, index: VarIndex, name: String) {
        if let Some(variable) = self.variables.get_mut(index.0 as usize) {
            variable.name = name;
        }
    }

    /// Declares a variable; names need not be unique.
    pub fn new_variable(&mut self, name: impl Into<String>, sort: Sort) -> TermId {
        let index = VarIndex(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        let term = self.intern(Term::Variable { sort, index });
        self.variables.push(Variable { name: name.into(), sort, term });
        term
    }

    /// Declares a table; excess bits of the entries are dropped.
    pub fn new_table(&mut self, sort: Sort, entries: impl IntoIterator<Item = u64>) -> TableId {
        let table = Arc::new(Table::new(sort, entries));
        if let Some(&known) = self.interned_tables.get(&table) {
            return known;
        }
        let id = TableId(u32::try_from(self.tables.len()).expect("fewer than 2^32 tables"));
        self.tables.push(Arc::clone(&table));
        self.interned_tables.insert(table, id);
        id
    }

    /// The term of a node, added if new. Sorts are not checked here but by the builders.
    pub(crate) fn intern(&mut self, node: Term) -> TermId {
        self.count_operations(OPERATIONS_OF_BUILDING);
        if let Some(&known) = self.interned.get(&node) {
            return known;
        }
        let id = TermId::from_index(self.nodes.len());
        let set = match node {
            Term::Variable { index, .. } => self.sets.single(index),
            _ => node.args().iter().fold(VarSetId::EMPTY, |set, arg| {
                let other = self.variable_sets[arg.index()];
                self.sets.union(set, other)
            }),
        };
        let range = self.range_of(&node);
        self.nodes.push(node);
        self.ranges.push(range);
        self.variable_sets.push(set);
        self.interned.insert(node, id);
        id
    }

    /// Bounds of a node whose arguments are in the arena.
    fn range_of(&self, node: &Term) -> Range {
        match *node {
            Term::Constant { sort, bits } => Range::constant(sort, bits),
            Term::Variable { sort, .. } => Range::full(sort),
            Term::Lookup { table, .. } => Range::of_table(self.table(table)),
            Term::Apply { op, sort, args } => range::apply(op, sort, args.map(|arg| self.range(arg))),
        }
    }
}
