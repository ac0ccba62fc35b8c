//! `equals`, `hashCode` and `toString` of records: `java.lang.runtime.ObjectMethods`.

use super::assemble::{Assembler, InvocationKind};
use super::convert::wrapper;
use super::member::Member;
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::{member, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;

const BUILDER: &str = "java/lang/StringBuilder";

/// A component of the record.
struct Component {
    name: String,
    member: Member,
    kind: Kind,
    descriptor: String,
}

/// Links a call site of `ObjectMethods.bootstrap`.
pub(super) fn link_record(m: &mut Machine, linkage: &BootstrapSite) -> Step<MethodId> {
    let malformed = || Trap::unsupported("call of ObjectMethods.bootstrap with unusual arguments");
    let mut arguments = linkage.arguments.iter();
    let (Some(StaticArgument::Class(record)), Some(StaticArgument::Text(names))) =
        (arguments.next(), arguments.next())
    else {
        return Err(malformed());
    };
    let names = String::from_utf16_lossy(names);
    let mut components = Vec::new();
    for (name, argument) in names.split(';').filter(|n| !n.is_empty()).zip(arguments) {
        let StaticArgument::Handle(handle) = argument else { return Err(malformed()) };
        components.push(Component {
            name: name.to_owned(),
            member: member::resolve_member(m, handle)?,
            kind: Kind::of_descriptor(handle.descriptor.as_bytes().first().copied().unwrap_or(b'L')),
            descriptor: handle.descriptor.clone(),
        });
    }
    let code = match linkage.name.as_str() {
        "equals" => record_equals(m, *record, &components)?,
        "hashCode" => record_hash(m, &components)?,
        "toString" => record_text(m, *record, &components)?,
        _ => return Err(malformed()),
    };
    let name = format!("{}$$Record${}", m.class(linkage.host).name, linkage.index);
    synthetic::define_static(m, linkage.host, name, &linkage.name, &linkage.descriptor, code)
}

fn record_equals(m: &mut Machine, record: ClassId, components: &[Component]) -> Step<Assembler> {
    let mut code = Assembler::new(&[Kind::Reference, Kind::Reference]);
    let (same, differs) = (code.label(), code.label());
    code.parameter(0);
    code.parameter(1);
    code.jump(Op::IfACmpEq, same);
    code.parameter(1);
    code.instance_of(record);
    code.jump(Op::IfEq, differs);
    // The JDK compares the last component first.
    for component in components.iter().rev() {
        for side in 0..2 {
            code.parameter(side);
            member::use_member(m, &mut code, component.member, |_, _| Ok(()))?;
        }
        match component.kind {
            Kind::Long => {
                code.op(Op::LCmp);
                code.jump(Op::IfNe, differs);
            }
            // Compares as `compare` does: NaN equals itself, and zeros differ by sign.
            Kind::Float | Kind::Double => {
                let class = wrapper(component.kind).unwrap_or_default();
                let letter = component.kind.letter();
                let descriptor = format!("({letter}{letter})I");
                code.invoke_named(m, InvocationKind::Static, class, "compare", &descriptor)?;
                code.jump(Op::IfNe, differs);
            }
            Kind::Reference => {
                let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
                code.invoke_named(m, InvocationKind::Static, "java/util/Objects", "equals", descriptor)?;
                code.jump(Op::IfEq, differs);
            }
            _ => code.jump(Op::IfICmpNe, differs),
        }
    }
    code.bind_at(same, 0);
    code.int(1);
    code.ret(Kind::Boolean);
    code.bind_at(differs, 0);
    code.int(0);
    code.ret(Kind::Boolean);
    Ok(code)
}

fn record_hash(m: &mut Machine, components: &[Component]) -> Step<Assembler> {
    let mut code = Assembler::new(&[Kind::Reference]);
    code.int(0);
    for component in components {
        code.int(31);
        code.op(Op::IMul);
        code.parameter(0);
        member::use_member(m, &mut code, component.member, |_, _| Ok(()))?;
        let (class, descriptor) = match wrapper(component.kind) {
            Some(class) => (class, format!("({})I", component.kind.letter())),
            None => ("java/util/Objects", "(Ljava/lang/Object;)I".to_owned()),
        };
        code.invoke_named(m, InvocationKind::Static, class, "hashCode", &descriptor)?;
        code.op(Op::IAdd);
    }
    code.ret(Kind::Int);
    Ok(code)
}

fn record_text(m: &mut Machine, record: ClassId, components: &[Component]) -> Step<Assembler> {
    let mut code = Assembler::new(&[Kind::Reference]);
    code.new_object_of(m, BUILDER)?;
    code.op(Op::Dup);
    code.invoke_named(m, InvocationKind::Direct, BUILDER, "<init>", "()V")?;
    let mut before = simple_name(m, record) + "[";
    for component in components {
        before += &component.name;
        before.push('=');
        code.text(&before);
        append(m, &mut code, "Ljava/lang/String;")?;
        code.parameter(0);
        member::use_member(m, &mut code, component.member, |_, _| Ok(()))?;
        // `String.valueOf` of the component, which prints a `char[]` as an object.
        let parameter = match component.kind {
            Kind::Byte | Kind::Short => "I",
            Kind::Reference => "Ljava/lang/Object;",
            _ => &component.descriptor,
        };
        append(m, &mut code, parameter)?;
        before = ", ".to_owned();
    }
    let mut end = if components.is_empty() { before } else { String::new() };
    end.push(']');
    code.text(&end);
    append(m, &mut code, "Ljava/lang/String;")?;
    code.invoke_named(m, InvocationKind::Virtual, BUILDER, "toString", "()Ljava/lang/String;")?;
    code.ret(Kind::Reference);
    Ok(code)
}

/// `Class.getSimpleName` of a class from a class file.
fn simple_name(m: &Machine, class: ClassId) -> String {
    let class = m.class(class);
    let inner = class
        .file
        .as_ref()
        .and_then(|file| file.inner_classes.iter().find(|i| *i.inner == *class.name).map(|i| i.name.clone()));
    match inner {
        Some(name) => name.map(|n| n.to_string()).unwrap_or_default(),
        None => class.name.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

fn append(machine: &mut Machine, code: &mut Assembler, parameter: &str) -> Step<()> {
    let descriptor = format!("({parameter})L{BUILDER};");
    code.invoke_named(machine, InvocationKind::Virtual, BUILDER, "append", &descriptor)
}
