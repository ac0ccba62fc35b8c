//! `java.util.ServiceLoader`: the providers that the JDK's modules declare.
//!
//! Java finds them in catalogs that the boot layer fills at startup. Here each module's descriptor is read when
//! a service is first requested.

use super::support::reference;
use super::{Args, Native, NativeOutcome, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::catalog::Catalog;
use crate::natives::mirrors;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

const LOADER: &str = "java/util/ServiceLoader";
const PROVIDER: &str = "jdk/internal/module/ServicesCatalog$ServiceProvider";

pub(super) const NATIVES: &[Native] = &[
    row("java/util/ServiceLoader$ModuleServicesLookupIterator", "iteratorFor", "*", |m, a| {
        let (this, loader) = (a.reference(m, 0), a.reference(m, 1));
        let providers = providers(m, this, loader)?;
        iterator_of(m, providers)
    }),
    // Classes of the class path are in a module without a name, which the application's loader defines.
    row("java/lang/Module", "getClassLoader", "()Ljava/lang/ClassLoader;", |m, a| {
        if m.named(a.reference(m, 0), "name") == 0 { mirrors::system_loader(m) } else { reference(0) }
    }),
    // The JDK's modules are explicit ones, that of the class path is not.
    row(LOADER, "inExplicitModule", "*", |m, a| {
        let class = m.class_of_mirror(a.non_null(m, a.first_parameter(m))?);
        super::support::boolean(m.class(class).from_jdk)
    }),
];

/// The `ServiceProvider`s in modules of a loader for the requested service.
fn providers(m: &mut Machine, iterator: Addr, loader: Addr) -> Step<Addr> {
    let service_loader = m.named(iterator, "this$0") as Addr;
    let name = m.named(service_loader, "serviceName") as Addr;
    let name = if name == 0 { String::new() } else { m.text(name) };
    let wanted = match loader {
        0 => Some(Definer::Boot),
        loader => match m.class_name_of(loader) {
            "jdk/internal/loader/ClassLoaders$PlatformClassLoader" => Some(Definer::Platform),
            "jdk/internal/loader/ClassLoaders$AppClassLoader" => Some(Definer::App),
            _ => None,
        },
    };
    let found = catalog(m).get(&name).cloned().unwrap_or_default();
    let mut objects = Vec::new();
    for (module, class) in found.into_iter().filter(|(module, _)| Some(definer(module)) == wanted) {
        let module = mirrors::module_object(m, Some(&module))?;
        let class = m.intern_text(&class)?;
        let provider = m.load(PROVIDER)?;
        let provider = m.new_object(provider)?;
        m.set_named(provider, "module", module as u64);
        m.set_named(provider, "providerName", class as u64);
        objects.push(provider);
    }
    m.reference_array("java/lang/Object", &objects)
}

/// The loader that defines a JDK module.
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

/// The services of the JDK's modules; incubating ones are not resolved by default.
fn catalog(m: &mut Machine) -> Catalog {
    if let Some(known) = m.natives.services() {
        return known.clone();
    }
    let mut catalog: BTreeMap<String, Vec<(Arc<str>, String)>> = BTreeMap::new();
    let program = Arc::clone(&m.program);
    for (name, module) in program.modules().iter().filter(|(name, _)| !name.starts_with("jdk.incubator.")) {
        for (service, classes) in &module.provides {
            let known = catalog.entry(service.replace('/', ".")).or_default();
            known.extend(classes.iter().map(|class| (name.clone(), class.replace('/', "."))));
        }
    }
    let catalog = Rc::new(catalog);
    m.natives.set_services(catalog.clone());
    catalog
}

impl Args {
    /// The slot of the first parameter, after the receiver if there is one.
    fn first_parameter(&self, m: &Machine) -> u32 {
        !m.method(self.method).is_static() as u32
    }
}

/// The result of a native that returns an array: an iterator over its elements.
fn iterator_of(m: &mut Machine, array: Addr) -> Step<NativeOutcome> {
    if array == 0 {
        return reference(0);
    }
    let method = m.array_iterator()?;
    Ok(NativeOutcome::Call(method, vec![crate::state::Value::reference(array)]))
}
