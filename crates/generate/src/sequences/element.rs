//! The elements of sequences (thesis Table 4.2), with what they take and return.

use crate::influence::{Effects, FieldReference, Influence, element_key};
use crate::invokable::Invokable;
use crate::names::simple;
use cupping_case::JavaType;
use cupping_machine::{ClassId, ClassKind, Kind, Machine};
use std::rc::Rc;

/// The kind of an element.
#[derive(Clone, Debug)]
pub enum ElementKind {
    /// A constructor, method or static method.
    Call(Rc<Invokable>),
    /// Array creation with elements.
    NewArray,
    /// A field read.
    Load,
    /// A field assignment.
    Store,
}

/// A reference that an element takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its declared type.
    pub class: ClassId,
    /// Whether it cannot be `null`: the receiver of a method or the owner of a field.
    pub is_receiver: bool,
}

/// An element of a sequence.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its kind.
    pub kind: ElementKind,
    /// Its name with parameter types, such as `push(int)`.
    pub name: String,
    /// Its effects.
    pub effects: Rc<Effects>,
    /// The references that it takes, receiver first.
    pub slots: Vec<Slot>,
    /// The type of the reference that it returns.
    pub result: Option<ClassId>,
    /// Whether it may precede others, rather than only be under test.
    pub may_precede: bool,
}

impl Element {
    /// An invocation.
    pub fn call(machine: &mut Machine, influence: &mut Influence, invokable: &Rc<Invokable>) -> Element {
        let effects = influence.of_invokable(machine, invokable);
        let receiver = invokable.has_receiver().then_some(Slot { class: invokable.class, is_receiver: true });
        let mut slots: Vec<Slot> = receiver.into_iter().collect();
        for parameter in invokable.parameters.iter().filter(|p| p.kind == Kind::Reference) {
            if let Ok(class) = machine.load_descriptor(&parameter.ty.descriptor()) {
                slots.push(Slot { class, is_receiver: parameter.is_outer });
            }
        }
        let result = invokable.result.is_reference().then(|| invokable.result.descriptor());
        let result = result.and_then(|descriptor| machine.load_descriptor(&descriptor).ok());
        let name = call_name(invokable);
        Element {
            kind: ElementKind::Call(invokable.clone()),
            name,
            effects,
            slots,
            result,
            may_precede: true,
        }
    }

    /// An array creation.
    pub fn new_array(machine: &Machine, array: ClassId) -> Option<Element> {
        let ClassKind::Array { element, kind } = machine.class(array).kind else { return None };
        let slot = (kind == Kind::Reference).then_some(Slot { class: element, is_receiver: false });
        let effects = Effects { stores: [element_key(kind)].into(), ..Effects::default() };
        let ty = JavaType::parse(&machine.descriptor_of(array))?;
        Some(Element {
            kind: ElementKind::NewArray,
            name: format!("new {}", simple(&ty.to_string())),
            effects: Rc::new(effects),
            slots: slot.into_iter().collect(),
            result: Some(array),
            may_precede: true,
        })
    }

    /// Load and store of an accessible field: a load only for references, a store only if it is allowed.
    pub fn field(machine: &mut Machine, field: FieldReference) -> Vec<Element> {
        let class = machine.class(field.class);
        let Some(declared) = class.fields.get(field.index as usize).cloned() else { return Vec::new() };
        let class_name = simple(&class.name.replace('/', "."));
        let receiver = (!declared.is_static()).then_some(Slot { class: field.class, is_receiver: true });
        let ty =
            machine.load_descriptor(&declared.descriptor).ok().filter(|_| declared.kind == Kind::Reference);
        let slots: Vec<Slot> = receiver.into_iter().collect();
        let name = if declared.is_static() {
            format!("{class_name}.{}", declared.name)
        } else {
            declared.name.to_string()
        };
        let mut found = Vec::new();
        if let Some(ty) = ty {
            found.push(Element {
                kind: ElementKind::Load,
                name: name.clone(),
                effects: Rc::new(Effects { uses: [field].into(), ..Effects::default() }),
                slots: slots.clone(),
                result: Some(ty),
                may_precede: true,
            });
        }
        if !declared.access.is_final() {
            let value = ty.map(|class| Slot { class, is_receiver: false });
            found.push(Element {
                kind: ElementKind::Store,
                name: format!(
                    "{name} = {}",
                    value.map_or_else(|| "value".into(), |v| type_name(machine, v.class))
                ),
                effects: Rc::new(Effects { defines: [field].into(), ..Effects::default() }),
                slots: slots.into_iter().chain(value).collect(),
                result: None,
                may_precede: true,
            });
        }
        found
    }
}

/// The simple name of a loaded class.
pub fn type_name(machine: &Machine, class: ClassId) -> String {
    match JavaType::parse(&machine.descriptor_of(class)) {
        Some(ty) => simple(&ty.to_string()),
        None => machine.class(class).name.to_string(),
    }
}

/// An invocation as text: with the class for constructors and static methods, and with parameter types.
pub fn call_name(invokable: &Invokable) -> String {
    let types: Vec<String> = invokable.parameters.iter().map(|p| simple(&p.ty.to_string())).collect();
    let class = simple(&JavaType::class(&invokable.reference.class).to_string());
    let name = match &*invokable.reference.name {
        "<init>" => class,
        name if invokable.is_static => format!("{class}.{name}"),
        name => name.to_owned(),
    };
    format!("{name}({})", types.join(", "))
}

#[cfg(test)]
mod tests {
    use super::call_name;
    use crate::invokable::Invokable;
    use crate::testing::invokable;

    #[test]
    fn calls_are_named_as_source_writes_them() {
        let named = |class, name, descriptor| call_name(&invokable(class, name, descriptor));
        assert_eq!(named("p/Box", "push", "(I[Ljava/lang/String;)V"), "push(int, String[])");
        assert_eq!(named("p/Map$Entry", "<init>", "(Ljava/util/Map$Entry;)V"), "Entry(Entry)");
        assert_eq!(named("p/Box$1", "<init>", "()V"), "p.Box$1()", "an anonymous class has only a number");
        let max = Invokable { is_static: true, ..invokable("p/Box$Sizes", "max", "(JJ)J") };
        assert_eq!(call_name(&max), "Sizes.max(long, long)");
    }
}
