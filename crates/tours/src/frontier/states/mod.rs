//! States: for a degree vector, the matchings of its endpoints, what an edge does to them, and
//! blocks of their counts.

pub(crate) mod block;
pub(crate) mod edit;
pub(crate) mod maps;
pub(crate) mod matching;
pub(crate) mod segment;
