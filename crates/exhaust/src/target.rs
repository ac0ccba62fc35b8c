//! Finds the method under test from the line that names it: in its class, in a superclass or interface, or in
//! a driver.

use crate::classes::{Finder, Values, simple_name};
use crate::error::{Error, other, wrong};
use crate::header::{Header, MethodLine, Phrase};
use crate::model::{ModelPlan, Parameter};
use cupping_classfile::{ClassFile, Program, descriptor};
use cupping_relation::nearest;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The method under test, in its class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodUnderTest {
    /// Internal name of the declaring class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Whether it is a driver: a static method of another class that takes the object under test as first
    /// parameter.
    pub drives: bool,
}

/// The name of constructors in class files.
pub(crate) const CONSTRUCTOR: &str = "<init>";

/// The class, its superclasses, then their interfaces, for default methods. Only the class if not `above`.
fn upwards(program: &Program, class: &Arc<ClassFile>, above: bool) -> Result<Vec<Arc<ClassFile>>, Error> {
    let mut all = vec![class.clone()];
    if !above {
        return Ok(all);
    }
    let mut at = 0;
    while let Some(name) = &all[at].super_name {
        let Some(found) = program.find(name).map_err(other)? else { break };
        if all.iter().any(|it| it.name == found.name) {
            // The superclass cannot be loaded.
            break;
        }
        all.push(found);
        at += 1;
    }
    let mut at = 0;
    while at < all.len() {
        for name in all[at].interfaces.clone() {
            if let Some(found) = program.find(&name).map_err(other)?
                && !all.iter().any(|it| it.name == found.name)
            {
                all.push(found);
            }
        }
        at += 1;
    }
    Ok(all)
}

/// The method that a line names, in the class or inherited.
pub(crate) fn method(
    program: &Program,
    class: &Arc<ClassFile>,
    line: &MethodLine,
) -> Result<(Arc<ClassFile>, usize), Error> {
    // A constructor has the name of its class.
    let is_named = class.methods.iter().any(|it| *it.name == *line.name.text);
    let constructs = !is_named && line.name.text == simple_name(&class.name);
    let wanted = if constructs { CONSTRUCTOR } else { &line.name.text };
    let mut seen = Vec::new();
    for class in upwards(program, class, wanted != CONSTRUCTOR)? {
        let mut fitting = Vec::new();
        for (index, method) in class.methods.iter().enumerate() {
            if *method.name != *wanted || method.access.is_bridge() || method.access.is_synthetic() {
                continue;
            }
            let types = parameter_types(&method.descriptor);
            let shown: Vec<String> = types.iter().map(|it| crate::classes::shown_type(it)).collect();
            seen.push(format!("{}({})", line.name.text, shown.join(", ")));
            let fits = line.parameters.as_ref().is_none_or(|wanted| {
                wanted.len() == shown.len()
                    && wanted.iter().zip(&shown).all(|((ty, _), shown)| {
                        let ty = ty.rsplit('.').next().unwrap_or(ty).replace("...", "[]");
                        // A type variable is erased to its bound, which the author does not write.
                        ty == *shown || ty.len() == 1 && !crate::classes::shown_type(shown).is_empty()
                    })
            });
            if fits {
                fitting.push(index);
            }
        }
        match fitting[..] {
            [one] => return Ok((class, one)),
            [] => {}
            _ => {
                return Err(wrong(
                    line.name.span,
                    &format!("several methods are named {}", line.name.text),
                    &format!("write its parameters: {}", seen.join(", ")),
                ));
            }
        }
    }
    let help = match &seen[..] {
        [] => {
            let above = upwards(program, class, true)?;
            let names = above.iter().flat_map(|it| &it.methods).map(|it| &*it.name);
            match nearest(names.filter(|it| !it.starts_with(['<', '$'])), &line.name.text) {
                Some(near) => format!("did you mean {near}?"),
                None => "name a method of the class or of a superclass".to_owned(),
            }
        }
        _ => format!("there is {}", seen.join(", ")),
    };
    Err(wrong(line.name.span, &format!("{} has no such method", class.name.replace('/', ".")), &help))
}

/// The class that qualifies the method's name, unless it is the class under test or a superclass; and the
/// line without it.
pub(crate) fn owner(
    finder: &Finder,
    program: &Program,
    class: &Arc<ClassFile>,
    line: &MethodLine,
) -> Result<(Option<Arc<ClassFile>>, MethodLine), Error> {
    let Some((owner, name)) = line.name.text.rsplit_once('.') else { return Ok((None, line.clone())) };
    let found = finder.class_named(&Phrase { text: owner.to_owned(), span: line.name.span })?;
    let bare = Phrase { text: name.to_owned(), span: line.name.span };
    let line = MethodLine { name: bare, parameters: line.parameters.clone() };
    let is_own = upwards(program, class, true)?.iter().any(|it| it.name == found.name);
    Ok((Some(found).filter(|_| !is_own), line))
}

/// Whether the method is a driver: static, with the object under test as first parameter.
pub(crate) fn is_driver(
    program: &Program,
    class: &Arc<ClassFile>,
    line: &MethodLine,
    descriptor: &str,
    is_static: bool,
) -> Result<(), Error> {
    let first = parameter_types(descriptor).into_iter().next().unwrap_or_default();
    let above = upwards(program, class, true)?;
    let takes = |name: &str| above.iter().any(|it| *it.name == *name);
    if is_static && descriptor::class_name(&first).is_some_and(takes) {
        return Ok(());
    }
    Err(wrong(
        line.name.span,
        &format!("{} is a method of another class that does not take the object under test", line.name.text),
        &format!("make it static with a first parameter of type {}", class.name.replace('/', ".")),
    ))
}

/// The descriptors of a method's parameters.
pub fn parameter_types(descriptor: &str) -> Vec<String> {
    descriptor::parameters(descriptor).into_iter().flatten().flatten().map(str::to_owned).collect()
}

/// Parameters and result of the method.
pub(crate) fn call(
    finder: &mut Finder,
    plan: &mut ModelPlan,
    header: &Header,
    line: &MethodLine,
    declaring: &ClassFile,
    at: usize,
    drives: bool,
) -> Result<(), Error> {
    let method = &declaring.methods[at];
    let actual = |name: &str| header.types.iter().find(|it| it.of.text == name).map(|it| &it.types[..]);
    let names = declaring.parameter_names(method);
    for (number, descriptor) in parameter_types(&method.descriptor).into_iter().enumerate() {
        // The object under test is `this`.
        if drives && number == 0 {
            continue;
        }
        let written = line.parameters.as_ref().and_then(|it| it.get(number)).and_then(|it| it.1.clone());
        let name = written
            .or_else(|| names.get(number).cloned().flatten().map(|it| it.to_string()))
            .unwrap_or_else(|| format!("p{number}"));
        let values = finder.values(&descriptor, actual(&name))?.map_err(|why| {
            wrong(
                line.name.span,
                &format!("the parameter {name} cannot be modelled: {why}"),
                &format!("give its actual type: `type {name}: Integer`"),
            )
        })?;
        plan.parameters.push(Parameter { name, descriptor, values });
    }
    if *method.name == *CONSTRUCTOR {
        let values = vec![Values::Objects(declaring.name.to_string())];
        plan.result = Some((format!("L{};", declaring.name), values));
        return Ok(());
    }
    let result = method.descriptor.rsplit(')').next().unwrap_or("V");
    if result != "V" {
        let values = finder.values(result, actual("result"))?;
        plan.result = values.ok().map(|it| (result.to_owned(), it));
    }
    Ok(())
}

/// The names of the parameters of all methods, where the class file has them.
pub fn parameters_of_methods(class: &ClassFile) -> BTreeSet<String> {
    let names = class.methods.iter().flat_map(|it| class.parameter_names(it)).flatten();
    names.map(|it| it.to_string()).collect()
}
