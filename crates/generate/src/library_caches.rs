//! JDK caches that are filled after their class has been initialised.

use cupping_machine::{ClassId, Machine, Step, Trap};

/// A cache of a class of the JDK.
pub(crate) struct LibraryCache {
    class: &'static str,
    /// A static method without parameters that fills it.
    method: &'static str,
    descriptor: &'static str,
}

/// The known caches.
const CACHES: [LibraryCache; 9] = [
    cache("java/util/TimeZone", "getDefault", "()Ljava/util/TimeZone;"),
    cache("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;"),
    cache("java/text/DateFormat", "getInstance", "()Ljava/text/DateFormat;"),
    cache("java/text/DateFormatSymbols", "getInstance", "()Ljava/text/DateFormatSymbols;"),
    cache("java/text/NumberFormat", "getInstance", "()Ljava/text/NumberFormat;"),
    cache("java/text/DecimalFormatSymbols", "getInstance", "()Ljava/text/DecimalFormatSymbols;"),
    cache("java/text/Collator", "getInstance", "()Ljava/text/Collator;"),
    cache("java/time/ZoneId", "systemDefault", "()Ljava/time/ZoneId;"),
    cache("java/util/logging/LogManager", "getLogManager", "()Ljava/util/logging/LogManager;"),
];

const fn cache(class: &'static str, method: &'static str, descriptor: &'static str) -> LibraryCache {
    LibraryCache { class, method, descriptor }
}

/// The caches of the class of this internal name.
pub(crate) fn caches_of(class: &str) -> impl Iterator<Item = &'static LibraryCache> {
    CACHES.iter().filter(move |it| it.class == class)
}

impl LibraryCache {
    /// Fills the cache.
    ///
    /// # Errors
    ///
    /// The JDK has no such method, or it fails.
    pub(crate) fn fill(&self, machine: &mut Machine, class: ClassId) -> Step<()> {
        let found = machine.declared_method(class, self.method, self.descriptor);
        let found = found.ok_or_else(|| Trap::unsupported("a JDK without this cache"))?;
        machine.call(found, &[]).map(|_| ())
    }
}
