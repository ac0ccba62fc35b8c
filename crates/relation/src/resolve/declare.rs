//! Declares the paragraphs of a specification in the model: signatures, fields with their multiplicities, and
//! facts.

use super::value::Value;
use super::{Resolver, Scope};
use crate::error::{Error, Result, Span};
use crate::logic::{Bound, FieldId, FieldState, Formula, FormulaKind, Rel, RelKind, SigId, Size};
use crate::model::{Fact, Field, Model, Signature};
use crate::syntax::ast::{Binary, Decl, Expr, ExprKind, Module, Mult, Paragraph, Sig};
use crate::types::Type;

impl Model {
    /// Adds the declarations of a specification.
    pub fn read(&mut self, module: &Module) -> Result<()> {
        let sigs: Vec<&Sig> = module
            .paragraphs
            .iter()
            .filter_map(|it| match it {
                Paragraph::Sig(sig) => Some(sig),
                _ => None,
            })
            .collect();
        self.declare_signatures(&sigs)?;
        for sig in &sigs {
            for name in &sig.names {
                let owner = self.signature_named(&name.text, name.span)?;
                for decl in &sig.fields {
                    self.declare_field(owner, decl)?;
                }
            }
        }
        for paragraph in &module.paragraphs {
            match paragraph {
                Paragraph::Function(it) => {
                    self.functions.entry(it.name.text.clone()).or_default().push(it.clone());
                }
                Paragraph::Assert(Some(name), body) => {
                    self.assertions.insert(name.text.clone(), body.clone());
                }
                Paragraph::Command(it) => self.commands.push(it.clone()),
                Paragraph::Section(name, body) => self.sections.push((name.text.clone(), body.clone())),
                Paragraph::Open(_) | Paragraph::Assert(None, _) | Paragraph::Sig(_) | Paragraph::Fact(..) => {
                }
            }
        }
        for paragraph in &module.paragraphs {
            match paragraph {
                Paragraph::Fact(_, body) => {
                    let formula =
                        Resolver { model: self, earlier: false }.formula(body, &Scope::default())?;
                    self.facts.push(Fact { formula });
                }
                Paragraph::Sig(sig) => self.signature_facts(sig)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn signature_named(&self, name: &str, span: Span) -> Result<SigId> {
        self.find_signature(name).ok_or_else(|| {
            Error::new(span, format!("there is no signature {name}")).help("declare it with `sig`")
        })
    }

    fn declare_signatures(&mut self, sigs: &[&Sig]) -> Result<()> {
        for sig in sigs {
            for name in &sig.names {
                let signature = Signature {
                    name: name.text.clone(),
                    parent: None,
                    disjoint: sig.disjoint || sig.parents.is_empty(),
                    is_abstract: sig.is_abstract,
                    mult: sig.mult,
                    span: name.span,
                };
                self.add_signature(signature)?;
            }
        }
        for sig in sigs {
            let Some(parent) = sig.parents.first() else { continue };
            if sig.parents.len() > 1 {
                return Err(Error::new(
                    sig.parents[1].span,
                    "a subset of several signatures is not supported",
                )
                .help("make them extensions of one signature and declare the subset `in` that signature"));
            }
            let parent_id = self.signature_named(&parent.text, parent.span)?;
            for name in &sig.names {
                let id = self.signature_named(&name.text, name.span)?;
                if self.is_within(parent_id, id) {
                    return Err(Error::new(name.span, format!("{} is its own ancestor", name.text)));
                }
                self.sigs[id.0 as usize].parent = Some(parent_id);
            }
            if sig.part {
                // The parts together cover the parent.
                self.sigs[parent_id.0 as usize].is_abstract = true;
            }
        }
        Ok(())
    }

    fn declare_field(&mut self, owner: SigId, decl: &Decl) -> Result<()> {
        let scope = self.of_this(owner, decl.bound.span).1;
        let (_, ty, _) = Resolver { model: self, earlier: false }.rel(&decl.bound, &scope)?;
        let columns = Type::of(owner).product(&ty);
        let mult = decl.mult.unwrap_or(if ty.arity == 1 { Mult::One } else { Mult::Set });
        for name in &decl.names {
            if self.fields.iter().any(|it| it.name == name.text && self.common(it.owner, owner).is_some()) {
                let sig = &self.signature(owner).name;
                return Err(Error::new(name.span, format!("{sig} has two fields named {}", name.text)));
            }
            let function = (ty.arity == 1 && matches!(mult, Mult::One | Mult::Lone)).then_some(mult);
            let id = FieldId(self.fields.len() as u32);
            self.fields.push(Field { name: name.text.clone(), owner, columns: columns.clone(), function });
            let body = {
                let (this, scope) = self.of_this(owner, name.span);
                let field = self.nodes.rel(RelKind::Field(id, FieldState::Now), name.span);
                let value = self.nodes.rel(RelKind::Join(self.var(this, name.span), field), name.span);
                let resolver = Resolver { model: self, earlier: false };
                let inside = resolver.within(&value, Some(mult), &decl.bound, &scope)?;
                self.for_all(this, owner, inside, name.span)
            };
            self.facts.push(Fact { formula: body });
            if decl.disjoint {
                let formula = self.unshared(owner, id, name.span);
                self.facts.push(Fact { formula });
            }
        }
        Ok(())
    }

    /// Declares the multiplicity of a field from a class file.
    pub(crate) fn declare_function(&mut self, id: FieldId, mult: Mult) {
        let owner = self.field(id).owner;
        let span = self.signature(owner).span;
        let this = self.nodes.variable();
        let field = self.nodes.rel(RelKind::Field(id, FieldState::Now), span);
        let value = self.nodes.rel(RelKind::Join(self.var(this, span), field), span);
        let mut parts = vec![self.nodes.formula(FormulaKind::Count(mult, value.clone()), span)];
        let values = self.field(id).columns.column(1);
        let set = values
            .into_iter()
            .map(|it| self.nodes.rel(RelKind::Sig(it, FieldState::Now), span))
            .reduce(|a, b| self.nodes.rel(RelKind::Union(a, b), span));
        if let Some(set) = set {
            parts.push(self.nodes.formula(FormulaKind::In(value, set), span));
        }
        let body = self.nodes.formula(FormulaKind::And(parts), span);
        let formula = self.for_all(this, owner, body, span);
        self.facts.push(Fact { formula });
    }

    fn var(&self, var: crate::logic::Var, span: Span) -> Rel {
        self.nodes.rel(RelKind::Var(var), span)
    }

    /// A variable for `this`, and a scope that contains it.
    fn of_this(&self, owner: SigId, span: Span) -> (crate::logic::Var, Scope) {
        let var = self.nodes.variable();
        let value = Value::Rel(self.var(var, span), Type::of(owner), Size::One);
        (var, Scope::default().with("this", value))
    }

    fn for_all(&self, var: crate::logic::Var, owner: SigId, body: Formula, span: Span) -> Formula {
        let set = self.nodes.rel(RelKind::Sig(owner, FieldState::Now), span);
        self.nodes.formula(
            FormulaKind::All(vec![Bound { var, name: "".into(), set, distinct: Vec::new() }], body),
            span,
        )
    }

    /// No two atoms share a value of the field.
    fn unshared(&self, owner: SigId, id: FieldId, span: Span) -> Formula {
        let (a, b) = (self.nodes.variable(), self.nodes.variable());
        let set = self.nodes.rel(RelKind::Sig(owner, FieldState::Now), span);
        let value = |var| {
            let field = self.nodes.rel(RelKind::Field(id, FieldState::Now), span);
            self.nodes.rel(RelKind::Join(self.var(var, span), field), span)
        };
        let shared = self.nodes.rel(RelKind::Intersection(value(a), value(b)), span);
        let body = self.nodes.formula(FormulaKind::Count(Mult::No, shared), span);
        let first = Bound { var: a, name: "".into(), set: set.clone(), distinct: Vec::new() };
        let second = Bound { var: b, name: "".into(), set, distinct: vec![a] };
        self.nodes.formula(FormulaKind::All(vec![first, second], body), span)
    }

    fn signature_facts(&mut self, sig: &Sig) -> Result<()> {
        let Some(body) = &sig.facts else { return Ok(()) };
        for name in &sig.names {
            let owner = self.signature_named(&name.text, name.span)?;
            let formula = {
                let (this, scope) = self.of_this(owner, name.span);
                let body = Resolver { model: self, earlier: false }.formula(body, &scope)?;
                self.for_all(this, owner, body, name.span)
            };
            self.facts.push(Fact { formula });
        }
        Ok(())
    }
}

impl Resolver<'_> {
    /// `value in bound`, with the multiplicities of `bound`.
    fn within(&self, value: &Rel, mult: Option<Mult>, bound: &Expr, scope: &Scope) -> Result<Formula> {
        let nodes = &self.model.nodes;
        let span = bound.span;
        let (set, ..) = self.rel(bound, scope)?;
        let mut parts = vec![nodes.formula(FormulaKind::In(value.clone(), set), span)];
        if let Some(mult) = mult.filter(|it| *it != Mult::Set) {
            parts.push(nodes.formula(FormulaKind::Count(mult, value.clone()), span));
        }
        if let ExprKind::Binary(Binary::Product(left_mult, right_mult), left, right) = &bound.kind {
            let (left_rel, left_type, _) = self.rel(left, scope)?;
            let (right_rel, right_type, _) = self.rel(right, scope)?;
            let marked = |it: &Option<Mult>| it.filter(|mult| *mult != Mult::Set);
            let nested = matches!(right.kind, ExprKind::Binary(Binary::Product(..), ..));
            if left_type.arity == 1 && (marked(right_mult).is_some() || nested) {
                let var = nodes.variable();
                let atom = nodes.rel(RelKind::Var(var), span);
                let image = nodes.rel(RelKind::Join(atom, value.clone()), span);
                let body = self.within(&image, marked(right_mult), right, scope)?;
                let bound = Bound { var, name: "".into(), set: left_rel, distinct: Vec::new() };
                parts.push(nodes.formula(FormulaKind::All(vec![bound], body), span));
            } else if marked(right_mult).is_some() {
                return Err(Error::new(
                    span,
                    "a multiplicity after a relation of several columns is not supported",
                )
                .help("write it as a fact"));
            }
            if let Some(mult) = marked(left_mult) {
                if right_type.arity != 1 {
                    return Err(Error::new(span, "a multiplicity before several columns is not supported")
                        .help("write it as a fact"));
                }
                let var = nodes.variable();
                let atom = nodes.rel(RelKind::Var(var), span);
                let origin = nodes.rel(RelKind::Join(value.clone(), atom), span);
                let body = nodes.formula(FormulaKind::Count(mult, origin), span);
                let bound = Bound { var, name: "".into(), set: right_rel, distinct: Vec::new() };
                parts.push(nodes.formula(FormulaKind::All(vec![bound], body), span));
            }
        }
        Ok(nodes.formula(FormulaKind::And(parts), span))
    }
}
