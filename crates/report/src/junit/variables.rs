//! Descriptive names for the variables of one test.

use super::expressions::{FOLDER, signature};
use super::slugs::{capital, decapitalised, is_identifier};
use super::type_names::{ClassName, TypeNames};
use crate::source::tree::Expr;
use cupping_case::{Action, Case, JavaType, MethodRef, Operand, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Gives names to variables in the order in which they are declared.
pub struct VariableNames<'a> {
    case: &'a Case,
    given: BTreeMap<VarId, Expr>,
    taken: BTreeSet<String>,
}

impl<'a> VariableNames<'a> {
    /// No names yet.
    pub fn new(case: &'a Case) -> Self {
        let mut taken = BTreeSet::new();
        if super::folder::uses_folder(case) {
            taken.insert(FOLDER.to_owned());
        }
        VariableNames { case, given: BTreeMap::new(), taken }
    }

    /// The name of a declared variable.
    pub fn get(&self, var: VarId) -> Option<&Expr> {
        self.given.get(&var)
    }

    /// Has a variable stand for what exists already.
    pub fn give(&mut self, var: VarId, value: Expr) {
        self.given.insert(var, value);
    }

    /// Names a variable at its declaration.
    pub fn declare(&mut self, var: VarId, names: &TypeNames<'_>) -> String {
        let preferred = self.preferred_name(var);
        let name = self.free(&preferred, names);
        self.given.insert(var, Expr::name(&name));
        name
    }

    /// A name not taken yet, starting from a preferred one.
    pub fn free(&mut self, preferred: &str, names: &TypeNames<'_>) -> String {
        let is_free = |name: &str, taken: &BTreeSet<String>| {
            is_identifier(name) && !taken.contains(name) && !names.is_taken(name)
        };
        let mut name = preferred.to_string();
        if !is_identifier(&name) {
            name = format!("a{}", capital(preferred));
        }
        let mut number = 2;
        let stem = name.clone();
        while !is_free(&name, &self.taken) {
            name = format!("{stem}{number}");
            number += 1;
        }
        self.taken.insert(name.clone());
        name
    }

    fn preferred_name(&self, var: VarId) -> String {
        let made_by = self.case.steps.iter().position(|step| step.result == Some(var));
        let is_result = made_by.is_some_and(|at| at + 1 == self.case.steps.len());
        let ty = self.case.variables.get(var.0 as usize).map(|variable| &variable.ty);
        if is_result
            && !matches!(made_by.map(|at| &self.case.steps[at].action), Some(Action::Construct { .. }))
        {
            return "result".into();
        }
        self.parameter_name(var)
            .or_else(|| made_by.and_then(|at| name_from_getter(&self.case.steps[at].action)))
            .unwrap_or_else(|| ty.map_or("value".into(), name_from_type))
    }

    /// The name of the parameter that the variable is passed for, preferably to the method under test.
    fn parameter_name(&self, var: VarId) -> Option<String> {
        self.case.steps.iter().rev().find_map(|step| {
            let (method, args) = invoked(&step.action)?;
            let at = args.iter().position(|arg| *arg == Operand::Var(var))?;
            let name = method.parameter_names.get(at)?;
            let speaks = name.len() > 2 && is_identifier(name) && !is_synthetic(name);
            speaks.then(|| name.to_string())
        })
    }
}

/// The method or constructor of an action and its arguments.
pub fn invoked(action: &Action) -> Option<(&MethodRef, &[Operand])> {
    match action {
        Action::Construct { constructor: method, args }
        | Action::Invoke { method, args, .. }
        | Action::InvokeStatic { method, args }
        | Action::Implement { constructor: Some(method), args, .. } => Some((method, args)),
        _ => None,
    }
}

fn is_synthetic(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.len() < name.len() && matches!(stem, "arg" | "param" | "p" | "var" | "a")
}

fn name_from_getter(action: &Action) -> Option<String> {
    let (method, args) = invoked(action)?;
    let property = method.name.strip_prefix("get")?;
    let (_, result) = signature(method);
    (args.is_empty() && result != JavaType::Void && property.starts_with(|c: char| c.is_ascii_uppercase()))
        .then(|| decapitalised(property))
}

fn name_from_type(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(name) => match &**name {
            "java/lang/String" => "text".into(),
            "java/lang/Class" => "type".into(),
            "java/lang/Integer" | "java/lang/Long" | "java/lang/Short" | "java/lang/Byte" => "number".into(),
            "java/lang/Boolean" => "flag".into(),
            "java/lang/Character" => "letter".into(),
            _ => decapitalised(&ClassName::parse(name).simple().replace('$', "")),
        },
        JavaType::Array(element) => match &**element {
            JavaType::Array(_) => "table".into(),
            JavaType::Class(name) if &**name == "java/lang/String" => "texts".into(),
            JavaType::Class(_) => plural(&name_from_type(element)),
            primitive => plural(&primitive.to_string()),
        },
        JavaType::Boolean => "flag".into(),
        JavaType::Char => "letter".into(),
        _ => "number".into(),
    }
}

fn plural(word: &str) -> String {
    let sibilant = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    if sibilant { format!("{word}es") } else { format!("{word}s") }
}
