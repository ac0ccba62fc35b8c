//! Generic signatures (JVMS §4.7.9.1): the types that the source declared, before erasure.

mod source_type;

use std::ops::Range;

pub use source_type::source_type;

/// A type as source declares it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GenericType {
    /// A primitive type or `void`, by its letter.
    Primitive(char),
    /// A class or interface with its type arguments; those of enclosing classes are left out.
    Class {
        /// Its internal name.
        name: String,
        /// Its type arguments; empty for a raw or not generic type.
        arguments: Vec<GenericType>,
    },
    /// A type variable.
    Variable(String),
    /// An array of such elements.
    Array(Box<GenericType>),
    /// A wildcard with its upper or lower bound; `None` for `?`.
    Wildcard(Option<Box<GenericType>>),
}

/// A type parameter and its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeParameter {
    /// Its name.
    pub name: String,
    /// Its bounds, the class first.
    pub bounds: Vec<GenericType>,
}

/// The signature of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodSignature {
    /// Its own type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// The types of its parameters.
    pub parameters: Vec<GenericType>,
    /// The type of its result.
    pub result: GenericType,
}

/// The signature of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSignature {
    /// Its type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// The class it extends, then the interfaces it implements.
    pub supertypes: Vec<GenericType>,
}

impl MethodSignature {
    /// A method's signature, or its descriptor; `None` where it is neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<MethodSignature> {
        let mut reader = SignatureReader::new(text);
        let type_parameters = reader.type_parameters()?;
        reader.expect('(')?;
        let mut parameters = Vec::new();
        while !reader.rest.starts_with(')') {
            parameters.push(reader.ty()?);
        }
        reader.expect(')')?;
        let result = reader.ty()?;
        // The exceptions that it throws follow.
        let complete = reader.rest.is_empty() || reader.rest.starts_with('^');
        complete.then_some(MethodSignature { type_parameters, parameters, result })
    }
}

impl ClassSignature {
    /// A class's signature; `None` where it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<ClassSignature> {
        let mut reader = SignatureReader::new(text);
        let type_parameters = reader.type_parameters()?;
        let mut supertypes = Vec::new();
        while !reader.rest.is_empty() {
            supertypes.push(reader.ty()?);
        }
        Some(ClassSignature { type_parameters, supertypes })
    }
}

impl GenericType {
    /// Visits the classes that it names, those of its type arguments and bounds too: the internal name of each, and
    /// whether it has type arguments itself.
    pub fn visit_classes<'a>(&'a self, visit: &mut impl FnMut(&'a str, bool)) {
        match self {
            GenericType::Class { name, arguments } => {
                visit(name, !arguments.is_empty());
                arguments.iter().for_each(|it| it.visit_classes(visit));
            }
            GenericType::Array(of) | GenericType::Wildcard(Some(of)) => of.visit_classes(visit),
            GenericType::Primitive(_) | GenericType::Variable(_) | GenericType::Wildcard(None) => {}
        }
    }

    /// A field's signature or descriptor; `None` where it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<GenericType> {
        let mut reader = SignatureReader::new(text);
        let ty = reader.ty()?;
        reader.rest.is_empty().then_some(ty)
    }
}

/// Nesting of types beyond which a signature counts as malformed.
const MAX_DEPTH: u32 = 64;

/// A descriptor or signature with other class names: `other` gives the replacement of an internal name. For a class
/// nested in a generic one, only the outermost name is replaced. `None` if the text is neither a descriptor nor a
/// signature, or if no name changes.
pub fn with_other_classes(text: &str, other: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut reader = SignatureReader::new(text);
    reader.whole()?;
    let mut out = String::new();
    let mut done = 0;
    for place in reader.class_names {
        if let Some(other) = other(&text[place.clone()]) {
            out += &text[done..place.start];
            out += &other;
            done = place.end;
        }
    }
    (done > 0).then(|| out + &text[done..])
}

struct SignatureReader<'a> {
    text: &'a str,
    rest: &'a str,
    depth: u32,
    /// The positions of class names in the text.
    class_names: Vec<Range<usize>>,
}

impl<'a> SignatureReader<'a> {
    fn new(text: &'a str) -> Self {
        SignatureReader { text, rest: text, depth: 0, class_names: Vec::new() }
    }

    /// The signature of a class, method or field, or a descriptor, to its end.
    fn whole(&mut self) -> Option<()> {
        self.type_parameters()?;
        if self.expect('(').is_some() {
            while self.expect(')').is_none() {
                self.ty()?;
            }
            self.ty()?;
            while self.expect('^').is_some() {
                self.ty()?;
            }
        } else {
            while !self.rest.is_empty() {
                self.ty()?;
            }
        }
        self.rest.is_empty().then_some(())
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }

    /// The text up to one of these, not empty.
    fn name(&mut self, ends: &[char]) -> Option<&'a str> {
        let end = self.rest.find(ends).filter(|end| *end > 0)?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(name)
    }

    fn type_parameters(&mut self) -> Option<Vec<TypeParameter>> {
        let mut found = Vec::new();
        if self.expect('<').is_none() {
            return Some(found);
        }
        while self.expect('>').is_none() {
            let name = self.name(&[':'])?.to_owned();
            let mut bounds = Vec::new();
            while self.expect(':').is_some() {
                // The class bound may be omitted if there are interfaces.
                if !self.rest.starts_with([':', '>']) {
                    bounds.push(self.ty()?);
                }
            }
            found.push(TypeParameter { name, bounds });
        }
        Some(found)
    }

    fn ty(&mut self) -> Option<GenericType> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        let ty = match first {
            'Z' | 'B' | 'C' | 'S' | 'I' | 'J' | 'F' | 'D' | 'V' => GenericType::Primitive(first),
            'T' => {
                let name = self.name(&[';'])?.to_owned();
                self.expect(';')?;
                GenericType::Variable(name)
            }
            '[' => GenericType::Array(Box::new(self.ty()?)),
            'L' => self.class()?,
            _ => return None,
        };
        self.depth -= 1;
        Some(ty)
    }

    fn class(&mut self) -> Option<GenericType> {
        let start = self.text.len() - self.rest.len();
        let mut name = self.name(&['<', ';', '.'])?.to_owned();
        self.class_names.push(start..start + name.len());
        let mut arguments = self.arguments()?;
        // A class nested in a generic one.
        while self.expect('.').is_some() {
            name.push('$');
            name.push_str(self.name(&['<', ';', '.'])?);
            arguments = self.arguments()?;
        }
        self.expect(';')?;
        Some(GenericType::Class { name, arguments })
    }

    fn arguments(&mut self) -> Option<Vec<GenericType>> {
        let mut found = Vec::new();
        if self.expect('<').is_none() {
            return Some(found);
        }
        while self.expect('>').is_none() {
            let argument = if self.expect('*').is_some() {
                GenericType::Wildcard(None)
            } else if self.expect('+').is_some() || self.expect('-').is_some() {
                GenericType::Wildcard(Some(Box::new(self.ty()?)))
            } else {
                self.ty()?
            };
            found.push(argument);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassSignature, GenericType, MethodSignature, with_other_classes};

    fn class(name: &str, arguments: Vec<GenericType>) -> GenericType {
        GenericType::Class { name: name.into(), arguments }
    }

    #[test]
    fn signatures_of_methods_keep_bounds_arguments_and_wildcards() {
        let text = "<T::Ljava/lang/Comparable<-TT;>;>(Ljava/util/List<+TT;>;[[TT;I)Ljava/util/Map<TT;*>;^TX;";
        let signature = MethodSignature::parse(text).expect("it is one");
        let variable = || GenericType::Variable("T".into());
        let wildcard = |of| GenericType::Wildcard(Some(Box::new(of)));
        assert_eq!(signature.type_parameters.len(), 1);
        assert_eq!(
            signature.type_parameters[0].bounds,
            [class("java/lang/Comparable", vec![wildcard(variable())])]
        );
        let nested = GenericType::Array(Box::new(GenericType::Array(Box::new(variable()))));
        assert_eq!(
            signature.parameters,
            [class("java/util/List", vec![wildcard(variable())]), nested, GenericType::Primitive('I')]
        );
        let unknown = GenericType::Wildcard(None);
        assert_eq!(signature.result, class("java/util/Map", vec![variable(), unknown]));
    }

    #[test]
    fn class_names_are_replaced_where_they_name_classes() {
        let other = |name: &str| (name == "a/B").then(|| "c/Dd".to_owned());
        for (text, expected) in [
            ("(La/B;I[La/B;)La/BC;", Some("(Lc/Dd;I[Lc/Dd;)La/BC;")),
            ("Ljava/util/List<La/B;>;", Some("Ljava/util/List<Lc/Dd;>;")),
            ("<T:La/B;>La/B<TT;>.Inner<La/B;>;La/B;", Some("<T:Lc/Dd;>Lc/Dd<TT;>.Inner<Lc/Dd;>;Lc/Dd;")),
            ("()V^La/B;", Some("()V^Lc/Dd;")),
            // A type variable and a member of that name are not classes.
            ("(Ta/B;)V", None),
            ("La/B", None),
            ("xLa/B;", None),
            ("(La/B;", None),
            ("(I)La/C;", None),
        ] {
            assert_eq!(with_other_classes(text, other).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn classes_nested_in_generic_ones_have_their_binary_name() {
        let signature = ClassSignature::parse("<E:Ljava/lang/Object;>La/Outer<TE;>.Inner<TE;>;La/Plain;")
            .expect("it is one");
        let argument = GenericType::Variable("E".into());
        assert_eq!(signature.supertypes, [class("a/Outer$Inner", vec![argument]), class("a/Plain", vec![])]);
    }

    #[test]
    fn truncated_signatures_are_refused() {
        let text = "<T::Ljava/lang/Comparable<-TT;>;>(Ljava/util/List<+TT;>;[[TT;I)Ljava/util/Map<TT;*>;";
        for end in 0..text.len() {
            assert_eq!(MethodSignature::parse(&text[..end]), None, "{}", &text[..end]);
        }
        let deep = "[".repeat(100_000);
        assert_eq!(GenericType::parse(&(deep + "I")), None);
    }
}
