//! Draws three of the 9862 closed tours of the 6x6 board at random, each with the same probability.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::formats::{Format, Writer};
use everymove_tours::frontier::Sampler;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sampler = Sampler::new(&Board::knight(6, 6)?, Kind::Closed, &Run::serial())?;
    assert_eq!(sampler.total(), 9862);
    let mut rng = SplitMix64::new(2026);
    let mut writer = Writer::new(std::io::stdout(), Format::Squares);
    for _ in 0..3 {
        let tour = sampler.sample(&mut rng).ok_or("there are no tours")?;
        assert_eq!(sampler.unrank(sampler.rank(&tour)?)?, tour);
        writer.write(&tour)?;
    }
    writer.finish()?;
    Ok(())
}
