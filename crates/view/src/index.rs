//! The index page of a command: classes, specifications, or other units, with figures and links.

use crate::page::{Figure, Page, bar, class_name, percent};
use maud::{Markup, html};

/// A list of units.
#[derive(Clone, Debug)]
pub struct Index {
    /// The command.
    pub command: &'static str,
    /// The heading: `12 classes`.
    pub title: String,
    /// Figures of all units together.
    pub figures: Vec<Figure>,
    /// The heading of the first column: `Class`.
    pub unit: &'static str,
    /// The headings of the other columns.
    pub columns: Vec<&'static str>,
    /// The units, in the order of the run.
    pub units: Vec<Unit>,
    /// Content after the list.
    pub after: Markup,
}

/// A row of the list.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Its name, with dots.
    pub name: String,
    /// The address of its page, if it has one.
    pub href: Option<String>,
    /// One for each column but the first.
    pub cells: Vec<Cell>,
    /// Its errors.
    pub errors: Vec<String>,
}

/// A figure of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// This many.
    Count(usize),
    /// This many that should not be; none is fine.
    Bad(usize),
    /// A part of a whole.
    Share(u64, u64),
    /// A word.
    Text(String),
}

impl Index {
    /// The index of these units, with a heading that counts them.
    pub fn of_classes(command: &'static str, columns: &[&'static str], units: Vec<Unit>) -> Index {
        let title = format!("{} {}", units.len(), if units.len() == 1 { "class" } else { "classes" });
        let columns = columns.to_vec();
        Index { command, title, figures: Vec::new(), unit: "Class", columns, units, after: html! {} }
    }

    /// The page.
    pub fn render(&self) -> String {
        let filter = format!("Filter by {}", self.unit.to_lowercase());
        let content = html! {
            input #filter type="search" placeholder=(filter) aria-label=(filter) autocomplete="off" spellcheck="false";
            div .scroll tabindex="0" role="region" aria-label=(self.title) {
                table .classes {
                    thead {
                        tr {
                            (head(self.unit, false))
                            @for column in &self.columns { (head(column, true)) }
                        }
                    }
                    tbody { @for unit in &self.units { (unit.markup()) } }
                }
            }
            (self.after)
        };
        Page::new(self.command, &self.title)
            .figures(self.figures.iter().cloned())
            .content(content)
            .script(include_str!("../assets/index.js"))
            .render()
    }
}

/// The heading of a column, which sorts by it.
fn head(title: &str, is_number: bool) -> Markup {
    html! { th .num[is_number] scope="col" aria-sort="none" { button type="button" { (title) } } }
}

impl Unit {
    fn markup(&self) -> Markup {
        html! {
            tr {
                td {
                    @match &self.href {
                        Some(href) => { a href=(href) { (class_name(&self.name)) } }
                        None => { (class_name(&self.name)) }
                    }
                    @for error in &self.errors { p .error { (error) } }
                }
                @for cell in &self.cells { (cell.markup()) }
            }
        }
    }
}

impl Cell {
    fn markup(&self) -> Markup {
        match self {
            Cell::Count(count) => html! { td .num data-value=(count) { (count) } },
            Cell::Bad(count) => html! { td .num .bad[*count > 0] data-value=(count) { (count) } },
            Cell::Share(part, whole) => {
                // Hundredths of a percent; units with nothing to cover come first.
                let key = (part * 10_000).checked_div(*whole).map_or(-1, u64::cast_signed);
                html! {
                    td .num data-value=(key) {
                        (bar(*part, *whole)) " " b { (percent(*part, *whole)) } " " small { (part) "/" (whole) }
                    }
                }
            }
            Cell::Text(text) => html! { td .num { (text) } },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_links_figures_and_errors() {
        let known = Unit {
            name: "shop.Till".into(),
            href: Some("shop.Till.html".into()),
            cells: vec![Cell::Share(1, 2), Cell::Bad(3)],
            ..Unit::default()
        };
        let broken = Unit { name: "Gone".into(), errors: vec!["no <class>".into()], ..Unit::default() };
        let page = Index::of_classes("generate", &["Lines", "Failing"], vec![known, broken]).render();
        for part in [
            "<h1>2 classes</h1>",
            "href=\"shop.Till.html\"",
            "data-value=\"5000\"",
            "<td class=\"num bad\" data-value=\"3\">3</td>",
            "no &lt;class&gt;",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
