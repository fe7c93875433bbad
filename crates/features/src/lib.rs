//! No code: the dependencies of this crate switch on features of libraries.
//!
//! Cargo compiles a library once for each set of features in use. A build of one package switches
//! on fewer of them than a build of the whole workspace with its tests, so that `cargo run` after
//! `cargo test --workspace` would compile most libraries, and then all crates of this workspace, a
//! second time. The packages that are built alone (the program, the Python package) depend on this
//! crate: then all builds have the same features and share what is compiled.
