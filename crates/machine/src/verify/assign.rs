//! Assignability (JVMS §4.10.1.2), with as few classes loaded as by HotSpot.

use super::types::Type;
use super::{Verifier, VerifyResult, bad};

impl Verifier<'_> {
    /// Whether a value of type `from` may be used where type `to` is expected.
    pub(super) fn assignable(&mut self, from: Type, to: Type) -> VerifyResult<bool> {
        self.assignable_strictly(from, to, false)
    }

    /// As [`Verifier::assignable`], but for receivers of protected members, interfaces are not treated as
    /// `Object`.
    pub(super) fn assignable_strictly(
        &mut self,
        from: Type,
        to: Type,
        protected: bool,
    ) -> VerifyResult<bool> {
        if from == to || to == Type::Top {
            return Ok(true);
        }
        match (from, to) {
            (Type::Null, Type::Ref(_)) => Ok(true),
            (Type::Ref(from), Type::Ref(to)) => {
                for member in self.types.members(from) {
                    let key = (member, to << 1 | protected as u32);
                    let holds = match self.assignable.get(&key) {
                        Some(known) => *known,
                        None => {
                            let (from, to) =
                                (self.types.name(member).to_owned(), self.types.name(to).to_owned());
                            let holds = self.name_assignable(&from, &to, protected)?;
                            self.assignable.insert(key, holds);
                            holds
                        }
                    };
                    if !holds {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn name_assignable(&mut self, from: &str, to: &str, protected: bool) -> VerifyResult<bool> {
        let (mut from, mut to) = (from, to);
        // Arrays of references are as their elements are.
        while let (Some(inner_from), Some(inner_to)) = (from.strip_prefix('['), to.strip_prefix('[')) {
            if inner_from == inner_to {
                return Ok(true);
            }
            let element = |text: &'_ str| text.starts_with('[') || text.starts_with('L');
            if !element(inner_to) {
                return Ok(false);
            }
            (from, to) = (inner_from, inner_to);
            if let Some(name) = to.strip_prefix('L') {
                to = name.strip_suffix(';').unwrap_or(name);
                if !element(from) {
                    return Ok(false);
                }
                if let Some(name) = from.strip_prefix('L') {
                    from = name.strip_suffix(';').unwrap_or(name);
                }
                break;
            }
        }
        if from == to || to == "java/lang/Object" {
            return Ok(true);
        }
        if to.starts_with('[') {
            return Ok(false);
        }
        if from == "java/lang/Object" && !self.is_interface(to)? {
            return Ok(false);
        }
        if self.is_interface(to)? && (!protected || from != "java/lang/Object") {
            let from_array = from.starts_with('[');
            return Ok(!from_array || matches!(to, "java/lang/Cloneable" | "java/io/Serializable"));
        }
        if from.starts_with('[') {
            return Ok(false);
        }
        let (from, to) = (self.load(from)?, self.load(to)?);
        Ok(self.machine.is_subtype(from, to))
    }

    fn is_interface(&mut self, name: &str) -> VerifyResult<bool> {
        let class = self.load(name)?;
        Ok(self.machine.class(class).is_interface())
    }

    /// Fails unless assignable.
    pub(super) fn require(&mut self, from: Type, to: Type, what: &str) -> VerifyResult {
        if self.assignable(from, to)? {
            return Ok(());
        }
        let (from, to) = (self.types.describe(from), self.types.describe(to));
        Err(bad(format!("{what}\nException Details:\n  Reason:\n    Type {from} is not assignable to {to}")))
    }
}
