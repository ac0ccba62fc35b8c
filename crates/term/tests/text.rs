//! Display of terms, and the text format.

mod common;

use common::{build, recipe};
use cupping_term::{Model, Op, Sort, Terms, text};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn written_terms_are_read_back(recipe in recipe(&Sort::ALL, Op::ALL, 24)) {
        let mut terms = Terms::new();
        let built = build(&mut terms, &recipe);
        let (written, references) = text::write(&terms, &built);
        let mut asserts = written;
        for reference in &references {
            asserts.push_str(&format!("(assert {reference})\n"));
        }
        let mut again = Terms::new();
        let statements = text::read(&mut again, &asserts).expect("what was written reads");
        let roots: Vec<_> = statements.iter().map(|s| match s.arguments[..] {
            [text::Argument::Term(term)] => term,
            _ => panic!("one term"),
        }).collect();
        // Parsing builds the same terms, without further rewriting, and they have the same text.
        let (second, _) = text::write(&again, &roots);
        let (first, _) = text::write(&terms, &built);
        prop_assert_eq!(first.lines().count(), second.lines().count());
        for (&a, &b) in built.iter().zip(&roots) {
            prop_assert_eq!(terms.eval(&Model::new(), a), again.eval(&Model::new(), b));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\((var|def|table|assert|lookup) ?[0-9vtb\" ()a-z]{0,30}\\)\n){0,4}") {
        let _ = text::read(&mut Terms::new(), &text);
    }
}

#[test]
fn errors_name_the_line() {
    let cases = [
        ("(var 0 Bv32 \"x\")\n(def 0 (add v0 v1))", "line 2: `v1` is not defined above"),
        ("(var 0 Bv33 \"x\")", "line 1: unknown sort `Bv33`"),
        (
            "(var 0 Bv32 \"x\")\n\n(def 0 (add v0 (Bv8 1)))",
            "line 3: `add` does not take arguments of sorts [Bv32, Bv8] for a result of sort None",
        ),
        ("(var 0 Bv8 \"x)", "line 1: the name is not closed with `\"`"),
        ("(assert (Bv8 256))", "line 1: 256 has more bits than Bv8"),
        ("assert", "line 1: expected one statement `(word ...)`"),
    ];
    for (text, expected) in cases {
        assert_eq!(text::read(&mut Terms::new(), text).expect_err(text).to_string(), expected);
    }
}

#[test]
fn terms_are_displayed_as_java() {
    let mut t = Terms::new();
    let (n, c, d) =
        (t.new_variable("n", Sort::Bv32), t.new_variable("c", Sort::Bv16), t.new_variable("d", Sort::F64));
    let (zero, one) = (t.int(0), t.int(1));
    let sum = t.add(n, one);
    let wide = t.zext(Sort::Bv32, c);
    let letter = t.int(i32::from(b'x'));
    let half = t.double(0.5);
    let scaled = t.fmul(d, half);
    let minus = t.int(-7);
    let product = t.mul(sum, minus);
    let cases = [
        (t.sgt(sum, one), "n + 1 >= 2"),
        (t.ne(wide, letter), "c != 'x'"),
        (t.flt(scaled, d), "d * 0.5 < d"),
        (product, "(n + 1) * -7"),
        (t.narrow_int(Sort::Bv8, true, n), "(byte) n"),
        (t.narrow_int(Sort::Bv16, true, n), "(short) n"),
        (t.narrow_int(Sort::Bv16, false, n), "(char) n"),
        (t.add(n, minus), "n - 7"),
        (t.is_nan(d), "d != d"),
    ];
    for (term, expected) in cases {
        assert_eq!(t.display(term, 200), expected);
    }
    let less = t.slt(n, zero);
    let choice = t.ite(less, n, sum);
    assert_eq!(t.display(choice, 200), "n <= -1 ? n : n + 1");
    assert_eq!(t.display(choice, 9), "n <= -1 ?…");
}
