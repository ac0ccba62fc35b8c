//! A specification that is ready: read, looked up in the class files, its formulas resolved.

use crate::classes::{Finder, is_floating};
use crate::error::{Error, wrong};
use crate::header::{self, Header};
use crate::model::{Modelled, Plan, notation};
use crate::target::{CONSTRUCTOR, Target, call, is_driver, method, owner};
use cupping_classfile::Program;
use cupping_relation::syntax::ast::Module;
use cupping_relation::syntax::{parse_expression, parse_module, parse_scope};
use cupping_relation::{Condition, Garbage, Model, Problem, Scope, Span};
use std::collections::{BTreeMap, BTreeSet};

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
        let module = match parse_module(&rest) {
            Ok(module) => module,
            Err(error) => return Err(explained(error, &header, text, program)),
        };
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
            let (owner, line) = owner(&finder, program, &class, line)?;
            let (line, drives) = (&line, owner.is_some());
            let (declaring, at) = method(program, owner.as_ref().unwrap_or(&class), line)?;
            let found = &declaring.methods[at];
            let is_static = found.access.is_static();
            plan.constructs = *found.name == *CONSTRUCTOR;
            if drives {
                is_driver(program, &class, line, &found.descriptor, is_static)?;
            }
            if is_static && !beside && !drives || plan.constructs {
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
                drives,
            });
            if !abstracts {
                call(&mut finder, &mut plan, &header, line, &declaring, at, drives)?;
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
        let doubts: BTreeMap<Span, String> =
            before.model.warnings().into_iter().chain(after.model.warnings()).collect();
        for (span, doubt) in doubts {
            let line = 1 + text.get(..span.start).unwrap_or_default().matches('\n').count();
            notes.push(format!("warning: {file}:{line}: {doubt}"));
        }
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

/// An error of the notation, with what a specification has beside it, and fields whose names are words of the notation.
fn explained(mut error: cupping_relation::Error, header: &Header, text: &str, program: &Program) -> Error {
    if error.message.starts_with("expected a paragraph") {
        let words = crate::header::WORDS.join(", ");
        let more = format!(
            "sections are `invariant {{ … }}`, `pre {{ … }}`, `post {{ … }}`; lines of the header begin with {words}"
        );
        error.help = Some(error.help.map_or(more.clone(), |it| format!("{it}; {more}")));
    }
    let renamed = || -> Result<Vec<String>, Error> {
        let mut finder = Finder::new(program, header, text);
        let class = finder.class_named(&header.class)?;
        finder.start(&class)?;
        let found = finder.finish()?;
        let fields = found.classes.values().flat_map(|it| &it.fields).map(|it| it.name.as_str());
        let words: BTreeSet<&str> = text.split(|it: char| !(it.is_alphanumeric() || it == '_')).collect();
        let renamed = fields.filter(|it| words.contains(it) && notation(it) != *it);
        Ok(renamed
            .map(|it| {
                format!("the field {it} is written {}, since {it} is a word of the notation", notation(it))
            })
            .collect())
    };
    if let Some(first) = renamed().unwrap_or_default().first() {
        error.help = Some(error.help.map_or(first.clone(), |it| format!("{it}; {first}")));
    }
    Error::Specification(error)
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
