//! Provisions: what can be passed for a parameter (reference assignment, thesis §4.3.2, §4.4.2).
//!
//! Primitives are symbolic. For a reference there is a list of *provisions*, most promising first: symbolic
//! strings, arrays and boxes; objects from constructors and factories, whose own arguments are provided
//! recursively; constants; `null`. Abstract parameter types are provided by well-known JDK classes, and by
//! classes of the same package, the tests' package, or subpackages.

mod arrays;
mod called_methods;
mod causes;
mod changers;
mod compared_values;
mod comparisons;
mod files;
mod fixed_sources;
mod foreign;
mod implementers;
mod instances;
mod library;
mod literals;
mod loads;
mod makers;
mod nulls;
mod patterns;
mod prepare;
mod provision;
mod recipes;
mod reflected;
mod sizes;
mod steps;
mod stubs;
#[cfg(test)]
mod tests;
mod typical_values;
mod values;

use crate::anonymous_classes::anonymous_makers;
use crate::generics::{erased, is_parameterised};
use crate::implementation::is_functional;
use crate::influence::Influence;
use crate::input::{Input, boxed_kind};
use crate::invokable::{Entrance, Invokable, Parameter, constants, makers};
use crate::options::GenerateOptions;
use crate::pool::Pool;
use crate::sequences::Filter;
use comparisons::{Comparisons, cast_types};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, ClassKind, Kind, Machine, MethodId};
use files::{FileForm, may_be_path_text, takes_path_text};
use instances::static_field;
use library::IMPLEMENTERS;
use nulls::asks_for_null;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

pub use called_methods::CalledMethods;
pub(crate) use changers::Changer;
pub use literals::string_literals;
pub use patterns::{Pattern, matching_text, matching_texts, patterns};
pub use provision::Provision;
pub use stubs::plain_stub;
pub use typical_values::{TypicalArgument, TypicalValue, typical_values};

/// Assignments of an invokable's parameters: one provision per parameter.
type Assignments = Vec<Vec<Provision>>;

/// Finds and caches provisions.
pub struct Provider {
    package: String,
    max_elements: u32,
    filter: Filter,
    pool: Pool,
    objects: Option<Kind>,
    known: FxHashMap<(ClassId, Option<GenericType>, u32), Rc<Vec<Provision>>>,
    literals: Vec<Vec<u16>>,
    comparisons: Comparisons,
    /// What the code under test calls; without it, stubs answer all calls.
    called: Option<CalledMethods>,
    assigned: FxHashMap<(ClassId, Entrance, Option<ClassId>), Rc<Assignments>>,
    settable: FxHashMap<ClassId, Rc<Vec<(ClassId, usize)>>>,
    settable_static: Option<Vec<(ClassId, usize)>>,
    subclasses: FxHashMap<ClassId, Rc<Vec<String>>>,
    /// Methods that return objects, by package, and the classes for which they are being sought.
    makers: FxHashMap<String, foreign::Makers>,
    sought: BTreeSet<(ClassId, u32)>,
    /// Invokables whose string arguments became paths: they get paths in the test's folder.
    path_takers: BTreeSet<MethodId>,
}

/// Limit on the constants of an enum that are passed.
const MAX_ENUM: usize = 48;
/// Limit on the anonymous subclasses of an abstract class.
const MAX_ANONYMOUS: usize = 3;
/// Limit on the nesting of objects created as arguments.
const MAX_DEPTH: u32 = 3;

impl Provider {
    /// A provider for tests in `package`. `literals` are strings that the code under test compares with.
    pub fn new(package: &str, options: &GenerateOptions, literals: Vec<Vec<u16>>) -> Provider {
        Provider {
            package: package.to_owned(),
            max_elements: options.max_elements,
            filter: options.filter.clone(),
            pool: Pool::default(),
            objects: options.objects,
            known: FxHashMap::default(),
            literals,
            comparisons: Comparisons::default(),
            called: None,
            assigned: FxHashMap::default(),
            settable: FxHashMap::default(),
            settable_static: None,
            subclasses: FxHashMap::default(),
            makers: FxHashMap::default(),
            sought: BTreeSet::new(),
            path_takers: BTreeSet::new(),
        }
    }

    /// Has stubs of large interfaces answer only these methods.
    pub fn with_called_methods(self, called: CalledMethods) -> Provider {
        Provider { called: Some(called), ..self }
    }

    /// Notes that a string argument of an invokable became a path, so that it gets paths in the test's folder
    /// from now on. Returns false if this is known already, or if it takes no strings.
    pub fn takes_paths(&mut self, invokable: &Invokable) -> bool {
        let takes_text = invokable.parameters.iter().any(|it| may_be_path_text(&it.ty, it.kind));
        let is_new = takes_text && self.path_takers.insert(invokable.method);
        if is_new {
            self.assigned.clear();
        }
        is_new
    }

    /// All assignments tried for an invokable. In the first, every parameter has its first provision; each
    /// other assignment differs from it in one parameter.
    pub fn assignments(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        invokable: &Invokable,
        receiver: Option<ClassId>,
    ) -> Rc<Vec<Vec<Provision>>> {
        let key = (invokable.class, invokable.entrance(), receiver);
        if let Some(known) = self.assigned.get(&key) {
            return known.clone();
        }
        let found = Rc::new(self.assign(machine, influence, invokable, receiver));
        self.assigned.insert(key, found.clone());
        found
    }

    /// The assignments of an invokable whose parameters have the types of a certain receiver.
    pub(crate) fn assignments_of(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        invokable: &Invokable,
    ) -> Vec<Vec<Provision>> {
        self.assign(machine, influence, invokable, None)
    }

    fn assign(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        invokable: &Invokable,
        receiver: Option<ClassId>,
    ) -> Vec<Vec<Provision>> {
        let hints = cast_types(machine, invokable.method);
        // A subclass may bind the type variables of the class that declares the method.
        let bound = receiver.filter(|it| *it != invokable.class);
        let bound = bound.and_then(|class| Invokable::new(machine, class, invokable.method));
        let parameters = bound.map_or_else(|| invokable.parameters.clone(), |it| it.parameters);
        let mut choices: Vec<Vec<Provision>> =
            parameters.iter().map(|p| self.choices(machine, p, &hints, receiver)).collect();
        if self.path_takers.contains(&invokable.method) {
            for (provisions, parameter) in choices.iter_mut().zip(&parameters) {
                if may_be_path_text(&parameter.ty, parameter.kind) {
                    provisions.splice(0..0, files::files(FileForm::Text));
                }
            }
        }
        let class = receiver.unwrap_or(invokable.class);
        let effects = influence.effects(machine, class, invokable.method);
        let compared = self.comparisons.of(machine, invokable.method, &effects);
        for (provisions, parameter) in choices.iter_mut().zip(&parameters) {
            self.add_compared(machine, parameter, &compared, provisions);
            self.prepared(machine, influence, &effects, provisions);
        }
        Provider::add_shared(&parameters, &mut choices);
        if choices.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let base: Vec<Provision> = choices.iter().map(|c| c[0].clone()).collect();
        let mut assignments = vec![base.clone()];
        let asks = asks_for_null(machine, invokable.class, invokable.method, &effects.runs);
        if asks {
            assignments.extend(Provision::with_null(&base, &choices));
        }
        let most = choices.iter().map(Vec::len).max().unwrap_or(0);
        let of_all =
            |pick: &dyn Fn(&Vec<Provision>) -> Provision| choices.iter().map(pick).collect::<Vec<_>>();
        let are_two = choices.iter().filter(|c| c.len() > 1).count() == 2;
        for choice in 1..most {
            for (at, provisions) in choices.iter().enumerate() {
                if let Some(provision) = provisions.get(choice).filter(|it| !asks || !it.is_null()) {
                    let mut assignment = base.clone();
                    assignment[at] = provision.clone();
                    assignments.push(assignment);
                }
            }
            // For two references: both second provisions early, and both null last.
            if are_two && choice == 1 {
                assignments.push(of_all(&|c| c[1.min(c.len() - 1)].clone()));
            }
        }
        if are_two {
            assignments.push(of_all(&|c| c[c.len() - 1].clone()));
        }
        assignments
    }

    /// What can be passed for a parameter, most promising first.
    pub(crate) fn provisions_of(
        &mut self,
        machine: &mut Machine,
        parameter: &Parameter,
    ) -> Rc<Vec<Provision>> {
        if parameter.kind != Kind::Reference {
            return Rc::new(vec![Provision::Input(Input::Primitive(parameter.kind))]);
        }
        match machine.load_descriptor(&parameter.ty.descriptor()) {
            Ok(class) => self.provisions(machine, class, parameter.generic.as_ref(), 0),
            Err(_) => Rc::default(),
        }
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
            // `null.new Inner()` would throw before reaching the constructor.
            choices.retain(|p| !p.is_null());
        }
        if self.objects.is_none() && receiver.is_some_and(|r| machine.is_subtype(r, class)) {
            choices.insert(choices.len().min(1), Provision::Receiver);
        }
        if let Some(receiver) = receiver.filter(|_| self.objects.is_none()) {
            let loads = self.loads(machine, receiver, class);
            choices.splice(choices.len().min(1)..choices.len().min(1), loads);
        }
        // Objects that the sequence has created are linked with the object under test.
        let is_own = !machine.class(class).from_jdk && !machine.class(class).access.is_enum();
        if is_own && receiver.is_some() && machine.class(class).kind == ClassKind::Instance {
            choices.insert(choices.len().min(2), Provision::Known);
        }
        // Types that the code casts to or tests for are worth trying where the parameter accepts any object.
        for hint in hints {
            if *hint != class && machine.is_subtype(*hint, class) {
                let more = self.provisions(machine, *hint, None, 1);
                let better = more.iter().filter(|p| !matches!(p, Provision::Input(Input::Null))).take(2);
                let at = choices.len().min(1);
                choices.splice(at..at, better.cloned());
            }
        }
        choices.splice(choices.len().min(1)..choices.len().min(1), self.caused(machine, class, hints));
        choices
    }

    /// The provisions for a class, `null` last; with the type arguments of `generic`, if any.
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
        // While its provisions are being computed, a class that needs itself gets only null.
        self.known.insert(key.clone(), Rc::new(vec![Provision::Input(Input::Null)]));
        let mut found = self.non_null(machine, class, key.1.as_ref(), depth);
        found.push(Provision::Input(Input::Null));
        let found = Rc::new(found);
        self.known.insert(key, found.clone());
        found
    }

    /// The provisions for a generic type, `null` last.
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
            // Code compares these by identity, and there are only two.
            return ["TRUE", "FALSE"]
                .iter()
                .filter_map(|field| static_field(machine, class, field))
                .collect();
        }
        if let Some(kind) = boxed_kind(&name) {
            return vec![Provision::Input(Input::Boxed(kind))];
        }
        if let Some(form) = FileForm::of(&name) {
            let mut found = self.values(machine, &name, depth);
            found.extend(files::files(form));
            return found;
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
                let own = reflected::own_classes(machine, &self.package);
                let bound = generic.and_then(|it| reflected::bound_of_class(machine, it));
                return reflected::within(machine, loaded.into_iter().chain(own).collect(), bound);
            }
            "java/lang/Object" | "java/lang/Comparable" | "java/io/Serializable" => {
                if let Some(kind) = self.objects {
                    return vec![Provision::Input(Input::Boxed(kind))];
                }
                return vec![
                    Provision::Input(Input::string(self.max_elements.min(3))),
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
        let mut given = self.views(machine, &name, generic, depth);
        given.extend(instances::instances(machine, &name));
        given.extend(self.values(machine, &name, depth));
        given.extend(reflected::reflected(machine, class, &self.package));
        if !given.is_empty() {
            if &*name == "java/lang/reflect/Type" {
                // One that is none of those known.
                given.extend(self.stubs(machine, class, generic, depth));
            }
            return given;
        }
        self.objects(machine, class, generic, depth)
    }

    /// Objects of a class of the program, or of a concrete JDK class.
    fn objects(
        &mut self,
        machine: &mut Machine,
        class: ClassId,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Vec<Provision> {
        let mut found: Vec<Provision> = Vec::new();
        let fields = constants(machine, class, &self.package);
        let is_enum = machine.class(class).access.is_enum();
        found.extend(
            fields
                .into_iter()
                .take(if is_enum { MAX_ENUM } else { 2 })
                .map(|(c, f)| Provision::Constant(c, f)),
        );
        if is_enum {
            return found;
        }
        if let Some(fixed) = fixed_sources::fixed(machine, class) {
            return vec![fixed];
        }
        let is_deepest = depth >= MAX_DEPTH;
        if !is_deepest || machine.class(class).from_jdk {
            let package = self.package.clone();
            let mut made: Vec<Rc<Invokable>> =
                makers(machine, class, &package).into_iter().filter(|m| !m.takes_itself()).collect();
            if is_deepest {
                // A collection of texts, or an empty one, rather than none.
                made.retain(|maker| maker.parameters.is_empty());
            }
            if machine.class(class).from_jdk {
                let all = made.clone();
                made.retain(|maker| !takes_path_text(&all, maker));
            }
            let let_in = |m: &Rc<Invokable>| self.filter.allows_argument(machine, m);
            let made: Vec<Rc<Invokable>> = made.into_iter().filter(let_in).take(4).collect();
            let mut makers = Vec::new();
            for maker in made {
                if self.can_provide(machine, &maker, depth) {
                    makers.push(self.make(machine, maker, generic, depth));
                }
            }
            makers.splice(0..0, self.filled(machine, class, generic, depth));
            // Newly created objects can be varied more than constants.
            found.splice(0..0, makers);
        }
        if found.is_empty() && machine.class(class).is_abstract() {
            for name in self.subclasses(machine, class).iter() {
                found.extend(self.implementer(machine, name, None, depth).into_iter().take(2));
                if found.len() >= 3 {
                    break;
                }
            }
            if depth < MAX_DEPTH && found.len() < 3 {
                let package = self.package.clone();
                let mut made = anonymous_makers(machine, class, &package, self.called.as_mut());
                made.retain(|maker| !maker.takes_itself());
                for maker in made.into_iter().take(MAX_ANONYMOUS) {
                    if self.can_provide(machine, &maker, depth) {
                        found.push(Provision::Make(maker));
                    }
                }
            }
        }
        self.add_recipes(class, depth, &mut found);
        if found.is_empty() && !is_functional(machine, class) {
            found = self.foreign(machine, class, depth);
        }
        if !machine.class(class).access.is_interface() {
            return found;
        }
        // A stub is better than an object that others make of stubs.
        let leaning: Vec<_> = found.extract_if(.., |it| self.leans_on_stub(machine, it, depth)).collect();
        self.add_stubs(machine, class, generic, depth, &mut found);
        found.extend(leaning);
        found
    }
}
