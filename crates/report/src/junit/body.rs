//! The statements of one test: arrange, act, assert.

use super::JunitVersion;
use super::assertions::Claims;
use super::expressions::{Expression, Writer, signature};
use super::hidden::STATE;
use super::overloads::{is_subtype, unboxed};
use super::variables::{VariableNames, invoked};
use cupping_case::{
    Action, Assertion, Case, Expectation, Expected, FileAspect, JavaType, Literal, Operand, Outcome, Probe,
    Step, StubMethod, StubResult, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Longest expression that is written in place of a variable, in characters.
const LONGEST_INLINED: usize = 60;

/// Methods of the JDK whose results have exactly the type that they declare, and that are written in place.
const PLAIN: [(&str, &str); 5] = [
    ("java/io/File", "toPath"),
    ("java/io/File", "toURI"),
    ("java/net/URI", "toURL"),
    ("java/io/File", "listFiles"),
    ("java/lang/String", "getBytes"),
];

/// Longest statement about a state that stands on one line.
const LONGEST_STATEMENT: usize = 100;

/// The body of a test method.
pub struct Body {
    /// Its lines, not indented; empty ones part arrange, act and assert.
    pub lines: Vec<String>,
    /// Methods of JUnit's assertion class that it calls.
    pub assertions: BTreeSet<&'static str>,
    /// What the method must declare, if a step declares checked exceptions.
    pub throws: Option<&'static str>,
}

/// Writes the statements of a case.
pub fn write(writer: &Writer<'_>, version: JunitVersion, case: &Case) -> Body {
    let claims = Claims { writer, version, imports: BTreeSet::new() };
    let mut statements = Statements {
        writer,
        case,
        claims,
        names: VariableNames::new(case),
        uses: count_uses(case),
        pending: Vec::new(),
        arrange: Vec::new(),
        act: Vec::new(),
        assert: Vec::new(),
    };
    statements.steps();
    statements.assertions();
    let throws = statements.throws();
    let Statements { claims, arrange, act, assert, .. } = statements;
    Body { lines: part(arrange, act, assert), assertions: claims.imports, throws }
}

struct Statements<'w, 'a> {
    writer: &'w Writer<'a>,
    case: &'w Case,
    claims: Claims<'w, 'a>,
    names: VariableNames<'w>,
    uses: BTreeMap<VarId, usize>,
    /// Results used once, by the step that comes next: written in place there.
    pending: Vec<(VarId, Expression)>,
    arrange: Vec<String>,
    act: Vec<String>,
    assert: Vec<String>,
}

impl Statements<'_, '_> {
    fn steps(&mut self) {
        let Some((last, before)) = self.case.steps.split_last() else { return };
        for step in before {
            if let Some(statement) = self.step(step) {
                self.arrange.push(statement);
            }
        }
        match &self.case.outcome {
            Outcome::Returned => {
                if let Some(statement) = self.step(last) {
                    self.act.push(statement);
                }
            }
            Outcome::Threw { class, message } => self.throwing(last, class, message.as_deref()),
        }
    }

    /// A step as a statement; `None` if its result waits to be written in place.
    fn step(&mut self, step: &Step) -> Option<String> {
        if let (Action::TestFolder, Some(result)) = (&step.action, step.result) {
            self.names.give(result, super::folder::root(self.claims.version).text);
            return None;
        }
        if let (Action::NewArray { element, elements }, Some(result)) = (&step.action, step.result)
            && elements.is_empty()
            && super::folder::is_option(element)
            && self.uses.get(&result) == Some(&1)
            && self.is_rest(result)
        {
            self.names.give(result, String::new());
            return None;
        }
        let waiting = self.waiting_after(&operands(&step.action));
        let expression = self.writer.action(&step.action, &|var| self.look_up(var));
        self.pending.truncate(waiting);
        let Some(result) = step.result.filter(|var| self.uses.contains_key(var)) else {
            self.declare_pending();
            return Some(self.as_statement(&step.action, &expression.text));
        };
        let used_once = self.uses.get(&result) == Some(&1) && self.names.get(result).is_none();
        if used_once && self.may_stand_inline(step, &expression) {
            self.pending.push((result, expression));
            return None;
        }
        self.declare_pending();
        Some(self.declaration(result, expression))
    }

    /// Whether a variable is what a call is given in place of the rest of its arguments, and may be left out.
    fn is_rest(&self, var: VarId) -> bool {
        self.case.steps.iter().filter_map(|step| invoked(&step.action)).any(|(method, args)| {
            method.varargs
                && method.class.starts_with("java/nio/file/")
                && args.last() == Some(&Operand::Var(var))
        })
    }

    /// How many results wait on after a step that reads these variables. What it reads of those that wait must
    /// be the last ones, in their order: only then is nothing evaluated earlier or later than the case says.
    /// Otherwise all are declared.
    fn waiting_after(&mut self, reads: &[VarId]) -> usize {
        let is_pending = |var: &VarId| self.pending.iter().any(|(it, _)| it == var);
        let read: Vec<VarId> = reads.iter().copied().filter(is_pending).collect();
        let waiting = self.pending.len().saturating_sub(read.len());
        let last = &self.pending[waiting..];
        let in_order = last.iter().map(|(var, _)| *var).eq(read);
        let length: usize = last.iter().map(|(_, expression)| expression.text.len()).sum();
        if in_order && length <= LONGEST_INLINED {
            return waiting;
        }
        self.declare_pending();
        0
    }

    /// The last step where it throws, inside `assertThrows`.
    fn throwing(&mut self, step: &Step, class: &str, message: Option<&[u16]>) {
        // What is done inside the lambda may throw as well; only arrays and constants cannot.
        let reads = operands(&step.action);
        if self
            .pending
            .iter()
            .any(|(_, expression)| !expression.text.starts_with("new ") || expression.text.contains('('))
        {
            self.declare_pending();
        }
        self.declare_unless_all_read(&reads);
        let expression = self.writer.action(&step.action, &|var| self.look_up(var));
        self.pending.clear();
        let body = match &step.action {
            Action::GetField { field, .. } => {
                format!("{{ {} unused = {}; }}", self.writer.names.ty(&field.ty), expression.text)
            }
            Action::NewArray { .. } => format!("{{ Object unused = {}; }}", expression.text),
            _ => expression.text,
        };
        let accessible = self.writer.names.is_accessible(class);
        let named = if accessible { class } else { "java/lang/Throwable" };
        let named = self.writer.names.class(named);
        self.claims.imports.insert("assertThrows");
        let thrown = format!("assertThrows({named}.class, () -> {body});");
        if accessible && message.is_none() {
            self.act.push(thrown);
            return;
        }
        let variable = self.names.free("thrown", self.writer.names);
        self.act.push(format!("{named} {variable} = {thrown}"));
        if !accessible {
            let binary = format!("\"{}\"", class.replace('/', "."));
            let name = self
                .claims
                .statement("assertEquals", &[&binary, &format!("{variable}.getClass().getName()")]);
            self.assert.push(name);
        }
        if let Some(message) = message {
            let text = super::literals::string(message);
            let claim = self.claims.statement("assertEquals", &[&text, &format!("{variable}.getMessage()")]);
            self.assert.push(claim);
        }
    }

    fn assertions(&mut self) {
        for assertion in &self.case.assertions {
            self.declare_unless_all_read(&reads(assertion));
            if let Probe::File { path, aspect } = &assertion.probe {
                let statement = self.claims.of_file(path, *aspect, &assertion.expectation);
                self.assert.push(statement);
                continue;
            }
            let actual = self.probe(&assertion.probe);
            let pending = std::mem::take(&mut self.pending);
            let names = &self.names;
            let case = self.case;
            let env = |var: VarId| look_up(case, names, &pending, var);
            let mut statement = self.claims.claim(actual, &assertion.expectation, &env);
            if statement.len() > LONGEST_STATEMENT && matches!(assertion.probe, Probe::State { .. }) {
                statement = statement.replace(&format!(", {STATE}("), &format!(",\n        {STATE}("));
            }
            self.assert.push(statement);
        }
        self.declare_pending();
    }

    fn probe(&self, probe: &Probe) -> Expression {
        let env = |var: VarId| self.look_up(var);
        match probe {
            Probe::Var(var) => env(*var),
            Probe::Observer { receiver, method } => {
                let class = JavaType::class(&method.class);
                let receiver = self.writer.receiver(env(*receiver), &class);
                self.writer.call(&receiver, method, &[], &env)
            }
            Probe::StaticObserver(method) => {
                let class = self.writer.names.class(&method.class);
                self.writer.call(&class, method, &[], &env)
            }
            // These are claimed without a variable.
            Probe::File { .. } => super::folder::root(self.claims.version),
            Probe::State { of, fields } => {
                let fields: Vec<String> = fields.iter().map(|it| format!(", \"{it}\"")).collect();
                let text = format!("{STATE}({}{})", env(*of).text, fields.concat());
                Expression::primary(text, JavaType::class("java/lang/String"))
            }
        }
    }

    fn look_up(&self, var: VarId) -> Expression {
        look_up(self.case, &self.names, &self.pending, var)
    }

    /// Declares what waits, unless all of it is read next.
    fn declare_unless_all_read(&mut self, reads: &[VarId]) {
        if self.waiting_after(reads) > 0 {
            self.declare_pending();
        }
    }

    fn declare_pending(&mut self) {
        for (var, expression) in std::mem::take(&mut self.pending) {
            let from_last = self.case.steps.last().is_some_and(|step| step.result == Some(var));
            let declaration = self.declaration(var, expression);
            let part = if from_last { &mut self.act } else { &mut self.arrange };
            part.push(declaration);
        }
    }

    fn declaration(&mut self, var: VarId, expression: Expression) -> String {
        let ty = variable_type(self.case, var);
        let is_made = expression.text.starts_with("new ");
        let value = match &expression.ty {
            Some(from)
                if ty.is_reference()
                    && !is_made
                    && is_subtype(self.writer.facts, from, &ty) != Some(true) =>
            {
                self.writer.fit(expression, &ty, false)
            }
            // What reflection gives is cast, boxes to what is in them too (JLS §5.5).
            Some(from) if from.is_reference() && !ty.is_reference() => {
                format!("({}) {}", self.writer.names.ty(&ty), expression.text)
            }
            Some(from) if !from.is_reference() && !ty.is_reference() && *from != ty => {
                self.writer.fit(expression, &ty, true)
            }
            _ => expression.text,
        };
        match self.names.get(var) {
            Some(name) => format!("{name} = {value};"),
            None => {
                let ty = self.writer.names.ty(&ty);
                let name = self.names.declare(var, self.writer.names);
                format!("{ty} {name} = {value};")
            }
        }
    }

    /// A read of a field or a new array is no statement by itself (JLS §14.8).
    fn as_statement(&mut self, action: &Action, text: &str) -> String {
        let ty = match action {
            Action::GetField { field, .. } => field.ty.clone(),
            Action::NewArray { element, .. } => JavaType::Array(Box::new(element.clone())),
            Action::Implement { interface, .. } => JavaType::class(interface),
            _ => return format!("{text};"),
        };
        let name = self.names.free("unused", self.writer.names);
        format!("{} {name} = {text};", self.writer.names.ty(&ty))
    }

    /// Results whose static type javac might infer to be another one (a type variable's) keep their variable.
    fn may_stand_inline(&self, step: &Step, expression: &Expression) -> bool {
        let sure = match &step.action {
            action if self.writer.is_by_reflection(action) => false,
            Action::Construct { .. } | Action::NewArray { .. } | Action::GetField { .. } => true,
            Action::Invoke { method, .. } | Action::InvokeStatic { method, .. } => {
                let (_, result) = signature(method);
                let own = JavaType::class(&self.case.under_test.class);
                !result.is_reference()
                    || result.is_string()
                    || unboxed(&result).is_some()
                    || result == own
                    || self.is_claimed_as_object(step)
                    || PLAIN.iter().any(|(class, name)| *method.class == **class && *method.name == **name)
            }
            Action::TestFolder => true,
            // A lambda expression in the place of an argument may fit several methods of a name.
            Action::Implement { .. }
            | Action::Allocate { .. }
            | Action::SetField { .. }
            | Action::SetElement { .. } => false,
        };
        sure && expression.text.len() <= LONGEST_INLINED
    }

    /// Whether a result is only compared in a way for which JUnit has but one method, whatever its type.
    fn is_claimed_as_object(&self, step: &Step) -> bool {
        let Some(Assertion { probe: Probe::Var(var), expectation }) = self.case.assertions.first() else {
            return false;
        };
        let variable = variable_type(self.case, *var);
        let one_method = match expectation {
            Expectation::Equals(literal) | Expectation::Differs(literal) => matches!(
                literal,
                Literal::Null | Literal::String(_) | Literal::Class(_) | Literal::Constant { .. }
            ),
            Expectation::EqualsValue(Expected::Array { .. }) | Expectation::ArrayEquals(_) => {
                matches!(variable, JavaType::Array(_))
            }
            Expectation::NotNull
            | Expectation::EqualsValue(_)
            | Expectation::OneOf(_)
            | Expectation::Same(_)
            | Expectation::InstanceOf(_)
            | Expectation::InFolder(_) => true,
        };
        one_method && step.result == Some(*var) && variable.is_reference()
    }

    fn throws(&self) -> Option<&'static str> {
        let lambda = matches!(self.case.outcome, Outcome::Threw { .. });
        let steps = self.case.steps.len() - usize::from(lambda && !self.case.steps.is_empty());
        let shows_state = self.case.assertions.iter().any(|it| matches!(it.probe, Probe::State { .. }));
        if shows_state || self.writer.has_hidden(self.case, steps) {
            return Some("Throwable");
        }
        let by_steps =
            self.case.steps[..steps].iter().filter_map(|step| invoked(&step.action)).map(|(it, _)| it);
        let by_probes = self.case.assertions.iter().filter_map(|assertion| match &assertion.probe {
            Probe::Observer { method, .. } | Probe::StaticObserver(method) => Some(method),
            Probe::Var(_) | Probe::State { .. } | Probe::File { .. } => None,
        });
        let declared: Vec<&str> =
            by_steps.chain(by_probes).flat_map(|method| &method.throws).map(|class| &**class).collect();
        let reads_files =
            self.case.assertions.iter().any(|it| {
                matches!(it.probe, Probe::File { aspect: FileAspect::Text | FileAspect::Bytes, .. })
            });
        match declared.as_slice() {
            [] if reads_files => Some("Exception"),
            [] => None,
            some if some.contains(&"java/lang/Throwable") => Some("Throwable"),
            _ => Some("Exception"),
        }
    }
}

fn look_up(
    case: &Case,
    names: &VariableNames<'_>,
    pending: &[(VarId, Expression)],
    var: VarId,
) -> Expression {
    if let Some((_, expression)) = pending.iter().find(|(it, _)| *it == var) {
        return expression.clone();
    }
    // A variable that no step made does not compile, and certification says so.
    let name = names.get(var).map_or_else(|| format!("undefined{}", var.0), str::to_string);
    Expression::primary(name, variable_type(case, var))
}

fn variable_type(case: &Case, var: VarId) -> JavaType {
    let object = || JavaType::class("java/lang/Object");
    case.variables.get(var.0 as usize).map_or_else(object, |variable| variable.ty.clone())
}

/// Variables that an action reads, in the order in which Java evaluates them.
fn operands(action: &Action) -> Vec<VarId> {
    let all: Vec<&Operand> = match action {
        Action::Construct { args, .. } | Action::InvokeStatic { args, .. } => args.iter().collect(),
        Action::Invoke { receiver, args, .. } => std::iter::once(receiver).chain(args).collect(),
        Action::NewArray { elements, .. } => elements.iter().collect(),
        Action::Implement { methods, .. } => methods.iter().filter_map(stub_value).collect(),
        Action::Allocate { .. } | Action::TestFolder => Vec::new(),
        Action::GetField { receiver, .. } => receiver.iter().collect(),
        Action::SetField { receiver, value, .. } => receiver.iter().chain([value]).collect(),
        Action::SetElement { array, value, .. } => vec![array, value],
    };
    all.into_iter()
        .filter_map(|operand| match operand {
            Operand::Var(var) => Some(*var),
            Operand::Literal(_) => None,
        })
        .collect()
}

fn stub_value(method: &StubMethod) -> Option<&Operand> {
    match &method.result {
        StubResult::Value(operand) => Some(operand),
        StubResult::Nothing | StubResult::Parameter(_) => None,
    }
}

fn reads(assertion: &Assertion) -> Vec<VarId> {
    let probed = match &assertion.probe {
        Probe::Var(var) => Some(*var),
        Probe::Observer { receiver, .. } => Some(*receiver),
        Probe::State { of, .. } => Some(*of),
        Probe::StaticObserver(_) | Probe::File { .. } => None,
    };
    let same = match &assertion.expectation {
        Expectation::Same(other) => Some(*other),
        _ => None,
    };
    same.into_iter().chain(probed).collect()
}

fn count_uses(case: &Case) -> BTreeMap<VarId, usize> {
    let by_steps = case.steps.iter().flat_map(|step| operands(&step.action));
    let by_assertions = case.assertions.iter().flat_map(reads);
    let mut uses = BTreeMap::new();
    for var in by_steps.chain(by_assertions) {
        *uses.entry(var).or_insert(0) += 1;
    }
    uses
}

/// Blank lines between the three parts, where the whole is longer than three statements.
fn part(arrange: Vec<String>, act: Vec<String>, assert: Vec<String>) -> Vec<String> {
    let apart = arrange.len() + act.len() + assert.len() > 3;
    let mut lines: Vec<String> = Vec::new();
    for group in [arrange, act, assert] {
        if apart && !group.is_empty() && !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(group.iter().flat_map(|statement| statement.lines()).map(str::to_owned));
    }
    lines
}
