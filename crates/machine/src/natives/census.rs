//! Compares the native methods that a JDK declares with those implemented here.

use super::table;
use cupping_classfile::{ClassFile, ClassFileError, Jdk, Origin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A native method that a class of the JDK declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NativeMethod {
    /// `java/lang/Object.hashCode()I`.
    pub method: String,
    /// Whether the machine has it.
    pub here: bool,
}

/// The native methods that a JDK declares, by module; each list sorted.
///
/// # Errors
/// When the image or a class in it is damaged.
pub fn census(jdk: &Jdk) -> Result<BTreeMap<String, Vec<NativeMethod>>, ClassFileError> {
    let table = table();
    let mut modules: BTreeMap<String, Vec<NativeMethod>> = BTreeMap::new();
    for resource in jdk.image().resources() {
        let resource = resource?;
        if resource.extension != "class" || resource.base == "module-info" {
            continue;
        }
        let bytes = jdk.image().read(&resource)?;
        let place = format!("{}/{}", resource.parent, resource.base);
        let origin = Origin::Jdk { module: Arc::from(resource.module) };
        let file = ClassFile::parse(bytes, &place, origin)?;
        for method in file.methods.iter().filter(|method| method.access.is_native()) {
            let here = table.find(&file.name, &method.name, &method.descriptor, false).is_some()
                || super::set_up(&method.name, &method.descriptor).is_some();
            let method = format!("{}.{}{}", file.name, method.name, method.descriptor);
            modules.entry(resource.module.to_owned()).or_default().push(NativeMethod { method, here });
        }
    }
    modules.values_mut().for_each(|declared| declared.sort());
    Ok(modules)
}
