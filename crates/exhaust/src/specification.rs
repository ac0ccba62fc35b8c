//! A specification with its classes found and its formulas resolved.

use crate::classes::{Finder, is_floating};
use crate::error::{Error, other, wrong};
use crate::explicit_state::implied;
use crate::header::{self, Header};
use crate::lint::{beyond_the_scope, sections};
use crate::model::{JavaModel, ModelPlan};
use crate::remedies::{of_name, of_syntax};
use crate::target::{CONSTRUCTOR, MethodUnderTest, call, is_driver, method, owner, parameters_of_methods};
use cupping_classfile::Program;
use cupping_relation::syntax::ast::Module;
use cupping_relation::syntax::{parse_expression, parse_module, parse_scope};
use cupping_relation::{Condition, Garbage, Model, Problem, Scope, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The part of a specification that a conjunct belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecificationPart {
    /// A `fact` or a declaration.
    Fact,
    /// `invariant`
    Invariant,
    /// `pre`
    Pre,
    /// `post`
    Post,
}

impl SpecificationPart {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            SpecificationPart::Fact => "fact",
            SpecificationPart::Invariant => "invariant",
            SpecificationPart::Pre => "precondition",
            SpecificationPart::Post => "postcondition",
        }
    }
}

/// A conjunct of the specification.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The part it belongs to.
    pub part: SpecificationPart,
    /// The formula.
    pub condition: Condition,
}

/// A specification of a method.
#[derive(Debug)]
pub struct Specification {
    /// The file name for messages.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its header.
    pub header: Header,
    /// The method; none if instances are only shown or counted.
    pub target: Option<MethodUnderTest>,
    /// The Java side of the model.
    pub plan: ModelPlan,
    /// The model of inputs.
    pub before: JavaModel,
    /// The model of inputs and outcomes.
    pub after: JavaModel,
    /// Constraints on inputs: invariants, then preconditions.
    pub required: Vec<Conjunct>,
    /// Constraints on outcomes: postconditions, then invariants.
    pub promised: Vec<Conjunct>,
    /// The scope.
    pub scope: Scope,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Parts that are probably unintended.
    pub warnings: Vec<cupping_relation::Error>,
    module: Module,
}

impl Specification {
    /// Reads a specification. A scope given separately replaces that of the file.
    pub fn read(
        file: &str,
        text: &str,
        program: &Program,
        scope: Option<&str>,
    ) -> Result<Specification, Error> {
        Specification::beside(file, text, program, scope, false)
    }

    /// Reads a specification. With `beside`, a static method runs alongside an object of the class too.
    pub(crate) fn beside(
        file: &str,
        text: &str,
        program: &Program,
        scope: Option<&str>,
        beside: bool,
    ) -> Result<Specification, Error> {
        let (header, rest) = header::read(text)?;
        let named = header.clone();
        Specification::resolved(file, text, (header, rest), program, scope, beside)
            .map_err(|error| of_name(error, &named, text, program))
    }

    fn resolved(
        file: &str,
        text: &str,
        (header, rest): (Header, String),
        program: &Program,
        scope: Option<&str>,
        beside: bool,
    ) -> Result<Specification, Error> {
        let module = match parse_module(&rest) {
            Ok(module) => module,
            Err(error) => return Err(of_syntax(error, &header, text, program)),
        };
        let is_class = |name: &str| {
            let phrase = crate::header::Phrase { text: name.to_owned(), span: header.class.span };
            name == header.class.text || Finder::new(program, &header, text).class_named(&phrase).is_ok()
        };
        let module = match header.concretization {
            Some(_) => module,
            None => implied(module, is_class),
        };
        sections(&module)?;
        if header.class.text.is_empty() {
            return Err(wrong(
                Span { start: 0, end: text.find('\n').unwrap_or(text.len()) },
                "the specification has no class",
                "start it with a line `class NAME`",
            ));
        }
        let abstracts = header.concretization.is_some();
        let mut finder = Finder::new(program, &header, text);
        let class = finder.class_named(&header.class)?;
        let mut plan = ModelPlan::default();
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
                let help = "name a subclass";
                return Err(wrong(
                    line.name.span,
                    "the class is abstract and has no constructor of its own to call",
                    help,
                ));
            }
            target = Some(MethodUnderTest {
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
        let mut parameters: Vec<String> = plan.parameters.iter().map(|it| it.name.clone()).collect();
        if let Some(target) = &target {
            // One header may serve all methods of a class.
            let declaring = program.require(&target.class).map_err(other)?;
            parameters.extend(parameters_of_methods(&declaring));
        }
        plan.classes = if abstracts { Default::default() } else { finder.finish(&parameters)? };
        let before = JavaModel::build(&plan, &module, false)?;
        let after = JavaModel::build(&plan, &module, true)?;
        let conjuncts = |modelled: &JavaModel,
                         part: SpecificationPart,
                         name: &str|
         -> Result<Vec<Conjunct>, Error> {
            let mut all = Vec::new();
            for section in modelled.model.sections(name) {
                let condition = match part {
                    SpecificationPart::Post => modelled.condition(section)?,
                    _ => modelled.condition_of_one_state(section)?,
                };
                all.extend(condition.conjuncts().into_iter().map(|condition| Conjunct { part, condition }));
            }
            Ok(all)
        };
        // Before a constructor there is no object to satisfy the invariant.
        let invariant = if plan.constructs { "" } else { "invariant" };
        let mut required = conjuncts(&before, SpecificationPart::Invariant, invariant)?;
        required.extend(conjuncts(&before, SpecificationPart::Pre, "pre")?);
        let mut promised = conjuncts(&after, SpecificationPart::Post, "post")?;
        promised.extend(conjuncts(&after, SpecificationPart::Invariant, "invariant")?);
        let mut notes = plan.classes.notes.clone();
        if target.is_some() && promised.is_empty() {
            notes.push(
                "there is no postcondition: the check only finds exceptions and runs that do not end".into(),
            );
        }
        notes.extend(floating(&plan));
        let scope = read_scope(&before.model, &header, scope)?;
        let doubts = beyond_the_scope(&module, &header, &before.model, &scope);
        let doubts = doubts.into_iter().chain(before.model.warnings()).chain(after.model.warnings());
        let warnings: BTreeMap<Span, cupping_relation::Error> = doubts.map(|it| (it.span, it)).collect();
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
            warnings: warnings.into_values().collect(),
            module,
        })
    }

    /// Whether the method under test is a constructor.
    pub fn constructs(&self) -> bool {
        self.plan.constructs
    }

    /// Whether the user's methods create inputs and read outcomes.
    pub fn is_abstract(&self) -> bool {
        self.header.concretization.is_some()
    }

    /// Whether unreachable atoms count.
    pub fn garbage(&self) -> Garbage {
        if self.is_abstract() { Garbage::Kept } else { Garbage::None }
    }

    /// The search problem for inputs.
    pub fn problem(&self) -> Result<Problem, Error> {
        self.problem_with(&[])
    }

    /// The search problem for inputs that satisfy further conditions.
    pub fn problem_with(&self, more: &[Condition]) -> Result<Problem, Error> {
        let conjuncts: Vec<&Condition> = self.required.iter().map(|it| &it.condition).collect();
        self.problem_of(&conjuncts, more)
    }

    /// The search problem for instances of these conjuncts and further conditions.
    pub fn problem_of(&self, conjuncts: &[&Condition], more: &[Condition]) -> Result<Problem, Error> {
        let mut all = self.before.always.clone();
        all.extend(conjuncts.iter().map(|it| (*it).clone()));
        all.extend(more.iter().cloned());
        Ok(Problem::new(&self.before.model, &self.scope, &all, self.garbage())?)
    }

    /// A formula given by the name of a section, predicate or assertion, or by its text.
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
                // A predicate with a receiver applies to `this`.
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

    /// The text of a span, on one line.
    pub fn words(&self, span: Span) -> String {
        let text = self.text.get(span.start..span.end).unwrap_or_default();
        let lines = text.lines().map(|it| it.split("//").next().unwrap_or_default());
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    /// The line of a span, starting at 1.
    pub fn line(&self, span: Span) -> usize {
        1 + self.text.get(..span.start).unwrap_or_default().matches('\n').count()
    }

    /// A warning on one line.
    pub fn remark(&self, warning: &cupping_relation::Error) -> String {
        format!("warning: {}:{}: {}", self.file, self.line(warning.span), warning.message)
    }

    /// Notes and warnings, on one line each.
    pub fn remarks(&self) -> Vec<String> {
        let warnings = self.warnings.iter().map(|it| self.remark(it));
        self.notes.iter().cloned().chain(warnings).collect()
    }

    /// The comment directly above a conjunct: the author's name for it.
    pub fn comment(&self, span: Span) -> Option<String> {
        let line = self.line(span);
        let before = self.text.lines().nth(line.checked_sub(2)?)?.trim();
        let comment = before.strip_prefix("//")?.trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }
}

/// The note on floating-point fields.
fn floating(plan: &ModelPlan) -> Option<String> {
    let fields = plan.classes.classes.values().flat_map(|it| &it.fields);
    let fields = fields.filter(|it| is_floating(&it.descriptor, &it.values)).map(|it| it.name.as_str());
    let parameters = plan.parameters.iter().filter(|it| is_floating(&it.descriptor, &it.values));
    let names: BTreeSet<&str> = fields.chain(parameters.map(|it| it.name.as_str())).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("floating-point fields only get integers within the scope: {names}"))
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
