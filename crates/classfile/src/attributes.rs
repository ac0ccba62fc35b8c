//! The small attributes of classes, fields and methods, decoded when the class is read.

use std::sync::Arc;

use noak::reader::attributes::{self as raw, AttributeContent};
use noak::reader::{Attribute, DecodeMany};

use crate::access::AccessFlags;
use crate::bytes::SharedBytes;
use crate::error::Result;
use crate::pool::PoolReader;

/// An entry of `InnerClasses` (JVMS §4.7.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// Internal name of the nested class.
    pub inner: Arc<str>,
    /// Internal name of the class it is a member of; `None` for local and anonymous classes.
    pub outer: Option<Arc<str>>,
    /// Its simple name; `None` for anonymous classes.
    pub name: Option<Arc<str>>,
    /// Its flags as the source declares them.
    pub access: AccessFlags,
}

/// `EnclosingMethod` (JVMS §4.7.7), of local and anonymous classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingMethod {
    /// Internal name of the innermost enclosing class.
    pub class: Arc<str>,
    /// Name and descriptor of the enclosing method; `None` in an initialiser.
    pub method: Option<(Arc<str>, Arc<str>)>,
}

/// A component of a record (JVMS §4.7.30).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: Arc<str>,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// Generic type, if it has one.
    pub signature: Option<Arc<str>>,
    /// Its annotations.
    pub annotations: Annotations,
}

/// An entry of `BootstrapMethods` (JVMS §4.7.23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// Constant pool index of the method handle.
    pub handle: u16,
    /// Constant pool indices of the static arguments.
    pub arguments: Box<[u16]>,
}

/// An entry of `MethodParameters` (JVMS §4.7.24).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodParameter {
    /// Its name, if the compiler kept it.
    pub name: Option<Arc<str>>,
    /// `final`, synthetic, mandated.
    pub access: AccessFlags,
}

/// The annotation attributes that are visible at run time (JVMS §4.7.16 to §4.7.22), each as the bytes of its content:
/// what `Class.getRawAnnotations` and the `Method` objects hand to the JDK's own annotation parser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `RuntimeVisibleAnnotations`.
    pub visible: Option<SharedBytes>,
    /// `RuntimeVisibleTypeAnnotations`.
    pub types: Option<SharedBytes>,
    /// `RuntimeVisibleParameterAnnotations`, of methods.
    pub parameters: Option<SharedBytes>,
    /// `AnnotationDefault`, of the methods of annotation interfaces.
    pub default: Option<SharedBytes>,
}

/// Attributes of a class, field, method or record component. Each reader takes those that apply to it.
#[derive(Default)]
pub(crate) struct DecodedAttributes<'a> {
    pub(crate) annotations: Annotations,
    pub(crate) bootstrap_methods: Box<[BootstrapMethod]>,
    pub(crate) code: Option<(raw::Code<'a>, &'a [u8])>,
    pub(crate) constant_value: Option<u16>,
    pub(crate) enclosing_method: Option<EnclosingMethod>,
    pub(crate) exceptions: Box<[Arc<str>]>,
    pub(crate) inner_classes: Box<[InnerClass]>,
    pub(crate) module: Option<crate::module::Module>,
    pub(crate) nest_host: Option<Arc<str>>,
    pub(crate) nest_members: Box<[Arc<str>]>,
    pub(crate) parameters: Box<[MethodParameter]>,
    pub(crate) permitted_subclasses: Box<[Arc<str>]>,
    pub(crate) record_components: Option<Box<[RecordComponent]>>,
    pub(crate) signature: Option<Arc<str>>,
    pub(crate) source_file: Option<Arc<str>>,
}

type Attributes<'a> = DecodeMany<'a, Attribute<'a>, u16>;

impl<'a> PoolReader<'_, 'a> {
    /// Decodes the attributes of `owner` (for messages: `class`, `field x`, `method y()V`). Unknown ones are skipped.
    pub(crate) fn attributes(
        self,
        attributes: &Attributes<'a>,
        owner: &dyn Fn() -> String,
    ) -> Result<DecodedAttributes<'a>> {
        let mut decoded = DecodedAttributes::default();
        for attribute in attributes {
            let attribute = attribute.map_err(|error| self.bad(&owner(), &error))?;
            let name = self.value(attribute.name())?.as_bytes();
            if name == b"Module" {
                decoded.module = Some(self.module(attribute.content())?);
                continue;
            }
            if self.raw_attribute(&mut decoded.annotations, name, &attribute)? || !is_decoded(name) {
                continue;
            }
            let in_attribute = |error| {
                self.bad(&format!("{}, attribute {}", owner(), String::from_utf8_lossy(name)), &error)
            };
            let content = attribute.read_content(self.pool).map_err(in_attribute)?;
            self.attribute(&mut decoded, content, &attribute, &in_attribute)?;
        }
        Ok(decoded)
    }

    /// Keeps an attribute that is passed on as bytes; false if this is not one of them.
    fn raw_attribute(self, to: &mut Annotations, name: &[u8], attribute: &Attribute<'a>) -> Result<bool> {
        let slot = match name {
            b"RuntimeVisibleAnnotations" => &mut to.visible,
            b"RuntimeVisibleTypeAnnotations" => &mut to.types,
            b"RuntimeVisibleParameterAnnotations" => &mut to.parameters,
            b"AnnotationDefault" => &mut to.default,
            _ => return Ok(false),
        };
        *slot = Some(self.share(attribute.content())?);
        Ok(true)
    }

    fn attribute(
        self,
        to: &mut DecodedAttributes<'a>,
        content: AttributeContent<'a>,
        attribute: &Attribute<'a>,
        bad: &dyn Fn(noak::error::DecodeError) -> crate::ClassFileError,
    ) -> Result<()> {
        match content {
            AttributeContent::Code(code) => to.code = Some((code, attribute.content())),
            AttributeContent::ConstantValue(value) => to.constant_value = Some(value.value().as_u16()),
            AttributeContent::Signature(value) => to.signature = Some(self.text(value.signature())?),
            AttributeContent::SourceFile(value) => to.source_file = Some(self.text(value.source_file())?),
            AttributeContent::NestHost(value) => to.nest_host = Some(self.class_name(value.host_class())?),
            AttributeContent::NestMembers(value) => {
                to.nest_members = self.class_names(&value.classes(), bad)?
            }
            AttributeContent::PermittedSubclasses(value) => {
                to.permitted_subclasses = self.class_names(&value.classes(), bad)?;
            }
            AttributeContent::Exceptions(value) => {
                to.exceptions = self.class_names(&value.exceptions(), bad)?
            }
            AttributeContent::EnclosingMethod(value) => {
                to.enclosing_method = Some(self.enclosing_method(&value)?)
            }
            AttributeContent::InnerClasses(value) => {
                let entries = value.classes().iter().map(|entry| self.inner_class(&entry.map_err(bad)?));
                to.inner_classes = entries.collect::<Result<_>>()?;
            }
            AttributeContent::BootstrapMethods(value) => {
                let entries =
                    value.methods().iter().map(|entry| bootstrap_method(&entry.map_err(bad)?).map_err(bad));
                to.bootstrap_methods = entries.collect::<Result<_>>()?;
            }
            AttributeContent::MethodParameters(value) => {
                let entries = value.parameters().iter().map(|entry| self.parameter(&entry.map_err(bad)?));
                to.parameters = entries.collect::<Result<_>>()?;
            }
            AttributeContent::Record(value) => {
                let entries =
                    value.components().iter().map(|entry| self.record_component(&entry.map_err(bad)?));
                to.record_components = Some(entries.collect::<Result<_>>()?);
            }
            _ => {}
        }
        Ok(())
    }

    fn class_names(
        self,
        classes: &DecodeMany<'a, noak::reader::cpool::Index<noak::reader::cpool::Class<'a>>, u16>,
        bad: &dyn Fn(noak::error::DecodeError) -> crate::ClassFileError,
    ) -> Result<Box<[Arc<str>]>> {
        classes.iter().map(|class| self.class_name(class.map_err(bad)?)).collect()
    }

    fn enclosing_method(self, value: &raw::EnclosingMethod<'a>) -> Result<EnclosingMethod> {
        let method = match value.method() {
            None => None,
            Some(index) => {
                let at = index.as_u16();
                let member = self.value(index)?;
                Some((self.unicode(at, member.name)?.into(), self.unicode(at, member.descriptor)?.into()))
            }
        };
        Ok(EnclosingMethod { class: self.class_name(value.class())?, method })
    }

    fn inner_class(self, entry: &raw::InnerClass<'a>) -> Result<InnerClass> {
        Ok(InnerClass {
            inner: self.class_name(entry.inner_class())?,
            outer: self.optional_class_name(entry.outer_class())?,
            name: self.optional_text(entry.inner_name())?,
            access: AccessFlags(entry.inner_access_flags().bits()),
        })
    }

    fn parameter(self, entry: &raw::MethodParameter<'a>) -> Result<MethodParameter> {
        let access = AccessFlags(entry.access_flags().bits());
        Ok(MethodParameter { name: self.optional_text(entry.name())?, access })
    }

    fn record_component(self, entry: &raw::RecordComponent<'a>) -> Result<RecordComponent> {
        let name = self.text(entry.name())?;
        let decoded = self.attributes(&entry.attributes(), &|| format!("record component {name}"))?;
        Ok(RecordComponent {
            descriptor: self.text(entry.descriptor())?,
            signature: decoded.signature,
            annotations: decoded.annotations,
            name,
        })
    }
}

fn bootstrap_method(entry: &raw::BootstrapMethod<'_>) -> Result<BootstrapMethod, noak::error::DecodeError> {
    let arguments: Result<_, _> = entry.arguments().iter().map(|argument| Ok(argument?.as_u16())).collect();
    Ok(BootstrapMethod { handle: entry.method_ref().as_u16(), arguments: arguments? })
}

/// Whether [`PoolReader::attribute`] uses an attribute; the others need not be decoded.
fn is_decoded(name: &[u8]) -> bool {
    matches!(
        name,
        b"BootstrapMethods"
            | b"Code"
            | b"ConstantValue"
            | b"EnclosingMethod"
            | b"Exceptions"
            | b"InnerClasses"
            | b"MethodParameters"
            | b"NestHost"
            | b"NestMembers"
            | b"PermittedSubclasses"
            | b"Record"
            | b"Signature"
            | b"SourceFile"
    )
}
