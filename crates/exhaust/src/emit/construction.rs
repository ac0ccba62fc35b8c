//! Constructs an input field by field, by reflection where source code has no access.

use super::builder::{Builder, null};
use super::emitter::Emitter;
use crate::classes::Values;
use crate::error::{Error, other};
use cupping_case::{Action, FieldRef, JavaType, Literal, MethodRef, Operand, VarId};
use cupping_machine::Kind;
use cupping_relation::{Atom, Instance};
use std::collections::BTreeMap;

impl Emitter<'_> {
    /// Constructs the objects of an instance; returns receiver and arguments, or why this is impossible.
    pub(super) fn by_fields(
        &mut self,
        instance: &Instance,
        builder: &mut Builder,
    ) -> Result<Result<Vec<Operand>, String>, Error> {
        let specification = self.specification;
        let modelled = &specification.before;
        let mut variables: BTreeMap<u32, VarId> = BTreeMap::new();
        let receiver = Self::value_of(instance, modelled.call.this);
        let mut order: Vec<(u32, String)> = Vec::new();
        for (sig, class) in &self.classes {
            for atom in instance.atoms(*sig) {
                if !order.iter().any(|it| it.0 == *atom) {
                    order.push((*atom, class.clone()));
                }
            }
        }
        // The receiver first: objects of inner classes need it.
        order.sort_by_key(|it| (Some(it.0) != receiver, it.1.clone(), it.0));
        if let Some((_, class)) = order.iter().find(|it| self.sources.is_of_jdk(&it.1)) {
            return Ok(Err(format!(
                "no call sequence reaches it, and reflection cannot access the fields of {}",
                class.replace('/', ".")
            )));
        }
        for (sig, class, name) in &modelled.constants {
            if self.sources.is_nameable(class) {
                continue;
            }
            for atom in instance.atoms(*sig) {
                if instance.structure.fields.iter().flatten().any(|it| it[1..].contains(atom)) {
                    variables.insert(*atom, self.closed_constant(class, name, builder));
                }
            }
        }
        for (atom, class) in &order {
            let outer = receiver.and_then(|it| variables.get(&it)).copied();
            let made = self.blank_object(class, outer, builder);
            variables.insert(*atom, made);
        }
        for (at, ids) in modelled.arrays.iter().enumerate() {
            let array = &specification.plan.classes.arrays[at];
            let element = super::source::java_type(&array.descriptor[1..]);
            for atom in instance.atoms(ids.sig) {
                let length = instance.value(ids.length, *atom).map(|it| instance.atom(it).clone());
                let Some(Atom::Int(length)) = length else { continue };
                let mut elements = Vec::new();
                for index in 0..length {
                    let tuple = instance
                        .tuples(ids.at)
                        .iter()
                        .find(|it| it[0] == *atom && *instance.atom(it[1]) == Atom::Int(index));
                    let of = tuple.map(|it| it[2]);
                    let descriptor = &array.descriptor[1..];
                    elements.push(match self.literal(instance, of, descriptor, &array.elements) {
                        Some(Literal::Null) if !element.is_reference() => zero(&element),
                        Some(literal) => Operand::Literal(literal),
                        None => null(),
                    });
                }
                let ty = match &element {
                    JavaType::Class(name) if !self.sources.is_nameable(name) => {
                        JavaType::Array(Box::new(JavaType::class("java/lang/Object")))
                    }
                    _ => JavaType::Array(Box::new(element.clone())),
                };
                let made = builder.assign(Action::NewArray { element: element.clone(), elements }, ty);
                variables.insert(*atom, made);
            }
        }
        for ids in &modelled.arrays {
            for tuple in instance.tuples(ids.at) {
                let (Some(array), Some(value)) = (variables.get(&tuple[0]), variables.get(&tuple[2])) else {
                    continue;
                };
                let Atom::Int(index) = instance.atom(tuple[1]) else { continue };
                let (array, value) = (Operand::Var(*array), Operand::Var(*value));
                builder.step(Action::SetElement { array, index: *index as i32, value }, None);
            }
        }
        for (atom, class) in &order {
            self.fields_of(instance, *atom, class, &variables, builder)?;
        }
        for (id, field) in modelled.fields.iter().filter(|(_, it)| it.is_static) {
            let of = instance.tuples(*id).first().map(|it| it[1]);
            let value = self.operand(instance, of, &field.descriptor, &field.values, &variables);
            let field = reference(&field.class, &field.name, &field.descriptor);
            builder.step(Action::SetField { field, receiver: None, value }, None);
        }
        let mut all = Vec::new();
        if let Some(receiver) = receiver.and_then(|it| variables.get(&it)) {
            all.push(Operand::Var(*receiver));
        }
        for (parameter, id) in specification.plan.parameters.iter().zip(&modelled.call.parameters) {
            let of = Self::value_of(instance, Some(*id));
            let (descriptor, values) = (&parameter.descriptor, &parameter.values);
            all.push(self.operand(instance, of, descriptor, values, &variables));
        }
        Ok(Ok(all))
    }

    fn operand(
        &self,
        instance: &Instance,
        atom: Option<u32>,
        descriptor: &str,
        values: &[Values],
        variables: &BTreeMap<u32, VarId>,
    ) -> Operand {
        if let Some(var) = atom.and_then(|it| variables.get(&it)) {
            return Operand::Var(*var);
        }
        match self.literal(instance, atom, descriptor, values) {
            Some(Literal::Null) if descriptor.len() == 1 => zero(&super::source::java_type(descriptor)),
            Some(literal) => Operand::Literal(literal),
            None => null(),
        }
    }

    /// An enum constant that source code cannot name.
    fn closed_constant(&self, class: &str, name: &str, builder: &mut Builder) -> VarId {
        let method = MethodRef {
            class: class.into(),
            name: "valueOf".into(),
            descriptor: format!("(Ljava/lang/String;)L{class};").into(),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        };
        let args = vec![Operand::Literal(Literal::String(name.encode_utf16().collect()))];
        builder.assign(Action::InvokeStatic { method, args }, JavaType::class("java/lang/Object"))
    }

    /// An object from its default constructor, if it has one.
    fn blank_object(&self, class: &str, outer: Option<VarId>, builder: &mut Builder) -> VarId {
        let ty = self.sources.variable_type(class);
        let constructor = |descriptor: &str| {
            let file = self.sources.class(class)?;
            let found: MethodRef = self.sources.reference(class, file.method("<init>", descriptor)?);
            Some(found)
        };
        if let Some(constructor) = constructor("()V") {
            return builder.assign(Action::Construct { constructor, args: Vec::new() }, ty);
        }
        if let (Some(outer), Some(receiver)) = (outer, &self.specification.plan.receiver)
            && let Some(constructor) = constructor(&format!("(L{receiver};)V"))
            && class.starts_with(&format!("{receiver}$"))
        {
            let args = vec![Operand::Var(outer)];
            return builder.assign(Action::Construct { constructor, args }, ty);
        }
        builder.assign(Action::Allocate { class: class.into() }, ty)
    }

    /// Sets the fields whose values differ from what the constructor leaves.
    fn fields_of(
        &mut self,
        instance: &Instance,
        atom: u32,
        class: &str,
        variables: &BTreeMap<u32, VarId>,
        builder: &mut Builder,
    ) -> Result<(), Error> {
        self.world.rewind();
        let made = self.world.object(class).map_err(|trap| other(self.world.machine.describe_trap(&trap)))?;
        let id = self.world.classes[class];
        let Some(&var) = variables.get(&atom) else { return Ok(()) };
        for (at, (field_id, field)) in self.specification.before.fields.iter().enumerate() {
            let place = self.world.fields[at];
            if field.is_static || !self.world.machine.is_subtype(id, place.class) {
                continue;
            }
            let of = instance.value(*field_id, atom);
            let left = self.world.machine.field(made, place.offset);
            if self.is_left(instance, of, left, place.kind, &field.values)? {
                continue;
            }
            let value = self.operand(instance, of, &field.descriptor, &field.values, variables);
            let field = reference(&field.class, &field.name, &field.descriptor);
            builder.step(Action::SetField { field, receiver: Some(Operand::Var(var)), value }, None);
        }
        Ok(())
    }

    /// Whether the constructor leaves the required value.
    fn is_left(
        &mut self,
        instance: &Instance,
        wanted: Option<u32>,
        left: u64,
        kind: Kind,
        values: &[Values],
    ) -> Result<bool, Error> {
        let Some(atom) = wanted else { return Ok(left == 0) };
        match instance.atom(atom) {
            Atom::Of(..) | Atom::Only(_) => Ok(false),
            _ if kind == Kind::Reference => Ok(false),
            atom => {
                let bits = self.world.bits(atom, kind, values);
                let bits = bits.map_err(|trap| other(self.world.machine.describe_trap(&trap)))?;
                Ok(bits == left)
            }
        }
    }
}

fn reference(class: &str, name: &str, descriptor: &str) -> FieldRef {
    FieldRef { class: class.into(), name: name.into(), ty: super::source::java_type(descriptor) }
}

fn zero(ty: &JavaType) -> Operand {
    Operand::Literal(match ty {
        JavaType::Boolean => Literal::Boolean(false),
        JavaType::Long => Literal::Long(0),
        JavaType::Char => Literal::Char(0),
        JavaType::Byte => Literal::Byte(0),
        JavaType::Short => Literal::Short(0),
        JavaType::Float => Literal::Float(0.0),
        JavaType::Double => Literal::Double(0.0),
        _ => Literal::Int(0),
    })
}
