//! Values as texts that are the same if a test cannot tell the values apart.
//!
//! Collections and maps are their elements, whatever class they have; other objects of the JDK are what `toString`
//! says; objects of the program are their class and fields.

use cupping_machine::{Addr, CallEnd, Class, ClassKind, Kind, Machine, Value};
use std::fmt::Write;

/// Limits on the objects of one text, and on the steps between them.
const MOST_OBJECTS: usize = 1_000;
const MOST_STEPS: usize = 24;
/// Limit on the elements of an array or collection.
const MOST_ELEMENTS: u32 = 1_000;

/// The text of a value. Call this on a fork.
pub(super) fn rendered(machine: &mut Machine, kind: Kind, value: Value) -> String {
    Renderer { machine, met: Vec::new(), has_fields: true }.value(kind, value.bits, MOST_STEPS)
}

/// The text of a value as its users see it: without the fields of the program's objects. Call this on a fork.
pub(super) fn rendered_outside(machine: &mut Machine, kind: Kind, value: Value) -> String {
    let mut renderer = Renderer { machine, met: Vec::new(), has_fields: false };
    without_identities(&renderer.value(kind, value.bits, MOST_STEPS))
}

/// A text without the identities of objects that `Object.toString` puts there, as in `Account@1b2c3d`.
pub(super) fn without_identities(text: &str) -> String {
    let mut parts = text.split('@');
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push('@');
        rest.push_str(part.trim_start_matches(|it: char| it.is_ascii_hexdigit()));
    }
    rest
}

struct Renderer<'m> {
    machine: &'m mut Machine,
    /// The objects met so far.
    met: Vec<Addr>,
    /// Whether objects of the program are shown with their fields.
    has_fields: bool,
}

impl Renderer<'_> {
    fn value(&mut self, kind: Kind, bits: u64, left: usize) -> String {
        match kind {
            Kind::Reference => self.object(bits as Addr, left),
            Kind::Boolean => (bits & 1 != 0).to_string(),
            Kind::Float => f32::from_bits(bits as u32).to_string(),
            Kind::Double => f64::from_bits(bits).to_string(),
            Kind::Long => (bits as i64).to_string(),
            Kind::Char => char::from_u32(bits as u32 & 0xFFFF).map_or("'?'".into(), |it| format!("'{it}'")),
            _ => (bits as i32).to_string(),
        }
    }

    fn object(&mut self, object: Addr, left: usize) -> String {
        if object == 0 {
            return "null".into();
        }
        let id = self.machine.class_of(object);
        let class = self.machine.class(id);
        let name = class.name.clone();
        if &*name == "java/lang/String" {
            return format!("{:?}", String::from_utf16_lossy(&self.machine.string_units(object)));
        }
        // Classes of lambdas have no file.
        let is_made = class.file.is_none() && matches!(class.kind, ClassKind::Instance);
        if is_made || class.host.is_some() {
            return "a lambda".into();
        }
        if let Some(at) = self.met.iter().position(|it| *it == object) {
            return format!("#{at}");
        }
        if left == 0 || self.met.len() >= MOST_OBJECTS {
            return "…".into();
        }
        self.met.push(object);
        if let ClassKind::Array { kind, .. } = class.kind {
            return self.array(object, kind, left);
        }
        if &*name == "java/lang/Class" {
            return self.machine.class(self.machine.class_of_mirror(object)).name.replace('/', ".");
        }
        let is =
            |machine: &Machine, of: &str| machine.loaded(of).is_some_and(|it| machine.is_subtype(id, it));
        if class.from_jdk || is(self.machine, "java/lang/Enum") {
            if is(self.machine, "java/lang/Throwable") {
                return name.replace('/', ".");
            }
            if is(self.machine, "java/util/Collection") {
                let is_ordered = !is(self.machine, "java/util/Set");
                return self.elements(object, is_ordered, left);
            }
            if is(self.machine, "java/util/Map") {
                let entries = self.ask(object, "entrySet", "()Ljava/util/Set;");
                return entries.map_or("a map".into(), |it| self.elements(it.as_ref(), false, left));
            }
            if is(self.machine, "java/util/Map$Entry") {
                let mut part = |name: &str| {
                    let part = self.ask(object, name, "()Ljava/lang/Object;");
                    part.map_or("?".into(), |it| self.object(it.as_ref(), left - 1))
                };
                return format!("{}={}", part("getKey"), part("getValue"));
            }
            return self.text(object, &name);
        }
        match self.has_fields {
            true => self.fields(object, left),
            false => name.replace('/', "."),
        }
    }

    fn array(&mut self, array: Addr, kind: Kind, left: usize) -> String {
        let length = self.machine.array_length(array);
        let element = |at: u32| {
            let bits = self.machine.element(array, at, kind);
            self.value(kind, bits, left - 1)
        };
        let shown: Vec<String> = (0..length.min(MOST_ELEMENTS)).map(element).collect();
        let more = if length > MOST_ELEMENTS { format!(" of {length}") } else { String::new() };
        format!("[{}]{more}", shown.join(", "))
    }

    /// The elements of a collection.
    fn elements(&mut self, collection: Addr, is_ordered: bool, left: usize) -> String {
        let all = self.ask(collection, "toArray", "()[Ljava/lang/Object;");
        let Some(all) = all.map(|it| it.as_ref()).filter(|it| *it != 0) else { return "a collection".into() };
        let length = self.machine.array_length(all).min(MOST_ELEMENTS);
        let element = |at: u32| {
            let bits = self.machine.element(all, at, Kind::Reference);
            self.object(bits as Addr, left - 1)
        };
        let mut shown: Vec<String> = (0..length).map(element).collect();
        if !is_ordered {
            shown.sort();
        }
        format!("[{}]", shown.join(", "))
    }

    /// What `toString` says, unless it says the identity.
    fn text(&mut self, object: Addr, name: &str) -> String {
        let class = self.machine.class_of(object);
        let method = self.machine.find_method(class, "toString", "()Ljava/lang/String;");
        let says_identity = method.is_none_or(|it| {
            let of: &Class = self.machine.class(self.machine.method(it).class);
            &*of.name == "java/lang/Object"
        });
        let text = if says_identity { None } else { self.ask(object, "toString", "()Ljava/lang/String;") };
        let name = name.replace('/', ".");
        match text.map(|it| it.as_ref()).filter(|it| *it != 0) {
            Some(text) => format!("{name} {}", String::from_utf16_lossy(&self.machine.string_units(text))),
            None => name,
        }
    }

    fn fields(&mut self, object: Addr, left: usize) -> String {
        let mut at = Some(self.machine.class_of(object));
        let mut text = self.machine.class_name_of(object).replace('/', ".");
        text.push('{');
        while let Some(id) = at {
            let class = self.machine.class(id);
            at = class.super_class;
            if class.from_jdk {
                break;
            }
            let fields = class.fields.iter().filter(|it| !it.is_static());
            let fields: Vec<_> = fields.map(|it| (it.name.clone(), it.kind, u32::from(it.offset))).collect();
            for (name, kind, offset) in fields {
                let bits = self.machine.field(object, offset);
                let value = self.value(kind, bits, left - 1);
                let _ = write!(text, "{name}={value} ");
            }
        }
        text.push('}');
        text
    }

    /// The result of a method without parameters.
    fn ask(&mut self, object: Addr, name: &str, descriptor: &str) -> Option<Value> {
        let class = self.machine.class_of(object);
        let method = self.machine.find_method(class, name, descriptor)?;
        match self.machine.ask(method, &[Value::reference(object)]) {
            Ok(CallEnd::Returned(value)) => Some(value),
            _ => None,
        }
    }
}
