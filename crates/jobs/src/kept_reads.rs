//! What a job has read, as it is kept: queries about methods are grouped by class and method, whose names would be
//! repeated for each of them otherwise. A result that follows many calls has thousands.

use cupping_classfile::reads::Read;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A set of queries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Groups", into = "Groups")]
pub struct KeptReads(pub BTreeSet<Read>);

/// The same in groups.
#[derive(Serialize, Deserialize)]
struct Groups {
    /// Queries about methods: by class, and by name with descriptor.
    methods: BTreeMap<Box<str>, BTreeMap<Box<str>, Vec<OfMethod>>>,
    others: Vec<Read>,
}

/// A query about a method.
#[derive(Serialize, Deserialize)]
enum OfMethod {
    Body,
    Lines,
    Fact(Box<str>),
}

impl From<KeptReads> for Groups {
    fn from(reads: KeptReads) -> Groups {
        let mut groups = Groups { methods: BTreeMap::new(), others: Vec::new() };
        for read in reads.0 {
            let (class, method, query) = match read {
                Read::Body(class, method) => (class, method, OfMethod::Body),
                Read::Lines(class, method) => (class, method, OfMethod::Lines),
                Read::Fact(name, class, method) => (class, method, OfMethod::Fact(name)),
                other => {
                    groups.others.push(other);
                    continue;
                }
            };
            groups.methods.entry(class).or_default().entry(method).or_default().push(query);
        }
        groups
    }
}

impl From<Groups> for KeptReads {
    fn from(groups: Groups) -> KeptReads {
        let mut reads: BTreeSet<Read> = groups.others.into_iter().collect();
        for (class, methods) in groups.methods {
            for (method, queries) in methods {
                let (class, method) = (&class, &method);
                reads.extend(queries.into_iter().map(|query| match query {
                    OfMethod::Body => Read::Body(class.clone(), method.clone()),
                    OfMethod::Lines => Read::Lines(class.clone(), method.clone()),
                    OfMethod::Fact(name) => Read::Fact(name, class.clone(), method.clone()),
                }));
            }
        }
        KeptReads(reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_about_methods_are_grouped_and_kept() {
        let of = |class: &str, method: &str| (Box::<str>::from(class), Box::<str>::from(method));
        let (class, method) = of("p/A", "of(I)I");
        let other = of("p/A", "by()V");
        let reads = BTreeSet::from([
            Read::Body(class.clone(), method.clone()),
            Read::Lines(class.clone(), method.clone()),
            Read::Fact("calls".into(), class.clone(), method.clone()),
            Read::Fact("casts".into(), class.clone(), method),
            Read::Body(other.0, other.1),
            Read::Fact("casts".into(), "p/B".into(), "of(I)I".into()),
            Read::Declaration(class),
            Read::Package("p/".into(), true),
            Read::Names,
        ]);
        let text = serde_json::to_string(&KeptReads(reads.clone())).unwrap();
        assert_eq!(text.matches("of(I)I").count(), 2, "{text}");
        assert_eq!(serde_json::from_str::<KeptReads>(&text).unwrap().0, reads);
    }
}
