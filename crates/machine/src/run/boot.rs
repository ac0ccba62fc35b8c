//! Booting: the classes that the machine itself knows, the main thread, and the JDK's first phase of
//! initialisation.

use crate::classes::{ClassId, Kind};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::{Limits, Machine};
use crate::memory::Addr;
use crate::run::BootError;
use crate::state::Value;
use crate::world::Settings;
use cupping_classfile::Program;
use std::sync::Arc;

impl Machine {
    /// A machine with the JDK's class library initialised as far as ordinary code needs. Assertions are on if
    /// they are in the program.
    ///
    /// # Errors
    /// When the class library does not start, which is a fault of the machine or of the JDK found.
    pub fn boot(program: Arc<Program>, limits: Limits) -> Result<Machine, BootError> {
        let settings = Settings { assertions: program.has_assertions(), ..Settings::default() };
        Machine::boot_with(program, limits, settings)
    }

    /// As [`Machine::boot`], with what the program is to find when it starts.
    ///
    /// # Errors
    /// As [`Machine::boot`].
    pub fn boot_with(
        program: Arc<Program>,
        limits: Limits,
        settings: Settings,
    ) -> Result<Machine, BootError> {
        let mut machine = Machine::unbooted(program, limits, crate::natives::table());
        machine.environment.settings = settings;
        machine.install_files()?;
        match machine.find_well_known().and_then(|()| machine.start_class_library()) {
            Ok(()) => {
                machine.begin_effects();
                Ok(machine)
            }
            Err(Trap::Missing(name)) => Err(BootError::Missing(name)),
            Err(trap) => Err(BootError::Failed(machine.describe_trap(&trap))),
        }
    }

    fn find_well_known(&mut self) -> Step<()> {
        for (name, kind) in PRIMITIVES {
            self.define_primitive(name, kind)?;
        }
        let object = self.load("java/lang/Object")?;
        let class = self.load("java/lang/Class")?;
        let string = self.load("java/lang/String")?;
        let throwable = self.load("java/lang/Throwable")?;
        self.classes.well_known.object = object.0;
        self.classes.well_known.class = class.0;
        self.classes.well_known.string = string.0;
        self.classes.well_known.byte_array = self.load("[B")?.0;
        let offset = |m: &Machine, class: ClassId, name: &str| {
            m.field_offset(class, name)
                .ok_or_else(|| Trap::Missing(format!("{}.{name}", m.class(class).name)))
        };
        self.classes.well_known.string_value = offset(self, string, "value")?;
        self.classes.well_known.string_coder = offset(self, string, "coder")?;
        self.classes.well_known.string_hash = offset(self, string, "hash")?;
        self.classes.well_known.class_vm_id = offset(self, class, "cupping$id")?;
        self.classes.well_known.throwable_message = offset(self, throwable, "detailMessage")?;
        self.classes.well_known.throwable_cause = offset(self, throwable, "cause")?;
        self.classes.well_known.throwable_backtrace = offset(self, throwable, "backtrace")?;
        self.classes.well_known.throwable_depth = offset(self, throwable, "depth")?;
        self.classes.well_known.throwable_stack = offset(self, throwable, "stackTrace")?;
        Ok(())
    }

    fn start_class_library(&mut self) -> Step<()> {
        self.initialize_now("java/lang/String")?;
        let string = ClassId(self.classes.well_known.string);
        // As -XX:-CompactStrings: see `new_string`.
        self.set_static_field(string, "COMPACT_STRINGS", 0)?;
        // What the JVM injects, before `Unsafe` copies it.
        let constants = self.initialize_now("jdk/internal/misc/UnsafeConstants")?;
        for (name, value) in [("ADDRESS_SIZE0", 8), ("PAGE_SIZE", 4096), ("UNALIGNED_ACCESS", 1)] {
            self.set_static_field(constants, name, value)?;
        }
        self.initialize_now("java/lang/System")?;
        self.initialize_now("java/lang/Class")?;
        self.initialize_now("java/lang/ThreadGroup")?;
        self.initialize_now("java/lang/Thread")?;
        self.create_main_thread()?;
        self.initialize_now("java/lang/Module")?;
        self.initialize_now("java/lang/ref/Finalizer")?;
        // As HotSpot does before phase 1: `ReflectionFactory` asks for what it sets up.
        self.initialize_now("java/lang/reflect/Method")?;
        let system = self.load("java/lang/System")?;
        if let Some(phase1) = self.declared_method(system, "initPhase1", "()V") {
            self.call(phase1, &[])?;
        }
        // The phases left out set up modules, class loaders and the security manager.
        let vm = self.load("jdk/internal/misc/VM")?;
        self.set_static_field(vm, "initLevel", BOOTED)?;
        for name in ["java/lang/Throwable", "java/lang/StackOverflowError", "java/lang/OutOfMemoryError"] {
            self.initialize_now(name)?;
        }
        self.registers.cold.out_of_memory =
            self.new_throwable("java/lang/OutOfMemoryError", Some("Java heap space"))?;
        self.enable_collection();
        Ok(())
    }

    fn create_main_thread(&mut self) -> Step<()> {
        // The thread must be there before its constructor runs, which asks for the current thread.
        let class = self.load("java/lang/Thread")?;
        let thread = self.new_object(class)?;
        self.registers.thread = thread;
        // As the JVM does: alive and of normal priority before its constructor asks for either.
        self.set_named(thread, "eetop", 1);
        self.set_named(thread, "priority", 5);
        let group_class = self.load("java/lang/ThreadGroup")?;
        let system_group = self.new_object(group_class)?;
        let constructor = self.jdk_method("java/lang/ThreadGroup", "<init>", "()V")?;
        self.call(constructor, &[Value::reference(system_group)])?;
        let main_group = self.new_object(group_class)?;
        let name = self.intern_text("main")?;
        let constructor = self.jdk_method(
            "java/lang/ThreadGroup",
            "<init>",
            "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
        )?;
        self.call(constructor, &[main_group, system_group, name].map(Value::reference))?;
        let constructor =
            self.jdk_method("java/lang/Thread", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")?;
        self.call(constructor, &[thread, main_group, name].map(Value::reference))?;
        // Alive and runnable, as JVMTI numbers thread states.
        self.set_thread_state(thread, 5, 1);
        Ok(())
    }

    /// Initialises a class and runs its initialisers to their end.
    ///
    /// # Errors
    /// What the initialiser threw, or why it stopped.
    pub fn initialize_now(&mut self, name: &str) -> Step<ClassId> {
        let class = self.load(name)?;
        self.initialize_class_now(class)?;
        Ok(class)
    }

    /// Initialises a loaded class and runs its initialisers to their end.
    ///
    /// # Errors
    /// What the initialiser threw, or why it stopped.
    pub fn initialize_class_now(&mut self, class: ClassId) -> Step<()> {
        let before = self.registers.frames.len();
        // The entry frame is below the initialisers', so that the run ends there.
        self.push_barrier()?;
        match self.ensure_initialized(class) {
            Ok(()) => {
                self.registers.frames.truncate(before);
                Ok(())
            }
            Err(Trap::Restart) => self.finish_call().map(|_| ()),
            Err(other) => {
                self.registers.frames.truncate(before);
                Err(other)
            }
        }
    }

    /// Runs a method from within the machine, to its end, without decisions: for booting and observing.
    ///
    /// # Errors
    /// [`Trap::Throw`] with what it threw; [`Trap::Exit`] when it stopped for another reason.
    pub fn call(&mut self, method: crate::classes::MethodId, arguments: &[Value]) -> Step<Value> {
        self.enter(method, arguments)?;
        self.finish_call()
    }

    fn finish_call(&mut self) -> Step<Value> {
        match self.run() {
            Exit::Returned(value) => Ok(value),
            Exit::Threw(exception) => Err(Trap::Throw(exception)),
            other => Err(Trap::Exit(other)),
        }
    }

    /// A text for people of why an instruction did not complete.
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

    /// An exception with its message, stack trace and causes, for people.
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
