//! The services of the JDK's modules.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Providers by service: module and class, with dots.
pub(crate) type Catalog = Rc<BTreeMap<String, Vec<(Arc<str>, String)>>>;
