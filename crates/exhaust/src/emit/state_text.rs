//! The state of an object as text, exactly as the helper `stateOf` of emitted tests prints it (`report`,
//! `junit/hidden.rs`).

use crate::world::World;
use cupping_machine::{Addr, Kind};

/// The text of a value of a declared type.
pub(super) fn value(world: &World, fields: &[String], bits: u64, descriptor: &str) -> String {
    let mut shown = Vec::new();
    let mut out = String::new();
    of_kind(world, fields, bits, Kind::of_descriptor(descriptor.as_bytes()[0]), &mut shown, &mut out);
    out
}

/// The text of an object.
pub(super) fn state(world: &World, fields: &[String], object: Addr) -> String {
    let mut out = String::new();
    show(world, fields, object, &mut Vec::new(), &mut out);
    out
}

fn of_kind(world: &World, fields: &[String], bits: u64, kind: Kind, shown: &mut Vec<Addr>, out: &mut String) {
    match kind {
        Kind::Reference => show(world, fields, bits as Addr, shown, out),
        Kind::Boolean => *out += if bits & 1 != 0 { "true" } else { "false" },
        Kind::Long => *out += &(bits as i64).to_string(),
        Kind::Byte => *out += &(bits as i8).to_string(),
        Kind::Short => *out += &(bits as i16).to_string(),
        Kind::Char => *out += &(bits as u16).to_string(),
        _ => *out += &(bits as u32 as i32).to_string(),
    }
}

fn show(world: &World, fields: &[String], object: Addr, shown: &mut Vec<Addr>, out: &mut String) {
    let machine = &world.machine;
    if object == 0 {
        *out += "null";
        return;
    }
    let class = machine.class_of(object);
    let name = machine.class(class).name.to_string();
    let boxed = match name.as_str() {
        "java/lang/Integer" => Some(Kind::Int),
        "java/lang/Long" => Some(Kind::Long),
        "java/lang/Short" => Some(Kind::Short),
        "java/lang/Byte" => Some(Kind::Byte),
        "java/lang/Character" => Some(Kind::Char),
        "java/lang/Boolean" => Some(Kind::Boolean),
        _ => None,
    };
    if let Some(kind) = boxed {
        let bits = machine.field_offset(class, "value").map_or(0, |it| machine.field(object, it));
        return of_kind(world, fields, bits, kind, shown, out);
    }
    if name == "java/lang/String" {
        *out += &format!("\"{}\"", machine.text(object));
        return;
    }
    if let Some((_, constant)) = world.constant_at(object) {
        *out += constant;
        return;
    }
    if let Some(at) = shown.iter().position(|it| *it == object) {
        *out += &format!("@{at}");
        return;
    }
    shown.push(object);
    if let Some(element) = name.strip_prefix('[') {
        let kind = Kind::of_descriptor(element.as_bytes()[0]);
        *out += "[";
        for at in 0..machine.array_length(object) {
            *out += if at > 0 { ", " } else { "" };
            of_kind(world, fields, machine.element(object, at, kind), kind, shown, out);
        }
        *out += "]";
        return;
    }
    *out += &format!("{}{{", simple(&name));
    let mut is_first = true;
    for wanted in fields {
        let mut at = Some(class);
        while let Some(id) = at {
            let class = machine.class(id);
            let meant: Vec<(String, u32, Kind)> = class
                .fields
                .iter()
                .filter(|it| !it.is_static())
                .filter(|it| *wanted == *it.name || *wanted == format!("{}.{}", simple(&class.name), it.name))
                .map(|it| (it.name.to_string(), it.offset as u32, it.kind))
                .collect();
            at = class.super_class;
            for (name, offset, kind) in meant {
                let bits = machine.field(object, offset);
                if kind == Kind::Reference && bits == 0 {
                    continue;
                }
                *out += if is_first { "" } else { ", " };
                is_first = false;
                *out += &format!("{name}=");
                of_kind(world, fields, bits, kind, shown, out);
            }
        }
    }
    *out += "}";
}

/// The result of `Class.getSimpleName`.
pub(super) fn simple(name: &str) -> &str {
    name.rsplit(['/', '$']).next().unwrap_or(name)
}
