//! The answers of the present program to the queries of an earlier job.

use crate::digest::{Digest, Hasher};
use cupping_classfile::reads::Read;
use cupping_classfile::{Jdk, Program};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The digests of a program's answers, cached.
#[derive(Debug)]
pub struct Answers {
    program: Arc<Program>,
    known: Mutex<HashMap<Read, Digest>>,
}

impl Answers {
    /// Questions about this program.
    pub fn new(program: Arc<Program>) -> Answers {
        Answers { program, known: Mutex::default() }
    }

    /// The digest of the answer to one question.
    pub fn one(&self, read: &Read) -> Digest {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = known.get(read) {
            return digest.clone();
        }
        let mut hasher = Hasher::default();
        self.program.answer(read, &mut |bytes| hasher.add(bytes));
        let digest = hasher.digest();
        known.insert(read.clone(), digest.clone());
        digest
    }

    /// The digest of the answers to all of these, in this order.
    pub fn all<'r>(&self, reads: impl IntoIterator<Item = &'r Read>) -> Digest {
        let mut hasher = Hasher::default();
        for read in reads {
            hasher.add_whole(self.one(read).as_str().as_bytes());
        }
        hasher.digest()
    }

    /// The size of a class file in bytes; 0 if there is none.
    pub fn size(&self, class: &str) -> u64 {
        self.program.find(class).ok().flatten().map_or(0, |it| it.bytes().len() as u64)
    }

    /// What distinguishes JDKs: their version texts, and the size of their class library. Two builds with equal
    /// texts and sizes would count as one.
    pub fn jdk(&self) -> Digest {
        jdk(self.program.jdk())
    }
}

fn jdk(jdk: &Jdk) -> Digest {
    let mut hasher = Hasher::default();
    hasher.add_whole(&std::fs::read(jdk.home().join("release")).unwrap_or_default());
    let size = std::fs::metadata(jdk.home().join("lib/modules")).map_or(0, |it| it.len());
    hasher.add_whole(&size.to_le_bytes());
    hasher.digest()
}
