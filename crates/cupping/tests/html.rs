//! `--html`: pages of classes that were really explored, viewed in a real browser.

#[path = "../../report/tests/support/browser.rs"]
mod browser;
mod support;

use browser::{attributes, barriers, dom, reach, tags, text_of};
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, contents, cupping, generate, repository, scratch};

/// Generates tests for these classes of the papers, with pages; returns the folder of the pages.
fn pages(name: &str, args: &[&str]) -> PathBuf {
    let folder = scratch(name);
    let run = generate(&folder, &[&["--html", "pages"], args].concat()).expect(0);
    assert!(run.stdout.contains("pages/index.html"), "{}", run.stdout);
    folder.join("pages")
}

fn sources() -> String {
    repository().join("fixtures/papers").display().to_string()
}

/// The lines that are lit, as numbers.
fn lit(dom: &str) -> Vec<u32> {
    let rows = attributes(dom, "div", &["r", "lit"], "id");
    rows.iter().map(|id| id.trim_start_matches('L').parse().unwrap()).collect()
}

/// Numbers of the lines of a source that contain any of these texts.
fn lines_with(file: &str, texts: &[&str]) -> Vec<u32> {
    let source = fs::read_to_string(repository().join("fixtures/papers/papers").join(file)).unwrap();
    let lines = (1..).zip(source.lines());
    lines.filter(|(_, line)| texts.iter().any(|text| line.contains(text))).map(|(at, _)| at).collect()
}

/// The names of the tests of a page.
fn test_names(dom: &str) -> Vec<String> {
    let ids = attributes(dom, "details", &["test"], "id");
    let names = ids.iter().map(|id| text_of(dom, "summary", id));
    names.map(|text| text.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_test_of_the_coin_box_lights_what_it_covers() {
    let pages = pages("html-coin-box", &["papers.CoinBox", "--source-path", &sources()]);
    let page = pages.join("papers.CoinBox.html");
    let all = dom(&page, "tab=paths");
    assert_eq!(text_of(&all, "h2", "code-title"), "CoinBox.java");
    assert!(lit(&all).is_empty());
    assert!(text_of(&all, "div", "trees").contains("No branch of this class depends on an input"));
    let names = test_names(&all);
    let refused = names.iter().find(|name| name.starts_with("vend") && !name.contains("after")).unwrap();
    let dom = dom(&page, &format!("test={refused}"));
    let lit = lit(&dom);
    for line in lines_with("CoinBox.java", &["public CoinBox()", "if (allowVend)"]) {
        assert!(lit.contains(&line), "{line} in {lit:?}");
    }
    for line in lines_with("CoinBox.java", &["totalQtrs = totalQtrs", "if (curQtrs > 1)"]) {
        assert!(!lit.contains(&line), "{line} in {lit:?}");
    }
}

#[test]
fn the_warning_of_the_temperature_monitor_is_a_path_with_a_test() {
    let pages = pages("html-monitor", &["papers.TemperatureMonitor", "--source-path", &sources()]);
    let page = pages.join("papers.TemperatureMonitor.html");
    let found = dom(&page, "search=temperature%20>=%2081");
    assert_eq!(text_of(&found, "p", "found"), "1 node found", "{}", text_of(&found, "div", "trees"));
    let links = attributes(&found, "a", &["to-test"], "title");
    let [test] = links.as_slice() else { panic!("one test takes the path: {links:?}") };
    let lights = lit(&dom(&page, &format!("test={test}")));
    for line in lines_with("TemperatureMonitor.java", &["this.temperature = temperature", "> 80"]) {
        assert!(lights.contains(&line), "{line} in {lights:?}");
    }
    let line = lines_with("TemperatureMonitor.java", &["> 80"])[0];
    let covering = text_of(&dom(&page, &format!("line={line}")), "div", "covering");
    assert!(covering.starts_with(&format!("Line {line}: ")) && !covering.contains("not taken"), "{covering}");
}

#[test]
fn infeasible_and_timed_out_branches_are_distinguished() {
    let folder = scratch("html-hard");
    // Only 1 and the prime itself divide the product, which no solver finds within the budget.
    let source = "public class Hard {\n    static int f(long a, long b, int c) {\n        if (a > 1 && b > 1 && \
                  a < 3037000499L && b < 3037000499L && a * b == 9223371873002223329L) {\n            return 1;\n        \
                  }\n        if (c > 5) {\n            if (c < 3) {\n                return 2;\n            }\n            \
                  return 3;\n        }\n        return 4;\n    }\n}\n";
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/Hard.java"), source).unwrap();
    compile(&[folder.join("src/Hard.java")], "", &folder.join("build/classes"));
    let args = ["generate", "-cp", "build/classes", "Hard", "--html", "pages", "--budget", "3s", "--quiet"];
    cupping(&folder, &args).expect(0);
    let page = folder.join("pages/Hard.html");
    let dom = dom(&page, "kind=infeasible,time-out");
    assert_eq!(text_of(&dom, "h2", "code-title"), "Hard.java", "the source beside the classes is found");
    let (infeasible, time_out) = (tags(&dom, "li", &["node", "k-i"]), tags(&dom, "li", &["node", "k-o"]));
    assert!(!infeasible.is_empty() && !time_out.is_empty(), "{}", text_of(&dom, "div", "trees"));
    assert!(tags(&dom, "li", &["node", "k-t"]).is_empty(), "others are left out");
    let trees = text_of(&dom, "div", "trees");
    assert!(trees.contains("time-outa * b == 9223371873002223329"), "{trees}");
    assert!(trees.contains("infeasiblec <= 2"), "{trees}");
}

#[test]
fn pages_do_not_depend_on_the_number_of_threads() {
    let one = pages("html-one-job", &["papers.*", "--jobs", "1"]);
    let two = pages("html-two-jobs", &["papers.*", "--jobs", "2"]);
    let (one, two) = (contents(&one), contents(&two));
    assert!(one.len() > 8 && one.contains_key(Path::new("index.html")), "{:?}", one.keys());
    for (path, page) in &one {
        assert!(two.get(path) == Some(page), "{} differs", path.display());
    }
    assert!(one[Path::new("papers.Gcd.html")].contains("bytecode (Gcd.java was not found"));
}

#[test]
fn a_source_path_or_folder_that_cannot_be_is_said() {
    let folder = scratch("html-errors");
    let run = generate(&folder, &["papers.Clamp", "--html", "pages", "--source-path", "nowhere"]).expect(2);
    assert!(run.stderr.contains("source path entry nowhere"), "{}", run.stderr);
    assert!(folder.join("pages/papers.Clamp.html").is_file(), "the page is there all the same");
    fs::write(folder.join("taken"), "").unwrap();
    let run = generate(&folder, &["papers.Clamp", "--html", "taken"]).expect(2);
    assert!(run.stderr.contains("taken") && run.stderr.contains("--html"), "{}", run.stderr);
}

#[test]
fn the_pairs_of_the_coin_box_can_be_searched() {
    let folder = scratch("html-dataflow");
    let classes = support::papers().display().to_string();
    let args = ["dataflow", "-cp", &classes, "papers.CoinBox", "--html", "pages"];
    let run = cupping(&folder, &args).expect(0);
    let page = folder.join("pages/papers.CoinBox.html");
    let shown = |dom: &str| -> usize {
        text_of(dom, "span", "shown").split_whitespace().next().unwrap().parse().unwrap()
    };
    let all = dom(&page, "");
    let rows = |kind: &str| tags(&all, "tr", &[kind]).len();
    let (covered, infeasible) = (rows("covered"), rows("infeasible"));
    let told = format!("{} pairs: {covered} covered, {infeasible} infeasible, 0 inconclusive", shown(&all));
    assert!(covered > 0 && run.stdout.contains(&told), "{told}: {}", run.stdout);
    let found = dom(&page, "find=returnqtrs:");
    // The definition of curQtrs in returnQtrs, with each of its four uses.
    assert_eq!(shown(&found), 4);
    assert!(attributes(&all, "details", &["id"], "id").len() >= 15, "trees are there");
}

/// The classes and tests of `fixtures/options`, compiled into a folder.
fn shop(name: &str) -> PathBuf {
    let folder = scratch(name);
    let sources = repository().join("fixtures/options");
    let jars = ["junit4", "hamcrest", "junit-jupiter-api", "apiguardian-api", "opentest4j"];
    let jars = jars.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    fs::create_dir(folder.join("classes")).unwrap();
    fs::create_dir(folder.join("suite")).unwrap();
    compile(&support::files(&sources.join("shop")), "", &folder.join("classes"));
    let path = format!("{}:{jars}", folder.join("classes").display());
    compile(&support::files(&sources.join("suite")), &path, &folder.join("suite"));
    folder
}

/// The text between the first of these tags.
fn part<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    page.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(inner, _)| inner)
}

/// The check of barriers finds them.
#[test]
fn pale_text_and_deaf_places_are_barriers() {
    let text = "<p>one two</p>".repeat(12);
    let page = |style: &str, more: &str| {
        let dark = "@media (prefers-color-scheme: dark) { body { background: black; color: white } }";
        format!(
            "<html><head><style>body {{ background: white }} {style} {dark}</style></head><body>{text}{more}</body></html>"
        )
    };
    assert!(barriers(&page("", "<button style=\"cursor:pointer\">press</button>")).is_empty());
    let pale = barriers(&page(".pale { color: #999 }", "<p class=\"pale\">too pale</p>"));
    assert_eq!(pale.len(), 1, "{pale:?}");
    assert!(pale[0].starts_with("light: 2.8 of 4.5: too pale"), "{pale:?}");
    let deaf = barriers(&page("", "<span style=\"cursor:pointer\">press</span>"));
    assert_eq!(deaf, ["light: no key reaches: press", "dark: no key reaches: press"]);
}

#[test]
fn every_page_has_landmarks_fits_a_telephone_and_can_be_read_and_used() {
    let folder = shop("html-every");
    let commands: [&[&str]; 8] = [
        &["generate", "shop.Box", "-cp", "classes", "--out", "tests", "--budget", "2s"],
        &["dataflow", "shop.Box", "-cp", "classes", "--budget", "0s"],
        &["infer", "shop.Box", "-cp", "classes", "--budget", "0s", "--executions", "200"],
        &["mutants", "shop.Box", "-cp", "classes", "--suite", "suite", "--sample", "3"],
        &[
            "exhaust",
            "--repok",
            "shop.Box.repOk",
            "--method",
            "put",
            "--scope",
            "Box=1,size=0..3,n=0..2",
            "-cp",
            "classes",
        ],
        &["watch", "-cp", "classes", "--suite", "suite", "shop.Main"],
        // The tests that the first command has written.
        &["check", "shop.Box", "-cp", "classes", "--tests", "tests"],
        &["diff", "classes", "classes", "--budget", "0s"],
    ];
    let mut styles: Vec<String> = Vec::new();
    for args in commands {
        let pages = format!("pages-{}", args[0]);
        let run = cupping(&folder, &[&args[..1], &["--html", &pages], &args[1..]].concat());
        let pages = contents(&folder.join(&pages));
        assert!(pages.contains_key(Path::new("index.html")), "{args:?}: {}{}", run.stdout, run.stderr);
        for (path, page) in pages.iter().filter(|(path, _)| path.extension().is_some_and(|it| it == "html")) {
            let name = format!("{}: {}", args[0], path.display());
            styles.push(part(page, "<style>", "</style>").to_owned());
            for landmark in ["<header ", "<main ", "<footer>", "<h1>", "href=\"#content\"", "lang=\"en\""] {
                assert_eq!(page.matches(landmark).count(), 1, "{name}: {landmark}");
            }
            let is_index = path == Path::new("index.html");
            assert!(is_index || page.contains("<nav "), "{name}");
            let reach = reach(page, 360);
            assert!(reach <= 360, "{name} reaches to {reach}");
            let barriers = barriers(page);
            assert!(barriers.is_empty(), "{name}: {barriers:#?}");
        }
    }
    assert!(
        styles.len() >= 8 && !styles[0].is_empty() && styles.iter().all(|it| *it == styles[0]),
        "{}",
        styles.len()
    );
}
