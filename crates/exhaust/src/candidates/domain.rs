//! Types of objects with their numbers, and the domains of locations.

use crate::classes::simple_name;
use crate::predicate_scope::PredicateScope;
use crate::specification::Specification;

/// The object types: classes first, then kinds of arrays.
pub(super) struct Types<'a> {
    /// Internal names and descriptors.
    names: Vec<&'a str>,
    /// Minimum and maximum number of objects of each type.
    bounds: Vec<(usize, usize)>,
    /// Index of the first array type.
    arrays: usize,
}

impl<'a> Types<'a> {
    pub(super) fn new(specification: &'a Specification, scope: &PredicateScope) -> Types<'a> {
        let classes = &specification.plan.classes;
        let mut names: Vec<&str> = classes.classes.keys().map(String::as_str).collect();
        let mut counts: Vec<_> = names.iter().map(|it| scope.objects(simple_name(it))).collect();
        let arrays = names.len();
        for array in &classes.arrays {
            names.push(&array.descriptor);
            counts.push(scope.objects(&format!("{}Array", array.of)));
        }
        Types { names, bounds: counts, arrays }
    }

    /// The name of a class.
    pub(super) fn name(&self, of: usize) -> &'a str {
        self.names[of]
    }

    /// The index of a class by name.
    pub(super) fn class(&self, name: &str) -> Option<usize> {
        self.names[..self.arrays].binary_search(&name).ok()
    }

    /// The index of a kind of array.
    pub(super) fn array(&self, kind: usize) -> usize {
        self.arrays + kind
    }

    /// The maximum number of objects of a type.
    pub(super) fn most(&self, of: usize) -> usize {
        self.bounds[of].1
    }

    /// The classes with their minimum number of objects.
    pub(super) fn least(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.arrays).map(|it| (it, self.bounds[it].0))
    }
}

/// The values of a location, in the order in which they are tried.
pub(super) type Domain = Vec<DomainPart>;

/// A part of a domain.
pub(super) enum DomainPart {
    /// Fixed values.
    Values(Vec<u64>),
    /// Objects of these types that exist already.
    Known(Vec<usize>),
    /// A new object of this class.
    Fresh(usize),
    /// A new array of a kind and a range of lengths.
    FreshArray(usize, (u32, u32)),
}
