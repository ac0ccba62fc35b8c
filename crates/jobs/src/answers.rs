//! The answers of the present program to the queries of an earlier job.

use crate::digest::{Digest, Hasher};
use cupping_classfile::facts::FactKind;
use cupping_classfile::reads::Read;
use cupping_classfile::{Jdk, Program};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The digests of a program's answers, cached.
#[derive(Debug)]
pub struct Answers {
    /// The programs that are asked, all of them each time; at least one.
    programs: Vec<Arc<Program>>,
    /// The kinds of facts that are asked for.
    facts: &'static [FactKind],
    known: Mutex<HashMap<Read, Digest>>,
}

impl Answers {
    /// Questions about this program.
    pub fn new(program: Arc<Program>) -> Answers {
        Answers::of_all(vec![program], &[])
    }

    /// Questions about several programs, such as versions of one. A recording does not say which of them was asked,
    /// so the answers of all of them count.
    pub fn of_all(programs: Vec<Arc<Program>>, facts: &'static [FactKind]) -> Answers {
        Answers { programs, facts, known: Mutex::default() }
    }

    /// The digest of the answer to one question.
    pub fn one(&self, read: &Read) -> Digest {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = known.get(read) {
            return digest.clone();
        }
        let mut hasher = Hasher::default();
        for program in &self.programs {
            program.answer(read, self.facts, &mut |bytes| hasher.add(bytes));
            if self.programs.len() > 1 {
                hasher.add(b"\0end of program\0");
            }
        }
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

    /// The digest of the answers to the [coarse](Read::coarse) forms of these questions.
    pub fn coarse<'r>(&self, reads: impl IntoIterator<Item = &'r Read>) -> Digest {
        let coarse: BTreeSet<Read> = reads.into_iter().map(Read::coarse).collect();
        self.all(&coarse)
    }

    /// The size of a class file in bytes; 0 if there is none.
    pub fn size(&self, class: &str) -> u64 {
        let sizes = self.programs.iter().filter_map(|program| program.find(class).ok().flatten());
        sizes.map(|it| it.bytes().len() as u64).max().unwrap_or(0)
    }

    /// What distinguishes JDKs: their version texts, and the size of their class library. Two builds with equal
    /// texts and sizes would count as one.
    pub fn jdk(&self) -> Digest {
        let mut hasher = Hasher::default();
        self.programs.iter().for_each(|program| add_jdk(program.jdk(), &mut hasher));
        hasher.digest()
    }
}

fn add_jdk(jdk: &Jdk, hasher: &mut Hasher) {
    hasher.add_whole(&std::fs::read(jdk.home().join("release")).unwrap_or_default());
    let size = std::fs::metadata(jdk.home().join("lib/modules")).map_or(0, |it| it.len());
    hasher.add_whole(&size.to_le_bytes());
}
