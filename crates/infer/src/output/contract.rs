//! The contract language: testcases for each method, with objects and values of an observed test, and clauses as the
//! conditions of a triple that always holds.

use super::java::{Style, Writer, helpers};
use super::java_formulas::is_expressible;
use crate::formula::Formula;
use crate::java_literals::{literal_text, simple};
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use crate::term::Term;
use crate::trace::{CallOutcome, Execution};
use crate::typing::type_of;
use cupping_case::{JavaType, Literal};
use std::collections::BTreeMap;

const STYLE: Style = Style { this: "it", result: "result", old: "old", implies: None, quantifies: false };
const OF_NEW: Style = Style { this: "result", ..STYLE };
/// Writes the testcases of a class.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let mut out = String::new();
    if let Some((package, _)) = subject.name.rsplit_once('/') {
        out += &format!("package {};\n\n", package.replace('/', "."));
    }
    out += &format!("test {} {{\n", subject.simple_name());
    let mut cases = String::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for method in (0..subject.methods.len()).filter(|it| !subject.is_of_subclass(*it)) {
        cases += &testcases(subject, outcome, method, &mut names);
    }
    let uses = helpers(&cases);
    if !uses.is_empty() {
        out += "    java {\n";
        out += &uses
            .lines()
            .map(|it| if it.is_empty() { "\n".into() } else { format!("        {it}\n") })
            .collect::<String>();
        out += "    }\n";
    }
    out + &cases + "}\n"
}

/// The testcases of a method: for calls that return, and for calls that throw. Together they cover all calls.
fn testcases(
    subject: &Subject,
    outcome: &InferenceOutcome,
    method: usize,
    names: &mut BTreeMap<String, usize>,
) -> String {
    let invokable = &subject.methods[method];
    let key = subject.key(method);
    let is_new = invokable.is_constructor();
    let writer =
        Writer { subject, method: Some(method), style: if is_new { OF_NEW } else { STYLE }, idle: &[] };
    let of = |point: &ProgramPoint| -> Vec<String> {
        let likely = outcome.specification.clauses.iter().filter(|it| it.point == *point);
        likely
            .map(|it| &it.formula)
            .filter(|it| is_expressible(subject, it) && !compares_identity(subject, method, it))
            .filter_map(|it| it.kind().contract(&writer))
            .collect()
    };
    let before = of(&ProgramPoint::Entry(key.clone()));
    // Exceptions with unknown conditions may occur at any time.
    let is_explained = |it: &Execution| match &it.ending {
        CallOutcome::Returned(_) => true,
        CallOutcome::Threw { class, .. } => outcome.specification.throws.iter().any(|throws| {
            throws.method == key
                && throws.exact
                && *throws.class == **class
                && exception_condition(subject, &writer, &throws.condition).is_some()
        }),
    };
    let all = outcome.explored.executions.iter().filter(|it| it.method == method);
    let manner = if all.clone().all(is_explained) { "always" } else { "always returning" };
    let (mut returns, mut throws) = (before.clone(), Vec::new());
    for clause in outcome.specification.throws.iter().filter(|it| it.method == key) {
        let Some(condition) = exception_condition(subject, &writer, &clause.condition) else { continue };
        returns.push(format!("!({condition})"));
        if before.is_empty() {
            throws.push((&*clause.class, condition));
        }
    }
    let mut after = of(&ProgramPoint::Exit(key));
    if !invokable.is_static {
        after.extend(of(&ProgramPoint::Class));
    }
    let simple_name = subject.simple_name();
    let plain =
        if is_new { format!("new{}", simple(&simple_name)) } else { invokable.reference.name.to_string() };
    let mut text = String::new();
    let mut add = |pre: &[String], thrown: Option<&str>, post: &[String]| {
        let is_wanted = |it: &Execution| match &it.ending {
            CallOutcome::Returned(_) => thrown.is_none(),
            CallOutcome::Threw { class, .. } => thrown == Some(&**class),
        };
        let Some((lines, call)) = setup(subject, outcome, method, &is_wanted) else { return };
        let count = names.entry(plain.clone()).or_insert(0);
        *count += 1;
        let name = if *count > 1 { format!("{plain}{count}") } else { plain.clone() };
        let ensured = match (thrown, post) {
            (Some(class), _) => format!("throws {}", class.replace(['/', '$'], ".")),
            (None, post) => format!("({})", conjunction(post, "                        ")),
        };
        let setup: String = lines.iter().map(|it| format!("        {it}\n")).collect();
        text += &format!(
            "\n    testcase {name} {manner} {{\n{setup}        ({}) requiredBy {call}\n                ensure {ensured};\n    }}\n",
            conjunction(pre, "                "),
        );
    };
    if !after.is_empty() {
        add(&returns, None, &after);
    }
    for (class, condition) in throws {
        add(&[condition], Some(class), &[]);
    }
    text
}

/// The condition of an exception: false if a value that it needs is missing.
fn exception_condition(subject: &Subject, writer: &Writer<'_>, condition: &Formula) -> Option<String> {
    let is_sayable = is_expressible(subject, condition) && condition.kind().contract(writer).is_some();
    if is_sayable { writer.alternatives(condition) } else { None }
}

/// Whether a formula compares elements before and after a call that are objects: those before may be copies.
fn compares_identity(subject: &Subject, method: usize, formula: &Formula) -> bool {
    let is_object = |it: &JavaType| it.is_reference() && !it.is_string();
    let is_of_objects = |it: &Term| match it {
        Term::Elements(array) => match type_of(subject, Some(method), array) {
            JavaType::Array(element) => is_object(&element),
            _ => false,
        },
        _ => false,
    };
    formula.any(is_of_objects) && formula.any(|it| matches!(it, Term::Old(_)))
}

/// Conditions that all hold.
fn conjunction(all: &[String], indent: &str) -> String {
    match all {
        [] => "true".to_owned(),
        all => {
            let all: Vec<String> = all.iter().map(|it| format!("({it})")).collect();
            all.join(&format!("\n{indent}&& "))
        }
    }
}

/// The statements before a triple, and its call, from a test that ended as wanted.
fn setup(
    subject: &Subject,
    outcome: &InferenceOutcome,
    method: usize,
    is_wanted: &dyn Fn(&Execution) -> bool,
) -> Option<(Vec<String>, String)> {
    let is_wanted = |it: &&Execution| it.method == method && is_wanted(it);
    let of_method: Vec<&Execution> = outcome.explored.executions.iter().filter(is_wanted).collect();
    let calls =
        |it: &Execution| it.test.as_ref().map_or(0, |it| it.receiver.as_ref().map_or(0, |it| it.calls()));
    let is_null = |it: &Arg| matches!(it, Arg::Literal(Literal::Null));
    let nulls = |it: &Execution| {
        it.test.as_ref().map_or(0, |it| it.call.arguments.iter().filter(|it| is_null(it)).count())
    };
    // Prefers the last of the tests with at most three calls before the last, so that its object contains something,
    // and one without `null`.
    let chosen = of_method
        .iter()
        .filter(|it| calls(it) <= 3)
        .max_by_key(|it| (std::cmp::Reverse(nulls(it)), calls(it)))
        .or(of_method.first())?;
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
    let invokable = &subject.methods[method];
    for (parameter, argument) in invokable.parameters.iter().zip(&test.call.arguments) {
        let (ty, name) = (type_name(&parameter.ty), &parameter.name);
        let value = lines.argument(argument, Some("it"))?;
        lines.all.push(format!("requirement {ty} {name} = {value};"));
        arguments.push(name.clone());
    }
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
            Arg::Implementation(it) => it.lambda()?,
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
