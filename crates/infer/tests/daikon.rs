//! Comparison with Daikon on StackAr and QueueAr (`fixtures/infer/daikon`): all true lines of Daikon's default
//! templates are inferred here or implied, and no line inferred here is false. The JDK decides both: `Space.java`
//! enumerates all states of an object with few values, and all pairs of small states for implication.

mod support;

use cupping_infer::output::java::{HELPERS, Style, Writer};
use cupping_infer::output::java_formulas::is_expressible;
use cupping_infer::{ExplorerLimits, Formula, InferOptions, InferenceOutcome, ProgramPoint, Subject};
use std::fs;
use support::{compile, fixtures, inferred, java, session};

/// A line of either.
struct Line {
    point: String,
    is_ours: bool,
    /// Whether it is said to be true.
    truth: bool,
    exact: bool,
    java: String,
    words: String,
}

/// `push(Object)`, as `Space` has it.
fn key(subject: &Subject, method: usize) -> String {
    let signature = subject.signature(method);
    let (name, parameters) = signature.split_once('(').expect("there are parameters");
    let types = parameters.trim_end_matches(')').split(", ");
    let types: Vec<&str> = types.filter_map(|it| it.split(' ').next()).collect();
    format!("{name}({})", types.join(","))
}

/// An expression in which `old(…)` refers to the object before the call.
fn with_past(text: &str) -> String {
    let Some(at) = text.find("old(") else { return text.to_owned() };
    let (head, tail) = (&text[..at], &text[at + 4..]);
    let mut depth = 1;
    let end = tail.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    let (inner, rest) = tail.split_at(end.expect("parentheses are closed"));
    format!("{head}({}){}", inner.replace("it.", "before."), with_past(&rest[1..]))
}

fn ours(subject: &Subject, outcome: &InferenceOutcome) -> Vec<Line> {
    let style = Style { this: "it", result: "result", old: "old", implies: None, quantifies: false };
    let line = |point: String, method: Option<usize>, formula: &Formula, exact: bool| {
        assert!(is_expressible(subject, formula), "{formula}");
        let java = Writer { subject, method, style, idle: &[] }.formula(formula).expect("Java says all");
        let java = with_past(&java).replace("java.util.Objects.equals(", "Space.same(");
        Line { point, is_ours: true, truth: true, exact, java, words: formula.to_string() }
    };
    let specification = &outcome.specification;
    let mut lines = Vec::new();
    for likely in &specification.clauses {
        let method = likely.point.method().and_then(|it| subject.find(it));
        let key = || key(subject, method.expect("it is there"));
        let point = match &likely.point {
            ProgramPoint::Class => "class".to_owned(),
            ProgramPoint::Entry(_) => format!("enter {}", key()),
            ProgramPoint::Exit(_) => format!("exit {}", key()),
        };
        // The state at entry is that before the call.
        let mut line = line(point, method, &likely.formula, false);
        if let ProgramPoint::Entry(_) = likely.point {
            line.java = line.java.replace("it.", "before.");
        }
        lines.push(line);
    }
    for throws in &specification.throws {
        let method = subject.find(&throws.method).expect("it is there");
        let point = format!("throws {} {}", throws.class.replace('/', "."), key(subject, method));
        let mut line = line(point, Some(method), &throws.condition, throws.exact);
        line.java = line.java.replace("it.", "before.");
        lines.push(line);
    }
    lines
}

fn theirs(name: &str) -> Vec<Line> {
    let file = fixtures().join(format!("daikon/{name}.txt"));
    let text = fs::read_to_string(file).expect("the fixture is there");
    let lines = text.lines().filter(|it| !it.starts_with('#'));
    lines
        .map(|it| {
            let parts: Vec<&str> = it.splitn(4, " | ").collect();
            let [point, truth, java, words] = parts[..] else { panic!("{it}: four parts are missing") };
            Line {
                point: point.to_owned(),
                is_ours: false,
                truth: truth == "true",
                exact: false,
                java: java.to_owned(),
                words: words.to_owned(),
            }
        })
        .collect()
}

/// The lines as a class.
fn lines_java(subject: &Subject, lines: &[Line]) -> String {
    let name = subject.simple_name();
    let of = |what: &dyn Fn(&Line) -> String| lines.iter().map(what).collect::<Vec<_>>().join(", ");
    let mut cases = String::new();
    for (at, line) in lines.iter().enumerate() {
        let method =
            (0..subject.methods.len()).find(|it| line.point.ends_with(&format!(" {}", key(subject, *it))));
        let mut body = format!("{name} before = ({name}) b; {name} it = ({name}) i; ");
        if let Some(method) = method {
            for (at, parameter) in subject.methods[method].parameters.iter().enumerate() {
                body += &format!("{} {} = ({}) a[{at}]; ", parameter.ty, parameter.name, parameter.ty);
            }
            let result = subject.methods[method].result.to_string();
            if line.point.starts_with("exit ")
                && result != "void"
                && !subject.methods[method].is_constructor()
            {
                body += &format!("{result} result = ({result}) r; ");
            }
        }
        cases += &format!(
            "    static boolean l{at}(Object b, Object i, Object[] a, Object r) {{ {body}return {}; }}\n",
            line.java
        );
    }
    let switch: String =
        (0..lines.len()).map(|it| format!("case {it}: return l{it}(b, i, a, r);\n")).collect();
    format!(
        "package subjects;\nimport java.util.*;\nclass Lines {{\n    static final int COUNT = {};\n    static final String[] PLACES = {{ {} \
         }};\n    static final boolean[] OURS = {{ {} }};\n    static final boolean[] EXACT = {{ {} }};\n    static boolean \
         holds(int line, Object b, Object i, Object[] a, Object r) {{\nswitch (line) {{\n{switch}default: throw new Error(); }} \
         }}\n{cases}{HELPERS}
    static boolean all(Object[] of, int from, int to, Object value) {{
        return Arrays.asList(of).subList(from, to).stream().allMatch(it -> it == value);
    }}
    static boolean none(Object[] of, int from, int to, Object value) {{
        return Arrays.asList(of).subList(from, to).stream().noneMatch(it -> it == value);
    }}
    static boolean equal(Object[] a, int from, int to, Object[] b, int begin) {{
        return Arrays.asList(a).subList(from, to).equals(Arrays.asList(b).subList(begin, begin + to - from));
    }}
    static boolean distinct(Object[] of, int from, int to) {{
        return new HashSet<>(Arrays.asList(of).subList(from, to)).size() == to - from;
    }}
}}\n",
        lines.len(),
        of(&|it| format!("{:?}", it.point)),
        of(&|it| it.is_ours.to_string()),
        of(&|it| it.exact.to_string()),
    )
}

/// Compares; what is wrong, and the figures.
fn compared(name: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let source = fixtures().join(format!("subjects/{name}.java"));
    compile(std::slice::from_ref(&source), "", folder.path());
    let limits = ExplorerLimits { paths: 0, executions: 3_000, each: 0, ..ExplorerLimits::default() };
    let options = InferOptions { limits, algebraic: false, min_confidence: 0.0, ..InferOptions::default() };
    let mut session = session(folder.path());
    let (lines, java_lines) =
        inferred(&mut session, &format!("subjects/{name}"), options, |subject, outcome| {
            let lines: Vec<Line> = ours(subject, outcome).into_iter().chain(theirs(name)).collect();
            let java = lines_java(subject, &lines);
            (lines, java)
        });
    // The same class without private members, so that lines can refer to its fields.
    let open = folder.path().join("open");
    fs::create_dir(&open).expect("a folder can be made");
    let text = fs::read_to_string(source).expect("it is there").replace("private ", "");
    fs::write(open.join(format!("{name}.java")), text).expect("it can be written");
    fs::write(open.join("Lines.java"), java_lines).expect("it can be written");
    fs::copy(fixtures().join("daikon/Space.java"), open.join("Space.java")).expect("it can be copied");
    let sources = [open.join(format!("{name}.java")), open.join("Lines.java"), open.join("Space.java")];
    compile(&sources, "", &open);
    let class = format!("subjects.{name}");
    let said = java(&["-ea"], &open.to_string_lossy(), &["subjects.Space", &class]).expect("it ends well");
    let mut wrong = Vec::new();
    let mut counts = [[0usize; 2]; 2];
    for row in said.lines().filter(|it| it.contains('\t')) {
        let parts: Vec<&str> = row.split('\t').collect();
        let line = &lines[parts[0].parse::<usize>().expect("a number")];
        let [held, broken, error, not_implied] = parts[1..] else { panic!("{row}") };
        counts[usize::from(line.is_ours)][usize::from(broken.is_empty())] += 1;
        let mut tell = |what: &str, example: &str| {
            wrong
                .push(format!("{name}: {}: {}: {what} {example}\n    {}", line.point, line.words, line.java));
        };
        if line.is_ours && !error.is_empty() {
            tell("it cannot be asked", error);
        }
        if held == "0" {
            tell("it is never asked", "");
        }
        if line.truth != broken.is_empty() {
            tell(if line.truth { "it is false:" } else { "it is true" }, broken);
        }
        if !line.is_ours && line.truth && !not_implied.is_empty() {
            tell("it does not follow:", not_implied);
        }
    }
    let figures = format!(
        "{name}: {} lines here, {} of them false; {} lines of Daikon's, {} of them false; {}\n",
        counts[1][0] + counts[1][1],
        counts[1][0],
        counts[0][0] + counts[0][1],
        counts[0][0],
        said.lines().next().unwrap_or_default(),
    );
    (wrong, figures)
}

#[test]
fn true_invariants_of_daikon_are_inferred_and_false_ones_are_not() {
    let mut figures = String::new();
    let mut wrong = Vec::new();
    for name in ["StackAr", "QueueAr"] {
        let (more, counted) = compared(name);
        wrong.extend(more);
        figures += &counted;
    }
    assert!(wrong.is_empty(), "{}\n{figures}", wrong.join("\n"));
    let file = fixtures().join("daikon/figures.txt");
    if std::env::var_os("CUPPING_BLESS").is_some() {
        fs::write(&file, &figures).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), figures);
}
