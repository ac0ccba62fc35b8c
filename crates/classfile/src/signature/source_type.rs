//! The type that a descriptor or signature denotes, in Java syntax.
//!
//! It is parsed separately from [`GenericType`](super::GenericType), which omits what analyses do not need: the
//! direction of a wildcard and the type arguments of enclosing classes.

/// The Java type of a descriptor or signature; `None` if it cannot be written in Java.
#[must_use]
pub fn source_type(signature: &str) -> Option<String> {
    let (ty, rest) = parse(signature, 0)?;
    rest.is_empty().then_some(ty)
}

/// Limit on the nesting of type arguments.
const DEEPEST: usize = 32;

fn parse(text: &str, depth: usize) -> Option<(String, &str)> {
    if depth > DEEPEST {
        return None;
    }
    let mut rest = text.get(1..)?;
    let primitive = match text.as_bytes().first()? {
        b'Z' => "boolean",
        b'B' => "byte",
        b'C' => "char",
        b'S' => "short",
        b'I' => "int",
        b'J' => "long",
        b'F' => "float",
        b'D' => "double",
        b'V' => "void",
        b'[' => {
            let (element, rest) = parse(rest, depth + 1)?;
            return Some((element + "[]", rest));
        }
        b'T' => {
            let end = rest.find(';')?;
            return Some((rest[..end].to_owned(), &rest[end + 1..]));
        }
        b'L' => {
            let mut ty = String::new();
            loop {
                let end = rest.find(['<', ';', '.'])?;
                ty += &rest[..end].replace(['/', '$'], ".");
                let sign = rest.as_bytes()[end];
                rest = &rest[end + 1..];
                match sign {
                    b';' => return Some((ty, rest)),
                    b'.' => ty.push('.'),
                    _ => {
                        let (arguments, after) = arguments(rest, depth + 1)?;
                        ty += &arguments;
                        rest = after;
                    }
                }
            }
        }
        _ => return None,
    };
    Some((primitive.to_owned(), rest))
}

fn arguments(text: &str, depth: usize) -> Option<(String, &str)> {
    let (mut rest, mut parts) = (text, Vec::new());
    loop {
        let (prefix, skip) = match rest.as_bytes().first()? {
            b'>' => return Some((format!("<{}>", parts.join(", ")), &rest[1..])),
            b'*' => {
                parts.push("?".to_owned());
                rest = &rest[1..];
                continue;
            }
            b'+' => ("? extends ", 1),
            b'-' => ("? super ", 1),
            _ => ("", 0),
        };
        let (ty, after) = parse(&rest[skip..], depth)?;
        parts.push(format!("{prefix}{ty}"));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::source_type;

    #[test]
    fn types_are_written_as_in_java() {
        let cases = [
            ("I", Some("int")),
            ("[[J", Some("long[][]")),
            ("Ljava/util/Map<Ljava/lang/String;[I>;", Some("java.util.Map<java.lang.String, int[]>")),
            ("Ljava/util/List<+Ljava/lang/Number;>;", Some("java.util.List<? extends java.lang.Number>")),
            ("La/B<*>.C<TT;>;", Some("a.B<?>.C<T>")),
            ("La/B$C;", Some("a.B.C")),
            ("Q", None),
            ("L", None),
            ("", None),
        ];
        for (signature, expected) in cases {
            assert_eq!(source_type(signature).as_deref(), expected, "{signature}");
        }
    }
}
