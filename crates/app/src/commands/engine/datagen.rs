//! `engine datagen`: own games as data to train a network from.

use everymove_api::chess::DatagenRequest;

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run(request: &DatagenRequest, session: &Session) -> Result<Outcome, Failure> {
    let advice = "all whole games are kept, the same command resumes";
    let answer = ask(request, session).map_err(|failure| failure.advise_if_stopped(advice))?;
    let results = answer.results;
    let full = format!(
        "{} quiet positions of {} games (white +{} ={} -{}), {} of them new\nmean absolute score {:.0} centipawns; {} bytes in {}\n",
        answer.quiet_positions,
        answer.games,
        results.white,
        results.draws,
        results.black,
        answer.new_quiet_positions,
        answer.mean_score,
        answer.bytes,
        request.out.display()
    );
    let bare = format!("{}\n", answer.quiet_positions);
    show::<DatagenRequest>(&answer, &Text { bare, full }, session)
}
