//! Tables.

use maud::{Markup, Render, html};

/// Default limit on the rows of a table.
pub const MOST_ROWS: usize = 500;

/// A table with a heading for each column. A table wider than the window scrolls separately, also by keyboard.
#[derive(Clone, Debug)]
pub struct Table {
    label: String,
    heads: Vec<String>,
    rows: Vec<(String, Vec<Markup>)>,
    most: usize,
    left_out: usize,
}

impl Table {
    /// An empty table. The label describes its content to screen readers.
    pub fn new(label: &str, heads: &[&str]) -> Table {
        let heads = heads.iter().map(|it| (*it).to_owned()).collect();
        Table { label: label.into(), heads, rows: Vec::new(), most: MOST_ROWS, left_out: 0 }
    }

    /// Limits the number of rows.
    #[must_use]
    pub fn most(mut self, rows: usize) -> Table {
        self.most = rows;
        self
    }

    /// Adds a row of a class of the style sheet, such as `covered`; rows beyond the limit are only counted.
    pub fn row_of_class(&mut self, class: &str, cells: impl IntoIterator<Item = Markup>) {
        if self.rows.len() < self.most {
            self.rows.push((class.into(), cells.into_iter().collect()));
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Markup>) {
        self.row_of_class("", cells);
    }

    /// Adds a row of texts.
    pub fn texts<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells: Vec<Markup> = cells.into_iter().map(|it| html! { (it.as_ref()) }).collect();
        self.row(cells);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            div .scroll tabindex="0" role="region" aria-label=(self.label) {
                table {
                    thead { tr { @for head in &self.heads { th scope="col" { (head) } } } }
                    tbody {
                        @for (class, cells) in &self.rows {
                            tr class=[(!class.is_empty()).then_some(class)] { @for cell in cells { td { (cell) } } }
                        }
                    }
                }
            }
            @if self.left_out > 0 { p .hint { "and " (self.left_out) " more" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let mut table = Table::new("pairs", &["#"]).most(2);
        (0..5).for_each(|at| table.texts([at.to_string()]));
        let html = table.render().into_string();
        assert!(html.matches("<tr>").count() == 3 && html.contains("and 3 more"), "{html}");
    }
}
