//! `MethodType` objects, one for each descriptor on each fork.

use super::signature::{Signature, is_reference};
use crate::classes::ClassId;
use crate::dynamic::names::OBJECT;
use crate::exit::{Step, Trap};
use crate::heap::layout::{CONSTANTS, MAX_CONSTANTS};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};
use crate::state::Value;
use std::sync::Arc;

const CLASS: &str = "java/lang/invoke/MethodType";

pub(crate) const NATIVES: &[Native] = &[
    row(CLASS, "makeImpl", "*", make),
    // The JDK's versions would ask for the type's `form`, which belongs to its own method handles.
    row(CLASS, "parameterSlotCount", "*", |m, args| {
        let signature = m.signature_of(args.reference(m, 0))?;
        let slots: u16 = signature.kinds().iter().map(|k| k.slots()).sum();
        Ok(NativeOutcome::Value(Value::int(slots.into())))
    }),
    row(CLASS, "hasPrimitives", "*", |m, args| {
        let signature = m.signature_of(args.reference(m, 0))?;
        let mut parts = signature.parameters.iter().chain([&signature.result]);
        Ok(NativeOutcome::Value(Value::boolean(parts.any(|p| !is_reference(p)))))
    }),
    row(CLASS, "erase", "*", |m, args| {
        mapped(m, args, |d| if is_reference(d) { OBJECT.into() } else { d.into() })
    }),
    row(CLASS, "basicType", "*", |m, args| {
        mapped(m, args, |d| match d {
            "Z" | "B" | "C" | "S" => "I".into(),
            _ if is_reference(d) => OBJECT.into(),
            _ => d.into(),
        })
    }),
];

/// The type whose parts are those of the receiver, mapped.
fn mapped(m: &mut Machine, args: &Args, map: impl Fn(&str) -> Arc<str>) -> Step<NativeOutcome> {
    let signature = m.signature_of(args.reference(m, 0))?;
    let parameters = signature.parameters.iter().map(|p| map(p)).collect();
    let descriptor = Signature::new(parameters, map(&signature.result)).to_string();
    Ok(NativeOutcome::Value(Value::reference(m.method_type(&descriptor)?)))
}

/// `makeImpl(Class, Class[], boolean)`, behind all the factories.
fn make(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (result, parameters) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let mut descriptor = String::from("(");
    for index in 0..m.array_length(parameters) {
        let parameter = m.element_ref(parameters, index);
        if parameter == 0 {
            return Err(Trap::Raise("java/lang/NullPointerException", None));
        }
        let parameter = m.descriptor_of(m.class_of_mirror(parameter));
        if parameter == "V" {
            let message = "parameter type cannot be void".to_owned();
            return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
        }
        descriptor += &parameter;
    }
    descriptor.push(')');
    descriptor += &m.descriptor_of(m.class_of_mirror(result));
    Ok(NativeOutcome::Value(Value::reference(m.method_type(&descriptor)?)))
}

impl Machine {
    /// The `MethodType` object of a descriptor.
    pub(crate) fn method_type(&mut self, descriptor: &str) -> Step<Addr> {
        let word = match self.dynamic.method_types.get(descriptor) {
            Some(word) => *word,
            None => {
                let Some(number) = self.classes.new_constant(MAX_CONSTANTS) else {
                    return new_method_type(self, descriptor);
                };
                let word = CONSTANTS + number;
                self.dynamic.method_types.insert(descriptor.into(), word);
                word
            }
        };
        let known = self.memory.read(word) as Addr;
        if known != 0 {
            return Ok(known);
        }
        let made = new_method_type(self, descriptor)?;
        self.memory.write(word, made as u64);
        Ok(made)
    }

    /// The type that a `MethodType` object stands for.
    pub(crate) fn signature_of(&mut self, method_type: Addr) -> Step<Signature> {
        let class = self.load(CLASS)?;
        let read = |m: &Machine, name: &str| m.field_offset(class, name).map(|o| m.field_ref(method_type, o));
        let (Some(result), Some(parameters)) = (read(self, "rtype"), read(self, "ptypes")) else {
            return Err(Trap::Missing(CLASS.into()));
        };
        let describe = |mirror: Addr| self.descriptor_of(self.class_of_mirror(mirror)).into();
        let parameters = (0..self.array_length(parameters))
            .map(|index| describe(self.element_ref(parameters, index)))
            .collect();
        Ok(Signature::new(parameters, self.descriptor_of(self.class_of_mirror(result))))
    }
}

fn new_method_type(m: &mut Machine, descriptor: &str) -> Step<Addr> {
    let Some(signature) = Signature::parse(descriptor) else {
        return Err(Trap::Raise("java/lang/ClassFormatError", Some(format!("bad type {descriptor}"))));
    };
    let mut mirrors = Vec::new();
    for part in signature.parameters.iter().chain([&signature.result]) {
        let class = m.load_descriptor(part)?;
        mirrors.push(m.mirror(class)?);
    }
    let classes = m.array_of(ClassId(m.classes.well_known.class))?;
    let parameters = m.new_array(classes, signature.parameters.len() as u32)?;
    for (index, mirror) in mirrors[..signature.parameters.len()].iter().enumerate() {
        m.set_element_ref(parameters, index as u32, *mirror);
    }
    let class = m.load(CLASS)?;
    let object = m.new_object(class)?;
    let field = |m: &Machine, name: &str| {
        m.field_offset(class, name).ok_or_else(|| Trap::Missing(format!("{CLASS}.{name}")))
    };
    let (rtype, ptypes) = (field(m, "rtype")?, field(m, "ptypes")?);
    let result = mirrors[signature.parameters.len()];
    m.set_field(object, rtype, result as u64);
    m.set_field(object, ptypes, parameters as u64);
    Ok(object)
}
