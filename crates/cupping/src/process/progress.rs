//! Progress on a terminal: a line for each thread at work, and how many classes are done.

use crate::process::console;
use cupping_generate::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// The lines. Without a terminal, or if the user wants quiet, nothing is drawn.
pub struct Board {
    lines: Option<MultiProgress>,
    total: ProgressBar,
}

impl Board {
    /// A board for this many classes.
    pub fn new(classes: usize) -> Board {
        if console::is_quiet() || !std::io::stderr().is_terminal() {
            return Board { lines: None, total: ProgressBar::hidden() };
        }
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        let total = lines.add(ProgressBar::new(u64::try_from(classes).unwrap_or(u64::MAX)));
        total.set_style(style("{pos}/{len} classes  {elapsed}"));
        if classes < 2 {
            total.set_draw_target(ProgressDrawTarget::hidden());
        }
        Board { lines: Some(lines), total }
    }

    /// A board on which nothing is drawn.
    pub fn hidden() -> Board {
        Board { lines: None, total: ProgressBar::hidden() }
    }

    /// The line of one thread.
    pub fn line(&self) -> Line {
        let bar = match &self.lines {
            None => ProgressBar::hidden(),
            Some(lines) => lines.insert_before(&self.total, ProgressBar::new_spinner()),
        };
        bar.set_style(style("{spinner} {prefix}  {msg}"));
        Line { bar }
    }

    /// Another class is certified and written.
    pub fn class_done(&self) {
        self.total.inc(1);
    }

    /// Removes all lines.
    pub fn clear(&self) {
        self.total.finish_and_clear();
        if let Some(lines) = &self.lines {
            let _ = lines.clear();
        }
    }
}

/// What one thread is doing.
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// A new class, by internal name.
    pub fn begin(&self, class: &str) {
        self.bar.set_prefix(class.replace('/', "."));
        self.bar.set_message("");
    }

    /// Shows its progress.
    pub fn update(&self, progress: Progress) {
        self.bar.set_message(message(&progress));
        self.bar.tick();
    }
}

/// What has been gained, and how long it can still take.
fn message(progress: &Progress) -> String {
    let Progress { paths, tests, branches, all_branches, mutants, left } = progress;
    let mutants =
        mutants.map(|(noticed, all)| format!(", {noticed}/{all} mutants noticed")).unwrap_or_default();
    let left = if left.is_zero() { String::new() } else { format!(", {} s left", left.as_secs() + 1) };
    format!("{branches}/{all_branches} branches{mutants}, {tests} tests, {paths} paths{left}")
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of counted work, on one line.
pub struct Counter {
    bar: ProgressBar,
    drawn: std::cell::Cell<Option<std::time::Instant>>,
}

impl Counter {
    /// A line; nothing is drawn without a terminal, or if the user wants quiet.
    pub fn new() -> Counter {
        if console::is_quiet() || !std::io::stderr().is_terminal() {
            return Counter { bar: ProgressBar::hidden(), drawn: std::cell::Cell::default() };
        }
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        bar.set_style(style("{spinner} {elapsed}  {msg}"));
        Counter { bar, drawn: std::cell::Cell::new(Some(std::time::Instant::now())) }
    }

    /// Shows the progress; the text is computed only when it is due.
    pub fn update(&self, text: impl FnOnce() -> String) {
        let Some(drawn) = self.drawn.get() else { return };
        if drawn.elapsed().as_millis() >= 100 {
            self.drawn.set(Some(std::time::Instant::now()));
            self.bar.set_message(text());
            self.bar.tick();
        }
    }

    /// Whether it is drawn.
    pub fn is_drawn(&self) -> bool {
        self.drawn.get().is_some()
    }

    /// Prints something above the line.
    pub fn above(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_line_says_what_is_gained_and_what_is_left() {
        let search = Progress {
            paths: 40,
            tests: 7,
            branches: 12,
            all_branches: 20,
            mutants: None,
            left: Duration::from_millis(2500),
        };
        assert_eq!(message(&search), "12/20 branches, 7 tests, 40 paths, 3 s left");
        let mutants = Progress { mutants: Some((5, 9)), left: Duration::ZERO, ..search };
        assert_eq!(message(&mutants), "12/20 branches, 5/9 mutants noticed, 7 tests, 40 paths");
    }
}
