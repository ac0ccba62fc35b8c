//! Whole methods that the compiler generated: synthetic and bridge methods (but not the bodies of lambdas), `values`
//! and `valueOf` of enums, constructors that only call the superclass's, methods of records.

use super::cursor::Cursor;
use crate::body::CoveredBody;
use cupping_classfile::Opcode;

pub(super) fn is_generated(body: &CoveredBody<'_>) -> bool {
    is_synthetic(body)
        || is_enum_lookup(body)
        || is_empty_private_constructor(body).is_some()
        || is_empty_enum_constructor(body).is_some()
        || is_record_method(body).is_some()
}

fn is_synthetic(body: &CoveredBody<'_>) -> bool {
    let access = body.method.access;
    access.is_bridge() || (access.is_synthetic() && !body.method.name.starts_with("lambda$"))
}

fn is_enum_lookup(body: &CoveredBody<'_>) -> bool {
    let class = &body.file.name;
    body.super_name() == "java/lang/Enum"
        && match &*body.method.name {
            "values" => *body.method.descriptor == *format!("()[L{class};"),
            "valueOf" => *body.method.descriptor == *format!("(Ljava/lang/String;)L{class};"),
            _ => false,
        }
}

fn is_method(body: &CoveredBody<'_>, name: &str, descriptor: &str) -> Option<()> {
    (&*body.method.name == name && &*body.method.descriptor == descriptor).then_some(())
}

fn load_this(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.op(Opcode::Aload)?.local().filter(|local| *local == 0).map(|_| ())
}

/// `private X() {}` of classes that are not meant to be instantiated.
fn is_empty_private_constructor(body: &CoveredBody<'_>) -> Option<()> {
    is_method(body, "<init>", "()V").filter(|_| body.method.access.is_private())?;
    let cursor = &mut Cursor::new(body, 0);
    load_this(cursor)?;
    cursor.invoke(Opcode::Invokespecial, body.super_name(), "<init>", "()V")?;
    cursor.op(Opcode::Return).map(|_| ())
}

fn is_empty_enum_constructor(body: &CoveredBody<'_>) -> Option<()> {
    let descriptor = "(Ljava/lang/String;I)V";
    is_method(body, "<init>", descriptor).filter(|_| body.super_name() == "java/lang/Enum")?;
    let cursor = &mut Cursor::new(body, 0);
    load_this(cursor)?;
    cursor.op(Opcode::Aload)?;
    cursor.op(Opcode::Iload)?;
    cursor.invoke(Opcode::Invokespecial, "java/lang/Enum", "<init>", descriptor)?;
    cursor.op(Opcode::Return).map(|_| ())
}

/// `toString`, `hashCode` and `equals` of a record, unless they are written out. Accessors count.
fn is_record_method(body: &CoveredBody<'_>) -> Option<()> {
    (body.super_name() == "java/lang/Record").then_some(())?;
    let cursor = &mut Cursor::new(body, 0);
    load_this(cursor)?;
    let result = match (&*body.method.name, &*body.method.descriptor) {
        ("toString", "()Ljava/lang/String;") => Opcode::Areturn,
        ("hashCode", "()I") => Opcode::Ireturn,
        ("equals", "(Ljava/lang/Object;)Z") => {
            cursor.op(Opcode::Aload)?;
            Opcode::Ireturn
        }
        _ => return None,
    };
    cursor.op(Opcode::Invokedynamic)?;
    cursor.op(result).map(|_| ())
}
