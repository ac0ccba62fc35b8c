//! One page with everything: the pairs, the class control-flow graph, the paths of the methods, the trees.

use crate::analysis::{Analysis, PairVerdict};
use crate::text::verdict_text;
use cupping_machine::Machine;
use cupping_view::{Figure, Page, Table, code};
use maud::{Markup, html};

/// Limit on the trees that are shown; those of uncovered pairs come first.
const TREES: usize = 300;

/// The kinds of verdicts as the style sheet and the script name them.
const CLASSES: [&str; 4] = ["covered", "after-exception", "infeasible", "inconclusive"];

impl Analysis {
    /// The whole page, which needs no other file and no network.
    pub fn page(&self, machine: &Machine) -> String {
        let figures = self.figures();
        let mut trees: Vec<usize> = self.trees.keys().copied().collect();
        trees.sort_by_key(|pair| (matches!(self.verdicts[*pair], PairVerdict::Covered { .. }), *pair));
        trees.truncate(TREES);
        trees.sort_unstable();
        let content = html! {
            h2 { "Pairs" }
            (share(figures))
            (search())
            div #pairs { (self.pair_table(machine, &trees)) }
            h2 { "Class control-flow graph" }
            (crate::graph::drawing(machine, &self.flat, &self.graph, &self.accesses))
            h2 { "Paths" }
            (self.paths(machine))
            h2 { "Deduction" }
            p .hint {
                "Trees are built backwards from the use. Each line is a call, with the condition under which the following \
                 lines exercise the pair. \u{2717} marks a call that makes no progress, \u{2713} the end of a sequence \
                 that was run."
            }
            @for pair in &trees {
                @if let Some(tree) = self.tree(machine, *pair) {
                    details id={ "tree" (pair + 1) } {
                        summary { "Pair " a href={ "#pair" (pair + 1) } { (pair + 1) } }
                        (code::block(&format!("{}\n{tree}", self.pair(machine, *pair).unwrap_or_default())))
                    }
                }
            }
        };
        let class = machine.class(self.flat.class).name.replace('/', ".");
        let all = Figure::count(self.pairs.len(), "definition-use pair", "definition-use pairs");
        let each =
            PairVerdict::KINDS.iter().zip(figures).map(|(kind, count)| Figure::count(count, kind, kind));
        Page::of_class("dataflow", &class)
            .home("index.html", "All classes")
            .figures(std::iter::once(all).chain(each))
            .content(content)
            .wide()
            .script(include_str!("../assets/pairs.js"))
            .render()
    }

    fn pair_table(&self, machine: &Machine, trees: &[usize]) -> Table {
        let heads = ["#", "variable", "definition", "use", "verdict"];
        let mut table = Table::new("Definition-use pairs", &heads).most(usize::MAX);
        for (at, pair) in self.pairs.iter().enumerate() {
            let number = at + 1;
            let kind = CLASSES[self.verdicts[at].kind()];
            let link = match trees.binary_search(&at) {
                Ok(_) => html! { a href={ "#tree" (number) } id={ "pair" (number) } { (number) } },
                Err(_) => html! { span id={ "pair" (number) } { (number) } },
            };
            let variable = self.flat.variables[pair.variable].name.to_string();
            let places = [pair.definition, pair.usage].map(|it| self.place(machine, it));
            let texts = [variable].into_iter().chain(places).map(|it| html! { code { (it) } });
            let verdict = html! { (verdict_text(&self.verdicts[at])) };
            table.row_of_class(kind, std::iter::once(link).chain(texts).chain([verdict]));
        }
        table
    }

    fn paths(&self, machine: &Machine) -> Markup {
        html! {
            @for summary in self.summaries.iter().filter(|summary| !summary.is_deferred) {
                @if let Some(method) = self.flat.method(summary.method) {
                    details {
                        summary {
                            code { (self.flat.method_name(machine, method)) }
                            @if !summary.open.is_empty() { " " span .tag .warn { "open" } }
                        }
                        (code::block(&summary.paths.iter().map(|path| self.path(path)).collect::<String>()))
                        @for open in &summary.open { p .warn { (open) } }
                    }
                }
            }
        }
    }
}

/// A bar that shows the shares of the verdicts; the heading has the figures.
fn share(figures: [usize; 4]) -> Markup {
    html! {
        div .share aria-hidden="true" {
            @for (kind, count) in CLASSES.iter().zip(figures) { span .(kind) style={ "flex:" (count) } {} }
        }
    }
}

fn search() -> Markup {
    html! {
        form .search role="search" {
            input #find type="search" placeholder="Variable, method, call" aria-label="Filter pairs" autocomplete="off"
                spellcheck="false";
            fieldset #kinds {
                legend { "Verdicts" }
                @for (kind, name) in CLASSES.iter().zip(PairVerdict::KINDS) {
                    label { input type="checkbox" value=(kind) checked; (name) }
                }
            }
            span #shown role="status" {}
        }
    }
}
