//! Pattern switches: `java.lang.runtime.SwitchBootstraps` (JDK 21 and later).
//!
//! A call site takes the selector and the label to begin with, and returns the index of the first label that
//! matches: -1 for `null`, the number of labels for none.

use super::assemble::{Assembler, InvocationKind};
use super::signature::{Signature, class_name, is_reference};
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::recipe::Recipe;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::synthetic;
use crate::exit::{Step, Trap};
use crate::machine::Machine;

/// Links a call site of `typeSwitch` or `enumSwitch`.
pub(super) fn link_switch(m: &mut Machine, linkage: &BootstrapSite, of_enum: bool) -> Step<MethodId> {
    let malformed = || Trap::unsupported("call of SwitchBootstraps with unusual arguments");
    let signature = Signature::parse(&linkage.descriptor).ok_or_else(malformed)?;
    let [selector, _] = &signature.parameters[..] else { return Err(malformed()) };
    if !is_reference(selector) {
        return Err(Trap::unsupported("switch over a primitive with patterns"));
    }
    let selector = m.load(class_name(selector))?;
    let mut code = Assembler::new(&signature.kinds());
    let count = linkage.arguments.len() as i32;
    code.parameter(1);
    code.int(count + 1);
    code.invoke_named(m, InvocationKind::Static, "java/util/Objects", "checkIndex", "(II)I")?;
    code.op(Op::Pop);
    let present = code.label();
    code.parameter(0);
    code.jump(Op::IfNonNull, present);
    code.int(-1);
    code.ret(Kind::Int);
    code.bind(present);
    for (index, label) in linkage.arguments.iter().enumerate() {
        let next = code.label();
        code.parameter(1);
        code.int(index as i32);
        code.jump(Op::IfICmpGt, next);
        match_label(m, &mut code, label, of_enum.then_some(selector), next)?;
        code.int(index as i32);
        code.ret(Kind::Int);
        code.bind_at(next, 0);
    }
    code.int(count);
    code.ret(Kind::Int);
    let name = format!("{}$$Switch${}", m.class(linkage.host).name, linkage.index);
    synthetic::define_static(m, linkage.host, name, &linkage.name, &linkage.descriptor, code)
}

/// Emits a test that jumps to `next` unless the selector matches the label.
fn match_label(
    m: &mut Machine,
    code: &mut Assembler,
    label: &StaticArgument,
    enum_class: Option<ClassId>,
    next: super::assemble::Label,
) -> Step<()> {
    match (label, enum_class) {
        (StaticArgument::Class(class), _) => {
            code.parameter(0);
            if let crate::classes::ClassKind::Primitive(kind) = m.class(*class).kind {
                // For a boxed selector, only its own primitive type is exact.
                let wrapper = super::convert::wrapper(kind).unwrap_or("java/lang/Void");
                let wrapper = m.load(wrapper)?;
                code.instance_of(wrapper);
            } else {
                code.instance_of(*class);
            }
            code.jump(Op::IfEq, next);
        }
        (StaticArgument::Text(name), Some(class)) => {
            let name = String::from_utf16_lossy(name);
            match_enum(m, code, class, &name, next);
        }
        (StaticArgument::Text(text), None) => {
            code.constant(Recipe::Text(text.clone()));
            code.parameter(0);
            let descriptor = "(Ljava/lang/Object;)Z";
            code.invoke_named(m, InvocationKind::Virtual, "java/lang/String", "equals", descriptor)?;
            code.jump(Op::IfEq, next);
        }
        (StaticArgument::Int(value), None) => match_int(m, code, *value, next)?,
        (StaticArgument::Dynamic(constant), None) => {
            let Some((class, name)) = enum_label(m, constant)? else {
                return Err(Trap::unsupported(format!("switch label {}", constant.name)));
            };
            let class = m.load(&class)?;
            match_enum(m, code, class, &name, next);
        }
        _ => return Err(Trap::unsupported("switch label of an unusual type")),
    }
    Ok(())
}

fn match_enum(
    m: &mut Machine,
    code: &mut Assembler,
    class: ClassId,
    name: &str,
    next: super::assemble::Label,
) {
    let descriptor = m.descriptor_of(class);
    let field = m.find_field(class, name, &descriptor);
    match field {
        Some((owner, at)) => {
            // A selector of another class must not initialise the enum.
            code.parameter(0);
            code.instance_of(class);
            code.jump(Op::IfEq, next);
            code.parameter(0);
            let offset = m.class(owner).fields[at].offset;
            code.get_static(owner, offset, Kind::Reference);
            code.jump(Op::IfACmpNe, next);
        }
        // A constant that has been removed since the switch was compiled matches nothing.
        None => code.jump(Op::Goto, next),
    }
}

fn match_int(m: &mut Machine, code: &mut Assembler, value: i32, next: super::assemble::Label) -> Step<()> {
    let (not_number, matched) = (code.label(), code.label());
    for (class, method, kind, otherwise) in [
        ("java/lang/Number", "intValue", 'I', Some(not_number)),
        ("java/lang/Character", "charValue", 'C', None),
    ] {
        let loaded = m.load(class)?;
        code.parameter(0);
        code.instance_of(loaded);
        code.jump(Op::IfEq, otherwise.unwrap_or(next));
        code.parameter(0);
        code.invoke_named(m, InvocationKind::Virtual, class, method, &format!("(){kind}"))?;
        code.int(value);
        code.jump(Op::IfICmpNe, next);
        if let Some(label) = otherwise {
            code.jump(Op::Goto, matched);
            code.bind_at(label, 0);
        }
    }
    code.bind_at(matched, 0);
    Ok(())
}

/// Class and constant of a label that javac writes as `EnumDesc.of(ClassDesc.of(class), name)`.
fn enum_label(m: &mut Machine, constant: &BootstrapSite) -> Step<Option<(String, String)>> {
    let text = |argument: Option<&StaticArgument>| match argument {
        Some(StaticArgument::Text(units)) => Some(String::from_utf16_lossy(units)),
        _ => None,
    };
    let [StaticArgument::Handle(of), StaticArgument::Dynamic(class), name] = &constant.arguments[..] else {
        return Ok(None);
    };
    let StaticArgument::Handle(class_of) = class.arguments.first().unwrap_or(&StaticArgument::Int(0)) else {
        return Ok(None);
    };
    let (Some(name), Some(class_text)) = (text(Some(name)), text(class.arguments.get(1))) else {
        return Ok(None);
    };
    let is_enum = &*m.class(of.class).name == "java/lang/Enum$EnumDesc";
    let class_name = match class_of.name.as_str() {
        "of" => class_text.replace('.', "/"),
        "ofDescriptor" => class_name(&class_text).to_owned(),
        _ => return Ok(None),
    };
    Ok(is_enum.then_some((class_name, name)))
}
