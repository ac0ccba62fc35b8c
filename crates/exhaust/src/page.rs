//! The report as an HTML page: counterexamples drawn, states before and after side by side; and instances drawn.

use crate::check::{Cause, Checked};
use crate::draw::{escape, svg};
use crate::picture::Picture;
use crate::report::{cause, failures, heading};
use crate::specification::Specification;
use std::fmt::Write as _;

const STYLE: &str = "body{font:15px sans-serif;margin:2em;max-width:90em;color:#111;background:#fff}\
    h2{font-size:1.1em;margin-top:2em}.pair{display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start}\
    figure{margin:0;border:1px solid #ccc;padding:.5em}figcaption{color:#555}pre{background:#f4f4f4;padding:.6em}\
    .fails{color:#b00}.holds{color:#070}";

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\
         <style>{STYLE}</style></head>\n<body>\n<h1>{0}</h1>\n{body}</body></html>\n",
        escape(title)
    )
}

fn figure(caption: &str, picture: &Picture) -> String {
    format!("<figure><figcaption>{}</figcaption>\n{}</figure>\n", escape(caption), svg(picture))
}

/// The page of a check.
pub fn report_page(specification: &Specification, checked: &Checked) -> String {
    let failed = checked.inputs - checked.passed;
    let mut body =
        format!("<p>{} inputs, {} passed, {failed} counterexamples.</p>\n", checked.inputs, checked.passed);
    if !checked.is_complete {
        body += "<p>Not all inputs within the scope were tried.</p>\n";
    }
    for group in &checked.groups {
        let _ = writeln!(
            body,
            "<h2>{} ({} of {failed})</h2>",
            escape(&cause(specification, &group.cause)),
            group.count
        );
        for example in &group.examples {
            let (before, after) = example.pictures(specification);
            let _ = write!(body, "<p>Input {}</p>\n<div class=\"pair\">", example.number);
            body += &figure("pre-state", &before);
            if !matches!(group.cause, Cause::Stopped(_)) {
                body += &figure("post-state", &after);
            }
            body += "</div>\n";
            if !example.returned() {
                let _ = writeln!(body, "<p>{}</p>", escape(&example.outcome));
            }
            let lines = failures(specification, group, example);
            if !lines.is_empty() {
                body += "<pre>";
                for line in lines {
                    let class = if line.starts_with("holds") { "holds" } else { "fails" };
                    let _ = writeln!(body, "<span class=\"{class}\">{}</span>", escape(&line));
                }
                body += "</pre>\n";
            }
        }
    }
    for note in specification.notes.iter().chain(&checked.unmodelled) {
        let _ = writeln!(body, "<p>Note: {}</p>", escape(note));
    }
    let _ = write!(body, "<h2>Specification</h2>\n<pre>{}</pre>\n", escape(&specification.text));
    page(&heading(specification), &body)
}

/// A page of pictures with captions.
pub fn gallery(title: &str, pictures: &[(String, Picture)]) -> String {
    let mut body = String::from("<div class=\"pair\">\n");
    for (caption, picture) in pictures {
        body += &figure(caption, picture);
    }
    page(title, &(body + "</div>\n"))
}
