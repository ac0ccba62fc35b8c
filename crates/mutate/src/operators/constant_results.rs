//! Constant results: `true` and `false` where a method returns neither as a constant, and the empty string or
//! array in place of a reference.

use super::{Operator, Replacement, Site};
use cupping_classfile::Opcode::{self, Anewarray, Areturn, Iconst0, Iconst1, Ireturn, LdcW, Newarray, Pop};
use cupping_classfile::{Constant, FieldType, MethodDescriptor};

/// The operator.
pub const OPERATOR: Operator = Operator {
    name: "constant result",
    description: "a computed `boolean` result is always `true` or `false`, a string or array is empty",
    pit: &["TRUE_RETURNS", "FALSE_RETURNS", "EMPTY_RETURNS"],
    is_default: true,
    replacements,
};

fn replacements(site: &Site<'_>) -> Vec<Replacement> {
    let result = || MethodDescriptor::parse(&site.method.descriptor)?.result;
    match (site.instruction.opcode, result()) {
        (Ireturn, Some(FieldType::Boolean)) => booleans(site),
        (Areturn, Some(ty)) => empty(site, &ty).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn booleans(site: &Site<'_>) -> Vec<Replacement> {
    // Another operator negates constants.
    if site.before.is_some_and(|it| matches!(it.opcode, Iconst0 | Iconst1)) {
        return Vec::new();
    }
    let returned = |constant: Opcode, what: &str, pit| {
        let bytes = vec![Pop as u8, constant as u8, Ireturn as u8];
        Replacement::bytes(bytes, what).named(pit)
    };
    vec![
        returned(Iconst1, "true is returned", "TRUE_RETURNS"),
        returned(Iconst0, "false is returned", "FALSE_RETURNS"),
    ]
}

fn empty(site: &Site<'_>, ty: &FieldType) -> Option<Replacement> {
    let (mut bytes, what) = match ty {
        FieldType::Object(name) if **name == *"java/lang/String" => {
            let index = site.strings.empty(site.class)?;
            let is_empty = site.before.and_then(|it| it.constant_index()) == Some(index);
            let [high, low] = index.to_be_bytes();
            (vec![Pop as u8, LdcW as u8, high, low], (!is_empty).then_some("\"\" is returned")?)
        }
        FieldType::Array(element) => {
            let mut bytes = vec![Pop as u8, Iconst0 as u8];
            match primitive_code(element) {
                Some(code) => bytes.extend([Newarray as u8, code]),
                None => {
                    let [high, low] = class_index(site, element)?.to_be_bytes();
                    bytes.extend([Anewarray as u8, high, low]);
                }
            }
            (bytes, "an empty array is returned")
        }
        _ => return None,
    };
    bytes.push(Areturn as u8);
    Some(Replacement::bytes(bytes, what).named("EMPTY_RETURNS"))
}

/// The code of a type in `newarray` (JVMS §6.5.newarray).
fn primitive_code(ty: &FieldType) -> Option<u8> {
    (4..=11).find(|code| cupping_classfile::descriptor::primitive_element(*code).as_ref() == Some(ty))
}

/// The constant of this class, if the class that is changed has one.
fn class_index(site: &Site<'_>, ty: &FieldType) -> Option<u16> {
    let wanted = match ty {
        FieldType::Object(name) => name.to_string(),
        other => other.to_string(),
    };
    (1..site.class.constant_count())
        .find(|index| matches!(site.class.constant(*index), Ok(Constant::Class(name)) if *name == *wanted))
}
