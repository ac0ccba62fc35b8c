//! Objects that are compared by value, and the expressions that build equal ones in a test.
//!
//! The parts of an object are read by calling its own methods on a fork of the state. The expected value is
//! built there and compared by the object's own `equals`, so a class that compares by identity gives none.

use super::observer::Observer;
use super::recipes::{EMPTY, PARSED, RECIPES};
use crate::input::primitive_literal;
use crate::invokable::is_nameable;
use cupping_case::{ExpectedValue, JavaType, Literal, MethodRef};
use cupping_machine::{Addr, ClassId, ClassKind, Kind, Machine, MethodId, Value};

/// Limit on the elements of an array or collection that is compared in full.
const MAX_ELEMENTS: u32 = 24;
/// The same limit for arrays of numbers or characters, which are written more compactly.
const MAX_NUMBERS: u32 = 128;
/// Entries that `Map.of` takes.
const MAX_ENTRIES: usize = 10;
/// Literals in an expected value, at most.
const MAX_SIZE: usize = 32;
/// Depth of values within values.
const MAX_DEPTH: u32 = 4;
/// Fuel of one question to an object.
const FUEL: u64 = 1_000_000;

impl Observer<'_> {
    /// An expression that builds a value equal to this object, which is neither a literal nor compared by
    /// identity. The state of the machine is restored.
    pub(super) fn expected(&mut self, object: Addr) -> Option<ExpectedValue> {
        let here = self.machine.snapshot();
        let expected = self.describe(object, MAX_DEPTH).filter(is_short);
        self.machine.restore(&here);
        let expected = expected?;
        if matches!(expected, ExpectedValue::Literal(_)) || expected.holds_null() {
            return None;
        }
        let equal = self.is_as_expected(object, &expected);
        self.machine.restore(&here);
        equal.then_some(expected)
    }

    pub(super) fn describe(&mut self, object: Addr, depth: u32) -> Option<ExpectedValue> {
        if let Some(literal) = self.literal(object) {
            return Some(ExpectedValue::Literal(literal));
        }
        if depth == 0 || object == 0 {
            return None;
        }
        let class = self.machine.class_of(object);
        if let ClassKind::Array { kind, element } = self.machine.class(class).kind {
            return self.describe_array(object, kind, element, depth);
        }
        let name = self.machine.class(class).name.clone();
        if let Some((empty, descriptor)) = EMPTY.iter().find(|(empty, _)| *empty == &*name)
            && self.ask(object, class, "isPresent", "()Z")?.bits & 1 == 0
        {
            return Some(ExpectedValue::Call {
                method: maker((empty, "empty", descriptor)),
                args: Vec::new(),
            });
        }
        if let Some(recipe) = PARSED.iter().chain(&RECIPES).find(|it| it.class == &*name) {
            let mut args = Vec::new();
            for (tells, descriptor) in recipe.tells {
                let told = self.ask(object, class, tells, descriptor)?;
                args.push(self.describe_value(told, descriptor, depth)?);
            }
            return Some(ExpectedValue::Call { method: maker(recipe.maker), args });
        }
        if self.machine.class(class).from_jdk {
            if self.is_a(class, "java/util/List") {
                return Some(ExpectedValue::List(self.elements(object, class, depth)?));
            }
            if self.is_a(class, "java/util/Set") {
                return Some(ExpectedValue::Set(self.elements(object, class, depth)?));
            }
            if self.is_a(class, "java/util/Map") {
                return self.entries(object, class, depth);
            }
            if self.is_a(class, "java/util/Map$Entry") {
                let key = self.ask_reference(object, class, "getKey", depth)?;
                let value = self.ask_reference(object, class, "getValue", depth)?;
                let method = maker((
                    "java/util/Map",
                    "entry",
                    "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Map$Entry;",
                ));
                return Some(ExpectedValue::Call { method, args: vec![key, value] });
            }
            return None;
        }
        match self.describe_record(object, class, depth) {
            None if depth < MAX_DEPTH => self.made_alike(object, class),
            described => described,
        }
    }

    fn describe_value(&mut self, value: Value, descriptor: &str, depth: u32) -> Option<ExpectedValue> {
        let result = descriptor.rsplit(')').next().unwrap_or_default();
        match Kind::of_descriptor(*result.as_bytes().first()?) {
            Kind::Reference => self.describe(value.as_ref(), depth - 1),
            kind => Some(ExpectedValue::Literal(primitive_literal(kind, kind.narrow(value.bits)))),
        }
    }

    fn describe_array(
        &mut self,
        array: Addr,
        kind: Kind,
        element: ClassId,
        depth: u32,
    ) -> Option<ExpectedValue> {
        let length = self.machine.array_length(array);
        if length > if kind == Kind::Reference { MAX_ELEMENTS } else { MAX_NUMBERS } {
            return None;
        }
        let ty = if kind == Kind::Reference {
            if !is_nameable(self.machine, element, self.package) {
                return None;
            }
            JavaType::parse(&self.machine.descriptor_of(element))?
        } else {
            crate::input::java_type(kind)
        };
        let mut elements = Vec::new();
        for index in 0..length {
            elements.push(if kind == Kind::Reference {
                self.describe(self.machine.element_ref(array, index), depth - 1)?
            } else {
                let bits = kind.narrow(self.machine.element(array, index, kind));
                ExpectedValue::Literal(primitive_literal(kind, bits))
            });
        }
        Some(ExpectedValue::Array { element: ty, elements })
    }

    /// A record that the test can name and create, described by its components.
    fn describe_record(&mut self, object: Addr, class: ClassId, depth: u32) -> Option<ExpectedValue> {
        let file = self.machine.class(class).file.clone()?;
        let components = file.record_components.as_ref()?;
        if !is_nameable(self.machine, class, self.package) {
            return None;
        }
        let mut descriptor = String::from("(");
        let mut args = Vec::new();
        for component in components {
            descriptor += &component.descriptor;
            let told = self.ask(object, class, &component.name, &format!("(){}", component.descriptor))?;
            args.push(self.describe_value(told, &format!("(){}", component.descriptor), depth)?);
        }
        descriptor += ")V";
        let constructor = self.machine.declared_method(class, "<init>", &descriptor)?;
        let invokable = crate::invokable::Invokable::new(self.machine, class, constructor)?;
        if !invokable.reference.throws.is_empty() || args.contains(&ExpectedValue::Literal(Literal::Null)) {
            return None;
        }
        let access = self.machine.method(constructor).access;
        let is_callable = !access.is_private()
            && (access.is_public()
                || access.is_protected()
                || self.machine.class(class).package() == self.package);
        is_callable.then(|| ExpectedValue::Call { method: invokable.reference.clone(), args })
    }

    /// The elements of a collection of the JDK, in the order of its iterator.
    fn elements(&mut self, object: Addr, class: ClassId, depth: u32) -> Option<Vec<ExpectedValue>> {
        let array = self.ask(object, class, "toArray", "()[Ljava/lang/Object;")?.as_ref();
        if array == 0 || self.machine.array_length(array) > MAX_ELEMENTS {
            return None;
        }
        let length = self.machine.array_length(array);
        (0..length).map(|at| self.describe(self.machine.element_ref(array, at), depth - 1)).collect()
    }

    fn entries(&mut self, object: Addr, class: ClassId, depth: u32) -> Option<ExpectedValue> {
        let keys = self.ask(object, class, "keySet", "()Ljava/util/Set;")?.as_ref();
        let keys_class = self.machine.class_of(keys);
        let array = self.ask(keys, keys_class, "toArray", "()[Ljava/lang/Object;")?.as_ref();
        let length = self.machine.array_length(array);
        if length as usize > MAX_ENTRIES {
            return None;
        }
        let mut entries = Vec::new();
        for at in 0..length {
            let key = self.machine.element_ref(array, at);
            let get = self.method_of(class, "get", "(Ljava/lang/Object;)Ljava/lang/Object;")?;
            let value = self.run(get, &[Value::reference(object), Value::reference(key)])?.as_ref();
            entries.push((self.describe(key, depth - 1)?, self.describe(value, depth - 1)?));
        }
        Some(ExpectedValue::Map(entries))
    }

    fn ask_reference(
        &mut self,
        object: Addr,
        class: ClassId,
        name: &str,
        depth: u32,
    ) -> Option<ExpectedValue> {
        let told = self.ask(object, class, name, "()Ljava/lang/Object;")?;
        self.describe(told.as_ref(), depth - 1)
    }

    /// The result of a method without parameters. Its effects stay until the caller restores the state.
    pub(super) fn ask(
        &mut self,
        object: Addr,
        class: ClassId,
        name: &str,
        descriptor: &str,
    ) -> Option<Value> {
        let method = self.method_of(class, name, descriptor)?;
        self.run(method, &[Value::reference(object)])
    }

    fn method_of(&mut self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let found = self.machine.find_method(class, name, descriptor)?;
        Some(self.machine.select(class, found))
    }

    /// Runs a method with a limit. `None` if it throws or reads a value that differs from run to run.
    fn run(&mut self, method: MethodId, arguments: &[Value]) -> Option<Value> {
        self.machine.set_fuel(FUEL);
        let reads = self.machine.registers().volatile_reads;
        let value = self.machine.call(method, arguments).ok()?;
        self.is_stable(reads).then_some(value)
    }

    pub(super) fn is_a(&mut self, class: ClassId, name: &str) -> bool {
        self.machine.load(name).is_ok_and(|other| self.machine.is_subtype(class, other))
    }

    /// Whether the object and the value that the test will build are equal by `equals`, in both directions.
    fn is_as_expected(&mut self, object: Addr, expected: &ExpectedValue) -> bool {
        match expected {
            ExpectedValue::Literal(_) => true,
            ExpectedValue::Array { elements, .. } => elements.iter().zip(0..).all(|(element, at)| {
                // Literals are described as they are; not all arrays hold references.
                matches!(element, ExpectedValue::Literal(_))
                    || self.is_as_expected(self.machine.element_ref(object, at), element)
            }),
            _ => self.equals(object, expected),
        }
    }

    pub(super) fn equals(&mut self, object: Addr, expected: &ExpectedValue) -> bool {
        let Some(built) = build(self.machine, expected) else { return false };
        let built = built.as_ref();
        // The JDK may share equal values; for other classes, the same object proves nothing about `equals`.
        let is_shared = built == object && !self.machine.class(self.machine.class_of(object)).from_jdk;
        if built == 0 || is_shared {
            return false;
        }
        let mut asks = |receiver: Addr, other: Addr| {
            let class = self.machine.class_of(receiver);
            let method = self.method_of(class, "equals", "(Ljava/lang/Object;)Z")?;
            self.run(method, &[Value::reference(receiver), Value::reference(other)])
        };
        let is_true = |value: Option<Value>| value.is_some_and(|it| it.bits & 1 == 1);
        is_true(asks(built, object)) && is_true(asks(object, built))
    }
}

/// Whether a value is short enough to read. Numbers in an array are compact.
fn is_short(value: &ExpectedValue) -> bool {
    match value {
        ExpectedValue::Array { element, .. } if !element.is_reference() => true,
        _ => value.size() <= MAX_SIZE,
    }
}

/// Builds an expected value in the machine, as the test will do.
fn build(machine: &mut Machine, expected: &ExpectedValue) -> Option<Value> {
    match expected {
        ExpectedValue::Literal(literal) => build_literal(machine, literal),
        ExpectedValue::Call { method, args } => {
            let args = args.iter().map(|it| build(machine, it)).collect::<Option<Vec<_>>>()?;
            let class = machine.load(&method.class).ok()?;
            machine.initialize_class_now(class).ok()?;
            let found = machine.declared_method(class, &method.name, &method.descriptor)?;
            machine.set_fuel(FUEL);
            if &*method.name != "<init>" {
                return machine.call(found, &args).ok();
            }
            let object = Value::reference(machine.new_object(class).ok()?);
            let mut all = vec![object];
            all.extend(args);
            machine.call(found, &all).ok()?;
            Some(object)
        }
        ExpectedValue::Array { element, elements } => {
            let class = machine.load(&format!("[{}", element.descriptor())).ok()?;
            let kind = machine.element_kind(class);
            let array = machine.new_array(class, elements.len() as u32).ok()?;
            for (at, element) in elements.iter().enumerate() {
                let value = build(machine, element)?;
                if kind == Kind::Reference {
                    machine.set_element_ref(array, at as u32, value.as_ref());
                } else {
                    machine.set_element_value(array, at as u32, kind, value);
                }
            }
            Some(Value::reference(array))
        }
        ExpectedValue::List(elements) => {
            let array = objects(machine, elements)?;
            static_call(machine, "java/util/List", "of", "([Ljava/lang/Object;)Ljava/util/List;", array)
        }
        ExpectedValue::Set(elements) => {
            let array = objects(machine, elements)?;
            static_call(machine, "java/util/Set", "of", "([Ljava/lang/Object;)Ljava/util/Set;", array)
        }
        ExpectedValue::Map(entries) => {
            let class = machine.load("java/util/HashMap").ok()?;
            machine.initialize_class_now(class).ok()?;
            let map = Value::reference(machine.new_object(class).ok()?);
            let make = machine.declared_method(class, "<init>", "()V")?;
            machine.set_fuel(FUEL);
            machine.call(make, &[map]).ok()?;
            let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
            let put = machine.declared_method(class, "put", put)?;
            for (key, value) in entries {
                let (key, value) = (build(machine, key)?, build(machine, value)?);
                machine.call(put, &[map, key, value]).ok()?;
            }
            Some(map)
        }
    }
}

/// Elements of a collection, boxed, as an array of objects.
fn objects(machine: &mut Machine, elements: &[ExpectedValue]) -> Option<Value> {
    let ty = JavaType::class("java/lang/Object");
    build(machine, &ExpectedValue::Array { element: ty, elements: elements.to_vec() })
}

fn static_call(
    machine: &mut Machine,
    class: &str,
    name: &str,
    descriptor: &str,
    argument: Value,
) -> Option<Value> {
    let class = machine.load(class).ok()?;
    machine.initialize_class_now(class).ok()?;
    let method = machine.declared_method(class, name, descriptor)?;
    machine.set_fuel(FUEL);
    machine.call(method, &[argument]).ok()
}

pub(super) fn build_literal(machine: &mut Machine, literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Null => Value::reference(0),
        Literal::Boolean(value) => Value::concrete(u64::from(*value)),
        Literal::Byte(value) => Value::concrete(Kind::Byte.narrow(*value as u64)),
        Literal::Char(value) => Value::concrete(u64::from(*value)),
        Literal::Short(value) => Value::concrete(Kind::Short.narrow(*value as u64)),
        Literal::Int(value) => Value::concrete(u64::from(*value as u32)),
        Literal::Long(value) => Value::concrete(*value as u64),
        Literal::Float(value) => Value::concrete(u64::from(value.to_bits())),
        Literal::Double(value) => Value::concrete(value.to_bits()),
        Literal::String(units) => Value::reference(machine.intern(units).ok()?),
        Literal::Class(ty) => {
            let name = match ty {
                JavaType::Class(name) => name.to_string(),
                JavaType::Array(_) => ty.descriptor(),
                _ => return None,
            };
            let class = machine.load(&name).ok()?;
            Value::reference(machine.mirror(class).ok()?)
        }
        Literal::Constant { class, field } => {
            let class = machine.load(class).ok()?;
            machine.initialize_class_now(class).ok()?;
            Value::concrete(machine.static_field(class, field)?)
        }
        Literal::Boxed(inner) => {
            let kind = kind_of_literal(inner)?;
            let value = build_literal(machine, inner)?;
            let class = crate::input::box_class(kind);
            let descriptor = format!("({})L{class};", kind.letter());
            return static_call(machine, class, "valueOf", &descriptor, value);
        }
    })
}

fn kind_of_literal(literal: &Literal) -> Option<Kind> {
    Some(match literal {
        Literal::Boolean(_) => Kind::Boolean,
        Literal::Byte(_) => Kind::Byte,
        Literal::Char(_) => Kind::Char,
        Literal::Short(_) => Kind::Short,
        Literal::Int(_) => Kind::Int,
        Literal::Long(_) => Kind::Long,
        Literal::Float(_) => Kind::Float,
        Literal::Double(_) => Kind::Double,
        _ => return None,
    })
}

/// A static method, or a constructor, of the JDK.
pub(super) fn maker((class, name, descriptor): (&str, &str, &str)) -> MethodRef {
    MethodRef {
        class: class.into(),
        name: name.into(),
        descriptor: descriptor.into(),
        varargs: false,
        throws: Vec::new(),
        parameter_names: Vec::new(),
    }
}
