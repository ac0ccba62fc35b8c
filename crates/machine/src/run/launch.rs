//! Runs a program as `java` does: the JDK's own launcher helper finds and checks its main class, its uncaught
//! exceptions are dispatched, its threads are waited for, and its shutdown hooks run.

use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Purpose, Value};

const HELPER: &str = "sun/launcher/LauncherHelper";
/// `LauncherHelper.LM_CLASS`: the main class is given by name.
const NAMED_CLASS: i32 = 1;
/// First feature version whose launcher calls an instance `main`, or one without parameters (JEP 512).
const INSTANCE_MAIN: u16 = 25;

/// How a program ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramEnd {
    /// It ended by itself, with this exit code.
    Exited(i32),
    /// It was stopped.
    Stopped(Halt),
}

impl Machine {
    /// Runs the `main` of the class of this name (with dots) to the end of the program.
    ///
    /// The messages of `java` about a missing class or an uncaught exception are in the standard error of the
    /// run.
    pub fn launch(&mut self, main_class: &str, arguments: &[String]) -> ProgramEnd {
        let ended = run_main(self, main_class, arguments).and_then(|code| wind_up(self).map(|()| code));
        match ended {
            Ok(code) => ProgramEnd::Exited(code),
            Err(Trap::Exit(Exit::Halted(Halt::Exit(code)))) => ProgramEnd::Exited(code),
            Err(Trap::Exit(Exit::Halted(halt))) => ProgramEnd::Stopped(halt),
            // `java` also loses an exception that the handler of uncaught exceptions throws.
            Err(
                Trap::Throw(_) | Trap::Raise(..) | Trap::Missing(_) | Trap::Erroneous(_) | Trap::NoMemory(_),
            ) => ProgramEnd::Exited(1),
            Err(trap @ (Trap::Restart | Trap::Exit(_) | Trap::Block(_) | Trap::Unwind)) => {
                ProgramEnd::Stopped(Halt::Unsupported(self.describe_trap(&trap)))
            }
        }
    }

    /// Sets the loader of the class path as the context class loader of the current thread, as `java` does
    /// before it calls any code of the program.
    ///
    /// # Errors
    ///
    /// The loader cannot be created.
    pub fn set_context_loader(&mut self) -> Step<()> {
        let loader =
            self.jdk_method("java/lang/ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;")?;
        let loader = self.call(loader, &[])?;
        self.set_named(self.registers.thread, "contextClassLoader", loader.bits);
        // The loader inspects its folders when it is created. That is an effect of the JVM, not of the program.
        self.begin_effects();
        Ok(())
    }

    /// A new object by its constructor without parameters.
    fn new_instance(&mut self, class: crate::classes::ClassId) -> Step<Addr> {
        self.initialize_class_now(class)?;
        let constructor = self
            .declared_method(class, "<init>", "()V")
            .ok_or_else(|| Trap::Raise("java/lang/NoSuchMethodError", Some("<init>".into())))?;
        let object = self.new_object(class)?;
        // The call keeps the object alive, and nothing moves.
        self.call(constructor, &[Value::reference(object)])?;
        Ok(object)
    }
}

/// The exit code: 1 if an exception left `main`.
fn run_main(machine: &mut Machine, main_class: &str, arguments: &[String]) -> Step<i32> {
    let thrown = match find_and_call_main(machine, main_class, arguments) {
        Ok(()) => 0,
        Err(Trap::Exit(exit)) => return Err(Trap::Exit(exit)),
        Err(trap) => throwable_of(machine, trap)?,
    };
    let thread = machine.registers.thread;
    if thrown != 0 {
        let arguments = [thread, thrown].map(Value::reference);
        let dispatch = machine.jdk_method(
            "java/lang/Thread",
            "dispatchUncaughtException",
            "(Ljava/lang/Throwable;)V",
        )?;
        let dispatch = machine.select(machine.class_of(thread), dispatch);
        match machine.call(dispatch, &arguments) {
            Err(Trap::Exit(exit)) => return Err(Trap::Exit(exit)),
            Err(Trap::Throw(dropped)) => machine.report_dropped(thread, dropped),
            Err(_) | Ok(_) => {}
        }
    }
    Ok((thrown != 0) as i32)
}

/// The exception for an instruction that did not complete.
fn throwable_of(machine: &mut Machine, trap: Trap) -> Step<Addr> {
    match trap {
        Trap::Throw(exception) => Ok(exception),
        trap => {
            machine.push_barrier()?;
            match machine.handle_trap(trap) {
                Some(Exit::Threw(exception)) => Ok(exception),
                Some(exit) => Err(Trap::Exit(exit)),
                None => Ok(0),
            }
        }
    }
}

fn find_and_call_main(machine: &mut Machine, main_class: &str, arguments: &[String]) -> Step<()> {
    machine.set_context_loader()?;
    let helper = machine.initialize_now(HELPER)?;
    let check = machine.jdk_method(HELPER, "checkAndLoadMain", "(ZILjava/lang/String;)Ljava/lang/Class;")?;
    let name = machine.new_text(main_class)?;
    let found = machine.call(check, &[Value::int(1), Value::int(NAMED_CLASS), Value::reference(name)])?;
    let class = machine.class_of_mirror(found.as_ref());
    let texts: Vec<Option<&String>> = arguments.iter().map(Some).collect();
    let newest = machine.program.jdk().feature_version() >= INSTANCE_MAIN;
    let flag = |m: &Machine, name| newest.then(|| m.static_field(helper, name)).flatten();
    let is_static = flag(machine, "isStaticMain").is_none_or(|set| set != 0);
    let no_arguments = flag(machine, "noArgMain").is_some_and(|set| set != 0);
    let descriptor = if no_arguments { "()V" } else { "([Ljava/lang/String;)V" };
    let receiver = if is_static { None } else { Some(machine.new_instance(class)?) };
    let main = machine
        .find_method(class, "main", descriptor)
        .ok_or_else(|| Trap::Raise("java/lang/NoSuchMethodError", Some("main".into())))?;
    let main = if is_static { main } else { machine.select(class, main) };
    if is_static {
        machine.initialize_class_now(machine.method(main).class)?;
    }
    let mut values: Vec<Value> = receiver.into_iter().map(Value::reference).collect();
    if !no_arguments {
        values.push(Value::reference(machine.string_array(&texts)?));
    }
    machine.call(main, &values).map(|_| ())
}

/// What `java` does after `main`: its thread ends, the others are waited for, the hooks run.
fn wind_up(machine: &mut Machine) -> Step<()> {
    let thread = machine.registers.thread;
    let exit = machine.jdk_method("java/lang/Thread", "exit", "()V")?;
    if let Err(Trap::Exit(exit)) = machine.call(exit, &[Value::reference(thread)]) {
        return Err(Trap::Exit(exit));
    }
    machine.set_thread_state(thread, 2, 0);
    machine.notify_waiting(thread, true);
    match machine.run_threads() {
        Exit::Returned(_) | Exit::Threw(_) => {}
        exit => return Err(Trap::Exit(exit)),
    }
    let shutdown = machine.jdk_method("java/lang/Shutdown", "shutdown", "()V")?;
    machine.call(shutdown, &[]).map(|_| ())
}

impl Machine {
    /// The stack of the running thread, innermost first, as lines of a stack trace: `org.x.Y.f(Y.java:3)`.
    pub fn running_stack(&self) -> Vec<String> {
        let frames = self.registers.frames.iter().rev();
        let frames = frames.filter(|frame| !matches!(frame.purpose, Purpose::Entry | Purpose::Thread));
        frames
            .map(|frame| {
                let method = frame.code.method;
                let offset = frame.code.offsets.get(frame.pc as usize).copied().unwrap_or(0);
                let class = self.class(self.method(method).class);
                let file = class.file.as_ref().and_then(|file| file.source_file.clone());
                let place = match (file, self.line_of(method, offset)) {
                    (Some(file), Some(line)) => format!("{file}:{line}"),
                    (Some(file), None) => file.to_string(),
                    (None, _) => "Unknown Source".into(),
                };
                format!("{}.{}({place})", class.name.replace('/', "."), self.method(method).name)
            })
            .collect()
    }
}
