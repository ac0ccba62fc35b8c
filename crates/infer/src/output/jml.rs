//! JML: a specification to be read beside the class, with `requires`, `ensures`, `signals` and `invariant`.

use super::java::{HELPERS, Style, Writer, is_expressible};
use crate::rounds::Outcome;
use crate::sequence::simple;
use crate::subject::Subject;
use crate::table::Place;
use cupping_case::JavaType;

const STYLE: Style = Style { this: "this", result: "\\result", old: "\\old", implies: Some("==>") };

/// Writes it.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let name = subject.simple_name();
    let simple_name = simple(&name).to_owned();
    let mut out = String::new();
    if let Some((package, _)) = subject.name.rsplit_once('/') {
        out += &format!("package {};\n\n", package.replace('/', "."));
    }
    out += &format!("public class {simple_name} {{\n");
    let of = |place: &Place, method: Option<usize>, word: &str| {
        let writer = Writer { subject, method, style: STYLE };
        let mut text = String::new();
        for likely in outcome.specification.likely.iter().filter(|it| it.place == *place) {
            if is_expressible(subject, &likely.formula) {
                text += &format!("    //@ {word} {};\n", writer.formula(&likely.formula));
            }
        }
        text
    };
    out += &of(&Place::Class, None, "public invariant");
    for (at, invokable) in subject.methods.iter().enumerate() {
        let key = subject.key(at);
        let mut text = of(&Place::Entry(key.clone()), Some(at), "requires");
        text += &of(&Place::Exit(key.clone()), Some(at), "ensures");
        for throws in outcome.specification.throws.iter().filter(|it| it.method == key) {
            let writer = Writer { subject, method: Some(at), style: STYLE };
            if throws.exact && is_expressible(subject, &throws.condition) {
                text += &format!(
                    "    //@ signals ({} e) \\old({});\n",
                    throws.class.replace(['/', '$'], "."),
                    writer.formula(&throws.condition)
                );
            }
        }
        let types: Vec<String> = invokable
            .parameters
            .iter()
            .map(|it| format!("{} {}", it.ty.to_string().replace('$', "."), it.name))
            .collect();
        let head = if invokable.is_constructor() {
            simple_name.clone()
        } else {
            let result = match &invokable.result {
                JavaType::Void => "void".to_owned(),
                other => other.to_string().replace('$', "."),
            };
            format!(
                "{}{result} {}",
                if invokable.is_static { "static " } else { "" },
                invokable.reference.name
            )
        };
        out += &format!("\n{text}    public {head}({});\n", types.join(", "));
    }
    if out.contains("likely") {
        out += "\n    /*@ pure @*/ // what the conditions use\n";
        out += &HELPERS
            .lines()
            .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
            .collect::<String>();
    }
    out + "}\n"
}
