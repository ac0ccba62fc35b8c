//! Method types as lists of field descriptors.

use crate::classes::Kind;
use cupping_classfile::descriptor;
use std::fmt;
use std::sync::Arc;

/// Parameters and result of a method, by descriptor. Unlike [`cupping_classfile::MethodDescriptor`] it keeps
/// descriptors as text, by which classes are loaded and compared here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Arc<str>>,
    pub(crate) result: Arc<str>,
}

impl Signature {
    /// The parts of a method descriptor, or `None` if it is malformed.
    pub(crate) fn parse(descriptor: &str) -> Option<Signature> {
        let mut all = descriptor::parameters(descriptor)?;
        let parameters = all.by_ref().map(|it| it.map(Arc::from)).collect::<Option<_>>()?;
        Some(Signature { parameters, result: all.result()?.into() })
    }

    /// A signature of these parts.
    pub(crate) fn new(parameters: Vec<Arc<str>>, result: impl Into<Arc<str>>) -> Signature {
        Signature { parameters, result: result.into() }
    }

    /// The kinds of the parameters.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.parameters.iter().map(|p| kind(p)).collect()
    }

    /// The signature with an additional first parameter.
    pub(crate) fn with_first(&self, first: impl Into<Arc<str>>) -> Signature {
        let mut parameters = vec![first.into()];
        parameters.extend(self.parameters.iter().cloned());
        Signature { parameters, result: self.result.clone() }
    }

    /// The signature without `count` parameters from `at` on.
    pub(crate) fn without(&self, at: usize, count: usize) -> Signature {
        let mut parameters = self.parameters.clone();
        parameters.drain(at..at + count);
        Signature { parameters, result: self.result.clone() }
    }

    /// The signature with these parameters inserted at `at`.
    pub(crate) fn with(&self, at: usize, more: &[Arc<str>]) -> Signature {
        let mut parameters = self.parameters.clone();
        parameters.splice(at..at, more.iter().cloned());
        Signature { parameters, result: self.result.clone() }
    }

    /// The signature with another result.
    pub(crate) fn returning(&self, result: impl Into<Arc<str>>) -> Signature {
        Signature { parameters: self.parameters.clone(), result: result.into() }
    }

    /// As `MethodType.toString` writes it: `(int,String)void`.
    pub(crate) fn readable(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(|p| simple_name(p)).collect();
        format!("({}){}", parameters.join(","), simple_name(&self.result))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for parameter in &self.parameters {
            f.write_str(parameter)?;
        }
        write!(f, "){}", self.result)
    }
}

/// The kind of a value with this descriptor.
pub(crate) fn kind(descriptor: &str) -> Kind {
    Kind::of_descriptor(descriptor.as_bytes().first().copied().unwrap_or(b'L'))
}

/// Whether values of this descriptor are references.
pub(crate) fn is_reference(descriptor: &str) -> bool {
    descriptor.starts_with(['L', '['])
}

/// Internal name of the class that a descriptor names; arrays by descriptor.
pub(crate) fn class_name(descriptor: &str) -> &str {
    descriptor::class_name(descriptor).unwrap_or(descriptor)
}

/// The descriptor of a class by internal name.
pub(crate) fn descriptor_of_name(name: &str) -> String {
    descriptor::of_class(name)
}

/// `Class.getSimpleName` of a top-level or nested class, as far as the name determines it.
fn simple_name(descriptor: &str) -> String {
    if let Some(element) = descriptor.strip_prefix('[') {
        return simple_name(element) + "[]";
    }
    if !is_reference(descriptor) {
        return crate::classes::primitive_name(descriptor.as_bytes()[0]).to_owned();
    }
    let name = class_name(descriptor);
    name.rsplit(['/', '$']).next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_come_back_as_they_were() {
        for text in
            ["()V", "(I)J", "([[ILjava/lang/String;D)[Ljava/lang/Object;", "(ZBCSIJFD)Ljava/util/List;"]
        {
            assert_eq!(Signature::parse(text).map(|s| s.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Signature::parse("I"), None);
        assert_eq!(Signature::parse("(Lfoo)V"), None);
    }

    #[test]
    fn readable_as_method_types_print() {
        let signature = Signature::parse("([ILjava/util/Map$Entry;)V").expect("well-formed");
        assert_eq!(signature.readable(), "(int[],Entry)void");
    }
}
