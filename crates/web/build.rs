//! Embedded files that are added or removed make the crate compile again.

fn main() {
    println!("cargo::rerun-if-changed=assets");
}
