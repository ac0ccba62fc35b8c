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
