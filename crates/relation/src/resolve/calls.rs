//! Resolves calls: unfolds functions and predicates, turns box joins into joins, and applies built-in
//! functions.

use super::value::Value;
use super::{DEEPEST_CALL, Resolver, Scope};
use crate::error::{Error, Result, Span};
use crate::logic::{Bound, FormulaKind, NumberKind, Operation, RelKind, Size};
use crate::syntax::ast::{Binary, Expr, ExprKind, Function, Mult};
use crate::types::Type;

/// Integer functions of Alloy's `util/integer` and of TestEra's library.
const ARITHMETIC: [(&str, Operation); 7] = [
    ("plus", Operation::Add),
    ("add", Operation::Add),
    ("minus", Operation::Subtract),
    ("sub", Operation::Subtract),
    ("mul", Operation::Multiply),
    ("div", Operation::Divide),
    ("rem", Operation::Remainder),
];

/// Comparisons in function form.
const COMPARISONS: [(&str, &str, Binary); 5] = [
    ("LE", "lte", Binary::AtMost),
    ("LT", "lt", Binary::Less),
    ("GE", "gte", Binary::AtLeast),
    ("GT", "gt", Binary::Greater),
    ("EQ", "eq", Binary::Equal),
];

impl Resolver<'_> {
    fn is_function(&self, name: &str, scope: &Scope) -> bool {
        if scope.find(name).is_some() || self.model.fields.iter().any(|it| it.name == name) {
            return false;
        }
        self.model.functions.contains_key(name)
            || ARITHMETIC.iter().any(|it| it.0 == name)
            || COMPARISONS.iter().any(|it| it.0 == name || it.1 == name)
            || matches!(name, "negate" | "sum" | "int" | "Int")
    }

    /// Resolves `left.right`, where `right` may be a function.
    pub(super) fn join_or_call(
        &self,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        match &right.kind {
            ExprKind::Name(name)
                if self.is_function(name, scope)
                    && self.model.functions.contains_key(name)
                    && self.is_receiver(left, name, 0, scope) =>
            {
                return self.call(name, vec![left.clone()], span, scope);
            }
            ExprKind::Apply(callee, arguments) => {
                if let ExprKind::Name(name) = &callee.kind
                    && self.is_function(name, scope)
                    && self.is_receiver(left, name, arguments.len(), scope)
                {
                    let mut all = vec![left.clone()];
                    all.extend(arguments.iter().cloned());
                    return self.call(name, all, span, scope);
                }
            }
            _ => {}
        }
        let rights = self.meanings(right, scope)?;
        let mut found = Vec::new();
        let mut failed: Option<Error> = None;
        for a in self.meanings(left, scope)? {
            for b in &rights {
                match self.join(&a, b, span) {
                    Ok(value) => found.push(value),
                    // The last reading is the plain one, so its message fits the text best.
                    Err(error) => failed = Some(error),
                }
            }
        }
        let failed = failed.filter(|_| found.is_empty());
        failed.map_or(Ok(found), |error| Err(self.as_call_of_field(right).unwrap_or(error)))
    }

    /// The error about a field that is called like a method, as in `set.size()`.
    fn as_call_of_field(&self, right: &Expr) -> Option<Error> {
        let ExprKind::Apply(callee, arguments) = &right.kind else { return None };
        let ExprKind::Name(name) = &callee.kind else { return None };
        let is_field = self.model.fields.iter().any(|it| it.name == *name);
        (is_field && arguments.is_empty()).then(|| {
            Error::new(right.span, format!("{name} is a field, and Java methods cannot be called")).help(
                format!("write `x.{name}` for the field of x; `#set` is the number of elements of a set"),
            )
        })
    }

    /// Whether `left.(name[…])` is a call with `left` as its receiver: not if the call is complete without it
    /// and `left` does not fit its first parameter.
    fn is_receiver(&self, left: &Expr, name: &str, arguments: usize, scope: &Scope) -> bool {
        let Some(overloads) = self.model.functions.get(name) else { return true };
        let has_this = scope.find("this").is_some();
        let alone = |it: &&Function| {
            let count = parameters(it);
            count == arguments || it.receiver.is_some() && has_this && count == arguments + 1
        };
        if !overloads.iter().any(|it| alone(&it)) {
            return true;
        }
        let Some(function) = overloads.iter().find(|it| parameters(it) == arguments + 1) else {
            return false;
        };
        let first = function.receiver.as_ref().or(function.parameters.first().map(|it| &it.bound));
        let Some(Ok((_, wanted, _))) = first.map(|it| self.rel(it, scope)) else { return true };
        let Ok(meanings) = self.meanings(left, scope) else { return true };
        meanings
            .iter()
            .filter_map(|it| self.as_rel(it, left.span).ok())
            .any(|(_, ty, _)| ty.arity == wanted.arity && !ty.intersection(&wanted, self.model).is_none())
    }

    /// `callee[arguments]` and `callee(arguments)`
    pub(super) fn apply(
        &self,
        callee: &Expr,
        arguments: &[Expr],
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        match &callee.kind {
            ExprKind::Name(name) if self.is_function(name, scope) => {
                return self.call(name, arguments.to_vec(), span, scope);
            }
            ExprKind::Binary(Binary::Join, receiver, method) => {
                if let ExprKind::Name(name) = &method.kind
                    && self.is_function(name, scope)
                {
                    let mut all = vec![(**receiver).clone()];
                    all.extend(arguments.iter().cloned());
                    return self.call(name, all, span, scope);
                }
            }
            _ => {}
        }
        // `f[a, b]` is `b.(a.f)`.
        let mut joined = callee.clone();
        for argument in arguments {
            let kind = ExprKind::Binary(Binary::Join, Box::new(argument.clone()), Box::new(joined));
            joined = Expr { kind, span };
        }
        self.meanings(&joined, scope)
    }

    pub(super) fn call(
        &self,
        name: &str,
        arguments: Vec<Expr>,
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        if scope.depth >= DEEPEST_CALL {
            return Err(Error::new(span, format!("{name} calls itself"))
                .help("functions are unfolded and must not be recursive; use `^` or `*`"));
        }
        let Some(overloads) = self.model.functions.get(name) else {
            return self.built_in(name, &arguments, span, scope).map(|it| vec![it]);
        };
        let count = parameters;
        let mut arguments = arguments;
        let mut fitting = overloads.iter().find(|it| count(it) == arguments.len());
        if fitting.is_none() && scope.find("this").is_some() {
            // A function with a receiver may call another on `this` implicitly.
            fitting = overloads.iter().find(|it| it.receiver.is_some() && count(it) == arguments.len() + 1);
            if fitting.is_some() {
                arguments.insert(0, Expr { kind: ExprKind::Name("this".to_owned()), span });
            }
        }
        let Some(function) = fitting else {
            let counts: Vec<String> = overloads.iter().map(|it| count(it).to_string()).collect();
            return Err(Error::new(span, format!("{name} does not take {} arguments", arguments.len()))
                .help(format!("it takes {}, including the receiver", counts.join(" or "))));
        };
        let mut inner = match function.is_shorthand {
            true => Scope { depth: scope.depth + 1, ..scope.clone() },
            false => Scope { before: scope.before, depth: scope.depth + 1, ..Scope::default() },
        };
        let names = function
            .parameters
            .iter()
            .flat_map(|decl| decl.names.iter().map(|it| (it.text.as_str(), decl.mult == Some(Mult::Set))));
        let names = function.receiver.iter().map(|_| ("this", false)).chain(names);
        for ((name, is_set), argument) in names.zip(&arguments) {
            let mut value = self.meanings(argument, scope)?.swap_remove(0);
            // A parameter declared as a set makes `-` in the body a set operator.
            if is_set && matches!(value, Value::Number(..)) {
                let (rel, ty, size) = self.as_rel(&value, argument.span)?;
                value = Value::Rel(rel, ty, size);
            }
            inner = inner.with(name, value);
        }
        self.unfold(function, span, inner)
    }

    fn unfold(&self, function: &Function, span: Span, scope: Scope) -> Result<Vec<Value>> {
        let nodes = &self.model.nodes;
        if function.is_shorthand {
            return self.meanings(&function.body, &scope);
        }
        let Some((_, returns)) = &function.returns else {
            return Ok(vec![Value::Formula(self.formula(&function.body, &scope)?)]);
        };
        let (set, ty, _) = self.rel(returns, &scope)?;
        let var = nodes.variable();
        let result = Value::Rel(nodes.rel(RelKind::Var(var), span), ty.clone(), Size::One);
        let inner = scope.with("result", result);
        let values = self.meanings(&function.body, &inner)?;
        if let Some(value) = values.iter().find(|it| !matches!(it, Value::Formula(_))) {
            return Ok(vec![value.clone()]);
        }
        // In TestEra's notation the body is a formula about `result`.
        let body = self.formula(&function.body, &inner)?;
        if ty.arity != 1 {
            return Err(Error::new(
                returns.span,
                "a function defined by a formula must return a single atom",
            ));
        }
        let bounds = vec![Bound { var, name: "".into(), set, distinct: Vec::new() }];
        let rel = nodes.rel(RelKind::Comprehension(bounds, body), span);
        Ok(vec![Value::Rel(rel, Type { arity: 1, ..ty }, Size::Any)])
    }

    fn built_in(&self, name: &str, arguments: &[Expr], span: Span, scope: &Scope) -> Result<Value> {
        let nodes = &self.model.nodes;
        let wanted = if matches!(name, "negate" | "sum" | "int" | "Int") { 1 } else { 2 };
        let number = |at: usize| {
            let argument = &arguments[at];
            if let (ExprKind::Binary(Binary::Union | Binary::Difference, ..), 2) = (&argument.kind, wanted)
                && let Some((number, _)) = self.sum(argument, scope)
            {
                return Ok(number);
            }
            self.choose(argument, scope, |value| self.as_number(value, argument.span))
        };
        if arguments.len() != wanted {
            return Err(Error::new(
                span,
                format!("{name} takes {wanted} arguments, not {}", arguments.len()),
            ));
        }
        if wanted == 1 {
            let inner = number(0)?;
            return Ok(match name {
                "negate" => Value::Number(nodes.number(NumberKind::Negate(inner), span), false),
                _ => Value::Number(inner, false),
            });
        }
        let (a, b) = (number(0)?, number(1)?);
        if let Some((_, operation)) = ARITHMETIC.iter().find(|it| it.0 == name) {
            return Ok(Value::Number(nodes.number(NumberKind::Arithmetic(*operation, a, b), span), false));
        }
        let comparison = COMPARISONS.iter().find(|it| it.0 == name || it.1 == name).map(|it| it.2);
        let not = |kind| {
            let inner = nodes.formula(kind, span);
            FormulaKind::Not(inner)
        };
        let kind = match comparison {
            Some(Binary::AtMost) => FormulaKind::AtMost(a, b),
            Some(Binary::AtLeast) => FormulaKind::AtMost(b, a),
            Some(Binary::Less) => not(FormulaKind::AtMost(b, a)),
            Some(Binary::Greater) => not(FormulaKind::AtMost(a, b)),
            _ => FormulaKind::Same(a, b),
        };
        Ok(Value::Formula(nodes.formula(kind, span)))
    }
}

/// Number of arguments of a function, including its receiver.
fn parameters(function: &Function) -> usize {
    let named = function.parameters.iter().map(|decl| decl.names.len()).sum::<usize>();
    named + usize::from(function.receiver.is_some())
}
