//! The bytes of a file in memory: pages that forks share until one writes. Holes take no memory.

use crate::state::PersistentMap;
use std::rc::Rc;

const PAGE: usize = 4096;

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pages: PersistentMap<u64, Rc<[u8; PAGE]>>,
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

    /// Bytes from a position on: as many as wanted, or as there are.
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

    /// Writes bytes at a position; what lies between the end and it becomes zero.
    pub fn write(&mut self, at: u64, bytes: &[u8]) {
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

    proptest! {
        /// Against a plain vector.
        #[test]
        fn it_is_an_array_of_bytes(steps in proptest::collection::vec((0..3u8, 0..20_000u64, 0..9000usize), 0..20)) {
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
