//! The universe of elements for sequences of one class, and the influence between them.

use super::element::{Element, ElementKind};
use super::filter::Filter;
use super::marks::Marks;
use super::steps::steps;
use crate::influence::{Effects, FieldReference, Influence};
use crate::invokable::{Invokable, Subject, is_nameable, is_testable, makers};
use cupping_machine::{ClassId, ClassKind, Machine, MethodId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the elements; classes added later are ignored.
const MAX_ELEMENTS: usize = 600;
/// Limit on the implementations of an abstract type.
const MAX_IMPLEMENTERS: usize = 4;

/// The extent of a universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Makers and methods of the class under test.
    Object,
    /// Makers and methods of argument classes too.
    Everything,
}

/// The elements in declaration order, which is the order for partial order reduction (§4.3.4).
pub struct Universe {
    /// The elements.
    pub elements: Vec<Element>,
    /// Number of elements of the class under test, which come first.
    pub own: usize,
    /// Which element may influence which, as bit sets.
    influences: Vec<Vec<u64>>,
    /// Which element may influence which through static fields.
    globally: Vec<Vec<u64>>,
    /// Which element may provide which slots of which other element, as bits.
    fits: Vec<Vec<u32>>,
    /// Whether any element provides a slot, by element and slot.
    is_provided: Vec<Vec<bool>>,
    /// Whether sharing an object is observable because code can change it, by element and slot.
    is_shared: Vec<Vec<bool>>,
}

impl Universe {
    /// The elements for tests of `subject`: makers and mutators of its class and of the classes that its
    /// methods take, subject to the filter. Methods under test are always included.
    pub fn new(
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        filter: &Filter,
        reach: Reach,
    ) -> Universe {
        let mut build = Build {
            machine,
            influence,
            filter,
            package: subject.package.clone(),
            elements: Vec::new(),
            methods: BTreeSet::new(),
            known: BTreeSet::new(),
            open: Vec::new(),
        };
        let is_under_test = |m: &Invokable| subject.under_test.iter().any(|u| u.method == m.method);
        for maker in &subject.makers {
            build.call(maker, true);
        }
        for step in steps(build.machine, subject) {
            build.call(&step, is_under_test(&step));
        }
        for invokable in &subject.under_test {
            build.call(invokable, true);
        }
        let own = build.elements.len();
        if reach == Reach::Everything {
            build.class(subject.class);
            build.others();
        }
        let elements = std::mem::take(&mut build.elements);
        Universe::of(machine, elements, own)
    }

    /// A universe of these elements, the first `own` of which belong to the class under test.
    pub fn of(machine: &Machine, elements: Vec<Element>, own: usize) -> Universe {
        let words = elements.len().div_ceil(64);
        let empty = vec![vec![0u64; words]; elements.len()];
        let mut universe = Universe {
            own,
            influences: empty.clone(),
            globally: empty,
            fits: vec![vec![0; elements.len()]; elements.len()],
            is_provided: elements.iter().map(|e| vec![false; e.slots.len()]).collect(),
            is_shared: Vec::new(),
            elements: Vec::new(),
        };
        let changes = |class: ClassId| {
            let name = &machine.class(class).name;
            !crate::influence::is_harmless(name)
                || matches!(machine.class(class).kind, ClassKind::Array { .. })
        };
        universe.is_shared =
            elements.iter().map(|e| e.slots.iter().map(|s| changes(s.class)).collect()).collect();
        let marks = Marks::new(machine, &elements);
        for (a, first) in elements.iter().enumerate() {
            for (b, later) in elements.iter().enumerate() {
                for (at, slot) in later.slots.iter().enumerate().take(32) {
                    if first.result.is_some_and(|result| machine.is_subtype(result, slot.class)) {
                        universe.fits[a][b] |= 1 << at;
                        universe.is_provided[b][at] = true;
                    }
                }
                if universe.fits[a][b] != 0
                    || marks.meet(a, b)
                    || first.effects.influences_beside_fields(&later.effects)
                {
                    universe.influences[a][b / 64] |= 1 << (b % 64);
                }
                if marks.meet_globally(a, b) || first.effects.is_unknown || later.effects.is_unknown {
                    universe.globally[a][b / 64] |= 1 << (b % 64);
                }
            }
        }
        universe.elements = elements;
        universe
    }

    /// Whether one element may influence a later one.
    pub fn influences(&self, first: usize, later: usize) -> bool {
        self.influences[first][later / 64] >> (later % 64) & 1 != 0
    }

    /// Whether it may do so through static fields alone.
    pub fn influences_globally(&self, first: usize, later: usize) -> bool {
        self.globally[first][later / 64] >> (later % 64) & 1 != 0
    }

    /// Whether one element can provide this slot of another.
    pub fn fits(&self, first: usize, later: usize, slot: usize) -> bool {
        slot < 32 && self.fits[first][later] >> slot & 1 != 0
    }

    /// Whether any element provides this slot of an element.
    pub fn is_provided(&self, element: usize, slot: usize) -> bool {
        self.is_provided[element][slot]
    }

    /// The invocations selected by invokable and effects.
    pub fn calls(&self, is_wanted: impl Fn(&Invokable, &Effects) -> bool) -> Vec<usize> {
        let wanted = |e: &Element| matches!(&e.kind, ElementKind::Call(m) if is_wanted(m, &e.effects));
        (0..self.elements.len()).filter(|at| wanted(&self.elements[*at])).collect()
    }

    /// Whether it is observable that two elements share an object in this slot.
    pub fn is_shared(&self, element: usize, slot: usize) -> bool {
        self.is_shared[element][slot]
    }
}

struct Build<'a> {
    machine: &'a mut Machine,
    influence: &'a mut Influence,
    filter: &'a Filter,
    package: String,
    elements: Vec<Element>,
    methods: BTreeSet<MethodId>,
    known: BTreeSet<ClassId>,
    open: Vec<ClassId>,
}

impl Build<'_> {
    /// Adds an invocation, and its parameter classes to the queue. Methods under test are always included.
    fn call(&mut self, invokable: &Rc<Invokable>, is_own: bool) {
        let is_let_in = self.filter.allows(self.machine, invokable);
        if !(is_own || is_let_in)
            || self.elements.len() >= MAX_ELEMENTS
            || !self.methods.insert(invokable.method)
        {
            return;
        }
        let mut element = Element::call(self.machine, self.influence, invokable);
        element.may_precede = is_let_in;
        self.open.extend(element.slots.iter().map(|s| s.class));
        self.elements.push(element);
    }

    fn others(&mut self) {
        let mut at = 0;
        while let Some(class) = self.open.get(at).copied() {
            at += 1;
            if let ClassKind::Array { element, .. } = self.machine.class(class).kind {
                if self.known.insert(class) {
                    self.elements.extend(Element::new_array(self.machine, class));
                    self.open.push(element);
                }
                continue;
            }
            self.class(class);
        }
    }

    /// Adds the makers and mutators of a class.
    fn class(&mut self, class: ClassId) {
        if self.elements.len() >= MAX_ELEMENTS || !self.known.insert(class) {
            return;
        }
        let loaded = self.machine.class(class);
        let is_enum = loaded.access.is_enum();
        let from_jdk = loaded.from_jdk && !self.filter.names_class(&loaded.name);
        if from_jdk || is_enum || loaded.kind != ClassKind::Instance || !self.is_nameable(class) {
            return;
        }
        let (is_abstract, above) = (loaded.is_abstract(), loaded.super_class);
        for maker in makers(self.machine, class, &self.package.clone()) {
            self.call(&maker, false);
        }
        for method in self.machine.class(class).methods.clone() {
            let is_constructor = &*self.machine.method(method).name == "<init>";
            if is_testable(self.machine, method, &self.package) && !is_constructor {
                let invokable = Invokable::new(self.machine, class, method).map(Rc::new);
                invokable.iter().for_each(|invokable| self.call(invokable, false));
            }
        }
        self.fields(class);
        self.open.extend(above);
        if is_abstract {
            let below = self.influence.below(self.machine, class);
            let package = self.package.clone();
            let mut usable = Vec::new();
            for name in below {
                let Ok(class) = self.machine.load(&name) else { continue };
                if usable.len() < MAX_IMPLEMENTERS && !makers(self.machine, class, &package).is_empty() {
                    usable.push(class);
                }
            }
            self.open.extend(usable);
        }
    }

    fn is_nameable(&self, class: ClassId) -> bool {
        is_nameable(self.machine, class, &self.package)
    }

    fn fields(&mut self, class: ClassId) {
        let loaded = self.machine.class(class);
        let same = loaded.package() == self.package;
        for (index, field) in loaded.fields.clone().iter().enumerate() {
            let visible = field.access.is_public() || same && !field.access.is_private();
            if !visible || field.access.is_synthetic() {
                continue;
            }
            if self.filter.allows_field(&self.machine.class(class).name, field) {
                let found = Element::field(self.machine, FieldReference { class, index: index as u32 });
                self.elements.extend(found);
            }
        }
    }
}
