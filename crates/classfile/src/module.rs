//! Module descriptors: the `Module` attribute of `module-info.class`.

use std::sync::Arc;

use crate::constant::Constant;
use crate::error::{ClassFileError, Result};
use crate::pool::PoolReader;

/// `ACC_OPEN`: all packages of the module are open.
const OPEN: u16 = 0x0020;

/// A module (JVMS §4.7.25), without what it requires and uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name, such as `java.base`.
    pub name: Arc<str>,
    /// Whether all its packages are open.
    pub is_open: bool,
    /// Packages whose public members others may use.
    pub exports: Box<[Package]>,
    /// Packages whose members others may use by reflection.
    pub opens: Box<[Package]>,
    /// Services that it provides: their internal names, and those of the providers.
    pub provides: Box<[ServiceProviders]>,
}

/// A service and its providers, by internal names.
pub type ServiceProviders = (Arc<str>, Box<[Arc<str>]>);

/// A package that is exported or opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name, as `java/lang`.
    pub name: Arc<str>,
    /// The modules that may use it; all if empty.
    pub to: Box<[Arc<str>]>,
}

impl Package {
    /// Whether this is the package of that name, exported or opened to the named module, or to all modules if none
    /// is named.
    pub fn is_for(&self, package: &str, module: Option<&str>) -> bool {
        *self.name == *package
            && (self.to.is_empty() || module.is_some_and(|module| self.to.iter().any(|to| **to == *module)))
    }
}

impl PoolReader<'_, '_> {
    /// The content of a `Module` attribute. Parsed here, since the class file library rejects a required module
    /// without a version.
    pub(crate) fn module(self, content: &[u8]) -> Result<Module> {
        let mut words = content.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
        let mut next = || {
            words.next().ok_or_else(|| {
                ClassFileError::damaged(self.file, "class, attribute Module", "the attribute ends too early")
            })
        };
        let name = self.named(next()?)?;
        let flags = next()?;
        let _version = next()?;
        for _ in 0..next()? {
            let (_module, _flags, _version) = (next()?, next()?, next()?);
        }
        let exports = self.packages(&mut next)?;
        let opens = self.packages(&mut next)?;
        for _ in 0..next()? {
            let _used = next()?;
        }
        let mut provides = Vec::new();
        for _ in 0..next()? {
            let service = self.named(next()?)?;
            provides.push((service, self.list(&mut next)?));
        }
        let is_open = flags & OPEN != 0;
        Ok(Module { name, is_open, exports, opens, provides: provides.into() })
    }

    fn packages(self, next: &mut dyn FnMut() -> Result<u16>) -> Result<Box<[Package]>> {
        let mut packages = Vec::new();
        for _ in 0..next()? {
            let name = self.named(next()?)?;
            let _flags = next()?;
            packages.push(Package { name, to: self.list(next)? });
        }
        Ok(packages.into())
    }

    fn list(self, next: &mut dyn FnMut() -> Result<u16>) -> Result<Box<[Arc<str>]>> {
        (0..next()?).map(|_| self.named(next()?)).collect()
    }

    /// The name in a constant for a module, a package or a class.
    fn named(self, index: u16) -> Result<Arc<str>> {
        match self.constant(index)? {
            Constant::Module(name) | Constant::Package(name) | Constant::Class(name) => {
                Ok(name.as_ref().into())
            }
            _ => Err(ClassFileError::damaged(
                self.file,
                format!("constant pool entry {index}"),
                "is not a module, package or class, as the attribute Module requires",
            )),
        }
    }
}
