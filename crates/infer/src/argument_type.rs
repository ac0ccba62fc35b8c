//! The type of an argument, with its type arguments.

use cupping_case::JavaType;
use cupping_classfile::GenericType;
use cupping_generate::{Parameter, erased_descriptor};

/// A type of arguments.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentType<'t> {
    /// The erased type.
    pub ty: &'t JavaType,
    /// The generic type, if it has type arguments.
    pub generic: Option<&'t GenericType>,
}

impl<'t> ArgumentType<'t> {
    /// The type of a parameter.
    pub fn of(parameter: &'t Parameter) -> ArgumentType<'t> {
        ArgumentType { ty: &parameter.ty, generic: parameter.generic.as_ref() }
    }

    /// A type without type arguments.
    pub fn plain(ty: &'t JavaType) -> ArgumentType<'t> {
        ArgumentType { ty, generic: None }
    }

    /// A name that tells types apart.
    pub fn name(self) -> String {
        let generic = self.generic.map_or_else(String::new, |it| format!("{it:?}"));
        format!("{}{generic}", self.ty.descriptor())
    }

    /// The type argument of this rank, erased and as it is; `Object` if there is none.
    pub fn argument(self, rank: usize) -> (JavaType, Option<&'t GenericType>) {
        let argument = match self.generic {
            Some(GenericType::Class { arguments, .. }) => arguments.get(rank).map(bound),
            _ => None,
        };
        (argument.map_or_else(object, erased), argument)
    }
}

fn object() -> JavaType {
    JavaType::class("java/lang/Object")
}

/// The bound of a wildcard; any other type itself.
fn bound(of: &GenericType) -> &GenericType {
    match of {
        GenericType::Wildcard(Some(bound)) => bound,
        other => other,
    }
}

fn erased(of: &GenericType) -> JavaType {
    JavaType::parse(&erased_descriptor(of)).unwrap_or_else(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_erased_and_bounds_are_taken() {
        let class =
            |name: &str, arguments: Vec<GenericType>| GenericType::Class { name: name.into(), arguments };
        let text = class("java/lang/String", Vec::new());
        let bounded = GenericType::Wildcard(Some(Box::new(text.clone())));
        let longs = GenericType::Array(Box::new(GenericType::Primitive('J')));
        let map = class("java/util/Map", vec![bounded, longs]);
        let ty = JavaType::class("java/util/Map");
        let wanted = ArgumentType { ty: &ty, generic: Some(&map) };
        assert_eq!(wanted.argument(0), (JavaType::class("java/lang/String"), Some(&text)));
        assert_eq!(wanted.argument(1).0.descriptor(), "[J");
        assert_eq!(wanted.argument(2), (object(), None));
        assert_ne!(wanted.name(), ArgumentType::plain(&ty).name());
    }
}
