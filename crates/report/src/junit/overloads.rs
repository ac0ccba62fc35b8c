//! Which arguments need a cast so that the call reaches the intended method (JLS §15.12.2).

use crate::facts::ClassFacts;
use cupping_case::{JavaType, MethodRef, parse_method_descriptor};

/// Static type of an expression; `None` is the type of `null`.
pub type StaticType = Option<JavaType>;

/// Whether no other overload of this method could take arguments of these types, so that no cast is needed to
/// choose. False if the overloads are unknown.
pub fn is_only_choice(facts: &dyn ClassFacts, method: &MethodRef, arguments: &[StaticType]) -> bool {
    let Some(overloads) = facts.overloads(&method.class, &method.name) else {
        return false;
    };
    let meant = method.descriptor.split(')').next();
    overloads.iter().filter(|other| other.split(')').next() != meant).all(|other| {
        let Some((parameters, _)) = parse_method_descriptor(other) else {
            return false;
        };
        parameters.len() != arguments.len()
            || arguments.iter().zip(&parameters).any(|(from, to)| !may_accept(facts, from, to))
    })
}

/// Whether an argument of type `from` needs a cast for a parameter of type `to`.
pub fn needs_cast(facts: &dyn ClassFacts, from: &StaticType, to: &JavaType, only_choice: bool) -> bool {
    let Some(from) = from else {
        return !only_choice;
    };
    if from == to {
        return false;
    }
    match (from.is_reference(), to.is_reference()) {
        (false, false) => !(only_choice && widens(from, to)),
        (false, true) => !(only_choice && may_accept(facts, &Some(from.clone()), to)),
        (true, false) => !(only_choice && unboxed(from).as_ref() == Some(to)),
        (true, true) => match is_subtype(facts, from, to) {
            Some(true) => !only_choice,
            Some(false) => true,
            None => true,
        },
    }
}

/// Whether every `sub` is a `sup`, as far as known.
pub fn is_subtype(facts: &dyn ClassFacts, sub: &JavaType, sup: &JavaType) -> Option<bool> {
    if sub == sup {
        return Some(true);
    }
    match (sub, sup) {
        (_, JavaType::Class(sup)) if &**sup == "java/lang/Object" => Some(true),
        (JavaType::Array(sub), JavaType::Array(sup)) if sub.is_reference() && sup.is_reference() => {
            is_subtype(facts, sub, sup)
        }
        (JavaType::Array(_), JavaType::Class(sup)) => {
            Some(matches!(&**sup, "java/lang/Cloneable" | "java/io/Serializable"))
        }
        (JavaType::Class(sub), JavaType::Class(sup)) => {
            facts.is_subtype(sub, sup).or_else(|| is_known_subtype(sub, sup))
        }
        _ => Some(false),
    }
}

/// The box of a primitive type.
pub fn boxed(primitive: &JavaType) -> Option<&'static str> {
    Some(match primitive {
        JavaType::Boolean => "java/lang/Boolean",
        JavaType::Byte => "java/lang/Byte",
        JavaType::Char => "java/lang/Character",
        JavaType::Short => "java/lang/Short",
        JavaType::Int => "java/lang/Integer",
        JavaType::Long => "java/lang/Long",
        JavaType::Float => "java/lang/Float",
        JavaType::Double => "java/lang/Double",
        _ => return None,
    })
}

/// The content type of a box.
pub fn unboxed(ty: &JavaType) -> Option<JavaType> {
    use JavaType::*;
    let JavaType::Class(name) = ty else { return None };
    [Boolean, Byte, Char, Short, Int, Long, Float, Double].into_iter().find(|it| boxed(it) == Some(name))
}

/// Facts about `String` and the boxes, which are final.
fn is_known_subtype(sub: &str, sup: &str) -> Option<bool> {
    let is_string = sub == "java/lang/String";
    let numeric = ["Byte", "Short", "Integer", "Long", "Float", "Double"]
        .iter()
        .any(|it| sub.strip_prefix("java/lang/") == Some(it));
    let is_box = numeric || matches!(sub, "java/lang/Boolean" | "java/lang/Character");
    if !is_string && !is_box {
        return None;
    }
    Some(match sup {
        "java/lang/Comparable" | "java/io/Serializable" | "java/lang/constant/Constable" => true,
        "java/lang/Number" => numeric,
        "java/lang/CharSequence" | "java/lang/constant/ConstantDesc" => is_string,
        _ => false,
    })
}

fn may_accept(facts: &dyn ClassFacts, from: &StaticType, to: &JavaType) -> bool {
    let Some(from) = from else {
        return to.is_reference();
    };
    match (from.is_reference(), to.is_reference()) {
        (false, false) => from == to || widens(from, to),
        (false, true) => {
            boxed(from).is_some_and(|name| is_subtype(facts, &JavaType::class(name), to) != Some(false))
        }
        (true, false) => unboxed(from).is_some_and(|inner| inner == *to || widens(&inner, to)),
        (true, true) => is_subtype(facts, from, to) != Some(false),
    }
}

/// Widening primitive conversion (JLS §5.1.2).
fn widens(from: &JavaType, to: &JavaType) -> bool {
    use JavaType::*;
    let rank = |ty: &JavaType| match ty {
        Byte => Some(0),
        Short => Some(1),
        Int => Some(2),
        Long => Some(3),
        Float => Some(4),
        Double => Some(5),
        _ => None,
    };
    match (from, to) {
        (Char, _) => rank(to).is_some_and(|to| to >= 2),
        _ => rank(from).zip(rank(to)).is_some_and(|(from, to)| from < to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NoFacts;

    struct Overloads(&'static [&'static str]);
    impl ClassFacts for Overloads {
        fn overloads(&self, _: &str, _: &str) -> Option<Vec<Box<str>>> {
            Some(self.0.iter().map(|&it| it.into()).collect())
        }
    }

    fn only_choice(others: &'static [&'static str], arguments: &[StaticType]) -> bool {
        let method = MethodRef {
            class: "A".into(),
            name: "m".into(),
            descriptor: "(Ljava/lang/String;)V".into(),
            varargs: false,
            throws: vec![],
            parameter_names: vec![],
        };
        is_only_choice(&Overloads(others), &method, arguments)
    }

    #[test]
    fn null_is_ambiguous_only_among_references() {
        assert!(only_choice(&["(Ljava/lang/String;)V", "(I)V", "()V"], &[None]));
        assert!(!only_choice(&["(Ljava/lang/String;)V", "([I)V"], &[None]));
    }

    #[test]
    fn a_string_is_no_array_and_no_integer() {
        let string = Some(JavaType::class("java/lang/String"));
        assert!(only_choice(&["([I)V", "(Ljava/lang/Integer;)V"], std::slice::from_ref(&string)));
        assert!(!only_choice(&["(Ljava/lang/CharSequence;)V"], &[string]));
    }

    #[test]
    fn without_facts_every_difference_is_cast() {
        let object = JavaType::class("java/lang/Object");
        let list = Some(JavaType::class("java/util/List"));
        assert!(needs_cast(&NoFacts, &list, &object, false));
        assert!(!needs_cast(&NoFacts, &list, &object, true));
        assert!(!needs_cast(&NoFacts, &Some(JavaType::Int), &JavaType::Int, false));
        assert!(needs_cast(&NoFacts, &Some(JavaType::Int), &JavaType::class("java/lang/Integer"), false));
        assert!(needs_cast(&NoFacts, &Some(object), &JavaType::class("java/util/List"), true));
    }

    #[test]
    fn widening_is_the_jls_table() {
        assert!(widens(&JavaType::Char, &JavaType::Int));
        assert!(!widens(&JavaType::Short, &JavaType::Char));
        assert!(!widens(&JavaType::Boolean, &JavaType::Int));
        assert!(widens(&JavaType::Long, &JavaType::Float));
    }
}
