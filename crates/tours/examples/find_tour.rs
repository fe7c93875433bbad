//! Finds a closed tour of the 8x8 board, verifies it and prints it as a grid of step numbers.

use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::check;
use everymove_tours::construct::{self, Options};
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let question = Question::new(Board::knight(8, 8)?, Kind::Closed);
    let found = construct::find(&question, Options::default(), &Run::serial())?;
    assert!(check::verify(&found.tour, 1)?.closed);
    let mut writer = Writer::new(std::io::stdout(), Format::Grid);
    writer.write(&found.tour)?;
    writer.finish()?;
    Ok(())
}
