//! Cold registers: the part of the state that most runs do not change, shared by snapshots until it is written.

use crate::classes::ClassId;
use crate::memory::Addr;
use crate::state::{OrderedMap, PersistentMap};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A value that clones share until one of them writes to it and gets its own copy.
#[derive(Clone)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// A value that is not shared.
    pub fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

/// A class loader's answer for a name: `None` if it did not find the class.
pub(crate) type Answer = Option<ClassId>;

/// State outside memory and stack that most runs do not change.
#[derive(Clone)]
pub struct ColdRegisters {
    /// Capacities of arrays whose length is symbolic: the number of elements that they have memory for.
    pub capacities: PersistentMap<Addr, u32>,
    /// Interned strings by content.
    pub interned: PersistentMap<Rc<[u16]>, Addr>,
    /// `Module` objects by name; the empty name is the module of the class path.
    pub modules: PersistentMap<Rc<str>, Addr>,
    /// Cleared references that the JDK's handler has not seen yet, linked by their field `discovered`.
    pub pending_references: Addr,
    /// An error for when no memory is left to make one.
    pub out_of_memory: Addr,
    /// Objects that stay, whatever refers to them.
    pub pinned: PersistentMap<Addr, ()>,
    /// Memory outside the heap: start and length of each block in bytes.
    pub outside: OrderedMap<u64, u64>,
    /// Threads of the JDK that wait for cleared references; they are started when there are some.
    pub dormant: Rc<Vec<Addr>>,
    /// Monitors that do not fit into the header of their object: owner and count.
    pub monitors: PersistentMap<Addr, (u32, u32)>,
    /// Bytes written to standard output and standard error, in order, with the descriptor (1 or 2).
    pub output: Rc<Vec<(u8, Vec<u8>)>>,
    /// The file system and what is open in it.
    pub disk: crate::world::Disk,
    /// The sockets of the program.
    pub network: crate::world::Network,
    /// The threads that are not running, in the order in which they stopped.
    pub stopped: Rc<Vec<crate::threads::StoppedThread>>,
    /// The cause of a failed class initialisation, for later attempts.
    pub init_failures: PersistentMap<ClassId, Addr>,
    /// Streams of zlib in use, by the address that Java code uses for them.
    pub zip_streams: PersistentMap<u64, crate::natives::ZipStream>,
    /// Answers of the program's class loaders, by loader address and class name.
    pub(crate) answers: PersistentMap<(Addr, std::rc::Rc<str>), Answer>,
    /// Protection domains of classes made of bytes, as given by their loaders.
    pub(crate) domains: PersistentMap<ClassId, Addr>,
    /// Objects, and statics by their state words, with the threads that have reached them; recorded if the
    /// schedule needs it.
    pub reached: PersistentMap<Addr, crate::threads::Reach>,
    /// Threads whose next `park` does not wait.
    pub permits: PersistentMap<Addr, ()>,
}
