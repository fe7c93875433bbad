//! Endgame tables: made, looked up, checked, damaged.

use std::fs;
use std::path::Path;

use crate::{answer, object, program, validate};

/// Makes an ending's tables and Syzygy files.
fn build(folder: &Path, name: &str) {
    let folder = folder.to_str().unwrap();
    answer(
        0,
        &[
            "tables",
            "build",
            name,
            "--syzygy",
            "--no-stats",
            "--out",
            folder,
        ],
    );
}

/// Verifies, checks and counts the table of an ending; returns its page of statistics.
pub(crate) fn page_of_verified(folder: &Path, name: &str, metric: &str) -> String {
    let out = folder.to_str().unwrap();
    let file = format!("{out}/{name}.{metric}");
    for command in ["verify", "check", "stats"] {
        answer(0, &["tables", command, &file]);
    }
    let pages = folder.join("pages");
    answer(
        0,
        &["tables", "stats", out, "--html", pages.to_str().unwrap()],
    );
    fs::read_to_string(pages.join(format!("{name}.html"))).unwrap()
}

/// The one line that a refused command says.
fn refusal(code: i32, words: &[&str]) -> String {
    let output = program(words).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
    said
}

#[test]
fn syzygy_files_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (wdl, dtz) = (file("KPvK.rtbw"), file("KPvK.rtbz"));
    let verified = object(0, &["tables", "verify", &wdl, &dtz, &file("KQvK.rtbw")]);
    assert_eq!(verified["files"], 3);
    assert_eq!(verified["valid"], true);
    let ours = object(0, &["tables", "verify", &file("KPvK.dtz")]);
    let theirs = object(0, &["tables", "verify", &dtz]);
    assert_eq!(ours["work"]["positions"], theirs["work"]["positions"]);
    // Without the other file less is shown, and said to be.
    fs::remove_file(&dtz).unwrap();
    let alone = object(0, &["tables", "verify", &wdl]);
    assert_eq!(alone["without_dtz"], serde_json::json!(["KPvK.rtbw"]));
    // What is missing is named.
    fs::remove_file(file("KRvK.rtbw")).unwrap();
    let said = refusal(2, &["tables", "verify", "--quiet", &wdl]);
    assert!(said.contains("KRvK.rtbw"), "{said}");
    // Another ending's file under this name.
    fs::copy(file("KQvK.rtbw"), &wdl).unwrap();
    let said = refusal(2, &["tables", "verify", "--quiet", &wdl]);
    assert!(said.contains("it holds KQvK.rtbw"), "{said}");
    let said = refusal(
        3,
        &[
            "tables",
            "verify",
            "--ram",
            "40K",
            "--quiet",
            &file("KQvK.rtbw"),
        ],
    );
    assert!(said.contains("needs at least"), "{said}");
}

/// What `--quiet` promises: the bare answer.
#[test]
fn quiet_commands_answer_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let built = answer(0, &["tables", "build", "KQvK", "--out", out, "--quiet"]);
    let file = folder.path().join("KQvK.dtm").to_str().unwrap().to_owned();
    assert_eq!(built, format!("{file}\n"));
    let verified = answer(0, &["tables", "verify", &file, "--quiet"]);
    assert!(
        verified.starts_with("1 of 1 tables follow from the rules"),
        "{verified}"
    );
    for name in ["check", "scrub"] {
        let checked = answer(0, &["tables", name, &file, "--quiet"]);
        assert!(checked.starts_with("1 of 1 files sound"), "{checked}");
    }
    let counted = answer(0, &["tables", "stats", "KQvK", "--tables", out, "--quiet"]);
    assert!(counted.contains("longest wins"), "{counted}");
}

#[test]
fn positions_are_looked_up_in_syzygy_files() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let tables = folder.path().to_str().unwrap();
    let fen = "8/8/8/8/8/1k6/7P/7K w - - 0 1";
    let words = ["tables", "probe", fen, "--tables", tables, "--line"];
    let own = object(0, &words);
    let syzygy = object(0, &[&words[..], &["--syzygy"]].concat());
    assert_eq!(own["tables"], "dtz");
    assert_eq!(syzygy["tables"], "syzygy");
    for field in ["material", "metric", "value", "dtz"] {
        assert_eq!(own[field], syzygy[field], "{field}");
    }
    let count = |answer: &serde_json::Value| answer["moves"].as_array().unwrap().len();
    assert_eq!(count(&own), count(&syzygy));
    let line = syzygy["line"].as_array().unwrap();
    assert!(line.last().unwrap().as_str().unwrap().ends_with('#'));
    // Without our own tables, Syzygy files are taken unasked.
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "dtz") {
            fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(object(0, &words)["tables"], "syzygy");
    assert!(answer(0, &words).contains("it may take a ply more"));
    fs::remove_file(folder.path().join("KNvK.rtbw")).unwrap();
    let said = refusal(2, &[&words[..], &["--quiet"]].concat());
    assert!(said.contains("KNvK.rtbw"), "{said}");
}

/// A file with a changed byte is refused by its name, whichever byte it is and whoever reads the
/// file.
#[test]
fn damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    answer(
        0,
        &["tables", "build", "KRvK", "--no-stats", "--out", tables],
    );
    let mut rng = everymove_kernel::rng::SplitMix64::new(3);
    for name in ["KRvK.dtm", "KRvK.dtz", "KRvK.rtbw", "KRvK.rtbz"] {
        let path = folder.path().join(name);
        let file = path.to_str().unwrap();
        let whole = fs::read(&path).unwrap();
        for flip in 0..24 {
            let mut bytes = whole.clone();
            let at = match flip {
                // The heads of the files are short.
                0..12 => rng.below(80),
                _ => rng.below(whole.len() as u64),
            } as usize;
            bytes[at] ^= 1 << rng.below(8);
            fs::write(&path, &bytes).unwrap();
            let checked = answer(1, &["tables", "check", file, "--quiet"]);
            assert!(checked.contains(name), "{name} {at}: {checked}");
            let said = refusal(2, &["tables", "verify", file, "--quiet"]);
            assert!(said.contains(name), "{name} {at}: {said}");
            let metric = if name.ends_with("dtm") { "dtm" } else { "dtz" };
            let words = [
                "tables", "build", "KRvK", "--quiet", "--out", tables, "--metric", metric,
            ];
            let syzygy: &[&str] = if name.contains("rtb") {
                &["--syzygy"]
            } else {
                &[]
            };
            let said = refusal(2, &[&words[..], syzygy].concat());
            assert!(said.contains(name), "{name} {at}: {said}");
            let fen = "8/8/8/8/8/2k5/7R/K7 b - - 0 1";
            let words = ["tables", "probe", fen, "--quiet", "--tables", tables];
            if syzygy.is_empty() {
                // A table of our own is read where it is needed, block by block.
                let words = [&words[..], &["--metric", metric]].concat();
                let output = program(&words).output().unwrap();
                let said = String::from_utf8(output.stderr).unwrap();
                assert!(
                    output.status.success() || said.contains(name),
                    "{name} {at}: {said}"
                );
            } else {
                let said = refusal(2, &[&words[..], syzygy].concat());
                assert!(said.contains(name), "{name} {at}: {said}");
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn tables_become_syzygy_files_and_back() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["tables", "convert", &file("KPvK.dtz"), "--quiet"];
    let said = refusal(2, &words);
    assert!(said.contains("KPvK.rtbw is there already"), "{said}");
    let out = tempfile::tempdir().unwrap();
    let to = out.path().to_str().unwrap();
    let made = object(0, &["tables", "convert", &file("KPvK.dtz"), "--out", to]);
    assert_eq!(made["made"].as_array().unwrap().len(), 2);
    let same = |name: &str| {
        let other = fs::read(out.path().join(name)).unwrap();
        assert!(fs::read(file(name)).unwrap() == other, "{name}");
    };
    same("KPvK.rtbw");
    same("KPvK.rtbz");
    object(
        0,
        &[
            "tables",
            "convert",
            &file("KPvK.rtbw"),
            &file("KPvK.rtbz"),
            "--out",
            to,
        ],
    );
    same("KPvK.dtz");
    // Nothing is left of what could not be done.
    let empty = tempfile::tempdir().unwrap();
    let to = empty.path().to_str().unwrap();
    fs::remove_file(file("KQvK.rtbw")).unwrap();
    let said = refusal(
        2,
        &[
            "tables",
            "convert",
            &file("KPvK.rtbw"),
            "--quiet",
            "--out",
            to,
        ],
    );
    assert!(said.contains("KQvK.rtbw"), "{said}");
    let left: Vec<_> = fs::read_dir(to).unwrap().collect();
    assert!(left.iter().all(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        !name.to_str().unwrap().contains("KPvK")
    }));
    fs::write(file("KPvK.dtm"), "no table").unwrap();
    let said = refusal(2, &["tables", "convert", &file("KPvK.dtm"), "--quiet"]);
    assert!(said.contains("KPvK.dtm"), "{said}");
}

/// A budget that is too small is refused before anything is created; a file in place of a directory
/// is named.
#[test]
fn refused_builds_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, saved) = (path("out"), path("saved"));
    for words in [
        &["KQQQQvK", "--syzygy"][..],
        &["KQQQQvK"],
        &["KRPvKRP", "--checkpoint", &saved],
    ] {
        let words = [&["tables", "build", "--ram", "64M", "--out", &out], words].concat();
        let said = refusal(3, &words);
        assert!(said.contains("needs at least"), "{said}");
        assert!(!Path::new(&out).exists() && !Path::new(&saved).exists());
    }
    fs::write(&out, "a file").unwrap();
    let said = refusal(2, &["tables", "build", "KQvK", "--out", &out]);
    assert!(said.contains("is a file: expected a directory"), "{said}");
}

#[test]
fn endings_are_read_in_any_case_and_order() {
    let closure = |name: &str| object(0, &["tables", "closure", name])["material"].clone();
    for (text, name) in [("krvk", "KRvK"), ("kvkq", "KQvK"), ("kbrVkr", "KRBvKR")] {
        assert_eq!(closure(text), name);
    }
    let said = refusal(2, &["tables", "closure", "krvx"]);
    assert!(said.contains("did you mean KRvK?"), "{said}");
}

#[test]
fn files_and_directories_are_named() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    let checked = object(0, &["tables", "check", tables]);
    assert_eq!(checked["files"], 3);
    // Of both Syzygy files the larger one has other bytes than the published one.
    assert_eq!(checked["published"], 0);
    assert_eq!(checked["not_published"].as_array().unwrap().len(), 2);
    let file = folder.path().join("KRvK.dtz");
    let by_file = object(0, &["tables", "stats", file.to_str().unwrap()]);
    let by_name = object(0, &["tables", "stats", "krvk", "--tables", tables]);
    assert_eq!(by_file["white_histogram"], by_name["white_histogram"]);
    let said = refusal(
        2,
        &[
            "tables",
            "stats",
            folder.path().join("KRvK.rtbw").to_str().unwrap(),
        ],
    );
    assert!(said.contains("convert it"), "{said}");
    let said = refusal(
        2,
        &[
            "tables",
            "check",
            folder.path().join("KQvK.dtm").to_str().unwrap(),
        ],
    );
    assert!(said.contains("no such file"), "{said}");
    let empty = tempfile::tempdir().unwrap();
    let said = refusal(2, &["tables", "check", empty.path().to_str().unwrap()]);
    assert!(said.contains("there are no tables"), "{said}");
}

/// A value names the side that has it; two kings need no table; a missing table comes with the
/// command that builds it.
#[test]
fn values_name_their_side() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let probe = |fen: &str| {
        let tables = folder.path().to_str().unwrap();
        answer(0, &["tables", "probe", fen, "--tables", tables])
    };
    let white = probe("8/8/8/8/8/2k5/7R/K7 w - - 0 1");
    assert!(white.starts_with("win for White, "), "{white}");
    assert!(
        white.contains("\nmoves, with their value for White:\n"),
        "{white}"
    );
    let black = probe("8/8/8/8/8/2K5/7r/k7 w - - 0 1");
    assert!(black.starts_with("loss for White, "), "{black}");
    let kings = probe("8/8/8/8/8/2k5/8/K7 w - - 0 1");
    assert!(kings.starts_with("draw\n"), "{kings}");
    let said = refusal(2, &["tables", "probe", "8/8/8/8/8/2k5/7Q/K7 w - - 0 1"]);
    assert!(said.contains("`everymove tables build KQvK`"), "{said}");
    let tables = folder.path().to_str().unwrap();
    let fen = "8/8/8/8/8/2k5/7Q/K7 w - - 0 1";
    let said = refusal(
        2,
        &[
            "tables", "probe", fen, "--tables", tables, "--metric", "dtz",
        ],
    );
    let command = format!("`everymove tables build KQvK --metric dtz --out {tables}`");
    assert!(said.contains(&command), "{said}");
}

/// A stream of positions is answered line by line, also those that have no value.
#[test]
fn many_positions_are_answered_by_lines_of_json() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    let fens = folder.path().join("positions");
    let positions = [
        "8/8/8/8/8/1K6/7R/k7 w - - 0 1",
        "8/8/8/8/8/1K6/7R/k7 w - - 100 90",
        "8/8/8/8/8/1K6/8/k7 w - - 0 1",
        "8/8/8/8/8/1K6/7Q/k7 w - - 0 1",
        "nothing",
    ];
    fs::write(&fens, positions.join("\n\n")).unwrap();
    let fens = fens.to_str().unwrap();
    let words = [
        "tables", "probe", "--fens", fens, "--tables", tables, "--clock",
    ];
    let said = answer(1, &words);
    let lines: Vec<serde_json::Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), positions.len());
    let document: serde_json::Value = serde_json::from_str(&answer(0, &["schema"])).unwrap();
    let schema = &document["line of tables probe --fens"];
    let faults = |line: &serde_json::Value| validate::faults(schema, line);
    assert_ne!(
        faults(&serde_json::json!({ "value": 1 })),
        Vec::<String>::new()
    );
    for (line, fen) in lines.iter().zip(positions) {
        assert_eq!(line["fen"], fen);
        assert_eq!(faults(line), Vec::<String>::new(), "{line}");
    }
    assert_eq!(
        (&lines[0]["value"], &lines[0]["dtz"]),
        (&"win".into(), &1.into())
    );
    assert_eq!(lines[0]["at_clock"]["value"], "win");
    assert_eq!(lines[1]["value"], "win");
    assert_eq!(lines[1]["at_clock"]["value"], "draw");
    assert_eq!(lines[2]["value"], "draw");
    assert!(
        lines[3]["error"].as_str().unwrap().contains("KQvK"),
        "{said}"
    );
    assert!(
        lines[4]["error"].as_str().unwrap().contains("not a FEN"),
        "{said}"
    );
    // Syzygy files round: the limit itself is not determined.
    let syzygy = answer(1, &[&words[..], &["--syzygy"]].concat());
    assert!(
        syzygy.lines().next().unwrap().contains("\"syzygy\""),
        "{syzygy}"
    );
}

#[test]
fn the_half_move_clock_is_counted_where_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    let words = [
        "tables",
        "probe",
        "8/8/8/8/8/1K6/7R/k7 w - - 100 90",
        "--tables",
        tables,
    ];
    let without = answer(0, &words);
    assert!(without.contains("half-move clock of 0"), "{without}");
    let with = [&words[..], &["--clock"]].concat();
    assert!(answer(0, &with).contains("with the half-move clock of 100: draw"));
    let found = object(0, &with);
    assert_eq!(
        found["at_clock"],
        serde_json::json!({ "clock": 100, "value": "draw" })
    );
    assert_eq!(found["moves"][0]["at_clock"], "draw");
    // Of a Syzygy pair without one file, that file is named.
    for extension in ["dtz", "rtbz"] {
        fs::remove_file(folder.path().join(format!("KRvK.{extension}"))).unwrap();
    }
    let said = refusal(2, &[&words[..], &["--quiet"]].concat());
    assert!(said.contains("KRvK.rtbz"), "{said}");
    // Syzygy files have no plies to mate; plies to a zeroing move they have.
    let said = refusal(2, &[&words[..], &["--syzygy", "--metric", "dtm"]].concat());
    assert!(said.contains("dtz"), "{said}");
    // A file under the name of another.
    let renamed = folder.path().join("KQvK.rtbw");
    fs::copy(folder.path().join("KRvK.rtbw"), &renamed).unwrap();
    let checked = answer(1, &["tables", "check", renamed.to_str().unwrap()]);
    assert!(checked.contains("it holds KRvK.rtbw"), "{checked}");
}

#[test]
fn pages_of_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    let pages = folder.path().join("pages");
    let out = pages.to_str().unwrap();
    let made = object(0, &["tables", "stats", tables, "--html", out]);
    let names = made["files"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|f| f.as_str().unwrap().to_owned()).collect();
    assert_eq!(
        names,
        ["KRvK.html", "index.html"].map(|name| format!("{out}/{name}"))
    );
    assert_eq!(made["tables"][0]["white_to_move"]["wins"], 175_168);
    let page = std::fs::read_to_string(&names[0]).unwrap();
    assert!(page.contains("175,168") && page.ends_with("</html>"));
    let said = refusal(
        2,
        &[
            "tables", "stats", "KQvKQ", "--tables", tables, "--html", out,
        ],
    );
    assert!(said.contains("there is no table KQvKQ.dtm"), "{said}");
    // A directory alone has no counts.
    refusal(2, &["tables", "stats", tables]);
}

/// All endings of three pieces: estimated, made, found complete; a missing file is made again.
#[test]
fn all_endings_of_a_number_of_pieces_are_built() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all");
    let out = out.to_str().unwrap();
    let all = ["tables", "build", "--all", "3", "--syzygy", "--out", out];
    let estimate = object(0, &[&all[..], &["--estimate"]].concat());
    assert_eq!(estimate["missing"].as_array().unwrap().len(), 5);
    assert!(!Path::new(out).exists());
    let built = object(0, &all);
    assert_eq!(built["made"].as_array().unwrap().len(), 5);
    assert_eq!(built["syzygy"].as_array().unwrap().len(), 10);
    fs::remove_file(Path::new(out).join("KRvK.rtbz")).unwrap();
    let resumed = object(0, &all);
    assert_eq!(resumed["made"].as_array().unwrap().len(), 0);
    assert_eq!(resumed["syzygy"], serde_json::json!(["KRvK.rtbz"]));
    let estimate = object(0, &[&all[..], &["--estimate"]].concat());
    assert_eq!(estimate["found_endings"], 5);
    assert_eq!(estimate["bytes"], 0);
    let said = refusal(2, &["tables", "build", "--quiet", "--all", "6"]);
    let six = "expected 3 to 5; endings of six pieces are built one by one, by name";
    assert!(said.contains(six), "{said}");
    let said = refusal(
        3,
        &[
            "tables", "build", "--quiet", "--all", "5", "--ram", "20M", "--out", "none",
        ],
    );
    assert!(said.contains("KP"), "{said}");
}

/// Counts of pieces by their moves are those of another program, and those of chess where the
/// pieces are those of chess.
#[test]
fn endings_of_pieces_by_their_moves() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let build = |words: &str| {
        let words: Vec<_> = words.split(' ').collect();
        object(
            0,
            &[&["tables", "build", "--out", out], &words[..]].concat(),
        )
    };
    let built = build("KAvK --piece A=archbishop --board 10x8");
    let (white, black) = (&built["white_to_move"], &built["black_to_move"]);
    assert_eq!(white["legal"], 364_756);
    assert_eq!(white["wins"], 364_756);
    assert_eq!(white["max_win_plies"], 41);
    assert_eq!(black["draws"], 36_988);
    assert_eq!(black["max_loss_plies"], 42);
    assert_eq!(built["sub_tables"], serde_json::json!(["KvK"]));
    assert_eq!(built["symmetries"], 4);
    let gold = build("KGvK --piece G=WfF --board 10x8");
    assert_eq!(gold["white_to_move"]["draws"], 33_776);
    assert_eq!(gold["symmetries"], 2);
    for name in ["KQvK", "KRvKN"] {
        let fairy = build(&format!("{name} --board 8x8"));
        let chess = build(name);
        for side in ["white_to_move", "black_to_move"] {
            assert_eq!(fairy[side], chess[side], "{name} {side}");
        }
    }
    let svg = folder.path().join("position.svg");
    let words = [
        "tables",
        "probe",
        "5k4/10/5K4/10/10/10/10/A9 w",
        "--piece",
        "A=BN",
        "--tables",
        out,
        "--line",
        "--svg",
    ];
    let words = [&words[..], &[svg.to_str().unwrap()]].concat();
    let probed = object(0, &words);
    assert_eq!(
        (&probed["value"], &probed["tables"]),
        (&"win".into(), &"fairy".into())
    );
    let plies = probed["dtm"].as_u64().unwrap() as usize;
    assert_eq!(probed["line"].as_array().unwrap().len(), plies);
    assert!(fs::read_to_string(svg).unwrap().contains(">A</text>"));
    let verified = object(0, &["tables", "verify", out]);
    assert_eq!(verified["valid"], true);
}
