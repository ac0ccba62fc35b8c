//! Everything on one page to look at: the pairs, the class control-flow graph, the paths of the methods, the trees.

use crate::analysis::{Analysis, Verdict};
use crate::show::verdict_text;
use askama::Template;
use cupping_machine::Machine;

#[derive(Template)]
#[template(path = "class.html")]
struct Page {
    name: String,
    covered: usize,
    infeasible: usize,
    inconclusive: usize,
    rows: Vec<Row>,
    drawing: String,
    methods: Vec<Method>,
    /// Numbers of pairs, and their trees.
    trees: Vec<(usize, String)>,
}

struct Row {
    number: usize,
    kind: &'static str,
    variable: String,
    definition: String,
    usage: String,
    verdict: String,
    has_tree: bool,
}

struct Method {
    name: String,
    paths: String,
    open: Vec<String>,
}

/// Trees that are shown; those of pairs that nothing covers come first.
const TREES: usize = 300;

impl Analysis {
    /// Everything on one page, which needs no other file and no network.
    ///
    /// # Errors
    /// What the template says.
    pub fn page(&self, machine: &Machine) -> Result<String, askama::Error> {
        let rows = self.pairs.iter().enumerate().map(|(at, pair)| Row {
            number: at + 1,
            kind: match self.verdicts[at] {
                Verdict::Covered { .. } => "covered",
                Verdict::Infeasible(_) => "infeasible",
                Verdict::Inconclusive(_) => "inconclusive",
            },
            variable: self.flat.variables[pair.variable].name.to_string(),
            definition: self.place(machine, pair.definition),
            usage: self.place(machine, pair.usage),
            verdict: verdict_text(&self.verdicts[at]),
            has_tree: false,
        });
        let mut rows: Vec<Row> = rows.collect();
        let mut numbers: Vec<usize> = self.trees.keys().copied().collect();
        numbers.sort_by_key(|pair| (matches!(self.verdicts[*pair], Verdict::Covered { .. }), *pair));
        numbers.truncate(TREES);
        numbers.sort_unstable();
        numbers.iter().for_each(|pair| rows[*pair].has_tree = true);
        let trees = numbers.into_iter().filter_map(|pair| Some((pair + 1, self.tree(machine, pair)?)));
        let methods = self.summaries.iter().filter_map(|summary| {
            let method = self.flat.method(summary.method)?;
            Some(Method {
                name: self.flat.method_name(machine, method),
                paths: summary.paths.iter().map(|path| self.path(path)).collect(),
                open: summary.open.clone(),
            })
        });
        let [covered, infeasible, inconclusive] = self.figures();
        Page {
            name: machine.class(self.flat.class).name.replace('/', "."),
            covered,
            infeasible,
            inconclusive,
            rows,
            drawing: crate::graph::svg(machine, &self.flat, &self.graph, &self.accesses),
            methods: methods.collect(),
            trees: trees.collect(),
        }
        .render()
    }
}
