//! Class files with other class names in them.

use cupping_classfile::with_other_classes;
use std::collections::BTreeMap;

/// Renames classes in a class file: in its constants, descriptors and signatures. Nested classes follow their outer
/// class. The text of string constants stays. `None` if the constant pool is damaged.
pub fn rename_classes(bytes: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    const POOL: usize = 10;
    let count = usize::from(u16_at(bytes, 8)?);
    let mut entries: Vec<Vec<u8>> = vec![Vec::new()];
    let mut at = POOL;
    while entries.len() < count {
        let tag = *bytes.get(at)?;
        let length = match tag {
            1 => 3 + usize::from(u16_at(bytes, at + 1)?),
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 5,
            5 | 6 => 9,
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            _ => return None,
        };
        entries.push(bytes.get(at..at + length)?.to_vec());
        at += length;
        if matches!(tag, 5 | 6) {
            entries.push(Vec::new());
        }
    }
    let texts: Vec<Option<String>> = entries.iter().map(|it| text(it)).collect();
    for place in 1..count {
        let (Some(&tag), Some(named)) = (entries[place].first(), u16_at(&entries[place], 1)) else {
            continue;
        };
        let Some(text) = texts.get(usize::from(named)).and_then(Option::as_ref) else { continue };
        // A text may also serve as the name of a member, so a changed text becomes a new constant.
        let other = match tag {
            7 if !text.starts_with('[') => renamed(text, names),
            8 if in_descriptor(text, names).is_some() => Some(text.clone()),
            _ => None,
        };
        if let Some(other) = other {
            let index = u16::try_from(entries.len()).ok()?;
            entries.push(utf8(&other)?);
            entries[place][1..3].copy_from_slice(&index.to_be_bytes());
        }
    }
    for (entry, text) in entries.iter_mut().zip(&texts) {
        if let Some(other) = text.as_ref().and_then(|it| in_descriptor(it, names)) {
            *entry = utf8(&other)?;
        }
    }
    let mut out = bytes[..8].to_vec();
    out.extend(u16::try_from(entries.len()).ok()?.to_be_bytes());
    entries.iter().for_each(|it| out.extend(it));
    out.extend(&bytes[at..]);
    Some(out)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// The text of a constant. Java's encoding of zero and of surrogates is not UTF-8, and no name contains these.
fn text(entry: &[u8]) -> Option<String> {
    (entry.first() == Some(&1)).then(|| String::from_utf8(entry[3..].to_vec()).ok()).flatten()
}

fn utf8(text: &str) -> Option<Vec<u8>> {
    let mut entry = vec![1];
    entry.extend(u16::try_from(text.len()).ok()?.to_be_bytes());
    entry.extend(text.as_bytes());
    Some(entry)
}

/// The new name of a class, if it or its outer class has one.
pub fn renamed(name: &str, names: &BTreeMap<String, String>) -> Option<String> {
    let ends = name.match_indices('$').map(|(at, _)| at).chain([name.len()]);
    ends.into_iter().find_map(|end| Some(format!("{}{}", names.get(&name[..end])?, &name[end..])))
}

/// A descriptor or signature with new names, if it contains one of these.
fn in_descriptor(text: &str, names: &BTreeMap<String, String>) -> Option<String> {
    with_other_classes(text, |name| renamed(name, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> BTreeMap<String, String> {
        BTreeMap::from([("a/B".into(), "c/D".into())])
    }

    #[test]
    fn nested_classes_go_with_the_class_around_them() {
        assert_eq!(renamed("a/B$C$1", &names()).as_deref(), Some("c/D$C$1"));
        assert_eq!(renamed("a/BC", &names()), None);
    }

    #[test]
    fn descriptors_and_signatures_have_the_other_name() {
        let with = |text: &str| in_descriptor(text, &names());
        assert_eq!(with("(La/B;I[La/B$C;)LL;").as_deref(), Some("(Lc/D;I[Lc/D$C;)LL;"));
        assert_eq!(with("Ljava/util/List<La/B;>;").as_deref(), Some("Ljava/util/List<Lc/D;>;"));
        assert_eq!(with("La/BL;"), None);
        assert_eq!(with("Label"), None);
    }
}
