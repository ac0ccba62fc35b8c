//! Random Java classes, each in two versions with the same lines: one to analyse, and one that reports the
//! definitions and uses that it executes.

mod constructors;

use crate::random::Random;
use crate::text::Text;
use std::fmt::Write as _;

/// A class in both versions.
pub struct Classes {
    /// Its name, without a package.
    pub name: String,
    /// Files of the package `plain`, to analyse: name and text.
    pub plain: Vec<(String, String)>,
    /// The files of the package `watched`, which calls `Watch`.
    pub watched: Vec<(String, String)>,
}

/// A variable.
#[derive(Clone)]
struct Variable {
    name: String,
    is_static: bool,
}

/// A method that others may call.
#[derive(Clone)]
struct Method {
    name: String,
    parameters: usize,
    is_static: bool,
}

/// The text of one file.
struct File<'r> {
    random: &'r mut Random,
    class: String,
    text: Text,
    line: usize,
    variables: Vec<Variable>,
    methods: Vec<Method>,
    /// Whether the code in the making is static.
    is_static: bool,
    /// Parameters and locals in scope.
    locals: Vec<String>,
    made_locals: usize,
    /// Methods that the code being generated may call: only earlier ones, so that calls end.
    callable: usize,
    /// The numbers of parameters of the constructors that the code in the making may call for another object.
    makers: Vec<usize>,
    /// Whether there is a nested class, which stores and calls the first method.
    has_nested: bool,
    /// The type of a `return` here; `None` in a lambda, which has none.
    returns: Option<Returns>,
    /// The expression for the object under test.
    this: String,
}

/// Whether the code in the making returns a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returns {
    Nothing,
    Number,
}

const THROWN: [(&str, &str); 2] = [
    ("IllegalStateException", "IllegalStateException()"),
    ("IllegalArgumentException", "IllegalArgumentException()"),
];
const CAUGHT: [&str; 6] = [
    "IllegalStateException",
    "RuntimeException",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "AssertionError",
    "Throwable",
];

impl File<'_> {
    fn put(&mut self, line: &Text) {
        let _ = writeln!(self.text.plain, "{}", line.plain);
        let _ = writeln!(self.text.watched, "{}", line.watched);
        self.line += 1;
    }

    fn put_same(&mut self, line: &str) {
        self.put(&Text::same(line));
    }

    fn owner(&self, variable: &Variable) -> &str {
        if variable.is_static { "null" } else { &self.this }
    }

    /// `Watch.use(this, "a", "C:12", a)`.
    fn watch(&self, what: &str, variable: &Variable, value: &str) -> String {
        let (owner, place) = (self.owner(variable), format!("{}:{}", self.class, self.line));
        format!("Watch.{what}({owner}, \"{}\", \"{place}\", {value})", variable.name)
    }

    fn variable(&mut self) -> Option<Variable> {
        let fits: Vec<Variable> =
            self.variables.iter().filter(|v| v.is_static || !self.is_static).cloned().collect();
        (!fits.is_empty()).then(|| self.random.choice(&fits).clone())
    }

    fn number(&mut self) -> Text {
        Text::same(self.random.choice(&["0", "1", "2", "3", "5", "-1"]).to_string())
    }

    /// An index, mostly of an array of three.
    fn index(&mut self) -> Text {
        if !self.locals.is_empty() && self.random.percent(30) {
            let local = self.random.choice(&self.locals).clone();
            return Text::same(local);
        }
        Text::same(self.random.choice(&["0", "1", "2", "0", "1", "3"]).to_string())
    }

    fn atom(&mut self) -> Text {
        if self.random.percent(50)
            && let Some(variable) = self.variable()
        {
            return Text {
                plain: variable.name.clone(),
                watched: self.watch("use", &variable, &variable.name),
            };
        }
        if !self.locals.is_empty() && self.random.percent(50) {
            let local = self.random.choice(&self.locals).clone();
            return Text::same(local);
        }
        if !self.is_static && self.random.percent(15) {
            let index = self.index();
            let cells = Variable { name: "cells".into(), is_static: false };
            let plain = format!("cells[{}]", index.plain);
            return Text { watched: self.watch("use", &cells, &plain), plain };
        }
        self.number()
    }

    fn expression(&mut self) -> Text {
        let first = self.atom();
        if self.random.percent(55) {
            return first;
        }
        let operator = *self.random.choice(&["+", "-", "+", "-", "*", "/", "%"]);
        let second = self.atom();
        Text::form(&format!("({{}} {operator} {{}})"), &[&first, &second])
    }

    fn condition(&mut self) -> Text {
        let (first, second) = (self.expression(), self.atom());
        let operator = *self.random.choice(&["==", "!=", "<", ">", "=="]);
        Text::form(&format!("{{}} {operator} {{}}"), &[&first, &second])
    }

    fn call(&mut self) -> Option<Text> {
        let fits: Vec<Method> = self.methods[..self.callable]
            .iter()
            .filter(|m| m.is_static || !self.is_static)
            .cloned()
            .collect();
        if fits.is_empty() {
            return None;
        }
        let method = self.random.choice(&fits).clone();
        let arguments: Vec<Text> = (0..method.parameters).map(|_| self.atom()).collect();
        let holes = vec!["{}"; arguments.len()].join(", ");
        let text = Text::form(&format!("{}({holes})", method.name), &arguments.iter().collect::<Vec<_>>());
        Some(text)
    }

    fn block(&mut self, depth: usize) {
        let known = self.locals.len();
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.locals.truncate(known);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 7 } else { 15 }) {
            3 if !self.is_static => self.element(),
            0..=3 => self.assignment(),
            4 => {
                let local = format!("l{}", self.made_locals);
                self.made_locals += 1;
                let value = self.expression();
                self.put(&Text::form(&format!("int {local} = {{}};"), &[&value]));
                self.locals.push(local);
            }
            5 if self.has_nested && !self.is_static && self.callable > 0 && self.random.percent(40) => {
                self.put_same("new N().go();");
            }
            5 if !self.makers.is_empty() && self.random.percent(40) => {
                let parameters = *self.random.choice(&self.makers);
                let arguments: Vec<Text> = (0..parameters).map(|_| self.atom()).collect();
                let holes = vec!["{}"; parameters].join(", ");
                let form = format!("new {}({holes});", self.class);
                self.put(&Text::form(&form, &arguments.iter().collect::<Vec<_>>()));
            }
            5 => match self.call() {
                Some(call) => self.put(&Text::form("{};", &[&call])),
                None => self.assignment(),
            },
            6 => {
                let condition = self.condition();
                self.put(&Text::form("assert {};", &[&condition]));
            }
            7 | 8 => {
                let condition = self.condition();
                self.put(&Text::form("if ({}) {", &[&condition]));
                self.block(depth - 1);
                if self.random.percent(40) {
                    self.put_same("} else {");
                    self.block(depth - 1);
                }
                self.put_same("}");
            }
            9 => {
                let condition = self.condition();
                let (_, made) = *self.random.choice(&THROWN);
                self.put(&Text::form(&format!("if ({{}}) throw new {made};"), &[&condition]));
            }
            10 => self.guarded(depth),
            12 if self.returns.is_some() => {
                let condition = self.condition();
                let value = match self.returns {
                    Some(Returns::Number) => self.atom(),
                    _ => Text::same(""),
                };
                self.put(&Text::form("if ({}) return {};", &[&condition, &value]));
            }
            13 => self.lambda(),
            11 => {
                let value = self.expression();
                self.put(&Text::form("switch ({}) {", &[&value]));
                for label in ["case 0:", "case 2:", "default:"] {
                    self.put_same(label);
                    self.block(depth - 1);
                    if self.random.percent(70) {
                        self.put_same("break;");
                    }
                }
                self.put_same("}");
            }
            _ => {
                let counter = format!("i{}", self.made_locals);
                self.made_locals += 1;
                let times = 1 + self.random.below(4);
                self.put_same(&format!("for (int {counter} = 0; {counter} < {times}; {counter}++) {{"));
                self.block(depth - 1);
                self.put_same("}");
            }
        }
    }

    fn guarded(&mut self, depth: usize) {
        self.put_same("try {");
        self.block(depth - 1);
        let is_caught = self.random.percent(75);
        if is_caught {
            let name = *self.random.choice(&CAUGHT);
            let caught = format!("e{}", self.made_locals);
            self.made_locals += 1;
            self.put_same(&format!("}} catch ({name} {caught}) {{"));
            self.block(depth - 1);
        }
        if !is_caught || self.random.percent(30) {
            self.put_same("} finally {");
            self.block(depth - 1);
        }
        self.put_same("}");
    }

    /// Code that is handed on as an object, and called.
    fn lambda(&mut self) {
        let name = format!("r{}", self.made_locals);
        self.made_locals += 1;
        // Locals that are changed cannot be used there.
        let (locals, returns) = (std::mem::take(&mut self.locals), self.returns.take());
        self.put_same(&format!("Runnable {name} = () -> {{"));
        self.assignment();
        if self.random.percent(50) {
            self.assignment();
        }
        self.put_same("};");
        (self.locals, self.returns) = (locals, returns);
        self.put_same(&format!("{name}.run();"));
    }

    /// A class whose method stores to fields of the enclosing object, and calls the first method.
    fn nested(&mut self) {
        self.put_same("class N { void go() {");
        let this = format!("{}.this", self.class);
        let around = std::mem::replace(&mut self.this, this);
        self.is_static = false;
        let calls_at = self.random.below(3);
        for at in 0..1 + self.random.below(3) {
            if at == calls_at {
                let arguments = if self.methods[0].parameters == 1 { "1" } else { "" };
                self.put_same(&format!("m0({arguments});"));
            }
            let Some(variable) = self.variable() else { continue };
            let value = self.number().plain;
            let stored = self.watch("define", &variable, &value);
            self.put(&Text {
                plain: format!("{} = {value};", variable.name),
                watched: format!("{} = {stored};", variable.name),
            });
        }
        self.this = around;
        self.put_same("} }");
    }

    fn assignment(&mut self) {
        let Some(variable) = self.variable() else { return self.put_same(";") };
        let value = self.expression();
        let stored = self.watch("define", &variable, &value.watched);
        self.put(&Text {
            plain: format!("{} = {};", variable.name, value.plain),
            watched: format!("{} = {stored};", variable.name),
        });
    }

    /// A store to an element, directly or by a helper. Only a call defines even if it throws.
    fn element(&mut self) {
        let (index, value) = (self.index(), self.atom());
        let cells = Variable { name: "cells".into(), is_static: false };
        let noted = self.watch("define", &cells, "0");
        if self.random.percent(30) {
            let form = |index: &str, value: &str| format!("put(cells, {index}, {value});");
            return self.put(&Text {
                plain: form(&index.plain, &value.plain),
                watched: form(&index.watched, &format!("{} + 0 * {noted}", value.watched)),
            });
        }
        self.put(&Text {
            plain: format!("cells[{}] = {};", index.plain, value.plain),
            watched: format!("cells[{}] = {}; {noted};", index.watched, value.watched),
        });
    }

    fn field(&mut self, variable: &Variable) {
        let keyword = if variable.is_static { "static " } else { "" };
        if self.random.percent(50) {
            self.put_same(&format!("protected {keyword}int {};", variable.name));
        } else {
            let value = self.number().plain;
            let stored = self.watch("define", variable, &value);
            self.put(&Text {
                plain: format!("protected {keyword}int {} = {value};", variable.name),
                watched: format!("protected {keyword}int {} = {stored};", variable.name),
            });
        }
    }

    fn method(&mut self, name: &str) {
        let is_static = self.variables.iter().any(|v| v.is_static) && self.random.percent(15);
        let is_private = self.random.percent(25);
        let has_result = self.random.percent(50);
        let parameters = self.random.below(3).min(1);
        (self.is_static, self.made_locals, self.callable) = (is_static, 0, self.methods.len());
        self.returns = Some(if has_result { Returns::Number } else { Returns::Nothing });
        self.locals = (0..parameters).map(|at| format!("p{at}")).collect();
        let list: Vec<String> = self.locals.iter().map(|local| format!("int {local}")).collect();
        let visible = if is_private { "private" } else { "public" };
        let keyword = if is_static { "static " } else { "" };
        let result = if has_result { "int" } else { "void" };
        self.put_same(&format!("{visible} {keyword}{result} {name}({}) {{", list.join(", ")));
        if parameters == 1 && self.random.percent(15) {
            // Recursion that ends.
            let call = if has_result { format!("p0 += {name}(p0 - 1);") } else { format!("{name}(p0 - 1);") };
            self.put_same(&format!("if (p0 > 0 && p0 < 4) {{ {call} }}"));
        }
        self.block(2);
        if has_result {
            let value = self.expression();
            self.put(&Text::form("return {};", &[&value]));
        }
        self.put_same("}");
        self.methods.push(Method { name: name.into(), parameters, is_static });
    }
}

fn open<'r>(random: &'r mut Random, class: &str, declaration: &str) -> File<'r> {
    let text = Text { plain: "package plain;\n".into(), watched: "package watched;\n".into() };
    let mut file = File {
        random,
        class: class.into(),
        text,
        line: 2,
        variables: Vec::new(),
        methods: Vec::new(),
        is_static: false,
        locals: Vec::new(),
        made_locals: 0,
        callable: 0,
        makers: Vec::new(),
        has_nested: false,
        returns: None,
        this: "this".into(),
    };
    file.put_same(declaration);
    file
}

/// The class of a seed.
pub fn class(seed: u64) -> Classes {
    let mut random = Random::new(seed);
    let name = format!("C{seed}");
    let (mut plain, mut watched) = (Vec::new(), Vec::new());
    let has_base = random.percent(35);
    let (mut variables, mut statics) = (Vec::new(), Vec::new());
    let base = format!("B{seed}");
    if has_base {
        let mut file = open(&mut random, &base, &format!("public class {base} {{"));
        for name in ["p", "q"] {
            let variable = Variable { name: name.into(), is_static: false };
            file.field(&variable);
            file.variables.push(variable);
        }
        file.cells();
        for at in 0..1 + file.random.below(2) {
            file.method(&format!("b{at}"));
        }
        variables = file.variables.clone();
        file.put_same("}");
        plain.push((base.clone(), file.text.plain));
        watched.push((base.clone(), file.text.watched));
    }
    let above = if has_base { format!(" extends {base}") } else { String::new() };
    let mut file = open(&mut random, &name, &format!("public class {name}{above} {{"));
    file.variables = std::mem::take(&mut variables);
    file.has_nested = file.random.percent(30);
    for at in 0..2 + file.random.below(2) {
        let is_static = file.random.percent(15);
        let variable = Variable { name: ["a", "b", "c"][at].into(), is_static };
        let before = file.text.watched.len();
        file.field(&variable);
        if is_static {
            let line = file.text.watched[before..].trim().to_owned();
            statics.push((variable.name.clone(), line));
        }
        file.variables.push(variable);
    }
    if !has_base {
        file.cells();
    }
    // Constructors call the methods before them; those behind them make other objects.
    let before = file.random.below(3);
    for at in 0..before {
        file.method(&format!("m{at}"));
    }
    file.constructors(&name);
    for at in before..3 + file.random.below(3) {
        file.method(&format!("m{at}"));
    }
    if file.has_nested {
        file.nested();
    }
    // The watched version can begin anew.
    let mut reset = String::from("public static void reset() {");
    for (name, line) in &statics {
        let value = line.split_once(" = ").map_or("0;", |(_, value)| value);
        let _ = write!(reset, " {name} = {value}");
    }
    file.put(&Text { plain: String::new(), watched: reset + " }" });
    file.put_same("}");
    plain.push((name.clone(), file.text.plain));
    watched.push((name.clone(), file.text.watched));
    Classes { name, plain, watched }
}

impl File<'_> {
    fn cells(&mut self) {
        self.put_same("static void put(int[] into, int at, int value) { into[at] = value; }");
        let cells = Variable { name: "cells".into(), is_static: false };
        let stored = self.watch("define", &cells, "new int[3]");
        self.put(&Text {
            plain: "protected int[] cells = new int[3];".into(),
            watched: format!("protected int[] cells = {stored};"),
        });
    }
}
