//! The skeleton of every page: head, style sheet, landmarks, skip link, scripts.
//!
//! A page is one file without references to anything but other pages of its folder, so that it opens from the file
//! system and can be sent to somebody. The content security policy enforces this in the browser.

use crate::escape::{printable, script_json};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

/// The style sheet; colours and styles of drawings are shared with stand-alone drawings.
const STYLES: [&str; 3] = [
    include_str!("../assets/colours.css"),
    include_str!("../assets/style.css"),
    include_str!("../assets/drawing.css"),
];

/// Common behaviour of every page, run after its own scripts.
const SCRIPT: &str = include_str!("../assets/page.js");

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    heading: Markup,
    command: &'static str,
    home: Option<(String, String)>,
    figures: Vec<Figure>,
    alert: Option<String>,
    content: Markup,
    is_wide: bool,
    scripts: Vec<&'static str>,
    data: Option<String>,
}

impl Page {
    /// A page of a command. The title is text and also the heading.
    pub fn new(command: &'static str, title: impl Into<String>) -> Page {
        let title = title.into();
        Page {
            heading: html! { (title) },
            title,
            command,
            home: None,
            figures: Vec::new(),
            alert: None,
            content: html! {},
            is_wide: false,
            scripts: Vec::new(),
            data: None,
        }
    }

    /// The page of a class, given by its name with dots: the package is shown less prominently.
    pub fn of_class(command: &'static str, class: &str) -> Page {
        Page { heading: class_name(class), ..Page::new(command, class) }
    }

    /// Adds a link to the page that lists this one.
    #[must_use]
    pub fn home(mut self, href: &str, text: &str) -> Page {
        self.home = Some((href.into(), text.into()));
        self
    }

    /// Adds figures beside the heading.
    #[must_use]
    pub fn figures(mut self, figures: impl IntoIterator<Item = Figure>) -> Page {
        self.figures.extend(figures);
        self
    }

    /// Adds a message about the whole page, such as why it is empty.
    #[must_use]
    pub fn alert(mut self, text: Option<&str>) -> Page {
        self.alert = text.map(Into::into);
        self
    }

    /// Sets the content.
    #[must_use]
    pub fn content(mut self, content: Markup) -> Page {
        self.content = content;
        self
    }

    /// Uses the whole width of the window, as code and drawings need it.
    #[must_use]
    pub fn wide(mut self) -> Page {
        self.is_wide = true;
        self
    }

    /// Adds a script, which runs after those added before it.
    #[must_use]
    pub fn script(mut self, script: &'static str) -> Page {
        self.scripts.push(script);
        self
    }

    /// Adds data for the scripts, in the element with the id `data`.
    #[must_use]
    pub fn data(mut self, data: &impl Serialize) -> Page {
        self.data = Some(script_json(data));
        self
    }

    /// The page as HTML; the same bytes for the same content.
    pub fn render(&self) -> String {
        let script = self.scripts.iter().chain([&SCRIPT]).copied().collect::<Vec<_>>().join("\n");
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " – Cupping" }
                    style { @for style in STYLES { (PreEscaped(style)) } }
                }
                body {
                    a .skip href="#content" { "Skip to the content" }
                    header .top {
                        @if let Some((href, text)) = &self.home {
                            nav aria-label="Pages" { a .home href=(href) { (text) } }
                        }
                        h1 { (self.heading) }
                        @if !self.figures.is_empty() {
                            div .figures { @for figure in &self.figures { (figure.markup()) } }
                        }
                    }
                    @if let Some(alert) = &self.alert { p .error role="alert" { (alert) } }
                    main #content .wide[self.is_wide] tabindex="-1" { (self.content) }
                    footer {
                        "Written by " code { "cupping " (self.command) } " " (env!("CARGO_PKG_VERSION")) "."
                    }
                    @if let Some(data) = &self.data {
                        script type="application/json" #data { (PreEscaped(data)) }
                    }
                    script { (PreEscaped(script)) }
                }
            }
        };
        printable(&(document.into_string() + "\n"))
    }
}

/// A class's name, given with dots, in the form of headings and lists.
pub fn class_name(class: &str) -> Markup {
    match class.rsplit_once('.') {
        Some((package, name)) => html! { span .package { (package) "." } wbr; (name) },
        None => html! { (class) },
    }
}

/// A figure beside a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    number: String,
    text: String,
    bar: Option<(u64, u64)>,
    is_bad: bool,
}

impl Figure {
    /// A number with a noun: `3 tests`, `1 test`.
    pub fn count(count: usize, singular: &str, plural: &str) -> Figure {
        let text = if count == 1 { singular } else { plural };
        Figure { number: count.to_string(), text: text.into(), bar: None, is_bad: false }
    }

    /// A number with a noun, for something that should not be.
    pub fn bad(count: usize, singular: &str, plural: &str) -> Figure {
        Figure { is_bad: true, ..Figure::count(count, singular, plural) }
    }

    /// A part of a whole: `95 % of 120 lines`, with a bar.
    pub fn share(part: u64, whole: u64, of: &str) -> Figure {
        let text = format!("of {whole} {of}");
        Figure { number: percent(part, whole), text, bar: Some((part, whole)), is_bad: false }
    }

    fn markup(&self) -> Markup {
        html! {
            span .figure .bad[self.is_bad] {
                b { (self.number) } " " (self.text)
                @if let Some((part, whole)) = self.bar { (bar(part, whole)) }
            }
        }
    }
}

/// A bar that shows a part of a whole. Its figure is next to it, so it is hidden from screen readers.
pub fn bar(part: u64, whole: u64) -> Markup {
    html! { progress max=(whole.max(1)) value=(part) aria-hidden="true" {} }
}

/// `95 %`, rounded down so that only complete coverage is 100 %; for an empty whole, `–`.
pub fn percent(part: u64, whole: u64) -> String {
    match (part * 100).checked_div(whole) {
        Some(percent) => format!("{percent} %"),
        None => "–".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_page_has_its_landmarks_and_escapes_its_texts() {
        let page = Page::of_class("infer", "a.<b>")
            .home("index.html", "All classes")
            .figures([Figure::share(1, 3, "pairs"), Figure::bad(1, "defect", "defects")])
            .content(html! { p { "\u{7}&" } })
            .data(&["</script>"])
            .render();
        for part in ["<nav ", "<header ", "<main ", "<footer>", "href=\"#content\"", "33 %", "1</b> defect"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(page.contains("&lt;b&gt;") && page.contains("<p>\u{2407}&amp;</p>"), "{page}");
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn only_what_is_complete_is_a_hundred_percent() {
        assert_eq!([percent(999, 1000), percent(3, 3), percent(0, 0)], ["99 %", "100 %", "–"]);
    }

    /// The colours of one theme by name.
    fn colours(theme: &str) -> BTreeMap<&str, [f64; 3]> {
        let declarations = theme.split(';').filter_map(|it| it.trim().rsplit_once(": #"));
        let colours = declarations.filter_map(|(name, hex)| {
            let name = name.rsplit(|c: char| c.is_whitespace() || c == '{').next()?;
            let wide: String =
                if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.into() };
            let value = u32::from_str_radix(&wide, 16).ok()?;
            let channel = |shift: u32| f64::from(value >> shift & 0xff) / 255.0;
            Some((name, [16, 8, 0].map(channel)))
        });
        colours.collect()
    }

    /// The contrast of two colours as defined by WCAG 2.
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let light = |colour: [f64; 3]| {
            let linear = |it: f64| if it <= 0.04045 { it / 12.92 } else { ((it + 0.055) / 1.055).powf(2.4) };
            let [red, green, blue] = colour.map(linear);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (a, b) = (light(a), light(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn texts_stand_out_from_what_is_behind_them() {
        let (light, dark) = STYLES[0].split_once("@media").unwrap();
        for theme in [light, dark] {
            let colours = colours(theme);
            let texts = "ink soft faint accent full part miss bad link k s c n a infeasible timeout unexplored terminal";
            for text in texts.split(' ') {
                for back in ["back", "card"] {
                    let [a, b] = [text, back].map(|it| colours[format!("--{it}").as_str()]);
                    let contrast = contrast(a, b);
                    assert!(contrast >= 4.5, "{text} on {back}: {contrast:.2} in {theme}");
                }
            }
            for (texts, back) in
                [("ink soft k s c n a", "full-back part-back miss-back lit"), ("bad", "bad-back")]
            {
                for (text, back) in texts.split(' ').flat_map(|a| back.split(' ').map(move |b| (a, b))) {
                    let [a, b] = [text, back].map(|it| colours[format!("--{it}").as_str()]);
                    let contrast = contrast(a, b);
                    assert!(contrast >= 4.5, "{text} on {back}: {contrast:.2} in {theme}");
                }
            }
        }
    }
}
