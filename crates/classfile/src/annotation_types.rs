//! Reads the annotation types of a class or member.

use crate::{Annotations, ClassFile, Constant};

/// The type descriptors of the annotations, up to a damaged one.
pub fn annotation_types(file: &ClassFile, annotations: &Annotations) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(visible) = &annotations.visible {
        let mut bytes = Bytes(visible);
        for _ in 0..bytes.u16().unwrap_or(0) {
            let Some(index) = bytes.annotation(0) else { break };
            if let Ok(Constant::Utf8(descriptor)) = file.constant(index) {
                found.push(descriptor.into_owned());
            }
        }
    }
    found
}

/// Limit on nested annotations.
const DEEPEST: u32 = 32;

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn u8(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.u8()?, self.u8()?]))
    }

    /// Skips an annotation (JVMS §4.7.16); returns the index of its type.
    fn annotation(&mut self, depth: u32) -> Option<u16> {
        let ty = self.u16()?;
        for _ in 0..self.u16()? {
            self.u16()?;
            self.element(depth)?;
        }
        Some(ty)
    }

    fn element(&mut self, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.u8()? {
            b'e' => {
                self.u16()?;
                self.u16()?;
            }
            b'@' => {
                self.annotation(depth + 1)?;
            }
            b'[' => {
                for _ in 0..self.u16()? {
                    self.element(depth + 1)?;
                }
            }
            _ => {
                self.u16()?;
            }
        }
        Some(())
    }
}
