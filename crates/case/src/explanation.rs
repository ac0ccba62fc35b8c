//! What generation learnt of a class beside its tests, for people to look at.
//!
//! Instructions and trees are referred to by their places, so that what is large is there once: a [`Covered`] is a set
//! of ways out of instructions, and an edge that stands for an invocation names the leaf of the callee's tree.

/// A class as generation left it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Name of the source file, without folders.
    pub source_file: Option<Box<str>>,
    /// The methods of the class that have code, in the order of the class file.
    pub methods: Vec<MethodCode>,
    /// Constraint trees: those of the class's methods first, then those of methods that they refer to.
    pub trees: Vec<PathTree>,
    /// What the initialisation of the class covers, before any case.
    pub initialisation: Covered,
    /// What each of the suite's `cases` covers, without that.
    pub cases: Vec<Covered>,
    /// What each of its `failing` cases covers.
    pub failing: Vec<Covered>,
}

/// A method's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCode {
    /// Its name.
    pub name: Box<str>,
    /// Its descriptor.
    pub descriptor: Box<str>,
    /// Its instructions.
    pub instructions: Vec<CodeInstruction>,
}

/// A bytecode instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeInstruction {
    /// Its offset.
    pub offset: u32,
    /// Its source line, if the class file has line numbers.
    pub line: Option<u32>,
    /// As `javap` writes it.
    pub text: String,
    /// Its ways out, if it counts for coverage: what the compiler adds on its own does not. They are numbered over all
    /// methods of the class.
    pub ways: Vec<Way>,
}

/// A way of control out of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its number.
    pub number: u32,
    /// Offset of the instruction that it leads to; known where there are several ways.
    pub target: Option<u32>,
}

/// What a case covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// By number of the way, whether it is covered, 64 to a word; words that are missing are zero. An instruction is
    /// covered if any of its ways is.
    pub ways: Vec<u64>,
    /// Where the case ends in a tree: place of the tree, and of the node in it.
    pub leaf: Option<(u32, u32)>,
}

/// The constraint tree of a method (thesis §3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTree {
    /// Internal name of its class.
    pub class: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its descriptor.
    pub descriptor: Box<str>,
    /// Its nodes, parents before children; the first is the root.
    pub nodes: Vec<PathNode>,
    /// How many nodes there are beyond those.
    pub left_out: u32,
}

/// A node of a constraint tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathNode {
    /// What it is.
    pub kind: PathKind,
    /// Its parent; the root's is itself.
    pub parent: u32,
    /// What leads from there to it.
    pub edge: PathEdge,
}

/// Kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// Computation between branch constraints; feasible.
    Computation,
    /// The method returns, or an exception leaves it.
    Terminal,
    /// Not tried.
    Unexplored,
    /// No input leads here.
    Infeasible,
    /// The solver could not tell within its budget.
    TimeOut,
}

/// What leads to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEdge {
    /// Nothing: it is the root.
    Root,
    /// A branch constraint.
    Branch {
        /// Its source line.
        line: Option<u32>,
        /// The constraint, readable, over the names of the arguments.
        constraint: String,
    },
    /// An invocation that took the path to this leaf of the callee's tree.
    Call {
        /// The callee's tree, if it is there.
        tree: Option<u32>,
        /// The leaf.
        leaf: u32,
        /// The callee: `Class.method`.
        name: String,
        /// What was decided on that path, readable, over the names of the arguments.
        constraint: String,
    },
}

impl Covered {
    /// Whether the way of this number is covered.
    pub fn contains(&self, way: u32) -> bool {
        self.ways.get(way as usize / 64).is_some_and(|word| word >> (way % 64) & 1 != 0)
    }

    /// Adds all ways that another covers.
    pub fn add(&mut self, other: &Covered) {
        if self.ways.len() < other.ways.len() {
            self.ways.resize(other.ways.len(), 0);
        }
        for (to, from) in self.ways.iter_mut().zip(&other.ways) {
            *to |= from;
        }
    }

    /// Adds the way of this number.
    pub fn insert(&mut self, way: u32) {
        let word = way as usize / 64;
        if self.ways.len() <= word {
            self.ways.resize(word + 1, 0);
        }
        self.ways[word] |= 1 << (way % 64);
    }
}
