//! Typed indices. Each one is only meaningful with the [`Program`](crate::Program) or
//! [`Terms`](crate::Terms) that handed it out.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A hash-consed term: equal terms of one arena have equal ids, and the arguments of
    /// a term have smaller ids than the term.
    TermId
}
id! {
    /// A variable that terms mention.
    VarId
}
id! { ThreadId }
id! {
    /// A control location; each belongs to one thread.
    LocationId
}
id! { EdgeId }
