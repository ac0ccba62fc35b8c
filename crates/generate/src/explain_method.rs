//! `--explain`: the sequences of one method as plain text.

use crate::influence::Influence;
use crate::invokable::Subject;
use crate::options::GenerateOptions;
use crate::sequences::{
    Candidates, GeneratorResult, Reach, Reason, SequenceHistory, Universe, influence_table, sequence_tree,
};
use cupping_machine::Machine;
use std::fmt::Write;

/// Limit on the length of sequences in the tree.
const DEPTH: usize = 4;
/// Limit on the sequences counted.
const MAX_COUNTED: usize = 100_000;

/// Explains the methods under test: influence, candidate sequences, and the search. `None` if there are none.
pub fn explain(
    machine: &mut Machine,
    influence: &mut Influence,
    subject: &Subject,
    options: &GenerateOptions,
    story: &SequenceHistory,
) -> Option<String> {
    let universe = Universe::new(machine, influence, subject, &options.filter, Reach::Everything);
    let mut text = String::new();
    let methods = universe.calls(|m, _| subject.under_test.iter().any(|u| u.method == m.method));
    if methods.is_empty() {
        return None;
    }
    for (nth, at) in methods.into_iter().enumerate() {
        let class = machine.class(subject.class).name.replace('/', ".");
        let heading = format!("{class}: {}", universe.elements[at].name);
        let _ = writeln!(
            text,
            "{}{heading}\n{}",
            if nth == 0 { "" } else { "\n" },
            "=".repeat(heading.chars().count())
        );
        let _ = writeln!(text, "\nInfluence\n---------\n{}", influence_table(machine, &universe, at));
        let _ = writeln!(text, "Candidate sequences\n-------------------");
        text += "Each line precedes the line above it in the sequence. * is executable, - is left out.\n\n";
        text += &sequence_tree(&universe, at, DEPTH.min(options.max_length));
        text += &counts(&universe, at, DEPTH.min(options.max_length));
    }
    let _ = write!(text, "\nExploration\n-----------\n{}", story.text());
    Some(text)
}

/// Number of sequences by length.
fn counts(universe: &Universe, last: usize, length: usize) -> String {
    let mut candidates = Candidates::new(universe, last, length);
    let mut rows = vec![[0u64; 4]; length + 1];
    let mut all = 0;
    while let Some(met) = candidates.advance() {
        let row = &mut rows[candidates.sequence().count().min(length)];
        match met {
            GeneratorResult::Candidate { is_executable } => {
                row[0] += 1;
                row[1] += is_executable as u64;
            }
            GeneratorResult::Pruned(Reason::NoDataFlow) => row[2] += 1,
            GeneratorResult::Pruned(Reason::PartialOrder) => row[3] += 1,
        }
        all += 1;
        if all == MAX_COUNTED {
            return format!("\nmore than {MAX_COUNTED} sequences of up to {length} calls\n");
        }
    }
    let mut text = String::from("\ncalls  candidates  executable  no data flow  partial order\n");
    for (calls, [found, executable, no_flow, order]) in rows.iter().enumerate().skip(1) {
        let _ = writeln!(text, "{calls:5}  {found:10}  {executable:10}  {no_flow:12}  {order:13}");
    }
    text
}
