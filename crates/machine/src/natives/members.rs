//! Members of classes for reflection: `Field`, `Method`, `Constructor` and `RecordComponent` objects, nested
//! classes and nests.

use super::java_lang_class::{optional_text, this};
use super::support::{ZERO, boolean, int, reference};
use super::{Args, Native, NativeOutcome, row};
use crate::classes::{ClassId, ClassKind, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::support;
use cupping_classfile::{ClassFile, MethodDescriptor, SharedBytes};
use std::sync::Arc;

const CLASS: &str = "java/lang/Class";
const EXECUTABLE: &str = "java/lang/reflect/Executable";

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;", declared_fields),
    row(CLASS, "getDeclaredMethods0", "(Z)[Ljava/lang/reflect/Method;", declared_methods),
    row(CLASS, "getDeclaredConstructors0", "(Z)[Ljava/lang/reflect/Constructor;", declared_constructors),
    row(CLASS, "getRecordComponents0", "()[Ljava/lang/reflect/RecordComponent;", record_components),
    row(CLASS, "getDeclaredClasses0", "()[Ljava/lang/Class;", declared_classes),
    row(CLASS, "getDeclaringClass0", "()Ljava/lang/Class;", declaring_class),
    row(CLASS, "getEnclosingMethod0", "()[Ljava/lang/Object;", enclosing_method),
    row(CLASS, "getSimpleBinaryName0", "()Ljava/lang/String;", simple_binary_name),
    row(CLASS, "getNestHost0", "()Ljava/lang/Class;", nest_host),
    row(CLASS, "getNestMembers0", "()[Ljava/lang/Class;", nest_members),
    row(CLASS, "getPermittedSubclasses0", "()[Ljava/lang/Class;", permitted_subclasses),
    row(CLASS, "getRawAnnotations", "()[B", |m, a| {
        let bytes = file_of(m, a).and_then(|f| f.annotations.visible.clone());
        reference(optional_bytes(m, bytes.as_ref())?)
    }),
    row(CLASS, "getRawTypeAnnotations", "()[B", |m, a| {
        let bytes = file_of(m, a).and_then(|f| f.annotations.types.clone());
        reference(optional_bytes(m, bytes.as_ref())?)
    }),
    row(CLASS, "getConstantPool", "()Ljdk/internal/reflect/ConstantPool;", constant_pool),
    row(EXECUTABLE, "getParameters0", "()[Ljava/lang/reflect/Parameter;", parameters),
    row(EXECUTABLE, "getTypeAnnotationBytes0", "()[B", |m, a| {
        let (class, slot) = member_slot(m, a.reference(m, 0));
        let file = m.class(class).file.clone();
        let bytes = file.as_ref().and_then(|f| f.methods.get(slot)?.annotations.types.clone());
        reference(optional_bytes(m, bytes.as_ref())?)
    }),
    row("java/lang/reflect/Field", "getTypeAnnotationBytes0", "()[B", |m, a| {
        let (class, slot) = member_slot(m, a.reference(m, 0));
        let file = m.class(class).file.clone();
        let bytes = file.as_ref().and_then(|f| f.fields.get(slot)?.annotations.types.clone());
        reference(optional_bytes(m, bytes.as_ref())?)
    }),
    row("jdk/internal/reflect/Reflection", "getCallerClass", "()Ljava/lang/Class;", caller_class),
    row("jdk/internal/reflect/Reflection", "getClassAccessFlags", "(Ljava/lang/Class;)I", |m, a| {
        int(i32::from(m.class(this(m, a)).access.0))
    }),
    row(
        "jdk/internal/reflect/Reflection",
        "areNestMates",
        "(Ljava/lang/Class;Ljava/lang/Class;)Z",
        |m, a| {
            let (left, right) = (this(m, a), m.class_of_mirror(a.reference(m, 1)));
            boolean(nest_host_name(m, left) == nest_host_name(m, right))
        },
    ),
    row("java/lang/SecurityManager", "getClassContext", "()[Ljava/lang/Class;", ZERO),
];

fn file_of(m: &Machine, args: &Args) -> Option<Arc<ClassFile>> {
    m.class(this(m, args)).file.clone()
}

fn declared_fields(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = this(m, args);
    let public_only = args.int(m, 1) != 0;
    let mut found = Vec::new();
    for index in 0..m.class(class).file.as_ref().map_or(0, |f| f.fields.len()) {
        if !public_only || m.class(class).fields[index].access.is_public() {
            found.push(field_object(m, class, index)?);
        }
    }
    reference(m.reference_array("java/lang/reflect/Field", &found)?)
}

fn declared_methods(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let mut found = executables(m, args, |name| !name.starts_with('<'))?;
    // The JVM sorts methods by where it keeps their names in memory, so a run may have them in any order.
    if m.registers.variation != 0 {
        found.reverse();
    }
    reference(m.reference_array("java/lang/reflect/Method", &found)?)
}

fn declared_constructors(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let found = executables(m, args, |name| name == "<init>")?;
    reference(m.reference_array("java/lang/reflect/Constructor", &found)?)
}

fn executables(m: &mut Machine, args: &Args, wanted: fn(&str) -> bool) -> Step<Vec<Addr>> {
    let class = this(m, args);
    let public_only = args.int(m, 1) != 0;
    let mut found = Vec::new();
    // The static methods of a synthetic class are how the machine creates its objects.
    let synthetic = m.class(class).file.is_none();
    for method in m.class(class).methods.clone() {
        let loaded = m.method(method);
        if synthetic && loaded.is_static() {
            continue;
        }
        if wanted(&loaded.name) && (!public_only || loaded.access.is_public()) {
            found.push(m.executable_object(method)?);
        }
    }
    Ok(found)
}

fn record_components(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = this(m, args);
    let mirror = m.mirror(class)?;
    let file = m.class(class).file.clone();
    let components = file.as_ref().and_then(|f| f.record_components.as_deref()).unwrap_or_default();
    let component_class = m.load("java/lang/reflect/RecordComponent")?;
    let mut found = Vec::with_capacity(components.len());
    for component in components {
        let object = m.new_object(component_class)?;
        let name = m.intern_text(&component.name)?;
        let type_class = m.load_descriptor_for(class, &component.descriptor)?;
        let type_mirror = m.mirror(type_class)?;
        let accessor = m.declared_method(class, &component.name, &format!("(){}", component.descriptor));
        let accessor = match accessor {
            Some(method) => m.executable_object(method)?,
            None => 0,
        };
        let signature = optional_intern(m, component.signature.as_deref())?;
        let visible = optional_bytes(m, component.annotations.visible.as_ref())?;
        let types = optional_bytes(m, component.annotations.types.as_ref())?;
        for (field, value) in [
            ("clazz", mirror),
            ("name", name),
            ("type", type_mirror),
            ("accessor", accessor),
            ("signature", signature),
            ("annotations", visible),
            ("typeAnnotations", types),
        ] {
            m.set_named(object, field, value as u64);
        }
        found.push(object);
    }
    reference(m.reference_array("java/lang/reflect/RecordComponent", &found)?)
}

fn declared_classes(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = this(m, args);
    let Some(file) = file_of(m, args) else { return reference(support::class_array(m, &[])?) };
    let mut found = Vec::new();
    for inner in file.inner_classes.iter() {
        if inner.outer.as_deref() == Some(&*m.class(class).name) {
            found.push(m.load_for(class, &inner.inner)?);
        }
    }
    reference(support::class_array(m, &found)?)
}

/// The entry of `InnerClasses` about the class itself.
fn own_entry(file: &ClassFile) -> Option<&cupping_classfile::InnerClass> {
    file.inner_classes.iter().find(|inner| inner.inner == file.name)
}

fn declaring_class(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let file = file_of(m, args);
    match file.as_ref().and_then(|f| own_entry(f)?.outer.clone()) {
        Some(outer) => {
            let outer = m.load_for(this(m, args), &outer)?;
            reference(m.mirror(outer)?)
        }
        None => reference(0),
    }
}

fn enclosing_method(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let file = file_of(m, args);
    let Some(enclosing) = file.as_ref().and_then(|f| f.enclosing_method.as_ref()) else {
        return reference(0);
    };
    let class = m.load_for(this(m, args), &enclosing.class)?;
    let mirror = m.mirror(class)?;
    let (name, descriptor) = match &enclosing.method {
        Some((name, descriptor)) => (m.new_text(name)?, m.new_text(descriptor)?),
        None => (0, 0),
    };
    reference(m.reference_array("java/lang/Object", &[mirror, name, descriptor])?)
}

fn simple_binary_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let file = file_of(m, args);
    let name = file.as_ref().and_then(|f| own_entry(f)?.name.clone());
    optional_text(m, name.as_deref())
}

fn nest_host_name(m: &Machine, class: ClassId) -> Arc<str> {
    if let Some(host) = m.hidden_nest(class).filter(|host| *host != class) {
        return nest_host_name(m, host);
    }
    if m.hidden_nest(class).is_some() {
        return m.class(class).name.clone();
    }
    let class = match m.class(class).host {
        Some(host) if m.is_hidden(class) => m.class(host),
        _ => m.class(class),
    };
    class.file.as_ref().and_then(|f| f.nest_host.clone()).unwrap_or_else(|| class.name.clone())
}

fn nest_host(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = nest_host_name(m, this(m, args));
    let host = m.load_for(this(m, args), &name)?;
    reference(m.mirror(host)?)
}

fn nest_members(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = nest_host_name(m, this(m, args));
    let host = m.load_for(this(m, args), &name)?;
    let mut found = vec![host];
    if let Some(file) = m.class(host).file.clone() {
        for member in file.nest_members.iter() {
            found.push(m.load_for(host, member)?);
        }
    }
    reference(support::class_array(m, &found)?)
}

fn permitted_subclasses(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let Some(file) = file_of(m, args) else { return reference(0) };
    if file.permitted_subclasses.is_empty() {
        return reference(0);
    }
    let mut found = Vec::new();
    for name in file.permitted_subclasses.iter() {
        found.push(m.load_for(this(m, args), name)?);
    }
    reference(support::class_array(m, &found)?)
}

fn constant_pool(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.load("jdk/internal/reflect/ConstantPool")?;
    let pool = m.new_object(class)?;
    m.set_named(pool, "constantPoolOop", args.reference(m, 0) as u64);
    reference(pool)
}

fn parameters(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let executable = args.reference(m, 0);
    let (class, slot) = member_slot(m, executable);
    let file = m.class(class).file.clone();
    let rows = file.as_ref().and_then(|f| f.methods.get(slot)).map(|f| &f.parameters[..]).unwrap_or_default();
    if rows.is_empty() {
        return reference(0);
    }
    let parameter_class = m.load("java/lang/reflect/Parameter")?;
    let mut found = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let object = m.new_object(parameter_class)?;
        let name = optional_intern(m, row.name.as_deref())?;
        m.set_named(object, "name", name as u64);
        m.set_named(object, "modifiers", row.access.0 as u64);
        m.set_named(object, "executable", executable as u64);
        m.set_named(object, "index", index as u64);
        found.push(object);
    }
    reference(m.reference_array("java/lang/reflect/Parameter", &found)?)
}

/// The caller of the calling method's class; frames of reflection are not counted.
fn caller_class(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let frames = &m.registers.frames;
    let caller =
        frames.iter().rev().skip(1).map(|f| (f.code.class, f.code.method)).find(|(class, method)| {
            let class = &*m.class(*class).name;
            let reflective = class == "java/lang/reflect/Method" && &*m.method(*method).name == "invoke";
            !reflective && !class.starts_with("jdk/internal/reflect/")
        });
    match caller {
        Some((class, _)) => reference(m.mirror(class)?),
        None => reference(0),
    }
}

impl Machine {
    /// A new `Method`, or `Constructor` for `<init>`.
    pub(crate) fn executable_object(&mut self, method: MethodId) -> Step<Addr> {
        let (class, index, name, descriptor, access) = {
            let loaded = self.method(method);
            (loaded.class, loaded.index, loaded.name.clone(), loaded.descriptor.clone(), loaded.access)
        };
        let is_constructor = &*name == "<init>";
        let object_class = self.load(if is_constructor {
            "java/lang/reflect/Constructor"
        } else {
            "java/lang/reflect/Method"
        })?;
        let object = self.new_object(object_class)?;
        let (parameter_types, return_type) = descriptor_classes(self, class, &descriptor)?;
        let mirror = self.mirror(class)?;
        let parameter_types = support::class_array(self, &parameter_types)?;
        let return_type = self.mirror(return_type)?;
        let name = self.intern_text(&name)?;
        let file = self.class(class).file.clone();
        let declared = file.as_ref().and_then(|f| f.methods.get(index));
        let mut exceptions = Vec::new();
        for exception in declared.map(|d| &d.exceptions[..]).unwrap_or_default() {
            exceptions.push(self.load_for(class, exception)?);
        }
        let exception_types = support::class_array(self, &exceptions)?;
        let signature = optional_intern(self, declared.and_then(|d| d.signature.as_deref()))?;
        let annotations = declared.map(|d| &d.annotations);
        let visible = optional_bytes(self, annotations.and_then(|a| a.visible.as_ref()))?;
        let parameters = optional_bytes(self, annotations.and_then(|a| a.parameters.as_ref()))?;
        let default = optional_bytes(self, annotations.and_then(|a| a.default.as_ref()))?;
        for (field, value) in [
            ("clazz", mirror as u64),
            ("slot", index as u64),
            ("name", name as u64),
            ("parameterTypes", parameter_types as u64),
            ("returnType", return_type as u64),
            ("exceptionTypes", exception_types as u64),
            ("modifiers", u64::from(access.0)),
            ("signature", signature as u64),
            ("annotations", visible as u64),
            ("parameterAnnotations", parameters as u64),
            ("annotationDefault", default as u64),
        ] {
            self.set_named(object, field, value);
        }
        Ok(object)
    }
}

/// The class and index that a `Field`, `Method` or `Constructor` object denotes.
pub(super) fn member_slot(m: &Machine, member: Addr) -> (ClassId, usize) {
    (m.class_of_mirror(m.named(member, "clazz") as Addr), m.named(member, "slot") as u32 as usize)
}

/// The method that a `Method` or `Constructor` object denotes.
pub(super) fn method_of_object(m: &Machine, executable: Addr) -> Option<MethodId> {
    let (class, slot) = member_slot(m, executable);
    m.class(class).methods.get(slot).copied()
}

pub(super) fn optional_intern(m: &mut Machine, text: Option<&str>) -> Step<Addr> {
    text.map_or(Ok(0), |text| m.intern_text(text))
}

fn optional_bytes(m: &mut Machine, bytes: Option<&SharedBytes>) -> Step<Addr> {
    bytes.map_or(Ok(0), |bytes| m.new_byte_array(bytes))
}

/// A new `java.lang.reflect.Field` for the declared field of this index.
fn field_object(m: &mut Machine, class: ClassId, index: usize) -> Step<Addr> {
    let field_class = m.load("java/lang/reflect/Field")?;
    let object = m.new_object(field_class)?;
    let (name, descriptor, access) = {
        let field = &m.class(class).fields[index];
        (field.name.clone(), field.descriptor.clone(), field.access)
    };
    let type_class = m.load_descriptor_for(class, &descriptor)?;
    let (mirror, type_mirror) = (m.mirror(class)?, m.mirror(type_class)?);
    let name = m.intern_text(&name)?;
    let file = m.class(class).file.clone();
    let declared = file.as_ref().and_then(|f| f.fields.get(index));
    let signature = optional_intern(m, declared.and_then(|f| f.signature.as_deref()))?;
    let annotations = optional_bytes(m, declared.and_then(|f| f.annotations.visible.as_ref()))?;
    let is_record = file.as_ref().is_some_and(|f| f.record_components.is_some());
    let trusted = access.is_final() && (access.is_static() || is_record || m.class(class).host.is_some());
    for (field, value) in [
        ("clazz", mirror as u64),
        ("slot", index as u64),
        ("name", name as u64),
        ("type", type_mirror as u64),
        ("modifiers", u64::from(access.0 & 0x50DF)),
        ("trustedFinal", trusted as u64),
        ("signature", signature as u64),
        ("annotations", annotations as u64),
    ] {
        m.set_named(object, field, value);
    }
    Ok(object)
}

/// The classes of the parameters and of the result of a method descriptor, as they are known within a class.
pub(super) fn descriptor_classes(
    m: &mut Machine,
    within: ClassId,
    descriptor: &str,
) -> Step<(Vec<ClassId>, ClassId)> {
    let parsed = MethodDescriptor::parse(descriptor).ok_or_else(|| Trap::Missing(descriptor.to_owned()))?;
    let mut parameters = Vec::with_capacity(parsed.parameters.len());
    for parameter in &parsed.parameters {
        parameters.push(m.load_descriptor_for(within, &parameter.to_string())?);
    }
    let result = match &parsed.result {
        Some(result) => m.load_descriptor_for(within, &result.to_string())?,
        None => m.load("void")?,
    };
    Ok((parameters, result))
}

/// Whether the class is an array class.
pub(super) fn is_array_class(m: &Machine, class: ClassId) -> bool {
    matches!(m.class(class).kind, ClassKind::Array { .. })
}
