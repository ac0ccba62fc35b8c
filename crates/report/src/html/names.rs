//! Display names of classes and methods.

use cupping_case::{JavaType, parse_method_descriptor};

/// A method as its declaration looks: `clamp(int, int, int)`, `Range(int)` for a constructor.
pub fn signature(class: &str, name: &str, descriptor: &str) -> String {
    let name = match name {
        "<init>" => simple(class),
        "<clinit>" => return "static { … }".into(),
        name => name,
    };
    let parameters = parse_method_descriptor(descriptor).map(|it| it.0).unwrap_or_default();
    let parameters: Vec<String> = parameters.iter().map(type_name).collect();
    format!("{name}({})", parameters.join(", "))
}

/// The last part of an internal name.
pub fn simple(class: &str) -> &str {
    class.rsplit(['/', '$']).next().unwrap_or(class)
}

fn type_name(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(name) => simple(name).to_owned(),
        JavaType::Array(element) => format!("{}[]", type_name(element)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_written_as_declared() {
        assert_eq!(signature("a/Gcd", "gcd", "(I[[JLjava/util/Map$Entry;)V"), "gcd(int, long[][], Entry)");
        assert_eq!(signature("a/B$C", "<init>", "()V"), "C()");
        assert_eq!(signature("a/B", "<clinit>", "()V"), "static { … }");
        assert_eq!(signature("a/B", "odd", "not one"), "odd()");
    }
}
