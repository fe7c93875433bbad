//! The stack of the page's work: the deepest search takes more than the linker's default.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        println!("cargo::rustc-cdylib-link-arg=-zstack-size={}", 32 << 20);
    }
}
