//! Hash-consed terms over Java's arithmetic: rewriting and evaluation.
