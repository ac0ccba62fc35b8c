//! The table of natives, by class and name. What a native is, is left to the machine.

use rustc_hash::FxHashMap;

/// A row of the table.
pub struct Row<N> {
    /// Internal name of the class.
    pub class: &'static str,
    /// Name of the method.
    pub name: &'static str,
    /// Its descriptor; `*` for all.
    pub descriptor: &'static str,
    /// What runs.
    pub native: N,
    /// Whether it stands for bytecode as well, where the method has some.
    pub replaces: bool,
}

/// All natives, by class and name.
pub struct Table<N: 'static> {
    by_name: FxHashMap<(&'static str, &'static str), Vec<&'static Row<N>>>,
}

impl<N: Copy> Table<N> {
    /// The table of these rows.
    pub(crate) fn new(rows: impl Iterator<Item = &'static Row<N>>) -> Table<N> {
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for native in rows {
            by_name.entry((native.class, native.name)).or_default().push(native);
        }
        Table { by_name }
    }

    /// What runs in place of this method, which has bytecode or not.
    pub fn find(&self, class: &str, name: &str, descriptor: &str, has_code: bool) -> Option<N> {
        let rows = self.by_name.get(&(class, name))?;
        rows.iter()
            .find(|row| row.descriptor == descriptor || row.descriptor == "*")
            .filter(|row| row.replaces || !has_code)
            .map(|row| row.native)
    }
}
