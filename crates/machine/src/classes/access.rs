//! Checks of linking and of access (JVMS §5.3.5, §5.4.1, §5.4.4) for classes that are not trusted.
//!
//! The JDK's own classes, and code that the machine makes, are not checked: they were compiled together.

use crate::classes::format::LinkError;
use crate::classes::modules::places;
use crate::classes::{ClassId, ClassKind, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::verify::Verification;
use cupping_classfile::{AccessFlags, ClassFile, FieldType, Invocation};

const PUBLIC: AccessFlags = AccessFlags::PUBLIC;
const PRIVATE: AccessFlags = AccessFlags::PRIVATE;
const PROTECTED: AccessFlags = AccessFlags::PROTECTED;
const STATIC: AccessFlags = AccessFlags::STATIC;

fn raise<T>(error: &'static str, message: String) -> Step<T> {
    Err(Trap::Raise(error, Some(message)))
}

impl Machine {
    /// Links a class: its supertypes, then itself, are verified. What fails once fails again.
    ///
    /// # Errors
    /// `VerifyError` and what else [`Machine::verify_class`] raises.
    pub(crate) fn link_class(&mut self, class: ClassId) -> Step<()> {
        if self.class(class).from_jdk || self.class(class).file.is_none() {
            return Ok(());
        }
        if self.classes.linkage.outcome(class).is_some() {
            return self.link_alone(class);
        }
        // Supertypes first; a loop, since programs can make the chain long.
        let mut above: Vec<ClassId> = self.class(class).supertypes.iter().copied().collect();
        above.retain(|c| *c != class && !self.class(*c).from_jdk);
        above.sort_unstable();
        for supertype in above {
            self.link_alone(supertype)?;
        }
        self.link_alone(class)
    }

    fn link_alone(&mut self, class: ClassId) -> Step<()> {
        match self.classes.linkage.outcome(class) {
            Some(None) => return Ok(()),
            Some(Some((error, message))) => return raise(error, message.clone()),
            None => {}
        }
        let outcome = self.verify_class(class, Verification::ByVersion);
        let known: Option<LinkError> = match &outcome {
            Ok(()) => None,
            Err(Trap::Raise(error, message)) => Some((error, message.clone().unwrap_or_default())),
            Err(_) => return outcome,
        };
        self.classes.linkage.set_outcome(class, known);
        outcome
    }

    /// Versions beyond that of the class library are for later JDKs.
    pub(crate) fn check_version(&self, file: &ClassFile) -> Step<()> {
        let newest = self.program.jdk().feature_version() + 44;
        if file.major_version <= newest {
            return Ok(());
        }
        raise(
            "java/lang/UnsupportedClassVersionError",
            format!(
                "{} has been compiled by a more recent version of the Java Runtime (class file version {}.{}), this \
                 version of the Java Runtime only recognizes class file versions up to {newest}.0",
                file.name, file.major_version, file.minor_version
            ),
        )
    }

    /// Whether a class may have these supertypes.
    pub(crate) fn check_supertypes(
        &self,
        loader: Addr,
        file: &ClassFile,
        super_class: Option<ClassId>,
        interfaces: &[ClassId],
    ) -> Step<()> {
        const CHANGE: &str = "java/lang/IncompatibleClassChangeError";
        let name = file.name.replace('/', ".");
        if let Some(parent) = super_class {
            let above = self.class(parent);
            let above_name = above.name.replace('/', ".");
            if above.is_interface() {
                return raise(CHANGE, format!("class {name} has interface {above_name} as super class"));
            }
            if above.access.is_final() {
                return raise(CHANGE, format!("class {name} cannot inherit from final class {above_name}"));
            }
            self.check_sealed(file, parent, "class")?;
            if !self.is_visible_to(loader, parent, file) {
                let message = format!("class {name} cannot access its superclass {above_name}");
                return raise("java/lang/IllegalAccessError", message);
            }
        }
        for interface in interfaces {
            let above = self.class(*interface);
            let above_name = above.name.replace('/', ".");
            if !above.is_interface() {
                return raise(
                    CHANGE,
                    format!("class {name} can not implement {above_name}, because it is not an interface"),
                );
            }
            self.check_sealed(file, *interface, "interface")?;
            if !self.is_visible_to(loader, *interface, file) {
                let kind = if file.access.is_interface() { "interface" } else { "class" };
                let message = format!("{kind} {name} cannot access its superinterface {above_name}");
                return raise("java/lang/IllegalAccessError", message);
            }
        }
        self.check_overriding(loader, file, super_class)
    }

    fn check_sealed(&self, file: &ClassFile, above: ClassId, kind: &str) -> Step<()> {
        let above = self.class(above);
        let Some(permitted) = above.file.as_ref().map(|f| &f.permitted_subclasses) else { return Ok(()) };
        if permitted.is_empty() || permitted.contains(&file.name) {
            return Ok(());
        }
        let (name, above) = (file.name.replace('/', "."), above.name.replace('/', "."));
        let verb = if kind == "class" { "inherit from" } else { "implement" };
        let message = format!("class {name} cannot {verb} sealed {kind} {above}");
        raise("java/lang/IncompatibleClassChangeError", message)
    }

    fn is_visible_to(&self, loader: Addr, above: ClassId, file: &ClassFile) -> bool {
        let above = self.class(above);
        above.access.is_public() || (above.loader == loader && above.package() == package_of(&file.name))
    }

    /// No method may override a final one.
    fn check_overriding(&self, loader: Addr, file: &ClassFile, super_class: Option<ClassId>) -> Step<()> {
        let Some(parent) = super_class.map(|class| self.class(class)) else { return Ok(()) };
        for method in file.methods.iter().filter(|m| !m.access.has_any(PRIVATE | STATIC)) {
            let signature = (method.name.clone(), method.descriptor.clone());
            let slot = self.classes.known_signature(&signature).and_then(|s| parent.virtual_index.get(&s));
            let Some(overridden) = slot.map(|slot| self.method(parent.vtable[*slot as usize])) else {
                continue;
            };
            let owner = self.class(overridden.class);
            let seen = overridden.access.has_any(PUBLIC | PROTECTED)
                || !overridden.access.is_private()
                    && owner.loader == loader
                    && owner.package() == package_of(&file.name);
            if overridden.access.is_final() && seen {
                let message = format!(
                    "class {} overrides final method {}.{}{}",
                    file.name.replace('/', "."),
                    owner.name.replace('/', "."),
                    method.name,
                    method.descriptor
                );
                return raise("java/lang/IncompatibleClassChangeError", message);
            }
        }
        Ok(())
    }

    /// Whether two classes are in one run-time package.
    pub(crate) fn same_package(&self, one: ClassId, other: ClassId) -> bool {
        let (one, other) = (self.class(one), self.class(other));
        one.from_jdk == other.from_jdk && one.loader == other.loader && one.package() == other.package()
    }

    /// `IncompatibleClassChangeError` where a method is looked up in an interface as if it were a class, or the
    /// other way round (JVMS §5.4.3.3, §5.4.3.4).
    pub(crate) fn check_kind(
        &self,
        class: ClassId,
        how: Invocation,
        as_interface: bool,
        name: &str,
        descriptor: &str,
    ) -> Step<()> {
        let found = self.class(class);
        if found.is_interface() == as_interface || found.from_jdk {
            return Ok(());
        }
        let class = found.name.replace('/', ".");
        let message = match (how, as_interface) {
            (Invocation::Virtual, false) => format!("Found interface {class}, but class was expected"),
            (Invocation::Interface, true) => format!("Found class {class}, but interface was expected"),
            _ => format!(
                "Method '{}' must be {} constant",
                external_signature(&class, name, descriptor),
                if as_interface { "Methodref" } else { "InterfaceMethodref" }
            ),
        };
        raise("java/lang/IncompatibleClassChangeError", message)
    }

    /// The method that a call through an interface runs. That the receiver implements the interface is known
    /// here first: the verifier takes interfaces for `Object`.
    pub(crate) fn select_implementation(&mut self, class: ClassId, method: MethodId) -> Step<MethodId> {
        let owner = self.method(method).class;
        if self.class(owner).is_interface() && !self.is_subtype(class, owner) {
            let (a, b) = (self.class(class).name.replace('/', "."), self.class(owner).name.replace('/', "."));
            let message = format!("Class {a} does not implement the requested interface {b}");
            return raise("java/lang/IncompatibleClassChangeError", message);
        }
        let found = self.select(class, method);
        let selected = self.method(found);
        if !selected.access.has_any(PUBLIC | PRIVATE) && !self.class(selected.class).from_jdk {
            return raise("java/lang/IllegalAccessError", format!("'{}'", self.external_method(found)));
        }
        Ok(found)
    }

    /// A method as messages write it, without the quotes.
    pub(crate) fn external_method(&self, method: MethodId) -> String {
        let method = self.method(method);
        external_signature(&self.external_name(method.class), &method.name, &method.descriptor)
    }

    /// What a call of a method without code throws: `receiver` is the object that it was called on, `resolved`
    /// what the caller named, `by_interface` whether it was called by `invokeinterface`.
    pub(crate) fn abstract_method_error(
        &self,
        selected: MethodId,
        receiver: Option<ClassId>,
        by_interface: bool,
    ) -> Trap {
        let abstract_error = |message| Trap::Raise("java/lang/AbstractMethodError", Some(message));
        let (method, Some(receiver)) = (self.method(selected), receiver) else {
            return abstract_error(format!("'{}'", self.external_method(selected)));
        };
        let is_new = self.program.jdk().feature_version() > 17;
        let owner = self.class(method.class);
        if let Some(conflict) = self.classes.conflict(selected)
            && (is_new || !by_interface)
        {
            return Trap::Raise("java/lang/IncompatibleClassChangeError", Some(conflict.to_owned()));
        }
        let name = self.external_name(receiver);
        if owner.is_interface() && (is_new || !by_interface) {
            return abstract_error(format!("Method {name}.{}{} is abstract", method.name, method.descriptor));
        }
        let kind = match owner.is_interface() {
            true => "interface",
            false if owner.is_abstract() => "abstract class",
            false => "class",
        };
        let shown = external_signature("", &method.name, &method.descriptor).replacen(" .", " ", 1);
        let shown = if method.is_abstract() && self.classes.conflict(selected).is_none() {
            format!("abstract {shown}")
        } else {
            shown
        };
        abstract_error(format!(
            "Receiver class {name} does not define or inherit an implementation of the resolved method '{shown}' of \
             {kind} {}.",
            self.external_name(method.class)
        ))
    }

    /// Whether code of a class is trusted, as the JDK's is and what the machine makes.
    fn is_unchecked(&self, from: ClassId) -> bool {
        let class = self.class(from);
        class.from_jdk || class.file.is_none()
    }

    /// `IllegalAccessError` unless code of `from` may name the class.
    pub(crate) fn check_class_access(&self, from: ClassId, class: ClassId) -> Step<()> {
        if self.is_unchecked(from) {
            return Ok(());
        }
        let mut element = class;
        while let ClassKind::Array { element: inner, .. } = self.class(element).kind {
            element = inner;
        }
        let target = self.class(element);
        if target.access.is_public()
            || matches!(target.kind, ClassKind::Primitive(_))
            || self.same_package(from, element)
        {
            return Ok(());
        }
        let (a, b) = (self.class(from).name.replace('/', "."), target.name.replace('/', "."));
        let message = format!("failed to access class {b} from class {a} ({})", places(self, element, from));
        raise("java/lang/IllegalAccessError", message)
    }

    /// `IllegalAccessError` unless code of `from` may use the field that `named` was found to have.
    pub(crate) fn check_field_access(
        &mut self,
        from: ClassId,
        named: ClassId,
        owner: ClassId,
        at: usize,
    ) -> Step<()> {
        let access = self.class(owner).fields[at].access;
        if self.is_member_visible(from, named, owner, access)? {
            return Ok(());
        }
        let (a, b) = (self.class(from).name.replace('/', "."), self.class(owner).name.replace('/', "."));
        let field = &self.class(owner).fields[at].name;
        let message = format!(
            "class {a} tried to access {}field {b}.{field} ({})",
            keyword(access),
            places(self, from, owner)
        );
        raise("java/lang/IllegalAccessError", message)
    }

    /// `IllegalAccessError` unless code of `from` may call the method that `named` was found to have.
    pub(crate) fn check_method_access(
        &mut self,
        from: ClassId,
        named: ClassId,
        method: MethodId,
    ) -> Step<()> {
        let (access, owner) = (self.method(method).access, self.method(method).class);
        // Arrays have a public clone().
        let is_clone =
            &*self.method(method).name == "clone" && !matches!(self.class(named).kind, ClassKind::Instance);
        if is_clone || self.is_member_visible(from, named, owner, access)? {
            return Ok(());
        }
        let (a, b) = (self.class(from).name.replace('/', "."), self.class(owner).name.replace('/', "."));
        let shown = external_signature(&b, &self.method(method).name, &self.method(method).descriptor);
        let message = format!(
            "class {a} tried to access {}method '{shown}' ({})",
            keyword(access),
            places(self, from, owner)
        );
        raise("java/lang/IllegalAccessError", message)
    }

    /// JVMS §5.4.4.
    fn is_member_visible(
        &mut self,
        from: ClassId,
        named: ClassId,
        owner: ClassId,
        access: AccessFlags,
    ) -> Step<bool> {
        if self.is_unchecked(from) || access.is_public() || from == owner {
            return Ok(true);
        }
        if access.is_private() {
            return Ok(self.host_of_nest(from)? == self.host_of_nest(owner)?);
        }
        if self.same_package(from, owner) {
            return Ok(true);
        }
        let related = |m: &Machine| m.is_subtype(named, from) || m.is_subtype(from, named);
        Ok(access.is_protected() && self.is_subtype(from, owner) && (access.is_static() || related(self)))
    }

    /// The host of a class's nest; itself where its host does not know it (JVMS §5.4.4).
    fn host_of_nest(&mut self, class: ClassId) -> Step<ClassId> {
        match self.hidden_nest(class) {
            Some(host) if host == class => return Ok(class),
            Some(host) => return self.host_of_nest(host),
            None => {}
        }
        let Some(file) = self.class(class).file.clone() else { return Ok(class) };
        let Some(host) = &file.nest_host else { return Ok(class) };
        let Ok(host) = self.load(host) else { return Ok(class) };
        let knows = self.class(host).file.as_ref().is_some_and(|h| h.nest_members.contains(&file.name));
        Ok(if knows && self.same_package(host, class) { host } else { class })
    }

    /// `IllegalAccessError` where code writes a final field that is not its own, or not in an initialiser
    /// (JVMS §6.5 `putfield`, `putstatic`).
    pub(crate) fn check_final_write(
        &self,
        from: ClassId,
        within: &str,
        owner: ClassId,
        at: usize,
    ) -> Step<()> {
        let field = &self.class(owner).fields[at];
        if !field.access.is_final() || self.is_unchecked(from) {
            return Ok(());
        }
        let (a, b) = (self.class(from).name.replace('/', "."), self.class(owner).name.replace('/', "."));
        let is_static = field.access.is_static();
        let kind = if is_static { "static final" } else { "non-static final" };
        if from != owner {
            let message = format!(
                "Update to {kind} field {b}.{} attempted from a different class ({a}) than the field's declaring class",
                field.name
            );
            return raise("java/lang/IllegalAccessError", message);
        }
        let initializer = if is_static { "<clinit>" } else { "<init>" };
        let is_old = self.class(from).file.as_ref().is_some_and(|f| f.major_version < 53);
        if is_old || within == initializer {
            return Ok(());
        }
        let message = format!(
            "Update to {kind} field {b}.{} attempted from a different method ({within}) than the initializer method \
             {initializer} ",
            field.name
        );
        raise("java/lang/IllegalAccessError", message)
    }
}

fn package_of(name: &str) -> &str {
    name.rfind('/').map_or("", |at| &name[..at])
}

/// The flag of access as messages name it.
fn keyword(access: AccessFlags) -> &'static str {
    match access.only(AccessFlags::VISIBILITY) {
        PRIVATE => "private ",
        PROTECTED => "protected ",
        PUBLIC => "public ",
        _ => "",
    }
}

/// A method as messages write it: `void Foo.bar(int)`.
pub(crate) fn external_signature(class: &str, name: &str, descriptor: &str) -> String {
    let Some(parsed) = cupping_classfile::MethodDescriptor::parse(descriptor) else {
        return format!("{class}.{name}{descriptor}");
    };
    let parameters: Vec<String> = parsed.parameters.iter().map(FieldType::java_name).collect();
    let result = parsed.result.as_ref().map_or("void".into(), FieldType::java_name);
    format!("{result} {class}.{name}({})", parameters.join(", "))
}
