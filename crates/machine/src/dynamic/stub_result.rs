//! Results of the methods of a stub.

/// The result of a method of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StubResult {
    /// None, for a `void` method.
    Nothing,
    /// A field of its own.
    Field,
    /// The parameter of this index; it has the type of the result.
    Parameter(usize),
}
