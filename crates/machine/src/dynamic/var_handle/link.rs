//! Calls of access modes: each goes to code made for the variable, the mode and the types of the call.

use super::access::{HandleAccess, wrong_type};
use super::implementation;
use super::mode::{Mode, mode};
use crate::classes::MethodId;
use crate::dynamic::assemble::Assembler;
use crate::dynamic::names::VAR_HANDLE;
use crate::dynamic::signature::Signature;
use crate::dynamic::synthetic;
use crate::dynamic::variable::Variable;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, NativeOutcome};

/// The variable of a handle.
pub(super) fn variable(m: &Machine, handle: Addr) -> Step<Variable> {
    let class = m.class_of(handle);
    let found = m.generated.variables.iter().find(|(c, _)| *c == class);
    found
        .map(|(_, variable)| variable.clone())
        .ok_or_else(|| Trap::unsupported(format!("variable handle of class {}", m.class(class).name)))
}

/// The static method that performs an access: it takes the handle and the arguments of the call.
fn access_code(m: &mut Machine, variable: &Variable, name: &str, site: &Signature) -> Step<MethodId> {
    let Some(mode) = mode(name) else { return Err(Trap::unsupported(format!("VarHandle.{name}"))) };
    let fixed = variable.coordinates.len();
    if site.parameters.len() != 1 + fixed + mode.values() {
        return Err(wrong_type(variable, mode, site));
    }
    if variable.is_read_only() && mode != Mode::Get {
        return Err(Trap::Raise("java/lang/UnsupportedOperationException", None));
    }
    let mut access = HandleAccess { machine: m, variable, mode, site, code: Assembler::new(&site.kinds()) };
    access.emit()?;
    let code = access.code;
    let host = m.load(VAR_HANDLE)?;
    let class_name = format!("{VAR_HANDLE}$$Access${}", m.dynamic.linked.len() + 1);
    synthetic::define_static(m, host, class_name, name, &site.to_string(), code)
}

/// Goes to the code of the access, generated on first use.
pub(crate) fn link_call(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let handle = args.non_null(m, 0)?;
    let class = m.class_of(handle);
    // A JDK class may have handles of many forms; generated handles have no class file.
    let is_of_jdk = m.class(class).file.is_some();
    let implementation = if is_of_jdk { implementation::implementing_class(m, handle) } else { None };
    let key = (implementation.unwrap_or(class), args.method);
    let target = match m.dynamic.linked.get(&key) {
        Some(target) => *target,
        None => {
            let (name, descriptor) =
                (m.method(args.method).name.clone(), m.method(args.method).descriptor.clone());
            let Some(site) = Signature::parse(&descriptor) else {
                return Err(Trap::unsupported(format!("VarHandle call as {descriptor}")));
            };
            let target = match implementation {
                Some(class) => implementation::access_code(m, class, &name, &site)?,
                None => access_code(m, &variable(m, handle)?, &name, &site)?,
            };
            m.dynamic.linked.insert(key, target);
            target
        }
    };
    Ok(NativeOutcome::Forward(target))
}
