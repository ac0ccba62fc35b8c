//! Explanations: what generation learned about a class beyond its tests, for display.
//!
//! Instructions and tree nodes are referred to by index, so that large data is stored once: [`CoverageBits`] is a
//! set of numbered control-flow edges, and a call edge of a tree refers to a leaf of the callee's tree.

/// The state of a class after generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Name of the source file without folders.
    pub source_file: Option<Box<str>>,
    /// The class's methods with code, in class-file order.
    pub methods: Vec<MethodCode>,
    /// Constraint trees: those of the class's methods, then those of methods that they refer to.
    pub trees: Vec<PathTree>,
    /// Coverage by class initialisation, before any case.
    pub initialisation: CoverageBits,
    /// Coverage of each of the suite's `cases`, excluding initialisation.
    pub cases: Vec<CoverageBits>,
    /// Coverage of each of its `failing` cases.
    pub failing: Vec<CoverageBits>,
}

/// The code of a method.
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
    /// The instruction in the notation of `javap`.
    pub text: String,
    /// Its outgoing edges if it counts for coverage; compiler-generated instructions do not. Edges are
    /// numbered across all methods of the class.
    pub ways: Vec<OutgoingEdge>,
}

/// An outgoing control-flow edge of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutgoingEdge {
    /// Its number.
    pub number: u32,
    /// Offset of the target instruction; present if there are several edges.
    pub target: Option<u32>,
}

/// The coverage of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageBits {
    /// A bit set of the covered edges, 64 per word; missing words are zero. An instruction is covered if any
    /// of its edges is.
    pub ways: Vec<u64>,
    /// The leaf at which the case ends: index of the tree, and of the node in it.
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
    /// Its nodes, parents before children; the root is first.
    pub nodes: Vec<PathNode>,
    /// Number of further nodes that are not included.
    pub left_out: u32,
}

/// A node of a constraint tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathNode {
    /// Its kind.
    pub kind: PathKind,
    /// Its parent; the root is its own parent.
    pub parent: u32,
    /// The edge from the parent.
    pub edge: PathEdge,
}

/// The kind of a tree node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// Feasible computation between branch constraints.
    Computation,
    /// The method returns or throws.
    Terminal,
    /// Not explored.
    Unexplored,
    /// Infeasible.
    Infeasible,
    /// Undecided within the solver's budget.
    TimeOut,
}

/// An edge of a constraint tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEdge {
    /// No edge: the node is the root.
    Root,
    /// A branch constraint.
    Branch {
        /// Its source line.
        line: Option<u32>,
        /// The constraint in readable form, over argument names.
        constraint: String,
    },
    /// An invocation that took the path to this leaf of the callee's tree.
    Call {
        /// The callee's tree, if it is included.
        tree: Option<u32>,
        /// The leaf.
        leaf: u32,
        /// The callee: `Class.method`.
        name: String,
        /// The decisions on that path in readable form, over argument names.
        constraint: String,
    },
}

impl CoverageBits {
    /// Whether the edge with this number is covered.
    pub fn contains(&self, way: u32) -> bool {
        self.ways.get(way as usize / 64).is_some_and(|word| word >> (way % 64) & 1 != 0)
    }

    /// Adds all edges of another set.
    pub fn add(&mut self, other: &CoverageBits) {
        if self.ways.len() < other.ways.len() {
            self.ways.resize(other.ways.len(), 0);
        }
        for (to, from) in self.ways.iter_mut().zip(&other.ways) {
            *to |= from;
        }
    }

    /// Adds the edge with this number.
    pub fn insert(&mut self, way: u32) {
        let word = way as usize / 64;
        if self.ways.len() <= word {
            self.ways.resize(word + 1, 0);
        }
        self.ways[word] |= 1 << (way % 64);
    }
}
