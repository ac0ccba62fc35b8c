//! Looking up methods, fields and subtypes (JVMS §5.4.3).

use super::ids::{ClassId, MethodId};
use super::table::ClassTable;

impl<N> ClassTable<N> {
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
        let is_interface = self.class(class).is_interface();
        // Of `Object`, an interface has the public methods only: it may inherit a `clone` of its own.
        let is_seen = |id: ClassId, found: MethodId| {
            id == class
                || !is_interface
                || (self.method(found).access.is_public() && !self.method(found).is_static())
        };
        while let Some(id) = at {
            if let Some(found) =
                self.declared_method(id, name, descriptor).filter(|found| is_seen(id, *found))
            {
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
            let object = self.names.get("java/lang/Object")?;
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

    /// Whether `class` is, or is below, the class of this name; `false` when none of that name is loaded.
    pub fn is_named_subtype(&self, class: ClassId, name: &str) -> bool {
        self.names.get(name).is_some_and(|target| self.is_subtype(class, target))
    }
}
