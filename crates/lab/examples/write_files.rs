//! Runs two experiments in series and writes their reports (HTML, CSV, SVG) into a folder:
//! `cargo run --release -p everymove-lab --example write_files -- reports tours-symmetric tours-count`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use everymove_kernel::run::Run;
use everymove_lab::report::Setting;
use everymove_lab::{Options, Size, find, run_series};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("expected a folder and experiments")?);
    let chosen = words
        .map(|name| find(&name))
        .collect::<Result<Vec<_>, _>>()?;
    let setting = Setting::here(
        env!("CARGO_PKG_VERSION"),
        "unknown",
        "an example".to_owned(),
    );
    fs::create_dir_all(&folder)?;
    let options = Options::new(Size::Quick).up_to_threads(1);
    run_series(&chosen, &options, &Run::serial(), |report| {
        for file in report.files(&setting)? {
            let path = folder.join(file.name);
            fs::write(&path, file.text)?;
            println!("wrote {}", path.display());
        }
        Ok::<(), Box<dyn Error>>(())
    })
}
