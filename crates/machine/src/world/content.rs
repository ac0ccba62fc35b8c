//! The bytes of a file in memory: pages that forks share until one writes. Holes take no memory.
//!
//! Besides its value a byte may have a shadow, like an element of a `byte[]`.

use crate::state::{PersistentMap, Shadow};
use std::rc::Rc;

const PAGE: usize = 4096;

/// Bytes with their shadows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The values.
    pub plain: Vec<u8>,
    /// The shadows, with their indices, in order.
    pub shadows: Vec<(usize, Shadow)>,
}

impl Bytes {
    /// Adds bytes at the end.
    pub fn append(&mut self, more: Bytes) {
        let before = self.plain.len();
        self.plain.extend(more.plain);
        self.shadows.extend(more.shadows.into_iter().map(|(at, shadow)| (before + at, shadow)));
    }

    /// Takes at most so many bytes from the beginning.
    pub fn take(&mut self, most: usize) -> Bytes {
        let count = most.min(self.plain.len());
        let rest = self.plain.split_off(count);
        let of_rest = self.shadows.partition_point(|(at, _)| *at < count);
        let shadows = self.shadows.split_off(of_rest).into_iter().map(|(at, shadow)| (at - count, shadow));
        std::mem::replace(self, Bytes { plain: rest, shadows: shadows.collect() })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(plain: Vec<u8>) -> Bytes {
        Bytes { plain, shadows: Vec::new() }
    }
}

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pages: PersistentMap<u64, Rc<[u8; PAGE]>>,
    /// The shadows of bytes that have one.
    shadows: PersistentMap<u64, Shadow>,
    length: u64,
}

impl Content {
    /// The content of these bytes.
    pub fn of(bytes: &[u8]) -> Content {
        let mut content = Content::default();
        content.write(0, bytes);
        content
    }

    /// Bytes in the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Bytes of memory that it takes.
    pub fn held(&self) -> u64 {
        self.pages.len() as u64 * PAGE as u64
    }

    /// Bytes from a position on: as many as wanted, or as many as exist.
    pub fn read(&self, from: u64, wanted: usize) -> Vec<u8> {
        let left = self.length.saturating_sub(from).min(wanted as u64) as usize;
        let mut bytes = Vec::with_capacity(left);
        while bytes.len() < left {
            let at = from + bytes.len() as u64;
            let (page, offset) = (at / PAGE as u64, (at % PAGE as u64) as usize);
            let part = (PAGE - offset).min(left - bytes.len());
            match self.pages.get(&page) {
                Some(page) => bytes.extend_from_slice(&page[offset..offset + part]),
                None => bytes.resize(bytes.len() + part, 0),
            }
        }
        bytes
    }

    /// The same with their shadows.
    pub fn read_symbolic(&self, from: u64, wanted: usize) -> Bytes {
        let plain = self.read(from, wanted);
        if self.shadows.is_empty() {
            return plain.into();
        }
        let shadow = |at: usize| Some((at, *self.shadows.get(&(from + at as u64))?));
        let shadows = (0..plain.len()).filter_map(shadow).collect();
        Bytes { plain, shadows }
    }

    /// Whether any byte has a shadow.
    pub fn is_symbolic(&self) -> bool {
        !self.shadows.is_empty()
    }

    /// The shadows by position, in no order.
    pub fn shadows(&self) -> impl Iterator<Item = (u64, Shadow)> + '_ {
        self.shadows.iter().map(|(at, shadow)| (*at, *shadow))
    }

    /// Writes bytes at a position, with their shadows.
    pub fn write_symbolic(&mut self, at: u64, bytes: &Bytes) {
        self.write(at, &bytes.plain);
        for (offset, shadow) in &bytes.shadows {
            self.shadows.insert(at + *offset as u64, *shadow);
        }
    }

    /// Gives a byte another value; its shadow stays.
    pub fn set_value(&mut self, at: u64, byte: u8) {
        let shadow = self.shadows.get(&at).copied();
        self.write(at, &[byte]);
        if let Some(shadow) = shadow {
            self.shadows.insert(at, shadow);
        }
    }

    fn forget_shadows(&mut self, from: u64, to: u64) {
        if !self.shadows.is_empty() {
            self.shadows.retain(|at, _| *at < from || *at >= to);
        }
    }

    /// Writes bytes without shadows at a position; bytes between the old end and the position become zero.
    pub fn write(&mut self, at: u64, bytes: &[u8]) {
        self.forget_shadows(at, at.saturating_add(bytes.len() as u64));
        let mut done = 0;
        while done < bytes.len() {
            let place = at + done as u64;
            let (page, offset) = (place / PAGE as u64, (place % PAGE as u64) as usize);
            let part = (PAGE - offset).min(bytes.len() - done);
            let mut written = self.pages.get(&page).cloned().unwrap_or_else(|| Rc::new([0; PAGE]));
            Rc::make_mut(&mut written)[offset..offset + part].copy_from_slice(&bytes[done..done + part]);
            self.pages.insert(page, written);
            done += part;
        }
        if !bytes.is_empty() {
            self.length = self.length.max(at + bytes.len() as u64);
        }
    }

    /// Cuts the file off, or makes it longer by zeros.
    pub fn set_length(&mut self, length: u64) {
        if length < self.length {
            self.forget_shadows(length, u64::MAX);
            let last = length.div_ceil(PAGE as u64);
            let beyond: Vec<u64> = self.pages.keys().copied().filter(|page| *page >= last).collect();
            for page in beyond {
                self.pages.remove(&page);
            }
            let (page, offset) = (length / PAGE as u64, (length % PAGE as u64) as usize);
            if let Some(mut cut) = self.pages.get(&page).cloned() {
                Rc::make_mut(&mut cut)[offset..].fill(0);
                self.pages.insert(page, cut);
            }
        }
        self.length = length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shadows_go_with_what_is_overwritten_or_cut_off() {
        let mut content = Content::default();
        content.write_symbolic(2, &Bytes { plain: vec![7; 5], shadows: vec![(0, 11), (2, 12), (4, 13)] });
        let fork = content.clone();
        content.write(3, &[1, 1]);
        content.set_value(2, 9);
        content.set_length(6);
        let expected = Bytes { plain: vec![0, 0, 9, 1, 1, 7], shadows: vec![(2, 11)] };
        assert_eq!(content.read_symbolic(0, 100), expected);
        assert_eq!(fork.read_symbolic(3, 9), Bytes { plain: vec![7; 4], shadows: vec![(1, 12), (3, 13)] });
    }

    proptest! {
        /// Against a plain vector.
        #[test]
        fn contents_behave_like_an_array_of_bytes(steps in proptest::collection::vec((0..3u8, 0..20_000u64, 0..9000usize), 0..20)) {
            let (mut content, mut model) = (Content::default(), Vec::new());
            for (step, (what, at, count)) in steps.into_iter().enumerate() {
                match what {
                    0 if count > 0 => {
                        let bytes = vec![step as u8 + 1; count];
                        content.write(at, &bytes);
                        model.resize(model.len().max(at as usize + count), 0);
                        model[at as usize..at as usize + count].copy_from_slice(&bytes);
                    }
                    1 => {
                        content.set_length(at);
                        model.resize(at as usize, 0);
                    }
                    _ => {
                        let end = model.len().min(at as usize + count);
                        let expected = model.get(at as usize..end).unwrap_or_default();
                        prop_assert_eq!(content.read(at, count), expected);
                    }
                }
                prop_assert_eq!(content.length(), model.len() as u64);
            }
            prop_assert_eq!(content.read(0, usize::MAX), model);
        }
    }
}
