//! Circles: largest sets of files that all lead to each other.

use crate::names::Edges;
use crate::tree::Tree;
use std::collections::BTreeSet;
use std::fmt;

/// Files of one crate that name each other in a circle.
pub(crate) struct Circle {
    /// The folder of the crate.
    pub(crate) package: String,
    /// The files, relative to its `src`.
    pub(crate) files: BTreeSet<String>,
    /// Arrows between them: from, to, names.
    arrows: Vec<(String, String, Vec<String>)>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: a circle of {} files", self.package, self.files.len())?;
        for (from, to, names) in &self.arrows {
            writeln!(f, "    {from} → {to}: {}", names.join(", "))?;
        }
        Ok(())
    }
}

/// The circles of a crate, in order of their first files.
pub(crate) fn circles(package: &str, tree: &Tree, edges: &Edges) -> Vec<Circle> {
    let count = tree.files.len();
    let reach: Vec<BTreeSet<usize>> = (0..count).map(|from| reachable(from, edges)).collect();
    let mut placed = vec![false; count];
    let mut found = Vec::new();
    for file in 0..count {
        if placed[file] || !reach[file].contains(&file) {
            continue;
        }
        let members: Vec<usize> =
            reach[file].iter().copied().filter(|other| reach[*other].contains(&file)).collect();
        members.iter().for_each(|it| placed[*it] = true);
        let arrows = edges.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        found.push(Circle {
            package: package.to_owned(),
            files: members.iter().map(|it| tree.files[*it].clone()).collect(),
            arrows: arrows
                .map(|((from, to), names)| {
                    (tree.files[*from].clone(), tree.files[*to].clone(), names.iter().cloned().collect())
                })
                .collect(),
        });
    }
    found.sort_by(|a, b| a.files.cmp(&b.files));
    found
}

/// The files that arrows lead to from a file; itself only if there is a way back.
fn reachable(from: usize, edges: &Edges) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for ((_, to), _) in edges.range((at, 0)..(at + 1, 0)) {
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    seen
}
