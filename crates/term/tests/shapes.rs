//! Rewriting turns the machine's terms back into the source's expressions.

use cupping_term::{Model, Op, Sort, TermId, Terms, VarIndex};

fn variables(sort: Sort) -> (Terms, TermId, TermId) {
    let mut terms = Terms::new();
    let (x, y) = (terms.new_variable("x", sort), terms.new_variable("y", sort));
    (terms, x, y)
}

#[test]
fn a_long_comparison_is_one_comparison() {
    let (mut t, x, y) = variables(Sort::Bv64);
    let compared = t.lcmp(x, y);
    let zero = t.int(0);
    let cases = [
        (t.slt(compared, zero), t.slt(x, y)),
        (t.sle(compared, zero), t.sle(x, y)),
        (t.sgt(compared, zero), t.slt(y, x)),
        (t.sge(compared, zero), t.sle(y, x)),
        (t.eq(compared, zero), t.eq(x, y)),
        (t.ne(compared, zero), t.ne(x, y)),
    ];
    for (actual, expected) in cases {
        assert_eq!(t.display(actual, 100), t.display(expected, 100));
    }
    let hundred = t.long(100);
    let compared = t.lcmp(x, hundred);
    let actual = t.sle(compared, zero);
    assert_eq!(t.display(actual, 100), "x <= 100L");
    let actual = t.sgt(compared, zero);
    assert_eq!(t.display(actual, 100), "x >= 101L");
}

#[test]
fn a_float_comparison_is_one_comparison() {
    let (mut t, x, y) = variables(Sort::F64);
    let zero = t.int(0);
    // javac compiles `x < y` to `dcmpg, ifge` and `x > y` to `dcmpl, ifle`.
    let g = t.fcmp(x, y, 1);
    let l = t.fcmp(x, y, -1);
    let less = t.flt(x, y);
    let greater = t.flt(y, x);
    let cases = [
        (t.slt(g, zero), less),
        (t.sge(g, zero), t.not(less)),
        (t.sle(g, zero), t.fle(x, y)),
        (t.sgt(l, zero), greater),
        (t.sle(l, zero), t.not(greater)),
        (t.sge(l, zero), t.fle(y, x)),
        (t.eq(l, zero), t.feq(x, y)),
        (t.eq(g, zero), t.feq(x, y)),
    ];
    for (actual, expected) in cases {
        assert_eq!(actual, expected, "{} / {}", t.display(actual, 100), t.display(expected, 100));
    }
}

#[test]
fn bytes_of_a_char_join_to_the_char() {
    let mut t = Terms::new();
    let c = t.new_variable("c", Sort::Bv16);
    let wide = t.zext(Sort::Bv32, c);
    let (eight, mask) = (t.int(8), t.int(0xff));
    // StringUTF16: value[i] = (byte)(c >> 8), value[i + 1] = (byte) c, read back with & 0xff.
    let shifted = t.ashr(wide, eight);
    let high = t.narrow_int(Sort::Bv8, true, shifted);
    let low = t.narrow_int(Sort::Bv8, true, wide);
    let (high, low) = (t.and(high, mask), t.and(low, mask));
    let high = t.shl(high, eight);
    let joined = t.or(high, low);
    assert_eq!(joined, wide, "{}", t.display(joined, 200));
    let sum = t.add(high, low);
    let char_again = t.narrow_int(Sort::Bv16, false, sum);
    assert_eq!(char_again, wide);
    // `c >>> 8 == 0`, as in String's compression.
    let zero = t.int(0);
    let top = t.lshr(wide, eight);
    let latin = t.eq(top, zero);
    assert_eq!(t.display(latin, 100), "c <= 255");
}

#[test]
fn bytes_of_an_int_join_to_the_int() {
    let mut t = Terms::new();
    let n = t.new_variable("n", Sort::Bv32);
    let mask = t.int(0xff);
    let mut bytes = Vec::new();
    for distance in [24, 16, 8, 0] {
        let by = t.int(distance);
        let moved = t.lshr(n, by);
        let byte = t.narrow_int(Sort::Bv8, true, moved);
        let byte = t.and(byte, mask);
        bytes.push(t.shl(byte, by));
    }
    let joined = bytes.iter().copied().reduce(|a, b| t.or(a, b)).expect("four");
    assert_eq!(joined, n);
    let joined = bytes.iter().rev().copied().reduce(|a, b| t.or(a, b)).expect("four");
    assert_eq!(joined, n);
    let odd = [1, 3, 0, 2].map(|i: usize| bytes[i]).into_iter().reduce(|a, b| t.or(a, b)).expect("four");
    assert_eq!(t.eval(&Model::from_iter([(VarIndex(0), 0x1234_5678)]), odd), 0x1234_5678);
}

#[test]
fn booleans_stay_booleans() {
    let (mut t, x, y) = variables(Sort::Bool);
    let (wx, wy) = (t.bool_to_int(x), t.bool_to_int(y));
    let (zero, one) = (t.int(0), t.int(1));
    let both = t.and(wx, wy);
    let flipped = t.xor(wx, one);
    let cases = [
        (t.ne(both, zero), t.and(x, y)),
        (t.eq(flipped, zero), x),
        (t.eq(wx, one), x),
        (t.int_to_bool(wx), x),
        (t.ite(x, one, zero), wx),
    ];
    for (actual, expected) in cases {
        assert_eq!(actual, expected, "{}", t.display(actual, 100));
    }
}

#[test]
fn integers_as_floats_compare_as_integers() {
    let mut t = Terms::new();
    let n = t.new_variable("n", Sort::Bv32);
    let d = t.i2d(n);
    let k = t.double(2.5);
    let less = t.flt(d, k);
    assert_eq!(t.display(less, 100), "n <= 2");
    let equal = t.feq(d, k);
    assert_eq!(equal, t.bool(false));
    let f = t.i2f(n);
    let k = t.float(16_777_216.0);
    let equal = t.feq(f, k);
    assert_eq!(t.display(equal, 100), "n >= 16777216 && n <= 16777217");
}

/// Deep terms, as loops produce them: no algorithm recurses over them.
#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let handle = std::thread::Builder::new().stack_size(256 * 1024).spawn(|| {
        let mut t = Terms::new();
        let (x, c) = (t.new_variable("x", Sort::Bv32), t.new_variable("c", Sort::Bool));
        let (three, mask, zero) = (t.int(31), t.int(0x5555), t.int(0));
        let (mut hash, mut chain, mut sum, mut condition) = (x, x, x, c);
        for i in 0..100_000 {
            let k = t.int(i);
            hash = t.mul(hash, three);
            hash = t.xor(hash, mask);
            let here = t.eq(x, k);
            chain = t.ite(here, three, chain);
            condition = t.and(condition, here);
            condition = t.not(condition);
            sum = t.mul(sum, x);
            sum = t.add(sum, hash);
        }
        let byte = t.narrow_int(Sort::Bv8, true, sum);
        let asked =
            [t.eq(hash, zero), t.eq(chain, zero), t.slt(sum, zero), t.not(condition), t.sle(byte, zero)];
        let model = Model::from_iter([(VarIndex(0), 77)]);
        for term in asked {
            let _ = t.eval(&model, term);
            assert!(t.display(term, 50).chars().count() <= 51);
        }
        let (text, references) = cupping_term::text::write(&t, &asked);
        assert_eq!(references.len(), asked.len());
        let mut again = Terms::new();
        assert!(cupping_term::text::read(&mut again, &text).is_ok());
        assert!(matches!(t.get(sum), cupping_term::Term::Apply { op: Op::Add, .. }));
    });
    handle.expect("a thread").join().expect("no overflow");
}
