//! The contract language: a testcase for each method, with objects and values of an observed test, and clauses as the
//! conditions of its triple.

use super::java::{HELPERS, Style, Writer};
use super::java_formulas::is_expressible;
use crate::java_literals::{literal_text, simple};
use crate::outcome::Outcome;
use crate::program_point::ProgramPoint;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution};
use cupping_case::{JavaType, Literal};
use std::collections::BTreeMap;

const STYLE: Style = Style { this: "it", result: "result", old: "old", implies: None };
const OF_NEW: Style = Style { this: "result", ..STYLE };
/// The largest number of values of a parameter in a testcase.
const MOST_VALUES: usize = 6;

/// Writes the testcases of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = String::new();
    if let Some((package, _)) = subject.name.rsplit_once('/') {
        out += &format!("package {};\n\n", package.replace('/', "."));
    }
    out += &format!("test {} {{\n", subject.simple_name());
    let mut cases = String::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for method in 0..subject.methods.len() {
        if let Some(text) = testcase(subject, outcome, method, &mut names) {
            cases += &format!("\n{text}");
        }
    }
    if cases.contains("likely") {
        out += "    java {\n";
        out += &HELPERS
            .lines()
            .map(|it| if it.is_empty() { "\n".into() } else { format!("        {it}\n") })
            .collect::<String>();
        out += "    }\n";
    }
    out + &cases + "}\n"
}

fn testcase(
    subject: &Subject,
    outcome: &Outcome,
    method: usize,
    names: &mut BTreeMap<String, usize>,
) -> Option<String> {
    let invokable = &subject.methods[method];
    let key = subject.key(method);
    let is_new = invokable.is_constructor();
    let writer = Writer { subject, method: Some(method), style: if is_new { OF_NEW } else { STYLE } };
    let of = |point: &ProgramPoint| -> Vec<String> {
        let likely = outcome.specification.clauses.iter().filter(|it| it.point == *point);
        likely
            .map(|it| &it.formula)
            .filter(|it| is_expressible(subject, it))
            .filter_map(|it| it.kind().contract(&writer))
            .collect()
    };
    let mut before = of(&ProgramPoint::Entry(key.clone()));
    for throws in outcome.specification.throws.iter().filter(|it| it.method == key) {
        if is_expressible(subject, &throws.condition) {
            before.extend(throws.condition.negation().kind().contract(&writer));
        }
    }
    let mut after = of(&ProgramPoint::Exit(key));
    if !invokable.is_static {
        after.extend(of(&ProgramPoint::Class));
    }
    if after.is_empty() {
        return None;
    }
    let (lines, call) = setup(subject, outcome, method)?;
    let simple_name = subject.simple_name();
    let name =
        if is_new { format!("new{}", simple(&simple_name)) } else { invokable.reference.name.to_string() };
    let count = names.entry(name.clone()).or_insert(0);
    *count += 1;
    let name = if *count > 1 { format!("{name}{count}") } else { name };
    let conjunction = |all: &[String], indent: &str| match all {
        [] => "true".to_owned(),
        all => {
            let all: Vec<String> = all.iter().map(|it| format!("({it})")).collect();
            all.join(&format!("\n{indent}&& "))
        }
    };
    let setup: String = lines.iter().map(|it| format!("        {it}\n")).collect();
    Some(format!(
        "    testcase {name} {{\n{setup}        ({}) requiredBy {call}\n                ensure ({});\n    }}\n",
        conjunction(&before, "                "),
        conjunction(&after, "                        ")
    ))
}

/// The statements before a triple, and its call, from a test that returned.
fn setup(subject: &Subject, outcome: &Outcome, method: usize) -> Option<(Vec<String>, String)> {
    let returned = |it: &&Execution| it.method == method && matches!(it.ending, CallOutcome::Returned(_));
    let of_method: Vec<&Execution> = outcome.explored.executions.iter().filter(returned).collect();
    let calls =
        |it: &Execution| it.test.as_ref().map_or(0, |it| it.receiver.as_ref().map_or(0, |it| it.calls()));
    // The last of the tests with up to three calls before, so that its object contains something.
    let chosen =
        of_method.iter().filter(|it| calls(it) <= 3).max_by_key(|it| calls(it)).or(of_method.first())?;
    let test = chosen.test.as_ref()?;
    let mut lines = Lines::default();
    if let Some(made) = &test.receiver {
        let value = lines.maker(made)?;
        lines.all.push(format!("requirement {} it = {value};", type_name(&JavaType::class(&subject.name))));
        for call in &made.then {
            let call = lines.call(call, Some("it"))?;
            lines.all.push(format!("{call};"));
        }
    }
    let mut arguments = Vec::new();
    let parameters = &subject.methods[method].parameters;
    for (at, (parameter, argument)) in parameters.iter().zip(&test.call.arguments).enumerate() {
        let ty = type_name(&parameter.ty);
        let name = &parameter.name;
        let values: Vec<String> = if parameters.len() == 1 && !parameter.ty.is_reference() {
            let same =
                of_method.iter().filter_map(|it| it.test.as_ref()).filter(|it| it.receiver == test.receiver);
            let all = same.filter_map(|it| match it.call.arguments.get(at) {
                Some(Arg::Literal(literal)) => Some(literal_text(literal)),
                _ => None,
            });
            all.take(MOST_VALUES).collect()
        } else {
            Vec::new()
        };
        if values.len() > 1 {
            lines.all.push(format!("requirement {ty} {name} in {{ {} }};", values.join(", ")));
        } else {
            let value = lines.argument(argument, Some("it"))?;
            lines.all.push(format!("requirement {ty} {name} = {value};"));
        }
        arguments.push(name.clone());
    }
    let invokable = &subject.methods[method];
    let arguments = arguments.join(", ");
    let class = type_name(&JavaType::class(&subject.name));
    let call = if invokable.is_constructor() {
        format!("new {class}({arguments})")
    } else if invokable.is_static {
        format!("{class}.{}({arguments})", invokable.reference.name)
    } else {
        format!("it.{}({arguments})", invokable.reference.name)
    };
    Some((lines.all, call))
}

fn type_name(ty: &JavaType) -> String {
    ty.to_string().replace('$', ".")
}

/// Statements that construct objects.
#[derive(Default)]
struct Lines {
    all: Vec<String>,
    made: usize,
}

impl Lines {
    fn maker(&mut self, made: &Construction) -> Option<String> {
        let of = match &made.of {
            Some(of) => Some(self.argument(&Arg::Make(of.clone()), None)?),
            None => None,
        };
        self.call(&made.maker, of.as_deref())
    }

    fn call(&mut self, call: &Invocation, receiver: Option<&str>) -> Option<String> {
        let arguments: Option<Vec<String>> =
            call.arguments.iter().map(|it| self.argument(it, receiver)).collect();
        let arguments = arguments?.join(", ");
        let reference = &call.invokable.reference;
        let class = type_name(&JavaType::class(&reference.class));
        Some(if call.invokable.is_constructor() {
            format!("new {class}({arguments})")
        } else if call.invokable.is_static {
            format!("{class}.{}({arguments})", reference.name)
        } else {
            format!("{}.{}({arguments})", receiver?, reference.name)
        })
    }

    fn argument(&mut self, argument: &Arg, receiver: Option<&str>) -> Option<String> {
        Some(match argument {
            Arg::Literal(Literal::Constant { class, field }) => {
                format!("{}.{field}", class.replace(['/', '$'], "."))
            }
            Arg::Literal(literal) => literal_text(literal),
            Arg::Receiver => receiver?.to_owned(),
            Arg::Array(ty, elements) => {
                let all: Option<Vec<String>> =
                    elements.iter().map(|it| self.argument(it, receiver)).collect();
                format!("new {}[] {{ {} }}", type_name(ty), all?.join(", "))
            }
            Arg::Make(made) => {
                let value = self.maker(made)?;
                if made.then.is_empty() {
                    return Some(value);
                }
                self.made += 1;
                let name = format!("made{}", self.made);
                self.all.push(format!("{} {name} = {value};", type_name(&made.maker.invokable.result)));
                for call in &made.then {
                    let call = self.call(call, Some(&name))?;
                    self.all.push(format!("{call};"));
                }
                name
            }
        })
    }
}
