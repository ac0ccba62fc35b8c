//! Running a class file's every method, whatever is in it.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{
    ClassId, Exit, Halt, Kind, Machine, MethodBody, MethodId, RunLimits, Snapshot, Step, Trap, Value,
};
use std::path::Path;
use std::sync::Arc;

/// Backward jumps and calls that a method of a mutant may make.
const FUEL: u64 = 20_000;
/// Number of classes after which a machine is discarded: classes are never unloaded.
const CLASSES: usize = 3000;

/// A booted machine on which mutants are run.
pub struct Bench {
    program: Arc<Program>,
    machine: Machine,
    booted: Snapshot,
    defined: usize,
}

impl Bench {
    /// A machine with the seeds' helpers on the class path.
    pub fn new(jdk: &Jdk, classes: &Path) -> Bench {
        let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
        let program = Arc::new(Program::new(jdk.clone(), class_path));
        let (machine, booted) = boot(&program);
        Bench { program, machine, booted, defined: 0 }
    }

    /// Throws the machine away, as after a panic.
    pub fn reboot(&mut self) {
        (self.machine, self.booted) = boot(&self.program);
        self.defined = 0;
    }

    /// Defines the class, initialises it and runs its methods; returns the outcome of each: `M.m()V returned`,
    /// the class of an exception, a halt.
    pub fn run(&mut self, bytes: &[u8]) -> Vec<String> {
        self.prepare();
        let class = match self.machine.define_bytes(bytes) {
            Ok(class) => class,
            Err(trap) => return vec![format!("define: {}", self.name_of(&trap))],
        };
        let mut outcomes = Vec::new();
        if let Err(trap) = self.machine.initialize_class_now(class) {
            outcomes.push(format!("initialize: {}", self.name_of(&trap)));
            return outcomes;
        }
        outcomes.push("initialize: done".into());
        for method in self.machine.class(class).methods.clone() {
            let loaded = self.machine.method(method);
            if matches!(loaded.body, MethodBody::Abstract | MethodBody::Missing)
                || &*loaded.name == "<clinit>"
            {
                continue;
            }
            let name = format!("{}{}", loaded.name, loaded.descriptor);
            let outcome = match self.invoke(class, method) {
                Ok(Exit::Returned(_)) => "returned".into(),
                Ok(Exit::Threw(exception)) => self.machine.class_name_of(exception).to_owned(),
                Ok(Exit::Halted(Halt::OutOfFuel)) => "out of fuel".into(),
                Ok(other) => format!("{other:?}"),
                Err(trap) => self.name_of(&trap),
            };
            outcomes.push(format!("{name}: {outcome}"));
            // The state after a halt is not used further.
            self.machine.drop_frames();
        }
        outcomes
    }

    /// Defines and initialises a class: `ok`, `endless`, or the class of the exception.
    #[allow(dead_code, reason = "for the comparison with the JDK alone")]
    pub fn judge(&mut self, bytes: &[u8]) -> String {
        self.prepare();
        let outcome =
            self.machine.define_bytes(bytes).and_then(|class| self.machine.initialize_class_now(class));
        match outcome {
            Ok(()) => "ok".into(),
            Err(Trap::Exit(Exit::Halted(Halt::OutOfFuel))) => "endless".into(),
            Err(trap) => self.name_of(&trap).replace('/', "."),
        }
    }

    fn prepare(&mut self) {
        self.defined += 1;
        if self.defined > CLASSES {
            self.reboot();
        }
        self.machine.restore(&self.booted);
        self.machine.set_fuel(FUEL);
    }

    fn invoke(&mut self, class: ClassId, method: MethodId) -> Step<Exit> {
        self.machine.set_fuel(FUEL);
        let mut arguments = Vec::new();
        let receiver = !self.machine.method(method).is_static();
        if receiver {
            if self.machine.class(class).is_abstract() {
                return Err(Trap::unsupported("no receiver"));
            }
            arguments.push(Value::reference(self.machine.new_object(class)?));
        }
        let descriptor = self.machine.method(method).descriptor.clone();
        for (at, kind) in self.machine.method(method).parameters.clone().iter().enumerate() {
            arguments.push(match kind {
                Kind::Reference if descriptor.contains("String") => {
                    let is_text = cupping_classfile::MethodDescriptor::parse(&descriptor)
                        .is_some_and(|d| d.parameters[at].to_string() == "Ljava/lang/String;");
                    if is_text { Value::reference(self.machine.new_text("x")?) } else { Value::reference(0) }
                }
                Kind::Reference => Value::reference(0),
                Kind::Float => Value::concrete(2.5f32.to_bits() as u64),
                Kind::Double => Value::concrete(2.5f64.to_bits()),
                Kind::Boolean => Value::concrete(1),
                _ => Value::concrete(3),
            });
        }
        self.machine.enter(method, &arguments)?;
        Ok(self.machine.run())
    }

    fn name_of(&self, trap: &Trap) -> String {
        match trap {
            Trap::Throw(exception) => self.machine.class_name_of(*exception).to_owned(),
            Trap::Raise(class, _) => (*class).to_owned(),
            Trap::Missing(_) => "java/lang/NoClassDefFoundError".into(),
            Trap::Erroneous(_) => "java/lang/NoClassDefFoundError".into(),
            Trap::Exit(exit) => format!("{exit:?}"),
            other => format!("{other:?}"),
        }
    }
}

fn boot(program: &Arc<Program>) -> (Machine, Snapshot) {
    let limits = RunLimits { heap_words: 1 << 22, frames: 500, ..RunLimits::default() };
    let mut machine = Machine::boot(program.clone(), limits).unwrap();
    let booted = machine.snapshot();
    (machine, booted)
}
