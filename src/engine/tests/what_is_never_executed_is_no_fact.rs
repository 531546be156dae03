//! A step that constants rule out in a round of its loop is no step of the round, also where
//! lemmas are looked for among all candidate links.

use heddle_engine::schedule::{Options, check};
use heddle_program::Verdict;

/// The two loops become one, with a way back for each: in every round one of them is closed.
const NESTED: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void reach_error(void);
    unsigned char x, z[2];
    void *writer(void *arg) {
        unsigned char t = 0;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                x = 1;
                t = z[x & 1];
            }
        return 0;
    }
    int main(void) {
        pthread_t one;
        pthread_create(&one, 0, writer, 0);
        pthread_join(one, 0);
        if (x == 1) reach_error();
        return 0;
    }";

#[test]
fn the_other_loops_way_back_overwrites_nothing() {
    let (program, _) = heddle_front::c::translate("nested.i", NESTED, &Default::default()).unwrap();
    for lemma_size in 0..=2 {
        let options = Options {
            unwind: Some(4),
            lemma_size,
            ..Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap())
        };
        let outcome = check(&program, &options, &mut ()).unwrap();
        assert_eq!(outcome.verdict, Verdict::Unsafe, "lemmas of {lemma_size}");
    }
}
