//! Every JSON answer validates against the schema that the program prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{answer, run_in, validate};

/// Commands, and for each the runs whose answers are validated. They are run one after the other in
/// one folder, so that a run can read what an earlier one wrote. `{engine}` stands for an engine
/// for the arena.
const RUNS: &[&str] = &[
    "tours exists 4x10 --closed",
    "tours exists 8x8",
    "tours find 5x6 --start a1 --end b1 --out tour",
    "tours find 3x8 --closed",
    "tours list 3x4",
    "tours complete 5x5 --path a1-b3",
    "tours complete 3x4 --path a1-b3-d2",
    "tours count 5x5 --by-start",
    "tours count 3x1000 --closed --modulus 2147483647",
    "tours count 6x6 --closed --classes",
    "tours count 7x7 --closed",
    "tours count 5x5 --start a1 --method search",
    "tours count --estimate 6x7 --closed",
    "tours count 5x5..5x7 --closed",
    "tours list 3x4 --classes",
    "tours sample 6x6 --closed --seed 7",
    "tours unrank 6x6 --closed 4711 17",
    "tours rank 5x6 tour",
    "tours verify tour",
    "tours draw tour --svg tour.svg",
    "tours symmetric 9x9 --rotation quarter",
    "tours symmetric 6x6 --rotation quarter --list",
    "tours symmetric 6x6 --rotation half",
    "pegs boards",
    "pegs solve triangle5 --shortest",
    "pegs solve european --start d4",
    "pegs count triangle5",
    "pegs count --estimate european",
    "pegs table triangle5",
    "pegs winning triangle5 --out five.win",
    "pegs hint o/.o/.oo/oooo/ooooo",
    "pegs puzzle triangle5 --winning-set five.win",
    "pegs review a3-a1 --board triangle5",
    "pegs hint o/o./.oo/o.oo/ooooo",
    "pegs hint o.oo/oo.o/..../....",
    "pegs replay a3-a1 --board triangle5",
    "pegs replay a3-a1,a3-a1 --board triangle5",
    "pegs replay a3-a1 --board triangle5 --steps",
    "pegs play triangle5 --moves a3-a1",
    "pegs draw triangle5 --svg five.svg",
    "tables closure KRPvKR",
    "tables build KQvK --metric dtz --syzygy --out t",
    "tables build KRvK --metric dtc --out c",
    "tables build KRvK --out t",
    "tables build --all 3 --syzygy --estimate --out t",
    "tables build --all 3 --out t",
    "tables stats KRvK --tables t --number 2",
    "tables stats --html pages t",
    "tables probe 8/8/8/4k3/8/8/2R5/3K4_w_-_-_0_1 --tables t --line",
    "tables probe 8/8/8/4k3/8/8/2R5/3K4_w_-_-_0_1 --tables c --metric dtc",
    "tables check t/KRvK.dtm",
    "tables verify t/KRvK.dtm",
    "tables convert t/KQvK.dtz --out converted",
    "tables build --all 3 --out t",
    "pieces show mRcpR",
    "pieces potential WF N B --boards 5,6x4 --pairs",
    "tables build KAvKN --piece A=FD --board 5x6 --bare-king shatranj --out f",
    "tables build KRvK --board 5x6 --metric dtc --stalemate loss --out f",
    "tables stats KAvKN --piece A=FD --board 5x6 --bare-king shatranj --tables f",
    "tables probe 3k1/5/2K2/5/5/R4_w --board 5x6 --metric dtc --stalemate loss --tables f --line",
    "tables check f",
    "tables verify f",
    "jobs list -- tables build --all 3 --out t",
    "jobs run KQvK KRvK -- tables build --all 3 --out t",
    "jobs collect -- tables build --all 3 --out t",
    "jobs run from-a1 from-a2 from-b1 from-b2 --out starts -- tours count 3x4 --by-start",
    "jobs collect starts -- tours count 3x4 --by-start",
    "chess position --moves f3 e5 g4",
    "chess move --moves f3 e5 g4 --depth 3",
    "chess compare --depth 5 --strategies YBWC,LazySMP",
    "engine perft 3",
    "engine bench --depth 4",
    "engine datagen --out games --positions 3000 --nodes 20",
    "engine datagen --out games --stats",
    "engine train --data games --out network --epochs 1",
    "analyse r3k3/8/8/8/8/8/5PPP/6K1_b_-_-_0_1 --depth 6",
    "arena play --engine {engine},name=a --engine {engine},name=b --nodes 200 --number 2 --pgn games.pgn",
    "arena spsa --engine {engine} --parameters options.txt --nodes 60 --pairs 2",
    "arena stats games.pgn",
    "arena stats --wdl 10,20,5",
    "arena openings --number 2",
    "lab list",
    "lab run chess-features --quick --threads 1",
];

/// The words of a run: `_` stands for a blank within a FEN.
fn words(run: &str) -> Vec<String> {
    let engine = format!("cmd={}", env!("CARGO_BIN_EXE_everymove-uci"));
    let run = run.replace("{engine}", &engine);
    let words = run.split(' ').map(|word| match word.contains("/8/") {
        true => word.replace('_', " "),
        false => word.to_owned(),
    });
    let mut words: Vec<_> = words.collect();
    // What follows `--` is a question of its own.
    let end = words.iter().position(|word| word == "--");
    words.insert(end.unwrap_or(words.len()), "--json".to_owned());
    words
}

fn run(folder: &Path, line: &str) -> Value {
    let words = words(line);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let output = run_in(folder, &words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{line}: {errors}"
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{line}: {e}"))
}

/// The fields that a schema names, in any of its alternatives.
fn field_names(schema: &Value) -> BTreeSet<String> {
    let own = schema["properties"].as_object();
    let own = own.into_iter().flat_map(|fields| fields.keys().cloned());
    let alternatives = ["anyOf", "oneOf", "allOf"].map(|key| schema[key].as_array());
    let alternatives = alternatives.into_iter().flatten().flatten();
    own.chain(alternatives.flat_map(field_names)).collect()
}

#[test]
fn every_answer_validates() {
    let document: Value = serde_json::from_str(&answer(0, &["schema"])).unwrap();
    let schemas: BTreeMap<_, _> = (document["commands"].as_object().unwrap().iter())
        .map(|(name, schemas)| (name.clone(), &schemas["answer"]))
        .collect();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("options.txt"), "BeamPercent 60 20 100\n").unwrap();
    let mut validated = BTreeSet::new();
    for line in RUNS {
        let object = run(dir.path(), line);
        let command = object["command"].as_str().unwrap().to_owned();
        // A range of boards is a command of its own.
        let words = command.trim_end_matches("FROM..TO");
        assert!(line.starts_with(words), "{line}: {command}");
        if let Some(schema) = schemas.get(&command) {
            let known = field_names(&document["commands"][&command]["answer"]);
            for field in object.as_object().unwrap().keys() {
                let is_known = known.contains(field);
                assert!(is_known, "{line}: the schema does not name {field}");
            }
            let faults = validate::faults(schema, &object);
            assert!(faults.is_empty(), "{line}: {faults:?}\n{object}");
            validated.insert(command);
        }
    }
    let all: BTreeSet<_> = schemas.into_keys().collect();
    assert_eq!(
        all.difference(&validated).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "commands without a run"
    );
}
