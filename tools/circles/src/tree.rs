//! The modules of a crate: which file each is in, what it defines, and what it imports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::{Item, UseTree};

/// A path from the root of the crate.
pub(crate) type Names = Vec<String>;

/// All modules of a crate but those for tests alone.
pub(crate) struct Tree {
    /// Source files, relative to the folder of the root file.
    pub(crate) files: Vec<String>,
    /// Modules by path.
    pub(crate) modules: BTreeMap<Names, Module>,
}

/// One module.
pub(crate) struct Module {
    /// The index of its file.
    pub(crate) file: usize,
    /// What stands in it, but for nested modules.
    pub(crate) items: Vec<Item>,
    /// Names it defines.
    pub(crate) defines: Vec<String>,
    /// Names it imports or exports again.
    pub(crate) imports: Vec<Import>,
}

/// A name that a `use` brings in.
pub(crate) struct Import {
    /// The name here; `*` for all of a module.
    pub(crate) name: String,
    /// What it stands for, as written: it may begin with `crate`, `self` or `super`.
    pub(crate) path: Names,
    /// Whether it is handed on: such a `use` is a signpost, and no dependency by itself.
    pub(crate) is_exported: bool,
}

impl Tree {
    /// Reads a crate from its root file.
    pub(crate) fn read(root: &Path) -> Result<Tree, String> {
        let mut tree = Tree { files: Vec::new(), modules: BTreeMap::new() };
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.read_file(root, &folder, &folder, Vec::new())?;
        Ok(tree)
    }

    /// Reads a file whose nested modules are in `folder`.
    fn read_file(&mut self, path: &Path, base: &Path, folder: &Path, name: Names) -> Result<(), String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file = syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let number = self.files.len();
        self.files.push(path.strip_prefix(base).unwrap_or(path).display().to_string());
        self.add(number, file.items, base, folder, name)
    }

    fn add(
        &mut self,
        file: usize,
        items: Vec<Item>,
        base: &Path,
        folder: &Path,
        name: Names,
    ) -> Result<(), String> {
        let mut module = Module { file, items: Vec::new(), defines: Vec::new(), imports: Vec::new() };
        let mut nested = Vec::new();
        for item in items {
            if is_for_tests(attributes(&item)) {
                continue;
            }
            match item {
                Item::Mod(it) => nested.push(it),
                Item::Use(it) => {
                    let is_exported = !matches!(it.vis, syn::Visibility::Inherited);
                    expand(&it.tree, Vec::new(), is_exported, &mut module.imports);
                }
                item => {
                    module.defines.extend(defined(&item));
                    module.items.push(item);
                }
            }
        }
        // Of two modules of a name, for two systems, the first one is read.
        if self.modules.contains_key(&name) {
            return Ok(());
        }
        self.modules.insert(name.clone(), module);
        for it in nested {
            let short = it.ident.to_string();
            let mut path = name.clone();
            path.push(short.clone());
            let inner = folder.join(&short);
            match it.content {
                Some((_, items)) => self.add(file, items, base, &inner, path)?,
                None => {
                    let place = place_of(&it.attrs, folder, &short);
                    self.read_file(&place, base, &inner, path)?;
                }
            }
        }
        Ok(())
    }
}

/// Where a nested module's file is.
fn place_of(attributes: &[syn::Attribute], folder: &Path, name: &str) -> PathBuf {
    let beside = folder.join(format!("{name}.rs"));
    let named = attributes.iter().filter(|it| it.path().is_ident("path")).find_map(|it| match &it.meta {
        syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Lit(literal), .. }) => match &literal.lit
        {
            syn::Lit::Str(path) => Some(folder.join(path.value())),
            _ => None,
        },
        _ => None,
    });
    match named {
        Some(path) => path,
        None if beside.exists() => beside,
        None => folder.join(name).join("mod.rs"),
    }
}

/// Whether something is only there in tests.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|it| {
        it.path().is_ident("cfg") && it.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

fn attributes(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Union(it) => &it.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

/// The imports of a `use`.
pub(crate) fn expand(tree: &UseTree, mut path: Names, is_exported: bool, into: &mut Vec<Import>) {
    let mut import = |name: String, path: Names| into.push(Import { name, path, is_exported });
    match tree {
        UseTree::Path(it) => {
            path.push(it.ident.to_string());
            expand(&it.tree, path, is_exported, into);
        }
        UseTree::Name(it) if it.ident == "self" => import(path.last().cloned().unwrap_or_default(), path),
        UseTree::Name(it) => {
            let name = it.ident.to_string();
            path.push(name.clone());
            import(name, path);
        }
        UseTree::Rename(it) => {
            if it.ident != "self" {
                path.push(it.ident.to_string());
            }
            import(it.rename.to_string(), path);
        }
        UseTree::Glob(_) => import("*".to_owned(), path),
        UseTree::Group(it) => {
            for tree in &it.items {
                expand(tree, path.clone(), is_exported, into);
            }
        }
    }
}
