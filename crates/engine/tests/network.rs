//! From games to a network that an engine evaluates with, by the public interface and by UCI.

use crate::session;
use everymove_engine::eval::{Classical, Evaluate, Evaluation, Network};
use everymove_engine::{Engine, Options, Position, selfplay, train};
use everymove_kernel::files::{Disk, publish};
use everymove_kernel::run::Run;

fn trained(folder: &Disk) -> Network {
    let games = selfplay::Plan {
        positions: 3000,
        nodes: 20,
        seed: 5,
        ..selfplay::Plan::default()
    };
    selfplay::generate(folder, &games, &Run::serial()).unwrap();
    let plan = train::Plan {
        epochs: 1,
        ..train::Plan::default()
    };
    train::run(&plan, folder, None, &Run::serial())
        .unwrap()
        .network
}

#[test]
fn a_trained_network_evaluates_and_can_be_exchanged() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = Disk::exclusive(temporary.path()).unwrap();
    let network = trained(&folder);
    publish(&folder, "net", |draft| network.write(draft)).unwrap();
    let path = temporary.path().join("net");
    let read = Network::open(&path).unwrap();
    assert_eq!(read, network);
    assert!(read.origin().contains("128 hidden units, 1 epochs"));

    let start = Position::default();
    let mut engine = Engine::new(Options::default()).unwrap();
    let shipped = engine.evaluate(&start);
    engine.set_network(Some(read.into()));
    let loaded = engine.evaluate(&start);
    assert_ne!(loaded, shipped);
    let classical = Options {
        evaluation: Evaluation::Classical,
        ..Options::default()
    };
    engine.set_options(classical).unwrap();
    let terms = Classical.evaluate(&start, 0);
    assert_eq!(engine.evaluate(&start), Some(terms), "the option decides");
    engine.set_options(Options::default()).unwrap();
    assert_eq!(engine.evaluate(&start), loaded);
    engine.set_network(None);
    assert_eq!(engine.evaluate(&start), shipped);

    let file = path.display();
    let script = format!(
        "setoption name Evaluation value network\nsetoption name EvalFile value {file}\n\
         position startpos\ngo nodes 500\n{}\nsetoption name EvalFile value {file}.none\n\
         setoption name Evaluation value nonsense\ngo nodes 500\n{}\nquit\n",
        session::WAIT,
        session::WAIT
    );
    let answers = session::run_session(script.as_bytes());
    for line in [
        "info string network of 128 hidden units",
        "expected classical or network, not 'nonsense'",
    ] {
        assert!(answers.contains(line), "{line}: {answers}");
    }
    assert!(answers.contains("net.none: no such file"), "{answers}");
    let moves = answers.lines().filter(|l| l.starts_with("bestmove "));
    assert_eq!(moves.count(), 2, "{answers}");
}
