//! The solver chain: path conditions to models.
