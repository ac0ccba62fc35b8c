//! A specification that is ready: read, looked up in the class files, its formulas resolved.

use crate::classes::{Finder, Values, is_floating, simple_name};
use crate::error::{Error, other, wrong};
use crate::header::{self, Header, MethodLine};
use crate::model::{Modelled, Parameter, Plan};
use cupping_classfile::{ClassFile, Program};
use cupping_relation::syntax::ast::Module;
use cupping_relation::syntax::{parse_expression, parse_module, parse_scope};
use cupping_relation::{Condition, Garbage, Model, Problem, Scope, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The method under test, by its class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Internal name of the class that declares it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it has no receiver.
    pub is_static: bool,
}

/// Which part of a specification a conjunct is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// `fact` and what declarations say.
    Fact,
    /// `invariant`
    Invariant,
    /// `pre`
    Pre,
    /// `post`
    Post,
}

impl Part {
    /// As reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Fact => "fact",
            Part::Invariant => "invariant",
            Part::Pre => "precondition",
            Part::Post => "postcondition",
        }
    }
}

/// A conjunct of the specification.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// Of which part.
    pub part: Part,
    /// It.
    pub condition: Condition,
}

/// A specification of a method.
#[derive(Debug)]
pub struct Specification {
    /// Its file, as messages name it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its header.
    pub header: Header,
    /// The method, unless instances are only shown or counted.
    pub target: Option<Target>,
    /// What the model is about.
    pub plan: Plan,
    /// The model of inputs.
    pub before: Modelled,
    /// The model of inputs and outputs.
    pub after: Modelled,
    /// What inputs satisfy: invariants, then preconditions.
    pub required: Vec<Conjunct>,
    /// What outcomes are to satisfy: postconditions, then invariants.
    pub promised: Vec<Conjunct>,
    /// The scope.
    pub scope: Scope,
    /// What the user should know.
    pub notes: Vec<String>,
    module: Module,
}

/// The name of constructors in class files.
const CONSTRUCTOR: &str = "<init>";

/// Sections with a meaning of their own.
const SECTIONS: [&str; 3] = ["invariant", "pre", "post"];

impl Specification {
    /// Reads a specification; a scope given beside it replaces that of the file.
    pub fn read(
        file: &str,
        text: &str,
        program: &Program,
        scope: Option<&str>,
    ) -> Result<Specification, Error> {
        Specification::beside(file, text, program, scope, false)
    }

    /// The same; if `beside`, an object of the class is there where a static method runs, too.
    pub(crate) fn beside(
        file: &str,
        text: &str,
        program: &Program,
        scope: Option<&str>,
        beside: bool,
    ) -> Result<Specification, Error> {
        let (header, rest) = header::read(text)?;
        let module = parse_module(&rest)?;
        if header.class.text.is_empty() {
            return Err(wrong(
                Span { start: 0, end: text.find('\n').unwrap_or(text.len()) },
                "the specification names no class",
                "begin it with a line `class NAME`",
            ));
        }
        let abstracts = header.concretization.is_some();
        let mut finder = Finder::new(program, &header, text);
        let class = finder.class_named(&header.class)?;
        let mut plan = Plan::default();
        let mut target = None;
        if !abstracts {
            finder.start(&class)?;
            plan.receiver = Some(class.name.to_string());
        }
        if let Some(line) = &header.method {
            let (declaring, at) = method(program, &class, line)?;
            let found = &declaring.methods[at];
            let is_static = found.access.is_static();
            plan.constructs = *found.name == *CONSTRUCTOR;
            if is_static && !beside || plan.constructs {
                plan.receiver = None;
            }
            if plan.constructs && declaring.access.is_abstract() {
                let help = "name a class below it";
                return Err(wrong(
                    line.name.span,
                    "the class is abstract: nothing is made by its constructor alone",
                    help,
                ));
            }
            target = Some(Target {
                class: declaring.name.to_string(),
                name: found.name.to_string(),
                descriptor: found.descriptor.to_string(),
                is_static,
            });
            if !abstracts {
                call(&mut finder, &mut plan, &header, line, &declaring, at)?;
            }
        }
        for phrase in &header.throws {
            plan.throws.push(finder.class_named(phrase)?.name.to_string());
        }
        plan.classes = if abstracts { Default::default() } else { finder.finish()? };
        let before = Modelled::build(&plan, &module, false)?;
        let after = Modelled::build(&plan, &module, true)?;
        let conjuncts = |modelled: &Modelled, part: Part, name: &str| -> Result<Vec<Conjunct>, Error> {
            let mut all = Vec::new();
            for section in modelled.model.sections(name) {
                let condition = modelled.condition(section)?;
                all.extend(condition.conjuncts().into_iter().map(|condition| Conjunct { part, condition }));
            }
            Ok(all)
        };
        // Before a constructor there is no object that an invariant could be of.
        let invariant = if plan.constructs { "" } else { "invariant" };
        let mut required = conjuncts(&before, Part::Invariant, invariant)?;
        required.extend(conjuncts(&before, Part::Pre, "pre")?);
        let mut promised = conjuncts(&after, Part::Post, "post")?;
        promised.extend(conjuncts(&after, Part::Invariant, "invariant")?);
        let mut notes = plan.classes.notes.clone();
        for name in before.model.section_names().filter(|it| !SECTIONS.contains(it)) {
            notes.push(format!("`{name}` is no part of the check; the parts are invariant, pre and post"));
        }
        if target.is_some() && promised.is_empty() {
            notes.push("there is no postcondition: only exceptions and runs without an end are found".into());
        }
        notes.extend(floating(&plan));
        let scope = read_scope(&before.model, &header, scope)?;
        Ok(Specification {
            file: file.to_owned(),
            text: text.to_owned(),
            header,
            target,
            plan,
            before,
            after,
            required,
            promised,
            scope,
            notes,
            module,
        })
    }

    /// Whether the method under test is a constructor.
    pub fn constructs(&self) -> bool {
        self.plan.constructs
    }

    /// Whether inputs are made and outcomes read by methods of the user's.
    pub fn is_abstract(&self) -> bool {
        self.header.concretization.is_some()
    }

    /// Whether atoms count that nothing leads to.
    pub fn garbage(&self) -> Garbage {
        if self.is_abstract() { Garbage::Kept } else { Garbage::None }
    }

    /// The search for inputs.
    pub fn problem(&self) -> Result<Problem, Error> {
        let conjuncts: Vec<&Condition> = self.required.iter().map(|it| &it.condition).collect();
        self.problem_of(&conjuncts, &[])
    }

    /// The search for what satisfies these conjuncts, and more.
    pub fn problem_of(&self, conjuncts: &[&Condition], more: &[Condition]) -> Result<Problem, Error> {
        let mut all = self.before.always.clone();
        all.extend(conjuncts.iter().map(|it| (*it).clone()));
        all.extend(more.iter().cloned());
        Ok(Problem::new(&self.before.model, &self.scope, &all, self.garbage())?)
    }

    /// A formula by name (of a section, predicate or assertion), or as it is written.
    pub fn formula(&self, text: &str) -> Result<Condition, Error> {
        let sections: Vec<Condition> =
            self.before.model.sections(text).map(|it| self.before.condition(it)).collect::<Result<_, _>>()?;
        if !sections.is_empty() {
            return Ok(self.before.model.conjunction(&sections));
        }
        let expr = parse_expression(text)?;
        for paragraph in &self.module.paragraphs {
            use cupping_relation::syntax::ast::Paragraph;
            match paragraph {
                Paragraph::Assert(Some(name), body) if name.text == text => {
                    return self.before.condition(body);
                }
                // A predicate with a receiver is meant of `this`.
                Paragraph::Function(it)
                    if it.name.text == text && it.receiver.is_some() && it.parameters.is_empty() =>
                {
                    let call = parse_expression(&format!("this.{text}[]"))?;
                    return self.before.condition(&call);
                }
                _ => {}
            }
        }
        self.before.condition(&expr)
    }

    /// The words of the specification at a place, on one line.
    pub fn words(&self, span: Span) -> String {
        let text = self.text.get(span.start..span.end).unwrap_or_default();
        let lines = text.lines().map(|it| it.split("//").next().unwrap_or_default());
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    /// The line of a place, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        1 + self.text.get(..span.start).unwrap_or_default().matches('\n').count()
    }

    /// The comment just above a conjunct, if there is one: what its author calls it.
    pub fn comment(&self, span: Span) -> Option<String> {
        let line = self.line(span);
        let before = self.text.lines().nth(line.checked_sub(2)?)?.trim();
        let comment = before.strip_prefix("//")?.trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }
}

/// What is said of numbers that need be no integers.
fn floating(plan: &Plan) -> Option<String> {
    let fields = plan.classes.classes.values().flat_map(|it| &it.fields);
    let fields = fields.filter(|it| is_floating(&it.descriptor, &it.values)).map(|it| it.name.as_str());
    let parameters = plan.parameters.iter().filter(|it| is_floating(&it.descriptor, &it.values));
    let names: BTreeSet<&str> = fields.chain(parameters.map(|it| it.name.as_str())).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty())
        .then(|| format!("of floating-point numbers, integers within the scope are tried: {names}"))
}

fn read_scope(model: &Model, header: &Header, given: Option<&str>) -> Result<Scope, Error> {
    let shifted = |error: cupping_relation::Error| match (given, &header.scope) {
        (Some(given), _) => Error::Other(format!("--scope {given}: {}", error.message)),
        (None, Some(phrase)) => {
            let at = phrase.span.start;
            let span = Span { start: error.span.start + at, end: error.span.end + at };
            Error::Specification(cupping_relation::Error { span, ..error })
        }
        (None, None) => Error::Specification(error),
    };
    let mut scope = match given.or(header.scope.as_ref().map(|it| it.text.as_str())) {
        None => Scope::default(),
        Some(text) => {
            let (default, items) = parse_scope(text).map_err(shifted)?;
            Scope::from_items(model, default, &items).map_err(shifted)?
        }
    };
    scope.texts = header.strings.clone();
    Ok(scope)
}

/// The method that a line names: in the class or above it.
fn method(
    program: &Program,
    class: &Arc<ClassFile>,
    line: &MethodLine,
) -> Result<(Arc<ClassFile>, usize), Error> {
    // A constructor is called as its class is.
    let is_named = class.methods.iter().any(|it| *it.name == *line.name.text);
    let constructs = !is_named && line.name.text == simple_name(&class.name);
    let wanted = if constructs { CONSTRUCTOR } else { &line.name.text };
    let mut at = Some(class.clone());
    let mut seen = Vec::new();
    while let Some(class) = at {
        let mut fitting = Vec::new();
        for (index, method) in class.methods.iter().enumerate() {
            if *method.name != *wanted || method.access.is_bridge() || method.access.is_synthetic() {
                continue;
            }
            let types = parameter_types(&method.descriptor);
            let shown: Vec<String> = types.iter().map(|it| crate::classes::shown_type(it)).collect();
            seen.push(format!("{}({})", line.name.text, shown.join(", ")));
            let fits = line.parameters.as_ref().is_none_or(|wanted| {
                wanted.len() == shown.len()
                    && wanted.iter().zip(&shown).all(|((ty, _), shown)| {
                        let ty = ty.rsplit('.').next().unwrap_or(ty).replace("...", "[]");
                        // A type variable is erased to its bound, which the author does not write.
                        ty == *shown || ty.len() == 1 && !crate::classes::shown_type(shown).is_empty()
                    })
            });
            if fits {
                fitting.push(index);
            }
        }
        match fitting[..] {
            [one] => return Ok((class, one)),
            [] => {}
            _ => {
                return Err(wrong(
                    line.name.span,
                    &format!("there are several methods {}", line.name.text),
                    &format!("write its parameters: {}", seen.join(", ")),
                ));
            }
        }
        at = match &class.super_name {
            Some(name) if wanted != CONSTRUCTOR => program.find(name).map_err(other)?,
            _ => None,
        };
    }
    let help = match &seen[..] {
        [] => "the name is that of a method of the class or of one above it".to_owned(),
        _ => format!("there is {}", seen.join(", ")),
    };
    Err(wrong(line.name.span, &format!("{} has no such method", class.name.replace('/', ".")), &help))
}

/// The descriptors of a method's parameters.
pub fn parameter_types(descriptor: &str) -> Vec<String> {
    let inner = descriptor.trim_start_matches('(').split(')').next().unwrap_or_default();
    let mut types = Vec::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let base = &rest[dimensions..];
        let length = if base.starts_with('L') { base.find(';').map_or(base.len(), |it| it + 1) } else { 1 };
        let end = (dimensions + length).min(rest.len());
        types.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    types
}

/// Parameters and result of the method.
fn call(
    finder: &mut Finder,
    plan: &mut Plan,
    header: &Header,
    line: &MethodLine,
    declaring: &ClassFile,
    at: usize,
) -> Result<(), Error> {
    let method = &declaring.methods[at];
    let actual = |name: &str| header.types.iter().find(|it| it.of.text == name).map(|it| &it.types[..]);
    let names = parameter_names(declaring, at);
    for (number, descriptor) in parameter_types(&method.descriptor).into_iter().enumerate() {
        let written = line.parameters.as_ref().and_then(|it| it.get(number)).and_then(|it| it.1.clone());
        let name =
            written.or_else(|| names.get(number).cloned().flatten()).unwrap_or_else(|| format!("p{number}"));
        let values = finder.values(&descriptor, actual(&name))?.map_err(|why| {
            wrong(
                line.name.span,
                &format!("the parameter {name} cannot be modelled: {why}"),
                &format!("give its actual type: `type {name}: Integer`"),
            )
        })?;
        plan.parameters.push(Parameter { name, descriptor, values });
    }
    if *method.name == *CONSTRUCTOR {
        let values = vec![Values::Objects(declaring.name.to_string())];
        plan.result = Some((format!("L{};", declaring.name), values));
        return Ok(());
    }
    let result = method.descriptor.rsplit(')').next().unwrap_or("V");
    if result != "V" {
        let values = finder.values(result, actual("result"))?;
        plan.result = values.ok().map(|it| (result.to_owned(), it));
    }
    Ok(())
}

/// Names of parameters, where the class file has them.
fn parameter_names(class: &ClassFile, at: usize) -> Vec<Option<String>> {
    let method = &class.methods[at];
    let declared: Vec<Option<String>> = method
        .parameters
        .iter()
        .filter(|it| !it.access.is_synthetic() && !it.access.is_mandated())
        .map(|it| it.name.as_ref().map(ToString::to_string))
        .collect();
    let types = parameter_types(&method.descriptor);
    if declared.len() == types.len() && !types.is_empty() {
        return declared;
    }
    let Ok(Some(code)) = class.code(method) else { return Vec::new() };
    let mut slot = u16::from(!method.access.is_static());
    types
        .iter()
        .map(|it| {
            let found = code.local_variables.iter().find(|var| var.slot == slot && var.start == 0);
            slot += if matches!(it.as_str(), "J" | "D") { 2 } else { 1 };
            found.map(|it| it.name.to_string())
        })
        .collect()
}
