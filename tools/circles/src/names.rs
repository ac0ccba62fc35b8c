//! Which file names what of which other file.
//!
//! A name counts for the file that defines it, through any number of re-exports: `use crate::Machine` is an arrow to
//! the file with the `struct`. A `use` that hands a name on (`pub use`) is no arrow by itself, and the name of a module
//! is none: only what is taken out of it is. Methods have no path, so calling one is no arrow.

use crate::tree::{Import, Names, Tree, expand, is_for_tests};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// Arrows from file to file, each with the names it is made of.
pub(crate) type Edges = BTreeMap<(usize, usize), BTreeSet<String>>;

/// The arrows of a crate.
pub(crate) fn edges(tree: &Tree) -> Edges {
    let mut edges = Edges::new();
    for (name, module) in &tree.modules {
        let mut paths = Paths { found: BTreeSet::new(), imports: Vec::new() };
        for item in &module.items {
            paths.visit_item(item);
        }
        let resolver = Resolver { tree, within: name, local: &paths.imports };
        let imported = module.imports.iter().chain(&paths.imports).filter(|it| !it.is_exported);
        let used = imported.filter(|it| it.name != "*").map(|it| it.path.clone());
        for path in used.chain(paths.found.iter().cloned()) {
            if let Some(file) = resolver.file_of(&path)
                && file != module.file
            {
                edges.entry((module.file, file)).or_default().insert(path.join("::"));
            }
        }
    }
    edges
}

/// Finds definitions.
struct Resolver<'a> {
    tree: &'a Tree,
    /// The module in which paths begin.
    within: &'a Names,
    /// Imports within functions of it.
    local: &'a [Import],
}

/// Re-exports followed at most; a crate with more has a circle of re-exports.
const MOST_STEPS: u32 = 16;

impl Resolver<'_> {
    /// The file that defines what a path names; `None` for modules and for what is of other crates.
    fn file_of(&self, path: &Names) -> Option<usize> {
        self.relative(self.within, path, MOST_STEPS)
    }

    /// Follows a path as it is written in a module.
    fn relative(&self, module: &Names, path: &Names, steps: u32) -> Option<usize> {
        let steps = steps.checked_sub(1)?;
        let mut base = module.clone();
        let mut rest = &path[..];
        match rest.first()?.as_str() {
            "crate" => (base, rest) = (Names::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|it| it == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                // Imports within functions count for the module, and stand before its own.
                if let Some(import) = self.local.iter().find(|it| module == self.within && it.name == first) {
                    return self.through(module, import, &rest[1..], steps);
                }
            }
        }
        self.absolute(&base, rest, steps)
    }

    /// Follows names from a module downwards.
    fn absolute(&self, base: &Names, rest: &[String], steps: u32) -> Option<usize> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = rest.split_first()?;
        let module = self.tree.modules.get(base)?;
        let mut child = base.clone();
        child.push(first.clone());
        // A function may have the name of a module; only the module can be followed by more.
        if !rest.is_empty() && self.tree.modules.contains_key(&child) {
            return self.absolute(&child, rest, steps);
        }
        if module.defines.contains(first) {
            return Some(module.file);
        }
        if let Some(import) = module.imports.iter().find(|it| it.name == *first) {
            return self.through(base, import, rest, steps);
        }
        let globs = module.imports.iter().filter(|it| it.name == "*");
        globs.into_iter().find_map(|it| {
            let path = it.path.iter().chain([first]).chain(rest).cloned().collect();
            self.relative(base, &path, steps)
        })
    }

    fn through(&self, module: &Names, import: &Import, rest: &[String], steps: u32) -> Option<usize> {
        let path: Names = import.path.iter().chain(rest).cloned().collect();
        // `use name::…` of another crate begins with a name that is nothing here.
        let is_other = path.first() == Some(&import.name) && rest.is_empty() && import.path.len() == 1;
        if is_other { None } else { self.relative(module, &path, steps) }
    }
}

/// Collects paths and the imports within functions.
struct Paths {
    found: BTreeSet<Names>,
    imports: Vec<Import>,
}

impl<'a> Visit<'a> for Paths {
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_item(&mut self, item: &'a syn::Item) {
        if let syn::Item::Mod(it) = item
            && is_for_tests(&it.attrs)
        {
            return;
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        expand(&item.tree, Names::new(), false, &mut self.imports);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.found.insert(path.segments.iter().map(|it| it.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a syn::Macro) {
        self.visit_path(&item.path);
        self.scan(item.tokens.clone());
    }
}

impl Paths {
    /// Paths in the arguments of a macro, which are tokens and no syntax yet.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        let mut after_dot = false;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.take(&mut path);
                    }
                    if !after_dot {
                        path.push(name.to_string());
                    }
                    (colons, after_dot) = (0, false);
                }
                TokenTree::Punct(it) if it.as_char() == ':' => colons += 1,
                other => {
                    self.take(&mut path);
                    after_dot = matches!(&other, TokenTree::Punct(it) if it.as_char() == '.');
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.scan(group.stream());
                    }
                }
            }
        }
        self.take(&mut path);
    }

    fn take(&mut self, path: &mut Names) {
        if !path.is_empty() {
            self.found.insert(std::mem::take(path));
        }
    }
}
