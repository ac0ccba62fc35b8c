//! Path exploration: constraint tree and search order.
