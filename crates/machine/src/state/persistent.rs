//! Maps whose clones share what does not change.

/// A map whose clone costs nothing and shares what does not change.
pub type PersistentMap<K, V> = imbl::GenericHashMap<K, V, rustc_hash::FxBuildHasher, imbl::shared_ptr::RcK>;

/// The same in the order of its keys.
pub type OrderedMap<K, V> = imbl::GenericOrdMap<K, V, imbl::shared_ptr::RcK>;
