//! The answers of a program to the queries recorded by a computation ([`crate::reads`]).

use crate::annotations::write_annotations;
use crate::attributes::InnerClass;
use crate::class_file::{ClassFile, Declaration, Method};
use crate::class_path::ClassPathEntry;
use crate::code::Code;
use crate::constant::Constant;
use crate::error::Result;
use crate::facts::FactKind;
use crate::folder::ListedKind;
use crate::instructions::{Operand, instructions};
use crate::program::Program;
use crate::reads::{Read, without_recording};
use std::sync::Arc;

impl Program {
    /// Passes the answer to a query in parts, as bytes that differ if answers differ. Errors are answers.
    /// Facts of kinds that are not in `facts` are answered by the whole body.
    pub fn answer(&self, read: &Read, facts: &[FactKind], part: &mut dyn FnMut(&[u8])) {
        without_recording(|| match read {
            Read::Declaration(name) => self.of_class(name, part, &declaration),
            Read::Body(name, method) => self.of_class(name, part, &|class, part| body(class, method, part)),
            Read::Fact(kind, name, method) => {
                let kind = facts.iter().find(|it| *it.name == **kind);
                self.of_class(name, part, &|class, part| fact(class, method, kind, part));
            }
            Read::Lines(name, method) => self.of_class(name, part, &|class, part| lines(class, method, part)),
            Read::Texts(name) => self.of_class(name, part, &|class, part| {
                line(&format!("{:?}", class.texts()), part);
            }),
            Read::Mentions(name) => {
                self.of_class(name, part, &|class, part| {
                    class.mentions().iter().for_each(|it| line(it, part))
                });
            }
            Read::Linked(name) => self.of_class(name, part, &|class, part| self.missing(class, part)),
            Read::Class(name) => self.of_class(name, part, &|class, part| part(class.bytes())),
            Read::Resource(name) => match self.resource(name) {
                Ok(Some(bytes)) => part(&bytes),
                Ok(None) => part(b"none"),
                Err(error) => part(error.to_string().as_bytes()),
            },
            Read::File(name) => self.class_path().entries().for_each(|entry| file(entry, name, part)),
            Read::Package(name, deep) => {
                names(self.classes_of_package(name, *deep).map(|it| it.to_vec()), part)
            }
            Read::Subclasses(name) => self.subclasses(name).iter().for_each(|it| line(it, part)),
            Read::Names => self.class_path().entries().for_each(|entry| names(entry.class_names(), part)),
            Read::Listing => self.class_path().entries().for_each(|entry| listing(entry, part)),
            Read::Everything => self.class_path().entries().for_each(|entry| everything(entry, part)),
            Read::Jar(place) => {
                let jar = self.class_path().entries().nth(*place).filter(|it| it.is_jar());
                jar.into_iter().for_each(|it| everything(it, part));
            }
        });
    }

    fn of_class(&self, name: &str, part: Part<'_>, answer: &dyn Fn(&ClassFile, Part<'_>)) {
        match self.find(name) {
            Ok(Some(class)) => answer(&class, part),
            Ok(None) => part(b"none"),
            Err(error) => part(error.to_string().as_bytes()),
        }
    }

    /// The classes that a class names and that are missing: the verifier may need them.
    fn missing(&self, class: &ClassFile, part: Part<'_>) {
        let mentions = class.mentions();
        mentions.iter().filter(|it| !matches!(self.find(it), Ok(Some(_)))).for_each(|it| line(it, part));
    }
}

/// Receives an answer, part by part.
type Part<'a> = &'a mut dyn FnMut(&[u8]);

/// How deeply bootstrap arguments of dynamic constants may be nested to be followed.
const DEEPEST_CONSTANT: u32 = 16;

/// A method by name with descriptor.
fn method_of<'c>(class: &'c ClassFile, method: &str) -> Option<&'c Method> {
    class.methods.iter().find(|it| *it.id() == *method)
}

/// The code of a method by name with descriptor; `None` if there is no such method.
fn code_of<'c>(class: &'c ClassFile, method: &str) -> Option<Result<Option<&'c Arc<Code>>>> {
    method_of(class, method).map(|it| class.code(it))
}

/// A fact of a method body.
fn fact(class: &ClassFile, method: &str, kind: Option<&FactKind>, part: Part<'_>) {
    match (kind, method_of(class, method).map(|it| (it, class.code(it)))) {
        (Some(kind), Some((method, Ok(Some(code))))) => line(&kind.text(class, method, code), part),
        _ => body(class, method, part),
    }
}

/// A method body, constants written out: other bodies may move them in the pool.
fn body(class: &ClassFile, method: &str, part: Part<'_>) {
    let code = match code_of(class, method) {
        Some(Ok(Some(code))) => code,
        Some(Ok(None)) => return part(b"abstract"),
        Some(Err(error)) => return part(error.to_string().as_bytes()),
        None => return part(b"none"),
    };
    line(&format!("{} {} {:?}", code.max_stack, code.max_locals, code.exception_table), part);
    line(&format!("{:?}", code.local_variables), part);
    let lines = code.line_numbers.entries();
    let first = lines.iter().map(|it| it.line).min().unwrap_or_default();
    lines.iter().for_each(|it| line(&format!("{} {}", it.pc, it.line - first), part));
    for instruction in instructions(&code.bytecode) {
        let Ok(instruction) = instruction else { return part(class.bytes()) };
        match instruction.constant_index() {
            Some(index) => {
                let dimensions = match instruction.operand {
                    Operand::MultiArray { dimensions, .. } => dimensions,
                    _ => 0,
                };
                line(&format!("{} {:?} {dimensions}", instruction.pc, instruction.opcode), part);
                constant(class, index, DEEPEST_CONSTANT, part);
            }
            None => line(&format!("{instruction:?}"), part),
        }
    }
}

/// A constant with those that it leads to.
fn constant(class: &ClassFile, index: u16, deepest: u32, part: Part<'_>) {
    let Some(deeper) = deepest.checked_sub(1) else { return part(class.bytes()) };
    match class.constant(index) {
        Ok(
            Constant::Dynamic { bootstrap, name, descriptor }
            | Constant::InvokeDynamic { bootstrap, name, descriptor },
        ) => {
            line(&format!("dynamic {name} {descriptor}"), part);
            match class.bootstrap_methods.get(usize::from(bootstrap)) {
                Some(method) => {
                    let all = [method.handle].into_iter().chain(method.arguments.iter().copied());
                    all.for_each(|it| constant(class, it, deeper, part));
                }
                None => line("without bootstrap method", part),
            }
        }
        Ok(Constant::MethodHandle { kind, reference }) => {
            line(&format!("{kind:?}"), part);
            constant(class, reference, deeper, part);
        }
        // All NaNs have one text.
        Ok(Constant::Float(value)) => line(&format!("float {:x}", value.to_bits()), part),
        Ok(Constant::Double(value)) => line(&format!("double {:x}", value.to_bits()), part),
        constant => line(&format!("{constant:?}"), part),
    }
}

fn lines(class: &ClassFile, method: &str, part: Part<'_>) {
    match code_of(class, method) {
        Some(Ok(Some(code))) => line(&format!("{:?}", code.line_numbers.entries()), part),
        _ => part(b"none"),
    }
}

/// What somebody can see of a class without its bodies. References into the pool of constants are followed: any change
/// of a body may move them.
fn declaration(class: &ClassFile, part: &mut dyn FnMut(&[u8])) {
    let mut bare = Declaration::clone(class);
    let mut annotations = vec![std::mem::take(&mut bare.annotations)];
    // Only code leads to them.
    bare.bootstrap_methods = Box::default();
    // Code that mentions others' nested classes adds them to the list.
    let is_mine = |inner: &InnerClass| {
        inner.outer.as_ref() == Some(&class.name)
            || class.name.starts_with(&*inner.inner)
            || inner.inner.starts_with(&*class.name)
    };
    bare.inner_classes = bare.inner_classes.iter().filter(|it| is_mine(it)).cloned().collect();
    let mut values = Vec::new();
    for field in &mut bare.fields {
        annotations.push(std::mem::take(&mut field.annotations));
        values.extend(field.constant_value.take().map(|index| (field.name.clone(), index)));
    }
    annotations.extend(bare.methods.iter_mut().map(|it| std::mem::take(&mut it.annotations)));
    let components = bare.record_components.iter_mut().flatten();
    annotations.extend(components.map(|it| std::mem::take(&mut it.annotations)));
    line(&format!("{bare:?}"), part);
    for (field, index) in values {
        line(&format!("{field} = {:?}", class.constant(index)), part);
    }
    let is_written = annotations.iter().all(|it| write_annotations(class, it, part));
    for method in &class.methods {
        line(&format!("{:?}", class.parameter_names(method)), part);
    }
    let is_sound = class.methods.iter().all(|method| class.code(method).is_ok());
    line(if is_sound { "sound" } else { "damaged" }, part);
    if !is_written {
        part(class.bytes());
    }
}

fn line(text: &str, part: &mut dyn FnMut(&[u8])) {
    part(text.as_bytes());
    part(b"\n");
}

fn names(names: Result<Vec<String>>, part: &mut dyn FnMut(&[u8])) {
    match names {
        Ok(names) => names.iter().for_each(|it| line(it, part)),
        Err(error) => part(error.to_string().as_bytes()),
    }
}

fn file(entry: &ClassPathEntry, name: &str, part: &mut dyn FnMut(&[u8])) {
    match entry.read(name) {
        Ok(Some(bytes)) => {
            part(&(bytes.len() as u64).to_le_bytes());
            part(&bytes);
        }
        Ok(None) if entry.stored_name(name).is_some() => part(b"folder"),
        Ok(None) => part(b"none"),
        Err(error) => part(error.to_string().as_bytes()),
    }
}

fn listing(entry: &ClassPathEntry, part: &mut dyn FnMut(&[u8])) {
    for listed in entry.list().unwrap_or_default() {
        let about = match &listed.kind {
            ListedKind::Folder => "folder".to_owned(),
            ListedKind::File(_) if listed.name.ends_with(".class") => "class".to_owned(),
            ListedKind::File(length) => length.to_string(),
            ListedKind::Link(target) => format!("-> {target}"),
        };
        line(&format!("{} {about}", listed.name), part);
    }
}

fn everything(entry: &ClassPathEntry, part: &mut dyn FnMut(&[u8])) {
    if entry.is_jar() {
        return part(&std::fs::read(entry.path()).unwrap_or_default());
    }
    for listed in entry.list().unwrap_or_default() {
        line(&listed.name, part);
        if matches!(listed.kind, ListedKind::File(_)) {
            file(entry, &listed.name, part);
        }
    }
}
