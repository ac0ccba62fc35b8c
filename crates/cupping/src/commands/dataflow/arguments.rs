//! The arguments of `cupping dataflow`.

use crate::args::parse_time;
use crate::emission::EmissionArgs;
use crate::interrupt::interrupted;
use clap::Args;
use cupping_dataflow::claims::{Claims, Invariant};
use cupping_dataflow::{DataflowOptions, deduce::Bounds};
use cupping_generate::Options;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `cupping dataflow`.
#[derive(Debug, Args)]
pub struct DataflowArgs {
    /// Classes: org.example.Range, org.example.Map$Entry, org.example.* (a package), a folder of classes, or a jar
    #[arg(value_name = "CLASSES", required = true)]
    pub selectors: Vec<String>,

    /// Folders and jars that hold the classes and all they need, as java takes them. Also -cp
    #[arg(long, visible_alias = "class-path", value_name = "PATH", help_heading = "Input")]
    pub classpath: Option<String>,

    /// The JDK whose library, javac and java are used [default: JAVA_HOME, then PATH]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub jdk: Option<PathBuf>,

    /// What holds whenever the head of a loop is reached: METHOD: CONDITION, or METHOD:LINE: CONDITION where a method
    /// has several, as 'count: sum == 2 * i'; it is believed. May be repeated
    #[arg(long = "invariant", value_name = "INVARIANT", value_parser = parse_invariant, help_heading = "Input")]
    pub invariants: Vec<Invariant>,

    /// A specification in TestJava (docs/spec.md), or a folder of them: its triples are believed of methods that are not
    /// followed, or not to their end; may be repeated
    #[arg(long = "contract", value_name = "FILE", help_heading = "Input")]
    pub contracts: Vec<PathBuf>,

    /// JUnit tests of your own, as folders and jars with what they need beside the classes: which pairs do they
    /// exercise? They run on the machine
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub suite: Option<String>,

    /// With --suite: only this test class of it; may be repeated [default: all that are named Test*, *Test or *Tests]
    #[arg(long = "suite-test", value_name = "CLASS", requires = "suite", help_heading = "Input")]
    pub suite_tests: Vec<String>,

    /// With --suite: the tests of --out are those for pairs that the suite does not exercise
    #[arg(long, requires = "suite", help_heading = "Output")]
    pub complete: bool,

    /// Write certified JUnit tests that exercise the pairs, in folders by package
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub emission: EmissionArgs,

    /// Write the class control-flow graphs for Graphviz into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub dot: Option<PathBuf>,

    /// Write the class control-flow graphs as drawings into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Write pages with graph, pairs, conditions and trees into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Print the paths of the methods too: preconditions, values after them, variables defined
    #[arg(long, help_heading = "Output")]
    pub conditions: bool,

    /// Print the tree of the deduction of these pairs too, by number; may be repeated
    #[arg(long = "tree", value_name = "PAIR", help_heading = "Output")]
    pub trees: Vec<NonZeroUsize>,

    /// Print errors only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Calls of a deduced sequence at most; 0 for no deduction
    #[arg(long, value_name = "N", default_value_t = 7, help_heading = "Search")]
    pub depth: usize,

    /// Deduce a sequence for each pair, also where that of another pair exercises it
    #[arg(long, help_heading = "Search")]
    pub each: bool,

    /// Time for the forward search on what deduction leaves open, for each class; 0s for none
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_budget, help_heading = "Search")]
    pub budget: Duration,

    /// Moves the values that the forward search starts from; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
}

impl DataflowArgs {
    /// The part that concerns the analysis.
    pub fn options(&self, claims: &Arc<Claims>) -> DataflowOptions {
        let is_asked = !self.budget.is_zero();
        let budget = if is_asked { self.budget } else { Duration::from_secs(1) };
        DataflowOptions {
            search: Options { seed: self.seed, budget, pairs_are_goals: true, ..Options::default() },
            bounds: Bounds { depth: self.depth, ..Bounds::default() },
            claims: Arc::clone(claims),
            each: self.each || !self.trees.is_empty(),
            forward: is_asked,
            interrupted,
        }
    }
}

fn parse_budget(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s" | "0ms") { Ok(Duration::ZERO) } else { parse_time(text) }
}

/// `METHOD: CONDITION` or `METHOD:LINE: CONDITION`.
fn parse_invariant(text: &str) -> Result<Invariant, String> {
    let form = || format!("'{text}': write it as METHOD: CONDITION or METHOD:LINE: CONDITION");
    let (method, rest) = text.split_once(':').ok_or_else(form)?;
    let (line, condition) = match rest.split_once(':') {
        Some((line, condition)) => (Some(line.trim().parse().map_err(|_| form())?), condition),
        None => (None, rest),
    };
    if method.trim().is_empty() || condition.trim().is_empty() {
        return Err(form());
    }
    Ok(Invariant { method: method.trim().to_owned(), line, text: condition.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariants_are_read() {
        let read = parse_invariant("count: sum == 2 * i").expect("it is one");
        assert_eq!((read.method.as_str(), read.line, read.text.as_str()), ("count", None, "sum == 2 * i"));
        assert_eq!(parse_invariant("count:12: x > 0").expect("it is one").line, Some(12));
        for bad in ["", "count", "count:", ": x > 0", "count:x: y > 0"] {
            assert!(parse_invariant(bad).is_err(), "{bad}");
        }
    }
}
