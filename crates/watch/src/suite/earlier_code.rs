//! Methods of an earlier version of a program, in a form in which they can run in place of the present ones.

use super::continuation::ContinuationClass;
use cupping_classfile::{ClassFile, Code, Program};
use cupping_contract::Method;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The body that a method had.
#[derive(Clone, Debug)]
pub(crate) struct EarlierBody {
    pub(crate) method: Method,
    pub(crate) code: Arc<Code>,
    /// The class that has its constants, by its number in [`EarlierCode::classes`].
    pub(crate) constants: usize,
}

/// The earlier bodies of changed methods.
#[derive(Clone, Debug, Default)]
pub struct EarlierCode {
    /// Classes without members that have the constants of earlier class files.
    pub(crate) classes: Vec<(String, Vec<u8>)>,
    /// By method: its body, and those of its lambdas.
    pub(crate) methods: BTreeMap<Method, Vec<EarlierBody>>,
    /// The classes of the earlier version; all others are the program's own.
    pub(crate) own: BTreeSet<String>,
}

impl EarlierCode {
    /// The earlier bodies of those changed methods that both versions have.
    pub fn of(
        earlier: &Program,
        now: &Program,
        changed: &BTreeSet<Method>,
        own: BTreeSet<String>,
    ) -> EarlierCode {
        let mut made = EarlierCode { own, ..EarlierCode::default() };
        let mut classes: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for method in changed.iter().filter(|it| it.name != "<clinit>") {
            let find = |program: &Program| program.find(&method.class).ok().flatten();
            let (Some(was), Some(is)) = (find(earlier), find(now)) else { continue };
            let constants = *classes.entry(&method.class).or_insert_with(|| {
                let name = format!("Cupping$Earlier${}", made.classes.len());
                let class = ContinuationClass::new(&name, &method.class, &was)?;
                made.classes.push((name, class.bytes()));
                Some(made.classes.len() - 1)
            });
            let Some(constants) = constants else { continue };
            let body = |name: &str, descriptor: &str| {
                let method =
                    Method { class: method.class.clone(), name: name.into(), descriptor: descriptor.into() };
                Some(EarlierBody { code: code_in_both(&was, &is, name, descriptor)?, method, constants })
            };
            let Some(own) = body(&method.name, &method.descriptor) else { continue };
            let prefix = format!("lambda${}$", if method.name == "<init>" { "new" } else { &*method.name });
            let lambdas = was.methods.iter().filter(|it| it.name.starts_with(&prefix));
            let lambdas = lambdas.filter_map(|it| body(&it.name, &it.descriptor));
            let bodies = std::iter::once(own).chain(lambdas).collect();
            made.methods.insert(method.clone(), bodies);
        }
        made
    }
}

/// The earlier code of a method that the present class has, too.
fn code_in_both(was: &ClassFile, is: &ClassFile, name: &str, descriptor: &str) -> Option<Arc<Code>> {
    let (old, new) = (was.method(name, descriptor)?, is.method(name, descriptor)?);
    let has_code = old.access.is_static() == new.access.is_static() && is.code(new).ok()?.is_some();
    was.code(old).ok()?.filter(|_| has_code).cloned()
}
