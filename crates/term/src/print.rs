//! Displays terms in Java-like infix notation, truncated at a length.

use crate::arena::{Term, TermId, Terms};
use crate::idioms::{Idiom, recognise};
use crate::op::Op;
use crate::semantics;
use crate::sort::Sort;

/// The remaining work, last item first.
enum Work {
    Text(String),
    /// A term, parenthesised if it binds less tightly than this precedence.
    Term(TermId, u8),
}

// Java's operator precedences (JLS 15), loosest first.
const CHOICE: u8 = 2;
const OR_ELSE: u8 = 3;
const AND_ALSO: u8 = 4;
const BIT_OR: u8 = 5;
const BIT_XOR: u8 = 6;
const BIT_AND: u8 = 7;
const EQUALITY: u8 = 8;
const RELATION: u8 = 9;
const SHIFT: u8 = 10;
const SUM: u8 = 11;
const PRODUCT: u8 = 12;
const UNARY: u8 = 13;

impl Terms {
    /// A Java-like text of a term, truncated with `…` after `limit` characters.
    ///
    /// Implicit widening is not shown, so the text resembles the source rather than being valid Java;
    /// unsigned comparisons of `int` and `long` with what may be negative are written `<u` and `<=u`.
    #[must_use]
    pub fn display(&self, term: TermId, limit: usize) -> String {
        let mut out = String::new();
        let mut stack = vec![Work::Term(term, 0)];
        while let Some(work) = stack.pop() {
            match work {
                Work::Text(text) => out.push_str(&text),
                Work::Term(term, binding) => self.push(&mut stack, term, binding),
            }
            if out.len() > limit
                && let Some((end, _)) = out.char_indices().nth(limit)
            {
                out.truncate(end);
                out.push('…');
                return out;
            }
        }
        out
    }

    fn push(&self, stack: &mut Vec<Work>, term: TermId, binding: u8) {
        let recognised = recognise(self, term).map(|idiom| self.shown(idiom));
        let (own, parts) = recognised.unwrap_or_else(|| self.parts_of(term));
        let wrapped = own < binding;
        if wrapped {
            stack.push(Work::Text(")".into()));
        }
        stack.extend(parts.into_iter().rev());
        if wrapped {
            stack.push(Work::Text("(".into()));
        }
    }

    /// The precedence of a term, and its parts.
    fn parts_of(&self, term: TermId) -> (u8, Vec<Work>) {
        match *self.get(term) {
            Term::Constant { sort, bits } => (UNARY, vec![Work::Text(constant(sort, bits))]),
            Term::Variable { index, .. } => (UNARY, vec![Work::Text(self.variable(index).name.clone())]),
            Term::Lookup { table, index, .. } => {
                let name = Work::Text(format!("table{}[", table.0));
                (UNARY, vec![name, Work::Term(index, 0), Work::Text("]".into())])
            }
            Term::Apply { op, sort, args } => self.application(op, sort, args),
        }
    }

    fn application(&self, op: Op, sort: Sort, [a, b, c]: [TermId; 3]) -> (u8, Vec<Work>) {
        let text = |s: &str| Work::Text(s.to_owned());
        let infix = |binding: u8, x: Work, symbol: &str, y: Work| {
            (binding, vec![x, Work::Text(format!(" {symbol} ")), y])
        };
        let left = |binding: u8| (Work::Term(a, binding), Work::Term(b, binding + 1));
        match op {
            Op::Ite => {
                let parts = vec![
                    Work::Term(a, CHOICE + 1),
                    text(" ? "),
                    Work::Term(b, CHOICE),
                    text(" : "),
                    Work::Term(c, CHOICE),
                ];
                (CHOICE, parts)
            }
            Op::Add if self.negative_constant(b).is_some() => {
                let shown = self.negative_constant(b).unwrap_or_default();
                infix(SUM, Work::Term(a, SUM), "-", Work::Text(shown))
            }
            Op::Not if sort == Sort::Bool => match self.parts(a) {
                Some((Op::Eq | Op::FEq, [x, y, _])) => self.comparison(EQUALITY, "!=", x, y),
                _ => (UNARY, vec![text("!"), Work::Term(a, UNARY)]),
            },
            Op::Not | Op::Neg | Op::FNeg => (UNARY, vec![text(op.symbol()), Work::Term(a, UNARY)]),
            Op::ZExt if self.sort(a) == Sort::Bool => {
                (CHOICE, vec![Work::Term(a, CHOICE + 1), text(" ? 1 : 0")])
            }
            // An unsigned value is what the source widens.
            Op::ZExt if self.range(a).never_negative() => (UNARY, vec![Work::Term(a, UNARY)]),
            Op::ZExt if self.sort(a) == Sort::Bv8 => (BIT_AND, vec![Work::Term(a, BIT_AND), text(" & 0xff")]),
            Op::ZExt if self.sort(a) == Sort::Bv32 => {
                (BIT_AND, vec![Work::Term(a, BIT_AND), text(" & 0xffffffffL")])
            }
            Op::SExt if self.app(a, Op::Truncate).is_some() && self.sort(a) == Sort::Bv16 => {
                let inner = self.app(a, Op::Truncate).map_or(a, |args| args[0]);
                (UNARY, vec![text("(short) "), Work::Term(inner, UNARY)])
            }
            Op::ZExt | Op::SExt => (UNARY, vec![Work::Term(a, UNARY)]),
            Op::Truncate if sort == Sort::Bool => {
                (EQUALITY, vec![text("("), Work::Term(a, BIT_AND), text(" & 1) != 0")])
            }
            Op::Truncate => {
                let cast = match sort {
                    Sort::Bv8 => "(byte) ",
                    Sort::Bv16 => "(char) ",
                    _ => "(int) ",
                };
                (UNARY, vec![text(cast), Work::Term(a, UNARY)])
            }
            Op::Eq | Op::FEq => self.comparison(EQUALITY, "==", a, b),
            Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::FLt | Op::FLe => self.ordering(op, a, b),
            Op::FSqrt | Op::FAbs | Op::FBits | Op::DBits | Op::BitsF | Op::BitsD => {
                (UNARY, vec![text(op.symbol()), text("("), Work::Term(a, 0), text(")")])
            }
            _ if op.arity() == 1 => {
                (UNARY, vec![Work::Text(format!("({}) ", op.symbol())), Work::Term(a, UNARY)])
            }
            _ => {
                let (binding, symbol) = match op {
                    Op::And if sort == Sort::Bool => (AND_ALSO, "&&"),
                    Op::Or if sort == Sort::Bool => (OR_ELSE, "||"),
                    Op::And => (BIT_AND, "&"),
                    Op::Or => (BIT_OR, "|"),
                    Op::Xor => (BIT_XOR, "^"),
                    Op::Shl | Op::AShr | Op::LShr => (SHIFT, op.symbol()),
                    Op::Add | Op::Sub | Op::FAdd | Op::FSub => (SUM, op.symbol()),
                    _ => (PRODUCT, op.symbol()),
                };
                let (x, y) = left(binding);
                infix(binding, x, symbol, y)
            }
        }
    }

    /// The form in the source.
    fn shown(&self, idiom: Idiom) -> (u8, Vec<Work>) {
        let binding = |symbol: &str| if matches!(symbol, "==" | "!=") { EQUALITY } else { RELATION };
        match idiom {
            Idiom::Text(text) => (UNARY, vec![Work::Text(text)]),
            Idiom::Not(text) => (UNARY, vec![Work::Text(format!("!{text}"))]),
            Idiom::Compare(name, symbol, value) => {
                (binding(symbol), vec![Work::Text(format!("{name} {symbol} {value}"))])
            }
            Idiom::Relation(a, symbol, b) => self.comparison(binding(symbol), symbol, a, b),
            Idiom::Bound(of, symbol, value) => {
                let own = binding(symbol);
                (own, vec![Work::Term(of, own + 1), Work::Text(format!(" {symbol} {value}"))])
            }
            Idiom::Index { index, length, is_within, is_inclusive } => {
                let at = || Work::Term(index, RELATION + 1);
                let size = Work::Term(length, RELATION + 1);
                let text = |it: &str| Work::Text(it.to_owned());
                match (is_within, is_inclusive) {
                    (true, false) => {
                        (AND_ALSO, vec![text("0 <= "), at(), text(" && "), at(), text(" < "), size])
                    }
                    (true, true) => {
                        (AND_ALSO, vec![text("0 <= "), at(), text(" && "), at(), text(" <= "), size])
                    }
                    (false, true) => (OR_ELSE, vec![at(), text(" < 0 || "), at(), text(" >= "), size]),
                    (false, false) => (OR_ELSE, vec![at(), text(" < 0 || "), at(), text(" > "), size]),
                }
            }
            Idiom::At(before, index, end) => {
                (UNARY, vec![Work::Text(before), Work::Term(index, 0), Work::Text(end.into())])
            }
        }
    }

    /// An ordering, with a constant on the right.
    fn ordering(&self, op: Op, a: TermId, b: TermId) -> (u8, Vec<Work>) {
        // Narrow operands are chars or bytes, which the source compares with the ordinary operators.
        let narrow = self.sort(a).bits() <= 16;
        let symbols = match op {
            Op::Ult if !narrow => ("<u", ">u"),
            Op::Ule if !narrow => ("<=u", ">=u"),
            Op::Slt | Op::FLt | Op::Ult => ("<", ">"),
            _ => ("<=", ">="),
        };
        let (symbol, a, b) =
            if self.as_constant(a).is_some() { (symbols.1, b, a) } else { (symbols.0, a, b) };
        match (op, self.sort(b), self.as_constant(b)) {
            // The second half of the chars, which would be negative as numbers.
            (Op::Ult | Op::Ule, Sort::Bv16, Some(unit @ 0x8000..)) => (
                RELATION,
                vec![Work::Term(a, RELATION + 1), Work::Text(format!(" {symbol} '\\u{unit:04x}'"))],
            ),
            _ => self.comparison(RELATION, symbol, a, b),
        }
    }

    fn comparison(&self, binding: u8, symbol: &str, a: TermId, b: TermId) -> (u8, Vec<Work>) {
        let symbol = Work::Text(format!(" {symbol} "));
        let right = match (self.sort(b), self.as_constant(b)) {
            (Sort::Bv16, Some(unit @ 0x20..=0x7e)) => {
                let escape = if matches!(unit, 0x27 | 0x5c) { "\\" } else { "" };
                Work::Text(format!("'{escape}{}'", char::from(unit as u8)))
            }
            _ => Work::Term(b, binding + 1),
        };
        (binding, vec![Work::Term(a, binding + 1), symbol, right])
    }

    /// The text of `-k` if the term is a negative constant `k` with a positive counterpart.
    fn negative_constant(&self, term: TermId) -> Option<String> {
        let sort = self.sort(term);
        let value = sort.signed(self.as_constant(term)?);
        (value < 0 && value != sort.min_signed()).then(|| constant(sort, sort.wrap(-value)))
    }
}

fn constant(sort: Sort, bits: u64) -> String {
    match sort {
        Sort::Bool => (bits != 0).to_string(),
        Sort::Bv64 => format!("{}L", bits as i64),
        Sort::F32 => float(f64::from(semantics::f32_of(bits)), format!("{:?}f", semantics::f32_of(bits))),
        Sort::F64 => float(semantics::f64_of(bits), format!("{:?}", semantics::f64_of(bits))),
        _ => sort.signed(bits).to_string(),
    }
}

fn float(value: f64, digits: String) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        digits
    }
}
