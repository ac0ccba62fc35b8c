//! A program: a class path over a JDK.

use crate::origin::Origin;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::class_file::ClassFile;
use crate::class_path::{ClassPath, is_code};
use crate::error::{ClassFileError, Result};
use crate::jdk::Jdk;
use crate::limits::MOST_CLASS_BYTES;
use crate::module::Module;
use crate::reads::{Read, note};
use crate::subclasses::Subclasses;

/// All classes that a program can load, and whether their `assert` statements are enabled. A JDK class hides one of
/// the same name on the class path, as the JVM's delegation to parent loaders does. Clones share all classes;
/// several threads may use one.
#[derive(Clone, Debug)]
pub struct Program {
    shared: Arc<SharedProgram>,
    assertions: bool,
}

/// A package whose classes were listed, and whether those of its subpackages were, too.
type ListedPackage = (Box<str>, bool);

#[derive(Debug)]
struct SharedProgram {
    jdk: Jdk,
    class_path: ClassPath,
    /// Bytes of the class files that were read from the class path.
    class_bytes: AtomicU64,
    /// Classes found, and names known to be missing, by internal name.
    classes: RwLock<FxHashMap<Box<str>, Option<Arc<ClassFile>>>>,
    /// The JDK module of each package, such as `java/lang`.
    modules: RwLock<FxHashMap<Box<str>, Option<Arc<str>>>>,
    /// The modules of the JDK, by name.
    declared: OnceLock<BTreeMap<Arc<str>, Module>>,
    /// The names of their classes.
    packages: RwLock<FxHashMap<ListedPackage, Arc<[String]>>>,
    subclasses: Subclasses,
    /// What the jars of the class path store under names that class loaders have looked for.
    stored: RwLock<FxHashMap<Box<str>, StoredNames>>,
}

/// For each entry of a class path, the name under which a jar stores a file or folder; see
/// [`ClassPathEntry::stored_name`](crate::ClassPathEntry::stored_name).
pub type StoredNames = Arc<[Option<Box<str>>]>;

/// Limit on the names for which this is kept.
const MOST_STORED: usize = 1 << 14;

impl Program {
    /// The program of `class_path` over `jdk`, with assertions enabled.
    pub fn new(jdk: Jdk, class_path: ClassPath) -> Program {
        let shared = SharedProgram {
            jdk,
            class_path,
            class_bytes: AtomicU64::new(0),
            classes: RwLock::default(),
            modules: RwLock::default(),
            declared: OnceLock::new(),
            packages: RwLock::default(),
            subclasses: Subclasses::default(),
            stored: RwLock::default(),
        };
        Program { shared: Arc::new(shared), assertions: true }
    }

    /// The same program with assertions enabled or disabled. Those of the JDK's classes are always disabled.
    #[must_use]
    pub fn with_assertions(&self, assertions: bool) -> Program {
        Program { shared: Arc::clone(&self.shared), assertions }
    }

    /// Whether `assert` statements of classes on the class path are enabled.
    pub fn has_assertions(&self) -> bool {
        self.assertions
    }

    /// The JDK under it.
    pub fn jdk(&self) -> &Jdk {
        &self.shared.jdk
    }

    /// Its class path.
    pub fn class_path(&self) -> &ClassPath {
        &self.shared.class_path
    }

    /// The class of this internal name, such as `java/util/Map$Entry`; `None` if there is none. A class is read once.
    /// [Recorded](crate::reads) is its declaration, until somebody asks the class for more.
    ///
    /// # Errors
    ///
    /// If there is one, but damaged or of another name ([`ClassFileError::Damaged`], [`ClassFileError::WrongName`],
    /// [`ClassFileError::UnsupportedVersion`]), or an archive cannot be read.
    pub fn find(&self, internal_name: &str) -> Result<Option<Arc<ClassFile>>> {
        let found = self.known_or_loaded(internal_name);
        if !matches!(&found, Ok(Some(class)) if class.origin().is_jdk()) {
            note(|| Read::Declaration(internal_name.into()));
        }
        found
    }

    fn known_or_loaded(&self, internal_name: &str) -> Result<Option<Arc<ClassFile>>> {
        let classes = &self.shared.classes;
        if let Some(known) = classes.read().unwrap_or_else(PoisonError::into_inner).get(internal_name) {
            return Ok(known.clone());
        }
        let found = self.load(internal_name)?.map(Arc::new);
        let mut classes = classes.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster: all get the same class.
        Ok(classes.entry(internal_name.into()).or_insert(found).clone())
    }

    /// Sorted names of all direct and indirect subclasses and implementations of a class on the class path; of a large
    /// class path, those in the package of the class.
    pub fn subclasses(&self, internal_name: &str) -> BTreeSet<Box<str>> {
        note(|| Read::Subclasses(internal_name.into()));
        self.shared.subclasses.of(self.class_path(), internal_name)
    }

    /// The class of this internal name.
    ///
    /// # Errors
    ///
    /// As [`Program::find`]; [`ClassFileError::ClassNotFound`] if there is none.
    pub fn require(&self, internal_name: &str) -> Result<Arc<ClassFile>> {
        self.find(internal_name)?.ok_or_else(|| self.class_not_found(internal_name))
    }

    /// The content of a file of the class path or, after it, of the JDK's modules, such as
    /// `org/x/messages.properties`.
    ///
    /// # Errors
    ///
    /// An archive or a file cannot be read.
    pub fn resource(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        note(|| Read::Resource(name.into()));
        for entry in self.shared.class_path.entries() {
            if let Some(bytes) = entry.seen(name)? {
                return Ok(Some(bytes));
            }
        }
        let Some(module) = self.module_of_package(package_of(name))? else {
            return Ok(None);
        };
        self.module_resource(&module, name)
    }

    /// Under which names the jars of the class path store a file or folder.
    pub fn stored_names(&self, name: &str) -> StoredNames {
        note(|| Read::File(name.into()));
        if let Some(known) = self.shared.stored.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return known.clone();
        }
        let found: StoredNames =
            self.class_path().entries().map(|entry| entry.stored_name(name).map(Into::into)).collect();
        let mut stored = self.shared.stored.write().unwrap_or_else(PoisonError::into_inner);
        if stored.len() >= MOST_STORED {
            stored.clear();
        }
        stored.insert(name.into(), found.clone());
        found
    }

    /// The content of a file of a module of the JDK.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn module_resource(&self, module: &str, name: &str) -> Result<Option<Arc<[u8]>>> {
        let image = self.shared.jdk.image();
        image.find(&format!("/{module}/{name}"))?.map(|resource| image.read(&resource)).transpose()
    }

    /// The declarations of the JDK's modules, by name; a module with a damaged `module-info` is omitted.
    pub fn modules(&self) -> &BTreeMap<Arc<str>, Module> {
        self.shared.declared.get_or_init(|| {
            let image = self.shared.jdk.image();
            let names: BTreeSet<&str> =
                image.resources().filter_map(Result::ok).map(|it| it.module).collect();
            let module = |name: &str| {
                let bytes = self.module_resource(name, "module-info.class").ok()??;
                let file = ClassFile::parse(bytes, name, Origin::Made).ok()?;
                file.module.clone()
            };
            names.into_iter().filter_map(module).map(|module| (Arc::clone(&module.name), module)).collect()
        })
    }

    /// The module of the JDK that holds a package, given as `java/lang`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::DamagedImage`].
    pub fn module_of_package(&self, package: &str) -> Result<Option<Arc<str>>> {
        let modules = &self.shared.modules;
        if let Some(known) = modules.read().unwrap_or_else(PoisonError::into_inner).get(package) {
            return Ok(known.clone());
        }
        let found: Option<Arc<str>> = self.shared.jdk.image().module_of_package(package)?.map(Arc::from);
        let mut modules = modules.write().unwrap_or_else(PoisonError::into_inner);
        Ok(modules.entry(package.into()).or_insert(found).clone())
    }

    /// Internal names of the classes of a package, given as `org/x`, with those of its subpackages if `deep`; sorted.
    ///
    /// # Errors
    ///
    /// If a folder cannot be listed or the image is damaged.
    pub fn classes_of_package(&self, package: &str, deep: bool) -> Result<Arc<[String]>> {
        note(|| Read::Package(package.into(), deep));
        let packages = &self.shared.packages;
        let key = (package.into(), deep);
        if let Some(known) = packages.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let found = self.list_package(package, deep)?.into();
        let mut packages = packages.write().unwrap_or_else(PoisonError::into_inner);
        Ok(packages.entry(key).or_insert(found).clone())
    }

    fn list_package(&self, package: &str, deep: bool) -> Result<Vec<String>> {
        let is_member = |of: &str| {
            of == package
                || deep
                    && (package.is_empty()
                        || of.strip_prefix(package).is_some_and(|rest| rest.starts_with('/')))
        };
        let mut names = Vec::new();
        for entry in self.shared.class_path.entries() {
            names.extend(entry.names_of_classes()?.into_iter().filter(|name| is_member(package_of(name))));
        }
        let image = self.shared.jdk.image();
        // The table of all resources is long, and most packages are not the JDK's.
        let has_any = package.is_empty() || image.has_package(package)?;
        for resource in has_any.then(|| image.resources()).into_iter().flatten() {
            let resource = resource?;
            if resource.extension == "class" && is_member(resource.parent) && is_code(resource.base) {
                names.push(format!("{}/{}", resource.parent, resource.base));
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The error for a class that is not there, with the closest name that is.
    pub(crate) fn class_not_found(&self, name: &str) -> ClassFileError {
        let places = self.shared.class_path.entries().map(|entry| entry.path().display().to_string());
        let jdk = self.shared.jdk.home().display().to_string();
        let searched: Vec<String> = places.chain([jdk]).collect();
        let simple = name.rsplit(['/', '.', '$']).next().unwrap_or(name);
        let names =
            self.shared.class_path.entries().flat_map(|entry| entry.names_of_classes().unwrap_or_default());
        let alike = names.filter(|other| other.rsplit(['/', '$']).next() == Some(simple)).min();
        let hint =
            alike.map(|name| format!("; did you mean {}?", name.replace('/', "."))).unwrap_or_default();
        ClassFileError::ClassNotFound {
            name: name.replace('/', ".").into(),
            searched: searched.join(", ").into(),
            hint: hint.into(),
        }
    }

    fn load(&self, internal_name: &str) -> Result<Option<ClassFile>> {
        let file_name = format!("{internal_name}.class");
        if let Some(module) = self.module_of_package(package_of(internal_name))? {
            let image = self.shared.jdk.image();
            if let Some(bytes) = self.module_resource(&module, &file_name)? {
                let place = format!("{}!/{module}/{file_name}", image.file());
                return checked(bytes, &place, Origin::Jdk { module }, internal_name).map(Some);
            }
        }
        for entry in self.shared.class_path.entries() {
            if let Some(bytes) = entry.bytes(&file_name)? {
                let held = self.shared.class_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                if held.saturating_add(bytes.len() as u64) > MOST_CLASS_BYTES {
                    let file = format!("{}: with the classes loaded before it", entry.place(&file_name));
                    let limit = format!("{} MiB", MOST_CLASS_BYTES >> 20).into();
                    return Err(ClassFileError::TooLarge { file: file.into(), limit });
                }
                let origin = Origin::ClassPath { entry: Arc::new(entry.path().to_owned()) };
                return checked(bytes, &entry.place(&file_name), origin, internal_name).map(Some);
            }
        }
        Ok(None)
    }
}

/// Reads a class and checks that it matches its path.
fn checked(bytes: Arc<[u8]>, file: &str, origin: Origin, expected: &str) -> Result<ClassFile> {
    let class = ClassFile::parse(bytes, file, origin)?;
    if &*class.name != expected {
        let found = class.name.replace('/', ".").into();
        return Err(ClassFileError::WrongName {
            file: file.into(),
            expected: expected.replace('/', ".").into(),
            found,
        });
    }
    Ok(class)
}

/// The package of an internal name or the folder of a resource: the text before the last slash.
fn package_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}
