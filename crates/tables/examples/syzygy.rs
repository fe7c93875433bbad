//! Makes the Syzygy files of endings and of all endings they lead to.
//!
//! ```sh
//! cargo run --release -p everymove-tables --example syzygy -- FOLDER KRvKB KPvKP
//! ```

#![expect(clippy::print_stdout, reason = "an example prints what it made")]

use everymove_kernel::run::Run;
use everymove_tables::{Metric, Plan, Tables, syzygy};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("expected a folder and endings")?;
    let tables = Tables::new(folder, Metric::Zeroing);
    for ending in arguments {
        let plan = Plan::new(ending.parse()?, Metric::Zeroing);
        let built = syzygy::build(&plan, &tables, &Run::serial())?;
        println!("{}", built.files.join(" "));
    }
    Ok(())
}
