//! Format checks of class files (JVMS §4.8) beyond those of the parser: `ClassFormatError` and related errors.

use cupping_classfile::{
    AccessFlags, ClassFile, Code, Constant, FieldType, Method, MethodDescriptor, MethodHandleKind, reads,
};
use rustc_hash::FxHashSet;

/// An error of Java by class and message.
pub(crate) type LinkError = (&'static str, String);

const FORMAT: &str = "java/lang/ClassFormatError";

const PUBLIC: AccessFlags = AccessFlags::PUBLIC;
const PRIVATE: AccessFlags = AccessFlags::PRIVATE;
const PROTECTED: AccessFlags = AccessFlags::PROTECTED;
const STATIC: AccessFlags = AccessFlags::STATIC;
const FINAL: AccessFlags = AccessFlags::FINAL;
const SYNCHRONIZED: AccessFlags = AccessFlags::SYNCHRONIZED;
const SUPER: AccessFlags = AccessFlags::SUPER;
const VOLATILE: AccessFlags = AccessFlags::VOLATILE;
const BRIDGE: AccessFlags = AccessFlags::BRIDGE;
const TRANSIENT: AccessFlags = AccessFlags::TRANSIENT;
const NATIVE: AccessFlags = AccessFlags::NATIVE;
const ABSTRACT: AccessFlags = AccessFlags::ABSTRACT;
const STRICT: AccessFlags = AccessFlags::STRICT;
const ENUM: AccessFlags = AccessFlags::ENUM;

/// Checks a class file that is not trusted.
///
/// # Errors
///
/// The first error, in HotSpot's words.
pub(crate) fn check_format(file: &ClassFile) -> Result<(), LinkError> {
    let check = || {
        let checker = Checker { file, class: &file.name };
        checker.class_flags()?;
        checker.constants()?;
        checker.supertypes()?;
        checker.fields()?;
        checker.methods()
    };
    // Code that merely loads a class does not depend on its bodies, unless they are wrong.
    let checked = reads::without_recording(check);
    if checked.is_err() {
        file.note_whole();
    }
    checked
}

struct Checker<'a> {
    file: &'a ClassFile,
    class: &'a str,
}

fn wrong<T>(message: String) -> Result<T, LinkError> {
    Err((FORMAT, message))
}

/// More than one of public, private and protected.
fn is_clashing(access: AccessFlags) -> bool {
    access.only(AccessFlags::VISIBILITY).0.count_ones() > 1
}

impl Checker<'_> {
    fn class_flags(&self) -> Result<(), LinkError> {
        let mut access = self.file.access;
        let version = self.file.major_version;
        if access.is_module() {
            let message = format!("{} is not a class because access_flag ACC_MODULE is set", self.class);
            return Err(("java/lang/NoClassDefFoundError", message));
        }
        let is_interface = access.is_interface();
        if is_interface && version < 50 {
            access = access | ABSTRACT;
        }
        let both = |flags: AccessFlags| access.has_all(flags);
        let illegal = both(ABSTRACT | FINAL)
            || is_interface && !access.is_abstract()
            || is_interface && version >= 49 && access.has_any(SUPER | ENUM)
            || is_interface && access.is_final()
            || !is_interface && version >= 49 && access.is_annotation();
        if illegal {
            return wrong(format!("Illegal class modifiers in class {}: 0x{access:X}", self.class));
        }
        Ok(())
    }

    /// Names and descriptors of the constant pool.
    fn constants(&self) -> Result<(), LinkError> {
        let mut index = 1;
        while index < self.file.constant_count() {
            let constant = match self.file.constant(index) {
                Ok(constant) => constant,
                Err(error) => return wrong(error.to_string()),
            };
            index += matches!(constant, Constant::Long(_) | Constant::Double(_)) as u16 + 1;
            self.constant(&constant)?;
        }
        Ok(())
    }

    /// A constant needs the class-file version that introduced it; constants of module descriptions may occur
    /// nowhere else.
    fn age(&self, constant: &Constant<'_>) -> Result<(), LinkError> {
        let (tag, since) = match constant {
            Constant::MethodHandle { .. } => (15, 51),
            Constant::MethodType(_) => (16, 51),
            Constant::Dynamic { .. } => (17, 55),
            Constant::InvokeDynamic { .. } => (18, 51),
            Constant::Module(_) => return self.unknown(19),
            Constant::Package(_) => return self.unknown(20),
            _ => return Ok(()),
        };
        if self.file.major_version >= since {
            return Ok(());
        }
        wrong(format!("Class file version does not support constant tag {tag} in class file {}", self.class))
    }

    fn unknown(&self, tag: u8) -> Result<(), LinkError> {
        wrong(format!("Unknown constant tag {tag} in class file {}", self.class))
    }

    fn constant(&self, constant: &Constant<'_>) -> Result<(), LinkError> {
        self.age(constant)?;
        match constant {
            Constant::Class(name) => self.class_name(name),
            Constant::Field { name, descriptor, .. } => {
                self.field_name(name)?;
                self.field_descriptor(name, descriptor)
            }
            Constant::Method { name, descriptor, .. } => {
                if &**name != "<init>" {
                    self.method_name(name)?;
                } else if !descriptor.ends_with(")V") {
                    return wrong(format!(
                        "Method \"<init>\" in class {} has illegal signature \"{descriptor}\"",
                        self.class
                    ));
                }
                self.method_descriptor(name, descriptor)
            }
            Constant::InvokeDynamic { bootstrap, name, descriptor } => {
                self.bootstrap(*bootstrap)?;
                self.method_name(name)?;
                self.method_descriptor(name, descriptor)
            }
            Constant::Dynamic { bootstrap, name, descriptor } => {
                self.bootstrap(*bootstrap)?;
                self.field_name(name)?;
                self.field_descriptor(name, descriptor)
            }
            Constant::MethodType(descriptor) => self.method_descriptor("<method type>", descriptor),
            Constant::MethodHandle { kind, reference } => self.handle(*kind, *reference),
            _ => Ok(()),
        }
    }

    /// The member behind a method handle must match the handle's kind (JVMS §4.4.8).
    fn handle(&self, kind: MethodHandleKind, reference: u16) -> Result<(), LinkError> {
        use MethodHandleKind::*;
        let fits = match self.file.constant(reference) {
            Ok(Constant::Field { .. }) => matches!(kind, GetField | GetStatic | PutField | PutStatic),
            Ok(Constant::Method { name, interface, .. }) => match kind {
                NewInvokeSpecial => &*name == "<init>" && !interface,
                InvokeInterface => !name.starts_with('<') && interface,
                InvokeVirtual => !name.starts_with('<') && !interface,
                InvokeStatic | InvokeSpecial => {
                    !name.starts_with('<') && (!interface || self.file.major_version >= 52)
                }
                _ => false,
            },
            _ => false,
        };
        if fits {
            return Ok(());
        }
        wrong(format!("Invalid constant pool index {reference} in class file {}", self.class))
    }

    fn bootstrap(&self, index: u16) -> Result<(), LinkError> {
        if usize::from(index) < self.file.bootstrap_methods.len() {
            return Ok(());
        }
        wrong(format!("Short length on BootstrapMethods in class file {}", self.class))
    }

    fn supertypes(&self) -> Result<(), LinkError> {
        let object = "java/lang/Object";
        match &self.file.super_name {
            None if self.class != object => {
                return wrong(format!("Invalid superclass index 0 in class file {}", self.class));
            }
            Some(name) if name.starts_with('[') => {
                return wrong(format!("Bad superclass name {name} in class file {}", self.class));
            }
            Some(name) if self.file.access.is_interface() && **name != *object => {
                return wrong(format!(
                    "Interfaces must have java.lang.Object as superclass in class file {}",
                    self.class
                ));
            }
            _ => {}
        }
        let mut seen = FxHashSet::default();
        for name in &self.file.interfaces {
            if name.starts_with('[') {
                return wrong(format!("Bad interface name in class file {}", self.class));
            }
            if !seen.insert(name) {
                return wrong(format!("Duplicate interface name \"{name}\" in class file {}", self.class));
            }
        }
        if self.class.starts_with('[') {
            return wrong(format!("Bad class name in class file {}", self.class));
        }
        Ok(())
    }

    fn fields(&self) -> Result<(), LinkError> {
        let is_interface = self.file.access.is_interface();
        let mut seen = FxHashSet::default();
        for field in &self.file.fields {
            self.field_name(&field.name)?;
            self.field_descriptor(&field.name, &field.descriptor)?;
            let access = field.access;
            let illegal = if is_interface {
                !access.has_all(PUBLIC | STATIC | FINAL)
                    || access.has_any(PRIVATE | PROTECTED | VOLATILE | TRANSIENT | ENUM)
            } else {
                is_clashing(access) || access.has_all(FINAL | VOLATILE)
            };
            if illegal {
                return wrong(format!("Illegal field modifiers in class {}: 0x{access:X}", self.class));
            }
            if let Some(index) = field.constant_value
                && access.is_static()
            {
                self.constant_value(index, &field.descriptor)?;
            }
            if !seen.insert((&field.name, &field.descriptor)) {
                return wrong(format!(
                    "Duplicate field name \"{}\" with signature \"{}\" in class file {}",
                    field.name, field.descriptor, self.class
                ));
            }
        }
        Ok(())
    }

    fn constant_value(&self, index: u16, descriptor: &str) -> Result<(), LinkError> {
        let fits = match self.file.constant(index) {
            Ok(Constant::Integer(_)) => matches!(descriptor, "I" | "Z" | "B" | "C" | "S"),
            Ok(Constant::Float(_)) => descriptor == "F",
            Ok(Constant::Long(_)) => descriptor == "J",
            Ok(Constant::Double(_)) => descriptor == "D",
            Ok(Constant::String(_)) => descriptor == "Ljava/lang/String;",
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            wrong(format!("Inconsistent constant value type in class file {}", self.class))
        }
    }

    fn methods(&self) -> Result<(), LinkError> {
        let mut seen = FxHashSet::default();
        for method in &self.file.methods {
            self.method(method)?;
            if !seen.insert((&method.name, &method.descriptor)) {
                return wrong(format!(
                    "Duplicate method name \"{}\" with signature \"{}\" in class file {}",
                    method.name, method.descriptor, self.class
                ));
            }
        }
        Ok(())
    }

    fn method(&self, method: &Method) -> Result<(), LinkError> {
        let (class, name, version) = (self.class, &*method.name, self.file.major_version);
        if !matches!(name, "<init>" | "<clinit>") {
            self.method_name(name)?;
        }
        self.method_descriptor(name, &method.descriptor)?;
        if name.starts_with('<') && !method.descriptor.ends_with(")V")
            || name == "<clinit>" && version >= 51 && &*method.descriptor != "()V"
        {
            let descriptor = &method.descriptor;
            return wrong(format!(
                "Method \"{name}\" in class {class} has illegal signature \"{descriptor}\""
            ));
        }
        let access = method.access;
        let slots = MethodDescriptor::parse(&method.descriptor).map_or(0, |d| d.parameter_slots())
            + (!access.is_static()) as u16;
        if slots > 255 {
            return wrong(format!("Too many arguments in method signature in class file {class}"));
        }
        if name == "<clinit>" {
            if version >= 51 && !access.is_static() {
                return wrong(format!("Method <clinit> is not static in class file {class}"));
            }
        } else {
            if name == "<init>" && self.file.access.is_interface() {
                return wrong(format!("Interface cannot have a constructor in class file {class}"));
            }
            if self.is_illegal_method(access, name == "<init>") {
                return wrong(format!("Method {name} in class {class} has illegal modifiers: 0x{access:X}"));
            }
        }
        self.body(method, slots, name == "<clinit>")
    }

    fn is_illegal_method(&self, access: AccessFlags, is_constructor: bool) -> bool {
        let version = self.file.major_version;
        let has = |flags: AccessFlags| access.has_any(flags);
        let strict = if version < 61 { STRICT } else { AccessFlags::default() };
        if !self.file.access.is_interface() {
            return is_clashing(access)
                || is_constructor && has(STATIC | FINAL | SYNCHRONIZED | NATIVE | ABSTRACT | BRIDGE)
                || has(ABSTRACT) && has(FINAL | NATIVE | PRIVATE | STATIC)
                || has(ABSTRACT) && version >= 49 && has(SYNCHRONIZED | strict);
        }
        if version >= 52 {
            has(PUBLIC) == has(PRIVATE)
                || has(NATIVE | PROTECTED | FINAL | SYNCHRONIZED)
                || has(ABSTRACT) && has(PRIVATE | STATIC | strict)
        } else {
            !has(PUBLIC)
                || !has(ABSTRACT)
                || has(PRIVATE | PROTECTED | STATIC | FINAL | SYNCHRONIZED | NATIVE)
                || version >= 49 && has(STRICT)
        }
    }

    fn body(&self, method: &Method, slots: u16, is_clinit: bool) -> Result<(), LinkError> {
        let class = self.class;
        let code = match self.file.code(method) {
            Ok(code) => code,
            Err(error) => return wrong(error.to_string()),
        };
        let without = method.access.has_any(NATIVE | ABSTRACT) && !is_clinit;
        match code {
            Some(_) if without => {
                wrong(format!("Code attribute in native or abstract methods in class file {class}"))
            }
            None if !without => wrong(format!(
                "Absent Code attribute in method that is not native or abstract in class file {class}"
            )),
            Some(code) if code.max_locals < slots => {
                wrong(format!("Arguments can't fit into locals in class file {class}"))
            }
            Some(code) => self.debug_tables(code),
            None => Ok(()),
        }
    }

    /// Line numbers and local variables must refer to the code.
    fn debug_tables(&self, code: &Code) -> Result<(), LinkError> {
        let (class, length) = (self.class, code.bytecode.len());
        if code.line_numbers.entries().last().is_some_and(|line| line.pc as usize >= length) {
            return wrong(format!("Invalid pc in LineNumberTable in class file {class}"));
        }
        for variable in &code.local_variables {
            if variable.start as usize >= length {
                let start = variable.start;
                return wrong(format!(
                    "Invalid start_pc {start} in LocalVariableTable in class file {class}"
                ));
            }
            if variable.start as usize + variable.length as usize > length {
                let length = variable.length;
                return wrong(format!("Invalid length {length} in LocalVariableTable in class file {class}"));
            }
            let two = matches!(&*variable.descriptor, "J" | "D") as usize;
            if variable.slot as usize + two >= code.max_locals as usize {
                let slot = variable.slot;
                return wrong(format!("Invalid index {slot} in LocalVariableTable in class file {class}"));
            }
        }
        Ok(())
    }

    fn class_name(&self, name: &str) -> Result<(), LinkError> {
        let legal = match name.starts_with('[') {
            true => FieldType::parse(name).is_some_and(|ty| is_type(&ty)),
            false => is_internal_name(name),
        };
        if legal {
            Ok(())
        } else {
            wrong(format!("Illegal class name \"{name}\" in class file {}", self.class))
        }
    }

    fn field_name(&self, name: &str) -> Result<(), LinkError> {
        let legal = !name.is_empty() && !name.contains(['.', ';', '[', '/']);
        if legal { Ok(()) } else { wrong(format!("Illegal field name \"{name}\" in class {}", self.class)) }
    }

    fn method_name(&self, name: &str) -> Result<(), LinkError> {
        let legal = !name.is_empty() && !name.contains(['.', ';', '[', '/', '<', '>']);
        if legal { Ok(()) } else { wrong(format!("Illegal method name \"{name}\" in class {}", self.class)) }
    }

    fn field_descriptor(&self, name: &str, descriptor: &str) -> Result<(), LinkError> {
        if FieldType::parse(descriptor).is_some_and(|ty| is_type(&ty)) {
            return Ok(());
        }
        let class = self.class;
        wrong(format!("Field \"{name}\" in class {class} has illegal signature \"{descriptor}\""))
    }

    /// A descriptor with at most 255 slots; a class file can name larger ones, but not declare them.
    fn method_descriptor(&self, name: &str, descriptor: &str) -> Result<(), LinkError> {
        let parsed = MethodDescriptor::parse(descriptor);
        if parsed.is_some_and(|d| {
            d.parameter_slots() <= 255 && d.parameters.iter().chain(d.result.as_ref()).all(is_type)
        }) {
            return Ok(());
        }
        let class = self.class;
        wrong(format!("Method \"{name}\" in class {class} has illegal signature \"{descriptor}\""))
    }
}

/// Whether the class named by a type has a legal name.
fn is_type(ty: &FieldType) -> bool {
    match ty {
        FieldType::Object(name) => is_internal_name(name),
        FieldType::Array(element) => is_type(element),
        _ => true,
    }
}

/// Parts that are not empty, with slashes between.
fn is_internal_name(name: &str) -> bool {
    !name.contains(['.', ';', '[']) && name.split('/').all(|part| !part.is_empty())
}
