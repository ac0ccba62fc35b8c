//! `jdk.internal.reflect.ConstantPool`: what the annotation parser reads its names and values from.

use super::support::{int, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use cupping_classfile::{ClassFile, Constant};
use std::sync::Arc;

const CLASS: &str = "jdk/internal/reflect/ConstantPool";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "getSize0", "(Ljava/lang/Object;)I", |m, a| int(file(m, a)?.constant_count() as i32)),
    row(CLASS, "getUTF8At0", "(Ljava/lang/Object;I)Ljava/lang/String;", |m, a| {
        let (file, index) = (file(m, a)?, a.int(m, 2) as u16);
        match file.constant(index) {
            Ok(Constant::Utf8(text)) => reference(m.new_text(&text)?),
            _ => Err(wrong()),
        }
    }),
    row(CLASS, "getStringAt0", "(Ljava/lang/Object;I)Ljava/lang/String;", |m, a| {
        let (file, index) = (file(m, a)?, a.int(m, 2) as u16);
        match file.constant(index) {
            Ok(Constant::String(units)) => reference(m.intern(&units)?),
            _ => Err(wrong()),
        }
    }),
    row(CLASS, "getClassAt0", "(Ljava/lang/Object;I)Ljava/lang/Class;", |m, a| {
        let (file, index) = (file(m, a)?, a.int(m, 2) as u16);
        match file.constant(index) {
            Ok(Constant::Class(name)) => {
                let class = m.load(&name)?;
                reference(m.mirror(class)?)
            }
            _ => Err(wrong()),
        }
    }),
    row(CLASS, "getIntAt0", "(Ljava/lang/Object;I)I", number),
    row(CLASS, "getLongAt0", "(Ljava/lang/Object;I)J", number),
    row(CLASS, "getFloatAt0", "(Ljava/lang/Object;I)F", number),
    row(CLASS, "getDoubleAt0", "(Ljava/lang/Object;I)D", number),
];

fn wrong() -> Trap {
    super::support::illegal_argument("Wrong type at constant pool index")
}

fn file(m: &Machine, args: &Args) -> Step<Arc<ClassFile>> {
    m.class(m.class_of_mirror(args.non_null(m, 1)?)).file.clone().ok_or_else(wrong)
}

fn number(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (file, index) = (file(m, args)?, args.int(m, 2) as u16);
    Ok(NativeOutcome::Value(match file.constant(index) {
        Ok(Constant::Integer(value)) => Value::int(value),
        Ok(Constant::Float(value)) => Value::float(value),
        Ok(Constant::Long(value)) => Value::long(value),
        Ok(Constant::Double(value)) => Value::double(value),
        _ => return Err(wrong()),
    }))
}
