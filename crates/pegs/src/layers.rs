//! Sets of canonical positions as ranked bitmaps, one layer for each number of pegs.
//!
//! # How a position becomes a bit
//! The holes of a board are split into a *head* and a *tail*, each a union of orbits of the
//! symmetry group in use. The head of a position is taken up to symmetry; what its symmetries do to
//! the tail is a table. A layer fixes the number of pegs and the class, so a head leaves a tail
//! only a known number of pegs and a known class: these tails are a *group*, numbered by *rank*. A
//! bitmap holds for each canonical head one bit for each rank of its group, rounded up to whole
//! words.
//!
//! This stores C(n, k) / 2^d / |G| bits for k pegs on n holes with d invariants and a symmetry
//! group G, about 1.1 MiB for the largest layer of the English board, and merges no two positions:
//! a bit stands for exactly one position up to symmetry.
//!
//! # Why it is fast
//! For one head, what a jump does to the head is the same for all tails: the head it leads to, the
//! symmetry that makes that head canonical and the place of its group are looked up once
//! ([`successors`]). For each position there remain a table of jumps that its tail forbids, and for
//! each jump one look-up of a rank and one bit of a group that fits the first-level cache.
//!
//! # Why this is not in the kernel
//! The layers of tours (`everymove-tours`) are lists of states with counts, found by sorting or
//! hashing; their states have no rank, no head and no group. What both need, threads under a budget
//! and files, is in the kernel.
//!
//! In reading order: [`split`] (heads, tails, ranks), [`layout`] (where groups lie; bitmaps),
//! [`successors`] (jumps by head), [`next_layer`] (all successors of a layer), [`filter`]
//! (positions with a successor in a set), [`values`] (values of positions from those of their
//! successors), [`slices`] (jobs).

pub(crate) mod filter;
pub(crate) mod layout;
pub(crate) mod next_layer;
pub(crate) mod slices;
pub(crate) mod split;
pub(crate) mod successors;
pub(crate) mod values;

pub(crate) use layout::{ClassLayers, Layer};
pub(crate) use split::Split;
pub(crate) use successors::Steps;
