//! Booting: the classes that the machine itself knows, the main thread, and the JDK's first phase of
//! initialisation.

use crate::classes::{ClassId, Kind};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::{Machine, RunLimits};
use crate::memory::Addr;
use crate::run::BootError;
use crate::state::Value;
use crate::world::WorldOptions;
use cupping_classfile::Program;
use std::sync::Arc;

impl Machine {
    /// A machine with the JDK's class library initialised as far as ordinary code needs. Assertions are enabled
    /// if they are enabled in the program.
    ///
    /// # Errors
    ///
    /// The class library does not start, because of a fault of the machine or of the JDK.
    pub fn boot(program: Arc<Program>, limits: RunLimits) -> Result<Machine, BootError> {
        let options = WorldOptions { assertions: program.has_assertions(), ..WorldOptions::default() };
        Machine::boot_with(program, limits, options)
    }

    /// As [`Machine::boot`], with the environment that the program finds when it starts.
    ///
    /// # Errors
    ///
    /// As [`Machine::boot`].
    pub fn boot_with(
        program: Arc<Program>,
        limits: RunLimits,
        options: WorldOptions,
    ) -> Result<Machine, BootError> {
        let mut machine = Machine::unbooted(program, limits, crate::natives::table());
        machine.environment.options = options;
        machine.install_files()?;
        match find_well_known(&mut machine).and_then(|()| start_class_library(&mut machine)) {
            Ok(()) => {
                machine.begin_effects();
                Ok(machine)
            }
            Err(Trap::Missing(name)) => Err(BootError::Missing(name)),
            Err(trap) => Err(BootError::Failed(machine.describe_trap(&trap))),
        }
    }

    /// Initialises a class and runs its initialisers to their end.
    ///
    /// # Errors
    ///
    /// The exception of the initialiser, or the reason why it stopped.
    pub fn initialize_now(&mut self, name: &str) -> Step<ClassId> {
        let class = self.load(name)?;
        self.initialize_class_now(class)?;
        Ok(class)
    }

    /// Initialises a loaded class and runs its initialisers to their end.
    ///
    /// # Errors
    ///
    /// The exception of the initialiser, or the reason why it stopped.
    pub fn initialize_class_now(&mut self, class: ClassId) -> Step<()> {
        let was_preparing = std::mem::replace(&mut self.is_preparing, true);
        let done = self.initialize_class_in_frame(class);
        self.is_preparing = was_preparing;
        done
    }

    fn initialize_class_in_frame(&mut self, class: ClassId) -> Step<()> {
        let before = self.registers.frames.len();
        // The entry frame is below the initialisers', so that the run ends there.
        self.push_barrier()?;
        match self.ensure_initialized(class) {
            Ok(()) => {
                self.registers.frames.truncate(before);
                Ok(())
            }
            Err(Trap::Restart) => finish_call(self).map(|_| ()),
            Err(other) => {
                self.registers.frames.truncate(before);
                Err(other)
            }
        }
    }

    /// Runs a method from within the machine, to its end, without decisions: for booting and observing.
    ///
    /// # Errors
    ///
    /// [`Trap::Throw`] with its exception; [`Trap::Exit`] if it stopped for another reason.
    pub fn call(&mut self, method: crate::classes::MethodId, arguments: &[Value]) -> Step<Value> {
        self.enter(method, arguments)?;
        finish_call(self)
    }

    /// A readable reason why an instruction did not complete.
    pub fn describe_trap(&mut self, trap: &Trap) -> String {
        match trap {
            Trap::Throw(exception) => self.describe_throwable(*exception),
            Trap::Raise(class, message) => format!("{class}: {}", message.as_deref().unwrap_or("")),
            Trap::Missing(name) => format!("class {name} is missing"),
            Trap::Erroneous(class) => format!("class {} failed to initialise", self.class(*class).name),
            Trap::Exit(Exit::Halted(Halt::Unsupported(what))) => format!("unsupported: {what}"),
            other => format!("{other:?}"),
        }
    }

    /// An exception with its message, stack trace and causes, as readable text.
    pub fn describe_throwable(&self, exception: Addr) -> String {
        let mut text = String::new();
        let mut at = exception;
        for depth in 0..8 {
            let message = self.throwable_message(at).map(|m| format!(": {}", String::from_utf16_lossy(&m)));
            let name = self.class_name_of(at).replace('/', ".");
            text += &format!(
                "{}{name}{}",
                if depth > 0 { "Caused by: " } else { "" },
                message.unwrap_or_default()
            );
            for row in self.stack_trace(at).iter().take(24) {
                let line = self.line_of(row.method, row.offset).map_or(String::new(), |l| format!(":{l}"));
                text += &format!("\n    at {}{line}", self.method_name(row.method));
            }
            let mut cause = self.field_ref(at, self.classes.well_known.throwable_cause);
            if cause == 0 {
                // An InvocationTargetException keeps its cause elsewhere.
                cause = self.named(at, "target") as Addr;
            }
            if cause == 0 || cause == at {
                break;
            }
            text.push('\n');
            at = cause;
        }
        text
    }
}

fn find_well_known(machine: &mut Machine) -> Step<()> {
    for (name, kind) in PRIMITIVES {
        machine.define_primitive(name, kind)?;
    }
    let object = machine.load("java/lang/Object")?;
    let class = machine.load("java/lang/Class")?;
    let string = machine.load("java/lang/String")?;
    let throwable = machine.load("java/lang/Throwable")?;
    machine.classes.well_known.object = object.0;
    machine.classes.well_known.class = class.0;
    machine.classes.well_known.string = string.0;
    machine.classes.well_known.byte_array = machine.load("[B")?.0;
    let offset = |m: &Machine, class: ClassId, name: &str| {
        m.field_offset(class, name).ok_or_else(|| Trap::Missing(format!("{}.{name}", m.class(class).name)))
    };
    machine.classes.well_known.string_value = offset(machine, string, "value")?;
    machine.classes.well_known.string_coder = offset(machine, string, "coder")?;
    machine.classes.well_known.string_hash = offset(machine, string, "hash")?;
    machine.classes.well_known.class_vm_id = offset(machine, class, "cupping$id")?;
    machine.classes.well_known.throwable_message = offset(machine, throwable, "detailMessage")?;
    machine.classes.well_known.throwable_cause = offset(machine, throwable, "cause")?;
    machine.classes.well_known.throwable_backtrace = offset(machine, throwable, "backtrace")?;
    machine.classes.well_known.throwable_depth = offset(machine, throwable, "depth")?;
    machine.classes.well_known.throwable_stack = offset(machine, throwable, "stackTrace")?;
    Ok(())
}

fn start_class_library(machine: &mut Machine) -> Step<()> {
    machine.initialize_now("java/lang/String")?;
    let string = ClassId(machine.classes.well_known.string);
    // As -XX:-CompactStrings: see `new_string`.
    machine.set_static_field(string, "COMPACT_STRINGS", 0)?;
    // Set the constants that the JVM injects, before `Unsafe` copies them.
    let constants = machine.initialize_now("jdk/internal/misc/UnsafeConstants")?;
    for (name, value) in [("ADDRESS_SIZE0", 8), ("PAGE_SIZE", 4096), ("UNALIGNED_ACCESS", 1)] {
        machine.set_static_field(constants, name, value)?;
    }
    machine.initialize_now("java/lang/System")?;
    machine.initialize_now("java/lang/Class")?;
    machine.initialize_now("java/lang/ThreadGroup")?;
    machine.initialize_now("java/lang/Thread")?;
    create_main_thread(machine)?;
    machine.initialize_now("java/lang/Module")?;
    machine.initialize_now("java/lang/ref/Finalizer")?;
    // As HotSpot does before phase 1, since `ReflectionFactory` asks for its results.
    machine.initialize_now("java/lang/reflect/Method")?;
    let system = machine.load("java/lang/System")?;
    if let Some(phase1) = machine.declared_method(system, "initPhase1", "()V") {
        machine.call(phase1, &[])?;
    }
    // Phase 3 would; warnings of old JDKs go there.
    let errors = machine.static_field(system, "err").unwrap_or(0);
    let _ = machine.set_static_field(system, "initialErrStream", errors);
    // The omitted phases set up modules, class loaders and the security manager.
    let vm = machine.load("jdk/internal/misc/VM")?;
    machine.set_static_field(vm, "initLevel", BOOTED)?;
    for name in ["java/lang/Throwable", "java/lang/StackOverflowError", "java/lang/OutOfMemoryError"] {
        machine.initialize_now(name)?;
    }
    machine.registers.cold.out_of_memory =
        machine.new_throwable("java/lang/OutOfMemoryError", Some("Java heap space"))?;
    machine.enable_collection();
    Ok(())
}

fn create_main_thread(machine: &mut Machine) -> Step<()> {
    // The thread must be there before its constructor runs, which asks for the current thread.
    let class = machine.load("java/lang/Thread")?;
    let thread = machine.new_object(class)?;
    machine.registers.thread = thread;
    // As the JVM does: alive and of normal priority before its constructor asks for either.
    machine.set_named(thread, "eetop", 1);
    machine.set_named(thread, "priority", 5);
    let group_class = machine.load("java/lang/ThreadGroup")?;
    let system_group = machine.new_object(group_class)?;
    let constructor = machine.jdk_method("java/lang/ThreadGroup", "<init>", "()V")?;
    machine.call(constructor, &[Value::reference(system_group)])?;
    let main_group = machine.new_object(group_class)?;
    let name = machine.intern_text("main")?;
    let constructor = machine.jdk_method(
        "java/lang/ThreadGroup",
        "<init>",
        "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
    )?;
    machine.call(constructor, &[main_group, system_group, name].map(Value::reference))?;
    let constructor =
        machine.jdk_method("java/lang/Thread", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")?;
    machine.call(constructor, &[thread, main_group, name].map(Value::reference))?;
    // Alive and runnable, as JVMTI numbers thread states.
    machine.set_thread_state(thread, 5, 1);
    Ok(())
}

fn finish_call(machine: &mut Machine) -> Step<Value> {
    match machine.run() {
        Exit::Returned(value) => Ok(value),
        Exit::Threw(exception) => Err(Trap::Throw(exception)),
        other => Err(Trap::Exit(other)),
    }
}

/// `VM.SYSTEM_BOOTED`.
const BOOTED: u64 = 4;

const PRIMITIVES: [(&str, Kind); 9] = [
    ("boolean", Kind::Boolean),
    ("byte", Kind::Byte),
    ("char", Kind::Char),
    ("short", Kind::Short),
    ("int", Kind::Int),
    ("long", Kind::Long),
    ("float", Kind::Float),
    ("double", Kind::Double),
    ("void", Kind::Void),
];
