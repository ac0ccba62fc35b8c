//! Coverage goals, one by one: lines, and outgoing edges of instructions with several.

/// A goal's number, unique over the classes of a [`CoverageMap`](crate::CoverageMap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalId(
    /// Its index in [`CoverageMap::goals`](crate::CoverageMap::goals).
    pub u32,
);

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A source line.
    Line {
        /// Place of the class in the map.
        class: usize,
        /// The line.
        line: u32,
    },
    /// One way out of an instruction that has several.
    Branch {
        /// Place of the class in the map.
        class: usize,
        /// Place of the method in the class file.
        method: usize,
        /// Its line, if the class has a line table.
        line: Option<u32>,
        /// The edges that cover it: one, or one for each copy of a `finally` block.
        edges: Vec<BranchEdge>,
    },
    /// A further requirement.
    Requirement {
        /// Place of the class in the map.
        class: usize,
        /// Its index in [`CoveredClass::requirements`](crate::CoveredClass::requirements).
        place: usize,
        /// Its line, if the class has a line table.
        line: Option<u32>,
    },
}

/// A way of control out of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchEdge {
    /// Offset of the instruction.
    pub offset: u32,
    /// Offset of the instruction that is next.
    pub target: u32,
}

/// A set of goals. The goals of two runs together are the union of the goals of each.
#[derive(Clone, Debug, Default)]
pub struct GoalSet {
    words: Vec<u64>,
}

/// Goals that one set has and another has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gain {
    /// Lines.
    pub lines: u32,
    /// Branches.
    pub branches: u32,
    /// Number of requirements.
    pub requirements: u32,
}

impl Gain {
    /// The number of goals.
    pub fn total(&self) -> u32 {
        self.lines + self.branches + self.requirements
    }
}

impl Goal {
    /// Place of its class in the map.
    pub fn class(&self) -> usize {
        match self {
            Goal::Line { class, .. } | Goal::Branch { class, .. } | Goal::Requirement { class, .. } => *class,
        }
    }

    /// Its source line.
    pub fn line(&self) -> Option<u32> {
        match self {
            Goal::Line { line, .. } => Some(*line),
            Goal::Branch { line, .. } | Goal::Requirement { line, .. } => *line,
        }
    }
}

impl GoalSet {
    /// Adds a goal.
    pub fn insert(&mut self, goal: GoalId) {
        let word = goal.0 as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (goal.0 % 64);
    }

    /// Whether the goal is in it.
    pub fn contains(&self, goal: GoalId) -> bool {
        crate::hits::is_hit(&self.words, goal.0)
    }

    /// Adds the goals of another set.
    pub fn union(&mut self, other: &GoalSet) {
        crate::hits::merge(&mut self.words, &other.words);
    }

    /// The number of goals.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no goal in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The goals, rising.
    pub fn iter(&self) -> impl Iterator<Item = GoalId> + '_ {
        ones(&self.words).map(GoalId)
    }

    /// The goals that `other` has not.
    pub fn difference(&self, other: &GoalSet) -> GoalSet {
        let words = self.words.iter().enumerate();
        GoalSet { words: words.map(|(at, word)| word & !other.words.get(at).copied().unwrap_or(0)).collect() }
    }
}

/// Trailing zeros do not count.
impl PartialEq for GoalSet {
    fn eq(&self, other: &GoalSet) -> bool {
        self.difference(other).is_empty() && other.difference(self).is_empty()
    }
}

impl Eq for GoalSet {}

impl FromIterator<GoalId> for GoalSet {
    fn from_iter<I: IntoIterator<Item = GoalId>>(goals: I) -> GoalSet {
        let mut set = GoalSet::default();
        goals.into_iter().for_each(|goal| set.insert(goal));
        set
    }
}

/// The numbers of the bits that are set, rising.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(at, word)| {
        (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at as u32 * 64 + bit)
    })
}
