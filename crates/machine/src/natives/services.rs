//! `java.util.ServiceLoader`: the providers that the JDK's modules declare.
//!
//! Java finds them in catalogs that the boot layer fills when it starts. Here each module's descriptor is read
//! when a service is first looked for.

use super::support::reference;
use super::{Args, Native, Outcome, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use cupping_classfile::{ClassFile, Constant, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

const LOADER: &str = "java/util/ServiceLoader";
const PROVIDER: &str = "jdk/internal/module/ServicesCatalog$ServiceProvider";

/// Providers by service: module and class, with dots.
pub(crate) type Catalog = Rc<BTreeMap<String, Vec<(Arc<str>, String)>>>;

pub(super) const NATIVES: &[Native] = &[
    row("java/util/ServiceLoader$ModuleServicesLookupIterator", "iteratorFor", "*", |m, a| {
        let (this, loader) = (a.reference(m, 0), a.reference(m, 1));
        let providers = providers(m, this, loader)?;
        m.iterator_of(providers)
    }),
    // Classes of the class path are in a module without a name, which the application's loader defines.
    row("java/lang/Module", "getClassLoader", "()Ljava/lang/ClassLoader;", |m, a| {
        if m.named(a.reference(m, 0), "name") == 0 { m.system_loader() } else { reference(0) }
    }),
    // Modules of the JDK are explicit ones, the class path's is not.
    row(LOADER, "inExplicitModule", "*", |m, a| {
        let class = m.class_of_mirror(a.non_null(m, a.first_parameter(m))?);
        super::support::boolean(m.class(class).from_jdk)
    }),
];

/// The `ServiceProvider`s that modules of a loader have for the service that is looked for.
fn providers(m: &mut Machine, iterator: Addr, loader: Addr) -> Step<Addr> {
    let service_loader = m.named(iterator, "this$0") as Addr;
    let name = m.named(service_loader, "serviceName") as Addr;
    let name = if name == 0 { String::new() } else { m.text(name) };
    let wanted = match loader {
        0 => Some(Definer::Boot),
        loader => match &*m.class_name_of(loader) {
            "jdk/internal/loader/ClassLoaders$PlatformClassLoader" => Some(Definer::Platform),
            "jdk/internal/loader/ClassLoaders$AppClassLoader" => Some(Definer::App),
            _ => None,
        },
    };
    let found = m.catalog().get(&name).cloned().unwrap_or_default();
    let mut objects = Vec::new();
    for (module, class) in found.into_iter().filter(|(module, _)| Some(definer(module)) == wanted) {
        let module = m.module_object(Some(&module))?;
        let class = m.intern_text(&class)?;
        let provider = m.load(PROVIDER)?;
        let provider = m.new_object(provider)?;
        m.set_named(provider, "module", module as u64);
        m.set_named(provider, "providerName", class as u64);
        objects.push(provider);
    }
    m.reference_array("java/lang/Object", &objects)
}

/// The loader that a module of the JDK is defined by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Definer {
    Boot,
    Platform,
    App,
}

/// As the JDK's build assigns modules to loaders (`ModuleLoaderMap`).
fn definer(module: &str) -> Definer {
    const BOOT: [&str; 24] = [
        "java.base",
        "java.datatransfer",
        "java.desktop",
        "java.instrument",
        "java.logging",
        "java.management",
        "java.management.rmi",
        "java.naming",
        "java.prefs",
        "java.rmi",
        "java.security.sasl",
        "java.xml",
        "jdk.incubator.vector",
        "jdk.internal.vm.ci",
        "jdk.jfr",
        "jdk.management",
        "jdk.management.agent",
        "jdk.management.jfr",
        "jdk.naming.rmi",
        "jdk.net",
        "jdk.nio.mapmode",
        "jdk.sctp",
        "jdk.unsupported",
        "jdk.incubator.foreign",
    ];
    const PLATFORM: [&str; 24] = [
        "java.compiler",
        "java.net.http",
        "java.scripting",
        "java.security.jgss",
        "java.smartcardio",
        "java.sql",
        "java.sql.rowset",
        "java.transaction.xa",
        "java.xml.crypto",
        "jdk.accessibility",
        "jdk.charsets",
        "jdk.crypto.cryptoki",
        "jdk.crypto.ec",
        "jdk.dynalink",
        "jdk.httpserver",
        "jdk.jsobject",
        "jdk.localedata",
        "jdk.naming.dns",
        "jdk.security.auth",
        "jdk.security.jgss",
        "jdk.xml.dom",
        "jdk.zipfs",
        "jdk.internal.vm.compiler",
        "jdk.graal.compiler",
    ];
    if BOOT.contains(&module) {
        Definer::Boot
    } else if PLATFORM.contains(&module) {
        Definer::Platform
    } else {
        Definer::App
    }
}

impl Machine {
    /// The services of the JDK's modules; incubating ones are not resolved by default.
    fn catalog(&mut self) -> Catalog {
        if let Some(known) = &self.dynamic.services {
            return known.clone();
        }
        let image = self.program.jdk().image();
        let modules: BTreeSet<String> = image
            .resources()
            .filter_map(|resource| resource.ok().map(|resource| resource.module.to_owned()))
            .filter(|module| !module.starts_with("jdk.incubator."))
            .collect();
        let mut catalog: BTreeMap<String, Vec<(Arc<str>, String)>> = BTreeMap::new();
        for module in modules {
            let Ok(Some(bytes)) = self.program.module_resource(&module, "module-info.class") else {
                continue;
            };
            let module: Arc<str> = module.into();
            let origin = Origin::Jdk { module: module.clone() };
            let Ok(file) = ClassFile::parse(bytes, "module-info.class", origin) else { continue };
            for (service, classes) in provides(&file).unwrap_or_default() {
                let known = catalog.entry(service).or_default();
                known.extend(classes.into_iter().map(|class| (module.clone(), class)));
            }
        }
        let catalog = Rc::new(catalog);
        self.dynamic.services = Some(catalog.clone());
        catalog
    }
}

/// The services that a module descriptor provides, with the classes, all with dots (JVMS §4.7.25).
fn provides(file: &ClassFile) -> Option<Vec<(String, Vec<String>)>> {
    let mut reader = Reader { bytes: file.bytes(), at: 8 };
    reader.skip_constants()?;
    // Flags and name; a module has neither superclass nor members.
    reader.skip(6)?;
    for _ in 0..3 {
        (reader.word()? == 0).then_some(())?;
    }
    for _ in 0..reader.word()? {
        let name = reader.word()?;
        let length = (reader.word()? as usize) << 16 | reader.word()? as usize;
        if !matches!(file.constant(name), Ok(Constant::Utf8(name)) if name == "Module") {
            reader.skip(length)?;
            continue;
        }
        reader.skip(6)?;
        let requires = reader.word()? as usize;
        reader.skip(requires * 6)?;
        // Packages exported and packages opened.
        for _ in 0..2 {
            for _ in 0..reader.word()? {
                reader.skip(4)?;
                let to = reader.word()? as usize;
                reader.skip(to * 2)?;
            }
        }
        let uses = reader.word()? as usize;
        reader.skip(uses * 2)?;
        let mut found = Vec::new();
        for _ in 0..reader.word()? {
            let service = class_name(file, reader.word()?)?;
            let count = reader.word()?;
            let classes = (0..count).map(|_| class_name(file, reader.word()?)).collect::<Option<Vec<_>>>()?;
            found.push((service, classes));
        }
        return Some(found);
    }
    Some(Vec::new())
}

fn class_name(file: &ClassFile, index: u16) -> Option<String> {
    match file.constant(index) {
        Ok(Constant::Class(name)) => Some(name.replace('/', ".")),
        _ => None,
    }
}

/// Big-endian words of a class file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn word(&mut self) -> Option<u16> {
        let word = self.bytes.get(self.at..self.at + 2)?;
        self.at += 2;
        Some(u16::from_be_bytes([word[0], word[1]]))
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count)?;
        (self.at <= self.bytes.len()).then_some(())
    }

    /// Goes behind the constant pool, whose count is next.
    fn skip_constants(&mut self) -> Option<()> {
        let count = self.word()?;
        let mut index = 1;
        while index < count {
            let tag = *self.bytes.get(self.at)?;
            self.skip(1)?;
            let size = match tag {
                1 => self.word()? as usize,
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                5 | 6 => 8,
                _ => 4,
            };
            self.skip(size)?;
            index += 1 + matches!(tag, 5 | 6) as u16;
        }
        Some(())
    }
}

impl Args {
    /// The slot of the first parameter: behind the receiver, if there is one.
    fn first_parameter(&self, m: &Machine) -> u32 {
        !m.method(self.method).is_static() as u32
    }
}

/// The result of a native that hands an array on: an iterator over its elements.
impl Machine {
    fn iterator_of(&mut self, array: Addr) -> Step<Outcome> {
        if array == 0 {
            return reference(0);
        }
        let method = self.array_iterator()?;
        Ok(Outcome::Call(method, vec![crate::state::Value::reference(array)]))
    }
}
