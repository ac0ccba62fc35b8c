//! The form of the TestEra paper (section 5.1) in which states are explicit: signatures `State`, `Pre` and `Post`,
//! fields with a column for the state, `f::Pre` and `f::Post`, and functions `RepOk` and `methodOk`.
//!
//! Java's classes declare their signatures themselves, so those of the text are dropped; `f::Post` becomes `f`, and
//! `f::Pre` becomes `` f` ``, or `f` in the precondition, where it is the only state.

use cupping_relation::syntax::ast::{Binary, Expr, ExprKind, Module, Name, Paragraph, Unary};

/// The names that the paper gives to the states.
const STATES: [&str; 3] = ["State", "Pre", "Post"];
/// The function that is the precondition.
const PRECONDITION: &str = "RepOk";
/// The function that is the postcondition.
const POSTCONDITION: &str = "methodOk";

/// The specification without explicit states; unchanged if it has none. `is_class` says which names are Java's.
pub(crate) fn implied(module: Module, is_class: impl Fn(&str) -> bool) -> Module {
    let is_explicit = module.paragraphs.iter().any(|it| match it {
        Paragraph::Sig(sig) => {
            sig.names.iter().any(|it| it.text == "Pre") && sig.parents.iter().any(|it| it.text == "State")
        }
        _ => false,
    });
    if !is_explicit {
        return module;
    }
    let is_dropped = |name: &Name| STATES.contains(&name.text.as_str()) || is_class(&name.text);
    let paragraphs = module.paragraphs.into_iter().filter_map(|it| {
        Some(match it {
            Paragraph::Sig(mut sig) => {
                let has_state = sig.fields.iter().any(|it| ends_in_state(&it.bound));
                sig.names.retain(|it| !has_state && !is_dropped(it));
                if sig.names.is_empty() {
                    return None;
                }
                Paragraph::Sig(sig)
            }
            Paragraph::Function(it) if it.receiver.is_some() && it.name.text == PRECONDITION => {
                section(it.name, "pre", in_one_state(it.body))
            }
            Paragraph::Function(it) if it.receiver.is_some() && it.name.text == POSTCONDITION => {
                section(it.name, "post", in_two_states(it.body))
            }
            Paragraph::Function(mut it) => {
                it.body = in_two_states(it.body);
                Paragraph::Function(it)
            }
            Paragraph::Fact(name, body) => Paragraph::Fact(name, in_one_state(body)),
            other => other,
        })
    });
    Module { name: module.name, paragraphs: paragraphs.collect() }
}

/// `Node ?-> State`: only Java's fields change.
fn ends_in_state(bound: &Expr) -> bool {
    match &bound.kind {
        ExprKind::Binary(Binary::Product(..), _, right) => ends_in_state(right),
        ExprKind::Name(name) => name == "State",
        _ => false,
    }
}

fn section(name: Name, text: &str, body: Expr) -> Paragraph {
    Paragraph::Section(Name { text: text.to_owned(), span: name.span }, body)
}

fn in_one_state(body: Expr) -> Expr {
    body.map(&mut |it| match of_state(it) {
        Ok((inner, _)) => inner,
        Err(other) => other,
    })
}

fn in_two_states(body: Expr) -> Expr {
    body.map(&mut |it| match of_state(it) {
        Ok((inner, true)) => {
            let span = inner.span;
            Expr { kind: ExprKind::Unary(Unary::Before, Box::new(inner)), span }
        }
        Ok((inner, false)) => inner,
        Err(other) => other,
    })
}

/// The expression before `::Pre` or `::Post`, and whether the state is `Pre`; or the expression itself.
fn of_state(it: Expr) -> Result<(Expr, bool), Expr> {
    match it.kind {
        ExprKind::Binary(Binary::Join, left, right) => match &right.kind {
            ExprKind::Name(name) if name == "Pre" || name == "Post" => {
                let is_before = name == "Pre";
                Ok((Expr { kind: left.kind, span: it.span }, is_before))
            }
            _ => Err(Expr { kind: ExprKind::Binary(Binary::Join, left, right), span: it.span }),
        },
        kind => Err(Expr { kind, span: it.span }),
    }
}
