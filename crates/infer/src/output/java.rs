//! Terms as Java expressions, on which several notations are based; `java_formulas` writes formulas with them.

use crate::formula::Comparison;
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::{is_elements, type_of};
use crate::value::Value;
use cupping_case::JavaType;

/// Differences between notations that are based on Java.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The receiver.
    pub this: &'static str,
    /// The result.
    pub result: &'static str,
    /// The operator for past values.
    pub old: &'static str,
    /// The operator for implication, if there is one.
    pub implies: Option<&'static str>,
    /// Whether there are quantifiers, as in JML.
    pub quantifies: bool,
}

/// Writes expressions about a method.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'s> {
    /// The class.
    pub subject: &'s Subject,
    /// The method.
    pub method: Option<usize>,
    /// The notation.
    pub style: Style,
    /// Guards that an invariant makes idle.
    pub idle: &'s [String],
}

/// The static helper methods of expressions.
pub const HELPERS: &str = include_str!("helpers.txt");

/// The helper methods that a text uses, directly or through other helpers.
pub fn helpers(text: &str) -> String {
    let name = |method: &str| {
        let head = method.lines().next().and_then(|it| it.split('(').next()).unwrap_or_default();
        format!("{}(", head.rsplit(' ').next().unwrap_or_default())
    };
    let all: Vec<&str> = HELPERS.trim_end().split("\n\n").collect();
    let mut used: Vec<bool> = all.iter().map(|it| text.contains(&name(it))).collect();
    // Helpers call each other: as many rounds as there are helpers suffice for every chain.
    for _ in 0..all.len() {
        for at in 0..all.len() {
            let calls = |(other, it): (usize, &&str)| used[other] && it.contains(&name(all[at]));
            used[at] |= all.iter().enumerate().any(calls);
        }
    }
    let used: Vec<&str> = all.into_iter().zip(used).filter(|it| it.1).map(|it| it.0).collect();
    used.join("\n\n") + if used.is_empty() { "" } else { "\n" }
}

/// Whether objects of a type are told apart as objects: values in `java.lang` are not.
fn is_compared_as_object(ty: &JavaType) -> bool {
    match ty {
        JavaType::Class(name) => !name.starts_with("java/lang/"),
        JavaType::Array(_) => true,
        _ => false,
    }
}

impl Writer<'_> {
    /// Adds the conditions under which the values that a term needs exist.
    pub(super) fn guards(&self, of: &Term, is_old: bool, found: &mut Vec<String>) {
        match of {
            Term::Old(inner) => return self.guards(inner, true, found),
            _ => of.parts().into_iter().for_each(|it| self.guards(it, is_old, found)),
        }
        // One past value for each guard: no `a && b` inside of `old`.
        let past = |text: String| if is_old { format!("{}({text})", self.style.old) } else { text };
        let guard = match of {
            Term::Field(inner, _)
            | Term::Observer(inner, _)
            | Term::Length(inner)
            | Term::Elements(inner)
                if **inner != Term::This && !matches!(&**inner, Term::Old(it) if **it == Term::This) =>
            {
                past(format!("{} != null", self.term(inner)))
            }
            Term::At(seq, index, offset) => {
                let index = self.index(index, *offset);
                past(format!("0 <= {index} && {index} < {}.size()", self.term(seq)))
            }
            Term::First(seq, count) => {
                let count = self.term(count);
                past(format!("0 <= {count} && {count} <= {}.size()", self.term(seq)))
            }
            Term::Rest(seq, from) => {
                let from = self.term(from);
                past(format!("0 <= {from} && {from} <= {}.size()", self.term(seq)))
            }
            Term::Min(seq) | Term::Max(seq) => past(format!("!{}.isEmpty()", self.term(seq))),
            _ => return,
        };
        if !found.contains(&guard) {
            found.push(guard);
        }
    }

    fn index(&self, index: &Term, offset: i64) -> String {
        let index = self.term(index);
        match offset {
            0 => index,
            _ if offset < 0 => format!("{index} - {}", -offset),
            _ => format!("{index} + {offset}"),
        }
    }

    /// A comparison.
    pub fn compare(&self, a: &Term, comparison: Comparison, b: &Term) -> String {
        let is_null = |it: &Term| matches!(it, Term::Constant(Value::Null));
        let (left, right) = (self.term(a), self.term(b));
        let ty = |it: &Term| type_of(self.subject, self.method, it);
        let is_primitive = |it: &Term| match it {
            Term::Constant(value) => {
                matches!(value, Value::Bool(_) | Value::Int(_) | Value::Char(_) | Value::Float(_))
            }
            _ => !ty(it).is_reference(),
        };
        let is_object = |it: &Term| {
            !matches!(it, Term::Constant(_)) && !self.is_listed(it) && is_compared_as_object(&ty(it))
        };
        if let (Comparison::Equal, Term::Constant(Value::Bool(truth))) = (comparison, b)
            && is_primitive(a)
        {
            return if *truth { left } else { format!("!{left}") };
        }
        let is_seq = is_elements(a) || is_elements(b);
        let is_real = |it: &Term| {
            !matches!(it, Term::Constant(_)) && matches!(ty(it), JavaType::Double | JavaType::Float)
        };
        if !is_seq && is_real(a) && is_real(b) {
            // NaN is equal to itself here, but not in Java.
            match comparison {
                Comparison::Equal => {
                    return format!("({left} == {right} || {left} != {left} && {right} != {right})");
                }
                Comparison::Different => {
                    return format!("({left} != {right} && ({left} == {left} || {right} == {right}))");
                }
                _ => {}
            }
        }
        if is_null(b) || !is_seq && is_primitive(a) && is_primitive(b) {
            return format!("{left} {} {right}", comparison.sign());
        }
        match comparison {
            // Objects were compared as such, not by `equals`.
            Comparison::Different if is_object(a) && is_object(b) => format!("{left} != {right}"),
            Comparison::Equal | Comparison::Different => {
                let not = if comparison == Comparison::Different { "!" } else { "" };
                let (left, right) = if self.is_listed(a) || self.is_listed(b) {
                    (format!("likelyWhole({left})"), format!("likelyWhole({right})"))
                } else {
                    (left, right)
                };
                format!("{not}java.util.Objects.equals({left}, {right})")
            }
            _ => format!("{left}.compareTo({right}) {} 0", comparison.sign()),
        }
    }

    /// Whether a term is an element of a list that expressions construct.
    fn is_listed(&self, of: &Term) -> bool {
        match of {
            Term::Old(of) => self.is_listed(of),
            Term::At(seq, ..) => match &**seq {
                Term::Elements(array) => {
                    !matches!(type_of(self.subject, self.method, array), JavaType::Array(_))
                }
                _ => true,
            },
            _ => false,
        }
    }

    /// A term as an object; whole numbers become `Long`.
    pub fn boxed(&self, of: &Term) -> String {
        let text = self.term(of);
        let is_whole = match of {
            Term::Constant(value) => matches!(value, Value::Int(_)),
            _ if is_elements(of) => false,
            _ => {
                let ty = type_of(self.subject, self.method, of);
                matches!(ty, JavaType::Int | JavaType::Short | JavaType::Byte | JavaType::Long)
            }
        };
        let is_object = !is_elements(of) && !matches!(of, Term::Constant(_)) && {
            let ty = type_of(self.subject, self.method, of);
            ty.is_reference() && !ty.is_string()
        };
        match () {
            () if is_whole => format!("(long) {text}"),
            () if is_object => format!("likelyWhole({text})"),
            () => text,
        }
    }

    /// A term.
    pub fn term(&self, of: &Term) -> String {
        match of {
            Term::This => self.style.this.into(),
            Term::Parameter(_, name) => name.clone(),
            Term::Result => self.style.result.into(),
            Term::Field(inner, name) | Term::Observer(inner, name) => format!("{}.{name}", self.term(inner)),
            Term::Old(inner) => {
                // Past values are evaluated before any guard, so their evaluation must not throw.
                let mut guards = Vec::new();
                self.guards(inner, false, &mut guards);
                let text = self.term(inner);
                if guards.is_empty() {
                    return format!("{}({text})", self.style.old);
                }
                let otherwise = match type_of(self.subject, self.method, inner) {
                    _ if is_elements(inner) => "null",
                    JavaType::Boolean => "false",
                    ty if ty.is_reference() => "null",
                    _ => "0",
                };
                format!("{}({} ? {text} : {otherwise})", self.style.old, guards.join(" && "))
            }
            Term::Length(inner) => match type_of(self.subject, self.method, inner) {
                JavaType::Array(_) => format!("{}.length", self.term(inner)),
                ty if ty.is_string() => format!("{}.length()", self.term(inner)),
                _ => format!("{}.size()", self.term(inner)),
            },
            Term::Elements(inner) => format!("likelyAll({})", self.term(inner)),
            Term::First(seq, count) => format!("likelyFirst({}, {})", self.term(seq), self.term(count)),
            Term::Rest(seq, from) => format!("likelyRest({}, {})", self.term(seq), self.term(from)),
            Term::At(seq, index, offset) => {
                let index = self.index(index, *offset);
                match &**seq {
                    Term::Elements(array)
                        if matches!(type_of(self.subject, self.method, array), JavaType::Array(_)) =>
                    {
                        format!("{}[{index}]", self.term(array))
                    }
                    seq => {
                        // Elements of a list are objects; whole numbers among them are `Long`.
                        let element = format!("{}.get((int) ({index}))", self.term(seq));
                        match type_of(self.subject, self.method, of) {
                            JavaType::Int | JavaType::Short | JavaType::Byte | JavaType::Long => {
                                format!("((Long) {element})")
                            }
                            JavaType::Boolean => format!("((Boolean) {element})"),
                            JavaType::Char => format!("((Character) {element})"),
                            JavaType::Float => format!("((Float) {element})"),
                            JavaType::Double => format!("((Double) {element})"),
                            _ => element,
                        }
                    }
                }
            }
            Term::Sum(seq) => self.sum(seq).unwrap_or_else(|| format!("likelySum({})", self.term(seq))),
            Term::Min(seq) => format!("likelyLeast({}, false)", self.term(seq)),
            Term::Max(seq) => format!("likelyLeast({}, true)", self.term(seq)),
            Term::Append(seq, last) => format!("likelyAppend({}, {})", self.term(seq), self.boxed(last)),
            Term::Prepend(first, seq) => {
                format!("likelyPrepend({}, {})", self.boxed(first), self.term(seq))
            }
            Term::Reverse(seq) => format!("likelyReverse({})", self.term(seq)),
            Term::Linear(terms, constant) => {
                let mut out = String::new();
                for (factor, term) in terms {
                    out += match (out.is_empty(), *factor < 0) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => " + ",
                        (false, true) => " - ",
                    };
                    // Sums are exact, as inference is.
                    let magnitude = factor.unsigned_abs();
                    out += &match magnitude {
                        1 => format!("(long) {}", self.term(term)),
                        _ => format!("{magnitude}L * {}", self.term(term)),
                    };
                }
                match constant {
                    0 => out,
                    _ if *constant < 0 => format!("{out} - {}L", constant.unsigned_abs()),
                    _ => format!("{out} + {constant}L"),
                }
            }
            Term::Constant(Value::Enum(class, name)) => {
                format!("{}.{name}", class.replace(['/', '$'], "."))
            }
            Term::Constant(value) => value.to_string(),
        }
    }
}
