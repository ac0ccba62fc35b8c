//! Finds the constant that makes a constant pool unreadable, for the message only.

/// The first unreadable constant of a damaged pool, and the reason: `("constant pool entry 17, offset 0x5c", "…")`.
/// The reader of the pool only reports that there is one.
pub(crate) fn first_bad_constant(bytes: &[u8]) -> Option<(String, String)> {
    let count = bytes.get(8..10).map(|count| u16::from_be_bytes([count[0], count[1]]))?;
    if count == 0 {
        return Some(("constant pool, offset 0x8".into(), "a pool has at least entry 0".into()));
    }
    let (mut index, mut offset) = (1, 10);
    while index < count {
        match entry_length(&bytes[offset.min(bytes.len())..]) {
            Ok((length, entries)) => {
                offset += length;
                index += entries;
            }
            Err(problem) => {
                return Some((format!("constant pool entry {index}, offset {offset:#x}"), problem));
            }
        }
    }
    None
}

/// Bytes and pool entries that the constant at the beginning of `rest` takes (JVMS table 4.4-A).
fn entry_length(rest: &[u8]) -> Result<(usize, u16), String> {
    let tag = *rest.first().ok_or("the file ends here")?;
    let (length, entries) = match tag {
        1 => {
            let length = rest.get(1..3).ok_or("the file ends in this constant")?;
            (3 + usize::from(u16::from_be_bytes([length[0], length[1]])), 1)
        }
        3 | 4 | 9..=12 | 17 | 18 => (5, 1),
        5 | 6 => (9, 2),
        7 | 8 | 16 | 19 | 20 => (3, 1),
        15 => (4, 1),
        other => return Err(format!("there is no kind of constant with tag {other}")),
    };
    let entry = rest.get(..length).ok_or("the file ends in this constant")?;
    match tag {
        1 => noak::MStr::from_mutf8(&entry[3..])
            .map_err(|_| "this text is not modified UTF-8".to_owned())
            .map(|_| ())?,
        15 if !(1..=9).contains(&entry[1]) => {
            return Err(format!("there is no method handle of kind {}", entry[1]));
        }
        _ if entry[1..].starts_with(&[0, 0]) && !matches!(tag, 1 | 3..=6 | 15 | 17 | 18) => {
            return Err("refers to constant pool entry 0".into());
        }
        _ => {}
    }
    Ok((length, entries))
}
