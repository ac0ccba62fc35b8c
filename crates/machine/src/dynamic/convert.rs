//! Conversions between types, as `MethodHandle.asType` and `LambdaMetafactory` make them: casts, boxing,
//! unboxing and widening.

use super::assemble::{Assembler, InvocationKind};
use super::signature::{class_name, is_reference, kind};
use super::synthetic::{PUBLIC, STATIC, Synthetic};
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::synthetic;
use crate::exit::Step;
use crate::machine::Machine;

/// Which conversions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Those of `MethodHandle.asType`: primitives only widen.
    AsType,
    /// Those of `MethodHandles.explicitCastArguments`: primitives narrow as well, `null` is zero.
    Explicit,
}

/// Primitive kinds with their wrapper class and its unboxing method.
const WRAPPERS: [(Kind, &str, &str); 8] = [
    (Kind::Boolean, "java/lang/Boolean", "booleanValue"),
    (Kind::Byte, "java/lang/Byte", "byteValue"),
    (Kind::Char, "java/lang/Character", "charValue"),
    (Kind::Short, "java/lang/Short", "shortValue"),
    (Kind::Int, "java/lang/Integer", "intValue"),
    (Kind::Long, "java/lang/Long", "longValue"),
    (Kind::Float, "java/lang/Float", "floatValue"),
    (Kind::Double, "java/lang/Double", "doubleValue"),
];

/// The wrapper class of a primitive kind.
pub(crate) fn wrapper(kind: Kind) -> Option<&'static str> {
    WRAPPERS.iter().find(|(k, _, _)| *k == kind).map(|(_, class, _)| *class)
}

/// The primitive kind that a class wraps.
pub(crate) fn wrapped(class: &str) -> Option<Kind> {
    WRAPPERS.iter().find(|(_, c, _)| *c == class).map(|(kind, _, _)| *kind)
}

/// Whether `from` equals `to` or widens to it (JLS §5.1.2).
pub(super) fn widens(from: Kind, to: Kind) -> bool {
    use Kind::*;
    from == to
        || match from {
            Byte => matches!(to, Short | Int | Long | Float | Double),
            Short | Char => matches!(to, Int | Long | Float | Double),
            Int => matches!(to, Long | Float | Double),
            Long => matches!(to, Float | Double),
            Float => to == Double,
            _ => false,
        }
}

impl Machine {
    /// Emits the conversion of the value on top of the stack; returns whether it exists.
    pub(crate) fn convert(&mut self, code: &mut Assembler, from: &str, to: &str, rule: Rule) -> Step<bool> {
        if from == to {
            return Ok(true);
        }
        let (source, target) = (kind(from), kind(to));
        match (is_reference(from), is_reference(to)) {
            _ if target == Kind::Void => code.pop(source),
            _ if source == Kind::Void => code.zero(target),
            (false, false) => {
                let allowed = widens(source, target) || rule == Rule::Explicit;
                if !allowed {
                    return Ok(false);
                }
                convert_primitive(code, source, target);
            }
            (false, true) => return box_value(self, code, source, to),
            (true, false) => return unbox_value(self, code, from, target, rule),
            (true, true) => cast_reference(self, code, from, to)?,
        }
        Ok(true)
    }

    /// Whether a value of one class may be assigned to another without a check.
    pub(crate) fn assignable(&mut self, from: &str, to: &str) -> bool {
        if from == to {
            return true;
        }
        if !is_reference(from) || !is_reference(to) {
            return false;
        }
        let load = |m: &mut Machine, d: &str| -> Option<ClassId> { m.load(class_name(d)).ok() };
        match (load(self, from), load(self, to)) {
            (Some(from), Some(to)) => self.is_subtype(from, to),
            _ => false,
        }
    }
}

fn box_value(m: &mut Machine, code: &mut Assembler, from: Kind, to: &str) -> Step<bool> {
    let Some(class) = wrapper(from) else { return Ok(false) };
    let boxed = m.load(class)?;
    let target = m.load(class_name(to))?;
    if !m.is_subtype(boxed, target) {
        return Ok(false);
    }
    let descriptor = format!("({})L{class};", from.letter());
    code.invoke_named(m, InvocationKind::Static, class, "valueOf", &descriptor)?;
    Ok(true)
}

fn unbox_value(m: &mut Machine, code: &mut Assembler, from: &str, to: Kind, rule: Rule) -> Step<bool> {
    if let Some(source) = wrapped(class_name(from))
        && rule == Rule::AsType
    {
        if !widens(source, to) {
            return Ok(false);
        }
        unbox(m, code, source)?;
        convert_primitive(code, source, to);
        return Ok(true);
    }
    let Some(target) = wrapper(to) else { return Ok(false) };
    let source = m.load(class_name(from))?;
    let boxed = m.load(target)?;
    if !m.is_subtype(boxed, source) && !m.class(source).is_interface() && rule == Rule::AsType {
        return Ok(false);
    }
    let helper = unboxing(m, to, rule)?;
    code.invoke(m, helper, InvocationKind::Static);
    Ok(true)
}

fn cast_reference(m: &mut Machine, code: &mut Assembler, from: &str, to: &str) -> Step<()> {
    if to == "Ljava/lang/Object;" {
        return Ok(());
    }
    let target = m.load(class_name(to))?;
    // Types that match by name need no check; a source that cannot be loaded is checked at run time.
    if let Ok(source) = m.load(class_name(from))
        && m.is_subtype(source, target)
    {
        return Ok(());
    }
    code.cast(target);
    Ok(())
}

/// The static method that unboxes an object whose class is only known at run time.
fn unboxing(m: &mut Machine, to: Kind, rule: Rule) -> Step<MethodId> {
    let explicit = rule == Rule::Explicit;
    if let Some(method) = m.dynamic.unboxing.get(&(to, explicit)) {
        return Ok(*method);
    }
    let host = m.load("java/lang/invoke/MethodHandle")?;
    let name = format!("java/lang/invoke/Unbox{}{}", to.letter(), if explicit { "Explicit" } else { "" });
    let mut holder = Synthetic::holder(m, host, name);
    let descriptor = format!("(Ljava/lang/Object;){}", to.letter());
    holder.methods.push(("unbox".into(), descriptor.into(), PUBLIC | STATIC));
    let class = synthetic::define_synthetic(m, holder)?;
    let mut code = Assembler::new(&[Kind::Reference]);
    if explicit {
        let present = code.label();
        code.parameter(0);
        code.jump(Op::IfNonNull, present);
        code.zero(to);
        code.ret(to);
        code.bind(present);
    }
    for (source, boxed, _) in WRAPPERS {
        let numeric = source != Kind::Boolean && to != Kind::Boolean;
        if source != to && !widens(source, to) && !(explicit && numeric) {
            continue;
        }
        let next = code.label();
        let boxed = m.load(boxed)?;
        code.parameter(0);
        code.instance_of(boxed);
        code.jump(Op::IfEq, next);
        code.parameter(0);
        unbox(m, &mut code, source)?;
        convert_primitive(&mut code, source, to);
        code.ret(to);
        code.bind_at(next, 0);
    }
    // The remaining values are null or of a wrong class.
    if let Some(class) = wrapper(to) {
        let boxed = m.load(class)?;
        code.parameter(0);
        code.cast(boxed);
    }
    unbox(m, &mut code, to)?;
    code.ret(to);
    let method = synthetic::set_code(m, class, 0, code);
    m.dynamic.unboxing.insert((to, explicit), method);
    Ok(method)
}

/// Emits the unboxing of a wrapper of this kind.
fn unbox(machine: &mut Machine, code: &mut Assembler, kind: Kind) -> Step<()> {
    let Some((_, class, name)) = WRAPPERS.iter().find(|(k, _, _)| *k == kind) else { return Ok(()) };
    code.invoke_named(machine, InvocationKind::Virtual, class, name, &format!("(){}", kind.letter()))
}

/// Emits the conversion between primitive kinds (JLS §5.1.2, §5.1.3; `boolean` as `explicitCastArguments`).
pub(crate) fn convert_primitive(code: &mut Assembler, from: Kind, to: Kind) {
    use Kind::*;
    let narrow = |code: &mut Assembler| match to {
        Boolean => {
            code.int(1);
            code.op(Op::IAnd);
        }
        Byte => code.op(Op::I2B),
        Char => code.op(Op::I2C),
        Short => code.op(Op::I2S),
        _ => {}
    };
    match (from, to) {
        _ if from == to => {}
        (Long, Int) => code.op(Op::L2I),
        (Long, Float) => code.op(Op::L2F),
        (Long, Double) => code.op(Op::L2D),
        (Float, Int) => code.op(Op::F2I),
        (Float, Long) => code.op(Op::F2L),
        (Float, Double) => code.op(Op::F2D),
        (Double, Int) => code.op(Op::D2I),
        (Double, Long) => code.op(Op::D2L),
        (Double, Float) => code.op(Op::D2F),
        (Long, _) => {
            code.op(Op::L2I);
            narrow(code);
        }
        (Float, _) => {
            code.op(Op::F2I);
            narrow(code);
        }
        (Double, _) => {
            code.op(Op::D2I);
            narrow(code);
        }
        (_, Long) => code.op(Op::I2L),
        (_, Float) => code.op(Op::I2F),
        (_, Double) => code.op(Op::I2D),
        (Byte, Short) | (_, Int) => {}
        _ => narrow(code),
    }
}
