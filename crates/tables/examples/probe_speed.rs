//! Looks up random positions of an ending in all tables of a directory, and makes those that are
//! missing: `cargo run --release -p everymove-tables --example probe_speed -- DIRECTORY KRBvKR
//! 100000 FENS`.
//!
//! Prints, for each kind of table, and for the Syzygy files also as the library shakmaty-syzygy
//! reads them, the nanoseconds of processor time of a probe: in the first pass over the positions,
//! and in the fastest of five passes over each block of 1000 of them after it. The positions are
//! written to the file FENS, one a line, for other programs.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_kernel::machine::process_cpu_seconds;
use everymove_kernel::run::{Ram, Run};
use everymove_tables::syzygy::SyzygyFolder;
use everymove_tables::{
    Kind, Material, Metric, OutputFiles, Plan, TableError, Tables, build, build_ending, probe,
};
use shakmaty::{CastlingMode, Chess, Color, Position, Role, Setup, Square};
use shakmaty_syzygy::Tablebase;

/// Returns a pseudo-random number below `n`, by a xorshift generator (G. Marsaglia, "Xorshift
/// RNGs", 2003).
fn random(state: &mut u64, n: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % n
}

fn random_position(material: &Material, state: &mut u64) -> Option<Chess> {
    let mut setup = Setup::empty();
    for (color, army) in [
        (Color::White, material.white()),
        (Color::Black, material.black()),
    ] {
        for &kind in [Kind::King].iter().chain(army.pieces()) {
            let role = Role::from_char(kind.letter())?;
            let square = Square::new(random(state, 64) as u32);
            if setup.board.piece_at(square).is_some() {
                return None;
            }
            setup.board.set_piece_at(square, role.of(color));
        }
    }
    setup.turn = Color::from_white(random(state, 2) == 0);
    let position = setup.position::<Chess>(CastlingMode::Standard).ok()?;
    (!position.legal_moves().is_empty()).then_some(position)
}

/// Prints the nanoseconds of a probe, and a sum by which results are compared.
fn time(
    name: &str,
    positions: &[Chess],
    mut probe: impl FnMut(&Chess) -> Result<i64, TableError>,
) -> Result<(), TableError> {
    let start = process_cpu_seconds();
    let mut sum = 0;
    for position in positions {
        sum += probe(position)?;
    }
    let first = process_cpu_seconds() - start;
    let mut warm = 0.0;
    for block in positions.chunks(1000) {
        let mut fastest = f64::INFINITY;
        for _ in 0..5 {
            let start = process_cpu_seconds();
            for position in block {
                std::hint::black_box(probe(position)?);
            }
            fastest = fastest.min(process_cpu_seconds() - start);
        }
        warm += fastest;
    }
    let each = |seconds: f64| 1e9 * seconds / positions.len() as f64;
    let rate = positions.len() as f64 / warm;
    println!(
        "{name:12} first pass {:6.0} ns, then {:6.0} ns ({rate:.0} a second), sum {sum}",
        each(first),
        each(warm)
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("expected a directory")?;
    let material: Material = args.next().unwrap_or("KRvK".to_owned()).parse()?;
    let count: usize = args.next().unwrap_or("100000".to_owned()).parse()?;
    let run = Run::new(2, Ram::unlimited());
    let dtm = Tables::new(&folder, Metric::Mate);
    build(&Plan::new(material.clone(), Metric::Mate), &dtm, &run)?;
    let dtz = Tables::new(&folder, Metric::Zeroing);
    build_ending(
        &Plan::new(material.clone(), Metric::Zeroing),
        OutputFiles::TablesAndSyzygy,
        &dtz,
        &run,
    )?;
    let mut state = 1;
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        positions.extend(random_position(&material, &mut state));
    }
    if let Some(file) = args.next() {
        let lines = positions.iter().map(probe::write_position);
        std::fs::write(file, lines.collect::<Vec<_>>().join("\n") + "\n")?;
    }
    let files = SyzygyFolder::new(&folder);
    let plies = |value: everymove_tables::Value| match value {
        everymove_tables::Value::Win(n) => i64::from(n),
        everymove_tables::Value::Draw => 0,
        everymove_tables::Value::Loss(n) => -i64::from(n),
    };
    time(".dtm", &positions, |p| Ok(plies(dtm.value(p)?)))?;
    time(".dtz", &positions, |p| Ok(plies(dtz.value(p)?)))?;
    time("Syzygy WDL", &positions, |p| Ok(files.wdl(p)? as i64))?;
    time("Syzygy DTZ", &positions, |p| Ok(i64::from(files.dtz(p)?)))?;
    let mut others = Tablebase::new();
    others.add_directory(&folder)?;
    // Positions whose files the other library cannot read count as 0: the sums differ then.
    let wdl = |p: &Chess| {
        others
            .probe_wdl_after_zeroing(p)
            .map_or(0, |wdl| i32::from(wdl) + 2)
    };
    let dtz = |p: &Chess| {
        others
            .probe_dtz(p)
            .map_or(0, |dtz| i32::from(dtz.ignore_rounding()))
    };
    time("library WDL", &positions, |p| Ok(i64::from(wdl(p))))?;
    time("library DTZ", &positions, |p| Ok(i64::from(dtz(p))))?;
    Ok(())
}
