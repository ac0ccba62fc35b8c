//! Array classes and the classes of primitive types.

use crate::classes::define;
use crate::classes::{Class, ClassId, ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::AccessFlags;
use rustc_hash::{FxHashMap, FxHashSet};

/// The flags of array classes, in addition to the visibility of their elements (JLS §10.8).
const ARRAY_FLAGS: AccessFlags = AccessFlags::PUBLIC.or(AccessFlags::FINAL).or(AccessFlags::ABSTRACT);

impl Machine {
    /// The array class whose elements are of this class.
    pub fn array_of(&mut self, element: ClassId) -> Step<ClassId> {
        if let Some(known) = self.classes.names.array_of(element) {
            return Ok(known);
        }
        let name = match self.class(element).kind {
            ClassKind::Array { .. } => format!("[{}", self.class(element).name),
            ClassKind::Primitive(kind) => format!("[{}", kind.letter()),
            ClassKind::Instance => format!("[L{};", self.class(element).name),
        };
        if self.class(element).loader != 0 {
            return define_array(self, &name, element);
        }
        self.load(&name)
    }

    /// The descriptor of a class as a field type.
    pub fn descriptor_of(&self, class: ClassId) -> String {
        let class = self.class(class);
        match class.kind {
            ClassKind::Array { .. } => class.name.to_string(),
            ClassKind::Primitive(kind) => kind.letter().to_string(),
            ClassKind::Instance => format!("L{};", class.name),
        }
    }

    /// Adds the class of a primitive type or of `void`.
    pub(crate) fn define_primitive(&mut self, name: &str, kind: Kind) -> Step<ClassId> {
        define::register(self, |id| Class {
            id,
            name: name.into(),
            super_class: None,
            interfaces: Vec::new(),
            access: ARRAY_FLAGS,
            kind: ClassKind::Primitive(kind),
            file: None,
            fields: Vec::new(),
            size: 0,
            static_size: 1,
            methods: Vec::new(),
            vtable: Vec::new(),
            virtual_index: FxHashMap::default(),
            supertypes: [id].into_iter().collect(),
            initializer: None,
            from_jdk: true,
            host: None,
            loader: 0,
        })
    }
}

pub(super) fn load_array(machine: &mut Machine, name: &str) -> Step<ClassId> {
    if name.bytes().take_while(|b| *b == b'[').count() > 255 {
        return Err(Trap::Missing(name.to_owned()));
    }
    let element = machine.load_descriptor(&name[1..])?;
    if machine.class(element).loader != 0 {
        return machine.array_of(element);
    }
    define_array(machine, name, element)
}

fn define_array(machine: &mut Machine, name: &str, element: ClassId) -> Step<ClassId> {
    let kind = Kind::of_descriptor(name.as_bytes()[1]);
    if kind == Kind::Void {
        return Err(Trap::Missing(name.to_owned()));
    }
    let object = machine.load("java/lang/Object")?;
    let interfaces = vec![machine.load("java/lang/Cloneable")?, machine.load("java/io/Serializable")?];
    let mut supertypes: FxHashSet<ClassId> = [object].into_iter().chain(interfaces.iter().copied()).collect();
    if kind == Kind::Reference {
        let mut wider: Vec<ClassId> = machine.class(element).supertypes.iter().copied().collect();
        wider.sort_unstable();
        for super_element in wider {
            if super_element != element {
                let array = machine.array_of(super_element)?;
                supertypes.insert(array);
            }
        }
    }
    let access = machine.class(element).access.only(AccessFlags::VISIBILITY) | ARRAY_FLAGS;
    let (vtable, virtual_index) =
        (machine.class(object).vtable.clone(), machine.class(object).virtual_index.clone());
    let from_jdk = machine.class(element).from_jdk;
    let loader = machine.class(element).loader;
    define::register(machine, |id| Class {
        id,
        name: name.into(),
        super_class: Some(object),
        interfaces,
        access,
        kind: ClassKind::Array { element, kind },
        file: None,
        fields: Vec::new(),
        size: 0,
        static_size: 1,
        methods: Vec::new(),
        vtable,
        virtual_index,
        supertypes: supertypes.into_iter().chain([id]).collect(),
        initializer: None,
        from_jdk,
        host: None,
        loader,
    })
}
