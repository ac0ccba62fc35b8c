//! Reflective calls and `java.lang.reflect.Array`.

use super::support::{ONE, VOID_RESULT, illegal_argument, null_pointer, reference, value};
use super::{Args, Native, NativeOutcome, row, symbolic};
use crate::classes::{ClassId, ClassKind, Kind, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::members;
use crate::state::Value;

const ARRAY: &str = "java/lang/reflect/Array";
const FACTORY: &str = "jdk/internal/reflect/ReflectionFactory";
const INVOKE: &str = "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
const CONSTRUCT: &str = "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;";

/// The typed getter and setter of a kind.
macro_rules! typed {
    ($kind:ident, $name:literal, $type:literal) => {
        [
            row(ARRAY, concat!("get", $name), concat!("(Ljava/lang/Object;I)", $type), |m, a| {
                get_as(m, a, Kind::$kind)
            }),
            symbolic(ARRAY, concat!("set", $name), concat!("(Ljava/lang/Object;I", $type, ")V"), |m, a| {
                set_as(m, a, Kind::$kind)
            }),
        ]
    };
}

const TYPED: [[Native; 2]; 8] = [
    typed!(Boolean, "Boolean", "Z"),
    typed!(Byte, "Byte", "B"),
    typed!(Char, "Char", "C"),
    typed!(Short, "Short", "S"),
    typed!(Int, "Int", "I"),
    typed!(Long, "Long", "J"),
    typed!(Float, "Float", "F"),
    typed!(Double, "Double", "D"),
];

pub(super) const TYPED_NATIVES: &[Native] = TYPED.as_flattened();

pub(super) const NATIVES: &[Native] = &[
    row("jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0", INVOKE, invoke),
    row("jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor", "invoke0", INVOKE, invoke),
    row("jdk/internal/reflect/NativeConstructorAccessorImpl", "newInstance0", CONSTRUCT, construct),
    row(
        "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor",
        "newInstance0",
        CONSTRUCT,
        construct,
    ),
    // Calls stay with the natives above: no accessor classes are generated.
    row(FACTORY, "inflationThreshold", "()I", |_, _| super::support::int(i32::MAX)),
    row(FACTORY, "useNativeAccessor", "(Ljava/lang/reflect/Executable;)Z", ONE),
    row(
        "jdk/internal/reflect/MethodHandleAccessorFactory",
        "useNativeAccessor",
        "(Ljava/lang/reflect/Executable;)Z",
        ONE,
    ),
    symbolic(ARRAY, "getLength", "(Ljava/lang/Object;)I", |m, a| {
        let array = array_of(m, a)?;
        value(Value { bits: m.array_length(array) as u64, shadow: m.heap_shadow((array + 1) as u64 * 8) })
    }),
    row(ARRAY, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;", |m, a| {
        let (array, index, kind) = element_at(m, a)?;
        let element = m.element_value(array, index, kind);
        m.box_call(kind, element)
    }),
    row(ARRAY, "set", "(Ljava/lang/Object;ILjava/lang/Object;)V", set),
    row(ARRAY, "newArray", "(Ljava/lang/Class;I)Ljava/lang/Object;", new_array),
    row(ARRAY, "multiNewArray", "(Ljava/lang/Class;[I)Ljava/lang/Object;", multi_new_array),
];

fn mismatch() -> Trap {
    illegal_argument("argument type mismatch")
}

fn invoke(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (member, receiver, arguments) = (args.non_null(m, 0)?, args.reference(m, 1), args.reference(m, 2));
    let method = members::method_of_object(m, member).ok_or_else(null_pointer)?;
    let class = m.method(method).class;
    let mut values = Vec::new();
    let mut target = method;
    if m.method(method).is_static() {
        m.ensure_initialized(class)?;
    } else {
        if receiver == 0 {
            return Err(null_pointer());
        }
        if !m.is_subtype(m.class_of(receiver), class) {
            if m.program.jdk().feature_version() < 18 {
                return Err(illegal_argument("object is not an instance of declaring class"));
            }
            let (object, wanted) = (m.external_name(m.class_of(receiver)), m.external_name(class));
            return Err(illegal_argument(&format!("object of type {object} is not an instance of {wanted}")));
        }
        target = m.select(m.class_of(receiver), method);
        values.push(Value::reference(receiver));
    }
    unpack(m, method, arguments, &mut values)?;
    let call = m.reflective_call(target)?;
    Ok(NativeOutcome::Call(call, values))
}

fn construct(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (member, arguments) = (args.non_null(m, 0)?, args.reference(m, 1));
    let method = members::method_of_object(m, member).ok_or_else(null_pointer)?;
    let class = m.method(method).class;
    if m.class(class).is_abstract() {
        return Err(Trap::Raise("java/lang/InstantiationException", None));
    }
    m.ensure_initialized(class)?;
    let mut values = vec![Value::default()];
    unpack(m, method, arguments, &mut values)?;
    let call = m.reflective_call(method)?;
    values[0] = Value::reference(m.new_object(class)?);
    Ok(NativeOutcome::Call(call, values))
}

/// Takes the arguments out of the `Object[]`, unboxed and widened for the parameters.
fn unpack(m: &mut Machine, method: MethodId, array: Addr, values: &mut Vec<Value>) -> Step<()> {
    let descriptor = m.method(method).descriptor.clone();
    let (parameters, _) = members::descriptor_classes(m, m.method(method).class, &descriptor)?;
    let given = if array == 0 { 0 } else { m.array_length(array) };
    if given as usize != parameters.len() {
        let mut message = "wrong number of arguments".to_owned();
        if m.program.jdk().feature_version() >= 18 {
            message += &format!(": {given} expected: {}", parameters.len());
        }
        return Err(illegal_argument(&message));
    }
    for (index, parameter) in parameters.into_iter().enumerate() {
        let argument = m.element_ref(array, index as u32);
        values.push(converted(m, argument, parameter)?);
    }
    Ok(())
}

fn converted(m: &mut Machine, argument: Addr, parameter: ClassId) -> Step<Value> {
    match m.class(parameter).kind {
        ClassKind::Primitive(kind) => {
            if argument == 0 {
                return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
            }
            let (from, value) = m.unboxed(argument).ok_or_else(mismatch)?;
            m.widened(from, kind, value).ok_or_else(mismatch)
        }
        _ if argument == 0 || m.is_subtype(m.class_of(argument), parameter) => Ok(Value::reference(argument)),
        _ => Err(mismatch()),
    }
}

fn array_of(m: &Machine, args: &Args) -> Step<Addr> {
    let array = args.non_null(m, 0)?;
    if members::is_array_class(m, m.class_of(array)) {
        Ok(array)
    } else {
        Err(illegal_argument("Argument is not an array"))
    }
}

fn element_at(m: &Machine, args: &Args) -> Step<(Addr, u32, Kind)> {
    let array = array_of(m, args)?;
    let index = args.int(m, 1);
    if index as u32 >= m.array_length(array) {
        // HotSpot says nothing more here.
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    Ok((array, index as u32, m.element_kind(m.class_of(array))))
}

fn get_as(m: &mut Machine, args: &Args, kind: Kind) -> Step<NativeOutcome> {
    let (array, index, held) = element_at(m, args)?;
    let element = m.element_value(array, index, held);
    value(m.widened(held, kind, element).ok_or_else(mismatch)?)
}

fn set_as(m: &mut Machine, args: &Args, kind: Kind) -> Step<NativeOutcome> {
    m.concretize(args.value(m, 1), Kind::Int)?;
    let (array, index, held) = element_at(m, args)?;
    let element = m.widened(kind, held, args.value(m, 2)).ok_or_else(mismatch)?;
    m.set_element_value(array, index, held, element);
    VOID_RESULT
}

fn set(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, index, held) = element_at(m, args)?;
    let argument = args.reference(m, 2);
    let ClassKind::Array { element, .. } = m.class(m.class_of(array)).kind else { return Err(mismatch()) };
    let element = match converted(m, argument, element) {
        Err(Trap::Raise(class, _)) => {
            let what = if held == Kind::Reference {
                "array element type mismatch"
            } else {
                "argument type mismatch"
            };
            return Err(Trap::Raise(class, Some(what.into())));
        }
        other => other?,
    };
    m.set_element_value(array, index, held, element);
    VOID_RESULT
}

fn new_array(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let element = m.class_of_mirror(args.non_null(m, 0)?);
    let length = args.int(m, 1);
    if length < 0 {
        return Err(Trap::Raise("java/lang/NegativeArraySizeException", Some(length.to_string())));
    }
    let class = array_class(m, element, 1)?;
    reference(m.new_array(class, length as u32)?)
}

/// Dimensions that an array can have (JVMS §4.3.2).
const MOST_DIMENSIONS: u32 = 255;

fn array_class(m: &mut Machine, element: ClassId, dimensions: u32) -> Step<ClassId> {
    let of_element = m.class(element).name.bytes().take_while(|byte| *byte == b'[').count() as u32;
    let too_many = of_element.saturating_add(dimensions) > MOST_DIMENSIONS;
    if too_many || m.class(element).kind == ClassKind::Primitive(Kind::Void) {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    (0..dimensions).try_fold(element, |class, _| m.array_of(class))
}

fn multi_new_array(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let element = m.class_of_mirror(args.non_null(m, 0)?);
    let sizes = args.non_null(m, 1)?;
    let count = m.array_length(sizes);
    if count == 0 || count > MOST_DIMENSIONS {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    let lengths: Vec<i32> = (0..count).map(|i| m.element(sizes, i, Kind::Int) as u32 as i32).collect();
    if let Some(negative) = lengths.iter().find(|l| **l < 0) {
        return Err(Trap::Raise("java/lang/NegativeArraySizeException", Some(negative.to_string())));
    }
    let class = array_class(m, element, count)?;
    reference(m.multi_array(class, &lengths)?)
}
