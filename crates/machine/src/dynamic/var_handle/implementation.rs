//! Variable handles that the JDK itself creates, as for memory segments: their form names a class with a static
//! method for each access mode.

use crate::classes::{ClassId, MethodId};
use crate::dynamic::assemble::{Assembler, InvocationKind};
use crate::dynamic::convert::Rule;
use crate::dynamic::names::VAR_HANDLE;
use crate::dynamic::signature::{Signature, kind};
use crate::dynamic::synthetic;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;

/// The class that a handle's form names.
pub(super) fn implementing_class(m: &Machine, handle: Addr) -> Option<ClassId> {
    let form = m.named(handle, "vform") as Addr;
    let mirror = if form == 0 { 0 } else { m.named(form, "implClass") as Addr };
    (mirror != 0).then(|| m.class_of_mirror(mirror))
}

/// The static method that performs an access of this form after converting the arguments of the call.
pub(super) fn access_code(m: &mut Machine, class: ClassId, name: &str, site: &Signature) -> Step<MethodId> {
    let Some((method, target)) = method_of(m, class, name, site.parameters.len()) else {
        return Err(Trap::Raise("java/lang/UnsupportedOperationException", None));
    };
    let mut code = Assembler::new(&site.kinds());
    for (index, (from, to)) in site.parameters.iter().zip(&target.parameters).enumerate() {
        code.parameter(index);
        if !m.convert(&mut code, from, to, Rule::AsType)? {
            return Err(wrong_type(&target, site));
        }
    }
    code.invoke(m, method, InvocationKind::Static);
    if !m.convert(&mut code, &target.result, &site.result, Rule::AsType)? {
        return Err(wrong_type(&target, site));
    }
    code.ret(kind(&site.result));
    let host = m.load(VAR_HANDLE)?;
    let class_name = format!("{VAR_HANDLE}$$Access${}", m.dynamic.linked.len() + 1);
    synthetic::define_static(m, host, class_name, name, &site.to_string(), code)
}

/// The method for a mode, of the class or a superclass: methods of the same name take different numbers of
/// arguments.
fn method_of(m: &Machine, class: ClassId, name: &str, count: usize) -> Option<(MethodId, Signature)> {
    let mut at = Some(class);
    while let Some(class) = at {
        let class = m.class(class);
        for method in &class.methods {
            let loaded = m.method(*method);
            if &*loaded.name != name || !loaded.is_static() {
                continue;
            }
            let signature = Signature::parse(&loaded.descriptor).filter(|it| it.parameters.len() == count);
            if let Some(signature) = signature {
                return Some((*method, signature));
            }
        }
        at = class.super_class;
    }
    None
}

fn wrong_type(target: &Signature, site: &Signature) -> Trap {
    let message = format!("cannot convert MethodHandle{} to {}", target.readable(), site.readable());
    Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message))
}
