//! Degree vectors: how many edges each slot of a frontier has, sets of them, and which of them can
//! occur.

pub(crate) mod degrees;
pub(crate) mod images;
pub(crate) mod index;
pub(crate) mod live;
pub(crate) mod marks;
