//! Finds the Java classes of a specification: which classes to follow, which fields to model, and what values
//! they can hold.

mod java_model;

pub use java_model::{Classes, ModelledArray, ModelledClass, ModelledField, Values};

use crate::error::{Error, other, wrong};
use crate::header::{Header, Phrase};
use cupping_classfile::{ClassFile, Field, Program, descriptor};
use cupping_relation::nearest;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

const BOXES: [&str; 7] = ["Integer", "Long", "Short", "Byte", "Character", "Float", "Double"];

/// Minimum length of a name that may be a misspelling of another one.
const SHORTEST_MISSPELT: usize = 3;

/// Finds the classes of a specification.
pub struct Finder<'a> {
    program: &'a Program,
    header: &'a Header,
    words: BTreeSet<&'a str>,
    package: String,
    nests: BTreeSet<String>,
    subclasses: Option<BTreeMap<Arc<str>, Vec<Arc<str>>>>,
    found: Classes,
    waiting: VecDeque<String>,
}

impl<'a> Finder<'a> {
    /// A finder for this header; `text` is the whole specification.
    pub fn new(program: &'a Program, header: &'a Header, text: &'a str) -> Finder<'a> {
        let words = text.split(|it: char| !(it.is_alphanumeric() || it == '_' || it == '$')).collect();
        Finder {
            program,
            header,
            words,
            package: String::new(),
            nests: BTreeSet::new(),
            subclasses: None,
            found: Classes::default(),
            waiting: VecDeque::new(),
        }
    }

    /// The class with a name as users write it.
    pub fn class_named(&self, name: &Phrase) -> Result<Arc<ClassFile>, Error> {
        let text = name.text.replace('.', "/");
        let mut candidates = vec![text.clone()];
        if !text.contains('/') {
            for prefix in [self.package.as_str(), "java/lang/", "java/util/"] {
                candidates.push(format!("{prefix}{text}"));
            }
        }
        // Nested classes may also be written with dots.
        let mut nested = text.clone();
        while let Some(at) = nested.rfind('/') {
            nested.replace_range(at..=at, "$");
            candidates.push(nested.clone());
            if !self.package.is_empty() {
                candidates.push(format!("{}{nested}", self.package));
            }
        }
        candidates.extend(self.nests.iter().map(|host| format!("{host}${text}")));
        for candidate in &candidates {
            if let Some(found) = self.program.find(candidate).map_err(other)? {
                return Ok(found);
            }
        }
        let mut alike = Vec::new();
        if !text.contains('/') {
            for entry in self.program.class_path().entries() {
                let names = entry.class_names().map_err(other)?;
                alike.extend(names.into_iter().filter(|it| simple_name(it) == text));
            }
        }
        alike.sort();
        alike.dedup();
        match &alike[..] {
            [one] => self.program.require(one).map_err(other),
            [] => {
                let help = match self.near_class(&name.text)? {
                    Some(near) => format!("did you mean {near}?"),
                    None => "write its full name, and its location with --classpath".to_owned(),
                };
                Err(wrong(name.span, &format!("there is no class {}", name.text), &help))
            }
            several => Err(wrong(
                name.span,
                &format!("the name {} is ambiguous", name.text),
                &format!("write its full name: {}", several.join(", ").replace('/', ".")),
            )),
        }
    }

    /// The class with the nearest simple name, on the class path or among those that need no package.
    fn near_class(&self, name: &str) -> Result<Option<String>, Error> {
        let simple = name.rsplit('.').next().unwrap_or(name);
        let mut all = Vec::new();
        for entry in self.program.class_path().entries() {
            all.extend(entry.class_names().map_err(other)?);
        }
        for package in ["java/lang", "java/util"] {
            all.extend_from_slice(&self.program.classes_of_package(package, false).map_err(other)?);
        }
        all.sort();
        let near = nearest(all.iter().map(|it| simple_name(it)), simple).map(str::to_owned);
        let found = all.into_iter().find(|it| Some(simple_name(it)) == near.as_deref());
        Ok(found.map(|it| it.replace(['/', '$'], ".")))
    }

    /// Makes the class under test the context in which names are resolved.
    pub fn start(&mut self, class: &ClassFile) -> Result<(), Error> {
        self.package = class.name.rfind('/').map_or(String::new(), |at| class.name[..=at].to_owned());
        self.nests.insert(host_of(class));
        self.follow(&class.name)?;
        for name in self.header.classes.clone() {
            let class = self.class_named(&name)?;
            self.nests.insert(host_of(&class));
            self.follow(&class.name)?;
        }
        Ok(())
    }

    fn follow(&mut self, name: &str) -> Result<(), Error> {
        if !self.found.classes.contains_key(name) && !self.waiting.iter().any(|it| it == name) {
            self.waiting.push_back(name.to_owned());
        }
        Ok(())
    }

    fn is_followed(&self, class: &ClassFile) -> bool {
        !class.origin().is_jdk() || self.nests.contains(&host_of(class))
    }

    /// Follows fields until nothing new is found. The header may refer to these parameters too.
    pub fn finish(mut self, parameters: &[String]) -> Result<Classes, Error> {
        while let Some(name) = self.waiting.pop_front() {
            if self.found.classes.contains_key(&name) || self.found.implementations.contains_key(&name) {
                continue;
            }
            let file = self.program.require(&name).map_err(other)?;
            if file.access.is_interface() {
                self.interface(&file)?;
            } else {
                self.class(&file)?;
            }
        }
        self.check_field_names(parameters)?;
        Ok(self.found)
    }

    /// Checks that every field of the header exists.
    fn check_field_names(&self, parameters: &[String]) -> Result<(), Error> {
        let header = self.header;
        let mut fields: BTreeSet<String> = BTreeSet::new();
        for class in self.found.classes.keys() {
            let file = self.program.require(class).map_err(other)?;
            fields.extend(file.fields.iter().map(|it| it.name.to_string()));
        }
        let plain = header.exclude.iter().chain(&header.fields).map(|it| (it, false));
        for (phrase, is_typed) in plain.chain(header.types.iter().map(|it| (&it.of, true))) {
            let name = phrase.text.as_str();
            let is_named = is_typed && (name == "result" || parameters.iter().any(|it| it == name));
            if name.contains('.') || fields.contains(name) || is_named {
                continue;
            }
            let mut message = format!("no modelled class has a field {name}");
            let mut known: Vec<&str> = fields.iter().map(String::as_str).collect();
            if is_typed {
                message += ", and the method has no such parameter";
                known.extend(parameters.iter().map(String::as_str));
            }
            let near = nearest(known.iter().copied(), name);
            // One header may serve several methods, so only a name that looks misspelt is an error. Short ones never
            // do.
            if is_typed && (name.chars().count() < SHORTEST_MISSPELT || near.is_none()) {
                continue;
            }
            let help = match near {
                Some(near) => format!("did you mean {near}?"),
                None => "remove it, or correct the spelling".to_owned(),
            };
            return Err(wrong(phrase.span, &message, &help));
        }
        let typed = header.types.iter().map(|it| &it.of);
        for phrase in header.exclude.iter().chain(&header.fields).chain(typed) {
            let Some((of, name)) = phrase.text.rsplit_once('.').filter(|it| it.1 != "*") else { continue };
            let classes = self.found.classes.keys().filter(|it| names_class(&phrase.text, it));
            let mut known: Vec<String> = Vec::new();
            for class in classes.clone() {
                let file = self.program.require(class).map_err(other)?;
                known.extend(file.fields.iter().map(|it| it.name.to_string()));
            }
            if classes.clone().next().is_none() {
                self.class_named(&Phrase { text: of.to_owned(), span: phrase.span })?;
            } else if !known.iter().any(|it| it == name) {
                let help = match nearest(known.iter().map(String::as_str), name) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("it has {}", known.join(", ")),
                };
                return Err(wrong(phrase.span, &format!("the class has no field {name}"), &help));
            }
        }
        Ok(())
    }

    fn class(&mut self, file: &ClassFile) -> Result<(), Error> {
        let name = file.name.to_string();
        let mut parent = None;
        if let Some(above) = file.super_name.as_deref().filter(|it| *it != "java/lang/Object")
            && let Some(above) = self.program.find(above).map_err(other)?
            && self.is_followed(&above)
        {
            parent = Some(above.name.to_string());
            self.follow(&above.name)?;
        }
        let constants = file.super_name.as_deref().filter(|it| *it == "java/lang/Enum").map(|_| {
            file.fields.iter().filter(|it| it.access.is_enum()).map(|it| it.name.to_string()).collect()
        });
        let mut fields = Vec::new();
        for field in file.fields.iter().filter(|_| constants.is_none()) {
            fields.extend(self.field(file, field)?);
        }
        if !file.origin().is_jdk() {
            for sub in self.subclasses_of(&name)? {
                self.follow(&sub)?;
            }
        }
        let is_abstract = file.access.is_abstract();
        self.found
            .classes
            .insert(name.clone(), ModelledClass { name, parent, is_abstract, constants, fields });
        Ok(())
    }

    fn field(&mut self, file: &ClassFile, field: &Field) -> Result<Option<ModelledField>, Error> {
        let names = |it: &Phrase| names_field(&it.text, &file.name, &field.name);
        let is_static = field.access.is_static();
        if field.access.is_synthetic()
            || is_static && (field.access.is_final() || !self.words.contains(&*field.name))
            || self.header.exclude.iter().any(names)
        {
            return Ok(None);
        }
        let listed = self.header.fields.iter().find(|it| names(it));
        let of_class = |it: &Phrase| names_class(&it.text, &file.name);
        if listed.is_none() && self.header.fields.iter().any(of_class) {
            return Ok(None);
        }
        let actual = self.header.types.iter().find(|it| names(&it.of));
        match self.values(&field.descriptor, actual.map(|it| &it.types[..]))? {
            Ok(values) => Ok(Some(ModelledField {
                class: file.name.to_string(),
                name: field.name.to_string(),
                descriptor: field.descriptor.to_string(),
                is_static,
                values,
            })),
            Err(why) => {
                let shown = format!("{}.{}", simple_name(&file.name), field.name);
                if let Some(listed) = listed {
                    let help = format!("exclude it, or give its actual type: `type {shown}: Integer`");
                    return Err(wrong(listed.span, &format!("{shown} cannot be modelled: {why}"), &help));
                }
                self.found.notes.push(format!("{shown} is not modelled: {why}"));
                Ok(None)
            }
        }
    }

    /// The values that a declared type can hold, or why they cannot be modelled.
    pub fn values(
        &mut self,
        descriptor: &str,
        actual: Option<&[Phrase]>,
    ) -> Result<Result<Vec<Values>, String>, Error> {
        let Some(actual) = actual else { return self.declared(descriptor).map(|it| it.map(|it| vec![it])) };
        let mut all = Vec::new();
        for phrase in actual {
            match self.actual(descriptor, phrase)? {
                Ok(values) => all.push(values),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(all))
    }

    fn actual(&mut self, descriptor: &str, phrase: &Phrase) -> Result<Result<Values, String>, Error> {
        if let Some(element) = phrase.text.strip_suffix("[]") {
            let inner = Phrase { text: element.trim().to_owned(), span: phrase.span };
            let below = descriptor.strip_prefix('[').unwrap_or("Ljava/lang/Object;");
            let elements = match self.actual(below, &inner)? {
                Ok(values) => vec![values],
                Err(why) => return Ok(Err(why)),
            };
            let descriptor = if descriptor.starts_with('[') { descriptor } else { "[Ljava/lang/Object;" };
            return Ok(Ok(self.array(descriptor, elements, inner.text.clone())));
        }
        if let Some(primitive) = primitive(&phrase.text) {
            return self.declared(primitive);
        }
        let class = self.class_named(phrase)?;
        self.nests.insert(host_of(&class));
        self.declared(&format!("L{};", class.name))
    }

    fn array(&mut self, descriptor: &str, elements: Vec<Values>, of: String) -> Values {
        let array = ModelledArray { descriptor: descriptor.to_owned(), elements, of };
        let at = self.found.arrays.iter().position(|it| *it == array).unwrap_or_else(|| {
            self.found.arrays.push(array);
            self.found.arrays.len() - 1
        });
        Values::Arrays(at)
    }

    fn declared(&mut self, descriptor: &str) -> Result<Result<Values, String>, Error> {
        let class = match descriptor.as_bytes().first() {
            // Floating-point fields only get integral values.
            Some(b'B' | b'S' | b'C' | b'I' | b'J' | b'F' | b'D') => return Ok(Ok(Values::Integers(None))),
            Some(b'Z') => return Ok(Ok(Values::Booleans)),
            Some(b'[') => {
                let element = &descriptor[1..];
                return Ok(match self.declared(element)? {
                    Ok(values) => Ok(self.array(descriptor, vec![values], shown_type(element))),
                    Err(why) => Err(why),
                });
            }
            Some(b'L') => descriptor::class_name(descriptor).unwrap_or_default().to_owned(),
            _ => return Ok(Err("it has no type".into())),
        };
        Ok(match class.as_str() {
            "java/lang/String" => Ok(Values::Texts),
            "java/lang/Boolean" => Ok(Values::Booleans),
            "java/lang/Object" => {
                self.found.classes.entry(class.clone()).or_insert_with(|| ModelledClass {
                    name: class.clone(),
                    parent: None,
                    is_abstract: false,
                    constants: None,
                    fields: Vec::new(),
                });
                Ok(Values::Objects(class))
            }
            name if BOXES.iter().any(|it| name.strip_prefix("java/lang/") == Some(it)) => {
                Ok(Values::Integers(Some(class)))
            }
            _ => {
                let file = self.program.require(&class).map_err(other)?;
                if !self.is_followed(&file) {
                    return Ok(Err(format!(
                        "{} is a class of the JDK; name it with `classes`, or give an actual type",
                        class.replace('/', ".")
                    )));
                }
                if file.access.is_interface() && self.implementing(&class)?.is_empty() {
                    return Ok(Err(format!("nothing implements {}", class.replace('/', "."))));
                }
                if file.access.is_abstract()
                    && !file.access.is_interface()
                    && self.subclasses_of(&class)?.is_empty()
                    && file.super_name.as_deref() != Some("java/lang/Enum")
                {
                    return Ok(Err(format!("nothing extends {}", class.replace('/', "."))));
                }
                self.follow(&class)?;
                Ok(Values::Objects(class))
            }
        })
    }

    /// Direct subclasses on the class path, except anonymous ones.
    fn subclasses_of(&mut self, name: &str) -> Result<Vec<String>, Error> {
        if self.subclasses.is_none() {
            let mut map: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
            for entry in self.program.class_path().entries() {
                for class in entry.class_names().map_err(other)? {
                    // Damaged class files have no place in the hierarchy.
                    let Ok(Some(file)) = self.program.find(&class) else { continue };
                    if simple_name(&class).starts_with(|it: char| it.is_ascii_digit()) {
                        continue;
                    }
                    for above in file.interfaces.iter().chain(&file.super_name) {
                        map.entry(above.clone()).or_default().push(file.name.clone());
                    }
                }
            }
            self.subclasses = Some(map);
        }
        let found = self.subclasses.as_ref().and_then(|it| it.get(name));
        Ok(found.map_or(Vec::new(), |it| it.iter().map(ToString::to_string).collect()))
    }

    /// All classes that implement an interface.
    fn implementing(&mut self, interface: &str) -> Result<BTreeSet<String>, Error> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![interface.to_owned()];
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if !self.program.require(&name).map_err(other)?.access.is_interface() {
                found.insert(name.clone());
            }
            waiting.extend(self.subclasses_of(&name)?);
        }
        Ok(found)
    }

    fn interface(&mut self, file: &ClassFile) -> Result<(), Error> {
        let all = self.implementing(&file.name)?;
        let mut top = Vec::new();
        for name in &all {
            self.follow(name)?;
            let above = self.program.require(name).map_err(other)?.super_name.clone();
            if !above.is_some_and(|it| all.contains(&*it)) {
                top.push(name.clone());
            }
        }
        self.found.implementations.insert(file.name.to_string(), top);
        Ok(())
    }
}

/// The part of the name after the last `/` or `$`.
pub fn simple_name(internal: &str) -> &str {
    let base = internal.rsplit('/').next().unwrap_or(internal);
    base.rsplit('$').find(|it| !it.is_empty()).unwrap_or(base)
}

fn host_of(class: &ClassFile) -> String {
    class.nest_host.as_deref().unwrap_or(&class.name).to_owned()
}

fn primitive(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" => "I",
        "long" => "J",
        "short" => "S",
        "byte" => "B",
        "char" => "C",
        "float" => "F",
        "double" => "D",
        "boolean" => "Z",
        _ => return None,
    })
}

/// Whether numbers of this type may be non-integral.
pub(crate) fn is_floating(descriptor: &str, values: &[Values]) -> bool {
    let of = |it: &Values| matches!(it, Values::Integers(Some(class)) if class.ends_with("/Float") || class.ends_with("/Double"));
    matches!(descriptor, "F" | "D") || values.iter().any(of)
}

/// The type as Java writes it, without packages.
pub fn shown_type(descriptor: &str) -> String {
    match descriptor.as_bytes().first() {
        Some(b'[') => format!("{}[]", shown_type(&descriptor[1..])),
        Some(b'L') => simple_name(descriptor::class_name(descriptor).unwrap_or_default()).to_owned(),
        Some(first) => cupping_machine::primitive_name(*first).to_owned(),
        None => String::new(),
    }
}

/// Whether `Entry.key`, `java.util.TreeMap.Entry.key`, `Entry.*` or `key` names this field.
fn names_field(text: &str, class: &str, field: &str) -> bool {
    match text.rsplit_once('.') {
        None => text == field,
        Some((of, name)) => (name == field || name == "*") && is_class(of, class),
    }
}

/// Whether `Entry.key` names a field of this class.
fn names_class(text: &str, class: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(of, _)| is_class(of, class))
}

fn is_class(text: &str, internal: &str) -> bool {
    let dotted = internal.replace(['/', '$'], ".");
    let text = text.replace('$', ".");
    dotted == text || dotted.ends_with(&format!(".{text}"))
}
