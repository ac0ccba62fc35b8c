//! A part of a class file's bytes that keeps the whole alive.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a shared byte buffer. Clones share the buffer.
#[derive(Clone)]
pub struct SharedBytes {
    buffer: Arc<[u8]>,
    range: Range<usize>,
}

impl SharedBytes {
    /// The part of `buffer` that `slice`, borrowed from it, covers; `None` if `slice` lies elsewhere.
    pub(crate) fn of(buffer: &Arc<[u8]>, slice: &[u8]) -> Option<SharedBytes> {
        let start = (slice.as_ptr() as usize).checked_sub(buffer.as_ptr() as usize)?;
        let end = start.checked_add(slice.len())?;
        (end <= buffer.len()).then(|| SharedBytes { buffer: Arc::clone(buffer), range: start..end })
    }

    /// Where this part begins in the buffer, in bytes.
    pub fn offset(&self) -> usize {
        self.range.start
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> SharedBytes {
        let range = 0..bytes.len();
        SharedBytes { buffer: bytes.into(), range }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &SharedBytes) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({:?})", &**self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_knows_its_place_and_a_stranger_is_refused() {
        let buffer: Arc<[u8]> = Arc::from([1u8, 2, 3, 4]);
        let part = SharedBytes::of(&buffer, &buffer[1..3]).unwrap();
        assert_eq!((&*part, part.offset()), (&[2u8, 3][..], 1));
        let other: Arc<[u8]> = Arc::from([1u8; 64]);
        assert!(SharedBytes::of(&buffer, &other[..]).is_none());
    }
}
