//! The deduction for a pair as text and as a drawing: its accesses with their conditions, and its tree (§6, Figure 3).

use crate::analysis::{Analysis, PairVerdict};
use crate::deduce::{DeductionNode, Fate, Tree};
use cupping_machine::Machine;
use cupping_term::TermId;
use cupping_view::svg::{Branch, Drawing, tree};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Conditions shown for an access at most.
const CONDITIONS: usize = 8;

impl Analysis {
    /// A pair as §6 of the paper introduces it: variable, definition and use, and the conditions under which they
    /// are executed.
    pub fn pair(&self, machine: &Machine, pair: usize) -> Option<String> {
        let of = self.pairs.get(pair)?;
        let mut rows = vec![
            ("variable:", self.flat.variables[of.variable].name.to_string()),
            ("definition:", self.place(machine, of.definition)),
            ("use:", self.place(machine, of.usage)),
        ];
        for (title, access) in [("PCD:", of.definition), ("PCU:", of.usage)] {
            let titles = std::iter::once(title).chain(std::iter::repeat(""));
            rows.extend(titles.zip(self.conditions_of(machine, access)));
        }
        if let PairVerdict::Covered { calls, .. } = &self.verdicts[pair] {
            rows.push(("sequence:", calls.join(", ")));
        }
        let width = rows.iter().map(|(title, _)| title.len()).max().unwrap_or(0);
        let mut out = String::new();
        for (title, text) in rows {
            let _ = writeln!(out, "  {title:<width$}  {text}");
        }
        Some(out)
    }

    /// The path conditions under which an access is executed: PCD of a definition, PCU of a use. Those of other
    /// methods, which call that of the access, have the name of the method before them.
    fn conditions_of(&self, machine: &Machine, access: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut is_whole = false;
        for summary in self.summaries.iter().filter(|summary| !summary.is_deferred) {
            let method = self.flat.method(summary.method);
            for path in &summary.paths {
                let event = path.events.iter().find(|e| e.accesses.contains(&access));
                let Some(event) = event else { continue };
                let condition = path.condition.get(..event.conditions).unwrap_or(&path.condition);
                let mut text = self.conjunction(condition);
                match method {
                    Some(method) if method != self.accesses.all[access].method => {
                        text = format!("{}: {text}", self.flat.method_name(machine, method));
                    }
                    _ => is_whole |= text == "true",
                }
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
        if is_whole {
            found.retain(|text| text == "true" || text.contains(": "));
        }
        match found.len() {
            0 => found.push("unknown: no evaluated path leads there".to_owned()),
            many if many > CONDITIONS => {
                found.truncate(CONDITIONS);
                found.push(format!("or one of {} more", many - CONDITIONS));
            }
            _ => {}
        }
        for text in found.iter_mut().skip(1) {
            if !text.starts_with("or ") {
                *text = format!("or {text}");
            }
        }
        found
    }

    /// The deduction tree of a pair, with the use at the top. Nodes are numbered as in Figure 3, level by level.
    pub fn tree(&self, machine: &Machine, pair: usize) -> Option<String> {
        let tree = self.trees.get(&pair)?;
        let mut out = String::new();
        for (_, node, text) in self.nodes(machine, tree) {
            let _ = writeln!(out, "{}{text}", "  ".repeat(tree.nodes[node].depth - 1));
        }
        Some(out)
    }

    /// The same as a drawing.
    pub fn tree_drawing(&self, machine: &Machine, pair: usize) -> Option<Drawing> {
        let of = self.trees.get(&pair)?;
        let nodes = self.nodes(machine, of);
        let places: BTreeMap<usize, usize> =
            nodes.iter().enumerate().map(|(place, (_, node, _))| (*node, place)).collect();
        let branches: Vec<Branch> = nodes
            .iter()
            .map(|(number, node, text)| Branch {
                parent: of.nodes[*node].parent.and_then(|parent| places.get(&parent).copied()),
                mark: number.to_string(),
                text: text.split_once(' ').map_or("", |(_, text)| text).to_owned(),
            })
            .collect();
        Some(tree(&format!("Deduction for pair {}", pair + 1), &branches))
    }

    /// The nodes of a tree, children after their parent: number, place in the tree, and text.
    fn nodes(&self, machine: &Machine, tree: &Tree) -> Vec<(usize, usize, String)> {
        // Calls without a condition come last, as in the paper.
        let children = |node: Option<usize>| -> Vec<usize> {
            let mut found: Vec<usize> = tree.children(node).collect();
            found.sort_by_key(|child| {
                let DeductionNode { summary, path, .. } = tree.nodes[*child];
                self.summaries[summary].paths[path].condition.is_empty()
            });
            found
        };
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut level = children(None);
        while !level.is_empty() {
            for node in &level {
                let number = numbers.len();
                numbers.insert(*node, number);
            }
            level = level.iter().flat_map(|node| children(Some(*node))).collect();
        }
        let mut open = children(None);
        open.reverse();
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            found.push((numbers[&node], node, self.node(machine, tree, node, &numbers)));
            open.extend(children(Some(node)).into_iter().rev());
        }
        found
    }

    fn node(&self, machine: &Machine, tree: &Tree, node: usize, numbers: &BTreeMap<usize, usize>) -> String {
        let at = &tree.nodes[node];
        let summary = &self.summaries[at.summary];
        let name = self.flat.method(summary.method);
        let name = match summary.is_deferred {
            true => "lambdas, nested classes and other objects".to_owned(),
            false => name.map_or_else(String::new, |m| self.flat.method_name(machine, m)),
        };
        let fate = match at.fate {
            Fate::Open | Fate::Expanded => String::new(),
            Fate::Pruned { implies } => format!("  \u{2717} implies {}", numbers[&implies]),
            Fate::Complete => "  \u{2713}".to_owned(),
            Fate::Cut => "  too deep".to_owned(),
        };
        let condition: &[TermId] = &at.condition;
        format!("{} {name}  [{}]{fate}", numbers[&node], self.conjunction(condition))
    }
}
