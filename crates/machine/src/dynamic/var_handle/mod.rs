//! Variable handles (JEP 193): fields and array elements by handle.
//!
//! A handle is an object of a synthetic subclass of `VarHandle`, one class for each variable. A call of an
//! access mode runs code generated for the class, the mode and the types of the call. Only one thread runs at a
//! time, so all modes are plain accesses and still keep their guarantees.

mod access;
mod implementation;
mod link;
mod mode;

use super::lookup::{kind_of_class, reflected_field};
use super::signature::{Signature, descriptor_of_name, is_reference, kind};
use super::synthetic::Synthetic;
use crate::classes::{ClassId, ClassKind, Kind};
use crate::dynamic::names::{LOOKUP, VAR_HANDLE};
use crate::dynamic::variable::{Variable, VariablePlace};
use crate::dynamic::{lookup_object, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};
use crate::state::Value;
pub(crate) use link::link_call;
use link::variable;
pub(crate) use mode::is_mode;
use mode::{Mode, mode};

const HANDLES: &str = "java/lang/invoke/MethodHandles";

pub(crate) const NATIVES: &[Native] = &[
    row(LOOKUP, "findVarHandle", "*", |m, a| find_field(m, a, false)),
    row(LOOKUP, "findStaticVarHandle", "*", |m, a| find_field(m, a, true)),
    row(LOOKUP, "unreflectVarHandle", "*", unreflect),
    row(HANDLES, "arrayElementVarHandle", "*", array_element),
    row(HANDLES, "byteArrayViewVarHandle", "*", byte_array_view),
    row(VAR_HANDLE, "withInvokeExactBehavior", "*", itself),
    row(VAR_HANDLE, "withInvokeBehavior", "*", itself),
    row(VAR_HANDLE, "hasInvokeExactBehavior", "*", |_, _| Ok(NativeOutcome::Value(Value::boolean(false)))),
    row(VAR_HANDLE, "varType", "*", var_type),
    row(VAR_HANDLE, "coordinateTypes", "*", coordinate_types),
    row(
        VAR_HANDLE,
        "accessModeType",
        "(Ljava/lang/invoke/VarHandle$AccessMode;)Ljava/lang/invoke/MethodType;",
        mode_type,
    ),
    row(VAR_HANDLE, "isAccessModeSupported", "*", is_supported),
    row(VAR_HANDLE, "toString", "*", to_string),
    row(VAR_HANDLE, "fullFence", "*", |_, _| Ok(VOID)),
    row(VAR_HANDLE, "acquireFence", "*", |_, _| Ok(VOID)),
    row(VAR_HANDLE, "releaseFence", "*", |_, _| Ok(VOID)),
    row(VAR_HANDLE, "loadLoadFence", "*", |_, _| Ok(VOID)),
    row(VAR_HANDLE, "storeStoreFence", "*", |_, _| Ok(VOID)),
];

/// A handle for a variable.
fn new_var_handle(m: &mut Machine, variable: Variable) -> Step<Addr> {
    let class = match m.generated.variables.iter().position(|(_, v)| *v == variable) {
        Some(at) => m.generated.variables[at].0,
        None => {
            let super_class = m.load(VAR_HANDLE)?;
            let name = format!("{VAR_HANDLE}$$Variable${}", m.generated.variables.len() + 1);
            let mut synthetic = Synthetic::holder(m, super_class, name);
            synthetic.super_class = super_class;
            let class = synthetic::define_synthetic(m, synthetic)?;
            m.generated.variables.push((class, variable));
            class
        }
    };
    m.new_object(class)
}

/// A handle for the elements of arrays of this class.
fn element_var_handle(m: &mut Machine, array: ClassId) -> Step<Addr> {
    let ClassKind::Array { element, .. } = m.class(array).kind else {
        let message = format!("not an array type: {}", m.class(array).name);
        return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
    };
    let coordinates = vec![m.class(array).name.clone(), "I".into()];
    let descriptor = m.descriptor_of(element).into();
    new_var_handle(m, Variable { place: VariablePlace::Element(array), coordinates, descriptor })
}

/// A handle for a field.
fn field_var_handle(
    m: &mut Machine,
    class: ClassId,
    name: &str,
    descriptor: &str,
    is_static: bool,
) -> Step<Addr> {
    let found = m.find_field(class, name, descriptor);
    let what = format!("{}.{name}", m.class(class).name.replace('/', "."));
    let Some((owner, at)) = found else {
        let message = format!("no such field: {what}/{}", readable_type(descriptor));
        return Err(Trap::Raise("java/lang/NoSuchFieldException", Some(message)));
    };
    let field = &m.class(owner).fields[at];
    if field.is_static() != is_static {
        let message = format!("no such field: {what}");
        return Err(Trap::Raise("java/lang/IllegalAccessException", Some(message)));
    }
    let (offset, is_final) = (field.offset, field.access.is_final());
    let (place, coordinates) = if is_static {
        (VariablePlace::Static { class: owner, offset, is_final }, Vec::new())
    } else {
        let receiver = descriptor_of_name(&m.class(class).name).into();
        (VariablePlace::Field { class, offset, is_final }, vec![receiver])
    };
    new_var_handle(m, Variable { place, coordinates, descriptor: descriptor.into() })
}

fn readable_type(descriptor: &str) -> String {
    super::signature::class_name(descriptor).replace('/', ".")
}

fn find_field(m: &mut Machine, args: &Args, is_static: bool) -> Step<NativeOutcome> {
    let class = lookup_object::class_argument(m, args, 1)?;
    let name = m.text(args.non_null(m, 2)?);
    let field_type = lookup_object::class_argument(m, args, 3)?;
    let descriptor = m.descriptor_of(field_type);
    if let Some((owner, at)) = m.find_field(class, &name, &descriptor) {
        let access = m.class(owner).fields[at].access;
        let what = format!("{}.{name}", m.class(owner).name.replace('/', "."));
        lookup_object::check_access(m, args.reference(m, 0), owner, access, &what)?;
    }
    let handle = field_var_handle(m, class, &name, &descriptor, is_static)?;
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

fn unreflect(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (class, name, descriptor, is_static) = reflected_field(m, args.non_null(m, 1)?)?;
    let handle = field_var_handle(m, class, &name, &descriptor, is_static)?;
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

fn array_element(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let array = lookup_object::class_argument(m, args, 0)?;
    Ok(NativeOutcome::Value(Value::reference(element_var_handle(m, array)?)))
}

fn byte_array_view(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let view = lookup_object::class_argument(m, args, 0)?;
    let order = args.non_null(m, 1)?;
    let big = initialized_static(m, "java/nio/ByteOrder", "BIG_ENDIAN")?;
    let ClassKind::Array { element, .. } = m.class(view).kind else {
        let message = format!("not an array type: {}", m.class(view).name);
        return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
    };
    if matches!(kind_of_class(m, element), Kind::Reference | Kind::Boolean | Kind::Byte) {
        return Err(Trap::Raise("java/lang/UnsupportedOperationException", None));
    }
    let place = VariablePlace::Bytes { big_endian: order as u64 == big };
    let descriptor = m.descriptor_of(element).into();
    let handle =
        new_var_handle(m, Variable { place, coordinates: vec!["[B".into(), "I".into()], descriptor })?;
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

/// A static field of a class, which is initialised first.
fn initialized_static(m: &mut Machine, class: &str, name: &str) -> Step<u64> {
    let class = m.load(class)?;
    m.ensure_initialized(class)?;
    Ok(m.static_field(class, name).unwrap_or(0))
}

fn itself(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(args.value(m, 0)))
}

fn var_type(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let variable = variable(m, args.reference(m, 0))?;
    let class = m.load_descriptor(&variable.descriptor)?;
    Ok(NativeOutcome::Value(Value::reference(m.mirror(class)?)))
}

/// The mode that a constant of `VarHandle.AccessMode` stands for.
fn mode_argument(m: &mut Machine, args: &Args) -> Step<Mode> {
    let constant = args.non_null(m, 1)?;
    let name = m.named(constant, "methodName") as Addr;
    let name = if name == 0 { String::new() } else { m.text(name) };
    mode(&name).ok_or_else(|| Trap::unsupported(format!("access mode {name}")))
}

fn mode_type(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let how = mode_argument(m, args)?;
    let Variable { coordinates, descriptor, .. } = variable(m, args.reference(m, 0))?;
    let (values, result): (usize, &str) = match how {
        Mode::Get => (0, &descriptor),
        Mode::Set => (1, "V"),
        Mode::CompareAndSet => (2, "Z"),
        Mode::CompareAndExchange => (2, &descriptor),
        Mode::GetAndSet | Mode::GetAndAdd | Mode::GetAndBitwise(..) => (1, &descriptor),
    };
    let mut parameters = coordinates;
    parameters.extend(std::iter::repeat_n(descriptor.clone(), values));
    let signature = Signature::new(parameters, result);
    let method_type = m.method_type(&signature.to_string())?;
    Ok(NativeOutcome::Value(Value::reference(method_type)))
}

/// Final fields can only be read; only numbers can be added; only integers and booleans have bitwise modes.
fn is_supported(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let how = mode_argument(m, args)?;
    let variable = variable(m, args.reference(m, 0))?;
    let held = kind(&variable.descriptor);
    let supported = match how {
        Mode::Get => true,
        _ if variable.is_read_only() => false,
        Mode::GetAndAdd => !matches!(held, Kind::Boolean | Kind::Reference),
        Mode::GetAndBitwise(..) => !matches!(held, Kind::Float | Kind::Double | Kind::Reference),
        _ => true,
    };
    Ok(NativeOutcome::Value(Value::boolean(supported)))
}

fn coordinate_types(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let variable = variable(m, args.reference(m, 0))?;
    let classes = m.array_of(ClassId(m.classes.well_known.class))?;
    let array = m.new_array(classes, variable.coordinates.len() as u32)?;
    for (index, coordinate) in variable.coordinates.iter().enumerate() {
        let class = m.load_descriptor(coordinate)?;
        let mirror = m.mirror(class)?;
        m.set_element_ref(array, index as u32, mirror);
    }
    let list = m.load("java/util/List")?;
    m.ensure_initialized(list)?;
    match m.find_method(list, "of", "([Ljava/lang/Object;)Ljava/util/List;") {
        Some(of) => Ok(NativeOutcome::Call(of, vec![Value::reference(array)])),
        None => Err(Trap::Missing("java/util/List.of".into())),
    }
}

/// `Class.toString` of a descriptor.
fn class_text(m: &mut Machine, descriptor: &str) -> Step<String> {
    let class = m.load_descriptor(descriptor)?;
    let kind = match (is_reference(descriptor), m.class(class).is_interface()) {
        (false, _) => "",
        (true, true) => "interface ",
        (true, false) => "class ",
    };
    Ok(format!("{kind}{}", m.external_name(class)))
}

fn to_string(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let variable = variable(m, args.reference(m, 0))?;
    let of_type = m.load_descriptor(&variable.descriptor)?;
    let coordinates: Vec<String> =
        variable.coordinates.iter().map(|c| class_text(m, c)).collect::<Step<_>>()?;
    let text = format!("VarHandle[varType={}, coord=[{}]]", m.external_name(of_type), coordinates.join(", "));
    Ok(NativeOutcome::Value(Value::reference(m.new_text(&text)?)))
}
