//! JUnit source, certification on the JDK, JSON and text summaries.
