//! JUnit source, certification on the JDK, JSON and text summaries.

pub mod certify;
pub mod facts;
pub mod junit;
