//! Java class files, archives and the JDK image, linked into a program.
