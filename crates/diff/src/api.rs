//! Changes that clients notice when they are compiled or linked against the new version (JLS chapter 13).

use cupping_classfile::{AccessFlags, ClassFile, Field, FieldType, Method, Program, descriptor};
use std::fmt;

/// The kind of incompatibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breakage {
    /// Clients that were compiled against the old version, and those that are recompiled.
    BinaryAndSource,
    /// Compiled clients still work; some have to be changed before they compile again.
    Source,
    /// Compiled clients still work, but keep the old value of a constant until they are recompiled (JLS §13.4.9).
    Recompilation,
    /// Nothing.
    Nothing,
}

impl fmt::Display for Breakage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Breakage::BinaryAndSource => "breaks compiled clients and sources",
            Breakage::Source => "breaks sources",
            Breakage::Recompilation => "compiled clients keep the old value",
            Breakage::Nothing => "compatible",
        })
    }
}

/// A change of what clients can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiChange {
    /// The class, field or method, as Java writes it: `org.x.Y.put(int)`.
    pub place: String,
    /// The change.
    pub what: String,
    /// What the change breaks.
    pub breaks: Breakage,
    /// The section of the JLS.
    pub section: &'static str,
}

/// The changes of a class that clients can name in either version.
pub fn changes(
    old: &Program,
    new: &Program,
    was: Option<&ClassFile>,
    is: Option<&ClassFile>,
) -> Vec<ApiChange> {
    let is_seen = |program: &Program, class: &&ClassFile| is_accessible(program, class);
    let (was, now) = (was.filter(|it| is_seen(old, it)), is.filter(|it| is_seen(new, it)));
    let mut found = ApiDifferences { changes: Vec::new(), class: String::new() };
    match (was, now) {
        (Some(was), None) => {
            found.class = was.name.replace(['/', '$'], ".");
            let what = if is.is_some() { "is no longer public" } else { "is removed" };
            found.add("", what, Breakage::BinaryAndSource, "13.4.3");
        }
        (None, Some(is)) => {
            found.class = is.name.replace(['/', '$'], ".");
            found.add("", "is added", Breakage::Nothing, "13.3");
        }
        (Some(was), Some(is)) => {
            found.class = is.name.replace(['/', '$'], ".");
            found.declaration(new, was, is);
            found.methods(new, was, is);
            found.fields(was, is);
        }
        (None, None) => {}
    }
    found.changes.sort_by(|a, b| (a.breaks, &a.place).cmp(&(b.breaks, &b.place)));
    found.changes
}

/// Whether clients of other packages can name a class: it and its enclosing classes are public or protected.
pub fn is_accessible(program: &Program, class: &ClassFile) -> bool {
    let own = class.inner_classes.iter().find(|it| it.inner == class.name);
    let Some(own) = own else { return class.access.is_public() };
    let is_open = own.access.has_any(AccessFlags::PUBLIC.or(AccessFlags::PROTECTED));
    let outer = own.outer.as_ref().and_then(|name| program.find(name).ok().flatten());
    is_open && outer.is_some_and(|outer| is_accessible(program, &outer))
}

struct ApiDifferences {
    changes: Vec<ApiChange>,
    class: String,
}

const OPEN: AccessFlags = AccessFlags::PUBLIC.or(AccessFlags::PROTECTED);

impl ApiDifferences {
    fn add(&mut self, member: &str, what: impl Into<String>, breaks: Breakage, section: &'static str) {
        let place = if member.is_empty() { self.class.clone() } else { format!("{}.{member}", self.class) };
        self.changes.push(ApiChange { place, what: what.into(), breaks, section });
    }

    fn declaration(&mut self, new: &Program, was: &ClassFile, is: &ClassFile) {
        let gained = |flag: AccessFlags| is.access.has_any(flag) && !was.access.has_any(flag);
        if was.access.is_interface() != is.access.is_interface() {
            let what = if is.access.is_interface() { "is an interface now" } else { "is a class now" };
            self.add("", what, Breakage::BinaryAndSource, "13.4.1");
        } else if gained(AccessFlags::ABSTRACT) {
            self.add("", "is abstract now", Breakage::BinaryAndSource, "13.4.1");
        }
        if gained(AccessFlags::FINAL) {
            // Without a constructor that they can call, clients have no subclasses.
            const OPEN: AccessFlags = AccessFlags::PUBLIC.or(AccessFlags::PROTECTED);
            let has_subclasses =
                was.methods.iter().any(|it| &*it.name == "<init>" && it.access.has_any(OPEN));
            let breaks = if has_subclasses { Breakage::BinaryAndSource } else { Breakage::Nothing };
            self.add("", "is final now", breaks, "13.4.2");
        }
        for name in was.super_name.iter().chain(&*was.interfaces) {
            if &**name != "java/lang/Object" && !is_below(new, is, name, 0) {
                let what = format!("is no longer {}", name.replace(['/', '$'], "."));
                self.add("", what, Breakage::BinaryAndSource, "13.4.4");
            }
        }
    }

    fn methods(&mut self, new: &Program, was: &ClassFile, is: &ClassFile) {
        let is_seen =
            |it: &&Method| it.access.has_any(OPEN) && !it.access.is_synthetic() && &*it.name != "<clinit>";
        for method in was.methods.iter().filter(is_seen) {
            let name = signature(was, method);
            let Some(other) = is.method(&method.name, &method.descriptor) else {
                if &*method.name != "<init>" && is_inherited(new, is, method, 0) {
                    self.add(&name, "is inherited now", Breakage::Nothing, "13.4.5");
                    continue;
                }
                let parameters = |it: &str| it.split(')').next().map(str::to_owned);
                let sibling = is.methods.iter().find(|it| {
                    it.name == method.name && parameters(&it.descriptor) == parameters(&method.descriptor)
                });
                match sibling.and_then(|it| it.descriptor.split_once(')')) {
                    Some((_, result)) => {
                        let what = format!("returns {} now", type_name(result));
                        self.add(&name, what, Breakage::BinaryAndSource, "13.4.15");
                    }
                    None => self.add(&name, "is removed", Breakage::BinaryAndSource, "13.4.12"),
                }
                continue;
            };
            self.method(&name, method, other);
        }
        for method in is.methods.iter().filter(is_seen) {
            if was.method(&method.name, &method.descriptor).is_some() {
                continue;
            }
            let name = signature(is, method);
            let binds = method.access.is_abstract() && !was.access.is_final();
            match binds {
                true => {
                    self.add(&name, "is added, and subclasses must implement it", Breakage::Source, "13.5.3")
                }
                false => self.add(&name, "is added", Breakage::Nothing, "13.4.12"),
            }
        }
    }

    fn method(&mut self, name: &str, was: &Method, is: &Method) {
        if !is.access.has_any(OPEN) {
            self.add(name, "is no longer accessible", Breakage::BinaryAndSource, "13.4.7");
        } else if was.access.is_public() && !is.access.is_public() {
            self.add(name, "is protected now", Breakage::BinaryAndSource, "13.4.7");
        }
        if was.access.is_static() != is.access.is_static() {
            let what = if is.access.is_static() { "is static now" } else { "is no longer static" };
            self.add(name, what, Breakage::BinaryAndSource, "13.4.19");
        }
        if is.access.is_abstract() && !was.access.is_abstract() {
            self.add(name, "is abstract now", Breakage::BinaryAndSource, "13.4.16");
        }
        if is.access.is_final() && !was.access.is_final() && !was.access.is_static() {
            self.add(name, "is final now", Breakage::BinaryAndSource, "13.4.17");
        }
        let more = is.exceptions.iter().filter(|it| !was.exceptions.contains(it));
        let more: Vec<String> = more.map(|it| it.replace(['/', '$'], ".")).collect();
        if !more.is_empty() {
            self.add(name, format!("declares {} now", more.join(", ")), Breakage::Source, "13.4.21");
        }
    }

    fn fields(&mut self, was: &ClassFile, is: &ClassFile) {
        let is_seen = |it: &&Field| it.access.has_any(OPEN) && !it.access.is_synthetic();
        for field in was.fields.iter().filter(is_seen) {
            let Some(other) = is.field(&field.name).filter(|it| it.access.has_any(OPEN)) else {
                self.add(&field.name, "is removed", Breakage::BinaryAndSource, "13.4.8");
                continue;
            };
            if field.descriptor != other.descriptor {
                let what = format!("has type {} now", type_name(&other.descriptor));
                self.add(&field.name, what, Breakage::BinaryAndSource, "13.4.8");
            }
            if field.access.is_static() != other.access.is_static() {
                let what = if other.access.is_static() { "is static now" } else { "is no longer static" };
                self.add(&field.name, what, Breakage::BinaryAndSource, "13.4.10");
            }
            if other.access.is_final() && !field.access.is_final() {
                self.add(&field.name, "is final now", Breakage::BinaryAndSource, "13.4.9");
            }
            let value = |class: &ClassFile, it: &Field| {
                it.constant_value.and_then(|at| class.constant(at).ok()).map(|it| format!("{it:?}"))
            };
            if value(was, field) != value(is, other) {
                self.add(&field.name, "has another constant value", Breakage::Recompilation, "13.4.9");
            }
        }
        for field in is.fields.iter().filter(is_seen).filter(|it| was.field(&it.name).is_none()) {
            self.add(&field.name, "is added", Breakage::Nothing, "13.4.8");
        }
    }
}

/// Supertypes looked through on the way to one.
const MAX_ABOVE: usize = 64;

/// Whether a class has this supertype.
fn is_below(program: &Program, class: &ClassFile, name: &str, depth: usize) -> bool {
    class.super_name.iter().chain(&*class.interfaces).any(|above| {
        **above == *name
            || depth < MAX_ABOVE
                && program
                    .find(above)
                    .ok()
                    .flatten()
                    .is_some_and(|it| is_below(program, &it, name, depth + 1))
    })
}

/// Whether a class inherits a method that it does not declare.
fn is_inherited(program: &Program, class: &ClassFile, method: &Method, depth: usize) -> bool {
    class.super_name.iter().chain(&*class.interfaces).any(|above| {
        let Some(above) = program.find(above).ok().flatten() else { return false };
        let own = above.method(&method.name, &method.descriptor);
        own.is_some_and(|it| it.access.has_any(OPEN))
            || depth < MAX_ABOVE && is_inherited(program, &above, method, depth + 1)
    })
}

/// A method as Java writes it: `put(int, String)`; a constructor has the name of its class.
pub fn signature(class: &ClassFile, method: &Method) -> String {
    let name = match &*method.name {
        "<init>" => class.name.rsplit(['/', '$']).next().unwrap_or(&class.name),
        name => name,
    };
    format!("{name}({})", parameters(&method.descriptor).join(", "))
}

fn parameters(method: &str) -> Vec<String> {
    descriptor::parameters(method).into_iter().flatten().flatten().map(type_name).collect()
}

/// A type as Java writes it, without its package.
pub fn type_name(descriptor: &str) -> String {
    let Some(ty) = FieldType::parse(descriptor) else {
        return if descriptor == "V" { "void".into() } else { descriptor.into() };
    };
    let name = ty.java_name();
    name.rsplit(['.', '$']).next().unwrap_or(&name).to_owned()
}
