//! Statistics of endgame tables as pages: counts, distances, longest wins with their lines, mutual
//! zugzwangs.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use everymove_draw::chart::ChartError;
use everymove_kernel::run::Run;
use everymove_tables::notable::notable;
use everymove_tables::probe::read_position;
use everymove_tables::stats::{Counting, Stats, stats};
use everymove_tables::{Material, Metric, TableError, Tables};

use crate::report::File;

/// Bytes of the cache of blocks in which the positions of a line are looked up.
const CACHE: u64 = 4 << 20;

/// What the tables of an ending hold.
#[derive(Clone, Debug)]
pub struct EndingStatistics {
    /// The ending.
    pub material: Material,
    /// One for each table that the ending has: plies to mate, plies to a zeroing move, plies to
    /// mate under the fifty-move rule.
    pub tables: Vec<TableStatistics>,
}

/// What a table holds.
#[derive(Clone, Debug)]
pub struct TableStatistics {
    /// What the distances count.
    pub metric: Metric,
    /// Positions by value and distance.
    pub stats: Stats,
    /// The longest wins of either side.
    pub longest: Vec<Line>,
    /// The number of mutual zugzwangs up to symmetry.
    pub zugzwangs: u64,
    /// Some of them, as FEN, with the side to move that loses.
    pub zugzwang_examples: Vec<String>,
}

/// A position and the best play of both sides from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The position, as FEN.
    pub fen: String,
    /// The moves in standard algebraic notation, as many as the distance has plies; `None` where a
    /// table that the play leads into is missing.
    pub moves: Option<Vec<String>>,
}

/// Returns the endings that a directory has tables of our own of.
///
/// # Errors
/// [`TableError::NoTables`] if there are none, [`TableError::File`] if the directory cannot be
/// listed.
pub fn endings(folder: &Path) -> Result<Vec<Material>, TableError> {
    let files = everymove_tables::files::table_files(&[folder.to_owned()])?;
    let mut found = BTreeMap::new();
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        if let Some(Ok(material)) = stem.map(str::parse::<Material>)
            && metrics(folder, &material).next().is_some()
        {
            found.insert((material.piece_count(), material.to_string()), material);
        }
    }
    if found.is_empty() {
        return Err(TableError::NoTables {
            folder: folder.display().to_string(),
            expected: ".dtm, .dtz, .dtm50 or .dtc",
        });
    }
    Ok(found.into_values().collect())
}

/// The metrics of the tables that a directory has of an ending.
fn metrics(folder: &Path, material: &Material) -> impl Iterator<Item = Metric> {
    let has = move |metric: &Metric| Tables::new(folder, *metric).has(material);
    Metric::ALL.into_iter().filter(has)
}

/// Counts the tables that a directory has of an ending; at most `limit` longest wins and zugzwangs
/// are listed.
///
/// # Errors
/// [`TableError`] if there is no table or it is damaged, or the run is stopped.
pub fn statistics(
    folder: &Path,
    material: &Material,
    limit: usize,
    run: &Run,
) -> Result<EndingStatistics, TableError> {
    let mut metrics: BTreeSet<_> = metrics(folder, material).collect();
    if metrics.is_empty() {
        // The error that names the missing table.
        metrics.insert(Metric::Mate);
    }
    let tables = metrics.into_iter().map(|metric| {
        let tables = Tables::new(folder, metric).with_cache(CACHE);
        let stats = stats(material, &tables, Counting::Positions, run)?;
        let notable = notable(material, &tables, limit, run)?;
        let longest = usize::from(stats.white.longest_win().max(stats.black.longest_win()));
        let lines = notable.longest_wins.into_iter();
        Ok(TableStatistics {
            metric,
            stats,
            longest: lines
                .map(|fen| Line::new(fen, &tables, longest))
                .collect::<Result<_, _>>()?,
            zugzwangs: notable.zugzwangs,
            zugzwang_examples: notable.zugzwang_examples,
        })
    });
    Ok(EndingStatistics {
        material: material.clone(),
        tables: tables.collect::<Result<_, TableError>>()?,
    })
}

impl Line {
    fn new(fen: String, tables: &Tables, plies: usize) -> Result<Self, TableError> {
        let position = read_position(&fen)?;
        let moves = match tables.line(&position, 0, plies) {
            Ok(line) => Some(line.into_iter().map(|choice| choice.san).collect()),
            Err(TableError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { fen, moves })
    }

    /// The moves with their numbers, or `None` as in [`Self::moves`].
    fn text(&self) -> Option<String> {
        let moves = self.moves.as_ref()?;
        let is_black = usize::from(self.fen.split(' ').nth(1) == Some("b"));
        let numbered = moves.iter().enumerate().map(|(i, san)| {
            let ply = i + is_black;
            match (ply % 2, i) {
                (0, _) => format!("{}. {san}", ply / 2 + 1),
                (_, 0) => format!("1... {san}"),
                _ => san.clone(),
            }
        });
        Some(numbered.collect::<Vec<_>>().join(" "))
    }
}

impl EndingStatistics {
    /// The page of the ending, complete in itself: style, chart and diagrams inside, no script.
    ///
    /// # Errors
    /// [`ChartError`] if there are counts that a chart cannot show.
    pub fn page(&self) -> Result<File, ChartError> {
        Ok(File {
            name: self.page_name(),
            text: page::ending(self)?,
        })
    }

    fn page_name(&self) -> String {
        format!("{}.html", self.material)
    }
}

/// The page that lists endings, each with a link to its page.
pub fn index(endings: &[EndingStatistics]) -> File {
    File {
        name: "index.html".to_owned(),
        text: page::index(endings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everymove_tables::{Plan, build};

    #[test]
    fn pages_hold_the_counts_of_the_tables() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial().with_threads(2);
        let material: Material = "KRvK".parse().unwrap();
        for metric in Metric::ALL {
            let tables = Tables::new(folder.path(), metric);
            build(&Plan::new(material.clone(), metric), &tables, &run).unwrap();
        }
        assert_eq!(
            endings(folder.path()).unwrap(),
            std::slice::from_ref(&material)
        );
        let found = statistics(folder.path(), &material, 2, &run).unwrap();
        let page = found.page().unwrap();
        assert_eq!(page.name, "KRvK.html");
        // 175,168 wins of White, the longest in 31 plies: 16 moves.
        let line = found.tables[0].longest[0].text().unwrap();
        assert!(
            line.starts_with("1. ") && line.contains(" 16. ") && line.ends_with('#'),
            "{line}"
        );
        for part in [
            "<h1>KRvK",
            "175,168",
            "22,244",
            "31 plies",
            line.as_str(),
            &found.tables[0].longest[0].fen,
            "<svg",
            "mutual zugzwangs",
            "mate under the fifty-move rule",
        ] {
            assert!(page.text.contains(part), "{part}");
        }
        let index = index(&[found]);
        assert!(
            index.text.contains(r#"<a href="KRvK.html">KRvK</a>"#),
            "{}",
            index.text
        );
        for text in [&page.text, &index.text] {
            let without_names = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("<script") && !without_names.contains("http"));
            assert!(text.ends_with("</html>"));
        }
    }

    #[test]
    fn a_line_that_leaves_the_tables_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial().with_threads(2);
        let material: Material = "KPvK".parse().unwrap();
        let tables = Tables::new(folder.path(), Metric::Mate);
        build(&Plan::new(material.clone(), Metric::Mate), &tables, &run).unwrap();
        std::fs::remove_file(folder.path().join("KQvK.dtm")).unwrap();
        let found = statistics(folder.path(), &material, 1, &run).unwrap();
        assert_eq!(found.tables[0].longest[0].moves, None);
        assert!(found.page().unwrap().text.contains("is not there"));
        let missing = statistics(folder.path(), &"KRvKB".parse().unwrap(), 1, &run);
        assert!(matches!(missing, Err(TableError::Missing { .. })));
    }

    #[test]
    fn moves_are_numbered_from_the_side_to_move() {
        let line = |fen: &str| Line {
            fen: fen.to_owned(),
            moves: Some(["Ka2", "Kc2", "Kb3"].map(str::to_owned).to_vec()),
        };
        let (white, black) = (
            line("8/8/8/8/8/8/8/8 w - - 0 1"),
            line("8/8/8/8/8/8/8/8 b - - 0 1"),
        );
        assert_eq!(white.text().unwrap(), "1. Ka2 Kc2 2. Kb3");
        assert_eq!(black.text().unwrap(), "1... Ka2 2. Kc2 Kb3");
    }
}
