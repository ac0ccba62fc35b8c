//! Parts of a specification that are probably unintended: sections that nothing reads are errors; strings and
//! integers that no input has are warnings.

use crate::error::{Error, wrong};
use crate::header::Header;
use cupping_relation::syntax::ast::{Binary, Expr, ExprKind, Module, Paragraph};
use cupping_relation::{Model, Scope, nearest};

/// The sections that the check interprets.
const SECTIONS: [&str; 3] = ["invariant", "pre", "post"];

/// Section names of JML and other tools, with the corresponding ones here.
const ALIKE: [(&str, &str); 9] = [
    ("requires", "pre"),
    ("require", "pre"),
    ("precondition", "pre"),
    ("assume", "pre"),
    ("ensures", "post"),
    ("ensure", "post"),
    ("postcondition", "post"),
    ("invariants", "invariant"),
    ("repOk", "invariant"),
];

/// Every section is one that the check interprets.
pub(crate) fn sections(module: &Module) -> Result<(), Error> {
    for paragraph in &module.paragraphs {
        let Paragraph::Section(name, _) = paragraph else { continue };
        let text = name.text.as_str();
        if SECTIONS.contains(&text) {
            continue;
        }
        let all = "the sections are `invariant`, `pre` and `post`";
        let meant = ALIKE.iter().find(|it| it.0.eq_ignore_ascii_case(text));
        let help = match (meant, nearest(SECTIONS.into_iter(), text)) {
            (Some((_, ours)), _) => format!("write `{ours} {{ … }}`; {all}"),
            (None, Some(near)) => format!("did you mean `{near}`? {all}"),
            (None, None) => all.to_owned(),
        };
        return Err(wrong(name.span, &format!("there is no section `{text}`"), &help));
    }
    Ok(())
}

/// Strings and integers in conditions on inputs that no input within the scope has.
pub(crate) fn beyond_the_scope(
    module: &Module,
    header: &Header,
    model: &Model,
    scope: &Scope,
) -> Vec<cupping_relation::Error> {
    let mut doubts = Vec::new();
    for paragraph in &module.paragraphs {
        let body = match paragraph {
            Paragraph::Section(name, body) if name.text != "post" => body,
            Paragraph::Fact(_, body) => body,
            _ => continue,
        };
        body.each(&mut |it| match &it.kind {
            ExprKind::Text(text) if !header.strings.contains(text) => {
                let declared = header.strings.iter().chain([text]).map(|it| format!("{it:?}"));
                let declared = declared.collect::<Vec<_>>().join(", ");
                doubts.push(
                    cupping_relation::Error::new(it.span, format!("no input has the string {text:?}"))
                        .help(format!("declare it: `strings {declared}`")),
                );
            }
            ExprKind::Binary(Binary::Equal, left, right) => {
                doubts.extend(integer(left, right, model, scope));
                doubts.extend(integer(right, left, model, scope));
            }
            _ => {}
        });
    }
    doubts
}

/// `e.f = 7` for a field of integers, where the scope has no 7.
fn integer(field: &Expr, number: &Expr, model: &Model, scope: &Scope) -> Option<cupping_relation::Error> {
    let value = match &number.kind {
        ExprKind::Number(value) => *value,
        _ => return None,
    };
    let name = last_name(field)?;
    let mut fields = model.fields().filter(|(_, it)| it.name == name).peekable();
    fields.peek()?;
    let holds_integers = |columns: &cupping_relation::Type| {
        columns.arity == 2 && columns.products.iter().all(|it| it[1] == Model::INT)
    };
    let (least, most) = scope.integers;
    if !fields.all(|(_, it)| it.function.is_some() && holds_integers(&it.columns))
        || (least..=most).contains(&value)
    {
        return None;
    }
    let (bound, wider) = match value > most {
        true => (format!("ends at {most}"), format!("{least}..{value} int")),
        false => (format!("starts at {least}"), format!("{value}..{most} int")),
    };
    let message = format!("no input has the integer {value}: the scope {bound}");
    Some(cupping_relation::Error::new(number.span, message).help(format!("extend the scope: `{wider}`")))
}

/// The last name of `a.b.c`.
fn last_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Bare(name) => Some(name),
        ExprKind::Binary(Binary::Join, _, right) => last_name(right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_relation::syntax::{parse_expression, parse_module};

    #[test]
    fn sections_of_other_tools_are_named_by_ours() {
        for (text, expected) in [
            ("requires { true = true }", "write `pre { … }`"),
            ("ENSURES { true = true }", "write `post { … }`"),
            ("repok { true = true }", "write `invariant { … }`"),
            ("invarient { true = true }", "did you mean `invariant`?"),
            ("whenever { true = true }", "the sections are `invariant`, `pre` and `post`"),
        ] {
            let error = sections(&parse_module(text).unwrap()).unwrap_err().render("a.spec", text);
            let name = text.split(' ').next().unwrap();
            assert!(error.contains(&format!("there is no section `{name}`")), "{error}");
            assert!(error.contains(expected), "{text}: {error}");
        }
        let ours = "invariant { true = true } pre { true = true } post { true = true } fact { true = true }";
        assert!(sections(&parse_module(ours).unwrap()).is_ok());
    }

    #[test]
    fn the_last_name_of_a_join_is_its_field() {
        let of = |text: &str| last_name(&parse_expression(text).unwrap()).map(str::to_owned);
        assert_eq!(of("a.b.c").as_deref(), Some("c"));
        assert_eq!(of("this.next").as_deref(), Some("next"));
        assert_eq!(of("size").as_deref(), Some("size"));
        assert_eq!(of("a.@b").as_deref(), Some("b"));
        assert_eq!(of("a + b"), None);
        assert_eq!(of("3"), None);
    }

    #[test]
    fn strings_that_no_input_has_are_doubtful_where_inputs_are_described() {
        let text = "pre { name = \"a\" } post { name = \"b\" } fact { name = \"c\" }";
        let module = parse_module(text).unwrap();
        let doubts = |strings: &[&str]| -> Vec<String> {
            let strings = strings.iter().map(|it| (*it).to_owned()).collect();
            let header = Header { strings, ..Header::default() };
            let doubts = beyond_the_scope(&module, &header, &Model::new(), &Scope::default());
            doubts.into_iter().map(|it| format!("{}; {}", it.message, it.help.unwrap())).collect()
        };
        assert_eq!(
            doubts(&[]),
            [
                "no input has the string \"a\"; declare it: `strings \"a\"`",
                "no input has the string \"c\"; declare it: `strings \"c\"`",
            ]
        );
        assert_eq!(
            doubts(&["c", "x"]),
            ["no input has the string \"a\"; declare it: `strings \"c\", \"x\", \"a\"`"]
        );
        assert!(doubts(&["a", "c"]).is_empty());
    }
}
