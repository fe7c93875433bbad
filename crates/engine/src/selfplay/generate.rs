//! Plays games and appends them to the file of their seed.

use std::sync::Arc;

use everymove_kernel::files::Storage;
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Work};

use super::Plan;
use super::file::{Block, GameFile, Header};
use super::play::{PlayedGame, play};
use crate::engine::{Engine, Options};
use crate::error::{DataError, HashError};
use crate::eval::{Evaluation, Network};
use crate::search::strategies::Strategy;

/// Games of a block: what a crash costs at most.
const GAMES: u32 = 32;
/// Bytes of a player's hash table.
const HASH_BYTES: u64 = 1 << 20;
/// Memory of a player beside its hash table: histories, pawn cache, stack.
const PLAYER_BYTES: u64 = 4 << 20;

/// What a run added.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Games in the file.
    pub games: u64,
    /// Quiet positions in the file.
    pub samples: u64,
    /// Games of this run.
    pub new_games: u64,
    /// Quiet positions of this run.
    pub new_samples: u64,
    /// Nodes of this run.
    pub work: Work,
}

/// Plays until the file of the seed holds the quiet positions of the plan; a run that is stopped
/// keeps the games that are whole.
///
/// The folder must be locked for this process ([`everymove_kernel::files::Disk::exclusive`]).
///
/// # Errors
/// [`DataError`] if the run is stopped, over its budget, or a file cannot be used.
pub fn generate(storage: &dyn Storage, plan: &Plan, run: &Run) -> Result<Generated, DataError> {
    let header = Header {
        seed: plan.seed,
        nodes: plan.nodes,
        network: plan
            .network
            .as_ref()
            .map_or(0, |network| network.checksum()),
    };
    let mut file = GameFile::open(storage, header)?;
    let before = (file.games(), file.samples());
    let missing = plan.positions.saturating_sub(before.1);
    run.progress.start("playing games", missing);
    let players = run.threads.get() as u64 * (HASH_BYTES + PLAYER_BYTES);
    let _players = run.ram.reserve("the players", players)?;
    let mut block = Block::default();
    let mut nodes = 0;
    let start = || player(plan.network.as_ref()).map_err(Some);
    let work = |engine: &mut Result<Engine, Option<HashError>>, number| {
        let engine = match engine {
            Ok(engine) => engine,
            // Reported once: it ends the work.
            Err(refused) => return Err(refused.take().map_or(DataError::Enough, DataError::from)),
        };
        let game = play(plan, number, engine, &run.stop)?;
        run.progress.worked(game.nodes);
        Ok(game)
    };
    let append = |game: PlayedGame| {
        let mut samples = Vec::new();
        let legal = game.record.samples(&mut samples);
        debug_assert_eq!(legal, Ok(()));
        block.push(&game.record, samples.len());
        nodes += game.nodes;
        run.progress.advance(samples.len() as u64);
        let enough = file.samples() + u64::from(block.samples) >= plan.positions;
        if enough || block.games >= GAMES {
            file.append(&std::mem::take(&mut block))?;
        }
        if enough {
            Err(DataError::Enough)
        } else {
            Ok(())
        }
    };
    let ended = if missing == 0 {
        Ok(())
    } else {
        let window = 16 * run.threads.get();
        parallel::try_in_order(run, before.0.., window, start, work, append)
    };
    file.append(&block)?;
    match ended {
        Ok(()) | Err(DataError::Enough) => Ok(Generated {
            games: file.games(),
            samples: file.samples(),
            new_games: file.games() - before.0,
            new_samples: file.samples() - before.1,
            work: Work::of("nodes", nodes),
        }),
        Err(error) => Err(error),
    }
}

fn player(network: Option<&Arc<Network>>) -> Result<Engine, HashError> {
    let evaluation = match network {
        None => Evaluation::Classical,
        Some(_) => Evaluation::Network,
    };
    let mut engine = Engine::new(Options {
        hash: HASH_BYTES,
        strategy: Strategy::Sequential,
        evaluation,
        ..Options::default()
    })?;
    engine.set_network(network.cloned());
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::Memory;

    use super::*;
    use crate::selfplay::{FoundBlock, GameRecord, GameResult, Statistics, read_folder};

    fn games(storage: &Memory) -> Vec<GameRecord> {
        let blocks = read_folder(storage).unwrap();
        let games = |block: Result<FoundBlock, _>| block.unwrap().games().unwrap();
        blocks.flat_map(games).collect()
    }

    /// The games do not depend on threads and interruptions, and the statistics count them.
    #[test]
    fn games_repeat_and_are_counted() {
        let plan = Plan {
            positions: 600,
            nodes: 60,
            seed: 3,
            network: None,
        };
        let one = Memory::default();
        let made = generate(&one, &plan, &Run::serial()).unwrap();
        let two = Memory::default();
        let first = Plan {
            positions: 200,
            ..plan.clone()
        };
        let threads = Run::serial().with_threads(2);
        let begun = generate(&two, &first, &threads).unwrap();
        let resumed = generate(&two, &plan, &threads).unwrap();
        assert_eq!(games(&one), games(&two));
        assert_eq!(begun.games + resumed.new_games, made.games);
        assert_eq!(
            (resumed.samples, made.samples),
            (made.samples, made.new_samples)
        );
        let counted = Statistics::count(read_folder(&one).unwrap(), &threads).unwrap();
        let kept = games(&one);
        let drawn = kept.iter().filter(|g| g.result == GameResult::Draw).count();
        assert_eq!((counted.files, counted.games), (1, kept.len() as u64));
        assert_eq!(counted.results[1], drawn as u64);
        assert_eq!((counted.samples, made.games), (made.samples, counted.games));
        assert_eq!(counted.by_pieces.iter().sum::<u64>(), counted.samples);
        assert!(counted.samples >= 600 && counted.positions > counted.samples);
        let stays = generate(&one, &plan, &Run::serial()).unwrap();
        assert_eq!((stays.new_games, stays.games), (0, made.games));
    }

    /// A raised stop flag ends the games, and what was whole is kept.
    #[test]
    fn a_stopped_run_keeps_its_games() {
        let plan = Plan {
            positions: u64::MAX,
            nodes: 30,
            seed: 1,
            network: None,
        };
        let storage = Memory::default();
        let run = Run::serial().with_threads(2);
        std::thread::scope(|scope| {
            let playing = scope.spawn(|| generate(&storage, &plan, &run));
            while run.progress.snapshot().done == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            run.stop.raise();
            assert!(matches!(
                playing.join().unwrap(),
                Err(DataError::Stopped(_))
            ));
        });
        assert!(!games(&storage).is_empty());
    }
}
