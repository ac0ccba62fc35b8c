//! Classes that the machine generates: their definition, their code, and the constants that they load.

use super::assemble::Assembler;
use super::signature::kind;
use crate::classes::parts::{ClassParts, MethodParts};
use crate::classes::{ClassId, Field, MethodId};
use crate::dynamic::lookup_object;
use crate::dynamic::names::FULL_POWER;
use crate::dynamic::recipe::Recipe;
use crate::exit::{Step, Trap};
use crate::machine::{Machine, MethodBody};
use crate::memory::Addr;
use crate::natives::{NativeCode, NativeFn};
use cupping_classfile::AccessFlags;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) const PUBLIC: AccessFlags = AccessFlags::PUBLIC;
pub(crate) const STATIC: AccessFlags = AccessFlags::STATIC;
const SYNTHETIC: AccessFlags = AccessFlags::SYNTHETIC;
/// Flags of classes whose frames stack traces leave out.
const HIDDEN: AccessFlags = AccessFlags::SYNTHETIC.or(AccessFlags::FINAL).or(AccessFlags::SUPER);

/// What a synthetic class is made of.
pub(crate) struct Synthetic {
    pub(crate) name: String,
    pub(crate) super_class: ClassId,
    pub(crate) interfaces: Vec<ClassId>,
    /// The class whose code asks for it.
    pub(crate) host: ClassId,
    pub(crate) access: AccessFlags,
    /// Descriptors of the instance fields.
    pub(crate) fields: Vec<Arc<str>>,
    /// Descriptors of the static fields.
    pub(crate) statics: Vec<Arc<str>>,
    /// Name, descriptor and access flags of the methods; their code is given with [`set_code`].
    pub(crate) methods: Vec<(Arc<str>, Arc<str>, AccessFlags)>,
}

impl Synthetic {
    /// A class that only holds static methods.
    pub(crate) fn holder(machine: &Machine, host: ClassId, name: String) -> Synthetic {
        Synthetic {
            name,
            super_class: ClassId(machine.classes.well_known.object),
            interfaces: Vec::new(),
            host,
            access: HIDDEN,
            fields: Vec::new(),
            statics: Vec::new(),
            methods: Vec::new(),
        }
    }
}

impl Machine {
    /// Whether stack traces omit the methods of a class, as for hidden classes on a real JVM.
    pub(crate) fn is_hidden(&self, class: ClassId) -> bool {
        if self.hidden_nest(class).is_some() {
            return true;
        }
        let class = self.class(class);
        class.host.is_some() && class.access.is_synthetic()
    }

    /// Whether a JDK method has the annotation `@Hidden`, so that stack traces omit it.
    pub(crate) fn says_hidden(&self, method: crate::classes::MethodId) -> bool {
        const HIDDEN: &str = "Ljdk/internal/vm/annotation/Hidden;";
        let (index, class) = (self.method(method).index, self.class(self.method(method).class));
        let Some(file) = class.file.as_ref().filter(|_| class.from_jdk) else { return false };
        let Some(visible) = file.methods.get(index).and_then(|it| it.annotations.visible.as_ref()) else {
            return false;
        };
        // After their count, annotations without elements consist of a type and a zero (JVMS §4.7.16).
        let annotations = visible.get(2..).unwrap_or_default().chunks_exact(4);
        annotations.take_while(|it| it[2..] == [0, 0]).any(|it| {
            let constant = file.constant(u16::from_be_bytes([it[0], it[1]]));
            matches!(constant, Ok(cupping_classfile::Constant::Utf8(text)) if text == HIDDEN)
        })
    }

    /// The constant that code of a synthetic class loads.
    pub(crate) fn synthetic_constant(&mut self, class: ClassId, index: usize) -> Step<Addr> {
        let recipe = self.generated.recipes.get(&class).and_then(|r| r.get(index)).cloned();
        match recipe {
            Some(Recipe::Text(units)) => self.intern(&units),
            Some(Recipe::Class(class)) => self.mirror(class),
            Some(Recipe::MethodType(descriptor)) => self.method_type(&descriptor),
            Some(Recipe::Handle(handle)) => self.method_handle_object(&handle),
            Some(Recipe::Method(method)) => self.executable_object(method),
            Some(Recipe::Lookup(class)) => lookup_object::new_lookup(self, class, FULL_POWER),
            None => Err(Trap::unsupported("constant of a class without a class file")),
        }
    }
}

/// Defines a synthetic class. If the name is taken, a number is added.
pub(super) fn define_synthetic(m: &mut Machine, synthetic: Synthetic) -> Step<ClassId> {
    let Synthetic { mut name, super_class, interfaces, host, access, fields, statics, methods } = synthetic;
    if m.classes.names.get(name.as_str()).is_some() {
        let stem = name.clone();
        let mut number = 2;
        while m.classes.names.get(name.as_str()).is_some() {
            name = format!("{stem}_{number}");
            number += 1;
        }
    }
    let too_many = || Trap::unsupported(format!("too many fields in {}", m.class(host).name));
    let mut size = m.class(super_class).size;
    let mut static_size = 1u16;
    let mut laid_out = Vec::new();
    for (index, (descriptor, is_static)) in
        fields.iter().map(|f| (f, false)).chain(statics.iter().map(|s| (s, true))).enumerate()
    {
        let next = if is_static { &mut static_size } else { &mut size };
        laid_out.push(Field {
            name: format!("arg${}", index + 1).into(),
            descriptor: descriptor.clone(),
            kind: kind(descriptor),
            access: if is_static { SYNTHETIC | STATIC } else { SYNTHETIC },
            offset: *next,
        });
        *next = next.checked_add(1).ok_or_else(too_many)?;
    }
    let loader = m.class(host).loader;
    let parts = ClassParts {
        loader,
        name: name.into(),
        super_class: Some(super_class),
        interfaces,
        access,
        fields: laid_out,
        size,
        static_size: static_size.into(),
        from_jdk: m.class(host).from_jdk,
        host: Some(host),
        file: None,
    };
    let methods = methods
        .into_iter()
        .map(|(name, descriptor, access)| MethodParts { name, descriptor, access, has_code: false })
        .collect();
    m.define_parts(parts, methods)
}

/// The method at this index of a synthetic class.
fn synthetic_method(m: &Machine, class: ClassId, index: usize) -> MethodId {
    m.class(class).methods[index]
}

/// The offset of a field of a synthetic class, instance fields first.
pub(super) fn synthetic_field(m: &Machine, class: ClassId, index: usize) -> u16 {
    m.class(class).fields[index].offset
}

/// Gives the method at this index its code.
pub(super) fn set_code(m: &mut Machine, class: ClassId, index: usize, code: Assembler) -> MethodId {
    let method = synthetic_method(m, class, index);
    let recipes = m.generated.recipes.entry(class).or_default();
    let (code, more) = code.finish(method, class, recipes.len());
    recipes.extend(more);
    m.classes.method_mut(method).body = MethodBody::Code(Rc::new(code));
    method
}

/// A static method with this code, alone in its class.
pub(super) fn define_static(
    m: &mut Machine,
    host: ClassId,
    class_name: String,
    name: &str,
    descriptor: &str,
    code: Assembler,
) -> Step<MethodId> {
    let mut holder = Synthetic::holder(m, host, class_name);
    holder.methods.push((name.into(), descriptor.into(), PUBLIC | STATIC));
    let class = define_synthetic(m, holder)?;
    Ok(set_code(m, class, 0, code))
}

/// A static method that the machine itself runs, alone in its class; `quick` as in [`NativeFn`].
pub(super) fn define_static_native(
    m: &mut Machine,
    class_name: String,
    name: &str,
    descriptor: &str,
    run: NativeCode,
    quick: bool,
) -> Step<MethodId> {
    let host = ClassId(m.classes.well_known.object);
    let mut holder = Synthetic::holder(m, host, class_name);
    holder.methods.push((name.into(), descriptor.into(), PUBLIC | STATIC));
    let class = define_synthetic(m, holder)?;
    let method = synthetic_method(m, class, 0);
    m.classes.method_mut(method).body =
        MethodBody::Native(NativeFn { run, symbolic: true, inlined: None, quick });
    Ok(method)
}
