//! The table of formulas is complete: outside of `src/formula`, no match over the kinds of formulas has a catch-all
//! arm, so the compiler finds every place that a new kind concerns.

use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// Counts the matches that name a kind of formula and have a catch-all arm.
#[derive(Default)]
struct CatchAll(usize);

fn names_a_kind(pattern: &syn::Pat) -> bool {
    let is_kind = |path: &syn::Path| {
        let mut segments = path.segments.iter().rev().skip(1);
        segments.next().is_some_and(|it| it.ident == "Formula")
    };
    match pattern {
        syn::Pat::TupleStruct(it) => is_kind(&it.path) || it.elems.iter().any(names_a_kind),
        syn::Pat::Struct(it) => is_kind(&it.path) || it.fields.iter().any(|it| names_a_kind(&it.pat)),
        syn::Pat::Path(it) => is_kind(&it.path),
        syn::Pat::Or(it) => it.cases.iter().any(names_a_kind),
        syn::Pat::Tuple(it) => it.elems.iter().any(names_a_kind),
        syn::Pat::Reference(it) => names_a_kind(&it.pat),
        syn::Pat::Paren(it) => names_a_kind(&it.pat),
        syn::Pat::Ident(it) => it.subpat.as_ref().is_some_and(|it| names_a_kind(&it.1)),
        _ => false,
    }
}

/// Whether a pattern matches anything, or does so at the position of a tuple in which another arm names a kind.
fn catches(pattern: &syn::Pat, arms: &[syn::Arm]) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(it) => it.subpat.is_none(),
        syn::Pat::Tuple(it) => it.elems.iter().enumerate().any(|(at, element)| {
            let names = |arm: &syn::Arm| match &arm.pat {
                syn::Pat::Tuple(other) => other.elems.iter().nth(at).is_some_and(names_a_kind),
                _ => false,
            };
            arms.iter().any(names) && catches(element, &[])
        }),
        _ => false,
    }
}

impl<'a> Visit<'a> for CatchAll {
    fn visit_expr_match(&mut self, node: &'a syn::ExprMatch) {
        let names = node.arms.iter().any(|it| names_a_kind(&it.pat));
        self.0 += usize::from(names && node.arms.iter().any(|it| catches(&it.pat, &node.arms)));
        syn::visit::visit_expr_match(self, node);
    }
}

fn catch_all_arms(source: &str) -> usize {
    let file = syn::parse_file(source).expect("Rust");
    let mut visitor = CatchAll::default();
    visitor.visit_file(&file);
    visitor.0
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn nothing_outside_the_table_catches_all_other_kinds() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    files.retain(|it| !it.starts_with(source.join("formula")));
    assert!(files.len() > 60, "{}", files.len());
    files.sort();
    let text = |it: &PathBuf| fs::read_to_string(it).expect("a source");
    let wrong: Vec<&PathBuf> = files.iter().filter(|it| catch_all_arms(&text(it)) > 0).collect();
    assert!(wrong.is_empty(), "ask the kind (`FormulaKind`) instead of matching: {wrong:?}");
}

#[test]
fn catch_all_arms_are_seen() {
    let wild = "fn f(x: &Formula) -> bool { match x { Formula::Not(_) => true, _ => false } }";
    let named =
        "fn f(x: &Formula) -> bool { match (x, 1) { (Formula::Any(it), _) => g(it), other => h(other) } }";
    let tuple =
        "fn f(x: &Formula) -> bool { match (x, 1) { (Formula::Any(it), _) => g(it), (it, _) => h(it) } }";
    let other = "fn f(x: &Term) -> bool { match x { Term::This => true, _ => false } }";
    let all = "fn f(x: &Formula) -> bool { match x { Formula::Not(_) => true, Formula::Any(_) => false } }";
    assert_eq!([wild, named, tuple, other, all].map(catch_all_arms), [1, 1, 1, 0, 0]);
}
