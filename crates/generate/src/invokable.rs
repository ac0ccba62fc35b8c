//! Invokables (thesis Table 4.2): what a sequence can invoke, and the class under test as a set of
//! invokables.

use crate::access::AccessLevel;
use crate::generics::{
    bindings_above, bounds_of, classes_of_bounds, classes_with_arguments, erased, is_parameterised,
    parameter_types,
};
pub use crate::parameter::{Parameter, kind_of};
use crate::stub::Stub;
use cupping_case::{JavaType, MethodRef, parse_method_descriptor};
use cupping_classfile::{ClassFile, Method, Origin, annotation_types};
use cupping_machine::{ClassId, ClassKind, Machine, MethodId};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Limit on the inherited methods of a class.
const MAX_INHERITED: usize = 24;

/// A constructor, method or static method.
#[derive(Clone, Debug)]
pub struct Invokable {
    /// The method.
    pub method: MethodId,
    /// The class through which it is called.
    pub class: ClassId,
    /// Its parameters, without the receiver.
    pub parameters: Vec<Parameter>,
    /// Its result type; for a constructor, the class.
    pub result: JavaType,
    /// The reference that tests use.
    pub reference: MethodRef,
    /// Whether it has no receiver and is not a constructor.
    pub is_static: bool,
    /// For a constructor of an abstract class, the anonymous subclass that calls it.
    pub stub: Option<Rc<Stub>>,
}

/// A method; for the constructor of an abstract class, with the anonymous subclass that calls it.
pub type Entrance = (MethodId, Option<ClassId>);

impl Invokable {
    /// A method called through `class`; `None` if its descriptor is damaged.
    pub fn new(machine: &Machine, class: ClassId, method: MethodId) -> Option<Invokable> {
        let loaded = machine.method(method);
        let declaring = machine.class(loaded.class);
        let file = declaring.file.as_ref()?;
        let declared = file.methods.get(loaded.index)?;
        let (types, result) = parse_method_descriptor(&loaded.descriptor)?;
        let names = parameter_names(file, declared);
        let is_constructor = &*loaded.name == "<init>";
        let inner = file.inner_classes.iter().find(|i| *i.inner == *declaring.name && !i.access.is_static());
        let outer = inner.and_then(|i| i.outer.as_deref()).map(JavaType::class);
        // Signatures omit compiler-generated parameters and cannot be used then.
        let generic = parameter_types(machine, method, &bindings_above(machine, class, loaded.class))
            .filter(|g| g.len() == types.len());
        // Where the superclass declares a type variable, the subclass knows more than the erasure.
        let bounds = parameter_types(machine, method, &bounds_of(machine, loaded.class));
        let narrowed = |at: usize| {
            let (known, bound) = (&generic.as_ref()?[at], &bounds.as_ref()?[at]);
            let known = erased(known).filter(|it| Some(it) != erased(bound).as_ref())?;
            JavaType::parse(&if known.starts_with('[') { known } else { format!("L{known};") })
        };
        let parameters = types
            .iter()
            .zip(names.iter())
            .enumerate()
            .map(|(at, (ty, name))| Parameter {
                kind: kind_of(ty),
                ty: narrowed(at).unwrap_or_else(|| ty.clone()),
                name: name.clone(),
                is_outer: at == 0 && is_constructor && outer.as_ref() == Some(ty),
                generic: generic.as_ref().map(|g| g[at].clone()).filter(is_parameterised),
            })
            .collect();
        let class_name = machine.class(class).name.clone();
        Some(Invokable {
            method,
            class,
            parameters,
            result: if is_constructor { JavaType::class(&class_name) } else { result },
            reference: MethodRef {
                class: Box::from(&*class_name),
                name: Box::from(&*loaded.name),
                descriptor: Box::from(&*loaded.descriptor),
                varargs: loaded.access.is_varargs(),
                throws: declared.exceptions.iter().map(|e| Box::from(&**e)).collect(),
                parameter_names: if has_names(&names) {
                    names.iter().map(|n| n.as_str().into()).collect()
                } else {
                    Vec::new()
                },
            },
            is_static: loaded.is_static(),
            stub: None,
        })
    }

    /// Its parameters without those for what an anonymous subclass returns.
    pub fn own_parameters(&self) -> &[Parameter] {
        let own = parse_method_descriptor(&self.reference.descriptor).map(|(parameters, _)| parameters.len());
        let count = own.filter(|_| self.stub.is_some());
        &self.parameters[..count.unwrap_or(self.parameters.len()).min(self.parameters.len())]
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.reference.name == "<init>"
    }

    /// Whether it overrides `Object.equals`.
    pub fn is_equals(&self) -> bool {
        self.has_receiver()
            && &*self.reference.name == "equals"
            && &*self.reference.descriptor == "(Ljava/lang/Object;)Z"
    }

    /// What remembered arguments belong to.
    pub fn entrance(&self) -> Entrance {
        (self.method, self.stub.as_ref().map(|it| it.class()))
    }

    /// Whether it takes an object of its own class.
    pub(crate) fn takes_itself(&self) -> bool {
        let own = JavaType::class(&self.reference.class);
        self.parameters.iter().any(|it| it.ty == own)
    }

    /// Whether it is called on an object.
    pub fn has_receiver(&self) -> bool {
        !self.is_static && !self.is_constructor()
    }
}

fn has_names(names: &[String]) -> bool {
    !names.iter().any(|n| n.starts_with("arg") && n[3..].parse::<u32>().is_ok())
}

/// Names of the parameters, `arg0` and so on where there is none.
fn parameter_names(file: &ClassFile, declared: &Method) -> Vec<String> {
    let names = file.parameter_names(declared).into_iter().enumerate();
    names.map(|(at, name)| name.map_or_else(|| format!("arg{at}"), |it| it.to_string())).collect()
}

/// The class under test: what can be invoked and how objects are created.
#[derive(Debug)]
pub struct Subject {
    /// The class.
    pub class: ClassId,
    /// Internal name of the package of its tests.
    pub package: String,
    /// The invokables under test in class-file order.
    pub under_test: Vec<Rc<Invokable>>,
    /// Constructors, then static factories.
    pub makers: Vec<Rc<Invokable>>,
    /// Static fields that hold an instance, such as enum constants: class and field index.
    pub constants: Vec<(ClassId, usize)>,
    /// Whether people specified how its objects are created, which excludes other receivers.
    pub is_set_up: bool,
}

impl Subject {
    /// Whether tests make objects of the class by this call.
    pub fn is_maker(&self, invokable: &Invokable) -> bool {
        self.makers.iter().any(|it| it.method == invokable.method)
    }

    /// Analyses a loaded class. `methods` restricts what is under test, by name or by name and descriptor.
    /// With [`AccessLevel::Private`], private methods and constructors count too, except in JDK classes, which are
    /// closed to reflection.
    pub fn new(machine: &mut Machine, class: ClassId, methods: &[String], access: AccessLevel) -> Subject {
        // The JDK's packages are closed, so tests of its classes live in other packages.
        let own = machine.class(class).package().to_owned();
        let package = if machine.class(class).from_jdk { format!("tests/{own}") } else { own };
        let mut subject = Subject {
            class,
            package,
            under_test: Vec::new(),
            makers: Vec::new(),
            constants: Vec::new(),
            is_set_up: false,
        };
        let mut hidden = Vec::new();
        for method in machine.class(class).methods.clone() {
            let by_reflection =
                access == AccessLevel::Private && is_hidden(machine, method, &subject.package);
            if !by_reflection && !is_testable(machine, method, &subject.package) {
                continue;
            }
            let Some(invokable) = Invokable::new(machine, class, method) else { continue };
            let invokable = Rc::new(invokable);
            if by_reflection && invokable.is_constructor() && !machine.class(class).is_abstract() {
                hidden.push(invokable.clone());
            }
            if is_asked_for(methods, &invokable.reference)
                && !(invokable.is_constructor() && machine.class(class).is_abstract())
            {
                subject.under_test.push(invokable.clone());
            }
        }
        subject.makers = makers(machine, class, &subject.package);
        subject.makers.append(&mut hidden);
        subject.constants = constants(machine, class, &subject.package);
        subject
    }

    /// Adds methods that the class inherits, those of near superclasses first.
    pub fn add_inherited(&mut self, machine: &Machine) {
        let signature = |method: MethodId| {
            let loaded = machine.method(method);
            (loaded.name.clone(), loaded.descriptor.clone())
        };
        let mut known: BTreeSet<_> =
            machine.class(self.class).methods.iter().map(|it| signature(*it)).collect();
        let mut left = MAX_INHERITED;
        let mut queue = VecDeque::from([self.class]);
        while let Some(next) = queue.pop_front() {
            let loaded = machine.class(next);
            let above = loaded.super_class.into_iter().chain(loaded.interfaces.iter().copied());
            // What Object, Throwable and Thread have says nothing about their subclasses.
            queue.extend(above.filter(|it| machine.class(*it).package() != "java/lang"));
            for method in loaded.methods.iter().copied() {
                let is_callable = !machine.method(method).is_static()
                    && &*machine.method(method).name != "<init>"
                    && is_testable(machine, method, &self.package);
                if !is_callable || left == 0 || !known.insert(signature(method)) {
                    continue;
                }
                if let Some(invokable) = Invokable::new(machine, self.class, method) {
                    self.under_test.push(Rc::new(invokable));
                    left -= 1;
                }
            }
        }
    }

    /// Keeps only the default constructor as a maker, if there is one.
    pub fn start_plain(&mut self) {
        let is_plain = |m: &Rc<Invokable>| m.is_constructor() && m.parameters.is_empty();
        if self.makers.iter().any(is_plain) {
            self.makers.retain(is_plain);
        }
    }

    /// Keeps only what code with this access can call.
    pub fn limit(&mut self, machine: &Machine, access: AccessLevel) {
        let is_within = |m: &Rc<Invokable>| access.allows(machine.method(m.method).access);
        self.under_test.retain(is_within);
        self.makers.retain(is_within);
    }
}

/// Whether a method is requested by name or by name and descriptor. Without a request, all are.
pub fn is_asked_for(methods: &[String], method: &MethodRef) -> bool {
    let full = format!("{}{}", method.name, method.descriptor);
    methods.is_empty() || methods.iter().any(|wanted| **wanted == *method.name || *wanted == full)
}

/// Constructors and static factories that source in `package` can use to create objects of a class, those
/// with few parameters first.
pub fn makers(machine: &mut Machine, class: ClassId, package: &str) -> Vec<Rc<Invokable>> {
    let mut found = Vec::new();
    for method in machine.class(class).methods.clone() {
        let loaded = machine.method(method);
        let is_constructor = &*loaded.name == "<init>" && !machine.class(class).is_abstract();
        let returns_it = loaded.is_static()
            && loaded.descriptor.ends_with(&format!(")L{};", machine.class(class).name))
            && machine.class(class).kind == ClassKind::Instance;
        if (is_constructor || returns_it) && is_testable(machine, method, package) {
            found.extend(Invokable::new(machine, class, method).map(Rc::new));
        }
    }
    found.sort_by_key(|m| (!m.is_constructor(), m.parameters.len()));
    found
}

/// Static final fields of a class that hold an instance and that source in `package` can name.
pub fn constants(machine: &Machine, class: ClassId, package: &str) -> Vec<(ClassId, usize)> {
    let loaded = machine.class(class);
    let descriptor = format!("L{};", loaded.name);
    let same = loaded.package() == package;
    loaded
        .fields
        .iter()
        .enumerate()
        .filter(|(_, f)| f.is_static() && f.access.is_final() && *f.descriptor == *descriptor)
        .filter(|(_, f)| f.access.is_public() || (same && !f.access.is_private()))
        .map(|(at, _)| (class, at))
        .collect()
}

/// Whether source in `package` can call the method, and it is worth testing.
pub fn is_testable(machine: &Machine, method: MethodId, package: &str) -> bool {
    !machine.method(method).is_abstract()
        && is_callable(machine, method, package)
        && has_present_types(machine, method)
}

/// Whether javac finds all classes that it needs for a call of a method: those that the method names, those of the
/// methods of the same name and number of parameters between which it has to choose, and the bounds of all of that
/// name.
pub fn has_present_types(machine: &Machine, method: MethodId) -> bool {
    let called = machine.method(method);
    let arity = |of: &str| parse_method_descriptor(of).map(|(types, _)| types.len());
    let lineage = std::iter::successors(Some(called.class), |id| {
        machine.class(*id).super_class.filter(|_| &*called.name != "<init>")
    });
    let mut all = lineage.flat_map(|id| machine.class(id).methods.iter());
    names_present_types(machine, method)
        && all.all(|id| {
            let other = machine.method(*id);
            other.name != called.name
                || other.access.is_synthetic()
                || are_present(machine, &classes_of_bounds(machine, *id))
                    && (arity(&other.descriptor) != arity(&called.descriptor)
                        || names_present_types(machine, *id))
        })
}

/// Whether all classes are on the class path that a method's descriptor names, or its signature with type arguments.
fn names_present_types(machine: &Machine, method: MethodId) -> bool {
    let Some((types, result)) = parse_method_descriptor(&machine.method(method).descriptor) else {
        return false;
    };
    let named = types.iter().chain([&result]).filter_map(JavaType::named_class);
    let named: Vec<String> = named.map(str::to_owned).collect();
    are_present(machine, &named) && are_present(machine, &classes_with_arguments(machine, method))
}

fn are_present(machine: &Machine, names: &[String]) -> bool {
    let mut others = names.iter().filter(|it| !it.starts_with("java/"));
    others.all(|name| matches!(machine.program().find(name), Ok(Some(_))))
}

/// Whether source in `package` can call the method. Abstract ones are called on objects of subclasses.
pub fn is_callable(machine: &Machine, method: MethodId, package: &str) -> bool {
    let loaded = machine.method(method);
    let class = machine.class(loaded.class);
    let synthetic = loaded.access.is_synthetic();
    let initializer = &*loaded.name == "<clinit>";
    if synthetic || initializer || loaded.is_private() {
        return false;
    }
    let is_enum = class.access.is_enum();
    if is_enum && &*loaded.name == "<init>" {
        return false;
    }
    let public = loaded.access.is_public();
    is_nameable(machine, loaded.class, package) && (public || class.package() == package)
}

/// Whether a method that the compiler made hides the inherited one that it overrides: source sees the method of its
/// class that it leads to. One without such a method was made for a public method of a superclass that is not
/// public, which source still sees.
pub fn hides_inherited(machine: &Machine, synthetic: MethodId) -> bool {
    let bridge = machine.method(synthetic);
    let mut own = machine.class(bridge.class).methods.iter().map(|it| machine.method(*it));
    own.any(|it| !it.access.is_synthetic() && it.name == bridge.name)
}

/// Whether source in `package` can name all parameter types and the result type.
pub fn has_nameable_types(machine: &mut Machine, method: MethodId, package: &str) -> bool {
    let Some((mut types, result)) = parse_method_descriptor(&machine.method(method).descriptor) else {
        return false;
    };
    types.push(result);
    let mut named = types.iter().filter_map(JavaType::named_class);
    named.all(|name| machine.load(name).is_ok_and(|class| is_nameable(machine, class, package)))
}

/// Whether a test in `package` can call the method only by reflection, and the method is worth testing.
fn is_hidden(machine: &mut Machine, method: MethodId, package: &str) -> bool {
    if !has_nameable_types(machine, method, package) {
        return false;
    }
    let loaded = machine.method(method);
    let class = machine.class(loaded.class);
    let is_synthetic = loaded.access.is_synthetic();
    let makes_enum = class.access.is_enum() && &*loaded.name == "<init>";
    let is_reachable = !class.from_jdk && is_nameable(machine, loaded.class, package);
    loaded.is_private() && is_reachable && !is_synthetic && !makes_enum
}

/// Annotations of tests.
const TESTS: [&str; 4] = [
    "Lorg/junit/Test;",
    "Lorg/junit/jupiter/api/Test;",
    "Lorg/junit/jupiter/params/ParameterizedTest;",
    "Lorg/testng/annotations/Test;",
];

/// Whether a class has tests: the class path of a project may have them, and those of an earlier run.
fn has_tests(file: &ClassFile) -> bool {
    let annotated = file.methods.iter().filter(|it| it.annotations.visible.is_some());
    annotated
        .into_iter()
        .any(|it| annotation_types(file, &it.annotations).iter().any(|ty| TESTS.contains(&&**ty)))
}

/// Whether source in `package` can name a class: it and its enclosing classes are accessible, it is neither local nor
/// anonymous, and it is no class of tests, of which the new ones may take the place.
pub fn is_nameable(machine: &Machine, class: ClassId, package: &str) -> bool {
    let loaded = machine.class(class);
    match loaded.kind {
        ClassKind::Primitive(_) => return true,
        ClassKind::Array { element, .. } => return is_nameable(machine, element, package),
        ClassKind::Instance => {}
    }
    let Some(file) = loaded.file.as_ref() else { return false };
    let same = loaded.package() == package;
    // No source can name a class that a program makes while it runs.
    let is_made = matches!(file.origin(), Origin::Made);
    if is_made || file.enclosing_method.is_some() || loaded.access.is_synthetic() || has_tests(file) {
        return false;
    }
    for inner in file.inner_classes.iter() {
        let encloses = *inner.inner == *loaded.name || loaded.name.starts_with(&format!("{}$", inner.inner));
        if !encloses {
            continue;
        }
        if inner.name.is_none() || inner.outer.is_none() || inner.access.is_private() {
            return false;
        }
        if !inner.access.is_public() && !same {
            return false;
        }
    }
    let nested = file.inner_classes.iter().any(|i| *i.inner == *loaded.name);
    nested || same || loaded.access.is_public()
}
