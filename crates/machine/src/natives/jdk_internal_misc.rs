//! `jdk.internal.misc` and related packages, except for `Unsafe`: what the class library learns about the JVM.

use super::support::{NOTHING, ONE, ZERO, long, reference};
use super::{Args, Native, NativeOutcome, VOID, quick, row};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::natives::mirrors;
use crate::state::Value;
use crate::world::{HOME, JDK, TEMPORARY, WORKING_DIRECTORY};
use cupping_case::Effect;

const VM: &str = "jdk/internal/misc/VM";
const CDS: &str = "jdk/internal/misc/CDS";
const SIGNAL: &str = "jdk/internal/misc/Signal";
const PROPS: &str = "jdk/internal/util/SystemProps$Raw";
const RUNTIME: &str = "java/lang/Runtime";
const PERF: &str = "jdk/internal/perf/Perf";
const CONTROLLER: &str = "java/security/AccessController";
const CONTEXT: &str = "()Ljava/security/AccessControlContext;";
const REFERENCE: &str = "java/lang/ref/Reference";
const PHANTOM: &str = "java/lang/ref/PhantomReference";
const ZONE: &str = "java/util/TimeZone";

pub(super) const NATIVES: &[Native] = &[
    row(VM, "initialize", "()V", NOTHING),
    row(VM, "latestUserDefinedLoader0", "()Ljava/lang/ClassLoader;", |m, _| mirrors::system_loader(m)),
    row(VM, "getuid", "()J", |_, _| long(1000)),
    row(VM, "geteuid", "()J", |_, _| long(1000)),
    row(VM, "getgid", "()J", |_, _| long(1000)),
    row(VM, "getegid", "()J", |_, _| long(1000)),
    row(VM, "getNanoTimeAdjustment", "(J)J", |m, a| {
        let offset = a.long(m, 0);
        let (seconds, nanos) = super::java_lang_system::time_of_day(m);
        long((seconds - offset) * 1_000_000_000 + nanos)
    }),
    row(VM, "getRuntimeArguments", "()[Ljava/lang/String;", |m, _| reference(m.string_array::<&str>(&[])?)),
    row(CDS, "isDumpingClassList0", "()Z", ZERO),
    row(CDS, "isDumpingArchive0", "()Z", ZERO),
    row(CDS, "isSharingEnabled0", "()Z", ZERO),
    row(CDS, "getCDSConfigStatus", "()I", ZERO),
    row(CDS, "needsClassInitBarrier0", "(Ljava/lang/Class;)Z", ZERO),
    row(CDS, "logLambdaFormInvoker", "(Ljava/lang/String;)V", NOTHING),
    row(CDS, "initializeFromArchive", "(Ljava/lang/Class;)V", NOTHING),
    row(CDS, "defineArchivedModules", "(Ljava/lang/ClassLoader;Ljava/lang/ClassLoader;)V", NOTHING),
    row(CDS, "getRandomSeedForDumping", "()J", seed),
    row("jdk/internal/misc/PreviewFeatures", "isPreviewEnabled", "()Z", ZERO),
    row("jdk/internal/misc/ScopedMemoryAccess", "registerNatives", "()V", NOTHING),
    // One thread runs at a time, and none is within an access when another closes the segment.
    row("jdk/internal/misc/ScopedMemoryAccess", "closeScope0", "*", ONE),
    row("jdk/internal/vm/ContinuationSupport", "isSupported0", "()Z", ZERO),
    row("jdk/internal/vm/ForeignLinkerSupport", "isSupported0", "()Z", ZERO),
    row("jdk/internal/vm/Continuation", "registerNatives", "()V", NOTHING),
    row("jdk/internal/vm/Continuation", "pin", "()V", NOTHING),
    row("jdk/internal/vm/Continuation", "unpin", "()V", NOTHING),
    row("java/lang/VirtualThread", "registerNatives", "()V", NOTHING),
    row("java/nio/MappedMemoryUtils", "registerNatives", "()V", NOTHING),
    row(SIGNAL, "findSignal0", "(Ljava/lang/String;)I", |m, _| {
        m.note(Effect::OtherProcesses);
        super::support::int(-1)
    }),
    row(SIGNAL, "handle0", "(IJ)J", ZERO),
    row(SIGNAL, "raise0", "(I)V", NOTHING),
    row("java/lang/Terminator", "setup", "()V", NOTHING),
    row(PROPS, "vmProperties", "()[Ljava/lang/String;", vm_properties),
    row(PROPS, "platformProperties", "()[Ljava/lang/String;", platform_properties),
    row(RUNTIME, "availableProcessors", "()I", |m, _| super::support::int(1 + m.registers.variation as i32)),
    row(RUNTIME, "freeMemory", "()J", |m, _| {
        m.registers.volatile_reads += 1;
        let used = m.words_in_use() + 1000 * u64::from(m.registers.variation);
        long((m.limits.heap_words as u64 * 8).saturating_sub(used * 8) as i64)
    }),
    row(RUNTIME, "totalMemory", "()J", |m, _| long(varied_memory(m, 8))),
    row(RUNTIME, "maxMemory", "()J", |m, _| long(varied_memory(m, 24))),
    row(RUNTIME, "gc", "()V", |m, _| {
        m.collect_on_request()?;
        Ok(VOID)
    }),
    row(RUNTIME, "exit", "(I)V", exit),
    row(RUNTIME, "halt", "(I)V", halt),
    row("java/lang/Shutdown", "beforeHalt", "()V", NOTHING),
    row("java/lang/Shutdown", "halt0", "(I)V", |m, a| end(m, a.int(m, 0))),
    row("java/lang/ProcessEnvironment", "environ", "()[[B", environment),
    row(PERF, "registerNatives", "()V", NOTHING),
    row(PERF, "createLong", "*", |m, _| {
        let allocate = m.jdk_method("java/nio/ByteBuffer", "allocate", "(I)Ljava/nio/ByteBuffer;")?;
        Ok(NativeOutcome::Call(allocate, vec![Value::int(8)]))
    }),
    row(CONTROLLER, "getProtectionDomain", "(Ljava/lang/Class;)Ljava/security/ProtectionDomain;", ZERO),
    row(CONTROLLER, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", NOTHING),
    row(CONTROLLER, "getStackAccessControlContext", CONTEXT, ZERO),
    row(CONTROLLER, "getInheritedAccessControlContext", CONTEXT, ZERO),
    row(REFERENCE, "getAndClearReferencePendingList", "()Ljava/lang/ref/Reference;", |m, _| {
        reference(std::mem::take(&mut m.registers.cold.pending_references))
    }),
    row(REFERENCE, "hasReferencePendingList", "()Z", |m, _| {
        super::support::boolean(m.registers.cold.pending_references != 0)
    }),
    row(REFERENCE, "waitForReferencePendingList", "()V", |_, _| {
        Ok(NativeOutcome::Block(crate::threads::StopReason::References))
    }),
    quick(row(REFERENCE, "refersTo0", "(Ljava/lang/Object;)Z", refers_to)),
    row(REFERENCE, "clear0", "()V", clear),
    quick(row(PHANTOM, "refersTo0", "(Ljava/lang/Object;)Z", refers_to)),
    row(PHANTOM, "clear0", "()V", clear),
    row("java/lang/ref/Finalizer", "isFinalizationEnabled", "()Z", ZERO),
    row("java/lang/ref/Finalizer", "startFinalizerThread", "(Ljava/lang/ThreadGroup;)V", NOTHING),
    row("java/lang/ref/Finalizer", "register", "(Ljava/lang/Object;)V", NOTHING),
    row(ZONE, "getSystemTimeZoneID", "(Ljava/lang/String;)Ljava/lang/String;", |m, _| {
        reference(m.new_text("UTC")?)
    }),
    row(ZONE, "getSystemGMTOffsetID", "()Ljava/lang/String;", |m, _| reference(m.new_text("GMT")?)),
    row("java/util/concurrent/atomic/AtomicLong", "VMSupportsCS8", "()Z", ONE),
    row("jdk/internal/platform/CgroupMetrics", "isUseContainerSupport", "()Z", ZERO),
    row("jdk/internal/platform/CgroupMetrics", "isContainerized0", "()Z", ZERO),
    row("jdk/internal/misc/Blocker", "begin", "()Z", ZERO),
];

fn refers_to(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    super::support::boolean(m.named(args.reference(m, 0), "referent") as u32 == args.reference(m, 1))
}

fn clear(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    m.set_named(args.reference(m, 0), "referent", 0);
    Ok(VOID)
}

/// The amount of memory reported to a program; in varied runs it is greater, by 4,096 times this.
fn varied_memory(m: &Machine, more: i64) -> i64 {
    m.limits.heap_words as i64 * 8 + i64::from(m.registers.variation) * more * 4096
}

fn seed(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    m.registers.volatile_reads += 1;
    m.registers.entropy_reads += 1;
    m.note(Effect::RandomnessRead);
    let variation = i64::from(m.registers.variation).wrapping_mul(0x1234_5678_9ABC);
    long(0x5EED ^ m.environment.options.seed as i64 ^ variation)
}

/// The JDK's code behind `Runtime.exit`, without the logging that newer JDKs put before it.
fn exit(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    if m.environment.options.abrupt_exit {
        return halt(m, args);
    }
    let shutdown = m.jdk_method("java/lang/Shutdown", "exit", "(I)V")?;
    Ok(NativeOutcome::Call(shutdown, vec![args.value(m, 1)]))
}

fn halt(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    end(m, args.int(m, 1))
}

fn end(m: &mut Machine, status: i32) -> Step<NativeOutcome> {
    m.note(Effect::Exit(status));
    Err(Trap::Exit(Exit::Halted(Halt::Exit(status))))
}

/// Properties that the JVM gives: names and values in turn.
fn vm_properties(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let feature = m.program.jdk().feature_version();
    let version = java_version(m);
    let class_version = (feature + 44).to_string() + ".0";
    let feature = feature.to_string();
    let pairs = [
        ("java.home", JDK),
        ("java.vm.specification.name", "Java Virtual Machine Specification"),
        ("java.vm.specification.vendor", "Oracle Corporation"),
        ("java.vm.specification.version", &feature),
        ("java.vm.name", "Cupping"),
        ("java.vm.vendor", "Cupping"),
        ("java.vm.version", &version),
        ("java.vm.info", "interpreted mode"),
        ("java.vm.compressedOopsMode", "32-bit"),
        ("java.vm.debug", "release"),
        ("jdk.debug", "release"),
        ("sun.boot.library.path", "/jdk/lib"),
        // Without this name, there is no `CompilationMXBean`.
        ("sun.management.compiler", "HotSpot 64-Bit Tiered Compilers"),
        ("java.library.path", "/usr/lib"),
        ("java.class.version", &class_version),
        ("sun.nio.MaxDirectMemorySize", "-1"),
        ("sun.nio.PageAlignDirectMemory", "false"),
        ("java.locale.useOldISOCodes", ""),
    ];
    let options = m.environment.options.clone();
    let given = options.properties.iter().map(|(name, value)| (&**name, &**value));
    let entries: Vec<String> =
        m.program.class_path().entries().map(|e| e.path().display().to_string()).collect();
    let class_path = match &*options.class_path {
        "" => entries.join(":"),
        said => said.to_owned(),
    };
    let pairs = pairs.into_iter().chain([("java.class.path", &*class_path)]).chain(given);
    // As on the JVM, the last definition wins.
    let mut texts: Vec<Option<&str>> = pairs.flat_map(|(n, v)| [Some(n), Some(v)]).collect();
    texts.push(None);
    texts.push(None);
    reference(m.string_array(&texts)?)
}

/// Environment variables that most computers have, with values of their own.
const COMMON_VARIABLES: [&str; 9] =
    ["HOME", "HOSTNAME", "JAVA_HOME", "LANG", "PATH", "PWD", "SHELL", "TMPDIR", "USER"];

/// Names and values of environment variables in turn, as bytes.
fn environment(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let mut variables = m.environment.options.environment.clone();
    if m.registers.variation != 0 {
        variables.retain(|(name, _)| !COMMON_VARIABLES.contains(&name.as_str()));
        variables.extend(COMMON_VARIABLES.map(|name| (name.into(), format!("/other/{name}"))));
    }
    let class = m.load("[[B")?;
    let array = m.new_array(class, variables.len() as u32 * 2)?;
    let texts = variables.iter().flat_map(|(name, value)| [name, value]);
    for (index, text) in texts.enumerate() {
        let bytes = m.new_byte_array(text.as_bytes())?;
        m.set_element_ref(array, index as u32, bytes);
    }
    reference(array)
}

/// Properties that the platform gives, at the indices that `SystemProps.Raw` names.
fn platform_properties(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let raw = m.load(PROPS)?;
    let index = |m: &Machine, name: &str| m.static_field(raw, name).map(|v| v as usize);
    let count = index(m, "FIXED_LENGTH").unwrap_or(40);
    let mut texts: Vec<Option<&str>> = vec![None; count];
    for (name, value) in [
        ("_display_language_NDX", "en"),
        ("_display_country_NDX", "US"),
        ("_file_encoding_NDX", "UTF-8"),
        ("_native_encoding_NDX", "UTF-8"),
        ("_file_separator_NDX", "/"),
        ("_format_language_NDX", "en"),
        ("_format_country_NDX", "US"),
        ("_java_io_tmpdir_NDX", TEMPORARY),
        ("_line_separator_NDX", "\n"),
        ("_os_arch_NDX", "amd64"),
        ("_os_name_NDX", "Linux"),
        ("_os_version_NDX", "6"),
        ("_path_separator_NDX", ":"),
        ("_stdout_encoding_NDX", "UTF-8"),
        ("_stderr_encoding_NDX", "UTF-8"),
        ("_stdin_encoding_NDX", "UTF-8"),
        ("_sun_jnu_encoding_NDX", "UTF-8"),
        ("_sun_arch_data_model_NDX", "64"),
        ("_sun_cpu_endian_NDX", "little"),
        ("_sun_io_unicode_encoding_NDX", "UnicodeLittle"),
        ("_user_dir_NDX", WORKING_DIRECTORY),
        ("_user_home_NDX", HOME),
        ("_user_name_NDX", "cupping-user"),
    ] {
        if let Some(slot) = index(m, name).and_then(|at| texts.get_mut(at)) {
            *slot = Some(value);
        }
    }
    reference(m.string_array(&texts)?)
}

/// The version that the JDK's classes claim.
pub(super) fn java_version(m: &Machine) -> String {
    m.program.jdk().feature_version().to_string()
}
