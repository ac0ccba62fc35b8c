//! Looks up in class files which members a test's source code may use.

use crate::specification::Specification;
use crate::target::parameter_types;
use cupping_case::{JavaType, MethodRef};
use cupping_classfile::{ClassFile, Method, Program};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The classes of a specification, as source code may use them.
pub(super) struct Sources<'a> {
    program: &'a Program,
    specification: &'a Specification,
    /// The names of the modelled fields, qualified by their class where ambiguous.
    pub(super) fields: Vec<String>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(program: &'a Program, specification: &'a Specification) -> Sources<'a> {
        let plan = &specification.plan;
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for name in plan.classes.classes.keys() {
            for field in program.find(name).ok().flatten().iter().flat_map(|it| it.fields.iter()) {
                *count.entry(field.name.to_string()).or_default() += 1;
            }
        }
        let mut fields: Vec<String> = Vec::new();
        for (_, field) in specification.after.fields.iter().filter(|(_, it)| !it.is_static) {
            let name = match count.get(&field.name) {
                Some(1) => field.name.clone(),
                _ => format!("{}.{}", super::state_text::simple(&field.class), field.name),
            };
            if !fields.contains(&name) {
                fields.push(name);
            }
        }
        Sources { program, specification, fields }
    }

    pub(super) fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.program.find(name).ok().flatten()
    }

    /// Whether it is a JDK class, whose fields tests cannot access.
    pub(super) fn is_of_jdk(&self, name: &str) -> bool {
        self.class(name).is_none_or(|it| it.origin().is_jdk())
    }

    /// Whether a test may name the class.
    pub(super) fn is_nameable(&self, name: &str) -> bool {
        let Some(file) = self.class(name) else { return false };
        let open = |access: cupping_classfile::AccessFlags| {
            access.is_public() || !file.origin().is_jdk() && !access.is_private()
        };
        let mut at = file.name.clone();
        let mut access = file.access;
        for _ in 0..=file.inner_classes.len() {
            let entry = file.inner_classes.iter().find(|it| it.inner == at);
            match entry {
                Some(entry) => access = entry.access,
                None if at != file.name => match self.class(&at) {
                    Some(outer) => access = outer.access,
                    None => return false,
                },
                None => {}
            }
            if !open(access) {
                return false;
            }
            match entry.map(|it| (&it.outer, &it.name)) {
                None => return true,
                Some((Some(outer), Some(_))) => at = outer.clone(),
                Some(_) => return false,
            }
        }
        false
    }

    /// The variable type for objects of a class.
    pub(super) fn variable_type(&self, class: &str) -> JavaType {
        match self.is_nameable(class) {
            true => JavaType::class(class),
            false => JavaType::class("java/lang/Object"),
        }
    }

    /// Whether a test may call the method.
    pub(super) fn is_callable(&self, file: &ClassFile, method: &Method) -> bool {
        let access = method.access;
        let open = access.is_public() || !file.origin().is_jdk() && !access.is_private();
        open && !access.is_synthetic() && !access.is_bridge() && !access.is_abstract()
    }

    /// A reference to a method through a class.
    pub(super) fn reference(&self, class: &str, method: &Method) -> MethodRef {
        MethodRef {
            class: class.into(),
            name: (&*method.name).into(),
            descriptor: (&*method.descriptor).into(),
            varargs: method.access.is_varargs(),
            throws: method.exceptions.iter().map(|it| (&**it).into()).collect(),
            parameter_names: Vec::new(),
        }
    }

    /// The method under test.
    pub(super) fn target(&self) -> Option<MethodRef> {
        let target = self.specification.target.as_ref()?;
        let file = self.class(&target.class)?;
        let method = file.method(&target.name, &target.descriptor)?;
        let class = match &self.specification.plan.receiver {
            Some(receiver) if !target.is_static && self.is_nameable(receiver) => receiver,
            _ => &target.class,
        };
        let mut reference = self.reference(class, method);
        let plan = &self.specification.plan;
        if plan.parameters.len() == parameter_types(&target.descriptor).len() {
            reference.parameter_names = plan.parameters.iter().map(|it| it.name.as_str().into()).collect();
        }
        Some(reference)
    }

    /// The type of its result.
    pub(super) fn result(&self) -> JavaType {
        let descriptor = self.specification.target.as_ref().map_or("", |it| it.descriptor.as_str());
        let result = match &self.specification.plan.result {
            Some((made, _)) if self.specification.constructs() => made,
            _ => descriptor.rsplit(')').next().unwrap_or("V"),
        };
        match java_type(result) {
            JavaType::Class(name) if !self.is_nameable(&name) => JavaType::class("java/lang/Object"),
            ty => ty,
        }
    }

    /// The class and its superclasses, without `Object`.
    pub(super) fn upwards(&self, class: &str) -> Vec<Arc<ClassFile>> {
        let mut all: Vec<Arc<ClassFile>> = Vec::new();
        let mut at = Some(class.to_owned());
        while let Some(file) = at.take().filter(|it| it != "java/lang/Object").and_then(|it| self.class(&it))
        {
            if all.iter().any(|it| it.name == file.name) {
                // The superclass cannot be loaded.
                break;
            }
            at = file.super_name.as_ref().map(ToString::to_string);
            all.push(file);
        }
        all
    }
}

/// The type of a descriptor.
pub(super) fn java_type(descriptor: &str) -> JavaType {
    JavaType::parse(descriptor).unwrap_or_else(|| JavaType::class("java/lang/Object"))
}
