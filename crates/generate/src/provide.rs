//! What can be passed for a parameter: reference assignments (thesis §4.3.2, §4.4.2).
//!
//! Primitives are symbolic. For a reference there is a list of *provisions*, the likeliest first: symbolic
//! strings, arrays and boxes; objects made through constructors and factories, whose own arguments are
//! provided in turn; constants; `null`. Abstract parameter types are provided by well-known classes of the
//! JDK and by classes of the same package.

use crate::generics::{bindings_of, erased, is_parameterised, parameter_types, result_type};
use crate::input::{Input, boxed_kind};
use crate::invokable::{Invokable, Parameter, constants, is_nameable, kind_of, makers};
use crate::plan::{Plan, PlanStep, Var};
use crate::stub::Stub;
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, ClassKind, Kind, Machine, MethodId, StubResult};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// One way to provide a reference.
#[derive(Clone, Debug)]
pub enum Provision {
    /// An input.
    Input(Input),
    /// A static field.
    Constant(ClassId, usize),
    /// A constructor or factory, with each argument's first provision.
    Make(Rc<Invokable>),
    /// A constructor or factory with these arguments.
    MakeOf(Rc<Invokable>, Vec<Provision>),
    /// An array of references with these elements.
    Elements(ClassId, Vec<Provision>),
    /// An object that stands in for an implementation of an interface, whose methods return these.
    Stub(Rc<Stub>, Vec<Provision>),
    /// The object that is under test already, where its type fits.
    Receiver,
}

impl Provision {
    /// Whether values behind it are symbolic.
    pub fn is_symbolic(&self) -> bool {
        match self {
            Provision::Input(input) => {
                !matches!(input, Input::Null | Input::Text(_) | Input::ClassLiteral(_))
            }
            Provision::Make(maker) => !maker.parameters.is_empty(),
            Provision::Elements(_, provisions)
            | Provision::Stub(_, provisions)
            | Provision::MakeOf(_, provisions) => provisions.iter().any(Provision::is_symbolic),
            Provision::Constant(..) | Provision::Receiver => false,
        }
    }
}

/// Finds provisions; keeps what it has found.
pub struct Provider {
    package: String,
    max_elements: u32,
    known: FxHashMap<(ClassId, Option<GenericType>, u32), Rc<Vec<Provision>>>,
    literals: Vec<Vec<u16>>,
}

/// Nesting of objects that are made only to be passed.
const MAX_DEPTH: u32 = 3;
/// Abstract methods of an interface that is implemented by a stub, at most.
const MAX_STUBBED: usize = 16;

impl Provider {
    /// A provider for tests in `package`. `literals` are strings that the code under test compares with.
    pub fn new(package: &str, max_elements: u32, literals: Vec<Vec<u16>>) -> Provider {
        Provider { package: package.to_owned(), max_elements, known: FxHashMap::default(), literals }
    }

    /// All assignments of an invokable's parameters that are tried: the first has every parameter's first
    /// provision, each further one differs from it in one parameter.
    pub fn assignments(
        &mut self,
        machine: &mut Machine,
        invokable: &Invokable,
        receiver: Option<ClassId>,
    ) -> Vec<Vec<Provision>> {
        let hints = cast_types(machine, invokable.method);
        let choices: Vec<Vec<Provision>> =
            invokable.parameters.iter().map(|p| self.choices(machine, p, &hints, receiver)).collect();
        if choices.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let base: Vec<Provision> = choices.iter().map(|c| c[0].clone()).collect();
        let mut assignments = vec![base.clone()];
        let most = choices.iter().map(Vec::len).max().unwrap_or(0);
        for choice in 1..most {
            for (at, provisions) in choices.iter().enumerate() {
                if let Some(provision) = provisions.get(choice) {
                    let mut assignment = base.clone();
                    assignment[at] = provision.clone();
                    assignments.push(assignment);
                }
            }
        }
        // Two references at once: both null, both of their second kind.
        if choices.iter().filter(|c| c.len() > 1).count() == 2 {
            for pick in [
                |c: &Vec<Provision>| c[c.len() - 1].clone(),
                |c: &Vec<Provision>| c[1.min(c.len() - 1)].clone(),
            ] {
                assignments.push(choices.iter().map(pick).collect());
            }
        }
        assignments
    }

    fn choices(
        &mut self,
        machine: &mut Machine,
        parameter: &Parameter,
        hints: &[ClassId],
        receiver: Option<ClassId>,
    ) -> Vec<Provision> {
        if parameter.kind != Kind::Reference {
            return vec![Provision::Input(Input::Primitive(parameter.kind))];
        }
        let Ok(class) = machine.load_descriptor(&parameter.ty.descriptor()) else { return Vec::new() };
        let mut choices = self.provisions(machine, class, parameter.generic.as_ref(), 0).as_ref().clone();
        if parameter.is_outer {
            // `null.new Inner()` throws before the constructor is reached.
            choices.retain(|p| !matches!(p, Provision::Input(Input::Null)));
        }
        if receiver.is_some_and(|r| machine.is_subtype(r, class)) {
            choices.insert(choices.len().min(1), Provision::Receiver);
        }
        // Types that the code casts to or checks for are worth a try where the parameter takes anything.
        for hint in hints {
            if *hint != class && machine.is_subtype(*hint, class) {
                let more = self.provisions(machine, *hint, None, 1);
                let better = more.iter().filter(|p| !matches!(p, Provision::Input(Input::Null))).take(2);
                let at = choices.len().min(1);
                choices.splice(at..at, better.cloned());
            }
        }
        choices
    }

    /// The provisions for values of a class, `null` last; with the type arguments of `generic`, if any.
    fn provisions(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Rc<Vec<Provision>> {
        let key = (class, generic.filter(|ty| is_parameterised(ty)).cloned(), depth);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        // While it is being found out, a class that needs itself finds only null.
        self.known.insert(key.clone(), Rc::new(vec![Provision::Input(Input::Null)]));
        let mut found = self.non_null(machine, class, key.1.as_ref(), depth);
        found.push(Provision::Input(Input::Null));
        let found = Rc::new(found);
        self.known.insert(key, found.clone());
        found
    }

    /// The provisions for values of a type with its type arguments, `null` last.
    fn typed(&mut self, machine: &mut Machine, ty: &GenericType, depth: u32) -> Rc<Vec<Provision>> {
        match erased(ty).and_then(|name| machine.load(&name).ok()) {
            Some(class) => self.provisions(machine, class, Some(ty), depth),
            None => Rc::new(vec![Provision::Input(Input::Null)]),
        }
    }

    fn non_null(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let loaded = machine.class(class);
        let name = loaded.name.clone();
        if let ClassKind::Array { element, kind } = loaded.kind {
            let of = match generic {
                Some(GenericType::Array(of)) => Some(&**of),
                _ => None,
            };
            return self.arrays(machine, element, kind, of, depth);
        }
        if &*name == "java/lang/Boolean" {
            // Code compares these by identity, and there are but two.
            return ["TRUE", "FALSE"]
                .iter()
                .filter_map(|field| static_field(machine, class, field))
                .collect();
        }
        if let Some(kind) = boxed_kind(&name) {
            return vec![Provision::Input(Input::Boxed(kind))];
        }
        match &*name {
            "java/lang/String" => return self.strings(depth),
            "java/lang/Class" => {
                let classes = [
                    "java/lang/String",
                    "int",
                    "java/util/concurrent/TimeUnit",
                    "java/lang/RuntimeException",
                    "java/util/List",
                ];
                let loaded: Vec<ClassId> = classes.iter().filter_map(|c| machine.load(c).ok()).collect();
                return loaded.into_iter().map(|c| Provision::Input(Input::ClassLiteral(c))).collect();
            }
            "java/lang/Object" | "java/lang/Comparable" | "java/io/Serializable" => {
                return vec![
                    Provision::Input(Input::String { max: self.max_elements.min(3) }),
                    Provision::Input(Input::Boxed(Kind::Int)),
                ];
            }
            "java/lang/CharSequence" => {
                let mut found = self.strings(depth);
                found.extend(self.implementer(machine, "java/lang/StringBuilder", None, depth));
                return found;
            }
            "java/lang/Number" => {
                let kinds = [Kind::Int, Kind::Long, Kind::Double, Kind::Float, Kind::Short, Kind::Byte];
                return kinds.into_iter().map(|k| Provision::Input(Input::Boxed(k))).collect();
            }
            _ => {}
        }
        if let Some((_, implementers)) = IMPLEMENTERS.iter().find(|(interface, _)| **interface == *name) {
            let names: Vec<&str> = implementers.split(' ').collect();
            return names.iter().flat_map(|n| self.implementer(machine, n, generic, depth)).collect();
        }
        self.objects(machine, class, generic, depth)
    }

    fn strings(&self, depth: u32) -> Vec<Provision> {
        let mut found = vec![Provision::Input(Input::String { max: self.max_elements })];
        if depth == 0 {
            found.extend(self.literals.iter().map(|units| Provision::Input(Input::Text(units.clone()))));
        }
        found
    }

    fn arrays(
        &mut self,
        machine: &mut Machine,
        element: ClassId,
        kind: Kind,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        if kind != Kind::Reference {
            return vec![Provision::Input(Input::Array { element: kind, max: self.max_elements })];
        }
        let mut found = vec![];
        if depth < MAX_DEPTH {
            let elements = self.provisions(machine, element, generic, depth + 1);
            let first = elements[0].clone();
            let second = elements.get(1).unwrap_or(&elements[0]).clone();
            if !matches!(first, Provision::Input(Input::Null)) {
                found.push(Provision::Elements(element, vec![first.clone(), first.clone()]));
                found.push(Provision::Elements(element, vec![first.clone()]));
                found.push(Provision::Elements(element, vec![first, Provision::Input(Input::Null), second]));
            }
        }
        found.push(Provision::Elements(element, Vec::new()));
        found
    }

    /// Objects of a class of the user's or of a concrete class of the JDK.
    fn objects(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let mut found: Vec<Provision> = Vec::new();
        let fields = constants(machine, class, &self.package);
        let is_enum = machine.class(class).access & 0x4000 != 0;
        found.extend(
            fields.into_iter().take(if is_enum { 5 } else { 2 }).map(|(c, f)| Provision::Constant(c, f)),
        );
        if is_enum {
            return found;
        }
        if depth < MAX_DEPTH {
            let package = self.package.clone();
            let made: Vec<Rc<Invokable>> =
                makers(machine, class, &package).into_iter().filter(|m| !takes_itself(m)).take(4).collect();
            let mut makers = Vec::new();
            for maker in made {
                if self.can_provide(machine, &maker, depth) {
                    makers.push(self.make(machine, maker, generic, depth));
                }
            }
            makers.splice(0..0, self.filled(machine, class, generic, depth));
            // An object of one's own making is better to vary than a constant.
            found.splice(0..0, makers);
        }
        if found.is_empty() && machine.class(class).is_abstract() {
            for name in self.subclasses(machine, class) {
                found.extend(self.implementer(machine, &name, None, depth).into_iter().take(2));
                if found.len() >= 3 {
                    break;
                }
            }
        }
        let is_interface = machine.class(class).access & 0x0200 != 0;
        let is_functional = is_interface && machine.abstract_methods(class).len() == 1;
        if is_functional {
            // A lambda expression says more than the library's constants and factories.
            let stubs = self.stubs(machine, class, generic, depth);
            found.splice(0..0, stubs);
        } else if is_interface && found.len() < 2 {
            found.extend(self.stubs(machine, class, generic, depth));
        }
        found
    }

    /// A maker of a class with type arguments gets arguments of the types that they call for.
    fn make(
        &mut self,
        machine: &mut Machine,
        maker: Rc<Invokable>,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Provision {
        let Some(ty) = generic.filter(|_| maker.is_constructor()) else { return Provision::Make(maker) };
        let bindings = bindings_of(machine, ty);
        let Some(types) = parameter_types(machine, maker.method, &bindings) else {
            return Provision::Make(maker);
        };
        if types.len() != maker.parameters.len() {
            return Provision::Make(maker);
        }
        let mut arguments = Vec::new();
        for (parameter, ty) in maker.parameters.iter().zip(&types) {
            arguments.push(match parameter.kind {
                Kind::Reference => self.typed(machine, ty, depth + 1)[0].clone(),
                kind => Provision::Input(Input::Primitive(kind)),
            });
        }
        Provision::MakeOf(maker, arguments)
    }

    /// Collections and maps of the library that hold something: two elements, then one.
    fn filled(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        if !machine.class(class).from_jdk {
            return Vec::new();
        }
        let arguments = match generic {
            Some(GenericType::Class { arguments, .. }) => arguments.clone(),
            _ => Vec::new(),
        };
        let object = || GenericType::Class { name: "java/lang/Object".to_owned(), arguments: Vec::new() };
        let value = |p: &mut Provider, machine: &mut Machine, at: usize| {
            let ty = arguments.get(at).cloned().unwrap_or_else(object);
            p.typed(machine, &ty, depth + 1)[0].clone()
        };
        let makers = [
            (
                "(Ljava/util/Collection;)V",
                "java/util/Arrays",
                "asList",
                "([Ljava/lang/Object;)Ljava/util/List;",
            ),
            (
                "(Ljava/util/Map;)V",
                "java/util/Collections",
                "singletonMap",
                "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map;",
            ),
        ];
        for (constructor, library, factory, descriptor) in makers {
            let found = (
                invokable(machine, class, "<init>", constructor),
                machine.load(library).ok().and_then(|c| invokable(machine, c, factory, descriptor)),
            );
            let (Some(constructor), Some(factory)) = found else { continue };
            let contents = if factory.parameters.len() == 1 {
                let element = value(self, machine, 0);
                let Ok(objects) = machine.load("java/lang/Object") else { continue };
                let both = vec![element.clone(), element.clone()];
                vec![
                    vec![Provision::Elements(objects, both)],
                    vec![Provision::Elements(objects, vec![element])],
                ]
            } else {
                vec![vec![value(self, machine, 0), value(self, machine, 1)]]
            };
            let of = |content| {
                Provision::MakeOf(constructor.clone(), vec![Provision::MakeOf(factory.clone(), content)])
            };
            return contents.into_iter().map(of).collect();
        }
        Vec::new()
    }

    /// Stubs of an interface: one whose methods return the first provision of their type, one whose methods return
    /// a parameter where the types allow it, one that returns `null`.
    fn stubs(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let package = self.package.clone();
        if depth >= MAX_DEPTH || !can_be_implemented(machine, class, &package) {
            return Vec::new();
        }
        let methods = machine.abstract_methods(class);
        if methods.len() > MAX_STUBBED {
            return Vec::new();
        }
        let name = machine.class(class).name.to_string();
        let own = generic.cloned().unwrap_or(GenericType::Class { name, arguments: Vec::new() });
        let mut values: Vec<Vec<Provision>> = vec![Vec::new(), Vec::new()];
        let (mut fixed, mut passing) = (Vec::new(), Vec::new());
        for method in methods {
            let descriptor = machine.method(method).descriptor.clone();
            let Some((parameters, result)) = parse_method_descriptor(&descriptor) else { return Vec::new() };
            if result == JavaType::Void {
                fixed.push(StubResult::Nothing);
                passing.push(StubResult::Nothing);
                continue;
            }
            fixed.push(StubResult::Field);
            let provision = if result.is_reference() {
                match result_type(machine, &own, method) {
                    Some(ty) => self.typed(machine, &ty, depth + 1)[0].clone(),
                    None => Provision::Input(Input::Null),
                }
            } else {
                Provision::Input(Input::Primitive(kind_of(&result)))
            };
            values[0].push(provision.clone());
            match parameters.iter().position(|p| *p == result && result.is_reference()) {
                Some(at) => passing.push(StubResult::Parameter(at)),
                None => {
                    passing.push(StubResult::Field);
                    values[1].push(provision);
                }
            }
        }
        let mut ways = vec![(fixed.clone(), values[0].clone())];
        if passing != fixed {
            ways.push((passing, std::mem::take(&mut values[1])));
        }
        let is_null = |p: &Provision| matches!(p, Provision::Input(Input::Null));
        let nothing = |p: &Provision| match p {
            Provision::Input(Input::Primitive(_)) => p.clone(),
            _ => Provision::Input(Input::Null),
        };
        if values[0].iter().any(|p| !is_null(p) && !matches!(p, Provision::Input(Input::Primitive(_)))) {
            ways.push((fixed, values[0].iter().map(nothing).collect()));
        }
        let stub = |(results, provisions)| {
            Some(Provision::Stub(Stub::new(machine, class, results).ok()?, provisions))
        };
        ways.into_iter().filter_map(stub).collect()
    }

    /// Objects of the class of this name; `generic` is the type that it stands in for.
    fn implementer(
        &mut self,
        machine: &mut Machine,
        name: &str,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        match machine.load(name) {
            Ok(class) if depth < MAX_DEPTH => {
                // The classes of the library take the type arguments of what they implement.
                let own = match generic {
                    Some(GenericType::Class { arguments, .. }) => {
                        Some(GenericType::Class { name: name.to_owned(), arguments: arguments.clone() })
                    }
                    _ => None,
                };
                let all = self.provisions(machine, class, own.as_ref(), depth + 1);
                all.iter().filter(|p| !matches!(p, Provision::Input(Input::Null))).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Names of classes of the class's own package, on the class path, that extend or implement it.
    fn subclasses(&self, machine: &mut Machine, class: ClassId) -> Vec<String> {
        if machine.class(class).from_jdk {
            return Vec::new();
        }
        let package = machine.class(class).package().to_owned();
        let names = machine.program.classes_of_package(&package, false).unwrap_or_default();
        let mut found = Vec::new();
        for name in names {
            let Ok(candidate) = machine.load(&name) else { continue };
            let usable = candidate != class
                && machine.is_subtype(candidate, class)
                && !machine.class(candidate).is_abstract()
                && is_nameable(machine, candidate, &self.package);
            if usable {
                found.push(name);
            }
        }
        found
    }

    fn can_provide(&mut self, machine: &mut Machine, maker: &Invokable, depth: u32) -> bool {
        maker.parameters.iter().all(|p| {
            p.kind != Kind::Reference
                || machine.load_descriptor(&p.ty.descriptor()).is_ok_and(|c| {
                    depth + 1 >= MAX_DEPTH || !self.provisions(machine, c, None, depth + 1).is_empty()
                })
        })
    }

    /// Adds the steps that make a provision; the variable that holds it.
    pub fn provide(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        provision: &Provision,
        parameter: &Parameter,
        receiver: Option<Var>,
        depth: u32,
    ) -> Var {
        let ty = parameter.ty.clone();
        match provision {
            Provision::Receiver if receiver.is_some() => receiver.unwrap_or_default(),
            Provision::Receiver => plan.input(Input::Null, ty, &parameter.name),
            Provision::Input(input) => {
                let own = own_type(input).filter(|_| parameter.kind == Kind::Reference);
                plan.input(input.clone(), own.unwrap_or(ty), &parameter.name)
            }
            Provision::Constant(class, field) => {
                let name = machine.class(*class).name.clone();
                let var = plan.variable(JavaType::class(&name), &parameter.name);
                plan.steps.push(PlanStep::StaticField { field: (*class, *field), var });
                var
            }
            Provision::Make(maker) => {
                let arguments = self.default_arguments(machine, plan, maker, depth + 1);
                plan.call(maker, arguments, &parameter.name).unwrap_or_default()
            }
            Provision::Stub(stub, provisions) => {
                let results = stub.parameters(machine);
                let results: Vec<Var> = provisions
                    .iter()
                    .zip(&results)
                    .map(|(p, part)| self.provide(machine, plan, p, part, None, depth + 1))
                    .collect();
                let name = machine.class(stub.interface).name.clone();
                let var = plan.variable(JavaType::class(&name), &parameter.name);
                plan.steps.push(PlanStep::Stub { stub: stub.clone(), results, var });
                var
            }
            Provision::MakeOf(maker, provisions) => {
                let arguments: Vec<Var> = provisions
                    .iter()
                    .zip(&maker.parameters)
                    .map(|(p, part)| self.provide(machine, plan, p, part, None, depth + 1))
                    .collect();
                plan.call(maker, arguments, &parameter.name).unwrap_or_default()
            }
            Provision::Elements(element, provisions) => {
                let element_type =
                    JavaType::parse(&machine.descriptor_of(*element)).unwrap_or(JavaType::Void);
                let part = Parameter {
                    kind: Kind::Reference,
                    ty: element_type.clone(),
                    name: parameter.name.clone(),
                    is_outer: false,
                    generic: None,
                };
                let elements: Vec<Var> = provisions
                    .iter()
                    .map(|p| self.provide(machine, plan, p, &part, None, depth + 1))
                    .collect();
                let var = plan.variable(JavaType::Array(Box::new(element_type)), &parameter.name);
                plan.steps.push(PlanStep::NewArray { element: *element, elements, var });
                var
            }
        }
    }

    fn default_arguments(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        maker: &Invokable,
        depth: u32,
    ) -> Vec<Var> {
        maker
            .parameters
            .iter()
            .map(|parameter| {
                let provision = if parameter.kind != Kind::Reference {
                    Provision::Input(Input::Primitive(parameter.kind))
                } else {
                    match machine.load_descriptor(&parameter.ty.descriptor()) {
                        Ok(class) if depth <= MAX_DEPTH => {
                            self.provisions(machine, class, parameter.generic.as_ref(), depth)[0].clone()
                        }
                        _ => Provision::Input(Input::Null),
                    }
                };
                self.provide(machine, plan, &provision, parameter, None, depth)
            })
            .collect()
    }
}

/// The type that a variable of this input is best declared with.
fn own_type(input: &Input) -> Option<JavaType> {
    match input {
        Input::String { .. } | Input::Text(_) => Some(JavaType::class("java/lang/String")),
        Input::Boxed(kind) => Some(JavaType::class(crate::input::box_class(*kind))),
        Input::Array { element, .. } => Some(JavaType::Array(Box::new(crate::input::java_type(*element)))),
        Input::ClassLiteral(_) => Some(JavaType::class("java/lang/Class")),
        Input::Primitive(_) | Input::Null => None,
    }
}

/// The public constructor or static method of this name and descriptor.
fn invokable(machine: &Machine, class: ClassId, name: &str, descriptor: &str) -> Option<Rc<Invokable>> {
    let method = machine.declared_method(class, name, descriptor)?;
    let is_public = machine.method(method).access & 1 != 0;
    is_public.then(|| Invokable::new(machine, class, method)).flatten().map(Rc::new)
}

/// Whether a test in `package` can implement an interface itself.
fn can_be_implemented(machine: &Machine, class: ClassId, package: &str) -> bool {
    let loaded = machine.class(class);
    let is_sealed = loaded.file.as_ref().is_some_and(|file| !file.permitted_subclasses.is_empty());
    let is_annotation = loaded.access & 0x2000 != 0;
    loaded.access & 0x0200 != 0 && !is_annotation && !is_sealed && is_nameable(machine, class, package)
}

fn static_field(machine: &Machine, class: ClassId, name: &str) -> Option<Provision> {
    let at = machine.class(class).fields.iter().position(|f| f.is_static() && &*f.name == name)?;
    Some(Provision::Constant(class, at))
}

fn takes_itself(maker: &Invokable) -> bool {
    let own = JavaType::class(&maker.reference.class);
    maker.parameters.iter().any(|p| p.ty == own)
}

/// The classes that a method's code casts to or checks for, in the order of its code.
fn cast_types(machine: &mut Machine, method: MethodId) -> Vec<ClassId> {
    let loaded = machine.method(method);
    let Some(file) = machine.class(loaded.class).file.clone() else { return Vec::new() };
    let Ok(Some(code)) = file.code(&file.methods[loaded.index]) else { return Vec::new() };
    let mut found = Vec::new();
    for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
        use cupping_classfile::{Constant, Opcode, Operand};
        if !matches!(instruction.opcode, Opcode::Checkcast | Opcode::Instanceof) {
            continue;
        }
        let Operand::Constant(index) = instruction.operand else { continue };
        if let Ok(Constant::Class(name)) = file.constant(index)
            && let Ok(class) = machine.load(&name)
            && !found.contains(&class)
        {
            found.push(class);
        }
    }
    found
}

/// String constants of a class that its code may compare inputs with: the short ones, in pool order.
pub fn string_literals(machine: &Machine, class: ClassId, most: usize) -> Vec<Vec<u16>> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let mut found: Vec<Vec<u16>> = Vec::new();
    for index in 1..file.constant_count() {
        if let Ok(cupping_classfile::Constant::String(units)) = file.constant(index)
            && (1..=16).contains(&units.len())
            && !found.contains(&units)
        {
            found.push(units);
            if found.len() >= most {
                break;
            }
        }
    }
    found
}

/// Abstract types of the JDK and the classes that stand in for them.
const IMPLEMENTERS: &[(&str, &str)] = &[
    ("java/util/Collection", "java/util/ArrayList"),
    ("java/lang/Iterable", "java/util/ArrayList"),
    ("java/util/List", "java/util/ArrayList java/util/LinkedList"),
    ("java/util/Set", "java/util/HashSet"),
    ("java/util/SortedSet", "java/util/TreeSet"),
    ("java/util/NavigableSet", "java/util/TreeSet"),
    ("java/util/Map", "java/util/HashMap"),
    ("java/util/SortedMap", "java/util/TreeMap"),
    ("java/util/NavigableMap", "java/util/TreeMap"),
    ("java/util/Queue", "java/util/LinkedList"),
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/lang/Appendable", "java/lang/StringBuilder"),
    ("java/io/Writer", "java/io/StringWriter"),
    ("java/io/Reader", "java/io/StringReader"),
    ("java/lang/Readable", "java/io/StringReader"),
    ("java/io/OutputStream", "java/io/ByteArrayOutputStream"),
    ("java/io/InputStream", "java/io/ByteArrayInputStream"),
    ("java/lang/Throwable", "java/lang/RuntimeException"),
];
