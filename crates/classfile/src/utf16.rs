//! Modified UTF-8 (JVMS §4.4.7) as UTF-16.

/// UTF-16 units of modified UTF-8 (JVMS §4.4.7) that is known to be well-formed: one, two or three bytes a unit.
pub(crate) fn utf16_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().map(u16::from);
    while let Some(first) = rest.next() {
        let mut continuation = || rest.next().unwrap_or(0) & 0x3F;
        units.push(match first {
            0x00..=0x7F => first,
            0x80..=0xDF => (first & 0x1F) << 6 | continuation(),
            _ => (first & 0x0F) << 12 | continuation() << 6 | continuation(),
        });
    }
    units
}

#[cfg(test)]
mod tests {
    use super::utf16_units;

    #[test]
    fn modified_utf8_gives_utf16_units() {
        let cases: [(&[u8], &[u16]); 5] = [
            (b"aZ", &[0x61, 0x5A]),
            (&[0xC0, 0x80], &[0]),
            (&[0xC3, 0xA9], &[0xE9]),
            (&[0xE2, 0x82, 0xAC], &[0x20AC]),
            (&[0xED, 0xA0, 0xBD, 0x41], &[0xD83D, 0x41]),
        ];
        for (bytes, units) in cases {
            assert_eq!(utf16_units(bytes), units, "{bytes:x?}");
        }
    }
}
