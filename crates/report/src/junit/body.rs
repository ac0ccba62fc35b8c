//! The statements of one test: arrange, act, assert.

use super::assertions::{Claims, equal};
use super::chains::called;
use super::expressions::{Expression, Writer, signature};
use super::helpers::{ELEMENTS, STATE};
use super::operands::{answers, count_uses, is_repeatable, operands, reads};
use super::overloads::{is_subtype, unboxed};
use super::recorders::Recorder;
use super::variables::{VariableNames, invoked};
use crate::framework::Framework;
use crate::source::java;
use crate::source::tree::{Assert, Expr, Lambda, Stmt, TypeName};
use cupping_case::{
    Action, Assertion, Case, Expectation, ExpectedValue, FileAspect, JavaType, Literal, Operand, Outcome,
    Probe, Step, StubMethod, VarId,
};
use std::collections::BTreeMap;

/// Maximum length of an expression that is written in place of a variable, in characters.
const LONGEST_INLINED: usize = 60;

/// Methods of the JDK whose results have exactly their declared type, and that are inlined.
const PLAIN: [(&str, &str); 5] = [
    ("java/io/File", "toPath"),
    ("java/io/File", "toURI"),
    ("java/net/URI", "toURL"),
    ("java/io/File", "listFiles"),
    ("java/lang/String", "getBytes"),
];

/// The body of a test method.
#[derive(Clone)]
pub struct TestBody {
    /// Its statements: arrange, act and assert as paragraphs, or one paragraph if they are few.
    pub paragraphs: Vec<Vec<Stmt>>,
    /// The exceptions that the method must declare because a step declares checked ones.
    pub throws: Option<&'static str>,
}

/// Writes the statements of a case.
pub fn write(writer: &Writer<'_>, framework: Framework, case: &Case) -> TestBody {
    let mut statements = Statements {
        writer,
        case,
        claims: Claims { writer, framework },
        names: VariableNames::new(case),
        uses: count_uses(case),
        pending: Vec::new(),
        printed: None,
        thrown: None,
        recorders: Vec::new(),
        arrange: Vec::new(),
        act: Vec::new(),
        assert: Vec::new(),
    };
    statements.steps();
    statements.assertions();
    let throws = statements.throws();
    let Statements { arrange, act, assert, .. } = statements;
    let paragraphs = vec![arrange, act, assert];
    let few = paragraphs.iter().map(Vec::len).sum::<usize>() <= 3;
    let paragraphs = if few { vec![paragraphs.concat()] } else { paragraphs };
    TestBody { paragraphs, throws }
}

struct Statements<'w, 'a> {
    writer: &'w Writer<'a>,
    case: &'w Case,
    claims: Claims<'w, 'a>,
    names: VariableNames<'w>,
    uses: BTreeMap<VarId, usize>,
    /// Results used once, by the next step: they are inlined there.
    pending: Vec<(VarId, Expression)>,
    /// The variables of the printed text and of the exception.
    printed: Option<String>,
    thrown: Option<String>,
    /// The lists in which stubs record their calls.
    recorders: Vec<Recorder<'w>>,
    arrange: Vec<Stmt>,
    act: Vec<Stmt>,
    assert: Vec<Stmt>,
}

impl Statements<'_, '_> {
    fn steps(&mut self) {
        let Some((last, before)) = self.case.steps.split_last() else { return };
        self.capture_output(&Probe::PrintedToKept);
        for (at, step) in before.iter().enumerate() {
            if let Some((_, class)) = self.case.caught.iter().find(|(step, _)| *step == at) {
                let (class, body) = self.thrower(step, class);
                self.arrange.push(Stmt::Assert(Assert::Throws { class, body, variable: None }));
            } else if let Some(statement) = self.step(step) {
                self.arrange.push(statement);
            }
        }
        self.capture_output(&Probe::Printed);
        match &self.case.outcome {
            Outcome::Returned => {
                if let Some(statement) = self.step(last) {
                    self.act.push(statement);
                }
            }
            Outcome::Threw { class, message } => self.throwing(last, class, message.as_deref()),
        }
    }

    /// A step as a statement; `None` if its result waits to be inlined.
    fn step(&mut self, step: &Step) -> Option<Stmt> {
        if let (Action::TestFolder, Some(result)) = (&step.action, step.result) {
            self.names.give(result, super::folder::root(self.claims.framework).expr);
            return None;
        }
        if let (Action::NewArray { element, elements }, Some(result)) = (&step.action, step.result)
            && elements.is_empty()
            && super::folder::is_option(element)
            && self.uses.get(&result) == Some(&1)
            && self.is_rest(result)
        {
            self.names.give(result, Expr::name(""));
            return None;
        }
        if let Action::Implement { methods, .. } = &step.action
            && answers(methods)
                .any(|var| self.pending.iter().any(|(it, value)| *it == var && !is_repeatable(value)))
        {
            // All calls of a stub return the same object.
            self.declare_pending();
        }
        let waiting = self.waiting_after(&operands(&step.action));
        let mut expression = self.writer.action(&step.action, &|var| self.look_up(var));
        self.pending.truncate(waiting);
        if let (Action::Implement { methods, .. }, Some(stub)) = (&step.action, step.result) {
            self.record(stub, &mut expression.expr, methods);
        }
        let Some(result) = step.result.filter(|var| self.uses.contains_key(var)) else {
            self.declare_pending();
            return Some(self.as_statement(&step.action, expression.expr));
        };
        let used_once = self.uses.get(&result) == Some(&1) && self.names.get(result).is_none();
        if used_once && self.is_inlinable(step, &expression) {
            self.pending.push((result, expression));
            return None;
        }
        self.declare_pending();
        Some(self.declaration(result, expression))
    }

    /// Has a stub record the calls that are asserted.
    fn record(&mut self, stub: VarId, expression: &mut Expr, methods: &[StubMethod]) {
        let case = self.case;
        for assertion in &case.assertions {
            if self.recorders.iter().any(|it| it.is_read_by(&assertion.probe)) {
                continue;
            }
            let Some(mut recorder) = Recorder::of(stub, assertion) else { continue };
            recorder.name = self.names.free(&recorder.name, self.writer.names);
            self.declare_pending();
            self.arrange.push(recorder.declaration(self.writer));
            recorder.record(expression, methods);
            self.recorders.push(recorder);
        }
    }

    /// Whether a variable is passed as the variable arguments of a call, and may be omitted.
    fn is_rest(&self, var: VarId) -> bool {
        self.case.steps.iter().filter_map(|step| invoked(&step.action)).any(|(method, args)| {
            method.varargs
                && method.class.starts_with("java/nio/file/")
                && args.last() == Some(&Operand::Var(var))
        })
    }

    /// How many results continue to wait after a step that reads these variables. The waiting results that it reads
    /// must be the last ones, in their order: only then nothing is evaluated earlier or later than in the case.
    /// Otherwise all are declared.
    fn waiting_after(&mut self, reads: &[VarId]) -> usize {
        let is_pending = |var: &VarId| self.pending.iter().any(|(it, _)| it == var);
        let read: Vec<VarId> = reads.iter().copied().filter(is_pending).collect();
        let waiting = self.pending.len().saturating_sub(read.len());
        let last = &self.pending[waiting..];
        let in_order = last.iter().map(|(var, _)| *var).eq(read);
        let length: usize = last.iter().map(|(_, it)| java::text(&it.expr).len()).sum();
        if in_order && length <= LONGEST_INLINED {
            return waiting;
        }
        self.declare_pending();
        0
    }

    /// The arguments of `assertThrows` for a step: the class, as far as the test can name it, and the lambda.
    fn thrower(&mut self, step: &Step, class: &str) -> (TypeName, Lambda) {
        // Statements inside of the lambda may throw, too; only arrays and constants cannot.
        let reads = operands(&step.action);
        if self.pending.iter().any(|(_, it)| !it.expr.is_constant_array()) {
            self.declare_pending();
        }
        self.declare_unless_all_read(&reads);
        let expression = self.writer.action(&step.action, &|var| self.look_up(var));
        self.pending.clear();
        let unused = |ty: TypeName, value: Expr| Lambda::Block(vec![Stmt::Local(ty, "unused".into(), value)]);
        let body = match &step.action {
            Action::GetField { field, .. } => unused(self.writer.ty(&field.ty), expression.expr),
            Action::NewArray { .. } => unused(TypeName::lang("Object"), expression.expr),
            _ => Lambda::Value(Box::new(expression.expr)),
        };
        let is_accessible = self.writer.names.is_accessible(class);
        (self.writer.class(if is_accessible { class } else { "java/lang/Throwable" }), body)
    }

    /// The last step if it throws, inside of `assertThrows`.
    fn throwing(&mut self, step: &Step, class: &str, message: Option<&[u16]>) {
        let accessible = self.writer.names.is_accessible(class);
        let (named, body) = self.thrower(step, class);
        let shows_cause = self.case.assertions.iter().any(|it| it.probe == Probe::Cause);
        if accessible && message.is_none() && !shows_cause {
            self.act.push(Stmt::Assert(Assert::Throws { class: named, body, variable: None }));
            return;
        }
        let variable = self.names.free("thrown", self.writer.names);
        self.thrown = Some(variable.clone());
        let thrown = || Expr::name(&variable);
        self.act.push(Stmt::Assert(Assert::Throws { class: named, body, variable: Some(variable.clone()) }));
        if !accessible {
            let of = Expr::call(thrown(), "getClass", Vec::new());
            let name = Expr::call(of, "getName", Vec::new());
            self.assert.push(Stmt::Assert(equal(Expr::string(&class.replace('/', ".")), name)));
        }
        if let Some(message) = message {
            let text = Expr::Literal(Literal::String(message.into()));
            self.assert.push(Stmt::Assert(equal(text, Expr::call(thrown(), "getMessage", Vec::new()))));
        }
    }

    /// Replaces `System.out` by a stream of the test, if its output is asserted by this probe.
    fn capture_output(&mut self, probe: &Probe) {
        if !self.case.assertions.iter().any(|it| it.probe == *probe) {
            return;
        }
        self.declare_pending();
        let name = self.names.free("printed", self.writer.names);
        let bytes = self.writer.class("java/io/ByteArrayOutputStream");
        let made = Expr::new(bytes.clone(), Vec::new());
        self.arrange.push(Stmt::Local(bytes, name.clone(), made));
        let stream = Expr::new(self.writer.class("java/io/PrintStream"), vec![Expr::name(&name)]);
        let system = TypeName::lang("System");
        self.arrange.push(Stmt::Expr(Expr::static_call(system, "setOut", vec![stream])));
        self.printed = Some(name);
    }

    fn assertions(&mut self) {
        for assertion in &self.case.assertions {
            self.declare_unless_all_read(&reads(assertion));
            if let Probe::File { path, aspect } = &assertion.probe {
                let claim = self.claims.of_file(path, *aspect, &assertion.expectation);
                self.assert.push(Stmt::Assert(claim));
                continue;
            }
            let actual = self.probe(&assertion.probe);
            let pending = std::mem::take(&mut self.pending);
            let names = &self.names;
            let case = self.case;
            let env = |var: VarId| look_up(case, names, &pending, var);
            let claim = self.claims.claim(actual, &assertion.expectation, &env);
            self.assert.push(Stmt::Assert(claim));
        }
        self.declare_pending();
    }

    fn probe(&self, probe: &Probe) -> Expression {
        let env = |var: VarId| self.look_up(var);
        match probe {
            Probe::Var(var) => env(*var),
            Probe::Observer { receiver, method, arguments } => {
                let class = JavaType::class(&method.class);
                let receiver = self.writer.receiver(env(*receiver), &class);
                self.writer.call(receiver, method, arguments, &env)
            }
            Probe::Chain { of, members } => self.writer.chain(of.map(env), members, &env),
            Probe::Elements(var) => {
                let list = Expr::helper(ELEMENTS, vec![env(*var).expr]);
                Expression::of_class(list, "java/util/List")
            }
            Probe::Printed | Probe::PrintedToKept => {
                let printed = Expr::name(self.printed.as_deref().unwrap_or("printed"));
                Expression::of_class(Expr::call(printed, "toString", Vec::new()), "java/lang/String")
            }
            Probe::Cause => {
                let thrown = Expr::name(self.thrown.as_deref().unwrap_or("thrown"));
                Expression::of_class(Expr::call(thrown, "getCause", Vec::new()), "java/lang/Throwable")
            }
            // These are claimed without a variable.
            Probe::File { .. } => super::folder::root(self.claims.framework),
            Probe::Captured { argument, members } => {
                let recorder = self.recorders.iter().find(|it| it.is_read_by(probe));
                self.writer.chain(recorder.map(|it| it.element_of(argument.call)), members, &env)
            }
            Probe::Calls { .. } => {
                let recorder = self.recorders.iter().find(|it| it.is_read_by(probe));
                let name = recorder.map_or("calls", |it| &it.name);
                Expression::of_class(Expr::name(name), "java/util/List")
            }
            Probe::State { of, fields } => {
                let fields = fields.iter().map(|it| Expr::string(it));
                let arguments = std::iter::once(env(*of).expr).chain(fields).collect();
                Expression::of_class(Expr::helper(STATE, arguments), "java/lang/String")
            }
        }
    }

    fn look_up(&self, var: VarId) -> Expression {
        look_up(self.case, &self.names, &self.pending, var)
    }

    /// Declares the waiting results, unless all of them are read next.
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

    fn declaration(&mut self, var: VarId, expression: Expression) -> Stmt {
        let ty = variable_type(self.case, var);
        let is_made = expression.expr.is_creation();
        let value = match &expression.ty {
            Some(from)
                if ty.is_reference()
                    && !is_made
                    && is_subtype(self.writer.facts, from, &ty) != Some(true) =>
            {
                self.writer.fit(expression, &ty, false)
            }
            // Results of reflection are cast; boxes are unboxed (JLS §5.5).
            Some(from) if from.is_reference() && !ty.is_reference() => {
                Expr::cast(self.writer.ty(&ty), expression.expr)
            }
            Some(from) if !from.is_reference() && !ty.is_reference() && *from != ty => {
                self.writer.fit(expression, &ty, true)
            }
            _ => expression.expr,
        };
        match self.names.get(var) {
            Some(name) => Stmt::Expr(Expr::assign(name.clone(), value)),
            None => {
                let ty = self.writer.ty(&ty);
                Stmt::Local(ty, self.names.declare(var, self.writer.names), value)
            }
        }
    }

    /// As a statement; a read of a field or a new array is none by itself (JLS §14.8).
    fn as_statement(&mut self, action: &Action, value: Expr) -> Stmt {
        let ty = match action {
            Action::GetField { field, .. } => field.ty.clone(),
            Action::NewArray { element, .. } => JavaType::Array(Box::new(element.clone())),
            Action::Implement { interface, .. } => JavaType::class(interface),
            _ => return Stmt::Expr(value),
        };
        let name = self.names.free("unused", self.writer.names);
        Stmt::Local(self.writer.ty(&ty), name, value)
    }

    /// Results whose static type javac might infer differently (a type variable's) keep their variable.
    fn is_inlinable(&self, step: &Step, expression: &Expression) -> bool {
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
            // A lambda expression as an argument may fit several overloads.
            Action::Implement { .. }
            | Action::Allocate { .. }
            | Action::SetField { .. }
            | Action::SetElement { .. } => false,
        };
        sure && java::text(&expression.expr).len() <= LONGEST_INLINED
    }

    /// Whether a result is only compared in a way for which JUnit has a single method, whatever its type.
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
            Expectation::EqualsValue(ExpectedValue::Array { .. }) | Expectation::ArrayEquals(_) => {
                matches!(variable, JavaType::Array(_))
            }
            Expectation::NotNull
            | Expectation::EqualsValue(_)
            | Expectation::OneOf(_)
            | Expectation::DiffersFrom(_)
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
        let by_probes = self.case.assertions.iter().flat_map(|it| called(&it.probe));
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
    // A variable that no step creates does not compile, which certification reports.
    let name = names.get(var).cloned().unwrap_or_else(|| Expr::Name(format!("undefined{}", var.0)));
    Expression::of(name, variable_type(case, var))
}

fn variable_type(case: &Case, var: VarId) -> JavaType {
    let object = || JavaType::class("java/lang/Object");
    case.variables.get(var.0 as usize).map_or_else(object, |variable| variable.ty.clone())
}
