//! The history of a method's sequences in the search, for `--explain`: which were explored, what happened to
//! their states, and why possible successors were skipped.

use super::element::call_name;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep};

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Limit on the sequences shown.
const MAX_LINES: usize = 300;

/// The result for the state after a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It was extended.
    Extended,
    /// An isomorphic state was seen before.
    Isomorphic,
    /// An earlier state subsumes it.
    Subsumed,
    /// The invocation with this index has no influence on later ones.
    Redundant(usize),
    /// The invocation statically defines nothing.
    Unchanged,
}

/// Why an invocation was skipped after a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The last invocation does not influence it, and it changes nothing itself.
    NoInfluence,
    /// The other order of the two is tried.
    PartialOrder,
    /// It is on no candidate sequence to anything uncovered.
    LeadsNowhere,
    /// It would modify the object of a constant.
    SharedConstant,
}

#[derive(Default)]
struct HistoryEntry {
    paths: u64,
    tests: u64,
    redundant: u64,
    fates: BTreeMap<Fate, u64>,
    skipped: BTreeMap<(SkipReason, String), u64>,
}

/// The history by sequence, in the order of first occurrence.
#[derive(Default)]
pub struct SequenceHistory {
    order: Vec<String>,
    entries: FxHashMap<String, HistoryEntry>,
}

impl SequenceHistory {
    /// Records a completed path of a sequence. `is_kept` says that it may become a test, `is_redundant` that
    /// a call influenced no later one.
    pub fn path(&mut self, plan: &Plan, is_kept: bool, is_redundant: bool) {
        let entry = self.entry(plan);
        entry.paths += 1;
        entry.tests += is_kept as u64;
        entry.redundant += is_redundant as u64;
    }

    /// Records the state after a path.
    pub fn state(&mut self, plan: &Plan, fate: Fate) {
        *self.entry(plan).fates.entry(fate).or_default() += 1;
    }

    /// Records that an invocation was skipped after a sequence.
    pub fn skip(&mut self, plan: &Plan, next: &Invokable, why: SkipReason) {
        *self.entry(plan).skipped.entry((why, call_name(next))).or_default() += 1;
    }

    fn entry(&mut self, plan: &Plan) -> &mut HistoryEntry {
        let name = sequence_name(plan);
        if !self.entries.contains_key(&name) {
            self.order.push(name.clone());
        }
        self.entries.entry(name).or_default()
    }

    /// One line per sequence, followed by its skipped successors.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for name in self.order.iter().take(MAX_LINES) {
            let Some(entry) = self.entries.get(name) else { continue };
            let HistoryEntry { paths, tests, redundant, fates, skipped } = entry;
            let _ = write!(text, "{name}\n    {paths} {}", plural(*paths, "path"));
            if *tests > 0 {
                let _ = write!(text, ", {tests} useful for tests");
            }
            if *redundant > 0 {
                let _ = write!(text, ", {redundant} with a call that influences no later one");
            }
            for (fate, count) in fates {
                let _ = write!(text, ", {count} {} {}", plural(*count, "state"), fate.text());
            }
            text.push('\n');
            for why in [
                SkipReason::NoInfluence,
                SkipReason::PartialOrder,
                SkipReason::LeadsNowhere,
                SkipReason::SharedConstant,
            ] {
                let names: Vec<&str> =
                    skipped.keys().filter(|(skip, _)| *skip == why).map(|(_, name)| &**name).collect();
                if !names.is_empty() {
                    let _ = writeln!(text, "    not followed by {}: {}", names.join(", "), why.text());
                }
            }
        }
        if self.order.len() > MAX_LINES {
            let _ = writeln!(text, "... and {} more sequences", self.order.len() - MAX_LINES);
        }
        text
    }
}

impl Fate {
    fn text(self) -> String {
        match self {
            Fate::Extended => "extended".into(),
            Fate::Isomorphic => "pruned: isomorphic to an earlier one".into(),
            Fate::Subsumed => "pruned: subsumed by an earlier one".into(),
            Fate::Redundant(call) => format!("pruned: call {} influences no later one", call + 1),
            Fate::Unchanged => "pruned: the last call defines nothing".into(),
        }
    }
}

impl SkipReason {
    fn text(self) -> &'static str {
        match self {
            SkipReason::NoInfluence => "not influenced by the last call",
            SkipReason::PartialOrder => "tried in the other order (partial order)",
            SkipReason::LeadsNowhere => "on no candidate sequence to anything uncovered",
            SkipReason::SharedConstant => "would change a constant",
        }
    }
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// The calls of a plan as text.
fn sequence_name(plan: &Plan) -> String {
    let calls = plan.steps.iter().filter_map(|step| match step {
        PlanStep::Call { invokable, .. } => Some(call_name(invokable)),
        PlanStep::SetField { name, .. } => Some(format!("{name} = value")),
        _ => None,
    });
    let names: Vec<String> = calls.collect();
    if names.is_empty() { "a constant".into() } else { names.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::invokable;
    use cupping_machine::ClassId;
    use std::rc::Rc;

    /// A plan of these calls without arguments on a `Box`.
    fn plan(names: &[&str]) -> Plan {
        let mut plan = Plan::default();
        for name in names {
            plan.call(&Rc::new(invokable("p/Box", name, "()V")), Vec::new(), "");
        }
        plan
    }

    #[test]
    fn a_sequence_is_followed_by_what_happened_to_it() {
        let mut history = SequenceHistory::default();
        let made = plan(&["<init>", "fill"]);
        history.path(&made, true, false);
        history.path(&made, false, true);
        history.state(&made, Fate::Isomorphic);
        history.state(&made, Fate::Isomorphic);
        history.state(&made, Fate::Extended);
        let expected = "Box(); fill()\n    2 paths, 1 useful for tests, 1 with a call that influences no later one, \
             1 state extended, 2 states pruned: isomorphic to an earlier one\n";
        assert_eq!(history.text(), expected);
    }

    #[test]
    fn one_path_is_not_many_and_nothing_is_counted_that_did_not_happen() {
        let mut history = SequenceHistory::default();
        history.path(&plan(&["<init>"]), false, false);
        assert_eq!(history.text(), "Box()\n    1 path\n");
    }

    #[test]
    fn skipped_calls_are_listed_by_reason() {
        let mut history = SequenceHistory::default();
        let (made, size) = (plan(&["<init>"]), invokable("p/Box", "size", "()I"));
        for _ in 0..2 {
            history.skip(&made, &invokable("p/Box", "put", "(II)V"), SkipReason::PartialOrder);
        }
        history.skip(&made, &size, SkipReason::NoInfluence);
        history.skip(&made, &invokable("p/Box", "clear", "()V"), SkipReason::NoInfluence);
        let text = history.text();
        let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "not followed by clear(), size(): not influenced by the last call",
                "not followed by put(int, int): tried in the other order (partial order)",
            ]
        );
    }

    #[test]
    fn calls_are_counted_from_one_for_people() {
        let mut history = SequenceHistory::default();
        history.state(&plan(&["<init>"]), Fate::Redundant(0));
        assert!(history.text().contains("pruned: call 1 influences no later one"), "{}", history.text());
    }

    #[test]
    fn sequences_are_in_the_order_of_their_first_occurrence() {
        let mut history = SequenceHistory::default();
        for names in [&["<init>", "put"][..], &["<init>"], &["<init>", "put"]] {
            history.path(&plan(names), false, false);
        }
        let text = history.text();
        let names: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(names, ["Box(); put()", "Box()"]);
    }

    #[test]
    fn constants_and_stores_have_names_too() {
        assert_eq!(sequence_name(&Plan::default()), "a constant");
        let mut stores = plan(&["<init>"]);
        let field = (ClassId(0), 0);
        stores.steps.push(PlanStep::SetField { field, name: "size".into(), operands: vec![0, 1] });
        assert_eq!(sequence_name(&stores), "Box(); size = value");
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let mut history = SequenceHistory::default();
        for at in 0..MAX_LINES + 2 {
            history.path(&plan(&[&format!("m{at}")]), false, false);
        }
        let text = history.text();
        assert_eq!(text.lines().last(), Some("... and 2 more sequences"));
        assert!(text.contains("m299()") && !text.contains("m300()"));
    }
}
