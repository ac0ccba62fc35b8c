//! Difference bounds between numbers, kept closed under paths.

/// A set of assertion indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Positions(u128);

impl Positions {
    /// Exclusive upper limit of the indices.
    pub(super) const MOST: usize = 128;

    pub(super) fn one(position: usize) -> Positions {
        Positions(1 << position)
    }

    pub(super) fn with(self, other: Positions) -> Positions {
        Positions(self.0 | other.0)
    }

    pub(super) fn ascending(self) -> Vec<usize> {
        (0..Self::MOST).filter(|position| self.0 >> position & 1 == 1).collect()
    }
}

/// A bound with the assertions that imply it.
type Bound = Option<(i128, Positions)>;

/// The matrix of upper bounds of `x - y` for all nodes; node 0 is the number zero.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    /// `most[x][y]` bounds `x - y`.
    most: Vec<Vec<Bound>>,
}

/// Limit on the nodes: adding a constraint takes quadratic time.
const NODES: usize = 40;

impl Default for Differences {
    fn default() -> Differences {
        Differences { most: vec![vec![Some((0, Positions::default()))]] }
    }
}

impl Differences {
    /// A new unbounded node; `None` at the limit.
    pub(super) fn add_node(&mut self) -> Option<usize> {
        let node = self.most.len();
        if node == NODES {
            return None;
        }
        self.most.iter_mut().for_each(|row| row.push(None));
        let mut row = vec![None; node + 1];
        row[node] = Some((0, Positions::default()));
        self.most.push(row);
        Some(node)
    }

    /// The upper bound of `x - y`, if there is one.
    pub(super) fn bound(&self, x: usize, y: usize) -> Bound {
        self.most[x][y]
    }

    /// Adds `x - y <= k`; returns the assertions of a contradiction, if one arises.
    pub(super) fn at_most(&mut self, x: usize, y: usize, k: i128, because: Positions) -> Option<Positions> {
        if let Some((back, why)) = self.most[y][x]
            && k + back < 0
        {
            return Some(because.with(why));
        }
        if self.most[x][y].is_some_and(|(known, _)| known <= k) {
            return None;
        }
        let to_x: Vec<Bound> = self.most.iter().map(|row| row[x]).collect();
        let from_y = self.most[y].clone();
        for (row, before) in self.most.iter_mut().zip(&to_x) {
            let Some((first, why_first)) = *before else { continue };
            for (entry, after) in row.iter_mut().zip(&from_y) {
                let Some((last, why_last)) = *after else { continue };
                let total = first + k + last;
                if entry.is_none_or(|(known, _)| total < known) {
                    *entry = Some((total, why_first.with(because).with(why_last)));
                }
            }
        }
        None
    }

    /// The least and greatest value of a node, given the values of the earlier nodes.
    pub(super) fn range(&self, node: usize, values: &[i128]) -> Option<(i128, i128)> {
        let high = values.iter().enumerate().filter_map(|(o, v)| Some(v + self.most[node][o]?.0)).min()?;
        let low = values.iter().enumerate().filter_map(|(o, v)| Some(v - self.most[o][node]?.0)).max()?;
        (low <= high).then_some((low, high))
    }
}
