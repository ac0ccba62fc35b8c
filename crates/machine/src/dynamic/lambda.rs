//! Lambda expressions and method references: `LambdaMetafactory` (JSR 335).
//!
//! A call site becomes a static method of a synthetic class that implements the functional interface. It
//! stores what is captured in a new object; without captures, all executions of the call site share one
//! object, as on HotSpot.

use super::assemble::{Assembler, InvocationKind};
use super::member::Member;
use super::signature::{Signature, class_name, is_reference, kind};
use super::synthetic::{PUBLIC, STATIC, Synthetic};
use crate::classes::handle::Handle;
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::recipe::Recipe;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::{member, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::AccessFlags;

/// Flags of `writeReplace`.
const PRIVATE_FINAL: AccessFlags = AccessFlags::PRIVATE.or(AccessFlags::FINAL);
const FLAG_SERIALIZABLE: i32 = 1;
const FLAG_MARKERS: i32 = 2;
const FLAG_BRIDGES: i32 = 4;

/// The arguments of `metafactory` and `altMetafactory`.
struct LambdaPlan {
    /// The type of the interface's method.
    interface_type: Signature,
    /// The member that the lambda calls.
    member: Member,
    /// The type of that, receiver included.
    member_type: Signature,
    /// The interface's method with type arguments put in.
    instantiated: Signature,
    markers: Vec<ClassId>,
    bridges: Vec<Signature>,
    /// For a serializable lambda, the handle of its member.
    serial: Option<Handle>,
}

/// Links a call site of `LambdaMetafactory.metafactory` or `altMetafactory`.
pub(super) fn link_lambda(m: &mut Machine, linkage: &BootstrapSite) -> Step<MethodId> {
    let Some(captured) = Signature::parse(&linkage.descriptor) else {
        return Err(Trap::unsupported("lambda with a malformed type"));
    };
    let plan = plan_lambda(m, linkage)?;
    let interface = m.load_for(linkage.host, class_name(&captured.result))?;
    let mut interfaces = vec![interface];
    interfaces.extend(plan.markers.iter().copied().filter(|m| *m != interface));
    let mut signatures = vec![plan.interface_type.clone()];
    for bridge in &plan.bridges {
        if !signatures.contains(bridge) {
            signatures.push(bridge.clone());
        }
    }
    let name = format!("{}$$Lambda${}", m.class(linkage.host).name, linkage.index);
    let mut synthetic = Synthetic::holder(m, linkage.host, name);
    synthetic.interfaces = interfaces;
    synthetic.fields = captured.parameters.clone();
    synthetic.statics = vec!["Ljava/lang/Object;".into()];
    synthetic.methods.push(("get$Lambda".into(), linkage.descriptor.as_str().into(), PUBLIC | STATIC));
    for signature in &signatures {
        let descriptor = signature.to_string().into();
        synthetic.methods.push((linkage.name.as_str().into(), descriptor, PUBLIC));
    }
    if plan.serial.is_some() {
        synthetic.methods.push(("writeReplace".into(), "()Ljava/lang/Object;".into(), PRIVATE_FINAL));
    }
    let class = synthetic::define_synthetic(m, synthetic)?;
    if let Some(handle) = &plan.serial {
        let code = lambda_form(m, class, linkage, &captured, &plan, handle)?;
        synthetic::set_code(m, class, signatures.len() + 1, code);
    }
    for (index, signature) in signatures.iter().enumerate() {
        let code = lambda_body(m, class, &captured, &plan, signature)?;
        synthetic::set_code(m, class, index + 1, code);
    }
    let factory = lambda_factory(m, class, &captured);
    Ok(synthetic::set_code(m, class, 0, factory))
}

fn plan_lambda(m: &mut Machine, linkage: &BootstrapSite) -> Step<LambdaPlan> {
    let malformed = || Trap::unsupported("call of LambdaMetafactory with unusual arguments");
    let signature = |argument: Option<&StaticArgument>| match argument {
        Some(StaticArgument::MethodType(descriptor)) => Signature::parse(descriptor).ok_or_else(malformed),
        _ => Err(malformed()),
    };
    let arguments = &linkage.arguments;
    let interface_type = signature(arguments.first())?;
    let instantiated = signature(arguments.get(2))?;
    let Some(StaticArgument::Handle(handle)) = arguments.get(1) else { return Err(malformed()) };
    let member = member::resolve_member(m, handle)?;
    let member_type = member::handle_signature(m, handle)?;
    let mut plan = LambdaPlan {
        interface_type,
        member,
        member_type,
        instantiated,
        markers: vec![],
        bridges: vec![],
        serial: None,
    };
    let Some(StaticArgument::Int(flags)) = arguments.get(3) else { return Ok(plan) };
    let mut rest = arguments[4..].iter();
    if flags & FLAG_SERIALIZABLE != 0 {
        plan.markers.push(m.load("java/io/Serializable")?);
        plan.serial = Some(handle.clone());
    }
    if flags & FLAG_MARKERS != 0 {
        let Some(StaticArgument::Int(count)) = rest.next() else { return Err(malformed()) };
        for _ in 0..*count {
            let Some(StaticArgument::Class(marker)) = rest.next() else { return Err(malformed()) };
            plan.markers.push(*marker);
        }
    }
    if flags & FLAG_BRIDGES != 0 {
        let Some(StaticArgument::Int(count)) = rest.next() else { return Err(malformed()) };
        for _ in 0..*count {
            plan.bridges.push(signature(rest.next())?);
        }
    }
    Ok(plan)
}

/// The interface's method in one of its types: captured values and adapted arguments go to the member, and its
/// adapted result is returned.
fn lambda_body(
    m: &mut Machine,
    class: ClassId,
    captured: &Signature,
    plan: &LambdaPlan,
    signature: &Signature,
) -> Step<Assembler> {
    let mut code = Assembler::instance(&signature.kinds());
    let member_type = &plan.member_type;
    let count = captured.parameters.len();
    if member_type.parameters.len() != count + signature.parameters.len() {
        return Err(Trap::unsupported("lambda whose type does not fit its body"));
    }
    member::use_member(m, &mut code, plan.member, |m, code| {
        for (index, from) in captured.parameters.iter().enumerate() {
            code.this();
            code.get_field(synthetic::synthetic_field(m, class, index), kind(from));
            member::adapt(m, code, from, &member_type.parameters[index])?;
        }
        for (index, from) in signature.parameters.iter().enumerate() {
            code.parameter(index + 1);
            let to = &member_type.parameters[count + index];
            let through = &plan.instantiated.parameters[index];
            if is_reference(from) && is_reference(through) {
                member::adapt(m, code, from, through)?;
                member::adapt(m, code, through, to)?;
            } else {
                member::adapt(m, code, from, to)?;
            }
        }
        Ok(())
    })?;
    member::adapt(m, &mut code, &member_type.result, &signature.result)?;
    code.ret(kind(&signature.result));
    Ok(code)
}

/// The serialized form of a lambda: a description from which its class recreates it (`SerializedLambda`).
fn lambda_form(
    m: &mut Machine,
    class: ClassId,
    linkage: &BootstrapSite,
    captured: &Signature,
    plan: &LambdaPlan,
    handle: &Handle,
) -> Step<Assembler> {
    const FORM: &str = "java/lang/invoke/SerializedLambda";
    let mut code = Assembler::instance(&[]);
    code.new_object_of(m, FORM)?;
    code.op(Op::Dup);
    code.constant(Recipe::Class(linkage.host));
    code.text(class_name(&captured.result));
    code.text(&linkage.name);
    code.text(&plan.interface_type.to_string());
    code.int(handle.kind as i32);
    code.text(&m.class(handle.class).name.clone());
    code.text(&handle.name);
    code.text(&handle.descriptor);
    code.text(&plan.instantiated.to_string());
    let objects = m.load("[Ljava/lang/Object;")?;
    code.int(captured.parameters.len() as i32);
    code.new_array(objects);
    for (index, from) in captured.parameters.iter().enumerate() {
        code.op(Op::Dup);
        code.int(index as i32);
        code.this();
        code.get_field(synthetic::synthetic_field(m, class, index), kind(from));
        member::adapt(m, &mut code, from, "Ljava/lang/Object;")?;
        code.array_store(Kind::Reference);
    }
    let text = "Ljava/lang/String;";
    let descriptor =
        format!("(Ljava/lang/Class;{text}{text}{text}I{text}{text}{text}{text}[Ljava/lang/Object;)V");
    code.invoke_named(m, InvocationKind::Direct, FORM, "<init>", &descriptor)?;
    code.ret(Kind::Reference);
    Ok(code)
}

fn lambda_factory(m: &mut Machine, class: ClassId, captured: &Signature) -> Assembler {
    let kinds = captured.kinds();
    let mut code = Assembler::new(&kinds);
    if kinds.is_empty() {
        let shared = synthetic::synthetic_field(m, class, 0);
        let known = code.label();
        code.get_static(class, shared, Kind::Reference);
        code.op(Op::Dup);
        code.jump(Op::IfNonNull, known);
        code.op(Op::Pop);
        code.new_object(class);
        code.op(Op::Dup);
        code.put_static(class, shared, Kind::Reference);
        code.bind_at(known, 1);
        code.ret(Kind::Reference);
        return code;
    }
    code.new_object(class);
    for (index, kind) in kinds.iter().enumerate() {
        code.op(Op::Dup);
        code.parameter(index);
        code.put_field(synthetic::synthetic_field(m, class, index), *kind);
    }
    code.ret(Kind::Reference);
    code
}
