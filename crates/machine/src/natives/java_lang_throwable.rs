//! `java.lang.Throwable` and `java.lang.StackTraceElement`.

use super::support::{ONE, reference};
use super::{Args, Native, NativeOutcome, VOID, row};
use crate::classes::modules::module_of;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{jdk_internal_misc, members};
use crate::run::exceptions::TraceRow;

const ELEMENT: &str = "java/lang/StackTraceElement";

pub(super) const NATIVES: &[Native] = &[
    row("java/lang/Throwable", "fillInStackTrace", "(I)Ljava/lang/Throwable;", fill_in),
    row(
        ELEMENT,
        "initStackTraceElements",
        "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V",
        |m, a| {
            let rows = m.stack_trace(a.reference(m, 1));
            fill_elements(m, a.reference(m, 0), &rows)
        },
    ),
    row(ELEMENT, "initStackTraceElements", "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V", |m, a| {
        let rows = m.backtrace_rows(a.reference(m, 1));
        fill_elements(m, a.reference(m, 0), &rows)
    }),
    // `java.base` contains the hashes of all modules of the JDK's image.
    row(ELEMENT, "isHashedInJavaBase", "(Ljava/lang/Module;)Z", ONE),
    row("java/lang/NullPointerException", "getExtendedNPEMessage", "()Ljava/lang/String;", |m, a| {
        let rows = m.stack_trace(a.reference(m, 0));
        match rows.first().and_then(|row| m.null_message(row)) {
            Some(message) => reference(m.new_text(&message)?),
            None => reference(0),
        }
    }),
];

/// Records the frames below `fillInStackTrace` and the constructors of the exception itself, as the JVM does.
fn fill_in(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let exception = args.reference(m, 0);
    let thrown = m.class_of(exception);
    let mut skip = 0;
    let mut constructors = false;
    for frame in m.registers.frames.iter().rev() {
        let method = m.method(frame.code.method);
        let filling = !constructors && &*method.name == "fillInStackTrace";
        let constructing = &*method.name == "<init>" && m.is_subtype(thrown, method.class);
        constructors |= constructing;
        if !filling && !constructing {
            break;
        }
        skip += 1;
    }
    m.fill_stack_trace(exception, None, skip)?;
    reference(exception)
}

fn fill_elements(m: &mut Machine, array: Addr, rows: &[TraceRow]) -> Step<NativeOutcome> {
    for (index, row) in rows.iter().enumerate().take(m.array_length(array) as usize) {
        let element = m.element_ref(array, index as u32);
        if element != 0 {
            m.fill_stack_trace_element(element, row)?;
        }
    }
    Ok(VOID)
}

impl Machine {
    /// Sets the fields of a `StackTraceElement`.
    pub(crate) fn fill_stack_trace_element(&mut self, element: Addr, row: &TraceRow) -> Step<()> {
        let (class, name) = (self.method(row.method).class, self.method(row.method).name.clone());
        let module = module_of(self, class);
        let file = self.class(class).file.clone();
        let class_name = self.external_name(class);
        let version = module.as_ref().map(|_| jdk_internal_misc::java_version(self));
        let loader = (!self.class(class).from_jdk).then_some("app");
        let line = self.line_of(row.method, row.offset).map_or(-1, |line| line as i32);
        let native = self.method(row.method).access.is_native();
        let values = [
            ("declaringClassObject", self.mirror(class)?),
            ("classLoaderName", members::optional_intern(self, loader)?),
            ("moduleName", members::optional_intern(self, module.as_deref())?),
            ("moduleVersion", members::optional_intern(self, version.as_deref())?),
            ("declaringClass", self.intern_text(&class_name)?),
            ("methodName", self.intern_text(&name)?),
            (
                "fileName",
                members::optional_intern(self, file.as_ref().and_then(|f| f.source_file.as_deref()))?,
            ),
        ];
        for (field, value) in values {
            self.set_named(element, field, value as u64);
        }
        self.set_named(element, "lineNumber", if native { -2 } else { line } as u32 as u64);
        Ok(())
    }
}
