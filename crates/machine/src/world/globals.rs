//! State that all code of a JVM shares: properties, streams, default locales and time zone, and other objects that
//! the JDK uses by default.

use crate::memory::Addr;
use cupping_case::JVM_DEFAULTS;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The static fields of the default locales, and the suffixes of the properties that define them.
pub(super) const LOCALES: [(&str, &str); 3] =
    [("defaultLocale", ""), ("defaultDisplayLocale", ".display"), ("defaultFormatLocale", ".format")];

/// State that all code of a JVM shares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    pub(super) properties: Rc<BTreeMap<String, String>>,
    /// The objects of the same, by place.
    pub(super) entries: Vec<(Addr, Addr)>,
    pub(super) properties_object: Addr,
    pub(super) streams: [Addr; 3],
    pub(super) locales: [String; 3],
    /// The objects of the same.
    pub(super) locale_objects: [Addr; 3],
    pub(super) zone: String,
    /// The objects that the program replaced, in the order of [`JVM_DEFAULTS`]; 0 for those of the JDK.
    pub(super) defaults: [Addr; JVM_DEFAULTS.len()],
}

impl Globals {
    /// A default locale; if it has not been requested yet, its future value.
    pub(super) fn locale(&self, at: usize) -> String {
        if !self.locales[at].is_empty() {
            return self.locales[at].clone();
        }
        let property = |part: &str| {
            let own = self.properties.get(&format!("user.{part}{}", LOCALES[at].1));
            own.or_else(|| self.properties.get(&format!("user.{part}"))).map_or("", String::as_str)
        };
        format!("{}_", ["language", "script", "country", "variant"].map(property).join("_"))
    }
}
