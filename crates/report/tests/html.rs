//! Pages: their content, that no text becomes markup, and that they need no other files.

mod support;

use cupping_case::Explanation;
use cupping_report::files::Author;
use cupping_report::html::{class_page, index_page, page_file, write_page};
use cupping_report::outline::Outline;
use std::time::Duration;
use support::browser::{attribute, attributes, plain, tags, text_of};
use support::explained::{NASTY, explanation, result, source};

fn page() -> String {
    class_page(&result(), &explanation(), Some(&source()))
}

/// The row of a line or instruction: its class and its text.
fn row(page: &str, number: u32) -> (String, String) {
    let id = format!("L{number}");
    let tag = tags(page, "div", &[&id]).pop().unwrap_or_else(|| panic!("no row {number}"));
    let start = page.find(tag).unwrap();
    let end = page[start..].find("</div>").unwrap();
    (attribute(tag, "class").to_owned(), plain(&page[start..start + end]).replace('\n', " "))
}

#[test]
fn lines_have_their_coverage() {
    let page = page();
    assert_eq!(row(&page, 4).0, "r plain");
    assert_eq!(row(&page, 5).0, "r part");
    assert!(row(&page, 5).1.contains("1/2"), "{:?}", row(&page, 5));
    assert_eq!(row(&page, 6).0, "r full");
    assert_eq!(row(&page, 8).0, "r miss");
    let words = attributes(&page, "button", &["g"], "aria-label");
    assert_eq!(words, ["5, partly covered, 1 of 2 branches", "6, covered", "8, not covered"]);
}

#[test]
fn coverage_is_that_of_the_tests_that_hold() {
    let mut result = result();
    result.classes.retain(|class| class.failing);
    let page = class_page(&result, &explanation(), Some(&source()));
    assert_eq!([5, 6, 8].map(|line| row(&page, line).0), ["r part", "r miss", "r miss"]);
    result.classes.clear();
    let page = class_page(&result, &explanation(), Some(&source()));
    assert_eq!([5, 6, 8].map(|line| row(&page, line).0), ["r miss", "r miss", "r miss"]);
}

#[test]
fn without_its_source_a_class_is_shown_as_bytecode() {
    // Source that is too short belongs to another version.
    for source in [None, Some("package shop;")] {
        let page = class_page(&result(), &explanation(), source);
        assert!(
            text_of(&page, "h2", "code-title").starts_with("bytecode (CoinBox.java was not found"),
            "{page}"
        );
        assert!(row(&page, 1).1.contains("CoinBox()"), "{:?}", row(&page, 1));
        assert!(row(&page, 2).1.contains("perCustomer(int)"));
        assert!(row(&page, 3).1.contains("line 5"));
        let (class, text) = row(&page, 5);
        assert!(class == "r part" && text.contains("ifle 9") && text.contains("1/2"), "{class} {text}");
        assert!(row(&page, 7).1.contains(NASTY), "{:?}", row(&page, 7));
    }
}

#[test]
fn no_text_becomes_markup() {
    for source in [Some(source()), None] {
        let page = class_page(&result(), &explanation(), source.as_deref());
        assert_eq!(page.matches("<script").count(), 2, "the data and the script");
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<!--") && !page.contains("<b x"), "{page}");
        assert!(page.contains("\\u003c/script\\u003e\\u003c!--"), "the data has it");
        assert!(plain(&page).contains(NASTY), "and so has what is read");
    }
    let mut result = result();
    result.error = Some(NASTY.into());
    let index = index_page(&Outline::all(&[result]));
    assert!(!index.contains("<!--") && plain(&index).contains(NASTY));
}

#[test]
fn a_page_needs_nothing_but_itself() {
    for page in [page(), index_page(&Outline::all(&[result()]))] {
        // The name of a namespace is not an address to look up.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "src=", "@import", "url(", "<link", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn tests_are_on_the_page_failing_ones_apart() {
    let page = page();
    assert_eq!(tags(&page, "details", &["failing"]).len(), 1);
    assert_eq!(tags(&page, "details", &["regular"]).len(), 4);
    assert_eq!(tags(&page, "details", &["dropped"]).len(), 1);
    assert!(plain(&page).contains("assertThrows(ArithmeticException.class"), "{}", plain(&page));
    assert!(page.contains("<span class=\"k\">new</span> CoinBox()"));
}

#[test]
fn the_same_result_gives_the_same_bytes() {
    let mut slower = result();
    slower.elapsed = Duration::from_secs(99);
    assert_eq!(class_page(&slower, &explanation(), Some(&source())), page());
}

#[test]
fn a_class_of_which_nothing_is_known_has_a_page() {
    let page = class_page(&result(), &Explanation::default(), None);
    assert!(page.contains("</html>") && tags(&page, "details", &["regular"]).len() == 4);
}

#[test]
fn the_index_leads_to_pages_and_failing_inputs() {
    let mut broken = result();
    broken.suite = support::suites::suite("shop/Missing", vec![], vec![]);
    broken.suite.lines = Default::default();
    broken.classes.clear();
    broken.divergences.clear();
    broken.error = Some("no class of this name on the class path".into());
    let index = index_page(&Outline::all(&[result(), broken]));
    assert!(index.contains("<h1>2 classes</h1>"));
    let links = attributes(&index, "a", &[], "href");
    assert_eq!(links.iter().filter(|link| **link == "shop.CoinBox.html").count(), 1, "{links:?}");
    assert!(links.iter().any(|link| link.starts_with("shop.CoinBox.html#test=perCustomer")), "{links:?}");
    assert!(!index.contains("shop.Missing.html") && index.contains("no class of this name"));
}

#[test]
fn pages_are_written_or_say_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("a/pages");
    let author = Author { command: "generate".into(), options: String::new() };
    let page = page_file("shop/CoinBox");
    write_page(&pages, &page, &author, "shop.CoinBox", "text\n").unwrap();
    let text = std::fs::read_to_string(pages.join("shop.CoinBox.html")).unwrap();
    assert!(text.starts_with("<!-- Generated by cupping ") && text.ends_with(" -->\ntext\n"), "{text}");
    write_page(&pages, &page, &author, "shop.CoinBox", "other\n").unwrap();
    let below = pages.join("shop.CoinBox.html");
    let error = write_page(&below, "x.html", &author, "x", "").unwrap_err().to_string();
    assert!(error.contains("x.html") && error.contains("--html"), "{error}");
    std::fs::write(pages.join("index.html"), "the user's").unwrap();
    let error = write_page(&pages, "index.html", &author, "x", "").unwrap_err().to_string();
    assert!(error.contains("index.html") && error.contains("did not write"), "{error}");
    assert_eq!(std::fs::read_to_string(pages.join("index.html")).unwrap(), "the user's");
}
