//! From a specification to classes: two rounds of `javac`, the first of which tells types.

use crate::ast::{Bound, Condition, Order, Parameter, Specification, Statement, Test, Testcase, Triple};
use crate::diagnostic::{Diagnostic, Span};
use crate::java::{Case, Text, Types, number_of, triples};
use crate::raw;
use crate::signature::java_type;
use cupping_classfile::{ClassFile, Constant, Operand, Origin, Program, instructions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Why a specification was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// It is wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Diagnostic>),
    /// `javac` could not be run, or its files not be written.
    #[error("{0}")]
    Host(String),
}

/// A method by its names in class files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Method {
    /// Internal name of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// Specifications, compiled.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// Classes that were made: bytes by internal name, in the order in which they can be defined.
    pub classes: Vec<(String, Vec<u8>)>,
    /// Their testcases.
    pub cases: Vec<CompiledCase>,
}

/// A testcase, for one choice of types.
#[derive(Clone, Debug)]
pub struct CompiledCase {
    /// `Class.testcase`, with the types chosen.
    pub name: String,
    /// The specification it is in.
    pub specification: usize,
    /// The class that was made for it.
    pub class: String,
    /// Its variables: static fields of that class. Whether they are requirements is the last part.
    pub variables: Vec<(String, bool)>,
    /// What it does, in order.
    pub steps: Vec<Setup>,
    /// Its triples, nested ones before the one they are in.
    pub triples: Vec<CompiledTriple>,
}

/// A step of a testcase.
#[derive(Clone, Debug)]
pub enum Setup {
    /// Run this method; the variable that it sets, if it is a declaration.
    Run(String, Option<usize>),
    /// Give a variable a random value within bounds.
    Random(usize, Vec<Within>),
    /// Hold this triple against its call.
    Triple(usize),
}

/// A bound, with the methods that give its ends.
#[derive(Clone, Debug)]
pub enum Within {
    /// Compared to the value of this method.
    Compare(Order, String),
    /// Between the values of these, both included.
    Range(String, String),
    /// One of the values of these.
    OneOf(Vec<String>),
    /// This predicate holds, of all variables up to it.
    Where(String),
}

/// A triple, with the methods of the class of its testcase.
#[derive(Clone, Debug)]
pub struct CompiledTriple {
    /// Where it is.
    pub span: Span,
    /// Variables that it sees: the first so many.
    pub seen: usize,
    /// The method that is called.
    pub target: Method,
    /// The variable that is the receiver, if it is one.
    pub receiver: Option<usize>,
    /// For each argument the variable that it is, if it is one.
    pub arguments: Vec<Option<usize>>,
    /// Whether the call makes an object.
    pub is_new: bool,
    /// Where the precondition is.
    pub pre_span: Span,
    /// The precondition: parameters are the variables, then the results of [`CompiledTriple::pre_nested`].
    pub pre: String,
    /// Triples in it.
    pub pre_nested: Vec<usize>,
    /// Variables that the precondition names.
    pub pre_names: Vec<usize>,
    /// Whether the precondition is the constant `true`.
    pub pre_is_true: bool,
    /// The call, as it stands.
    pub run: String,
    /// Takes what was thrown and tells whether that was expected.
    pub throws: Option<String>,
    /// The postcondition: parameters are the variables, the result or exception if any, values of `old`, those of
    /// `modifies`, and the results of [`CompiledTriple::post_nested`].
    pub post: Option<String>,
    /// Triples in it.
    pub post_nested: Vec<usize>,
    /// Variables that the postcondition names.
    pub post_names: Vec<usize>,
    /// Methods that give the values of `old`.
    pub old: Vec<String>,
    /// Methods that give what `modifies` names; whether it names an object rather than a field.
    pub modifies: Vec<(String, bool)>,
}

/// Compiles specifications against a program.
pub struct Compiler<'p> {
    /// The classes that they are about.
    pub program: &'p Program,
}

/// How many choices of types a testcase may have.
const MOST_CHOICES: usize = 256;

impl Compiler<'_> {
    /// Compiles specifications.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn compile(&self, specifications: &[Specification]) -> Result<Compiled, CompileError> {
        let mut wrong = Vec::new();
        let mut cases = Vec::new();
        for (at, specification) in specifications.iter().enumerate() {
            for test in &specification.tests {
                match self.cases_of(specification, test) {
                    Ok(found) => cases.extend(found.into_iter().map(|case| (at, case))),
                    Err(diagnostics) => wrong.extend(diagnostics),
                }
            }
        }
        for (number, (_, case)) in cases.iter_mut().enumerate() {
            case.class = format!("Cupping$Case{number}");
        }
        if !wrong.is_empty() {
            return Err(CompileError::Wrong(wrong));
        }
        if cases.is_empty() {
            return Ok(Compiled::default());
        }
        let folder =
            tempfile::tempdir().map_err(|error| host("a folder for conditions cannot be made", &error))?;
        let opened = self.opened(&cases, folder.path())?;
        let first = self.javac(&cases, None, &folder.path().join("1"), &opened)?;
        let mut types = Vec::new();
        let mut targets = Vec::new();
        for (_, case) in &cases {
            types.push(types_of(case, &first));
            targets.push(targets_of(case, &first)?);
        }
        let second = self.javac(&cases, Some(&types), &folder.path().join("2"), &opened)?;
        let compiled =
            cases.iter().zip(targets).map(|((at, case), targets)| compiled_case(*at, case, targets));
        Ok(Compiled { cases: compiled.collect(), classes: second })
    }

    /// The testcases of a test, for each choice of types.
    fn cases_of<'s>(
        &self,
        specification: &'s Specification,
        test: &'s Test,
    ) -> Result<Vec<Case<'s>>, Vec<Diagnostic>> {
        let source = &specification.source;
        let one = |span, message: String| vec![Diagnostic::new(source, span, message)];
        let written: String = source.slice(test.class).split_whitespace().collect();
        let Some(name) = self.resolve(specification, &written) else {
            let message =
                format!("there is no class {written} on the class path; give its package or import it");
            return Err(one(test.class, message));
        };
        let is_jdk = self.program.find(&name).ok().flatten().is_some_and(|file| file.origin().is_jdk());
        let package = name.rsplit_once('/').filter(|_| !is_jdk).map_or("", |(package, _)| package);
        let mut cases = Vec::new();
        for testcase in &test.testcases {
            let mut choices: Vec<Vec<(String, String)>> = vec![Vec::new()];
            for parameter in &testcase.types {
                let values = self.values_of(specification, parameter)?;
                let name = source.slice(parameter.name);
                choices = choices
                    .iter()
                    .flat_map(|choice| {
                        values.iter().map(|value| {
                            choice.iter().cloned().chain([(name.to_owned(), value.clone())]).collect()
                        })
                    })
                    .collect();
                if choices.len() > MOST_CHOICES {
                    return Err(one(parameter.name, format!("more than {MOST_CHOICES} choices of types")));
                }
            }
            check_names(specification, testcase)?;
            for types in choices {
                let package = package.replace('/', ".");
                cases.push(Case { specification, test, testcase, types, package, class: String::new() });
            }
        }
        Ok(cases)
    }

    /// The internal name of the class that is meant.
    fn resolve(&self, specification: &Specification, written: &str) -> Option<String> {
        let path = written.replace('.', "/");
        let mut candidates = Vec::new();
        if let Some(package) = &specification.package {
            candidates.push(format!("{}/{path}", package.replace('.', "/")));
        }
        for import in &specification.imports {
            let text = specification.source.slice(*import);
            let text: String =
                text.trim_start_matches("import").trim_end_matches(';').split_whitespace().collect();
            let text = text.replace('.', "/");
            match text.strip_suffix("/*") {
                Some(package) => candidates.push(format!("{package}/{path}")),
                None if text.rsplit('/').next() == path.split('/').next() => {
                    let rest = path.split_once('/').map_or(String::new(), |(_, rest)| format!("/{rest}"));
                    candidates.push(format!("{text}{rest}"));
                }
                None => {}
            }
        }
        candidates.push(path.clone());
        candidates.push(format!("java/lang/{path}"));
        candidates.into_iter().find_map(|mut name| {
            loop {
                if self.program.find(&name).ok().flatten().is_some() {
                    return Some(name);
                }
                let slash = name.rfind('/')?;
                name.replace_range(slash..=slash, "$");
            }
        })
    }

    /// The types that a name of `forall` stands for.
    fn values_of(
        &self,
        specification: &Specification,
        parameter: &Parameter,
    ) -> Result<Vec<String>, Vec<Diagnostic>> {
        let source = &specification.source;
        if !parameter.values.is_empty() {
            return Ok(parameter.values.iter().map(|it| source.slice(*it).to_owned()).collect());
        }
        let bound = parameter.bound.unwrap_or(parameter.name);
        let written: String =
            source.slice(bound).split('<').next().unwrap_or_default().split_whitespace().collect();
        let wrong = |message: String| vec![Diagnostic::new(source, bound, message)];
        let Some(super_type) = self.resolve(specification, &written) else {
            return Err(wrong(format!("there is no class {written} on the class path")));
        };
        let mut found = Vec::new();
        for entry in self.program.class_path().entries() {
            for name in entry.class_names().unwrap_or_default() {
                let Ok(Some(file)) = self.program.find(&name) else { continue };
                let usable = file.access.0 & 0x0600 == 0
                    && file.method("<init>", "()V").is_some_and(|it| it.access.0 & 0x0002 == 0);
                if usable && self.is_subtype(&file, &super_type, 0) {
                    found.push(name.replace(['/', '$'], "."));
                }
            }
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            let message =
                format!("no class of the class path extends {written} and can be made; name some: in A, B");
            return Err(wrong(message));
        }
        Ok(found)
    }

    fn is_subtype(&self, file: &ClassFile, super_type: &str, depth: usize) -> bool {
        if *file.name == *super_type {
            return true;
        }
        depth < 64
            && file.super_name.iter().chain(file.interfaces.iter()).any(|name| {
                let parent = self.program.find(name).ok().flatten();
                parent.is_some_and(|parent| self.is_subtype(&parent, super_type, depth + 1))
            })
    }

    /// Writes the classes of the packages under test with nothing private in them; conditions may look at everything.
    fn opened(&self, cases: &[(usize, Case<'_>)], folder: &Path) -> Result<PathBuf, CompileError> {
        let folder = folder.join("opened");
        let mut packages: Vec<&str> = cases.iter().map(|(_, case)| case.package.as_str()).collect();
        packages.sort_unstable();
        packages.dedup();
        for entry in self.program.class_path().entries() {
            for name in entry.class_names().unwrap_or_default() {
                let package = name.rsplit_once('/').map_or("", |(package, _)| package).replace('/', ".");
                let file_name = format!("{name}.class");
                if packages.binary_search(&package.as_str()).is_err() {
                    continue;
                }
                let Some(bytes) = entry.read(&file_name).ok().flatten().and_then(|bytes| raw::opened(&bytes))
                else {
                    continue;
                };
                let path = folder.join(&file_name);
                // The first entry that has a class is the one that counts.
                if !path.exists() {
                    write(&path, &bytes)?;
                }
            }
        }
        Ok(folder)
    }

    /// Compiles the classes of all testcases.
    fn javac(
        &self,
        cases: &[(usize, Case<'_>)],
        types: Option<&[Types]>,
        folder: &Path,
        opened: &Path,
    ) -> Result<Vec<(String, Vec<u8>)>, CompileError> {
        let mut texts: Vec<(PathBuf, Text, usize)> = Vec::new();
        for (at, (_, case)) in cases.iter().enumerate() {
            let text = case.class(types.map(|types| &types[at]));
            let path = folder.join("src").join(format!("{}.java", case.class));
            write(&path, text.text.as_bytes())?;
            texts.push((path, text, at));
        }
        let out = folder.join("out");
        std::fs::create_dir_all(&out)
            .map_err(|error| host("a folder for conditions cannot be made", &error))?;
        let jdk = self.program.jdk();
        let entries = self.program.class_path().entries().map(|entry| entry.path().to_owned());
        let class_path = std::env::join_paths(std::iter::once(opened.to_owned()).chain(entries))
            .map_err(|error| host("the class path cannot be given to javac", &error))?;
        let mut command = Command::new(jdk.javac_binary());
        command.env_remove("JAVA_TOOL_OPTIONS").env_remove("_JAVA_OPTIONS").env_remove("JDK_JAVAC_OPTIONS");
        command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Duser.language=en"]);
        command.args([
            "-g",
            "-nowarn",
            "-proc:none",
            "-implicit:none",
            "-encoding",
            "UTF-8",
            "-Xmaxerrs",
            "1000",
        ]);
        command.arg("-d").arg(&out).arg("-cp").arg(class_path);
        command.args(texts.iter().map(|(path, _, _)| path)).stdin(Stdio::null());
        let output = command.output().map_err(|error| {
            CompileError::Host(format!(
                "{} cannot be run ({error}); name a JDK with --jdk",
                jdk.javac_binary().display()
            ))
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            let wrong = diagnostics(&said, &texts, cases);
            return Err(if wrong.is_empty() {
                CompileError::Host(said.trim().to_owned())
            } else {
                CompileError::Wrong(wrong)
            });
        }
        let mut classes = Vec::new();
        collect(&out, "", &mut classes)
            .map_err(|error| host("compiled conditions cannot be read", &error))?;
        Ok(classes)
    }
}

fn host(what: &str, error: &dyn std::fmt::Display) -> CompileError {
    CompileError::Host(format!("{what}: {error}"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CompileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .map_err(|error| host(&path.display().to_string(), &error))
}

/// The class files below a folder, sorted by name.
fn collect(folder: &Path, prefix: &str, classes: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), classes)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            classes.push((format!("{prefix}{class}"), std::fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// Variables of a testcase have different names, and none that conditions need.
fn check_names(specification: &Specification, testcase: &Testcase) -> Result<(), Vec<Diagnostic>> {
    let source = &specification.source;
    let mut seen: Vec<&str> = Vec::new();
    for statement in &testcase.body {
        let name = match statement {
            Statement::Requirement(it) => it.name,
            Statement::Local { name, .. } => *name,
            _ => continue,
        };
        let text = source.slice(name);
        if matches!(text, "result" | "thrown") {
            return Err(vec![Diagnostic::new(
                source,
                name,
                format!("{text} is what the call comes to; choose another name"),
            )]);
        }
        if seen.contains(&text) {
            return Err(vec![Diagnostic::new(source, name, format!("there is a variable {text} already"))]);
        }
        seen.push(text);
    }
    Ok(())
}

/// What `javac` said, in the words and places of the specification.
fn diagnostics(said: &str, texts: &[(PathBuf, Text, usize)], cases: &[(usize, Case<'_>)]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let lines: Vec<&str> = said.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let Some((file, number)) = place.rsplit_once(':') else { continue };
        let Some((_, text, case)) = texts.iter().find(|(path, _, _)| path.display().to_string() == file)
        else {
            continue;
        };
        let number: usize = number.parse().unwrap_or(1);
        let rest: Vec<&str> = lines[at + 1..]
            .iter()
            .take_while(|it| !it.contains(": error: ") && !it.ends_with(" error"))
            .copied()
            .collect();
        let caret = rest.iter().find(|it| it.trim() == "^").map_or(0, |it| it.find('^').unwrap_or(0));
        let start: usize = text.text.split_inclusive('\n').take(number - 1).map(str::len).sum();
        let details = rest.iter().map(|it| it.trim()).filter(|it| {
            it.starts_with("symbol:") || it.starts_with("required:") || it.starts_with("found:")
        });
        let details: Vec<String> =
            details.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let source = &cases[*case].1.specification.source;
        let span = text.origin(start + caret).unwrap_or(cases[*case].1.testcase.name);
        let message = std::iter::once(message.to_owned()).chain(details).collect::<Vec<_>>().join("; ");
        let diagnostic = Diagnostic::new(source, span, message);
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }
    found.sort_by_key(|it| (it.source.file.clone(), it.span));
    found
}

fn internal(case: &Case<'_>) -> String {
    match case.package.as_str() {
        "" => case.class.clone(),
        package => format!("{}/{}", package.replace('.', "/"), case.class),
    }
}

fn bytes_of<'c>(case: &Case<'_>, classes: &'c [(String, Vec<u8>)]) -> Option<&'c [u8]> {
    let name = internal(case);
    classes.iter().find(|(other, _)| *other == name).map(|(_, bytes)| bytes.as_slice())
}

/// The types that `javac` found, in Java's words.
fn types_of(case: &Case<'_>, classes: &[(String, Vec<u8>)]) -> Types {
    let mut types = Types::new();
    let Some(bytes) = bytes_of(case, classes) else { return types };
    for (number, (triple, _)) in triples(case.testcase).iter().enumerate() {
        let post = triple.post.iter();
        let old = post.clone().flat_map(|post| (0..post.old.len()).map(|at| format!("t{number}_old{at}")));
        let modifies =
            post.clone().flat_map(|post| (0..post.modifies.len()).map(|at| format!("t{number}_mod{at}")));
        let names = old.chain(modifies).map(|name| (name, "value"));
        for (method, variable) in names.chain([(format!("t{number}_type"), "result")]) {
            if let Some(ty) = raw::variable_type(bytes, &method, variable).as_deref().and_then(java_type) {
                types.insert(method, ty);
            }
        }
    }
    types
}

/// The methods that are called.
fn targets_of(case: &Case<'_>, classes: &[(String, Vec<u8>)]) -> Result<Vec<Method>, CompileError> {
    let source = &case.specification.source;
    let bytes = bytes_of(case, classes).unwrap_or_default();
    let file = ClassFile::parse(Arc::from(bytes), "conditions", Origin::Made)
        .map_err(|error| host("javac", &error))?;
    let all = triples(case.testcase);
    let mut targets = Vec::new();
    for (number, (triple, _)) in all.iter().enumerate() {
        let code = file.method(&format!("t{number}_call"), "()V").map(|it| file.code(it));
        let Some(Ok(Some(code))) = code else {
            let message = "the call cannot be found in what javac made of it";
            return Err(CompileError::Wrong(vec![Diagnostic::new(source, triple.call.span, message)]));
        };
        let calls = instructions(&code.bytecode).flatten().filter_map(|instruction| {
            let index = match instruction.operand {
                Operand::Constant(index) => index,
                Operand::InvokeInterface { constant, .. } => constant,
                _ => return None,
            };
            match file.constant(index).ok()? {
                Constant::Method { class, name, descriptor, .. } => Some(Method {
                    class: class.to_string(),
                    name: name.to_string(),
                    descriptor: descriptor.to_string(),
                }),
                _ => None,
            }
        });
        match calls.last() {
            Some(method) => targets.push(method),
            None => {
                let message = "this is no call";
                return Err(CompileError::Wrong(vec![Diagnostic::new(source, triple.call.span, message)]));
            }
        }
    }
    Ok(targets)
}

fn compiled_case(specification: usize, case: &Case<'_>, targets: Vec<Method>) -> CompiledCase {
    let source = &case.specification.source;
    let variables: Vec<(String, bool)> =
        case.variables().into_iter().map(|(_, name, is)| (name, is)).collect();
    let all = triples(case.testcase);
    let variable = |span: Span, seen: usize| {
        let text = source.slice(span);
        variables.iter().take(seen).position(|(name, _)| name == text)
    };
    let names = |condition: &Condition, seen: usize| -> Vec<usize> {
        let words = crate::token::tokens(source.slice(condition.span));
        let words: Vec<&str> =
            words.iter().map(|it| &source.slice(condition.span)[it.span.start..it.span.end]).collect();
        let is_named = |name: &str| {
            words
                .iter()
                .enumerate()
                .any(|(at, word)| *word == name && at.checked_sub(1).is_none_or(|it| words[it] != "."))
        };
        (0..seen).filter(|at| is_named(&variables[*at].0)).collect()
    };
    let nested = |condition: &Condition| condition.nested.iter().map(|it| number_of(&all, it)).collect();
    let compiled = |number: usize, triple: &Triple, seen: usize, target: Method| CompiledTriple {
        span: triple.span,
        seen,
        target,
        receiver: triple.call.receiver.and_then(|it| variable(it, seen)),
        arguments: triple.call.arguments.iter().map(|it| variable(*it, seen)).collect(),
        is_new: triple.call.is_new,
        pre_span: triple.pre.span,
        pre: format!("t{number}_pre"),
        pre_nested: nested(&triple.pre),
        pre_names: names(&triple.pre, seen),
        pre_is_true: source.slice(triple.pre.span) == "true",
        run: format!("t{number}_run"),
        throws: triple.throws.map(|_| format!("t{number}_throws")),
        post: triple.post.as_ref().map(|_| format!("t{number}_post")),
        post_nested: triple.post.as_ref().map(nested).unwrap_or_default(),
        post_names: triple.post.as_ref().map(|it| names(it, seen)).unwrap_or_default(),
        old: triple
            .post
            .iter()
            .flat_map(|it| (0..it.old.len()).map(|at| format!("t{number}_old{at}")))
            .collect(),
        modifies: triple
            .post
            .iter()
            .flat_map(|it| it.modifies.iter().enumerate())
            .map(|(at, (_, inner))| (format!("t{number}_mod{at}"), !source.slice(*inner).contains('.')))
            .collect(),
    };
    let mut steps = Vec::new();
    let mut declared = 0;
    for (step, statement) in case.testcase.body.iter().enumerate() {
        match statement {
            Statement::Requirement(it) => {
                steps.push(match &it.bounds[..] {
                    [Bound::Equal(_)] => Setup::Run(format!("s{step}"), Some(declared)),
                    bounds => Setup::Random(
                        declared,
                        bounds.iter().enumerate().map(|(at, it)| within(it, step, at)).collect(),
                    ),
                });
                declared += 1;
            }
            Statement::Local { value, .. } => {
                if value.is_some() {
                    steps.push(Setup::Run(format!("s{step}"), Some(declared)));
                }
                declared += 1;
            }
            Statement::Java(_) => steps.push(Setup::Run(format!("s{step}"), None)),
            Statement::Triple(triple) => steps.push(Setup::Triple(number_of(&all, triple))),
        }
    }
    let chosen: Vec<&str> = case.types.iter().map(|(_, ty)| ty.as_str()).collect();
    let chosen = if chosen.is_empty() { String::new() } else { format!("<{}>", chosen.join(", ")) };
    let class: String = source.slice(case.test.class).split_whitespace().collect();
    let name = format!("{class}.{}{chosen}", source.slice(case.testcase.name));
    let triples = all.iter().zip(targets).enumerate();
    let triples =
        triples.map(|(number, ((triple, seen), target))| compiled(number, triple, *seen, target)).collect();
    CompiledCase { name, specification, class: internal(case), variables, steps, triples }
}

fn within(bound: &Bound, step: usize, at: usize) -> Within {
    let end = |which: usize| format!("b{step}_{at}_{which}");
    match bound {
        Bound::Equal(_) => Within::OneOf(Vec::new()),
        Bound::Compare(order, _) => Within::Compare(*order, end(0)),
        Bound::Range(_, _) => Within::Range(end(0), end(1)),
        Bound::OneOf(values) => Within::OneOf((0..values.len()).map(end).collect()),
        Bound::Where(_) => Within::Where(format!("w{step}_{at}")),
    }
}
