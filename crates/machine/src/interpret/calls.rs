//! Calls and returns.

use super::cursor::{Cursor, Flow};
use super::stop::Stop;
use crate::classes::{Kind, MethodId};
use crate::code::{CallSite, CodeSlot};
use crate::exit::Exit;
use crate::heap::layout::InitState;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Purpose, Value};
use crate::watching::CallEnd;

impl Machine {
    /// Pops the current frame, which returns `value`. `Some` if that ends the run.
    #[inline]
    fn leave_frame(&mut self, value: Value, kind: Kind) -> Option<Exit> {
        let frame = self.registers.frames.pop()?;
        if frame.monitor != 0 {
            // A method that left its own monitor too early is not punished.
            let _ = self.leave_monitor(frame.monitor);
        }
        match frame.purpose {
            Purpose::Call => {
                self.push_result(value, kind);
                self.current_mut().pc += 1;
                None
            }
            Purpose::Watched => {
                self.report_exit(frame.code.method, frame.serial, CallEnd::Returned(value));
                self.push_result(value, kind);
                self.current_mut().pc += 1;
                None
            }
            Purpose::Entry => {
                self.registers.result = value;
                Some(Exit::Returned(value))
            }
            Purpose::Initializer(class) => {
                self.set_init_state(class, InitState::Initialized);
                None
            }
            Purpose::Loading { .. } => {
                self.keep_answer(&frame, value);
                None
            }
            Purpose::Thread => self.leave_thread(&frame, None),
            Purpose::Discard => {
                self.current_mut().pc += 1;
                None
            }
        }
    }
}

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    #[inline(always)]
    fn call_site(&self, place: &CodeSlot) -> CallSite {
        self.code.calls.borrow()[place.b.get() as usize]
    }

    #[inline(always)]
    fn invoke(&mut self, method: MethodId, arguments: usize) -> Flow {
        self.slow(|machine| machine.invoke(method, arguments as u32))
    }

    #[inline(always)]
    pub(super) fn invoke_static(&mut self, place: &CodeSlot) -> Flow {
        self.tick(1)?;
        let site = self.call_site(place);
        self.initialized(self.machine.method(site.method).class)?;
        self.invoke(site.method, self.sp - site.argument_slots as usize)
    }

    #[inline(always)]
    pub(super) fn invoke_direct(&mut self, place: &CodeSlot) -> Flow {
        self.tick(1)?;
        let site = self.call_site(place);
        let arguments = self.sp - site.argument_slots as usize;
        if self.slot(arguments) == 0 {
            return self.null_pointer();
        }
        self.invoke(site.method, arguments)
    }

    #[inline(always)]
    pub(super) fn invoke_virtual(&mut self, place: &CodeSlot) -> Flow {
        self.tick(1)?;
        let site = self.call_site(place);
        let arguments = self.sp - site.argument_slots as usize;
        let receiver = self.slot(arguments) as Addr;
        if receiver == 0 {
            return self.null_pointer();
        }
        let class = self.machine.class_of(receiver);
        let method = self.machine.class(class).vtable.get(place.a.get() as usize).copied();
        self.invoke(method.unwrap_or(site.method), arguments)
    }

    #[inline(always)]
    pub(super) fn invoke_interface(&mut self, place: &CodeSlot) -> Flow {
        self.tick(1)?;
        let site = self.call_site(place);
        let arguments = self.sp - site.argument_slots as usize;
        let receiver = self.slot(arguments) as Addr;
        if receiver == 0 {
            return self.null_pointer();
        }
        let class = self.machine.class_of(receiver);
        let method = match site.cached {
            Some((cached, method)) if cached == class => method,
            _ => {
                let method = self.attempt(|machine| machine.select_implementation(class, site.method))?;
                self.code.calls.borrow_mut()[place.b.get() as usize].cached = Some((class, method));
                method
            }
        };
        self.invoke(method, arguments)
    }

    #[inline(always)]
    pub(super) fn invoke_dynamic(&mut self, place: &CodeSlot) -> Flow {
        self.tick(1)?;
        let insn = place.insn();
        self.slow(|machine| machine.invoke_dynamic(insn))
    }

    /// Returns a value of this number of slots.
    #[inline(always)]
    pub(super) fn give_back(&mut self, slots: usize) -> Flow {
        let (value, kind) = match slots {
            0 => (Value::default(), Kind::Void),
            1 => (self.value(self.sp - 1), Kind::Int),
            _ => (self.value(self.sp - 2), Kind::Long),
        };
        Err(self.machine.leave_frame(value, kind).map_or(Stop::Reload, Stop::Exit))
    }
}
