//! Constructors of random classes.

use super::{File, Returns};

impl File<'_> {
    /// One constructor, or two, of which the second may call the first.
    pub(super) fn constructors(&mut self, name: &str) {
        let first = usize::from(self.random.percent(40));
        let mut makers = vec![first];
        if self.random.percent(40) {
            makers.push(first + 1);
        }
        for (at, parameters) in makers.iter().copied().enumerate() {
            (self.is_static, self.made_locals, self.callable) = (false, 0, self.methods.len());
            self.returns = Some(Returns::Nothing);
            self.locals = (0..parameters).map(|at| format!("p{at}")).collect();
            let list: Vec<String> = self.locals.iter().map(|local| format!("int {local}")).collect();
            self.put_same(&format!("public {name}({}) {{", list.join(", ")));
            if at == 1 && self.random.percent(50) {
                self.put_same(&format!("this({});", vec!["p0"; first].join(", ")));
            }
            if self.random.percent(60) {
                self.block(1);
            }
            self.put_same("}");
        }
        self.makers = makers;
    }
}
