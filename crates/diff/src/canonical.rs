//! The canonical text of a method body, which is the same for two compilations of one source.
//!
//! Constants are written out instead of numbered, jumps refer to instructions instead of addresses, and local
//! variables are numbered by their first use. Lambdas, synthetic methods, and anonymous and local classes have names
//! that depend on the preceding code in the file; a reference to one is replaced by its content.

use cupping_classfile::instructions::check_targets;
use cupping_classfile::{
    ClassFile, Code, Constant, Instruction, Method, Operand, Program, descriptor, with_other_classes,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A member whose name is irrelevant: class, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenamedMember(Box<str>, Box<str>, Box<str>);

impl RenamedMember {
    /// A field.
    pub fn field(class: &ClassFile, name: &str, descriptor: &str) -> RenamedMember {
        RenamedMember((&*class.name).into(), name.into(), descriptor.into())
    }

    /// A method.
    pub fn method(class: &ClassFile, method: &Method) -> RenamedMember {
        RenamedMember((&*class.name).into(), (&*method.name).into(), (&*method.descriptor).into())
    }
}

/// Produces canonical texts of the classes of a program.
pub struct Canonical<'a> {
    program: &'a Program,
    renamed: FxHashMap<RenamedMember, Box<str>>,
    /// Hashes of classes without a stable name.
    contents: FxHashMap<Box<str>, u64>,
    /// Classes and methods whose content is being written.
    open: Vec<Box<str>>,
}

impl<'a> Canonical<'a> {
    /// For the classes of this program.
    pub fn new(program: &'a Program) -> Canonical<'a> {
        Canonical { program, renamed: FxHashMap::default(), contents: FxHashMap::default(), open: Vec::new() }
    }

    /// Writes this instead of the name of a member from now on.
    pub fn rename(&mut self, member: RenamedMember, token: &str) {
        self.contents.clear();
        self.renamed.insert(member, token.into());
    }

    /// Takes it back.
    pub fn forget(&mut self, member: &RenamedMember) {
        self.contents.clear();
        self.renamed.remove(member);
    }

    /// The canonical text of a body; empty if the method has none. Undecodable code is written as its bytes, so that
    /// it only equals itself.
    pub fn body(&mut self, class: &ClassFile, method: &Method) -> String {
        let Ok(Some(code)) = class.code(method) else { return String::new() };
        let code = Arc::clone(code);
        match check_targets(&code.bytecode) {
            Ok(instructions) => self.text(class, method, &code, &instructions),
            Err(_) => format!("{:?}", &code.bytecode[..]),
        }
    }

    fn text(&mut self, class: &ClassFile, method: &Method, code: &Code, all: &[Instruction]) -> String {
        let mut text = String::new();
        let mut locals = Locals::new(method);
        let place = |pc: u32| all.partition_point(|it| it.pc < pc);
        for instruction in all {
            let _ = match (instruction.literal(), instruction.local()) {
                (Some(literal), _) => write!(text, "push {literal:?}"),
                (None, Some(local)) => {
                    let name = instruction.opcode.mnemonic().split('_').next().unwrap_or_default();
                    write!(text, "{name} {}", locals.number(local))
                }
                (None, None) => match instruction.opcode.mnemonic() {
                    "ldc" | "ldc_w" | "ldc2_w" => write!(text, "push"),
                    "goto_w" => write!(text, "goto"),
                    "tableswitch" | "lookupswitch" => write!(text, "switch"),
                    name => write!(text, "{name}"),
                },
            };
            let _ = match &instruction.operand {
                Operand::LocalIncrement { by, .. } => write!(text, " by {by}"),
                Operand::ArrayType(element) => write!(text, " {element}"),
                Operand::MultiArray { dimensions, .. } => write!(text, " {dimensions}"),
                Operand::Branch(target) => write!(text, " @{}", place(*target)),
                Operand::TableSwitch { default, low, targets } => {
                    // Compilers differ in which of the two switches they choose.
                    let cases = targets.iter().zip(0_i64..).map(|(to, at)| (i64::from(*low) + at, *to));
                    switch(&mut text, cases, *default, &place)
                }
                Operand::LookupSwitch { default, pairs } => {
                    let cases = pairs.iter().map(|(value, to)| (i64::from(*value), *to));
                    switch(&mut text, cases, *default, &place)
                }
                Operand::None
                | Operand::Immediate(_)
                | Operand::Local(_)
                | Operand::Constant(_)
                | Operand::InvokeInterface { .. } => Ok(()),
            };
            if let Some(index) = instruction.constant_index() {
                text.push(' ');
                text += &self.constant(class, index);
            }
            text.push('\n');
        }
        for handler in &code.exception_table {
            let caught = handler.catch_type.as_deref().map_or("any".to_owned(), |name| self.class(name));
            let [start, end, to] = [handler.start, handler.end, handler.handler].map(|pc| place(pc.into()));
            let _ = writeln!(text, "catch {caught} {start}..{end} @{to}");
        }
        text
    }

    fn constant(&mut self, class: &ClassFile, index: u16) -> String {
        let Ok(constant) = class.constant(index) else { return format!("damaged #{index}") };
        match &constant {
            Constant::Integer(value) => format!("Int({value})"),
            Constant::Float(value) => format!("Float {:x}", value.to_bits()),
            Constant::Long(value) => format!("Long {value}"),
            Constant::Double(value) => format!("Double {:x}", value.to_bits()),
            Constant::String(units) => format!("{units:?}"),
            Constant::Class(name) => self.class(name),
            Constant::Field { class: owner, name, descriptor } => {
                let member = RenamedMember((&**owner).into(), (&**name).into(), (&**descriptor).into());
                let named = self.renamed.get(&member).cloned().unwrap_or_else(|| (&**name).into());
                format!("{}.{named} {}", self.class(owner), self.descriptor(descriptor))
            }
            Constant::Method { class: owner, name, descriptor, .. } => self.method(owner, name, descriptor),
            Constant::MethodHandle { kind, reference } => {
                format!("{kind:?} {}", self.constant(class, *reference))
            }
            Constant::MethodType(descriptor) => self.descriptor(descriptor),
            Constant::InvokeDynamic { bootstrap, name, descriptor }
            | Constant::Dynamic { bootstrap, name, descriptor } => {
                let mut text = format!("dynamic {name} {}", self.descriptor(descriptor));
                let Some(method) = class.bootstrap_methods.get(usize::from(*bootstrap)) else { return text };
                for part in [method.handle].iter().chain(&*method.arguments) {
                    text.push(' ');
                    text += &self.constant(class, *part);
                }
                text
            }
            other => format!("{other:?}"),
        }
    }

    /// A reference to a method; of a synthetic one, its content.
    fn method(&mut self, owner: &str, name: &str, descriptor: &str) -> String {
        let member = RenamedMember(owner.into(), name.into(), descriptor.into());
        if let Some(token) = self.renamed.get(&member).cloned() {
            return format!("{token}{}", self.descriptor(descriptor));
        }
        if name.contains('$')
            && let Some(file) = self.own(owner)
            && let Some(method) = file.method(name, descriptor).filter(|it| it.access.is_synthetic())
        {
            let key = format!("{owner}.{name}{descriptor}");
            return match self.enter(&key) {
                Ok(()) => {
                    let body = self.body(&file, method);
                    self.open.pop();
                    format!("synthetic {} {{{body}}}", self.descriptor(descriptor))
                }
                Err(depth) => format!("synthetic ^{depth}"),
            };
        }
        format!("{}.{name}{}", self.class(owner), self.descriptor(descriptor))
    }

    /// Begins to write the content of a class or method; an error with its depth if it is already being written.
    fn enter(&mut self, key: &str) -> Result<(), usize> {
        match self.open.iter().position(|it| **it == *key) {
            Some(depth) => Err(depth),
            None => {
                self.open.push(key.into());
                Ok(())
            }
        }
    }

    fn own(&self, class: &str) -> Option<Arc<ClassFile>> {
        self.program.find(class).ok().flatten().filter(|it| !it.origin().is_jdk())
    }

    /// The name of a class, of an array class by its descriptor; of one without a stable name, its content.
    fn class(&mut self, name: &str) -> String {
        if name.starts_with('[') {
            return self.descriptor(name);
        }
        if !name.contains('$') {
            return name.to_owned();
        }
        let Some(file) = self.own(name).filter(|it| !has_stable_name(it)) else { return name.to_owned() };
        if let Some(known) = self.contents.get(name) {
            return format!("class#{known:016x}");
        }
        if let Err(depth) = self.enter(name) {
            return format!("class^{depth}");
        }
        let is_outermost = self.open.len() == 1;
        let content = self.content(&file);
        self.open.pop();
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let hash = hasher.finish();
        // Inside of another class, the content may refer to that class by its depth.
        if is_outermost {
            self.contents.insert(name.into(), hash);
        }
        format!("class#{hash:016x}")
    }

    /// Everything about a class that code can observe: supertypes, fields, methods.
    fn content(&mut self, file: &ClassFile) -> String {
        let mut parts: Vec<String> = Vec::new();
        for field in &file.fields {
            parts.push(format!("{:x} {} {}", field.access.0, field.name, self.descriptor(&field.descriptor)));
        }
        let is_named = |it: &&Method| !it.access.is_synthetic() || it.access.is_bridge();
        for method in file.methods.iter().filter(is_named) {
            let (descriptor, body) = (self.descriptor(&method.descriptor), self.body(file, method));
            parts.push(format!("{:x} {}{descriptor} {{{body}}}", method.access.0, method.name));
        }
        parts.sort();
        let above: Vec<&Arc<str>> = file.super_name.iter().chain(&*file.interfaces).collect();
        let above: Vec<String> = above.into_iter().map(|name| self.class(name)).collect();
        format!("{above:?} {parts:?}")
    }

    /// A descriptor, with the content of classes that have no stable name.
    fn descriptor(&mut self, descriptor: &str) -> String {
        if !descriptor.contains('$') {
            return descriptor.to_owned();
        }
        let other: BTreeMap<&str, String> =
            descriptor::classes(descriptor).map(|name| (name, self.class(name))).collect();
        with_other_classes(descriptor, |name| other.get(name).cloned())
            .unwrap_or_else(|| descriptor.to_owned())
    }
}

/// Whether the source names a class: anonymous, local and synthetic classes are numbered by the compiler.
pub fn has_stable_name(class: &ClassFile) -> bool {
    class.enclosing_method.is_none() && !class.access.is_synthetic()
}

fn switch(
    text: &mut String,
    cases: impl Iterator<Item = (i64, u32)>,
    default: u32,
    place: &dyn Fn(u32) -> usize,
) -> std::fmt::Result {
    for (value, to) in cases.filter(|(_, to)| *to != default) {
        write!(text, " {value}@{}", place(to))?;
    }
    write!(text, " else@{}", place(default))
}

/// Numbers of local variables by their first use; parameters keep theirs.
struct Locals {
    known: FxHashMap<u16, usize>,
}

impl Locals {
    fn new(method: &Method) -> Locals {
        let arguments = cupping_classfile::descriptor::argument_slots(&method.descriptor).unwrap_or_default();
        let count = arguments.saturating_add(u16::from(!method.access.is_static()));
        Locals { known: (0..count).map(|at| (at, usize::from(at))).collect() }
    }

    fn number(&mut self, slot: u16) -> usize {
        let next = self.known.len();
        *self.known.entry(slot).or_insert(next)
    }
}
