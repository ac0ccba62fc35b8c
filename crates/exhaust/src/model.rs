//! Builds the relational model of a specification: signatures, fields and names for Java's classes, for the
//! specification's own declarations, and for the call (`this`, parameters, `result`, `thrown`).

use crate::classes::{Classes, ModelledField, Values, simple_name};
use crate::error::{Error, wrong};
use cupping_relation::syntax::ast::{Expr, ExprKind, Module, Mult};
use cupping_relation::syntax::{parse_expression, parse_module};
use cupping_relation::{BoundName, Condition, FieldId, FieldState, Model, SigId, Signature, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter of the method.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its values.
    pub values: Vec<Values>,
}

/// The Java side of the model.
#[derive(Clone, Debug, Default)]
pub struct ModelPlan {
    /// The class under test, if its instances are modelled by their fields.
    pub receiver: Option<String>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Whether the method is a constructor: the new object is `result`, and `this` in the postcondition.
    pub constructs: bool,
    /// Descriptor and values of the result, if they can be modelled.
    pub result: Option<(String, Vec<Values>)>,
    /// Internal names of the declared exceptions.
    pub throws: Vec<String>,
    /// Classes, arrays and fields.
    pub classes: Classes,
}

/// The signature and fields of an array type.
#[derive(Clone, Copy, Debug)]
pub struct ArrayIds {
    /// The signature.
    pub sig: SigId,
    /// The length.
    pub length: FieldId,
    /// Elements by index.
    pub at: FieldId,
}

/// The signature and fields of the call.
#[derive(Clone, Debug)]
pub struct CallIds {
    /// The singleton signature that owns the fields below.
    pub sig: SigId,
    /// The receiver.
    pub this: Option<FieldId>,
    /// The parameters, in order.
    pub parameters: Vec<FieldId>,
}

/// The signature and fields of the outcome.
#[derive(Clone, Debug)]
pub struct OutputIds {
    /// The singleton signature that owns the fields below.
    pub sig: SigId,
    /// The returned value.
    pub result: Option<FieldId>,
    /// The thrown exception.
    pub thrown: Option<FieldId>,
    /// The signatures of exceptions, by internal name.
    pub exceptions: Vec<(SigId, String)>,
}

/// A model with the mapping from Java's classes and fields.
#[derive(Debug)]
pub struct JavaModel {
    /// The model.
    pub model: Model,
    /// Signatures by internal class name.
    pub classes: BTreeMap<String, SigId>,
    /// Enum constants: signature, class, name.
    pub constants: Vec<(SigId, String, String)>,
    /// Array types, in the order of [`Classes::arrays`].
    pub arrays: Vec<ArrayIds>,
    /// Fields with their Java counterparts.
    pub fields: Vec<(FieldId, ModelledField)>,
    /// The signatures that own static fields.
    pub statics: BTreeMap<String, SigId>,
    /// The call.
    pub call: CallIds,
    /// The outcome; only in the model of postconditions.
    pub output: Option<OutputIds>,
    /// Constraints that Java's declarations imply.
    pub always: Vec<Condition>,
    given: Vec<BoundName>,
}

impl JavaModel {
    /// Declares everything; with the outcome if `after` is set.
    pub fn build(plan: &ModelPlan, module: &Module, after: bool) -> Result<JavaModel, Error> {
        let mut builder = Builder { model: Model::new(), used: BTreeSet::new(), plan };
        let mut classes = BTreeMap::new();
        let mut constants = Vec::new();
        for name in plan.classes.classes.keys() {
            builder.class(name, &mut classes, &mut constants)?;
        }
        let arrays: Vec<SigId> = plan
            .classes
            .arrays
            .iter()
            .map(|it| builder.sig(&format!("{}Array", it.of.replace("[]", "Array")), None, None))
            .collect::<Result<_, _>>()?;
        builder.interfaces(&classes)?;
        let sigs = arrays.clone();
        let ids = Ids { classes: &classes, arrays: &sigs, plan };
        let mut fields = Vec::new();
        let mut statics = BTreeMap::new();
        for (name, class) in &plan.classes.classes {
            for field in &class.fields {
                let owner = match (field.is_static, statics.get(name)) {
                    (false, _) => classes[name],
                    (true, Some(owner)) => *owner,
                    (true, None) => {
                        let owner =
                            builder.sig(&format!("{}$class", simple_name(name)), None, Some(Mult::One))?;
                        statics.insert(name.clone(), owner);
                        owner
                    }
                };
                let mult = if field.descriptor.len() == 1 { Mult::One } else { Mult::Lone };
                let shown = notation(&field.name);
                fields.push((
                    builder.model.add_field(owner, &shown, &ids.of(&field.values), mult),
                    field.clone(),
                ));
            }
        }
        let mut always = Vec::new();
        let arrays = arrays
            .iter()
            .zip(&plan.classes.arrays)
            .map(|(&sig, array)| {
                let length = builder.model.add_field(sig, "length", &[Model::INT], Mult::One);
                let elements = ids.of(&array.elements);
                let at = builder.model.add_relation(sig, "at", &[vec![Model::INT], elements]);
                (ArrayIds { sig, length, at }, array.descriptor.len() == 2)
            })
            .collect::<Vec<_>>();
        builder.model.read(module)?;
        for ((array_ids, is_primitive), array) in arrays.iter().zip(&plan.classes.arrays) {
            let sig = &builder.model.signature(array_ids.sig).name;
            let each = if *is_primitive { "one" } else { "lone" };
            let elements = ids.of(&array.elements);
            let elements: Vec<&str> =
                elements.iter().map(|it| builder.model.signature(*it).name.as_str()).collect();
            let formula = format!(
                "all a: {sig} | a.length >= 0 and Int.(a.at) in {} and \
                 all i: Int | (0 <= i and i < a.length) => {each} i.(a.at) else no i.(a.at)",
                elements.join(" + ")
            );
            always.push(builder.model.condition(&parse_expression(&formula)?, &[])?);
        }
        let arrays = arrays.into_iter().map(|it| it.0).collect();
        let call = builder.call(&ids)?;
        let output = if after { Some(builder.output(&ids)?) } else { None };
        let mut modelled = JavaModel {
            model: builder.model,
            classes,
            constants,
            arrays,
            fields,
            statics,
            call,
            output,
            always,
            given: Vec::new(),
        };
        modelled.name_things(plan);
        if let Some(exact) = modelled.exact_receiver(plan)? {
            modelled.always.push(exact);
        }
        Ok(modelled)
    }

    fn name_things(&mut self, plan: &ModelPlan) {
        let CallIds { sig, this, parameters } = self.call.clone();
        let mut given = Vec::new();
        let mut add = |name: &str, of, field, varies| {
            given.push(BoundName { name: name.to_owned(), of, field, when: FieldState::Now, varies });
        };
        // A static field is known by its simple name unless another field has that name.
        for (id, field) in self.fields.iter().filter(|(_, it)| it.is_static) {
            let name = notation(&field.name);
            if self.model.fields().filter(|(_, it)| it.name == name).count() == 1 {
                add(&name, self.statics[&field.class], *id, true);
            }
        }
        if let Some(this) = this {
            add("this", sig, this, false);
        }
        for (parameter, id) in plan.parameters.iter().zip(&parameters) {
            add(&parameter.name, sig, *id, false);
        }
        if let Some(output) = &self.output {
            let made = output.result.filter(|_| plan.constructs);
            for (name, id) in [("this", made), ("result", output.result), ("thrown", output.thrown)] {
                if let Some(id) = id {
                    add(name, output.sig, id, false);
                }
            }
        }
        self.given = given;
    }

    /// Resolves a formula about the outcome and the input.
    pub fn condition(&self, formula: &Expr) -> Result<Condition, Error> {
        self.model.condition(formula, &self.given).map_err(|error| self.explained(error))
    }

    /// Resolves a formula about one state, in which a backtick means nothing.
    pub fn condition_of_one_state(&self, formula: &Expr) -> Result<Condition, Error> {
        self.model.condition_of_one_state(formula, &self.given).map_err(|error| self.explained(error))
    }

    /// The error with what `result` and `thrown` need.
    fn explained(&self, mut error: cupping_relation::Error) -> Error {
        for name in
            ["result", "thrown"].into_iter().filter(|it| error.message == format!("unknown name {it}"))
        {
            error.help = Some(match (&self.output, name) {
                (None, _) => format!("`{name}` is only known in `post`"),
                (_, "thrown") => {
                    "declare the exceptions that count as outcomes in a line `throws CLASS`".to_owned()
                }
                _ => "the method returns nothing, or its result is not modelled: give its actual type"
                    .to_owned(),
            });
        }
        error.into()
    }

    /// Constraints on every outcome: nothing is returned if something is thrown; otherwise numbers and
    /// constructors have a result.
    pub(crate) fn of_outcomes(&self, plan: &ModelPlan) -> Result<Vec<Condition>, Error> {
        let Some(output) = &self.output else { return Ok(Vec::new()) };
        let (Some(_), Some((descriptor, _))) = (output.result, &plan.result) else { return Ok(Vec::new()) };
        let returns = match descriptor.as_str() {
            _ if plan.constructs => "some result",
            // A non-integral number is in no set, so there may be no result.
            "F" | "D" => "lone result",
            primitive if primitive.len() == 1 => "one result",
            _ => "lone result",
        };
        let formula = match output.thrown {
            Some(_) => format!("some thrown => no result else {returns}"),
            None => returns.to_owned(),
        };
        Ok(vec![self.condition(&parse_expression(&formula)?)?])
    }

    /// The receiver is a direct instance of the class under test, if that class can have any.
    fn exact_receiver(&self, plan: &ModelPlan) -> Result<Option<Condition>, Error> {
        let Some(receiver) = plan.receiver.as_ref().and_then(|it| plan.classes.classes.get(it)) else {
            return Ok(None);
        };
        let below: Vec<&str> = plan
            .classes
            .classes
            .values()
            .filter(|it| it.parent.as_ref() == Some(&receiver.name))
            .map(|it| self.model.signature(self.classes[&it.name]).name.as_str())
            .collect();
        if below.is_empty() || receiver.is_abstract {
            return Ok(None);
        }
        let formula = parse_expression(&format!("no this & ({})", below.join(" + ")))?;
        self.condition(&formula).map(Some)
    }
}

struct Ids<'a> {
    classes: &'a BTreeMap<String, SigId>,
    arrays: &'a [SigId],
    plan: &'a ModelPlan,
}

impl Ids<'_> {
    /// The signatures of these values.
    fn of(&self, values: &[Values]) -> Vec<SigId> {
        let mut sigs = BTreeSet::new();
        for value in values {
            match value {
                Values::Integers(_) => drop(sigs.insert(Model::INT)),
                Values::Booleans => drop(sigs.insert(Model::BOOL)),
                Values::Texts => drop(sigs.insert(Model::TEXT)),
                Values::Arrays(at) => drop(sigs.insert(self.arrays[*at])),
                Values::Objects(name) => match self.plan.classes.implementations.get(name) {
                    Some(top) => sigs.extend(top.iter().filter_map(|it| self.classes.get(it))),
                    None => sigs.extend(self.classes.get(name)),
                },
            }
        }
        sigs.into_iter().collect()
    }
}

struct Builder<'a> {
    model: Model,
    used: BTreeSet<String>,
    plan: &'a ModelPlan,
}

impl Builder<'_> {
    fn sig(&mut self, name: &str, parent: Option<SigId>, mult: Option<Mult>) -> Result<SigId, Error> {
        let mut name = notation(name);
        while self.used.contains(&name) || self.model.find_signature(&name).is_some() {
            name.push('$');
        }
        self.used.insert(name.clone());
        let signature =
            Signature { name, parent, disjoint: true, is_abstract: false, mult, span: Span::default() };
        Ok(self.model.add_signature(signature)?)
    }

    fn class(
        &mut self,
        name: &str,
        classes: &mut BTreeMap<String, SigId>,
        constants: &mut Vec<(SigId, String, String)>,
    ) -> Result<(), Error> {
        if classes.contains_key(name) {
            return Ok(());
        }
        let Some(class) = self.plan.classes.classes.get(name) else { return Ok(()) };
        let mut parent = None;
        if let Some(above) = &class.parent {
            self.class(above, classes, constants)?;
            parent = classes.get(above).copied();
        }
        // Classes with the same simple name are qualified by their outer class, then by their package.
        let all = self.plan.classes.classes.keys();
        let alike = |short: fn(&str) -> &str| all.clone().filter(|it| short(it) == short(name)).count();
        let base: fn(&str) -> &str = |it| it.rsplit('/').next().unwrap_or(it);
        let shown = match () {
            () if alike(simple_name) == 1 => simple_name(name).to_owned(),
            () if alike(base) == 1 => base(name).to_owned(),
            () => name.replace('/', "_"),
        };
        let id = self.sig_of_class(&shown, parent, class.is_abstract || class.constants.is_some())?;
        classes.insert(name.to_owned(), id);
        for constant in class.constants.iter().flatten() {
            let shown = if self.used.contains(constant) || self.model.find_signature(constant).is_some() {
                format!("{shown}${constant}")
            } else {
                constant.clone()
            };
            let one = self.sig(&shown, Some(id), Some(Mult::One))?;
            constants.push((one, name.to_owned(), constant.clone()));
        }
        Ok(())
    }

    fn sig_of_class(&mut self, name: &str, parent: Option<SigId>, is_abstract: bool) -> Result<SigId, Error> {
        let mut name = notation(name);
        while self.used.contains(&name) || self.model.find_signature(&name).is_some() {
            name.push('$');
        }
        self.used.insert(name.clone());
        let signature =
            Signature { name, parent, disjoint: true, is_abstract, mult: None, span: Span::default() };
        Ok(self.model.add_signature(signature)?)
    }

    /// An interface is the union of its implementations.
    fn interfaces(&mut self, classes: &BTreeMap<String, SigId>) -> Result<(), Error> {
        for (name, top) in &self.plan.classes.implementations {
            let names: Vec<&str> = top
                .iter()
                .filter_map(|it| classes.get(it))
                .map(|it| self.model.signature(*it).name.as_str())
                .collect();
            let shown = notation(simple_name(name));
            if names.is_empty() || !self.used.insert(shown.clone()) {
                continue;
            }
            let text = format!("fun {shown}[]: set univ {{ {} }}", names.join(" + "));
            self.model.read(&parse_module(&text)?)?;
        }
        Ok(())
    }

    fn call(&mut self, ids: &Ids) -> Result<CallIds, Error> {
        let sig = self.sig("$call", None, Some(Mult::One))?;
        let this = self.plan.receiver.as_ref().map(|receiver| {
            let values = ids.of(&[Values::Objects(receiver.clone())]);
            self.model.add_field(sig, "this", &values, Mult::One)
        });
        let parameters = self.plan.parameters.iter().map(|it| {
            let mult = if it.descriptor.len() == 1 { Mult::One } else { Mult::Lone };
            self.model.add_field(sig, &format!("${}", it.name), &ids.of(&it.values), mult)
        });
        let parameters = parameters.collect();
        Ok(CallIds { sig, this, parameters })
    }

    fn output(&mut self, ids: &Ids) -> Result<OutputIds, Error> {
        let sig = self.sig("$output", None, Some(Mult::One))?;
        let result = self
            .plan
            .result
            .as_ref()
            .map(|(_, values)| self.model.add_field(sig, "$result", &ids.of(values), Mult::Lone));
        let mut exceptions = Vec::new();
        let mut thrown = None;
        if !self.plan.throws.is_empty() {
            let all = self.sig_of_class("$thrown", None, true)?;
            for name in &self.plan.throws {
                let shown = simple_name(name);
                if self.model.find_signature(shown).is_some() {
                    let message = format!("{shown} is both a signature and an exception");
                    return Err(wrong(Span::default(), &message, "rename the signature"));
                }
                exceptions.push((self.sig(shown, Some(all), Some(Mult::One))?, name.clone()));
            }
            thrown = Some(self.model.add_field(sig, "$thrown", &[all], Mult::Lone));
        }
        Ok(OutputIds { sig, result, thrown, exceptions })
    }
}

/// A name as the notation can write it: keywords get a trailing `_`.
pub fn notation(name: &str) -> String {
    match parse_expression(name) {
        Ok(Expr { kind: ExprKind::Name(_), .. }) => name.to_owned(),
        _ => format!("{name}_"),
    }
}
