//! The pictures of the manual are what the tool shows: a session in a terminal, and a page in a browser.
//!
//! `CUPPING_BLESS=1` draws them again.

#[path = "../../report/tests/support/browser.rs"]
mod browser;
mod support;

use browser::{dom, text_of};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::{compile, cupping, repository, scratch};

/// The height of the picture of a page, in pixels.
const HEIGHT: &str = "760";

/// The shop of the README, compiled.
fn shop(name: &str) -> PathBuf {
    let folder = scratch(name);
    compile(&[repository().join("fixtures/readme/shop/Bonus.java")], "", &folder.join("classes"));
    folder
}

/// A word for a time: runs differ in it.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let words = line.split_inclusive(' ');
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        for at in 1..words.len() {
            let number = words[at - 1].trim();
            if words[at].trim_end() == "s" && number.parse::<f64>().is_ok() {
                words[at - 1] = words[at - 1].replace(number, "1.50");
            }
        }
        out += &words.concat();
    }
    out
}

/// The picture, drawn again if the user wants it.
fn picture(name: &str, drawn: &str) -> String {
    let file = repository().join("docs/pictures").join(name);
    if std::env::var_os("CUPPING_BLESS").is_some() {
        fs::write(&file, drawn).expect("it can be written");
    }
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// What a terminal shows of a session: the first tests of a class, a change, and the test that notices it.
#[test]
fn the_session_is_what_a_terminal_shows() {
    let folder = shop("picture-session");
    let mut shown = String::new();
    let mut run = |command: &str, code: i32| {
        let output = Command::new(env!("CARGO_BIN_EXE_cupping"))
            .args(command.split(" #").next().unwrap_or_default().split_whitespace().skip(1))
            .args(["--color", "always"])
            .current_dir(&folder)
            .output()
            .expect("it starts");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).expect("text");
        assert_eq!(output.status.code(), Some(code), "{printed}");
        shown += &format!("\x1b[1m$ {command}\x1b[0m\n{}\n", printed.trim_end());
    };
    run("cupping generate shop.Bonus -cp classes", 0);
    let source = fs::read_to_string(repository().join("fixtures/readme/shop/Bonus.java")).expect("a source");
    fs::write(folder.join("Bonus.java"), source.replace("points >= 100", "points > 100")).expect("a source");
    compile(&[folder.join("Bonus.java")], "", &folder.join("classes"));
    run("cupping check -cp classes   # `points >= 100` has become `points > 100`", 1);
    let shown = shown.replace(&format!("{}/", folder.display()), "");
    let drawn = anstyle_svg::Term::new().min_width_px(900).render_svg(&without_times(&shown));
    assert_eq!(picture("session.svg", &drawn), drawn, "CUPPING_BLESS=1 draws it again");
}

/// The texts of a drawing, in their order.
fn texts(drawing: &str) -> Vec<&str> {
    let texts = drawing.split("<text ").skip(1).filter_map(|it| it.split_once('>')?.1.split_once("</text>"));
    texts.map(|(text, _)| text).collect()
}

/// The page of the paper's class, with the lines of a test lit. Positions depend on the fonts of a computer, texts do
/// not.
#[test]
fn the_page_is_what_a_browser_shows() {
    let folder = scratch("picture-page");
    let fixture = repository().join("fixtures/papers");
    compile(&[fixture.join("papers/CoinBox.java")], "", &folder.join("classes"));
    let sources = fixture.display().to_string();
    let generate =
        ["generate", "-cp", "classes", "papers.CoinBox", "--html", "pages", "--source-path", &sources];
    cupping(&folder, &generate).expect(0);
    let page = fs::read_to_string(folder.join("pages/papers.CoinBox.html")).expect("a page");
    let script = include_str!("support/picture.js").replace("HEIGHT", HEIGHT);
    let file = folder.join("pages/drawn.html");
    fs::write(&file, page.replacen("</body>", &format!("<script>{script}</script></body>"), 1))
        .expect("a page");
    let drawn =
        text_of(&dom(&file, "test=vend_afterAddQtrTwiceAndReturnQtrs_isNotVendAllowed"), "pre", "picture");
    let drawn = without_times(&drawn);
    assert!(texts(&drawn).len() > 100, "{drawn}");
    let kept = picture("page.svg", &drawn);
    // At the edges the fonts decide what is seen.
    let (kept, drawn) = (texts(&kept), texts(&drawn));
    let page = browser::plain(&page);
    let gone: Vec<&&str> = kept.iter().filter(|it| !drawn.contains(it) && !page.contains(**it)).collect();
    assert!(gone.is_empty(), "CUPPING_BLESS=1 draws it again: {gone:?}");
    assert!(kept.len().abs_diff(drawn.len()) * 20 < drawn.len(), "CUPPING_BLESS=1 draws it again");
}

#[test]
fn times_are_left_out() {
    assert_eq!(without_times("a 5  12.25 s\nb s 3\n"), "a 5  1.50 s\nb s 3\n");
}
