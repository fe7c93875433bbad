//! The tests of the crate as its users see it, one module a subject; sessions by UCI, some of which
//! have time limits, are a program of their own.

mod colours;
mod dtm_tables;
mod mates;
mod network;
mod perft;
mod session;
mod signature;
mod simulation;
mod syzygy;
mod uci_commands;
