//! `tables stats --html`: pages of what tables hold.

use std::path::{Path, PathBuf};

use everymove_kernel::files::{Disk, FileError, Output, publish};
use everymove_kernel::run::Run;
use everymove_lab::endings::{endings, index, statistics};
use everymove_lab::report::File;
use everymove_tables::{Material, TableError, Tables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::SideCounts;
use super::source::{Metric, TABLES, folder_with, material};
use crate::error::Error;
use crate::request::{Answer, Request};

/// Writes a page for each ending, with counts, a chart, longest wins with their lines and mutual
/// zugzwangs, and a page that lists them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PagesRequest {
    /// The ending, for example KRBvKR, a table file (.dtm, .dtz, .dtm50, .dtc), or a directory:
    /// all endings that have tables in it
    pub material: String,
    /// The directory of the tables, if `material` is an ending [default: tables]
    pub tables: Option<PathBuf>,
    /// How many positions of each kind are listed [default: 3]
    pub number: Option<usize>,
    /// The directory of the pages
    pub out: PathBuf,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct PagesPlan {
    subject: Subject,
    examples: usize,
    out: PathBuf,
}

#[derive(Clone, Debug)]
enum Subject {
    Folder(PathBuf),
    File(PathBuf),
    Ending(PathBuf, Material),
}

/// The pages that were written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PagesAnswer {
    /// The files: a page for each ending, then the page that lists them.
    pub files: Vec<String>,
    /// What the tables hold.
    pub tables: Vec<TableCounts>,
}

/// What a table holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TableCounts {
    /// The ending.
    pub material: String,
    /// What the distances count.
    pub metric: Metric,
    /// Counts with White to move.
    pub white_to_move: SideCounts,
    /// Counts with Black to move.
    pub black_to_move: SideCounts,
    /// Number of mutual zugzwangs up to symmetry.
    pub mutual_zugzwangs: u64,
}

impl Request for PagesRequest {
    const COMMAND: &'static str = "tables stats --html";
    type Plan = PagesPlan;
    type Answer = PagesAnswer;

    fn plan(&self) -> Result<PagesPlan, Error> {
        let path = Path::new(&self.material);
        let extension = path.extension().and_then(|e| e.to_str());
        let subject = match extension {
            Some("dtm" | "dtz" | "dtm50" | "dtc") => Subject::File(path.to_owned()),
            _ if path.is_dir() => Subject::Folder(path.to_owned()),
            _ => {
                let path = self.tables.clone().unwrap_or_else(|| TABLES.into());
                let material = material(&self.material)?;
                let folder = folder_with(&path, &material, &everymove_tables::Metric::ALL)?;
                Subject::Ending(folder, material)
            }
        };
        Ok(PagesPlan {
            subject,
            examples: self.number.unwrap_or(3),
            out: self.out.clone(),
        })
    }

    fn run(plan: &PagesPlan, run: &Run) -> Result<PagesAnswer, Error> {
        let (folder, materials) = match &plan.subject {
            Subject::Folder(folder) => (folder.clone(), endings(folder)?),
            Subject::File(file) => {
                let (tables, material) = Tables::beside(file)?;
                (tables.folder().to_owned(), vec![material])
            }
            Subject::Ending(folder, material) => (folder.clone(), vec![material.clone()]),
        };
        // The directory is tried before the tables are counted.
        let refuse = |e| FileError::io("create", plan.out.display().to_string(), e);
        std::fs::create_dir_all(&plan.out).map_err(refuse)?;
        Output::prepare(plan.out.join("index.html"))?;
        let out = Disk::new(&plan.out);
        let mut answer = PagesAnswer {
            files: Vec::new(),
            tables: Vec::new(),
        };
        let mut counted = Vec::new();
        for material in &materials {
            let found = statistics(&folder, material, plan.examples, run)?;
            let page = found.page().map_err(Error::machine)?;
            answer.files.push(write(&out, &page)?);
            answer
                .tables
                .extend(found.tables.iter().map(|table| TableCounts {
                    material: material.to_string(),
                    metric: table.metric.into(),
                    white_to_move: SideCounts::new(&table.stats.white, table.metric),
                    black_to_move: SideCounts::new(&table.stats.black, table.metric),
                    mutual_zugzwangs: table.zugzwangs,
                }));
            counted.push(found);
        }
        answer.files.push(write(&out, &index(&counted))?);
        Ok(answer)
    }
}

impl Answer for PagesAnswer {}

/// Publishes a page and returns its path.
fn write(out: &Disk, page: &File) -> Result<String, TableError> {
    publish(out, &page.name, |draft| draft.put(page.text.as_bytes()))?;
    Ok(out.folder().join(&page.name).display().to_string())
}
