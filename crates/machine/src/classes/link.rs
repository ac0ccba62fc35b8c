//! Loading and linking: class file → [`Class`], with field layout, vtable and supertypes (JVMS §5.3, §5.4).

use crate::classes::format::{LinkError, check_format};
use crate::classes::{
    Class, ClassId, ClassKind, Field, Kind, MethodId, SignatureId, Telling, parse_kinds, primitive_name,
};
use crate::exit::{Step, Trap};
use crate::heap::layout::{MAX_CLASSES, OBJECT_HEADER};
use crate::machine::{Body, Machine, Method};
use crate::memory::Addr;
use cupping_classfile::{AccessFlags, ClassFile, ClassFileError, descriptor};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Classes whose loading may be under way at a time, each waiting for a supertype.
const MAX_LOADING: usize = 256;
/// Entries of the tables of all classes (supertypes, methods); what a program may make us keep.
const MAX_TABLES: u64 = 1 << 28;

/// What is known of classes beside what they are: no state, as they are none.
#[derive(Default)]
pub(crate) struct Linkage {
    /// Classes whose supertypes are being loaded, the outermost first.
    loading: Vec<Arc<str>>,
    /// Why classes cannot be loaded, where it is not for being absent.
    unloadable: FxHashMap<Arc<str>, LinkError>,
    /// What came of verifying the classes that have been linked.
    pub(crate) linked: FxHashMap<ClassId, Option<LinkError>>,
    /// Methods that stand for defaults of which none is the most specific, with what calling them says.
    pub(crate) conflicts: FxHashMap<MethodId, String>,
    /// Classes of loaders of the program, on whatever path they were made.
    pub(crate) made: FxHashMap<(Addr, Arc<str>), ClassId>,
    /// The first of those by name, for what knows a name alone.
    foreign: FxHashMap<Arc<str>, ClassId>,
    /// Array classes of such elements.
    arrays: FxHashMap<ClassId, ClassId>,
    /// Entries of the tables of all classes.
    tables: u64,
}

/// Errors of loading that the same class meets again.
const LINKAGE_ERRORS: &[&str] = &[
    "java/lang/ClassFormatError",
    "java/lang/ClassCircularityError",
    "java/lang/IllegalAccessError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/NoClassDefFoundError",
    "java/lang/UnsupportedClassVersionError",
    "java/lang/VerifyError",
];

/// What Java throws for a file that cannot be read as a class.
pub(crate) fn file_error(name: &str, error: &ClassFileError) -> Trap {
    match error {
        ClassFileError::Damaged { .. } => Trap::Raise("java/lang/ClassFormatError", Some(error.to_string())),
        ClassFileError::UnsupportedVersion { .. } => {
            Trap::Raise("java/lang/UnsupportedClassVersionError", Some(error.to_string()))
        }
        ClassFileError::WrongName { found, .. } => {
            let message = format!("{name} (wrong name: {found})");
            Trap::Raise("java/lang/NoClassDefFoundError", Some(message))
        }
        _ => Trap::Missing(name.to_owned()),
    }
}

/// The flags of array classes, beside the visibility of their elements (JLS §10.8).
const ARRAY_FLAGS: AccessFlags = AccessFlags::PUBLIC.or(AccessFlags::FINAL).or(AccessFlags::ABSTRACT);

impl Machine {
    /// The loaded class of this internal name or array descriptor.
    ///
    /// # Errors
    /// [`Trap::Missing`] when it, or a supertype, is not there; [`Trap::Raise`] with a `LinkageError` when it
    /// is damaged or does not fit its supertypes. Either is remembered.
    pub fn load(&mut self, name: &str) -> Step<ClassId> {
        if let Some(id) = self.class_names.get(name) {
            return Ok(*id);
        }
        if self.beside.is_open
            && let Some(loaded) = self.load_beside(name)
        {
            return loaded;
        }
        if let Some((error, message)) = self.linkage.unloadable.get(name) {
            return Err(Trap::Raise(error, Some(message.clone())));
        }
        if self.unloadable.contains_key(name) {
            return self.load_foreign(name);
        }
        if name.starts_with('[') {
            return self.load_array(name).map_err(|trap| match trap {
                Trap::Missing(_) => Trap::Missing(name.to_owned()),
                other => other,
            });
        }
        let outcome = match self.program.find(name) {
            Ok(Some(file)) => self.load_file(file),
            Ok(None) => {
                self.unloadable.insert(name.into(), "not on the class path".into());
                return self.load_foreign(name);
            }
            Err(error) => {
                self.unloadable.insert(name.into(), error.to_string());
                Err(file_error(name, &error))
            }
        };
        if let Err(Trap::Raise(error, message)) = &outcome
            && LINKAGE_ERRORS.contains(error)
        {
            let message = message.clone().unwrap_or_default();
            self.unloadable.entry(name.into()).or_insert_with(|| message.clone());
            self.linkage.unloadable.insert(name.into(), (error, message));
        }
        outcome
    }

    /// The class of this name that some loader of the program made, for what knows a name alone.
    fn load_foreign(&self, name: &str) -> Step<ClassId> {
        self.linkage.foreign.get(name).copied().ok_or_else(|| Trap::Missing(name.to_owned()))
    }

    /// Makes a class of the bytes of a class file that the class path does not have.
    ///
    /// # Errors
    /// As [`Machine::load`]; `LinkageError` when there is a class of this name.
    pub fn define_bytes(&mut self, bytes: &[u8]) -> Step<ClassId> {
        self.define_class(bytes)
    }

    /// Loads a class from its file, its supertypes first.
    ///
    /// # Errors
    /// As [`Machine::load`].
    pub(crate) fn load_file(&mut self, file: Arc<ClassFile>) -> Step<ClassId> {
        self.load_file_by(0, file)
    }

    /// Loads a class in the name space of a loader.
    ///
    /// # Errors
    /// As [`Machine::load_for`].
    pub(crate) fn load_file_by(&mut self, loader: Addr, file: Arc<ClassFile>) -> Step<ClassId> {
        let trusted = file.origin().is_jdk();
        if !trusted {
            self.check_version(&file)?;
            check_format(&file).map_err(|(error, message)| Trap::Raise(error, Some(message)))?;
        }
        let supertypes = self.load_supertypes(loader, &file)?;
        let super_class = file.super_name.as_ref().map(|_| supertypes[0]);
        let interfaces = supertypes[super_class.is_some() as usize..].to_vec();
        if !trusted {
            self.check_supertypes(loader, &file, super_class, &interfaces)?;
        }
        self.define(loader, file, super_class, interfaces)
    }

    fn load_supertypes(&mut self, loader: Addr, file: &ClassFile) -> Step<Vec<ClassId>> {
        if self.linkage.loading.len() >= MAX_LOADING {
            return Err(Trap::Raise("java/lang/StackOverflowError", None));
        }
        self.linkage.loading.push(file.name.clone());
        let mut supertypes = Vec::new();
        let mut outcome = Ok(());
        for name in file.super_name.iter().chain(file.interfaces.iter()) {
            if self.linkage.loading.contains(name) {
                let message = Some(name.to_string());
                outcome = Err(Trap::Raise("java/lang/ClassCircularityError", message));
                break;
            }
            match self.load_by(loader, name, true) {
                Ok(class) => supertypes.push(class),
                Err(trap) => {
                    outcome = Err(trap);
                    break;
                }
            }
        }
        self.linkage.loading.pop();
        outcome.map(|()| supertypes)
    }

    /// The messages of classes that could not be loaded, by name.
    pub fn unloadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.unloadable.iter().map(|(name, why)| (&**name, why.as_str()))
    }

    /// The class of a field descriptor (`I`, `Ljava/lang/String;`, `[[J`).
    pub fn load_descriptor(&mut self, descriptor: &str) -> Step<ClassId> {
        match descriptor.as_bytes() {
            [b'[', ..] => self.load(descriptor),
            [letter] => self.load(primitive_name(*letter)),
            _ => match descriptor::class_name(descriptor) {
                Some(name) => self.load(name),
                None => Err(Trap::Missing(descriptor.to_owned())),
            },
        }
    }

    /// The array class whose elements are of this class.
    pub fn array_of(&mut self, element: ClassId) -> Step<ClassId> {
        if let Some(known) = self.linkage.arrays.get(&element) {
            return Ok(*known);
        }
        let name = match self.class(element).kind {
            ClassKind::Array { .. } => format!("[{}", self.class(element).name),
            ClassKind::Primitive(kind) => format!("[{}", kind.letter()),
            ClassKind::Instance => format!("[L{};", self.class(element).name),
        };
        if self.class(element).loader != 0 {
            return self.define_array(&name, element);
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

    fn load_array(&mut self, name: &str) -> Step<ClassId> {
        if name.bytes().take_while(|b| *b == b'[').count() > 255 {
            return Err(Trap::Missing(name.to_owned()));
        }
        let element = self.load_descriptor(&name[1..])?;
        if self.class(element).loader != 0 {
            return self.array_of(element);
        }
        self.define_array(name, element)
    }

    fn define_array(&mut self, name: &str, element: ClassId) -> Step<ClassId> {
        let kind = Kind::of_descriptor(name.as_bytes()[1]);
        if kind == Kind::Void {
            return Err(Trap::Missing(name.to_owned()));
        }
        let object = self.load("java/lang/Object")?;
        let interfaces = vec![self.load("java/lang/Cloneable")?, self.load("java/io/Serializable")?];
        let mut supertypes: FxHashSet<ClassId> =
            [object].into_iter().chain(interfaces.iter().copied()).collect();
        if kind == Kind::Reference {
            let mut wider: Vec<ClassId> = self.class(element).supertypes.iter().copied().collect();
            wider.sort_unstable();
            for super_element in wider {
                if super_element != element {
                    let array = self.array_of(super_element)?;
                    supertypes.insert(array);
                }
            }
        }
        let access = self.class(element).access.only(AccessFlags::VISIBILITY) | ARRAY_FLAGS;
        let (vtable, virtual_index) =
            (self.class(object).vtable.clone(), self.class(object).virtual_index.clone());
        let from_jdk = self.class(element).from_jdk;
        let loader = self.class(element).loader;
        self.register(|id| Class {
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

    /// Adds the class of a primitive type or of `void`.
    pub(crate) fn define_primitive(&mut self, name: &str, kind: Kind) -> Step<ClassId> {
        self.register(|id| Class {
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

    pub(crate) fn register(&mut self, make: impl FnOnce(ClassId) -> Class) -> Step<ClassId> {
        let id = ClassId(self.classes.len() as u32);
        let class = make(id);
        self.linkage.tables += (class.supertypes.len() + class.vtable.len() * 4) as u64;
        if id.0 >= MAX_CLASSES || self.linkage.tables > MAX_TABLES {
            return Err(Trap::Raise("java/lang/OutOfMemoryError", Some("Metaspace".into())));
        }
        match (class.loader, class.kind) {
            // What the machine makes has a name that nothing else has.
            (0, _) | (_, ClassKind::Instance) if class.loader == 0 || class.file.is_none() => {
                self.class_names.insert(class.name.clone(), id);
            }
            (_, ClassKind::Array { element, .. }) => {
                self.linkage.arrays.insert(element, id);
            }
            _ => {
                self.linkage.foreign.entry(class.name.clone()).or_insert(id);
            }
        }
        self.classes.push(class);
        Ok(id)
    }

    fn define(
        &mut self,
        loader: Addr,
        file: Arc<ClassFile>,
        super_class: Option<ClassId>,
        interfaces: Vec<ClassId>,
    ) -> Step<ClassId> {
        let from_jdk = file.origin().is_jdk();
        let (fields, size, static_size) = self.lay_out(&file, super_class)?;
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
        self.define_parts(parts, methods)
    }

    /// Makes a class of its parts, whether they come from a class file or from the machine.
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
        // Slots by signature; there are several where methods of other packages are not overridden.
        let mut slots_of: FxHashMap<SignatureId, Vec<u32>> = FxHashMap::default();
        let is_large = methods.len() > 32;
        if is_large {
            for (slot, entry) in vtable.iter().enumerate() {
                slots_of.entry(self.method(*entry).signature).or_default().push(slot as u32);
            }
        }
        let id = ClassId(self.classes.len() as u32);
        let mut ids = Vec::with_capacity(methods.len());
        let mut initializer = None;
        for (index, method) in methods.into_iter().enumerate() {
            let method_id = MethodId(self.methods.len() as u32);
            let signature = self.signature(&method.name, &method.descriptor);
            let Some((parameters, result)) = parse_kinds(&method.descriptor) else {
                return Err(Trap::Missing(parts.name.to_string()));
            };
            let is_static = method.access.is_static();
            let slots: u16 = parameters.iter().map(|k| k.slots()).sum();
            let mut virtual_slot = None;
            if &*method.name == "<clinit>" {
                initializer = (!crate::dynamic::skips_initializer(&parts.name)).then_some(method_id);
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
                    let slot = self.place(&mut vtable, &slots, method_id, (parts.loader, &package));
                    virtual_index.insert(signature, slot);
                    virtual_slot = Some(slot);
                }
            }
            let body = self.body_of(&parts, &method);
            let watched =
                &*method.name != "<clinit>" && self.watch_scope.includes(&parts.name, parts.from_jdk);
            self.methods.push(Method {
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
                telling: Telling::default(),
            });
            ids.push(method_id);
        }
        self.register(|id| Class {
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
            self.inherit_interface_methods(id);
        }
        Ok(id)
    }

    fn body_of(&self, parts: &ClassParts, method: &MethodParts) -> Body {
        if let Some(native) =
            self.natives.find(&parts.name, &method.name, &method.descriptor, method.has_code)
        {
            return Body::Native(native);
        }
        if method.access.is_native() {
            return Body::Missing;
        }
        if method.access.is_abstract() || !method.has_code { Body::Abstract } else { Body::Bytecode }
    }

    /// The vtable index for a method: that of the one it overrides (JVMS §5.4.5) among the slots of its
    /// signature, or a new one.
    fn place(
        &self,
        vtable: &mut Vec<MethodId>,
        slots: &[u32],
        method: MethodId,
        package: (Addr, &str),
    ) -> u32 {
        let mut first = None;
        for slot in slots {
            let entry = &mut vtable[*slot as usize];
            let other = &self.methods[entry.0 as usize];
            let owner = &self.classes[other.class.0 as usize];
            let visible = other.access.has_any(AccessFlags::PUBLIC | AccessFlags::PROTECTED)
                || (owner.loader, owner.package()) == package;
            if visible {
                *entry = method;
                first.get_or_insert(*slot);
            }
        }
        first.unwrap_or_else(|| {
            vtable.push(method);
            vtable.len() as u32 - 1
        })
    }

    /// Gives a class vtable entries for interface methods it does not have: the maximally specific
    /// default method if there is one (JVMS §5.4.3.3), else an abstract one.
    fn inherit_interface_methods(&mut self, class: ClassId) {
        let mut interfaces: Vec<ClassId> =
            self.class(class).supertypes.iter().copied().filter(|s| self.class(*s).is_interface()).collect();
        interfaces.sort_unstable();
        let mut best: Vec<(SignatureId, MethodId)> = Vec::new();
        let mut place_of: FxHashMap<SignatureId, usize> = FxHashMap::default();
        let mut rivals: Vec<SignatureId> = Vec::new();
        for interface in interfaces.iter().copied() {
            for method in self.class(interface).methods.clone() {
                let candidate = self.method(method);
                if candidate.is_static() || candidate.is_private() || candidate.name.starts_with('<') {
                    continue;
                }
                let signature = candidate.signature;
                if let Some(slot) = self.class(class).virtual_index.get(&signature) {
                    let present = self.method(self.class(class).vtable[*slot as usize]);
                    if !self.class(present.class).is_interface() {
                        continue;
                    }
                }
                match place_of.get(&signature).map(|place| &mut best[*place].1) {
                    Some(chosen) => {
                        let old = &self.methods[chosen.0 as usize];
                        let narrower = self.class(interface).supertypes.contains(&old.class);
                        let unrelated = !self.class(old.class).supertypes.contains(&interface);
                        if !narrower && unrelated && !old.is_abstract() && !candidate.is_abstract() {
                            rivals.push(signature);
                        }
                        if narrower || (unrelated && old.is_abstract() && !candidate.is_abstract()) {
                            *chosen = method;
                        }
                    }
                    None => {
                        place_of.insert(signature, best.len());
                        best.push((signature, method));
                    }
                }
            }
        }
        for (signature, method) in best {
            let method = match rivals.contains(&signature) {
                true => self.most_specific(signature, method, &interfaces),
                false => method,
            };
            let class = &mut self.classes[class.0 as usize];
            match class.virtual_index.get(&signature) {
                Some(slot) => class.vtable[*slot as usize] = method,
                None => {
                    class.virtual_index.insert(signature, class.vtable.len() as u32);
                    class.vtable.push(method);
                }
            }
        }
    }

    /// The only most specific default of a signature; a method that says that there are several (JVMS §5.4.3.3).
    fn most_specific(
        &mut self,
        signature: SignatureId,
        chosen: MethodId,
        interfaces: &[ClassId],
    ) -> MethodId {
        let declared: Vec<MethodId> = interfaces
            .iter()
            .flat_map(|interface| &self.class(*interface).methods)
            .copied()
            .filter(|m| self.method(*m).signature == signature)
            .filter(|m| !self.method(*m).is_static() && !self.method(*m).is_private())
            .collect();
        let is_overridden = |method: MethodId| {
            let owner = self.method(method).class;
            declared.iter().any(|other| {
                let other = self.method(*other).class;
                other != owner && self.class(other).supertypes.contains(&owner)
            })
        };
        let specific: Vec<MethodId> = declared
            .iter()
            .copied()
            .filter(|m| !self.method(*m).is_abstract() && !is_overridden(*m))
            .collect();
        if specific.len() < 2 {
            return specific.first().copied().unwrap_or(chosen);
        }
        let names = specific
            .iter()
            .map(|m| format!(" {}.{}", self.external_name(self.method(*m).class), self.method(*m).name));
        let message = format!("Conflicting default methods:{}", names.collect::<String>());
        let mut none = self.method(specific[0]).clone();
        none.id = MethodId(self.methods.len() as u32);
        none.access = none.access | AccessFlags::ABSTRACT;
        none.body = Body::Abstract;
        self.linkage.conflicts.insert(none.id, message);
        self.methods.push(none);
        MethodId(self.methods.len() as u32 - 1)
    }

    fn lay_out(&self, file: &ClassFile, super_class: Option<ClassId>) -> Step<(Vec<Field>, u16, u32)> {
        let mut size =
            super_class.map_or(OBJECT_HEADER as u16, |s| self.class(s).size.max(OBJECT_HEADER as u16));
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
        // The machine's own fields in two classes of the JDK.
        if &*file.name == "java/lang/Class" {
            fields.push(hidden("cupping$id", "I", Kind::Int, size));
            size += 1;
        }
        if &*file.name == "java/lang/invoke/MemberName"
            || &*file.name == "java/lang/invoke/ResolvedMethodName"
        {
            fields.push(hidden("cupping$target", "J", Kind::Long, size));
            size += 1;
        }
        Ok((fields, size, static_size))
    }

    /// The interned pair of name and descriptor.
    pub fn signature(&mut self, name: &Arc<str>, descriptor: &Arc<str>) -> SignatureId {
        let next = SignatureId(self.signatures.len() as u32);
        *self.signatures.entry((name.clone(), descriptor.clone())).or_insert(next)
    }

    /// Whether every value of `class` is one of `target`.
    #[inline]
    pub fn is_subtype(&self, class: ClassId, target: ClassId) -> bool {
        class == target || self.class(class).supertypes.contains(&target)
    }

    /// The method of this name and descriptor that `class` declares.
    pub fn declared_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.class(class).methods.iter().copied().find(|m| {
            let method = self.method(*m);
            &*method.name == name && &*method.descriptor == descriptor
        })
    }

    /// Method resolution (JVMS §5.4.3.3, §5.4.3.4): the class, its superclasses, then its interfaces.
    pub fn find_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let mut at = Some(class);
        while let Some(id) = at {
            if let Some(found) = self.declared_method(id, name, descriptor) {
                return Some(found);
            }
            at = self.class(id).super_class;
        }
        let mut interfaces: Vec<ClassId> =
            self.class(class).supertypes.iter().copied().filter(|s| self.class(*s).is_interface()).collect();
        interfaces.sort_unstable();
        let mut chosen: Option<MethodId> = None;
        for interface in interfaces {
            let Some(found) = self.declared_method(interface, name, descriptor) else { continue };
            let method = self.method(found);
            if interface != class && (method.is_static() || method.is_private()) {
                continue;
            }
            chosen = Some(match chosen {
                Some(old) if self.is_subtype(self.method(old).class, interface) => old,
                Some(old)
                    if !self.is_subtype(interface, self.method(old).class)
                        && !self.method(old).is_abstract() =>
                {
                    old
                }
                _ => found,
            });
        }
        chosen.or_else(|| {
            // Interfaces see Object's methods.
            let object = *self.class_names.get("java/lang/Object")?;
            self.class(class).is_interface().then(|| self.declared_method(object, name, descriptor)).flatten()
        })
    }

    /// Field resolution (JVMS §5.4.3.2): the declaring class and the index of the field in it.
    pub fn find_field(&self, class: ClassId, name: &str, descriptor: &str) -> Option<(ClassId, usize)> {
        let mut at = Some(class);
        while let Some(id) = at {
            let fields = &self.class(id).fields;
            if let Some(index) = fields.iter().position(|f| &*f.name == name && &*f.descriptor == descriptor)
            {
                return Some((id, index));
            }
            for interface in &self.class(id).interfaces {
                if let Some(found) = self.find_field(*interface, name, descriptor) {
                    return Some(found);
                }
            }
            at = self.class(id).super_class;
        }
        None
    }

    /// The word offset of an instance field by name alone, for the machine's own use.
    pub fn field_offset(&self, class: ClassId, name: &str) -> Option<u32> {
        let mut at = Some(class);
        while let Some(id) = at {
            if let Some(field) = self.class(id).fields.iter().find(|f| &*f.name == name && !f.is_static()) {
                return Some(field.offset as u32);
            }
            at = self.class(id).super_class;
        }
        None
    }

    /// The method that a virtual or interface call of `method` on a receiver of `class` runs (JVMS §5.4.6).
    pub fn select(&mut self, class: ClassId, method: MethodId) -> MethodId {
        let resolved = self.method(method);
        if resolved.is_private() {
            return method;
        }
        if let Some(index) = resolved.virtual_index {
            return self.class(class).vtable.get(index as usize).copied().unwrap_or(method);
        }
        if let Some(found) = self.interface_calls.get(&(class, method)) {
            return *found;
        }
        let slot = self.class(class).virtual_index.get(&resolved.signature).copied();
        let found = slot.map_or(method, |slot| self.class(class).vtable[slot as usize]);
        self.interface_calls.insert((class, method), found);
        found
    }
}

/// What a class is made of.
pub(crate) struct ClassParts {
    pub(crate) name: Arc<str>,
    pub(crate) super_class: Option<ClassId>,
    pub(crate) interfaces: Vec<ClassId>,
    pub(crate) access: AccessFlags,
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u16,
    pub(crate) static_size: u32,
    pub(crate) from_jdk: bool,
    pub(crate) host: Option<ClassId>,
    pub(crate) loader: Addr,
    pub(crate) file: Option<Arc<ClassFile>>,
}

/// What a method is made of.
pub(crate) struct MethodParts {
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) access: AccessFlags,
    pub(crate) has_code: bool,
}

fn hidden(name: &str, descriptor: &str, kind: Kind, offset: u16) -> Field {
    Field { name: name.into(), descriptor: descriptor.into(), kind, access: AccessFlags::SYNTHETIC, offset }
}

impl Machine {
    /// Whether `class` is, or is below, the class of this name; `false` when none of that name is loaded.
    pub fn is_named_subtype(&self, class: ClassId, name: &str) -> bool {
        self.class_names.get(name).is_some_and(|target| self.is_subtype(class, *target))
    }
}
