//! The class under inference: its methods, its observers and the layout of its objects.

use crate::code_constants::constants;
use crate::indices::{Indices, add_indices};
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::Program;
use cupping_generate::{AccessLevel, Invokable, Subject as Makers, Workbench};
use cupping_machine::{ClassId, Machine};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A pure method without parameters, whose result is a variable of its object.
#[derive(Clone, Debug)]
pub struct Observer {
    /// Its name with `()` appended.
    pub shown: Rc<str>,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its result.
    pub ty: JavaType,
}

/// A class, as inference sees it.
#[derive(Debug)]
pub struct Subject {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The class.
    pub class: ClassId,
    /// Its internal name.
    pub name: Box<str>,
    /// The package of the tests.
    pub package: String,
    /// The class and its superclasses except `Object`, by name.
    pub ancestors: Vec<Box<str>>,
    /// Whether it is a class of the JDK.
    pub from_jdk: bool,
    /// Public methods and constructors, inherited methods included.
    pub methods: Vec<Rc<Invokable>>,
    /// Those that make an object of the class.
    pub makers: Vec<usize>,
    /// Its observers.
    pub observers: Vec<Observer>,
    /// Whether the class or a superclass other than `Object` overrides `equals`.
    pub has_equals: bool,
    /// Collection classes among the types of fields and signatures, and the class itself if it is one.
    pub collections: BTreeSet<Box<str>>,
    /// Whether it is a list, whose elements have indices.
    pub is_list: bool,
    /// Whether it is a map.
    pub is_map: bool,
    /// Which fields index which arrays.
    pub indices: Indices,
    /// The fields of the classes that terms read, by class.
    pub layouts: BTreeMap<Box<str>, Vec<(Box<str>, JavaType)>>,
    /// Whole numbers in its code, and their neighbours.
    pub constants: Rc<BTreeSet<i64>>,
}

/// Methods whose results depend on identity, time or threads rather than on the state.
const LEFT_OUT: [&str; 8] =
    ["getClass", "notify", "notifyAll", "wait", "finalize", "hashCode", "iterator", "clone"];
/// The largest number of observers.
const MOST_OBSERVERS: usize = 8;
/// The largest number of constructors of a subclass, and of all subclasses.
const MOST_OF_SUBCLASS: usize = 2;
const MOST_OF_SUBCLASSES: usize = 6;
/// The largest number of methods.
const MOST_METHODS: usize = 60;

impl Subject {
    /// Analyses the class of a workbench.
    pub fn new(bench: &mut Workbench<'_>) -> Subject {
        let (class, package) = (bench.subject().class, bench.subject().package.clone());
        let mut makers = bench.subject().makers.clone();
        let of_subclasses =
            if makers.is_empty() { subclass_makers(bench.machine(), class, &package) } else { Vec::new() };
        makers.extend(of_subclasses.iter().cloned());
        let mut methods: Vec<Rc<Invokable>> = Vec::new();
        for invokable in bench.invokables() {
            let machine = bench.machine();
            let loaded = machine.method(invokable.method);
            let owner = machine.class(loaded.class);
            let is_of_object = &*owner.name == "java/lang/Object";
            let is_public = AccessLevel::Public.allows(loaded.access);
            let is_new = !methods.iter().any(|known| {
                known.reference.name == invokable.reference.name
                    && known.reference.descriptor == invokable.reference.descriptor
            });
            let is_known = invokable.is_constructor() && invokable.parameters.iter().any(|it| it.is_outer);
            if is_public && is_new && !is_known && !is_of_object && methods.len() < MOST_METHODS {
                methods.push(invokable);
            }
        }
        methods.extend(of_subclasses);
        let makers: Vec<usize> = (0..methods.len())
            .filter(|at| makers.iter().any(|maker| maker.reference == methods[*at].reference))
            .collect();
        let observers = observers(bench, class, &methods);
        let machine = bench.machine();
        let object = machine.load("java/lang/Object").ok();
        let equals = machine.find_method(class, "equals", "(Ljava/lang/Object;)Z");
        let has_equals = equals.is_some_and(|it| Some(machine.method(it).class) != object);
        let mut layouts = BTreeMap::new();
        layout(machine, class, 2, &mut layouts);
        for ty in signature_types(&methods) {
            if let JavaType::Class(name) = ty
                && let Ok(class) = machine.load(&name)
                && !machine.class(class).from_jdk
            {
                layout(machine, class, 1, &mut layouts);
            }
        }
        let mut indices = Indices::new();
        for name in layouts.keys() {
            let mut at = machine.load(name).ok();
            while let Some(class) = at {
                let loaded = machine.class(class);
                if let Some(file) = &loaded.file {
                    add_indices(file, &mut indices);
                }
                at = loaded.super_class;
            }
        }
        let mut collections = BTreeSet::new();
        let fields = layouts.values().flatten().map(|it: &(Box<str>, JavaType)| it.1.clone());
        let named: Vec<JavaType> = fields
            .chain(signature_types(&methods))
            .chain([JavaType::class(&machine.class(class).name.clone())])
            .collect();
        if let Ok(collection) = machine.load("java/util/Collection") {
            for ty in named {
                if let JavaType::Class(name) = ty
                    && machine.load(&name).is_ok_and(|it| machine.is_subtype(it, collection))
                {
                    collections.insert(name);
                }
            }
        }
        let mut ancestors = Vec::new();
        let mut at = Some(class);
        while let Some(id) = at.filter(|it| Some(*it) != object) {
            ancestors.push(Box::from(&*machine.class(id).name));
            at = machine.class(id).super_class;
        }
        let mut is_a = |name| machine.load(name).is_ok_and(|it| machine.is_subtype(class, it));
        let (is_list, is_map) = (is_a("java/util/List"), is_a("java/util/Map"));
        let (numbers, _) = constants(machine, class);
        let constants: BTreeSet<i64> = numbers.iter().flat_map(|it| [it - 1, *it, it + 1]).collect();
        let constants = Rc::new(constants);
        let program = machine.program().clone();
        let own = machine.class(class);
        Subject {
            program,
            is_list,
            is_map,
            ancestors,
            class,
            name: Box::from(&*own.name),
            from_jdk: own.from_jdk,
            package,
            methods,
            makers,
            observers,
            collections,
            has_equals,
            indices,
            layouts,
            constants,
        }
    }

    /// Whether captured objects of a class have fields: classes of the program, the class itself, its superclasses,
    /// and its nested classes.
    pub fn looks_into(&self, machine: &Machine, class: ClassId) -> bool {
        let class = machine.class(class);
        let nest = self.name.split('$').next().unwrap_or(&self.name);
        let is_nested = class.name.strip_prefix(nest).is_some_and(|it| it.is_empty() || it.starts_with('$'));
        !class.from_jdk || is_nested || self.ancestors.iter().any(|it| **it == *class.name)
    }

    /// Whether objects of a class are objects of this one; compares by name, since the machine may be another.
    pub fn is_of(&self, machine: &Machine, class: ClassId) -> bool {
        let mut at = Some(class);
        while let Some(id) = at {
            if *machine.class(id).name == *self.name {
                return true;
            }
            at = machine.class(id).super_class;
        }
        false
    }

    /// The method of this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.methods
            .iter()
            .position(|it| &*it.reference.name == name && &*it.reference.descriptor == descriptor)
            .filter(|at| !self.is_of_subclass(*at))
    }

    /// Whether one of the constructors makes objects of a class.
    pub fn makes(&self, class: &str) -> bool {
        self.makers.iter().any(|it| self.is_of_subclass(*it) && *self.methods[*it].reference.class == *class)
    }

    /// Whether a method is the constructor of a subclass, which makes the objects of an abstract class.
    pub fn is_of_subclass(&self, method: usize) -> bool {
        let invokable = &self.methods[method];
        invokable.is_constructor() && *invokable.reference.class != *self.name
    }

    /// The key of a method in program points and recorded specifications.
    pub fn key(&self, method: usize) -> String {
        let reference = &self.methods[method].reference;
        // Subclasses may have the same constructors.
        let class = if self.is_of_subclass(method) { format!("{}.", reference.class) } else { String::new() };
        format!("{class}{}{}", reference.name, reference.descriptor)
    }

    /// The method with a key.
    pub fn find(&self, key: &str) -> Option<usize> {
        (0..self.methods.len()).find(|at| self.key(*at) == key)
    }

    /// The class's name in source, without its package.
    pub fn simple_name(&self) -> String {
        self.name.rsplit('/').next().unwrap_or(&self.name).replace('$', ".")
    }

    /// `name(int, String)`, which distinguishes overloads.
    pub fn signature(&self, method: usize) -> String {
        let invokable = &self.methods[method];
        let types: Vec<String> = invokable
            .parameters
            .iter()
            .map(|it| format!("{} {}", crate::java_literals::simple(&it.ty.to_string()), it.name))
            .collect();
        let name = if invokable.is_constructor() {
            let class = &invokable.reference.class;
            class.rsplit(['/', '$']).next().unwrap_or_default().to_owned()
        } else {
            invokable.reference.name.to_string()
        };
        format!("{name}({})", types.join(", "))
    }
}

/// Constructors of the concrete subclasses of an abstract class in its package.
fn subclass_makers(machine: &mut Machine, class: ClassId, package: &str) -> Vec<Rc<Invokable>> {
    let mut found = Vec::new();
    let own = machine.class(class);
    if own.from_jdk || !own.is_abstract() || own.access.is_interface() {
        return found;
    }
    let names = machine.program().classes_of_package(package, false).unwrap_or_default();
    for name in names.iter() {
        let Ok(other) = machine.load(name) else { continue };
        if other == class || machine.class(other).is_abstract() || !machine.is_subtype(other, class) {
            continue;
        }
        let makers = Makers::new(machine, other, &[], AccessLevel::Public).makers;
        let plain = |it: &Rc<Invokable>| it.is_constructor() && !it.parameters.iter().any(|it| it.is_outer);
        found.extend(makers.into_iter().filter(plain).take(MOST_OF_SUBCLASS));
        if found.len() >= MOST_OF_SUBCLASSES {
            break;
        }
    }
    found
}

fn signature_types(methods: &[Rc<Invokable>]) -> Vec<JavaType> {
    let types = |it: &Rc<Invokable>| {
        let parameters: Vec<JavaType> = it.parameters.iter().map(|it| it.ty.clone()).collect();
        parameters.into_iter().chain([it.result.clone()])
    };
    methods.iter().flat_map(types).collect()
}

/// Collects the fields of a class and of the classes of the program that they refer to.
fn layout(
    machine: &mut Machine,
    class: ClassId,
    depth: usize,
    found: &mut BTreeMap<Box<str>, Vec<(Box<str>, JavaType)>>,
) {
    let name = machine.class(class).name.clone();
    if depth == 0 || found.contains_key(&*name) {
        return;
    }
    let mut fields: Vec<(Box<str>, JavaType)> = Vec::new();
    let mut at = Some(class);
    while let Some(id) = at {
        let own = machine.class(id);
        for field in own.fields.iter().filter(|it| !it.is_static() && !it.name.contains('$')) {
            let is_hidden = fields.iter().any(|(known, _)| **known == *field.name);
            if let (false, Some(ty)) = (is_hidden, JavaType::parse(&field.descriptor)) {
                fields.push((Box::from(&*field.name), ty));
            }
        }
        at = own.super_class;
    }
    found.insert(Box::from(&*name), fields.clone());
    for (_, ty) in fields {
        if let JavaType::Class(name) = ty
            && let Ok(class) = machine.load(&name)
            && !machine.class(class).from_jdk
        {
            layout(machine, class, depth - 1, found);
        }
    }
}

fn observers(bench: &mut Workbench<'_>, class: ClassId, methods: &[Rc<Invokable>]) -> Vec<Observer> {
    let mut found = Vec::new();
    for invokable in methods {
        let name = &*invokable.reference.name;
        let Some((parameters, ty)) = parse_method_descriptor(&invokable.reference.descriptor) else {
            continue;
        };
        let has_value = !matches!(ty, JavaType::Void | JavaType::Array(_))
            && (!ty.is_reference() || ty.is_string() && name != "toString");
        if !invokable.has_receiver() || !parameters.is_empty() || !has_value || LEFT_OUT.contains(&name) {
            continue;
        }
        let (machine, influence) = bench.analysis();
        let selected = machine.select(class, invokable.method);
        let effects = influence.effects(machine, class, selected);
        if effects.defines_of(machine, class) || found.len() >= MOST_OBSERVERS {
            continue;
        }
        found.push(Observer {
            shown: format!("{name}()").into(),
            name: name.to_owned(),
            descriptor: invokable.reference.descriptor.to_string(),
            ty,
        });
    }
    found
}

/// Whether inference ignores a method.
pub fn is_left_out(name: &str) -> bool {
    LEFT_OUT.contains(&name)
}
