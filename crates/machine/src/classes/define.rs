//! Defines classes: lays out fields, places methods, and finds natives.

use crate::classes::parts::{ClassParts, MethodParts};
use crate::classes::{CallReports, Class, ClassId, ClassKind, Field, Kind, SignatureId, parse_kinds};
use crate::exit::{Step, Trap};
use crate::heap::layout::{MAX_CLASSES, OBJECT_HEADER};
use crate::machine::{Machine, Method, MethodBody};
use crate::memory::Addr;
use cupping_classfile::{AccessFlags, ClassFile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Machine {
    /// Defines a class from its parts, which come from a class file or from the machine.
    pub(crate) fn define_parts(&mut self, parts: ClassParts, methods: Vec<MethodParts>) -> Step<ClassId> {
        let mut supertypes = FxHashSet::default();
        for parent in parts.super_class.iter().chain(&parts.interfaces) {
            supertypes.extend(self.class(*parent).supertypes.iter().copied());
        }
        let (mut vtable, mut virtual_index) = match parts.super_class {
            Some(parent) => (self.class(parent).vtable.clone(), self.class(parent).virtual_index.clone()),
            None => (Vec::new(), FxHashMap::default()),
        };
        let is_interface = parts.access.is_interface();
        let package = parts.name.rfind('/').map_or("", |at| &parts.name[..at]).to_owned();
        // Slots by signature; there are several if methods of other packages are not overridden.
        let mut slots_of: FxHashMap<SignatureId, Vec<u32>> = FxHashMap::default();
        let is_large = methods.len() > 32;
        if is_large {
            for (slot, entry) in vtable.iter().enumerate() {
                slots_of.entry(self.method(*entry).signature).or_default().push(slot as u32);
            }
        }
        let id = self.classes.next_class();
        let mut ids = Vec::with_capacity(methods.len());
        let mut initializer = None;
        for (index, method) in methods.into_iter().enumerate() {
            let method_id = self.classes.next_method();
            let signature = self.signature(&method.name, &method.descriptor);
            let Some((parameters, result)) = parse_kinds(&method.descriptor) else {
                return Err(Trap::Missing(parts.name.to_string()));
            };
            let is_static = method.access.is_static();
            let slots: u16 = parameters.iter().map(|k| k.slots()).sum();
            let mut virtual_slot = None;
            if &*method.name == "<clinit>" {
                initializer = (!skips_initializer(&parts.name)).then_some(method_id);
            } else if !is_static && !method.access.is_private() && !method.name.starts_with('<') {
                if is_interface {
                    // Interfaces have no vtable of their own; calls are found by signature.
                } else {
                    let slots = match is_large {
                        true => slots_of.get(&signature).cloned().unwrap_or_default(),
                        false if virtual_index.contains_key(&signature) => (0..vtable.len() as u32)
                            .filter(|s| self.method(vtable[*s as usize]).signature == signature)
                            .collect(),
                        false => Vec::new(),
                    };
                    let slot = self.classes.place(&mut vtable, &slots, method_id, (parts.loader, &package));
                    virtual_index.insert(signature, slot);
                    virtual_slot = Some(slot);
                }
            }
            let body = body_of(self, &parts, &method);
            let watched =
                &*method.name != "<clinit>" && self.listener.scope().includes(&parts.name, parts.from_jdk);
            self.classes.add_method(Method {
                id: method_id,
                class: id,
                index,
                name: method.name,
                descriptor: method.descriptor,
                signature,
                access: method.access,
                parameters,
                argument_slots: slots + !is_static as u16,
                result,
                virtual_index: virtual_slot,
                body,
                watched,
                reports: CallReports::default(),
            });
            ids.push(method_id);
        }
        register(self, |id| Class {
            id,
            name: parts.name,
            super_class: parts.super_class,
            interfaces: parts.interfaces,
            access: parts.access,
            kind: ClassKind::Instance,
            file: parts.file,
            fields: parts.fields,
            size: parts.size,
            static_size: parts.static_size,
            methods: ids,
            vtable,
            virtual_index,
            supertypes: supertypes.into_iter().chain([id]).collect(),
            initializer,
            from_jdk: parts.from_jdk,
            host: parts.host,
            loader: parts.loader,
        })?;
        if !is_interface {
            self.classes.inherit_interface_methods(id);
        }
        Ok(id)
    }
}

pub(super) fn register(machine: &mut Machine, make: impl FnOnce(ClassId) -> Class) -> Step<ClassId> {
    let id = machine.classes.next_class();
    let class = make(id);
    let entries = class.supertypes.len() + class.vtable.len() * 4;
    if !machine.classes.linkage.has_room(entries as u64) || id.0 >= MAX_CLASSES {
        return Err(Trap::Raise("java/lang/OutOfMemoryError", Some("Metaspace".into())));
    }
    machine.classes.names.add(&class);
    machine.classes.add_class(class);
    Ok(id)
}

pub(super) fn define(
    machine: &mut Machine,
    loader: Addr,
    file: Arc<ClassFile>,
    super_class: Option<ClassId>,
    interfaces: Vec<ClassId>,
) -> Step<ClassId> {
    let from_jdk = file.origin().is_jdk();
    let (fields, size, static_size) = lay_out(machine, &file, super_class)?;
    let methods: Vec<MethodParts> = file
        .methods
        .iter()
        .map(|m| MethodParts {
            name: m.name.clone(),
            descriptor: m.descriptor.clone(),
            access: m.access,
            has_code: m.has_code,
        })
        .collect();
    let parts = ClassParts {
        name: file.name.clone(),
        super_class,
        interfaces,
        access: file.access,
        fields,
        size,
        static_size,
        from_jdk,
        host: None,
        loader,
        file: Some(file),
    };
    machine.define_parts(parts, methods)
}

fn body_of(machine: &Machine, parts: &ClassParts, method: &MethodParts) -> MethodBody {
    if let Some(native) = machine.natives.find(&parts.name, &method.name, &method.descriptor, method.has_code)
    {
        return MethodBody::Native(native);
    }
    if method.access.is_native() {
        let set_up = crate::natives::set_up(&method.name, &method.descriptor).filter(|_| parts.from_jdk);
        return set_up.map_or(MethodBody::Missing, MethodBody::Native);
    }
    if method.access.is_abstract() || !method.has_code { MethodBody::Abstract } else { MethodBody::Bytecode }
}

fn lay_out(
    machine: &Machine,
    file: &ClassFile,
    super_class: Option<ClassId>,
) -> Step<(Vec<Field>, u16, u32)> {
    let mut size =
        super_class.map_or(OBJECT_HEADER as u16, |s| machine.class(s).size.max(OBJECT_HEADER as u16));
    let mut static_size = OBJECT_HEADER;
    let mut fields = Vec::with_capacity(file.fields.len());
    for field in file.fields.iter() {
        let is_static = field.access.is_static();
        let offset = if is_static { static_size as u16 } else { size };
        if is_static {
            static_size += 1;
        } else {
            size = size.checked_add(1).ok_or_else(|| {
                Trap::unsupported(format!("{}: objects of more than 65535 words", file.name))
            })?;
        }
        fields.push(Field {
            name: field.name.clone(),
            descriptor: field.descriptor.clone(),
            kind: Kind::of_descriptor(field.descriptor.as_bytes().first().copied().unwrap_or(b'L')),
            access: field.access,
            offset,
        });
    }
    // Fields that the machine adds to two JDK classes.
    if &*file.name == "java/lang/Class" {
        fields.push(hidden("cupping$id", "I", Kind::Int, size));
        size += 1;
    }
    if &*file.name == "java/lang/invoke/MemberName" || &*file.name == "java/lang/invoke/ResolvedMethodName" {
        fields.push(hidden("cupping$target", "J", Kind::Long, size));
        size += 1;
    }
    Ok((fields, size, static_size))
}

fn hidden(name: &str, descriptor: &str, kind: Kind, offset: u16) -> Field {
    Field { name: name.into(), descriptor: descriptor.into(), kind, access: AccessFlags::SYNTHETIC, offset }
}

/// Classes whose static initialisers set up JDK code that the machine replaces (`dynamic`).
fn skips_initializer(class: &str) -> bool {
    matches!(
        class,
        "java/lang/invoke/MethodHandle"
            | "java/lang/invoke/VarHandle"
            | "java/lang/invoke/CallSite"
            // Opens the JDK's image.
            | "sun/net/www/protocol/jrt/JavaRuntimeURLConnection"
    )
}
