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
            return link_alone(self, class);
        }
        // Supertypes first; a loop, since programs can make the chain long.
        let mut above: Vec<ClassId> = self.class(class).supertypes.iter().copied().collect();
        above.retain(|c| *c != class && !self.class(*c).from_jdk);
        above.sort_unstable();
        for supertype in above {
            link_alone(self, supertype)?;
        }
        link_alone(self, class)
    }

    /// Whether two classes are in one run-time package.
    pub(crate) fn same_package(&self, one: ClassId, other: ClassId) -> bool {
        let (one, other) = (self.class(one), self.class(other));
        one.from_jdk == other.from_jdk && one.loader == other.loader && one.package() == other.package()
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
}

fn link_alone(machine: &mut Machine, class: ClassId) -> Step<()> {
    match machine.classes.linkage.outcome(class) {
        Some(None) => return Ok(()),
        Some(Some((error, message))) => return raise(error, message.clone()),
        None => {}
    }
    let outcome = machine.verify_class(class, Verification::ByVersion);
    let known: Option<LinkError> = match &outcome {
        Ok(()) => None,
        Err(Trap::Raise(error, message)) => Some((error, message.clone().unwrap_or_default())),
        Err(_) => return outcome,
    };
    machine.classes.linkage.set_outcome(class, known);
    outcome
}

/// Versions beyond that of the class library are for later JDKs.
pub(super) fn check_version(machine: &Machine, file: &ClassFile) -> Step<()> {
    let newest = machine.program.jdk().feature_version() + 44;
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
pub(super) fn check_supertypes(
    machine: &Machine,
    loader: Addr,
    file: &ClassFile,
    super_class: Option<ClassId>,
    interfaces: &[ClassId],
) -> Step<()> {
    const CHANGE: &str = "java/lang/IncompatibleClassChangeError";
    let name = file.name.replace('/', ".");
    if let Some(parent) = super_class {
        let above = machine.class(parent);
        let above_name = above.name.replace('/', ".");
        if above.is_interface() {
            return raise(CHANGE, format!("class {name} has interface {above_name} as super class"));
        }
        if above.access.is_final() {
            return raise(CHANGE, format!("class {name} cannot inherit from final class {above_name}"));
        }
        check_sealed(machine, file, parent, "class")?;
        if !is_visible_to(machine, loader, parent, file) {
            let message = format!("class {name} cannot access its superclass {above_name}");
            return raise("java/lang/IllegalAccessError", message);
        }
    }
    for interface in interfaces {
        let above = machine.class(*interface);
        let above_name = above.name.replace('/', ".");
        if !above.is_interface() {
            return raise(
                CHANGE,
                format!("class {name} can not implement {above_name}, because it is not an interface"),
            );
        }
        check_sealed(machine, file, *interface, "interface")?;
        if !is_visible_to(machine, loader, *interface, file) {
            let kind = if file.access.is_interface() { "interface" } else { "class" };
            let message = format!("{kind} {name} cannot access its superinterface {above_name}");
            return raise("java/lang/IllegalAccessError", message);
        }
    }
    check_overriding(machine, loader, file, super_class)
}

fn check_sealed(machine: &Machine, file: &ClassFile, above: ClassId, kind: &str) -> Step<()> {
    let above = machine.class(above);
    let Some(permitted) = above.file.as_ref().map(|f| &f.permitted_subclasses) else { return Ok(()) };
    if permitted.is_empty() || permitted.contains(&file.name) {
        return Ok(());
    }
    let (name, above) = (file.name.replace('/', "."), above.name.replace('/', "."));
    let verb = if kind == "class" { "inherit from" } else { "implement" };
    let message = format!("class {name} cannot {verb} sealed {kind} {above}");
    raise("java/lang/IncompatibleClassChangeError", message)
}

fn is_visible_to(machine: &Machine, loader: Addr, above: ClassId, file: &ClassFile) -> bool {
    let above = machine.class(above);
    above.access.is_public() || (above.loader == loader && above.package() == package_of(&file.name))
}

/// No method may override a final one.
fn check_overriding(
    machine: &Machine,
    loader: Addr,
    file: &ClassFile,
    super_class: Option<ClassId>,
) -> Step<()> {
    let Some(parent) = super_class.map(|class| machine.class(class)) else { return Ok(()) };
    for method in file.methods.iter().filter(|m| !m.access.has_any(PRIVATE | STATIC)) {
        let signature = (method.name.clone(), method.descriptor.clone());
        let slot = machine.classes.known_signature(&signature).and_then(|s| parent.virtual_index.get(&s));
        let Some(overridden) = slot.map(|slot| machine.method(parent.vtable[*slot as usize])) else {
            continue;
        };
        let owner = machine.class(overridden.class);
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

/// `IncompatibleClassChangeError` where a method is looked up in an interface as if it were a class, or the
/// other way round (JVMS §5.4.3.3, §5.4.3.4).
pub(super) fn check_kind(
    machine: &Machine,
    class: ClassId,
    how: Invocation,
    as_interface: bool,
    name: &str,
    descriptor: &str,
) -> Step<()> {
    let found = machine.class(class);
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

/// Whether code of a class is trusted, as the JDK's is and what the machine makes.
fn is_unchecked(machine: &Machine, from: ClassId) -> bool {
    let class = machine.class(from);
    class.from_jdk || class.file.is_none()
}

/// `IllegalAccessError` unless code of `from` may name the class.
pub(super) fn check_class_access(machine: &Machine, from: ClassId, class: ClassId) -> Step<()> {
    if is_unchecked(machine, from) {
        return Ok(());
    }
    let mut element = class;
    while let ClassKind::Array { element: inner, .. } = machine.class(element).kind {
        element = inner;
    }
    let target = machine.class(element);
    if target.access.is_public()
        || matches!(target.kind, ClassKind::Primitive(_))
        || machine.same_package(from, element)
    {
        return Ok(());
    }
    let (a, b) = (machine.class(from).name.replace('/', "."), target.name.replace('/', "."));
    let message = format!("failed to access class {b} from class {a} ({})", places(machine, element, from));
    raise("java/lang/IllegalAccessError", message)
}

/// `IllegalAccessError` unless code of `from` may use the field that `named` was found to have.
pub(super) fn check_field_access(
    machine: &mut Machine,
    from: ClassId,
    named: ClassId,
    owner: ClassId,
    at: usize,
) -> Step<()> {
    let access = machine.class(owner).fields[at].access;
    if is_member_visible(machine, from, named, owner, access)? {
        return Ok(());
    }
    let (a, b) = (machine.class(from).name.replace('/', "."), machine.class(owner).name.replace('/', "."));
    let field = &machine.class(owner).fields[at].name;
    let message = format!(
        "class {a} tried to access {}field {b}.{field} ({})",
        keyword(access),
        places(machine, from, owner)
    );
    raise("java/lang/IllegalAccessError", message)
}

/// `IllegalAccessError` unless code of `from` may call the method that `named` was found to have.
pub(super) fn check_method_access(
    machine: &mut Machine,
    from: ClassId,
    named: ClassId,
    method: MethodId,
) -> Step<()> {
    let (access, owner) = (machine.method(method).access, machine.method(method).class);
    // Arrays have a public clone().
    let is_clone =
        &*machine.method(method).name == "clone" && !matches!(machine.class(named).kind, ClassKind::Instance);
    if is_clone || is_member_visible(machine, from, named, owner, access)? {
        return Ok(());
    }
    let (a, b) = (machine.class(from).name.replace('/', "."), machine.class(owner).name.replace('/', "."));
    let shown = external_signature(&b, &machine.method(method).name, &machine.method(method).descriptor);
    let message = format!(
        "class {a} tried to access {}method '{shown}' ({})",
        keyword(access),
        places(machine, from, owner)
    );
    raise("java/lang/IllegalAccessError", message)
}

/// JVMS §5.4.4.
fn is_member_visible(
    machine: &mut Machine,
    from: ClassId,
    named: ClassId,
    owner: ClassId,
    access: AccessFlags,
) -> Step<bool> {
    if is_unchecked(machine, from) || access.is_public() || from == owner {
        return Ok(true);
    }
    if access.is_private() {
        return Ok(host_of_nest(machine, from)? == host_of_nest(machine, owner)?);
    }
    if machine.same_package(from, owner) {
        return Ok(true);
    }
    let related = |m: &Machine| m.is_subtype(named, from) || m.is_subtype(from, named);
    Ok(access.is_protected() && machine.is_subtype(from, owner) && (access.is_static() || related(machine)))
}

/// The host of a class's nest; itself where its host does not know it (JVMS §5.4.4).
fn host_of_nest(machine: &mut Machine, class: ClassId) -> Step<ClassId> {
    match machine.hidden_nest(class) {
        Some(host) if host == class => return Ok(class),
        Some(host) => return host_of_nest(machine, host),
        None => {}
    }
    let Some(file) = machine.class(class).file.clone() else { return Ok(class) };
    let Some(host) = &file.nest_host else { return Ok(class) };
    let Ok(host) = machine.load(host) else { return Ok(class) };
    let knows = machine.class(host).file.as_ref().is_some_and(|h| h.nest_members.contains(&file.name));
    Ok(if knows && machine.same_package(host, class) { host } else { class })
}

/// `IllegalAccessError` where code writes a final field that is not its own, or not in an initialiser
/// (JVMS §6.5 `putfield`, `putstatic`).
pub(super) fn check_final_write(
    machine: &Machine,
    from: ClassId,
    within: &str,
    owner: ClassId,
    at: usize,
) -> Step<()> {
    let field = &machine.class(owner).fields[at];
    if !field.access.is_final() || is_unchecked(machine, from) {
        return Ok(());
    }
    let (a, b) = (machine.class(from).name.replace('/', "."), machine.class(owner).name.replace('/', "."));
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
    let is_old = machine.class(from).file.as_ref().is_some_and(|f| f.major_version < 53);
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
