//! C programs, compiled and run: what they print of hundreds of positions, in eight threads, is
//! what the tables have.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_tables::probe::{read_position, write_position};
use everymove_tables::service::{Category, MoveFacts};
use everymove_tables::syzygy::{Rounding, SyzygyFolder, Wdl};
use everymove_tables::{Metric, OutputFiles, Plan, Tablebase, Tables, Value, build, build_ending};
use shakmaty::{Chess, Position};

/// Where cargo puts the libraries: beside the test program.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.parent().unwrap().to_owned()
}

/// Compiles a C program of this crate with the C compiler that a build of the workspace needs
/// anyway.
fn compile(source: &str, kind: &str, folder: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.join(format!("{kind}-program"));
    let libraries = libraries();
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11",
        "-D_POSIX_C_SOURCE=200809L",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]);
    cc.arg("-I").arg(here.join("include"));
    cc.arg(here.join(source)).arg("-o").arg(&program);
    match kind {
        "static" => cc.arg(libraries.join("libeverymove_tables_c.a")),
        _ => {
            let mut path = std::ffi::OsString::from("-Wl,-rpath,");
            path.push(&libraries);
            cc.arg("-L")
                .arg(&libraries)
                .arg("-leverymove_tables_c")
                .arg(path)
        }
    };
    cc.args(["-lpthread", "-ldl", "-lm"]);
    let output = cc.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{cc:?}: {errors}");
    program
}

fn run(program: &Path, folders: &str, argument: Option<&str>, input: &str) -> String {
    let mut child = Command::new(program)
        .arg(folders)
        .args(argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Legal positions with pieces drawn at random, in both colours and with either side to move.
fn positions(number: usize) -> Vec<Chess> {
    let mut random = SplitMix64::new(18);
    let endings = ["KPk", "KRkn", "KNkr", "Kkp", "KQk", "Kk", "KBkn"];
    let mut positions = Vec::new();
    while positions.len() < number {
        let pieces = endings[random.below(endings.len() as u64) as usize];
        let mut board = ['1'; 64];
        for piece in pieces.chars() {
            board[random.below(64) as usize] = piece;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let turn = if random.below(2) == 0 { 'w' } else { 'b' };
        let clock = random.below(100);
        let fen = format!("{} {turn} - - {clock} 1", ranks.join("/"));
        let count = board.iter().filter(|&&square| square != '1').count();
        if let Ok(position) = read_position(&fen)
            && count == pieces.len()
        {
            positions.push(position);
        }
    }
    positions
}

/// The tables of one kind, asked without the C library.
enum Expected {
    Own(Box<(Tables, Tables)>),
    Syzygy(SyzygyFolder),
}

impl Expected {
    /// The line of a position.
    fn line(&self, position: &Chess, service: &Tablebase) -> String {
        let distance = |value: Value, rounding: Rounding| {
            let (outcome, plies) = match value {
                Value::Win(plies) => (1, plies),
                Value::Draw => (0, 0),
                Value::Loss(plies) => (-1, plies),
            };
            format!(
                " {outcome} {plies} {},",
                u8::from(rounding == Rounding::Exact)
            )
        };
        let mut line = String::new();
        match self {
            Self::Own(tables) => {
                let (dtm, dtz) = &**tables;
                let (dtm, dtz) = (dtm.value(position).unwrap(), dtz.value(position).unwrap());
                let wdl = match dtz {
                    Value::Win(_) => 2,
                    Value::Draw => 0,
                    Value::Loss(_) => -2,
                };
                write!(line, "{wdl},").unwrap();
                line += &distance(dtz, Rounding::Exact);
                line += &distance(dtm, Rounding::Exact);
            }
            Self::Syzygy(folder) => {
                let wdl = match folder.wdl(position).unwrap() {
                    Wdl::Loss => -2,
                    Wdl::BlessedLoss => -1,
                    Wdl::Draw => 0,
                    Wdl::CursedWin => 1,
                    Wdl::Win => 2,
                };
                let (plies, rounding) = folder.dtz_and_rounding(position).unwrap();
                let value = match plies {
                    -1 if position.is_checkmate() => Value::Loss(0),
                    0 => Value::Draw,
                    1.. => Value::Win(plies as u16),
                    _ => Value::Loss(-plies as u16),
                };
                let rounding = if value == Value::Loss(0) {
                    Rounding::Exact
                } else {
                    rounding
                };
                write!(line, "{wdl},").unwrap();
                line += &distance(value, rounding);
                line += if position.is_insufficient_material() {
                    " 0 0 1,"
                } else {
                    " no table,"
                };
            }
        }
        let moves = service.position(position).unwrap().moves;
        write!(line, " ok {}", moves.len()).unwrap();
        for m in &moves {
            write!(
                line,
                " {}:{}:{}:{}",
                m.uci,
                category(m),
                after(m, m.after.dtz),
                after(m, m.after.dtm)
            )
            .unwrap();
        }
        line
    }
}

fn category(m: &MoveFacts) -> i32 {
    match m.after.category {
        Category::Loss => 4,
        Category::Unknown => 5,
        Category::SyzygyLoss => 3,
        Category::MaybeLoss => 2,
        Category::BlessedLoss => 1,
        Category::Draw => 0,
        Category::CursedWin => -1,
        Category::MaybeWin => -2,
        Category::SyzygyWin => -3,
        Category::Win => -4,
    }
}

fn after(m: &MoveFacts, plies: Option<i32>) -> i32 {
    match plies {
        _ if m.after.checkmate => 0,
        Some(plies) => -plies,
        None => 999,
    }
}

#[test]
fn c_programs_find_what_the_tables_have() {
    let folder = tempfile::tempdir().unwrap();
    let here = |name: &str| folder.path().join(name);
    let (own, files) = (here("own"), here("syzygy"));
    for path in [&own, &files] {
        std::fs::create_dir(path).unwrap();
    }
    let quick = Run::serial().with_threads(2);
    for ending in ["KPvK", "KRvKN", "KBvKN"] {
        let material: everymove_tables::Material = ending.parse().unwrap();
        let mate = Tables::new(&own, Metric::Mate);
        build(&Plan::new(material.clone(), Metric::Mate), &mate, &quick).unwrap();
        let zeroing = Tables::new(&own, Metric::Zeroing);
        let plan = Plan::new(material, Metric::Zeroing);
        build_ending(&plan, OutputFiles::TablesAndSyzygy, &zeroing, &quick).unwrap();
    }
    for entry in std::fs::read_dir(&own).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz") {
            std::fs::rename(&path, files.join(path.file_name().unwrap())).unwrap();
        }
    }
    let positions = positions(800);
    let fens: String = positions.iter().map(|p| write_position(p) + "\n").collect();
    let own_tables = Expected::Own(Box::new((
        Tables::new(&own, Metric::Mate),
        Tables::new(&own, Metric::Zeroing),
    )));
    for (kind, path, expected) in [
        ("static", &own, own_tables),
        (
            "shared",
            &files,
            Expected::Syzygy(SyzygyFolder::new(&files)),
        ),
    ] {
        let program = compile("tests/threads.c", kind, folder.path());
        let service = Tablebase::open(&[path], &[path]).0;
        let found = run(&program, path.to_str().unwrap(), None, &fens);
        assert_eq!(found.lines().count(), positions.len());
        for (position, line) in positions.iter().zip(found.lines()) {
            let expected = expected.line(position, &service);
            assert_eq!(line, expected, "{kind}, {}", write_position(position));
        }
    }

    // The example, with both folders, one of which has the distances to mate.
    let example = compile("examples/probe.c", "static", folder.path());
    let folders = format!("{}:{}", files.display(), own.display());
    let found = run(
        &example,
        &folders,
        Some("k7/8/1K6/8/8/8/8/7R w - - 0 1"),
        "",
    );
    let mut lines = found.lines();
    let first: Vec<_> = lines.by_ref().take(6).collect();
    assert_eq!(
        first,
        [
            "endings of up to 4 men",
            "value: win",
            "dtz: win in 1 plies",
            "dtm: win in 1 plies",
            "dtm50: no table",
            "h1h8  win"
        ]
    );
    assert_eq!(lines.filter(|line| line.ends_with("win")).count(), 19);
}
