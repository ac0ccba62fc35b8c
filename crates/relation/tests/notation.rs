//! The formulas of the TestEra paper, verbatim; Alloy 6's alternative spellings; and errors that point at
//! their position.

use cupping_relation::syntax::{parse_expression, parse_module, parse_scope};
use cupping_relation::{Atom, BoundName, FieldState, Model, States, Structure, Universe, evaluate, explain};

/// Pairs of formulas with the same meaning in both notations.
#[test]
fn spellings_agree() {
    let pairs = [
        ("sole e", "lone e"),
        ("n !in n.^next", "n not in n.^next"),
        ("a.b::c", "a.(b.c)"),
        ("e1 : e2", "e1 in e2"),
        ("a && b => !c", "(a and b) implies not c"),
        ("elem: e ?-> s", "elem in e lone -> s"),
        ("all n: e | p", "all n: e { p }"),
    ];
    for (paper, alloy) in pairs {
        let strip = |text: &str| {
            let tree = format!("{:?}", parse_expression(text).expect(text));
            // Ignore positions, and unwrap blocks of one formula.
            let mut out = String::new();
            let mut rest = tree.as_str();
            while let Some(at) = rest.find(", span: Span {") {
                out.push_str(&rest[..at]);
                rest = &rest[at + rest[at..].find('}').map_or(0, |it| it + 1)..];
            }
            out.push_str(rest);
            out.replace("Block([Expr { kind: Name(\"p\") }])", "Name(\"p\")")
        };
        assert_eq!(strip(paper), strip(alloy), "{paper}");
    }
}

/// The list of TestEra §2: `0, 0, 1` before, `1, 0, 0` after a faulty sort.
#[test]
fn postcondition_of_merge_sort() {
    let mut model = Model::new();
    let text = "one sig Call { self: lone List } sig List { header: lone Node } sig Node { elem: Int, next: lone Node }";
    model.read(&parse_module(text).expect("declarations")).expect("declarations");
    let sig = |name| model.find_signature(name).expect("a signature");
    let mut universe = Universe::default();
    let list = universe.add(Atom::Of(sig("List"), 0));
    let nodes: Vec<u32> = (0..3).map(|at| universe.add(Atom::Of(sig("Node"), at))).collect();
    let call = universe.add(Atom::Only(sig("Call")));
    let integers: Vec<u32> = (0..2).map(|value| universe.add(Atom::Int(value))).collect();
    let mut before = Structure { sigs: vec![Vec::new(); 6], fields: Vec::new() };
    before.sigs[Model::INT.0 as usize] = integers.clone();
    before.sigs[sig("Call").0 as usize] = vec![call];
    before.sigs[sig("List").0 as usize] = vec![list];
    before.sigs[sig("Node").0 as usize] = nodes.clone();
    let [zero, one] = integers[..] else { panic!("two integers") };
    let [a, b, c] = nodes[..] else { panic!("three nodes") };
    before.fields = vec![
        vec![vec![call, list]],
        vec![vec![list, a]],
        vec![vec![a, zero], vec![b, zero], vec![c, one]],
        vec![vec![a, b], vec![b, c]],
    ];
    let mut after = before.clone();
    after.fields[1] = vec![vec![list, c]];
    after.fields[3] = vec![vec![a, b], vec![c, a]];
    let field = model.fields().find(|(_, it)| it.name == "self").expect("self").0;
    let given = [BoundName {
        name: "this".to_owned(),
        of: sig("Call"),
        field,
        when: FieldState::Before,
        varies: false,
    }];
    let post = "// sorted
        all n: header.*next | some n.next implies n.elem <= n.next.elem
        // output is permutation of the input
        all i: Integer |
        #{ n: header.*next | n.elem = i } =
        #{ n: header`.*next` | n.elem` = i }";
    let condition = model.condition(&parse_expression(post).expect("post"), &given).expect("post");
    let states = States { universe: &universe, now: &after, before: Some(&before) };
    assert!(!evaluate(&model, &states, &condition).expect("evaluation"));
    let failures = explain(&model, &states, &condition).expect("explanation");
    assert_eq!(failures.len(), 1);
    assert!(
        post[failures[0].conjunct.start..].starts_with("all n"),
        "sorted is to blame, not the permutation"
    );
    assert_eq!(failures[0].atoms, [("n".to_owned(), c)]);
    let same = States { universe: &universe, now: &before, before: Some(&before) };
    assert!(evaluate(&model, &same, &condition).expect("evaluation"));
}

/// Invalid texts with the expected message and position.
#[test]
fn errors_point_at_their_place() {
    let cases = [
        ("sig A { f: B }", "no", "unknown name B", "B"),
        ("sig A { f: A } fact { some A.g }", "", "unknown name g", "g"),
        ("sig A {} sig B { g: A } fact { some A.g }", "", "this join is always empty", "A.g"),
        ("sig A { f: A } fact { all x: f | some x }", "", "only sets can be quantified over", "f"),
        ("sig A { f: A } fact { A.f }", "", "expected a formula, found a relation", "A.f"),
        ("sig A { f: A } fact { some A", "", "this `{` is not closed", "{"),
        ("sig A {} sig A {}", "", "there already is a signature A", "A"),
        ("pred p { p } fact { p }", "", "p calls itself", "p"),
    ];
    for (text, _, message, place) in cases {
        let mut model = Model::new();
        let error = parse_module(text).and_then(|it| model.read(&it)).expect_err(text);
        assert!(error.message.starts_with(message), "{text}: {}", error.message);
        assert_eq!(&text[error.span.start..error.span.end], place, "{text}");
        assert!(error.render("a.als", text).contains("a.als:1:"), "{}", error.render("a.als", text));
    }
}

/// No text makes the parser panic.
#[test]
fn damaged_texts_are_errors() {
    let text = include_str!("../../../fixtures/relation/redblack.als");
    for at in (0..text.len()).step_by(7) {
        if !text.is_char_boundary(at) {
            continue;
        }
        let cut = [
            &text[..at],
            &text[..at].replace('(', "["),
            &format!("{}{}", &text[..at], &text[(at + 3).min(text.len())..]),
        ];
        for it in cut {
            if let Ok(module) = parse_module(it) {
                let _ = Model::new().read(&module);
            }
        }
    }
    let deep = format!("fact {{ {} }}", "(".repeat(100_000));
    assert!(parse_module(&deep).is_err());
    let long = format!("sig A {{ f: A }} fact {{ some A{} }}", ".f".repeat(50_000));
    let _ = parse_module(&long).and_then(|it| Model::new().read(&it));
    assert!(parse_scope("exactly Node").is_err());
}
