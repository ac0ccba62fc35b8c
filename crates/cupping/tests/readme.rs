//! The README's examples are true.

mod support;

use std::collections::BTreeMap;
use std::fs;
use support::{compile, cupping, methods, repository, scratch};

/// The blocks of Java in a page.
fn blocks(page: &str) -> Vec<String> {
    let parts = page.split("```java\n").skip(1);
    parts.map(|it| it.split_once("```").unwrap().0.to_owned()).collect()
}

/// The class at the top is that of the fixture, and the tests below it are among those that are generated for it.
#[test]
fn the_example_at_the_top_is_generated() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let blocks = blocks(&readme);
    let (class, shown) = (&blocks[0], &blocks[1]);
    let source = repository().join("fixtures/readme/shop/Bonus.java");
    assert_eq!(*class, fs::read_to_string(&source).unwrap());
    let command = "generate shop.Bonus --budget 5s";
    assert!(readme.contains(command));
    let folder = scratch("readme");
    compile(&[source], "", &folder.join("classes"));
    let words: Vec<&str> = command.split(' ').chain(["-cp", "classes", "--out", "tests"]).collect();
    let run = cupping(&folder, &words).expect(0);
    let text = fs::read_to_string(folder.join("tests/shop/BonusTest.java")).unwrap();
    let generated: BTreeMap<String, Vec<String>> = methods(&text).into_iter().collect();
    let shown = methods(shown);
    assert_eq!(shown.len(), 3);
    for (name, body) in shown {
        assert_eq!(generated.get(&name), Some(&body), "README.md shows {name}; generated is\n{text}");
    }
    assert_eq!(generated.len(), 5, "README.md says five");
    assert!(run.stdout.contains("100% (6/6)  100% (6/6)"), "README.md says all: {}", run.stdout);
}

/// Every page that the README and the index of the manual link to is there.
#[test]
fn links_lead_to_pages() {
    let root = repository();
    for page in
        ["README.md", "docs/README.md", "docs/compared.md", "docs/limits.md", "docs/check.md", "docs/ci.md"]
    {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let folder = root.join(page).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|it| it.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let is_page = !link.contains("://") && !file.is_empty();
            assert!(!is_page || folder.join(file).exists(), "{page}: {link}");
        }
    }
}

/// The table of features has an entry for every tool, and names its sources.
#[test]
fn the_comparison_has_fifty_rows_with_sources() {
    let page = fs::read_to_string(repository().join("docs/compared.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| **") && !line.starts_with("| | "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 50, "{}", rows.len());
    for row in rows {
        assert_eq!(row.len(), 7, "{row:?}");
        for cell in &row[2..] {
            assert!(!cell.is_empty(), "{row:?}");
            let is_claim = cell.starts_with("yes, ") && cell.contains('[');
            let source = cell.rsplit_once('[').map(|(_, source)| format!("- [{}", source));
            assert!(!is_claim || page.contains(&source.unwrap()), "{row:?}");
        }
    }
}
