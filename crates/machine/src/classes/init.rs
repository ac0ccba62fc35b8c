//! Static initialisation (JVMS §5.5).

use crate::classes::{ClassId, ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::heap::layout::{InitState, state_word};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Purpose, Value};
use crate::threads::StopReason;
use cupping_classfile::Constant;

/// Bits of a state word below the number of the thread that initialises the class.
const THREAD_SHIFT: u32 = 40;

/// Classes of the JDK that rely on others having been initialised while the JVM started: `ConstantDescs` sets fields of
/// `ConstantUtils`, which has been used for method handles long before.
const PREREQUISITES: [(&str, &str); 1] =
    [("java/lang/invoke/MethodHandleImpl$BindCaller", "java/lang/constant/ConstantDescs")];

impl Machine {
    /// Returns if the class is initialised, or being initialised by this thread.
    ///
    /// # Errors
    ///
    /// [`Trap::Restart`] if initialisers have to run first: their frames are pushed.
    #[inline]
    pub fn ensure_initialized(&mut self, class: ClassId) -> Step<()> {
        match self.init_state(class) {
            InitState::Initialized => Ok(()),
            InitState::InProgress if self.initializer_of(class) == self.registers.thread_number => Ok(()),
            InitState::InProgress => {
                self.block(StopReason::Initializing(class))?;
                Err(Trap::Restart)
            }
            InitState::Failed => Err(Trap::Erroneous(class)),
            InitState::Uninitialized => {
                self.link_class(class)?;
                let needed = PREREQUISITES.iter().find(|(later, _)| *self.class(class).name == **later);
                if let Some((_, earlier)) = needed.filter(|_| self.class(class).from_jdk)
                    && let Ok(earlier) = self.load(earlier)
                {
                    self.ensure_initialized(earlier)?;
                }
                let frames = self.registers.frames.len();
                if let Some(other) = begin_initialization(self, class)? {
                    self.block(StopReason::Initializing(other))?;
                    return Err(Trap::Restart);
                }
                if self.registers.frames.len() > frames { Err(Trap::Restart) } else { Ok(()) }
            }
        }
    }

    /// The number of the thread that initialises a class.
    pub(crate) fn initializer_of(&self, class: ClassId) -> u32 {
        (self.memory.read(state_word(class)) >> THREAD_SHIFT) as u32
    }

    /// Sets the initialisation state.
    pub(crate) fn set_init_state(&mut self, class: ClassId, state: InitState) {
        let word = self.memory.read(state_word(class));
        self.memory.write(state_word(class), (word & !0xFF) | state as u64);
    }

    /// The statics of a class. On first use they are allocated and get their `ConstantValue`s.
    pub fn statics(&mut self, class: ClassId) -> Step<Addr> {
        let word = self.memory.read(state_word(class));
        if (word >> 8) as Addr != 0 {
            return Ok((word >> 8) as Addr);
        }
        let size = self.class(class).static_size;
        let statics = self.memory.allocate(size).ok_or(Trap::NoMemory(size as u64))?;
        self.memory.write(statics, self.classes.well_known.object as u64);
        self.memory.write(state_word(class), word | (statics as u64) << 8);
        let Some(file) = self.class(class).file.clone() else { return Ok(statics) };
        for (index, field) in file.fields.iter().enumerate() {
            let Some(constant) = field.constant_value else { continue };
            let (is_static, offset, kind) = {
                let field = &self.class(class).fields[index];
                (field.is_static(), field.offset as u32, field.kind)
            };
            if !is_static {
                continue;
            }
            let value = match file.constant(constant) {
                Ok(Constant::Integer(value)) => kind.narrow(value as u32 as u64),
                Ok(Constant::Float(value)) => value.to_bits() as u64,
                Ok(Constant::Long(value)) => value as u64,
                Ok(Constant::Double(value)) => value.to_bits(),
                Ok(Constant::String(units)) if kind == Kind::Reference => self.intern(&units)? as u64,
                _ => return Err(Trap::Missing(self.class(class).name.to_string())),
            };
            self.memory.write(statics + offset, value);
        }
        Ok(statics)
    }

    /// The static field of this name, if the class has been prepared.
    pub fn static_field(&self, class: ClassId, name: &str) -> Option<u64> {
        let statics = (self.memory.read(state_word(class)) >> 8) as Addr;
        let field = self.class(class).fields.iter().find(|f| &*f.name == name && f.is_static())?;
        (statics != 0).then(|| self.memory.read(statics + field.offset as u32))
    }

    /// The address of a static field by name; `None` if its class is not initialised.
    pub fn static_word(&self, class: ClassId, name: &str) -> Option<Addr> {
        let statics = (self.memory.read(state_word(class)) >> 8) as Addr;
        let field = self.class(class).fields.iter().find(|f| &*f.name == name && f.is_static())?;
        (statics != 0).then(|| statics + Addr::from(field.offset))
    }

    /// The value of a static field by its index, with its shadow; `None` if the class is not initialised.
    pub fn static_value(&self, class: ClassId, index: usize) -> Option<Value> {
        let statics = (self.memory.read(state_word(class)) >> 8) as Addr;
        let field = self.class(class).fields.get(index).filter(|it| it.is_static())?;
        let word = statics + Addr::from(field.offset);
        (statics != 0)
            .then(|| Value { bits: self.memory.read(word), shadow: self.heap_shadow(u64::from(word) * 8) })
    }

    /// Sets the static field of this name.
    pub fn set_static_field(&mut self, class: ClassId, name: &str, value: u64) -> Step<()> {
        let statics = self.statics(class)?;
        let field = self.class(class).fields.iter().find(|f| &*f.name == name && f.is_static());
        if let Some(offset) = field.map(|f| f.offset as u32) {
            self.memory.write(statics + offset, value);
        }
        Ok(())
    }
}

/// Marks the class as under initialisation and pushes the frame of its initialiser and, above it, those of its
/// supertypes, so that these run first. If another thread is initialising a supertype, returns that supertype,
/// since its initialisation must end first.
fn begin_initialization(machine: &mut Machine, class: ClassId) -> Step<Option<ClassId>> {
    machine.statics(class)?;
    machine.note_initialization(class);
    machine.set_init_state(class, InitState::InProgress);
    let word = machine.memory.read(state_word(class)) & !(!0 << THREAD_SHIFT);
    machine.memory.write(state_word(class), word | (machine.registers.thread_number as u64) << THREAD_SHIFT);
    let initializer = machine.class(class).initializer;
    match initializer {
        Some(method) => push_initializer(machine, class, method)?,
        None => machine.set_init_state(class, InitState::Initialized),
    }
    if machine.class(class).is_interface() || machine.class(class).kind != ClassKind::Instance {
        return Ok(None);
    }
    let mut other = None;
    let mut supertypes = machine.class(class).interfaces.clone();
    supertypes.retain(|i| declares_default(machine, *i));
    for interface in supertypes.into_iter().rev() {
        if machine.init_state(interface) == InitState::Uninitialized {
            other = begin_initialization(machine, interface)?.or(other);
        }
    }
    let Some(parent) = machine.class(class).super_class else { return Ok(other) };
    match machine.init_state(parent) {
        InitState::Uninitialized => Ok(begin_initialization(machine, parent)?.or(other)),
        InitState::Failed => Err(Trap::Erroneous(parent)),
        InitState::InProgress if machine.initializer_of(parent) != machine.registers.thread_number => {
            Ok(Some(parent))
        }
        _ => Ok(other),
    }
}

fn push_initializer(machine: &mut Machine, class: ClassId, method: crate::classes::MethodId) -> Step<()> {
    let base = machine.stack_top() as u32;
    machine.push_frame(method, base, Purpose::Initializer(class), false)
}

fn declares_default(machine: &Machine, interface: ClassId) -> bool {
    machine.class(interface).methods.iter().any(|m| {
        let method = machine.method(*m);
        !method.is_abstract() && !method.is_static()
    })
}
