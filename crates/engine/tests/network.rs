//! From games to a network that an engine evaluates with, by the public interface and by UCI.

mod session;

use everymove_engine::eval::{Evaluation, Network};
use everymove_engine::{Engine, Options, Position, selfplay, train};
use everymove_kernel::files::{Disk, publish};
use everymove_kernel::run::Run;

fn trained(folder: &Disk) -> Network {
    let games = selfplay::Plan {
        positions: 1500,
        nodes: 20,
        seed: 5,
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
fn a_trained_network_evaluates_and_classical_stays_the_default() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = Disk::exclusive(temporary.path()).unwrap();
    let network = trained(&folder);
    publish(&folder, "net", |draft| network.write(draft)).unwrap();
    let path = temporary.path().join("net");
    let read = Network::open(&path).unwrap();
    assert_eq!(read, network);
    assert!(read.origin().contains("64 hidden units, 1 epochs"));

    let start = Position::default();
    let mut engine = Engine::new(Options::default()).unwrap();
    let classical = engine.evaluate(&start);
    engine.set_network(Some(read.into()));
    assert_eq!(engine.evaluate(&start), classical, "the option decides");
    let options = Options {
        evaluation: Evaluation::Network,
        ..Options::default()
    };
    engine.set_options(options).unwrap();
    assert_ne!(engine.evaluate(&start), classical);
    engine.set_options(Options::default()).unwrap();
    assert_eq!(engine.evaluate(&start), classical);

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
        "info string no network is loaded: set EvalFile",
        "info string network of 64 hidden units",
        "expected classical or network, not 'nonsense'",
    ] {
        assert!(answers.contains(line), "{line}: {answers}");
    }
    assert!(answers.contains("net.none: no such file"), "{answers}");
    let moves = answers.lines().filter(|l| l.starts_with("bestmove "));
    assert_eq!(moves.count(), 2, "{answers}");
}
