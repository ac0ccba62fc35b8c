//! Names of classes as messages show them.

/// A type name without packages and outer classes.
pub fn simple(dotted: &str) -> String {
    let at = dotted.rfind(['.', '$']).map_or(0, |at| at + 1);
    // An anonymous class keeps its number.
    if dotted[at..].starts_with(|c: char| c.is_ascii_digit()) {
        dotted.to_owned()
    } else {
        dotted[at..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::simple;

    #[test]
    fn packages_and_outer_classes_are_left_out() {
        assert_eq!(simple("java.util.Map$Entry"), "Entry");
        assert_eq!(simple("java.util.Map$Entry[][]"), "Entry[][]");
        assert_eq!(simple("int"), "int");
        assert_eq!(simple("Box"), "Box");
        assert_eq!(simple("p.Box$12"), "p.Box$12", "an anonymous class");
    }
}
