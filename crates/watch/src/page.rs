//! The report as one page of HTML that needs nothing else: by method and call site, with the objects before
//! and after drawn.

use crate::outcome::{Example, Outcome, Report, SiteRow};
use crate::picture::{Cell, Picture};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// Rows of a table at most; the JSON has all.
const MOST_ROWS: usize = 500;

/// The page.
pub fn html(report: &Report) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Test mode</title><style>{STYLE}</style></head><body><main>\n<h1>Test mode</h1>\n"
    );
    let _ = writeln!(out, "<p class=\"hint\">{} calls were held against triples.</p>", report.calls);
    if report.skipped > 0 {
        let _ = writeln!(
            out,
            "<p class=\"hint\">{} were left out, as conditions had cost so much already (--overhead).</p>",
            report.skipped
        );
    }
    out += "<ul class=\"counts\">";
    for outcome in Outcome::ALL.iter().rev().filter(|it| report.count(**it) > 0) {
        let (name, count) = (outcome.name(), report.count(*outcome));
        let _ = write!(out, "<li class=\"{name}\"><b>{count}</b> {name}</li>");
    }
    out += "</ul>\n";
    methods(&mut out, report);
    table(
        &mut out,
        "Ways that no test takes",
        &["how often", "method", "lines of the way"],
        report
            .untested_paths
            .iter()
            .map(|(method, way, count)| [count.to_string(), method.clone(), way.clone()]),
    );
    table(
        &mut out,
        "Methods without triples",
        &["how often", "method"],
        report.untested.iter().map(|(method, count)| [count.to_string(), method.clone()]),
    );
    table(
        &mut out,
        "Preconditions assumed from several triples",
        &["triple", "requirement", ""],
        report.suggestions.iter().map(|it| {
            let refined = if it.refined { "refined by this run" } else { "" };
            [it.triple.clone(), it.requirement.clone(), refined.to_owned()]
        }),
    );
    if let Some(regression) = &report.regression {
        let title = format!("Triples that concern {}", regression.changed.join(", "));
        table(
            &mut out,
            &title,
            &["triple", "method", "because of", "calls in this run"],
            regression.triples.iter().map(|it| {
                [it.triple.clone(), it.method.clone(), it.because_of.join(", "), it.calls.to_string()]
            }),
        );
    }
    out += "</main></body></html>\n";
    out
}

fn methods(out: &mut String, report: &Report) {
    let mut by_method: BTreeMap<&str, Vec<&SiteRow>> = BTreeMap::new();
    report.sites.iter().for_each(|row| by_method.entry(&row.method).or_default().push(row));
    let worst = |rows: &[&SiteRow]| rows.iter().flat_map(|row| row.counts.keys()).max().copied();
    let mut methods: Vec<(&str, Vec<&SiteRow>)> = by_method.into_iter().collect();
    methods.sort_by(|a, b| worst(&b.1).cmp(&worst(&a.1)).then_with(|| a.0.cmp(b.0)));
    for (method, rows) in methods {
        let worst = worst(&rows).map_or("success", Outcome::name);
        let _ = writeln!(out, "<section><h2 class=\"{worst}\">{}</h2>", escape(method));
        for row in rows {
            let _ = write!(
                out,
                "<div class=\"site\"><h3>called by {}</h3><ul class=\"counts\">",
                escape(&row.site)
            );
            for (outcome, count) in row.counts.iter().rev() {
                let _ = write!(out, "<li class=\"{0}\"><b>{count}</b> {0}</li>", outcome.name());
            }
            out.push_str("</ul>\n");
            for (outcome, example) in &row.examples {
                write_example(out, *outcome, example);
            }
            out.push_str("</div>\n");
        }
        out.push_str("</section>\n");
    }
}

fn write_example(out: &mut String, outcome: Outcome, example: &Example) {
    let is_open = if outcome > Outcome::Untested { " open" } else { "" };
    let note = if example.note.is_empty() { String::new() } else { format!(": {}", escape(&example.note)) };
    let _ = write!(
        out,
        "<details{is_open}><summary><span class=\"{0}\">{0}</span>{note}</summary>",
        outcome.name()
    );
    if !example.triple.is_empty() {
        let _ = write!(
            out,
            "<p class=\"triple\">{}<br><code>{}</code></p>",
            escape(&example.triple),
            escape(&example.text)
        );
    }
    out.push_str("<table class=\"values\"><tr><th></th><th>before</th><th>after</th></tr>");
    for (at, (name, after)) in example.after.iter().enumerate() {
        let before = example.before.get(at).filter(|(other, _)| other == name).map_or("", |(_, it)| it);
        let changed = if before != after { " class=\"changed\"" } else { "" };
        let _ = write!(
            out,
            "<tr><th>{}</th><td>{}</td><td{changed}>{}</td></tr>",
            escape(name),
            escape(before),
            escape(after)
        );
    }
    out.push_str("</table>");
    if !(example.before_state.is_plain() && example.after_state.is_plain()) {
        out.push_str("<div class=\"states\"><figure><figcaption>before</figcaption>");
        draw(out, &example.before_state, None);
        out.push_str("</figure><figure><figcaption>after</figcaption>");
        draw(out, &example.after_state, Some(&example.before_state));
        out.push_str("</figure></div>");
    }
    out.push_str("<ol class=\"stack\">");
    for frame in &example.stack {
        let _ = write!(out, "<li>{}</li>", escape(frame));
    }
    out.push_str("</ol></details>\n");
}

/// Width of a character and height of a row of a drawing.
const CHARACTER: usize = 7;
const ROW: usize = 18;
const GAP: usize = 46;

/// Draws objects in columns by their distance from receiver and arguments.
fn draw(out: &mut String, picture: &Picture, before: Option<&Picture>) {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.chars().take(40).collect::<String>(),
        Cell::Object(_) => "●".to_owned(),
    };
    let mut columns: Vec<Vec<usize>> = Vec::new();
    let mut seen = vec![false; picture.boxes.len()];
    let targets = |rows: &[(String, Cell)]| -> Vec<usize> {
        rows.iter().filter_map(|(_, it)| if let Cell::Object(to) = it { Some(*to) } else { None }).collect()
    };
    let mut due = targets(&picture.roots);
    while !due.is_empty() {
        due.retain(|it| !std::mem::replace(&mut seen[*it], true));
        let next = due.iter().flat_map(|it| targets(&picture.boxes[*it].rows)).collect();
        columns.push(std::mem::replace(&mut due, next));
    }
    let width_of = |title: &str, rows: &[(String, Cell)]| {
        let rows = rows.iter().map(|(name, cell)| name.chars().count() + text(cell).chars().count() + 3);
        rows.chain([title.chars().count() + 2]).max().unwrap_or(4) * CHARACTER + 12
    };
    let mut places = vec![(0, 0, 0); picture.boxes.len()];
    let mut x = width_of("", &picture.roots) + GAP;
    let mut height = (picture.roots.len() + 1) * ROW + 8;
    for column in &columns {
        let (mut y, mut widest) = (4, 0);
        for at in column {
            let drawn = &picture.boxes[*at];
            let width = width_of(&drawn.class, &drawn.rows);
            places[*at] = (x, y, width);
            y += (drawn.rows.len() + 1) * ROW + 14;
            widest = widest.max(width);
        }
        height = height.max(y);
        x += widest + GAP;
    }
    let _ = write!(out, "<svg width=\"{x}\" height=\"{height}\" viewBox=\"0 0 {x} {height}\" role=\"img\">");
    let mut arrows = String::new();
    let mut arrow = |from: (usize, usize), to: usize| {
        let (x, y, width) = places[to];
        // Back to the left it goes to the right edge of the box.
        let (x, bend) = if x > from.0 { (x, GAP) } else { (x + width, GAP) };
        let back = if x > from.0 { x - bend / 2 } else { x + bend };
        let _ = write!(
            arrows,
            "<path class=\"arrow\" d=\"M{} {} C{} {} {back} {} {x} {}\"/><circle class=\"end\" cx=\"{x}\" cy=\"{}\" r=\"2.5\"/>",
            from.0,
            from.1,
            from.0 + bend,
            from.1,
            y + 10,
            y + 10,
            y + 10
        );
    };
    for (at, (name, cell)) in picture.roots.iter().enumerate() {
        let y = at * ROW + 18;
        let shown = if let Cell::Text(_) = cell { format!("{name} = {}", text(cell)) } else { name.clone() };
        let _ = write!(out, "<text x=\"4\" y=\"{y}\">{}</text>", escape(&shown));
        if let Cell::Object(to) = cell {
            arrow((name.chars().count() * CHARACTER + 10, y - 4), *to);
        }
    }
    for (at, drawn) in picture.boxes.iter().enumerate().filter(|(at, _)| seen[*at]) {
        let (x, y, width) = places[at];
        let old = before.map(|it| it.boxes.iter().find(|it| it.identity == drawn.identity));
        let is_new = if old == Some(None) { " new" } else { "" };
        let _ = write!(
            out,
            "<rect class=\"box{is_new}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" rx=\"4\"/>\
             <text class=\"class\" x=\"{}\" y=\"{}\">{}</text>",
            (drawn.rows.len() + 1) * ROW + 4,
            x + 6,
            y + 14,
            escape(&drawn.class)
        );
        for (row, (name, cell)) in drawn.rows.iter().enumerate() {
            let row_y = y + (row + 1) * ROW + 14;
            let same = old.flatten().zip(before).is_none_or(|(old, before)| {
                let was = old.rows.iter().find(|(other, _)| other == name).map(|(_, it)| it);
                match (was, cell) {
                    (Some(Cell::Object(was)), Cell::Object(now)) => {
                        before.boxes[*was].identity == picture.boxes[*now].identity
                    }
                    (was, now) => was == Some(now),
                }
            });
            let changed = if same { "" } else { " class=\"changed\"" };
            let _ = write!(
                out,
                "<text{changed} x=\"{}\" y=\"{row_y}\">{} {}</text>",
                x + 6,
                escape(name),
                escape(&text(cell))
            );
            if let Cell::Object(to) = cell {
                arrow((x + 6 + (name.chars().count() + 2) * CHARACTER, row_y - 4), *to);
            }
        }
    }
    out.push_str(&arrows);
    out.push_str("</svg>");
}

fn table<const N: usize>(
    out: &mut String,
    title: &str,
    heads: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = write!(out, "<section><h2>{}</h2><table><tr>", escape(title));
    heads.iter().for_each(|head| out.push_str(&format!("<th>{head}</th>")));
    out.push_str("</tr>\n");
    for row in rows.by_ref().take(MOST_ROWS) {
        out.push_str("<tr>");
        row.iter().for_each(|cell| out.push_str(&format!("<td>{}</td>", escape(cell))));
        out.push_str("</tr>\n");
    }
    out.push_str("</table>");
    let more = rows.count();
    if more > 0 {
        let _ = write!(out, "<p class=\"hint\">and {more} more</p>");
    }
    out.push_str("</section>\n");
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in a page, not even as a reference.
            it if it.is_control() && !matches!(it, '\n' | '\t') => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}
