//! The user's claims about a class in the contract language: loop invariants and triples of methods.
//! Conditions are Java: `javac` compiles them to a class, whose methods are evaluated symbolically like
//! others.

use crate::flattened_class::short_type;
use cupping_classfile::{ClassFile, FieldType, Method, Program};
use cupping_contract::{
    BoundMethods, CompiledSpecifications, CompiledTriple, Compiler, Setup, Specification,
    SpecificationSource, TokenKind, read, tokens,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// A loop invariant: it holds whenever control reaches the loop's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Name of the method.
    pub method: String,
    /// Source line of the loop's head; `None` for all loops of the method.
    pub line: Option<u16>,
    /// The condition, as Java code within the method.
    pub text: String,
}

/// A compiled invariant.
#[derive(Clone, Debug)]
pub struct LoopClaim {
    /// Internal name of the class that has the method.
    pub class: String,
    /// The invariant.
    pub invariant: Invariant,
    /// Internal name of the compiled class, and its method.
    pub condition: (String, String),
    /// Parameters of that method: `this`, local variables and fields by name.
    pub names: Vec<String>,
}

/// A compiled triple of a method.
#[derive(Clone, Debug)]
pub struct CallClaim {
    /// Internal name of the compiled class.
    pub made: String,
    /// The triple.
    pub triple: CompiledTriple,
    /// Bounds of the variables, as the testcase requires.
    pub bounds: Vec<Vec<BoundMethods>>,
}

/// All compiled claims.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Compiled classes: bytes by internal name. They must be on the class path.
    pub classes: Vec<(String, Vec<u8>)>,
    /// Claims about loops.
    pub loops: Vec<LoopClaim>,
    /// Claims about methods.
    pub calls: Vec<CallClaim>,
    /// Claims that cannot be used, and why.
    pub unused: Vec<String>,
}

/// Limit on the superclasses visited, since the hierarchy of a damaged class may be cyclic.
const MAX_SUPERCLASSES: usize = 64;

/// The parameter for `this` in the compiled class.
const SELF: &str = "cupping_self";

impl Claims {
    /// Compiles claims about classes with these internal names.
    ///
    /// # Errors
    /// A message about the first invalid claim.
    pub fn compile(
        program: &Program,
        classes: &[&str],
        invariants: &[Invariant],
        specifications: Vec<Specification>,
    ) -> Result<Claims, String> {
        let mut claims = Claims::default();
        let mut all = specifications;
        let own = all.len();
        for invariant in invariants {
            let before = claims.loops.len();
            for class in classes {
                for (file, method) in methods(program, class, &invariant.method) {
                    if claims.loops.iter().any(|l| l.class == *file.name && l.invariant == *invariant) {
                        continue;
                    }
                    let (text, names) = testcase(program, &file, method, invariant);
                    let source = SpecificationSource::new("--invariant", &text);
                    all.push(read(&source).map_err(|error| unused_reason(invariant, &error.to_string()))?);
                    claims.loops.push(LoopClaim {
                        class: file.name.to_string(),
                        invariant: invariant.clone(),
                        condition: (String::new(), String::new()),
                        names,
                    });
                }
            }
            if claims.loops.len() == before {
                return Err(unused_reason(invariant, &format!("no class has a method {}", invariant.method)));
            }
        }
        if all.is_empty() {
            return Ok(claims);
        }
        let CompiledSpecifications { classes, cases } =
            Compiler { program }.compile(&all).map_err(|error| error.to_string())?;
        claims.classes = classes;
        for case in cases {
            if let Some(claim) = case.specification.checked_sub(own).and_then(|at| claims.loops.get_mut(at)) {
                claim.condition = (case.class, case.triples.first().map_or(String::new(), |t| t.pre.clone()));
                continue;
            }
            let mut bounds: Vec<Option<Vec<BoundMethods>>> = vec![Some(Vec::new()); case.variables.len()];
            for step in &case.steps {
                match step {
                    Setup::Random(variable, within) => bounds[*variable] = Some(within.clone()),
                    // A single value does not generalise; a variable that is not a requirement is only an
                    // example.
                    Setup::Run(_, Some(variable)) if case.variables[*variable].1 => bounds[*variable] = None,
                    _ => {}
                }
            }
            for triple in case.triples {
                match usable(&triple, &bounds) {
                    Ok(bounds) => claims.calls.push(CallClaim { made: case.class.clone(), triple, bounds }),
                    Err(why) => claims.unused.push(format!("{}: {why}", case.name)),
                }
            }
        }
        Ok(claims)
    }
}

/// The bounds of a triple's variables, if it holds for arbitrary calls.
fn usable(
    triple: &CompiledTriple,
    bounds: &[Option<Vec<BoundMethods>>],
) -> Result<Vec<Vec<BoundMethods>>, String> {
    let is_given = |v: &usize| triple.receiver == Some(*v) || triple.arguments.contains(&Some(*v));
    let mut named = triple.pre_names.iter().chain(&triple.post_names);
    if let Some(other) = named.find(|v| !is_given(v)) {
        return Err(format!("its variable {} is neither receiver nor argument of the call", other + 1));
    }
    if !triple.pre_nested.is_empty() || !triple.post_nested.is_empty() || !triple.modifies.is_empty() {
        return Err("deduction does not support nested triples and `modifies`".to_owned());
    }
    if triple.throws.is_some() || triple.post.is_none() {
        return Err("it has no postcondition of a normal return".to_owned());
    }
    let mut found = Vec::new();
    for (variable, bounds) in bounds.iter().enumerate().take(triple.seen) {
        match bounds {
            Some(bounds) => found.push(bounds.clone()),
            None if is_given(&variable) => {
                return Err(format!("its variable {} has a single value", variable + 1));
            }
            None => found.push(Vec::new()),
        }
    }
    Ok(found)
}

fn unused_reason(invariant: &Invariant, why: &str) -> String {
    format!("--invariant '{}: {}': {why}", invariant.method, invariant.text)
}

/// The methods with a name in a class and its non-JDK superclasses.
fn methods(program: &Program, class: &str, name: &str) -> Vec<(Arc<ClassFile>, u16)> {
    let mut found = Vec::new();
    let mut next = program.find(class).ok().flatten();
    let from_jdk = next.as_ref().is_some_and(|file| file.origin().is_jdk());
    for _ in 0..MAX_SUPERCLASSES {
        let Some(file) = next.take_if(|file| file.origin().is_jdk() == from_jdk) else { break };
        let of_name = file.methods.iter().filter(|m| *m.name == *name);
        found.extend(of_name.map(|method| (file.clone(), method.index)));
        next = file.super_name.as_ref().and_then(|name| program.find(name).ok().flatten());
    }
    found
}

/// A testcase with the invariant as precondition, and the names of its variables.
fn testcase(
    program: &Program,
    file: &Arc<ClassFile>,
    method: u16,
    invariant: &Invariant,
) -> (String, Vec<String>) {
    let text = &invariant.text;
    let (mut names, mut variables): (Vec<String>, String) = Default::default();
    let (mut condition, mut done, mut after_dot) = (String::new(), 0, false);
    for token in tokens(text) {
        let word = &text[token.span.start..token.span.end];
        condition.push_str(&text[done..token.span.start]);
        done = token.span.end;
        let ty = match (token.kind, after_dot) {
            (TokenKind::Word, false) => variable(program, file, &file.methods[usize::from(method)], word),
            _ => None,
        };
        after_dot = word == ".";
        condition.push_str(if word == "this" { SELF } else { word });
        if let Some(ty) = ty.filter(|_| !names.iter().any(|known| known == word)) {
            let name = if word == "this" { SELF } else { word };
            let _ = writeln!(variables, "        {ty} {name};");
            names.push(word.to_owned());
        }
    }
    condition.push_str(&text[done..]);
    let class = java_name(&file.name);
    let text = format!(
        "test {class} {{\n    testcase invariant {{\n{variables}        ({condition}) requiredBy new Object();\n    }}\n}}\n"
    );
    (text, names)
}

fn java_name(internal: &str) -> String {
    internal.replace(['/', '$'], ".")
}

/// The type of a name within a method: `this`, a local variable, or a field.
fn variable(program: &Program, file: &ClassFile, method: &Method, name: &str) -> Option<String> {
    if name == "this" {
        return Some(java_name(&file.name));
    }
    let java = |descriptor: &str| FieldType::parse(descriptor).map(|ty| java_type(&ty));
    let code = file.code(method).ok().flatten();
    let local = code.and_then(|code| code.local_variables.iter().find(|v| *v.name == *name));
    if let Some(local) = local {
        return java(&local.descriptor);
    }
    if let Some(field) = file.fields.iter().find(|f| *f.name == *name) {
        return java(&field.descriptor);
    }
    let above = program.find(file.super_name.as_ref()?).ok().flatten()?;
    above.fields.iter().find(|f| *f.name == *name).and_then(|field| java(&field.descriptor))
}

fn java_type(ty: &FieldType) -> String {
    match ty {
        FieldType::Object(name) => java_name(name),
        FieldType::Array(element) => format!("{}[]", java_type(element)),
        primitive => short_type(primitive),
    }
}
