//! Short static methods in which natives continue in Java.

use super::assemble::{Assembler, InvocationKind};
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::synthetic;
use crate::exit::Step;
use crate::machine::Machine;

const OBJECT: &str = "java/lang/Object";

impl Machine {
    /// `Arrays.asList(array).iterator()`
    pub(crate) fn array_iterator(&mut self) -> Step<MethodId> {
        let descriptor = "([Ljava/lang/Object;)Ljava/util/Iterator;";
        glue(self, "iterator", descriptor, &[Kind::Reference], |m, code| {
            code.parameter(0);
            let as_list = "([Ljava/lang/Object;)Ljava/util/List;";
            code.invoke_named(m, InvocationKind::Static, "java/util/Arrays", "asList", as_list)?;
            code.invoke_named(
                m,
                InvocationKind::Virtual,
                "java/util/List",
                "iterator",
                "()Ljava/util/Iterator;",
            )?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// `URI.create(text).toURL()`
    pub(crate) fn url_of(&mut self) -> Step<MethodId> {
        const URI: &str = "java/net/URI";
        glue(self, "url", "(Ljava/lang/String;)Ljava/net/URL;", &[Kind::Reference], |m, code| {
            code.parameter(0);
            code.invoke_named(
                m,
                InvocationKind::Static,
                URI,
                "create",
                "(Ljava/lang/String;)Ljava/net/URI;",
            )?;
            code.invoke_named(m, InvocationKind::Virtual, URI, "toURL", "()Ljava/net/URL;")?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// An `Enumeration` of the URLs of these texts: `URI.create(text).toURL()` of each.
    pub(crate) fn urls_of(&mut self) -> Step<MethodId> {
        const VECTOR: &str = "java/util/Vector";
        const ITERATOR: &str = "java/util/Iterator";
        let (iterator, url) = (self.array_iterator()?, self.url_of()?);
        let descriptor = "([Ljava/lang/String;)Ljava/util/Enumeration;";
        glue(self, "urls", descriptor, &[Kind::Reference], |m, code| {
            let (texts, urls) = (code.local(Kind::Reference), code.local(Kind::Reference));
            code.parameter(0);
            code.invoke(m, iterator, InvocationKind::Static);
            code.store(texts, Kind::Reference);
            code.new_object_of(m, VECTOR)?;
            code.op(Op::Dup);
            code.invoke_named(m, InvocationKind::Direct, VECTOR, "<init>", "()V")?;
            code.store(urls, Kind::Reference);
            let (next, end) = (code.here(), code.label());
            code.load(texts, Kind::Reference);
            code.invoke_named(m, InvocationKind::Virtual, ITERATOR, "hasNext", "()Z")?;
            code.jump(Op::IfEq, end);
            code.load(urls, Kind::Reference);
            code.load(texts, Kind::Reference);
            code.invoke_named(m, InvocationKind::Virtual, ITERATOR, "next", "()Ljava/lang/Object;")?;
            code.invoke(m, url, InvocationKind::Static);
            code.invoke_named(m, InvocationKind::Virtual, VECTOR, "addElement", "(Ljava/lang/Object;)V")?;
            code.jump(Op::Goto, next);
            code.bind(end);
            code.load(urls, Kind::Reference);
            let elements = "()Ljava/util/Enumeration;";
            code.invoke_named(m, InvocationKind::Virtual, VECTOR, "elements", elements)?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// What `getInputStream` of a connection to an entry of a jar does: it connects, and reads the entry.
    pub(crate) fn stream_of_jar(&mut self) -> Step<MethodId> {
        const CONNECTION: &str = "sun/net/www/protocol/jar/JarURLConnection";
        const STREAM: &str = "sun/net/www/protocol/jar/JarURLConnection$JarURLInputStream";
        const FILE: &str = "java/util/jar/JarFile";
        const EXCEPTION: &str = "java/io/IOException";
        let descriptor = "(Ljava/net/JarURLConnection;)Ljava/io/InputStream;";
        glue(self, "jarStream", descriptor, &[Kind::Reference], |m, code| {
            let ask = |m: &mut Machine, code: &mut Assembler, name, result: &str| {
                code.parameter(0);
                code.invoke_named(m, InvocationKind::Virtual, CONNECTION, name, &format!("(){result}"))
            };
            ask(m, code, "connect", "V")?;
            ask(m, code, "getEntryName", "Ljava/lang/String;")?;
            let named = code.label();
            code.jump(Op::IfNonNull, named);
            code.new_object_of(m, EXCEPTION)?;
            code.op(Op::Dup);
            code.text("no entry name specified");
            code.invoke_named(m, InvocationKind::Direct, EXCEPTION, "<init>", "(Ljava/lang/String;)V")?;
            code.op(Op::AThrow);
            code.bind_at(named, 0);
            code.new_object_of(m, STREAM)?;
            code.op(Op::Dup);
            code.parameter(0);
            ask(m, code, "getJarFile", "Ljava/util/jar/JarFile;")?;
            ask(m, code, "getJarEntry", "Ljava/util/jar/JarEntry;")?;
            let read = "(Ljava/util/zip/ZipEntry;)Ljava/io/InputStream;";
            code.invoke_named(m, InvocationKind::Virtual, FILE, "getInputStream", read)?;
            let made = "(Lsun/net/www/protocol/jar/JarURLConnection;Ljava/io/InputStream;)V";
            code.invoke_named(m, InvocationKind::Direct, STREAM, "<init>", made)?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// The protection domain of what a loader loads from a folder or an archive: `new ProtectionDomain(new
    /// CodeSource(new File(path).toURI().toURL(), null), null, loader, null)`.
    pub(crate) fn protection_domain(&mut self) -> Step<MethodId> {
        const DOMAIN: &str = "java/security/ProtectionDomain";
        const SOURCE: &str = "java/security/CodeSource";
        const FILE: &str = "java/io/File";
        let descriptor = "(Ljava/lang/String;Ljava/lang/ClassLoader;)Ljava/security/ProtectionDomain;";
        glue(self, "domain", descriptor, &[Kind::Reference, Kind::Reference], |m, code| {
            for class in [DOMAIN, SOURCE, FILE] {
                code.new_object_of(m, class)?;
                code.op(Op::Dup);
            }
            code.parameter(0);
            code.invoke_named(m, InvocationKind::Direct, FILE, "<init>", "(Ljava/lang/String;)V")?;
            code.invoke_named(m, InvocationKind::Virtual, FILE, "toURI", "()Ljava/net/URI;")?;
            code.invoke_named(m, InvocationKind::Virtual, "java/net/URI", "toURL", "()Ljava/net/URL;")?;
            code.zero(Kind::Reference);
            let from_url = "(Ljava/net/URL;[Ljava/security/cert/Certificate;)V";
            code.invoke_named(m, InvocationKind::Direct, SOURCE, "<init>", from_url)?;
            code.zero(Kind::Reference);
            code.parameter(1);
            code.zero(Kind::Reference);
            let whole = "(Ljava/security/CodeSource;Ljava/security/PermissionCollection;Ljava/lang/ClassLoader;\
                         [Ljava/security/Principal;)V";
            code.invoke_named(m, InvocationKind::Direct, DOMAIN, "<init>", whole)?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// The protection domain of the JDK's classes: without a source.
    pub(crate) fn protection_domain_of_jdk(&mut self) -> Step<MethodId> {
        const DOMAIN: &str = "java/security/ProtectionDomain";
        glue(self, "domainOfJdk", "()Ljava/security/ProtectionDomain;", &[], |m, code| {
            code.new_object_of(m, DOMAIN)?;
            code.op(Op::Dup);
            code.zero(Kind::Reference);
            code.zero(Kind::Reference);
            let plain = "(Ljava/security/CodeSource;Ljava/security/PermissionCollection;)V";
            code.invoke_named(m, InvocationKind::Direct, DOMAIN, "<init>", plain)?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// `loader.loadClass(name)`; the purpose of the request appears in messages.
    pub(crate) fn asking(&mut self) -> Step<MethodId> {
        const LOADER: &str = "java/lang/ClassLoader";
        let descriptor = "(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/lang/String;)Ljava/lang/Class;";
        glue(self, "asking", descriptor, &[Kind::Reference; 3], |m, code| {
            code.parameter(0);
            code.parameter(1);
            let load_class = "(Ljava/lang/String;)Ljava/lang/Class;";
            code.invoke_named(m, InvocationKind::Virtual, LOADER, "loadClass", load_class)?;
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// Initialises the class of a `Class` object and returns that.
    pub(crate) fn initializing(&mut self) -> Step<MethodId> {
        const UNSAFE: &str = "jdk/internal/misc/Unsafe";
        let descriptor = "(Ljava/lang/Class;)Ljava/lang/Class;";
        glue(self, "initializing", descriptor, &[Kind::Reference], |m, code| {
            code.invoke_named(
                m,
                InvocationKind::Static,
                UNSAFE,
                "getUnsafe",
                "()Ljdk/internal/misc/Unsafe;",
            )?;
            code.parameter(0);
            code.invoke_named(
                m,
                InvocationKind::Virtual,
                UNSAFE,
                "ensureClassInitialized",
                "(Ljava/lang/Class;)V",
            )?;
            code.parameter(0);
            code.ret(Kind::Reference);
            Ok(())
        })
    }

    /// The constructor of an object that `serial` creates: `constructor`, of a superclass, runs on a new object
    /// of `class` (the Java Object Serialization Specification, §3.1).
    pub(crate) fn serial_constructor(
        &mut self,
        accessor: ClassId,
        class: ClassId,
        constructor: MethodId,
    ) -> Step<ClassId> {
        let name = format!("{}$${}_{}", self.class(accessor).name, class.0, constructor.0);
        if let Some(known) = self.classes.names.get(name.as_str()) {
            return Ok(known);
        }
        let mut made = super::synthetic::Synthetic::holder(self, accessor, name);
        made.super_class = accessor;
        let descriptor = "([Ljava/lang/Object;)Ljava/lang/Object;";
        made.methods.push(("newInstance".into(), descriptor.into(), super::synthetic::PUBLIC));
        let made = synthetic::define_synthetic(self, made)?;
        let mut code = Assembler::instance(&[Kind::Reference]);
        code.new_object(class);
        code.op(Op::Dup);
        code.invoke(self, constructor, InvocationKind::Direct);
        code.ret(Kind::Reference);
        synthetic::set_code(self, made, 0, code);
        Ok(made)
    }
}

/// The glue of this name and descriptor; `build` generates its code on first use.
fn glue(
    m: &mut Machine,
    name: &'static str,
    descriptor: &str,
    kinds: &[Kind],
    build: impl FnOnce(&mut Machine, &mut Assembler) -> Step<()>,
) -> Step<MethodId> {
    if let Some(known) = m.dynamic.glue.get(name) {
        return Ok(*known);
    }
    let mut code = Assembler::new(kinds);
    build(m, &mut code)?;
    let host = m.load(OBJECT)?;
    let method = synthetic::define_static(m, host, format!("{OBJECT}$$Glue${name}"), name, descriptor, code)?;
    m.dynamic.glue.insert(name, method);
    Ok(method)
}
