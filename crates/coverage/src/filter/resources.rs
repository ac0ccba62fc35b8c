//! Code that `javac` generates to close the resources of a `try`, for Java 11 and later and in older forms.

use super::FilterResult;
use super::cursor::Cursor;
use crate::body::CoveredBody;
use cupping_classfile::Opcode;

pub(super) fn filter(body: &CoveredBody<'_>, filtered: &mut FilterResult) {
    for guard in body.guards.iter().filter(|guard| guard.catch_type.as_deref() == Some("java/lang/Throwable"))
    {
        for null_check in [true, false] {
            ignore_match(body, filtered, guard.handler, Form::Java11 { null_check });
        }
    }
    for guard in body.guards.iter().filter(|guard| guard.catch_type.as_deref() == Some("java/lang/Throwable"))
    {
        let _ = OLDER.iter().any(|form| ignore_match(body, filtered, guard.handler, *form));
    }
}

/// A form in which resources are closed.
#[derive(Clone, Copy)]
enum Form {
    /// `javac` 11 and later.
    Java11 { null_check: bool },
    /// `javac` 7 to 10; `helper` where a method `$closeResource` does it.
    Older { null_check: bool, helper: bool },
}

const OLDER: [Form; 4] = [
    Form::Older { null_check: false, helper: true },
    Form::Older { null_check: true, helper: false },
    Form::Older { null_check: false, helper: false },
    Form::Older { null_check: true, helper: true },
];

/// Ignores the handler, and the closing on the normal path, which precedes it.
fn ignore_match(body: &CoveredBody<'_>, filtered: &mut FilterResult, handler: usize, form: Form) -> bool {
    let mut matcher = Matcher { cursor: Cursor::new(body, handler), form, owner: None };
    if matcher.handler().is_none() {
        return false;
    }
    let handler_end = matcher.cursor.at;
    for start in (0..=handler).rev() {
        matcher.cursor.at = start;
        if matcher.close("normal").is_some() {
            let mut end = matcher.cursor.at;
            if body.nodes.get(end).is_some_and(|node| node.opcode == Opcode::Goto) {
                end += 1;
            }
            filtered.ignore(start, end);
            filtered.ignore(handler, handler_end);
            return true;
        }
    }
    false
}

struct Matcher<'a> {
    cursor: Cursor<'a>,
    form: Form,
    /// The class on which `close` is called, the same for all calls.
    owner: Option<String>,
}

impl Matcher<'_> {
    fn handler(&mut self) -> Option<()> {
        match self.form {
            Form::Java11 { .. } => {
                self.cursor.variable(Opcode::Astore, "primary")?;
                self.close("exceptional")?;
                self.cursor.op(Opcode::Goto)?;
                self.add_suppressed("suppressed")?;
                self.cursor.variable(Opcode::Aload, "primary")?;
            }
            Form::Older { .. } => {
                self.cursor.variable(Opcode::Astore, "thrown")?;
                self.cursor.variable(Opcode::Aload, "thrown")?;
                self.cursor.variable(Opcode::Astore, "primary")?;
                self.cursor.variable(Opcode::Aload, "thrown")?;
                self.cursor.op(Opcode::Athrow)?;
                self.cursor.variable(Opcode::Astore, "any")?;
                self.close("exceptional")?;
                self.cursor.variable(Opcode::Aload, "any")?;
            }
        }
        self.cursor.op(Opcode::Athrow).map(|_| ())
    }

    /// Closing the resource; `way` distinguishes the variables of the two places where that happens.
    fn close(&mut self, way: &str) -> Option<()> {
        let (Form::Java11 { null_check } | Form::Older { null_check, .. }) = self.form;
        if null_check {
            self.cursor.variable(Opcode::Aload, "resource")?;
            self.cursor.op(Opcode::Ifnull)?;
        }
        match self.form {
            Form::Java11 { .. } => self.call_close(),
            Form::Older { helper: true, .. } => self.call_helper(),
            Form::Older { helper: false, .. } => {
                self.cursor.variable(Opcode::Aload, "primary")?;
                self.cursor.op(Opcode::Ifnull)?;
                self.call_close()?;
                self.cursor.op(Opcode::Goto)?;
                self.add_suppressed(if way == "normal" { "normal" } else { "exceptional" })?;
                self.cursor.op(Opcode::Goto)?;
                self.call_close()
            }
        }
    }

    fn call_close(&mut self) -> Option<()> {
        self.cursor.variable(Opcode::Aload, "resource")?;
        let node = self.cursor.any()?;
        if !matches!(node.opcode, Opcode::Invokeinterface | Opcode::Invokevirtual) {
            return None;
        }
        let (owner, name, descriptor) = self.cursor.method(node)?;
        if (name.as_str(), descriptor.as_str()) != ("close", "()V") {
            return None;
        }
        (*self.owner.get_or_insert_with(|| owner.clone()) == owner).then_some(())
    }

    fn call_helper(&mut self) -> Option<()> {
        self.cursor.variable(Opcode::Aload, "primary")?;
        self.cursor.variable(Opcode::Aload, "resource")?;
        let node = self.cursor.op(Opcode::Invokestatic)?;
        let (_, name, descriptor) = self.cursor.method(node)?;
        let is_helper =
            name == "$closeResource" && descriptor == "(Ljava/lang/Throwable;Ljava/lang/AutoCloseable;)V";
        is_helper.then_some(())
    }

    fn add_suppressed(&mut self, thrown: &'static str) -> Option<()> {
        self.cursor.variable(Opcode::Astore, thrown)?;
        self.cursor.variable(Opcode::Aload, "primary")?;
        self.cursor.variable(Opcode::Aload, thrown)?;
        let descriptor = "(Ljava/lang/Throwable;)V";
        self.cursor.invoke(Opcode::Invokevirtual, "java/lang/Throwable", "addSuppressed", descriptor)?;
        Some(())
    }
}
