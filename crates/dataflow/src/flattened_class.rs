//! Class flattening (§2): a class with its inherited variables and all methods that run on its objects.

use crate::body::AnalysedBody;
use crate::callback::CallBacks;
use cupping_classfile::{Constant, Opcode};
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// An instance or static variable.
#[derive(Clone, Debug)]
pub struct ClassVariable {
    /// The class that declares it.
    pub class: ClassId,
    /// Its field index in that class.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Its kind.
    pub kind: Kind,
    /// Whether it is static.
    pub is_static: bool,
    /// Whether it is declared `final`.
    pub is_final: bool,
}

impl ClassVariable {
    /// Whether it holds a primitive.
    pub fn is_scalar(&self) -> bool {
        self.kind != Kind::Reference
    }

    /// Whether it holds an array.
    pub fn is_array(&self) -> bool {
        self.descriptor.starts_with('[')
    }
}

/// A flattened class.
pub struct FlatClass {
    /// The class.
    pub class: ClassId,
    /// The class and its superclasses up to the first JDK class, which is only included if the class itself
    /// is the JDK's.
    pub hierarchy: Vec<ClassId>,
    /// The variables in the order of hierarchy and class files.
    pub variables: Vec<ClassVariable>,
    /// The methods with code that may run on an object of the class, in the same order, followed by those of nested
    /// classes that store to its variables.
    pub methods: Vec<Rc<AnalysedBody>>,
    /// Whether a sequence may call each method.
    pub is_entry: Vec<bool>,
    /// Variables that nested classes define.
    pub defined_by_nested: BTreeSet<usize>,
    /// Methods that outside code may call on the object.
    pub back: CallBacks,
    pub(crate) by_method: FxHashMap<MethodId, usize>,
    pub(crate) by_field: FxHashMap<(ClassId, usize), usize>,
}

impl FlatClass {
    /// The method of the hierarchy that an instruction would call on an object of the class.
    pub fn callee(&self, machine: &mut Machine, body: &AnalysedBody, at: usize) -> Option<MethodId> {
        use Opcode::*;
        let opcode = body.instructions[at].opcode;
        if !matches!(opcode, Invokevirtual | Invokespecial | Invokestatic | Invokeinterface) {
            return None;
        }
        let Constant::Method { class, name, descriptor, .. } = body.constant(at)? else { return None };
        let called = machine.load(&class).ok()?;
        let method = machine.find_method(called, &name, &descriptor)?;
        let declaring = machine.method(method).class;
        let is_virtual = matches!(opcode, Invokevirtual | Invokeinterface);
        if is_virtual && !machine.method(method).is_private() {
            if !machine.is_subtype(self.class, declaring) {
                return None;
            }
            let selected = machine.select(self.class, method);
            return self.hierarchy.contains(&machine.method(selected).class).then_some(selected);
        }
        self.hierarchy.contains(&declaring).then_some(method)
    }

    /// Whether a method belongs to a nested class.
    pub fn is_nested(&self, body: &AnalysedBody) -> bool {
        !self.hierarchy.contains(&body.class)
    }

    /// The index of a method.
    pub fn method(&self, method: MethodId) -> Option<usize> {
        self.by_method.get(&method).copied()
    }

    /// The variable of a field access.
    pub fn variable_at(&self, machine: &mut Machine, body: &AnalysedBody, at: usize) -> Option<usize> {
        let Constant::Field { class, name, descriptor } = body.constant(at)? else { return None };
        let class = machine.load(&class).ok()?;
        let field = machine.find_field(class, &name, &descriptor)?;
        self.by_field.get(&field).copied()
    }

    /// Whether code of the class creates objects by constructors that no sequence can call.
    pub fn makes_others(&self, machine: &mut Machine) -> bool {
        let own = machine.class(self.class).name.clone();
        for body in &self.methods {
            let made = (0..body.instructions.len()).any(|at| {
                body.instructions[at].opcode == Opcode::New
                    && matches!(body.constant(at), Some(Constant::Class(name)) if *name == *own)
            });
            let calls_hidden = made
                && (0..body.instructions.len()).any(|at| {
                    let callee = self.callee(machine, body, at).and_then(|m| self.method(m));
                    callee.is_some_and(|m| self.methods[m].is_constructor() && !self.is_entry[m])
                });
            if calls_hidden {
                return true;
            }
        }
        false
    }

    /// The variables that a method of the hierarchy may define, directly or through calls.
    pub fn defined_by(&self, machine: &mut Machine, method: MethodId) -> BTreeSet<usize> {
        let mut defined = BTreeSet::new();
        let mut seen = BTreeSet::from([method]);
        let mut open = vec![method];
        while let Some(next) = open.pop() {
            let known = self.method(next).map(|number| self.methods[number].clone());
            let Some(body) = known.or_else(|| AnalysedBody::of(machine, next).map(Rc::new)) else { continue };
            for at in 0..body.instructions.len() {
                match body.instructions[at].opcode {
                    Opcode::Putfield | Opcode::Putstatic => {
                        defined.extend(self.variable_at(machine, &body, at));
                    }
                    _ if self.back.is_hook(&body, at, true) => defined.extend(&self.back.defined),
                    _ => open.extend(self.callee(machine, &body, at).filter(|m| seen.insert(*m))),
                }
            }
        }
        defined
    }

    /// `Class.method`, with parameters if the name is ambiguous.
    pub fn method_name(&self, machine: &Machine, method: usize) -> String {
        let body = &self.methods[method];
        let simple = |class: ClassId| {
            let name = machine.class(class).name.clone();
            let own = name.rsplit('/').next().unwrap_or(&name);
            // Anonymous classes have numbers.
            let last = own.rsplit('$').next().filter(|last| !last.starts_with(|c: char| c.is_ascii_digit()));
            last.unwrap_or(own).to_owned()
        };
        let name = match &*body.name {
            "<init>" => simple(body.class),
            "<clinit>" => "static {}".to_owned(),
            name if body.class == self.class => name.to_owned(),
            name => format!("{}.{name}", simple(body.class)),
        };
        let overloaded = self.methods.iter().filter(|m| m.name == body.name && m.class == body.class).count();
        if overloaded < 2 {
            return name;
        }
        let parsed = cupping_classfile::MethodDescriptor::parse(&body.descriptor);
        let types = parsed.map(|d| d.parameters.iter().map(short_type).collect::<Vec<_>>().join(", "));
        format!("{name}({})", types.unwrap_or_default())
    }
}

/// A type name without its package.
pub fn short_type(ty: &cupping_classfile::FieldType) -> String {
    use cupping_classfile::FieldType::*;
    match ty {
        Byte => "byte".into(),
        Char => "char".into(),
        Double => "double".into(),
        Float => "float".into(),
        Int => "int".into(),
        Long => "long".into(),
        Short => "short".into(),
        Boolean => "boolean".into(),
        Object(name) => name.rsplit(['/', '$']).next().unwrap_or(name).to_owned(),
        Array(element) => format!("{}[]", short_type(element)),
    }
}

/// The class and its flattened superclasses.
pub fn hierarchy(machine: &Machine, class: ClassId) -> Vec<ClassId> {
    let from_jdk = machine.class(class).from_jdk;
    let mut found = Vec::new();
    let mut at = Some(class);
    while let Some(id) = at {
        let loaded = machine.class(id);
        if &*loaded.name == "java/lang/Object" || loaded.from_jdk != from_jdk {
            break;
        }
        found.push(id);
        at = loaded.super_class;
    }
    found
}
