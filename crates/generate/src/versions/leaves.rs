//! The primitive values of an image.

use cupping_machine::Kind;
use cupping_term::TermId;

/// A primitive value, with its term if it depends on inputs.
pub(super) type Leaf = (u64, Option<TermId>);

/// Primitive values in traversal order.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    parts: Vec<Part>,
    /// The number of values.
    count: usize,
}

#[derive(Debug)]
enum Part {
    Value(Leaf),
    /// The elements of an array that do not depend on inputs, as they are packed in memory. There is at least one.
    Elements {
        kind: Kind,
        count: usize,
        words: Box<[u64]>,
    },
}

impl Leaves {
    pub(super) fn push(&mut self, leaf: Leaf) {
        self.parts.push(Part::Value(leaf));
        self.count += 1;
    }

    /// Adds the elements of an array.
    pub(super) fn push_elements(&mut self, kind: Kind, count: u32, words: &[u64]) {
        let Some(last) = words.len().checked_sub(1) else { return };
        let mut words: Box<[u64]> = words.into();
        let count = count as usize;
        // What lies behind the last element is not part of the array.
        let bits = (count * kind.array_bytes() as usize - last * 8) * 8;
        words[last] &= u64::MAX >> (64 - bits);
        self.parts.push(Part::Elements { kind, count, words });
        self.count += count;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The values of both images, side by side, apart from some that are equal.
    pub(super) fn beside<'a>(&'a self, other: &'a Leaves) -> Beside<'a> {
        Beside {
            one: Cursor { parts: &self.parts, within: 0 },
            other: Cursor { parts: &other.parts, within: 0 },
        }
    }
}

/// Walks through the values of two images.
pub(super) struct Beside<'a> {
    one: Cursor<'a>,
    other: Cursor<'a>,
}

impl Iterator for Beside<'_> {
    type Item = (Leaf, Leaf);

    fn next(&mut self) -> Option<(Leaf, Leaf)> {
        while let (Some(words), Some(others)) = (self.one.elements(), self.other.elements()) {
            if words != others {
                break;
            }
            self.one.skip();
            self.other.skip();
        }
        Some((self.one.next()?, self.other.next()?))
    }
}

#[derive(Clone)]
struct Cursor<'a> {
    parts: &'a [Part],
    /// The next element of the first part.
    within: usize,
}

impl<'a> Cursor<'a> {
    /// The elements of the array that begins here.
    fn elements(&self) -> Option<(Kind, &'a [u64])> {
        match self.parts.first() {
            Some(Part::Elements { kind, words, .. }) if self.within == 0 => Some((*kind, words)),
            _ => None,
        }
    }

    fn skip(&mut self) {
        self.parts = &self.parts[1..];
        self.within = 0;
    }

    fn next(&mut self) -> Option<Leaf> {
        let (leaf, is_last) = match self.parts.first()? {
            Part::Value(leaf) => (*leaf, true),
            Part::Elements { kind, count, words } => {
                let size = kind.array_bytes() as usize;
                let (word, shift) = (self.within * size / 8, self.within * size % 8 * 8);
                let bits = words[word] >> shift & (u64::MAX >> (64 - size * 8));
                self.within += 1;
                ((kind.narrow(bits), None), self.within == *count)
            }
        };
        if is_last {
            self.skip();
        }
        Some(leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> Leaves {
        let mut leaves = Leaves::default();
        for bytes in parts {
            let words: Vec<u64> = bytes
                .chunks(8)
                .map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
                .collect();
            leaves.push_elements(Kind::Byte, bytes.len() as u32, &words);
        }
        leaves
    }

    #[test]
    fn equal_arrays_are_skipped_and_others_compared_by_element() {
        let one = of(&[b"same", b"0123456789", b"x"]);
        let other = of(&[b"same", b"012345678a", b"x"]);
        let differing: Vec<(Leaf, Leaf)> = one.beside(&other).filter(|(a, b)| a != b).collect();
        assert_eq!(differing, [((u64::from(b'9'), None), (u64::from(b'a'), None))]);
        assert_eq!(one.beside(&one).count(), 0);
        assert_eq!(one.len(), 15);
    }

    #[test]
    fn packed_elements_stand_beside_single_values() {
        let packed = of(&[&[1, 2, 0xff]]);
        let mut single = Leaves::default();
        for value in [1, 2, 0xffff_ffff] {
            single.push((value, None));
        }
        assert!(packed.beside(&single).all(|(a, b)| a == b), "bytes are sign-extended");
        assert_eq!(packed.beside(&single).count(), 3);
    }

    #[test]
    fn what_lies_behind_the_last_element_does_not_count() {
        let with = |behind: u64| {
            let mut leaves = Leaves::default();
            leaves.push_elements(Kind::Char, 3, &[behind << 48 | 0x0003_0002_0001]);
            leaves
        };
        assert_eq!(with(7).beside(&with(9)).count(), 0);
    }
}
