//! Results of the methods of a stub.

/// What a method of a stub returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StubResult {
    /// Nothing, of a `void` method.
    Nothing,
    /// A field of its own.
    Field,
    /// The parameter of this index; it has the type of the result.
    Parameter(usize),
}
