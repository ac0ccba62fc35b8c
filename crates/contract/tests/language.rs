//! Parsing, diagnostics and formatting.

use cupping_contract::{SpecificationSource, Statement, TokenKind, format, read, tokens};
use proptest::prelude::*;

fn error(text: &str) -> String {
    read(&SpecificationSource::new("a.tj", text)).expect_err(text).to_string()
}

#[test]
fn the_paper_is_read() {
    let text = "test Guide { testcase paths {
        requirement Map ukmap = new BritishRoadMap();
        requirement Guide g = new Guide();
        requirement int d = new Random().get();
        ((!ukmap.connected) requiredBy ukmap.open() ensure (ukmap.connected) && d < 0) requiredBy g.direction(d)
            ensure (result.equals(\"left\") && ukmap.leftOf(old(g).pos, g.pos)
                && (ukmap.connected) requiredBy ukmap.close() ensure (!ukmap.connected));
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) { names.add(\"\" + i); }
        if (d > 0) g.reset(); else g.stop();
    } }";
    let specification = read(&SpecificationSource::new("a.tj", text)).unwrap();
    let body = &specification.tests[0].testcases[0].body;
    assert_eq!(body.len(), 7, "{body:#?}");
    let Statement::Triple(triple) = &body[3] else { panic!("{body:#?}") };
    assert_eq!((triple.pre.nested.len(), triple.post.as_ref().unwrap().nested.len()), (1, 1));
    let post = triple.post.as_ref().unwrap();
    assert_eq!(specification.source.slice(post.old[0].1), "g");
    assert_eq!(specification.source.slice(triple.call.name), "direction");
}

#[test]
fn a_string_without_end_is_to_blame_for_brackets() {
    let said = error("test A { testcase b {\n    requirement String s = \"a\\\"; } }\n");
    assert!(said.starts_with("a.tj:2:28: error: the string does not end"), "{said}");
    let said = error("test A { testcase b { (\"(\" == \"x) requiredBy A.f() ensure (true); } }");
    assert!(said.contains("the string does not end"), "{said}");
}

#[test]
fn bounds_of_all_kinds_are_read() {
    let text = "test A { testcase b { forall T extends Map in HashMap, TreeMap;
        requirement int a < 3, != 0, where (a % 2 == 0); requirement long c in -1L .. f(2, 3); requirement char e in { 'a', ',' };
        requirement Map<String, List<T>> m = new T<String, List<T>>();
        requirement int[] n = {1, 2};
        (true) requiredBy new A(a, n) ensure throws IllegalStateException (thrown.getMessage() == null); } }";
    let specification = read(&SpecificationSource::new("a.tj", text)).unwrap_or_else(|it| panic!("{it}"));
    let case = &specification.tests[0].testcases[0];
    assert_eq!((case.types[0].values.len(), case.body.len()), (2, 6));
}

#[test]
fn errors_name_place_and_remedy() {
    let cases = [
        ("class A {}", "a.tj:1:1: error: 'test' is missing"),
        (
            "test A {\n  testcase b {\n    requirement int x;\n  }\n}",
            "a.tj:3:22: error: expected a restriction",
        ),
        (
            "test A { testcase b { (old(x) > 1) requiredBy a.f(); } }",
            "old is only allowed in a postcondition",
        ),
        ("test A { testcase b { () requiredBy a.f(); } }", "the condition is empty"),
        ("test A { testcase b { (true) requiredBy a.f; } }", "requiredBy needs a call"),
        ("test A { testcase b { (true) requiredBy a.f() ensure; } }", "write ensure (e)"),
        (
            "test A {\n testcase b { (true requiredBy a.f(); } }",
            "a.tj:2:15: error: ')' is missing: '}' does not close this",
        ),
        ("test A { testcase b { (true)) requiredBy a.f(); } }", "closes nothing"),
        ("test A { testcase b { var x = 1; } }", "write the type instead of var"),
        ("test A { testcase b { int x = 1, y = 2; } }", "declare one variable at a time"),
        (
            "test A { testcase b { (true) requiredBy a.f() ensure (modifies(a.f())); } }",
            "the operand of modifies must be a field",
        ),
        ("test A { testcase b { x = 1 } }", "';' is missing at the end of the statement"),
        (
            "test A { testcase b {\n (true) requireBy a.f(); } }",
            "a.tj:2:9: error: requireBy is not a word of TestJava; did you mean requiredBy?",
        ),
        ("test A { testcase b { (true) a.f() ensure (true); } }", "requiredBy is missing before a"),
        (
            "test A { testcase b { true requiredBy a.f(); } }",
            "requiredBy belongs to a triple, whose precondition",
        ),
        (
            "test A { testcase b { (true) requiredBy a.f() ensures (true); } }",
            "a.tj:1:47: error: ensures is not a word of TestJava; did you mean ensure?",
        ),
        (
            "test A {\n testcase b { }\n testcase b { } }",
            "a.tj:3:11: error: this test already has a testcase b",
        ),
        ("// nothing yet\n", "there is no test here: write test CLASS"),
        ("test A {", "'}' is missing at the end of the test"),
    ];
    for (text, expected) in cases {
        let found = error(text);
        assert!(found.contains(expected), "{text}\n{found}");
    }
}

#[test]
fn a_diagnostic_shows_the_line() {
    let found = error("test A {\n    testcase b {\n        () requiredBy a.f();\n    }\n}\n");
    let expected = "a.tj:3:9: error: the condition is empty; write (true) for no condition\n  |\n3 |         () requiredBy a.f();\n  |         ^^";
    assert_eq!(found, expected);
}

#[test]
fn layout_is_by_brackets() {
    let text = "test A {\ntestcase b {\n      requirement   int x < 3;\n\n\n\n(x > 0)   requiredBy a.f(x)\nensure (result ==\nx); // why\n}\n}";
    let expected = "test A {\n    testcase b {\n        requirement int x < 3;\n\n        (x > 0) requiredBy a.f(x)\n                ensure (result ==\n                x); // why\n    }\n}\n";
    assert_eq!(format(text), expected);
    assert_eq!(format(expected), expected);
}

fn words(text: &str) -> Vec<(TokenKind, String)> {
    tokens(text).iter().map(|it| (it.kind, text[it.span.start..it.span.end].trim_end().to_owned())).collect()
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "(test|testcase|requirement|requiredBy|ensure|old|\\(|\\)|\\{|\\}|;|,|<|\\.|int|x|=| |\n|\"|'|/\\*|//|é){0,40}") {
        let _ = read(&SpecificationSource::new("a.tj", &text));
        let _ = format(&text);
    }

    #[test]
    fn layout_changes_no_token(text in "(test A|testcase b|requirement|requiredBy|ensure|\\(|\\)|\\{|\\}|;|,|int|x|=|1| |\n|// c\n|/\\* d \\*/){0,40}") {
        let once = format(&text);
        prop_assert_eq!(words(&text), words(&once));
        prop_assert_eq!(format(&once), once);
    }
}
