//! Searches in virtual time: the same every time, and with one processor those in real time.

use everymove_engine::{
    Engine, Game, Limits, Options, Position, Signals, Simulation, Strategy, bench,
};
use shakmaty::CastlingMode;

fn engine(strategy: Strategy, threads: usize) -> Engine {
    Engine::new(Options {
        strategy,
        threads,
        hash: 1 << 20,
        ..Options::default()
    })
    .unwrap()
}

fn simulate(
    strategy: Strategy,
    threads: usize,
    depth: u32,
) -> (Option<shakmaty::Move>, Simulation) {
    let game = Game::from(bench::positions().nth(1).unwrap());
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut engine = engine(strategy, threads);
    let (result, simulation) = engine.simulate(&game, &limits, &Signals::new()).unwrap();
    (result.best, simulation)
}

#[test]
fn one_processor_searches_what_one_thread_does() {
    let game = Game::from(bench::positions().nth(1).unwrap());
    let limits = Limits {
        depth: Some(8),
        ..Limits::default()
    };
    for strategy in Strategy::ALL {
        let real = engine(strategy, 1).search(&game, &limits, &Signals::new(), &mut |_| {});
        let (best, simulation) = simulate(strategy, 1, 8);
        assert_eq!(best, real.best, "{strategy}");
        assert_eq!(simulation.nodes, [real.report.nodes], "{strategy}");
        assert_eq!(simulation.elapsed, real.report.nodes, "{strategy}");
    }
}

#[test]
fn more_processors_search_the_same_nodes_every_time() {
    for strategy in Strategy::ALL {
        let simulations = [(); 2].map(|()| simulate(strategy, 9, 9));
        assert_eq!(simulations[0], simulations[1], "{strategy}");
        let (best, simulation) = &simulations[0];
        assert!(best.is_some(), "{strategy}");
        let processors = if strategy == Strategy::Sequential {
            1
        } else {
            9
        };
        assert_eq!(simulation.nodes.len(), processors, "{strategy}");
        assert!(simulation.idle_share() < 1.0, "{strategy}");
    }
}

/// Whichever thread reaches the limit first, the result has its depth.
#[test]
fn a_limit_on_depth_is_reached_by_any_number_of_threads() {
    let fen = "8/8/8/8/8/2k5/7Q/K7 w - - 0 1";
    let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
    let game = Game::from(position);
    let limits = Limits {
        depth: Some(5),
        ..Limits::default()
    };
    for _ in 0..50 {
        let mut engine = Engine::new(Options {
            threads: 4,
            hash: 1 << 20,
            multi_pv: 3,
            ..Options::default()
        })
        .unwrap();
        let found = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
        assert_eq!(found.report.depth, 5);
    }
}
