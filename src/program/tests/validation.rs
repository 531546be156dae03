//! What readers of a program may rely on, because `validate` refuses everything else.

use heddle_program::{
    Place, ProgramBuilder, Scalar, Sort, Start, StateFormula, Statement, ThreadId, Update, VarId,
};

struct Example {
    builder: ProgramBuilder,
    p: ThreadId,
    q: ThreadId,
    x: VarId,
    y: VarId,
    local: VarId,
    array: VarId,
}

fn example() -> Example {
    let mut builder = ProgramBuilder::default();
    let x = builder.shared("x", Sort::Int).id();
    let y = builder.shared("y", Sort::Int).id();
    let array = builder
        .shared("a", Sort::array(Scalar::Int, Scalar::Int, 2))
        .id();
    let p = builder.thread("p", Start::AtBeginning);
    let q = builder.thread("q", Start::ByCreate);
    let local = builder.local(p, "l", Sort::Int).id();
    Example {
        builder,
        p,
        q,
        x,
        y,
        local,
        array,
    }
}

fn messages(builder: ProgramBuilder) -> Vec<String> {
    let diagnostics = builder.finish().validate();
    diagnostics.into_iter().map(|d| d.message).collect()
}

#[test]
fn one_step_makes_one_access_to_shared_memory() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let y = e.builder.read(e.y);
    let middle = e.builder.step(entry, Statement::assign(e.local, y));
    assert!(e.builder.program().validate().is_empty());
    e.builder.step(middle, Statement::assign(e.x, y));
    assert_eq!(
        messages(e.builder),
        ["one step makes 2 accesses to shared memory"]
    );
}

#[test]
fn two_elements_of_one_array_are_two_accesses() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let a = e.builder.read(e.array);
    let (zero, one) = (e.builder.terms().int(0), e.builder.terms().int(1));
    let first = e.builder.terms().select(a, zero);
    let second = e.builder.terms().select(a, one);
    let sum = e.builder.terms().add(first, second);
    e.builder.step(entry, Statement::assign(e.local, sum));
    assert_eq!(
        messages(e.builder),
        ["one step makes 2 accesses to shared memory"]
    );
}

#[test]
fn guarded_steps_and_atomic_sections_may_access_more() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let (x, y) = (e.builder.read(e.x), e.builder.read(e.y));
    let guard = e.builder.terms().lt(x, y);
    let swap = vec![
        (Place::from(e.x), Update::Value(y)),
        (Place::from(e.y), Update::Value(x)),
    ];
    let next = e.builder.step(entry, Statement::command(guard, swap));
    let next = e.builder.step(next, Statement::AtomicBegin);
    let next = e.builder.step(next, Statement::assign(e.x, y));
    e.builder.step(next, Statement::AtomicEnd);
    assert_eq!(messages(e.builder), [""; 0]);
}

#[test]
fn a_thread_does_not_touch_the_locals_of_another() {
    let mut e = example();
    let entry = e.builder.entry(e.q);
    let local = e.builder.read(e.local);
    e.builder.step(entry, Statement::assign(e.x, local));
    assert_eq!(
        messages(e.builder),
        ["thread `q` uses `p.l`, which is local to another thread"]
    );
}

#[test]
fn ill_sorted_statements_are_refused() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let truth = e.builder.terms().bool(true);
    let zero = e.builder.terms().int(0);
    let next = e.builder.step(entry, Statement::assign(e.x, truth));
    let next = e.builder.step(next, Statement::Assume(zero));
    e.builder
        .step(next, Statement::havoc(Place::Element(e.x, zero)));
    assert_eq!(
        messages(e.builder),
        [
            "a term of sort Bool is used where Int is expected",
            "a term of sort Int is used where Bool is expected",
            "`x` is indexed but is not an array",
        ]
    );
}

#[test]
fn one_step_writes_a_variable_once() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let truth = e.builder.terms().bool(true);
    let zero = e.builder.terms().int(0);
    let twice = vec![
        (Place::from(e.x), Update::Value(zero)),
        (Place::from(e.x), Update::Any),
    ];
    e.builder.step(entry, Statement::command(truth, twice));
    assert_eq!(messages(e.builder), ["one step writes `x` twice"]);
}

#[test]
fn atomic_sections_do_not_depend_on_the_path() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let inside = e.builder.step(entry, Statement::AtomicBegin);
    e.builder.edge(entry, Statement::Skip, inside);
    let found = messages(e.builder);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("depends on the path"));
}

#[test]
fn atomic_sections_do_not_nest() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    let inside = e.builder.step(entry, Statement::AtomicBegin);
    e.builder.step(inside, Statement::AtomicBegin);
    assert_eq!(
        messages(e.builder),
        ["an atomic section begins inside another"]
    );
}

#[test]
fn only_threads_that_wait_for_it_are_created() {
    let mut e = example();
    let entry = e.builder.entry(e.q);
    e.builder.step(entry, Statement::Create(e.p));
    assert_eq!(
        messages(e.builder),
        ["thread `p` is created, though it runs from the beginning"]
    );
}

#[test]
fn the_error_condition_names_locations_of_their_own_threads() {
    let mut e = example();
    let entry = e.builder.entry(e.q);
    let p = e.p;
    e.builder.error(StateFormula::At(p, entry));
    assert_eq!(
        messages(e.builder),
        ["the error condition names a location of another thread"]
    );
}

#[test]
fn names_are_made_unique_for_text() {
    let mut e = example();
    let again = e.builder.shared("x", Sort::Bool).id();
    let program = e.builder.finish();
    assert_eq!(program.terms.name(again), "x!2");
    assert_eq!(program.variable(again).name, "x");
    assert_eq!(program.terms.name(e.local), "p.l");
}

#[test]
fn a_program_prints_readably() {
    let mut e = example();
    let entry = e.builder.entry(e.p);
    e.builder.label(entry, "start");
    let y = e.builder.read(e.y);
    let next = e.builder.step(entry, Statement::assign(e.local, y));
    let next = e.builder.step(next, Statement::Create(e.q));
    e.builder.label(next, "end");
    let text = e.builder.finish().to_string();
    assert_eq!(
        text,
        "shared x: Int\n\
         shared y: Int\n\
         shared a: (Array Int Int) of length 2\n\
         thread p\n  \
           local p.l: Int\n  \
           entry start\n  \
           start -> L2: p.l := y\n  \
           L2 -> end: create q\n\
         thread q (created)\n  \
           entry L1\n"
    );
}
