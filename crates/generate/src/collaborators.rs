//! Searches the classes that a class under test collaborates with, for the pool.

use crate::clock::Clock;
use crate::foreign_methods::modifiers;
use crate::influence::Influence;
use crate::invokable::{Subject, is_nameable};
use crate::neighbourhood::named_in_parameter;
use crate::options::GenerateOptions;
use crate::pool::{Pool, Recipe, SearchWork};
use crate::search::{MAX_RECIPES, Search};
use crate::session::{PreparedClass, Session, solver_config};
use crate::work::{FUEL_OF_MICROSECOND, work_of_runs};
use cupping_machine::{ClassId, ClassKind, Machine};
use cupping_solve::Solver;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How far the search for collaborators of collaborators goes.
const LEVELS: u32 = 2;
/// Limit on the classes that are searched for a class under test, or for a collaborator.
const MAX_CLASSES: [usize; LEVELS as usize + 1] = [0, 6, 10];
/// Limit on the subclasses that serve for an abstract class.
const MAX_SUBCLASSES: usize = 4;
/// Longest sequence of calls that leads to a state of a collaborator.
const MAX_LENGTH: usize = 16;
/// Shares of the budget of a class: for one collaborator at most, for one of which there are objects, and for all.
const SHARES: [u32; 3] = [12, 400, 5];
/// Share of the time of a class after which the search for collaborators ends, in tenths.
const CLOCK_TENTHS: u32 = 3;
/// The budgets of a collaborator after which no further subclass of it is searched.
const MOST_BUDGETS: u32 = 2;
/// Wall-clock limit for one collaborator.
const MOST: Duration = Duration::from_secs(1);

impl Session {
    /// The pool for a subject, and the work that it took. The machine's state is changed.
    pub(crate) fn pool(
        &mut self,
        subject: &Subject,
        options: &GenerateOptions,
        clock: &Clock,
    ) -> (Pool, Duration) {
        let [most, enough, all] = SHARES.map(|share| options.budget / share);
        let most = most.min(MOST);
        let options = GenerateOptions {
            budget: most,
            enough: Some(enough.min(most)),
            // Many classes use the same recipe, so the clock must not decide on a machine that is a little
            // busy.
            clock: if options.counts_work_only() { options.clock } else { Some(most * 4) },
            max_length: options.max_length.min(MAX_LENGTH),
            methods: Vec::new(),
            criteria: Default::default(),
            corpus: Arc::default(),
            exhaustive: false,
            explain: false,
            explain_sequences: false,
            ..options.clone()
        };
        let (pool, works) = self.pool_at(subject, &options, LEVELS, all, clock);
        (pool, works.into_values().sum())
    }

    fn pool_at(
        &mut self,
        subject: &Subject,
        options: &GenerateOptions,
        level: u32,
        limit: Duration,
        clock: &Clock,
    ) -> (Pool, SearchWork) {
        let (mut pool, mut works) = (Pool::default(), SearchWork::new());
        if level == 0 || options.objects.is_some() {
            return (pool, works);
        }
        let (machine, influence) = self.parts();
        for class in wanted(machine, influence, subject).into_iter().take(MAX_CLASSES[level as usize]) {
            if works.values().sum::<Duration>() > limit || clock.is_past(CLOCK_TENTHS) {
                break;
            }
            let (recipes, more) = self.recipes(class, &subject.package, options, level, clock);
            works.extend(more);
            pool.recipes.insert(class, recipes);
        }
        (pool, works)
    }

    fn recipes(
        &mut self,
        class: ClassId,
        package: &str,
        options: &GenerateOptions,
        level: u32,
        clock: &Clock,
    ) -> (Rc<Vec<Rc<Recipe>>>, SearchWork) {
        let key = (class, package.to_owned(), level, options.budget);
        if let Some(known) = self.known_recipes().get(&key) {
            return known.clone();
        }
        let (own, mut works) = self.search_recipes(class, package, options, level, clock);
        let mut found = Vec::new();
        if self.machine().class(class).is_abstract() {
            for name in subclasses(self.machine(), class, package) {
                // The limit does not depend on what other classes left of the budget: what is known serves all.
                if works.values().sum::<Duration>() > options.budget * MOST_BUDGETS {
                    break;
                }
                let Ok(below) = self.machine().load(&name) else { continue };
                let (recipes, more) = self.recipes(below, package, options, level, clock);
                works.extend(more);
                found.extend(recipes.iter().take(2).cloned());
            }
        }
        found.extend(own);
        found.truncate(MAX_RECIPES);
        let found = (Rc::new(found), works);
        // If the clock cut the search short, it is repeated for the next class.
        if !clock.rang() {
            self.known_recipes().insert(key, found.clone());
        }
        found
    }

    /// Searches a class for a short time.
    fn search_recipes(
        &mut self,
        class: ClassId,
        package: &str,
        options: &GenerateOptions,
        level: u32,
        clock: &Clock,
    ) -> (Vec<Rc<Recipe>>, SearchWork) {
        let key = (class, package.to_owned(), level, options.budget);
        let name = self.machine().class(class).name.to_string();
        let begun = self.machine().spent();
        let prepared = self.prepare_collaborator(&name, options);
        // Initialisers may take longer than the search. The class is prepared twice.
        let preparation = work_of_runs(self.machine().spent() - begun, 1, FUEL_OF_MICROSECOND) * 2;
        let preparation = Duration::from_micros(preparation);
        let none = (Vec::new(), SearchWork::from_iter([(key.clone(), preparation)]));
        let Ok(PreparedClass { mut subject, .. }) = prepared else { return none };
        subject.move_to(self.machine(), package);
        if subject.makers.is_empty() && subject.constants.is_empty() {
            return none;
        }
        let (pool, mut works) = self.pool_at(&subject, options, level - 1, options.budget, clock);
        let Ok(PreparedClass { map, literals, .. }) = self.prepare_collaborator(&name, options) else {
            return none;
        };
        let mut solver = Solver::new(solver_config(options));
        let (machine, influence) = self.parts();
        let taken = std::mem::take(influence);
        let mut search = Search::new(machine, &mut solver, options, &map, &subject, literals, taken);
        search.set_pool(pool, Duration::ZERO);
        search.clock = clock.part(CLOCK_TENTHS, options.clock());
        // Only set-ups can fail, which leaves no states.
        let _ = search.run(&mut |_| true);
        works.insert(key, preparation + search.work());
        if search.clock.rang() {
            clock.ring();
        }
        let found = search.recipes();
        let influence = std::mem::take(&mut search.influence);
        drop(search);
        *self.parts().1 = influence;
        (found, works)
    }
}

/// The classes of which a subject needs objects, most needed first.
fn wanted(machine: &mut Machine, influence: &mut Influence, subject: &Subject) -> Vec<ClassId> {
    let foreign = subject.makers.iter().filter(|it| it.has_receiver());
    let mut named: Vec<ClassId> = foreign.map(|it| it.class).collect();
    for invokable in subject.makers.iter().chain(&subject.under_test) {
        for parameter in &invokable.parameters {
            named_in_parameter(machine, parameter, &mut named);
        }
    }
    let modifiers = modifiers(machine, influence, subject);
    let callers = modifiers.iter().filter(|it| it.is_needed && it.invokable.has_receiver());
    named.extend(callers.map(|it| it.invokable.class));
    let mut found = Vec::new();
    for class in named {
        let known = machine.class(class);
        // Its own search finds other objects of the class.
        let is_own = class == subject.class && !subject.makers.is_empty();
        let is_wanted =
            !is_own && !known.from_jdk && known.kind == ClassKind::Instance && !known.access.is_enum();
        // A lambda expression suffices for these.
        let is_functional = known.access.is_interface() && machine.abstract_methods(class).len() == 1;
        if is_wanted
            && !is_functional
            && !found.contains(&class)
            && is_nameable(machine, class, &subject.package)
        {
            found.push(class);
        }
    }
    found
}

/// The names of the subclasses in the package of a class that tests can name.
fn subclasses(machine: &mut Machine, class: ClassId, package: &str) -> Vec<String> {
    let own = machine.class(class).package().to_owned();
    let mut found = Vec::new();
    for below in [false, true] {
        let names = machine.program().classes_of_package(&own, below).unwrap_or_default();
        for name in names.iter() {
            let Ok(candidate) = machine.load(name) else { continue };
            let is_usable = candidate != class
                && machine.is_subtype(candidate, class)
                && !machine.class(candidate).is_abstract()
                && !machine.class(candidate).access.is_enum()
                && is_nameable(machine, candidate, package);
            if is_usable && found.len() < MAX_SUBCLASSES {
                found.push(name.clone());
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}
