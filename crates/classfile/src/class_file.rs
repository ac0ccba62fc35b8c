//! An owned class file.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use noak::error::{DecodeError, DecodeErrorKind};
use noak::reader as raw;
use self_cell::self_cell;

use crate::access::AccessFlags;
use crate::attributes::{
    Annotations, BootstrapMethod, EnclosingMethod, InnerClass, MethodParameter, RecordComponent,
};
use crate::code::Code;
use crate::constant::Constant;
use crate::diagnose::first_bad_constant;
use crate::error::{ClassFileError, Result};
use crate::module::Module;
use crate::origin::Origin;
use crate::pool::PoolReader;
use crate::reads::{Read, note, without_recording};

/// Oldest class file version that is read: Java 1.0.2 and 1.1.
pub const MIN_MAJOR_VERSION: u16 = 45;
/// Newest class file version that is read: Java 25.
pub const MAX_MAJOR_VERSION: u16 = 69;

/// A class file (JVMS §4.1): its [`Declaration`], which it dereferences to, and, decoded when they are asked for, its
/// method bodies ([`ClassFile::code`]) and constants ([`ClassFile::constant`]).
pub struct ClassFile {
    declaration: Declaration,
    origin: Origin,
    file: Arc<str>,
    codes: Box<[OnceLock<Result<Arc<Code>>>]>,
    cell: Cell,
}

/// Everything in a class except its method bodies and constants.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Minor version; 65535 marks a class that uses preview features.
    pub minor_version: u16,
    /// Major version, such as 61 for Java 17.
    pub major_version: u16,
    /// Flags of the class.
    pub access: AccessFlags,
    /// Internal name, such as `java/util/Map$Entry`.
    pub name: Arc<str>,
    /// Internal name of the superclass; `None` for `java/lang/Object` and module descriptors.
    pub super_name: Option<Arc<str>>,
    /// Internal names of the direct superinterfaces, in order of declaration.
    pub interfaces: Box<[Arc<str>]>,
    /// Fields, in the order of the file.
    pub fields: Box<[Field]>,
    /// Methods, initialisers and constructors included, in the order of the file.
    pub methods: Box<[Method]>,
    /// Name of the source file, without folders.
    pub source_file: Option<Arc<str>>,
    /// Generic declaration, if it is one.
    pub signature: Option<Arc<str>>,
    /// The class whose nest this one is a member of; `None` if it is a host itself.
    pub nest_host: Option<Arc<str>>,
    /// The nest's other members, of a host.
    pub nest_members: Box<[Arc<str>]>,
    /// Every nested class that the class declares, is, or mentions.
    pub inner_classes: Box<[InnerClass]>,
    /// Where a local or anonymous class is declared.
    pub enclosing_method: Option<EnclosingMethod>,
    /// Components, of a record.
    pub record_components: Option<Box<[RecordComponent]>>,
    /// Direct subclasses, of a sealed class.
    pub permitted_subclasses: Box<[Arc<str>]>,
    /// Bootstrap methods of dynamic constants and call sites.
    pub bootstrap_methods: Box<[BootstrapMethod]>,
    /// Annotations of the class.
    pub annotations: Annotations,
    /// The module, of a `module-info`.
    pub module: Option<Module>,
}

/// A field (JVMS §4.5).
#[derive(Clone, Debug)]
pub struct Field {
    /// Flags of the field.
    pub access: AccessFlags,
    /// Its name.
    pub name: Arc<str>,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// Constant pool index of its initial value, of static fields.
    pub constant_value: Option<u16>,
    /// Generic type, if it has one.
    pub signature: Option<Arc<str>>,
    /// Its annotations.
    pub annotations: Annotations,
}

/// A method, constructor (`<init>`) or class initialiser (`<clinit>`) (JVMS §4.6).
#[derive(Clone, Debug)]
pub struct Method {
    /// Its place in [`Declaration::methods`].
    pub index: u16,
    /// Flags of the method.
    pub access: AccessFlags,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Internal names of the exceptions that it declares.
    pub exceptions: Box<[Arc<str>]>,
    /// Generic declaration, if it is one.
    pub signature: Option<Arc<str>>,
    /// Names and flags of the parameters, if the compiler kept them (`-parameters`).
    pub parameters: Box<[MethodParameter]>,
    /// Its annotations.
    pub annotations: Annotations,
    /// Whether it has a body.
    pub has_code: bool,
}

impl Method {
    /// Its name with its descriptor, which distinguish it in its class: `area(I)I`.
    pub fn id(&self) -> Box<str> {
        format!("{}{}", self.name, self.descriptor).into()
    }
}

/// The part that borrows from the bytes of the class.
struct ParsedClass<'a> {
    class: raw::Class<'a>,
    /// Code attributes by method index.
    bodies: Vec<Option<RawBody<'a>>>,
}

/// A method body and the content of its attribute.
type RawBody<'a> = (raw::attributes::Code<'a>, &'a [u8]);

self_cell!(
    struct Cell {
        owner: Arc<[u8]>,
        #[covariant]
        dependent: ParsedClass,
    }
);

impl ClassFile {
    /// Reads a class file. `file` names it in messages, as `lib.jar!/org/x/Y.class`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Damaged`], [`ClassFileError::UnsupportedVersion`].
    pub fn parse(bytes: Arc<[u8]>, file: &str, origin: Origin) -> Result<ClassFile> {
        check_header(&bytes, file)?;
        let mut declaration = None;
        let cell = Cell::try_new(bytes, |bytes| {
            let class = raw::Class::new(bytes).map_err(|error| unreadable(bytes, file, &error))?;
            if class.buffer_size() != bytes.len() {
                let place = format!("offset {:#x}", class.buffer_size());
                return Err(ClassFileError::damaged(
                    file,
                    place,
                    "the class ends here, but the file does not",
                ));
            }
            let reader = PoolReader { file, bytes, pool: class.pool() };
            let mut bodies = Vec::new();
            declaration = Some(reader.declaration(&class, &mut bodies)?);
            Ok(ParsedClass { class, bodies })
        })?;
        let Some(declaration) = declaration else {
            return Err(ClassFileError::damaged(file, "class", "was not read"));
        };
        let codes = declaration.methods.iter().map(|_| OnceLock::new()).collect();
        Ok(ClassFile { declaration, origin, file: file.into(), codes, cell })
    }

    /// The source of the class.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The file that holds the class, as messages name it: `lib.jar!/org/x/Y.class`.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The whole class file.
    pub fn bytes(&self) -> &Arc<[u8]> {
        self.note_whole();
        self.cell.borrow_owner()
    }

    /// [Records](crate::reads) that a computation depends on the whole class.
    pub fn note_whole(&self) {
        self.note_part(Read::Class);
    }

    /// [Records](crate::reads) that a computation depends on whether the class can be linked.
    pub fn note_linked(&self) {
        self.note_part(Read::Linked);
    }

    /// The body of `method`, one of this class's own, decoded at the first call; `None` if it is abstract or native.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Damaged`] if the body is malformed. Does not check the instructions; see
    /// [`instructions`](crate::instructions()).
    pub fn code(&self, method: &Method) -> Result<Option<&Arc<Code>>> {
        let is_recorded = self.is_recorded();
        self.note_of_method(method, Read::Body);
        let index = usize::from(method.index);
        let parsed = self.cell.borrow_dependent();
        let (Some(slot), Some(Some((code, content)))) = (self.codes.get(index), parsed.bodies.get(index))
        else {
            return Ok(None);
        };
        let decode = || {
            let name = method.id();
            let mut code = self.reader().code(code, content, &name)?;
            if is_recorded {
                code.line_numbers.read_as(Read::Lines((*self.name).into(), name));
            }
            Ok(Arc::new(code))
        };
        slot.get_or_init(decode).as_ref().map(Some).map_err(Clone::clone)
    }

    /// The constant at `index`, from 1.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Damaged`] if there is none, or if a constant that it refers to is missing or of the wrong
    /// kind.
    pub fn constant(&self, index: u16) -> Result<Constant<'_>> {
        self.reader().constant(index)
    }

    /// One more than the greatest index of a constant.
    pub fn constant_count(&self) -> u16 {
        self.note_whole();
        self.cell.borrow_owner().get(8..10).map_or(0, |count| u16::from_be_bytes([count[0], count[1]]))
    }

    /// The string constants, as UTF-16 units, in their order.
    pub fn texts(&self) -> Vec<Vec<u16>> {
        self.note_part(Read::Texts);
        let texts = self.constants().filter_map(|it| match it {
            Constant::String(units) => Some(units),
            _ => None,
        });
        texts.collect()
    }

    /// The classes in the constants, by internal name, sorted; an array stands for its elements, if these are objects.
    pub fn mentions(&self) -> BTreeSet<Box<str>> {
        self.note_part(Read::Mentions);
        let classes = self.constants().filter_map(|it| match it {
            Constant::Class(name) => Some(name),
            _ => None,
        });
        classes.filter_map(|name| element_class(&name).map(Box::from)).collect()
    }

    /// The sound constants, in their order.
    fn constants(&self) -> impl Iterator<Item = Constant<'_>> {
        let count = without_recording(|| self.constant_count());
        (1..count).filter_map(|index| self.constant(index).ok())
    }

    fn note_part(&self, read: fn(Box<str>) -> Read) {
        if self.is_recorded() {
            note(|| read((*self.name).into()));
        }
    }

    /// Records a query about a method, given the names of the class and of the method with its descriptor.
    pub(crate) fn note_of_method(&self, method: &Method, read: fn(Box<str>, Box<str>) -> Read) {
        if self.is_recorded() {
            note(|| read((*self.name).into(), method.id()));
        }
    }

    /// Whether recordings have what is asked of this class. The JDK counts as a whole.
    fn is_recorded(&self) -> bool {
        matches!(self.origin, Origin::ClassPath { .. })
    }

    /// The method of this name and descriptor that the class declares itself.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods.iter().find(|method| &*method.name == name && &*method.descriptor == descriptor)
    }

    /// The field of this name that the class declares itself.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    fn reader(&self) -> PoolReader<'_, '_> {
        let bytes = self.cell.borrow_owner();
        PoolReader { file: &self.file, bytes, pool: self.cell.borrow_dependent().class.pool() }
    }
}

impl Deref for ClassFile {
    type Target = Declaration;

    fn deref(&self) -> &Declaration {
        &self.declaration
    }
}

impl fmt::Debug for ClassFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClassFile({} from {})", self.name, self.file)
    }
}

/// The class of an array's elements, or the class itself; `None` if the elements are primitive.
fn element_class(name: &str) -> Option<&str> {
    let element = name.trim_start_matches('[');
    if element.len() == name.len() {
        return Some(name);
    }
    element.strip_prefix('L')?.strip_suffix(';')
}

/// Checks magic number and version.
fn check_header(bytes: &[u8], file: &str) -> Result<()> {
    let Some((magic, rest)) = bytes.split_first_chunk::<4>() else {
        return Err(ClassFileError::damaged(file, "offset 0x0", "the file is too short for a class"));
    };
    if *magic != [0xCA, 0xFE, 0xBA, 0xBE] {
        return Err(ClassFileError::damaged(
            file,
            "offset 0x0",
            "does not begin with CAFEBABE, so it is not a class file",
        ));
    }
    let Some(&[minor_high, minor_low, major_high, major_low]) = rest.first_chunk::<4>() else {
        return Err(ClassFileError::damaged(file, "offset 0x4", "the file ends before its version"));
    };
    let (minor, major) =
        (u16::from_be_bytes([minor_high, minor_low]), u16::from_be_bytes([major_high, major_low]));
    if !(MIN_MAJOR_VERSION..=MAX_MAJOR_VERSION).contains(&major) {
        return Err(ClassFileError::UnsupportedVersion { file: file.into(), major, minor });
    }
    Ok(())
}

/// The error for a class whose structure cannot be read.
fn unreadable(bytes: &[u8], file: &str, error: &DecodeError) -> ClassFileError {
    if let Some((place, problem)) = first_bad_constant(bytes) {
        return ClassFileError::damaged(file, place, problem);
    }
    let place = match error.position() {
        Some(offset) => format!("offset {offset:#x}"),
        None => "class".into(),
    };
    let problem = match error.kind() {
        DecodeErrorKind::UnexpectedEoi => "the file ends too early, or a length is too great".into(),
        kind => kind.to_string(),
    };
    ClassFileError::damaged(file, place, problem)
}

impl<'a> PoolReader<'_, 'a> {
    fn declaration(
        self,
        class: &raw::Class<'a>,
        bodies: &mut Vec<Option<RawBody<'a>>>,
    ) -> Result<Declaration> {
        let version = class.version();
        let own = self.attributes(&class.attributes(), &|| "class".into())?;
        let interfaces = class.interfaces();
        let interfaces = interfaces
            .iter()
            .map(|index| self.class_name(index.map_err(|error| self.bad("interfaces", &error))?));
        Ok(Declaration {
            minor_version: version.minor,
            major_version: version.major,
            access: AccessFlags(class.access_flags().bits()),
            name: self.class_name(class.this_class())?,
            super_name: self.optional_class_name(class.super_class())?,
            interfaces: interfaces.collect::<Result<_>>()?,
            fields: self.fields(class)?,
            methods: self.methods(class, bodies)?,
            source_file: own.source_file,
            signature: own.signature,
            nest_host: own.nest_host,
            nest_members: own.nest_members,
            inner_classes: own.inner_classes,
            enclosing_method: own.enclosing_method,
            record_components: own.record_components,
            permitted_subclasses: own.permitted_subclasses,
            bootstrap_methods: own.bootstrap_methods,
            annotations: own.annotations,
            module: own.module,
        })
    }

    fn fields(self, class: &raw::Class<'a>) -> Result<Box<[Field]>> {
        let fields = class.fields();
        let fields = fields.iter().map(|field| {
            let field = field.map_err(|error| self.bad("fields", &error))?;
            let name = self.text(field.name())?;
            let attributes = self.attributes(&field.attributes(), &|| format!("field {name}"))?;
            Ok(Field {
                access: AccessFlags(field.access_flags().bits()),
                descriptor: self.text(field.descriptor())?,
                constant_value: attributes.constant_value,
                signature: attributes.signature,
                annotations: attributes.annotations,
                name,
            })
        });
        fields.collect()
    }

    fn methods(self, class: &raw::Class<'a>, bodies: &mut Vec<Option<RawBody<'a>>>) -> Result<Box<[Method]>> {
        let methods = class.methods();
        let methods = methods.iter().zip(0..).map(|(method, index)| {
            let method = method.map_err(|error| self.bad("methods", &error))?;
            let (name, descriptor) = (self.text(method.name())?, self.text(method.descriptor())?);
            let attributes =
                self.attributes(&method.attributes(), &|| format!("method {name}{descriptor}"))?;
            bodies.push(attributes.code);
            Ok(Method {
                index,
                access: AccessFlags(method.access_flags().bits()),
                exceptions: attributes.exceptions,
                signature: attributes.signature,
                parameters: attributes.parameters,
                annotations: attributes.annotations,
                has_code: bodies.last().is_some_and(Option::is_some),
                name,
                descriptor,
            })
        });
        methods.collect()
    }
}
