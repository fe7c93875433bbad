//! Reports in site: written with an index page, listed, read.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use everymove_kernel::files::{Disk, FileError, open_file, publish};
use everymove_lab::report::{Cell, Section, Summary, index, shown};
use everymove_lab::{Report, Setting, experiments};
use serde::{Deserialize, Serialize};

use super::run::CheckAnswer;
use crate::error::Error;

/// The file that describes the reports of a folder.
const DESCRIPTION: &str = "run.json";

/// The page that shows the reports of a folder.
const INDEX: &str = "index.html";

/// Larger files are not read.
const MOST_BYTES: u64 = 64 << 20;

/// Runs that are listed; the newest.
const MOST_RUNS: usize = 200;

/// The reports of a run of the lab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredRun {
    /// The name of its folder.
    #[serde(default)]
    pub id: String,
    /// When it ended, in seconds since 1970.
    pub created: u64,
    /// The command that makes the reports again.
    pub command: String,
    /// The version of everymove.
    pub version: String,
    /// The commit that the program was built from.
    pub commit: String,
    /// The processor as its maker names it.
    pub processor: String,
    /// Threads that the machine runs at the same time.
    pub cores: usize,
    /// The memory of the machine.
    pub memory: String,
    /// Operating system and architecture.
    pub system: String,
    /// The reports.
    pub reports: Vec<StoredReport>,
}

/// A report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredReport {
    /// The experiment.
    pub name: String,
    /// Its headline.
    pub title: String,
    /// What it asked and how.
    pub notes: Vec<String>,
    /// Its tables.
    pub tables: Vec<StoredTable>,
    /// Results beside known ones.
    pub checks: Vec<CheckAnswer>,
    /// The page.
    pub page: String,
    /// The pictures of its charts.
    pub charts: Vec<String>,
}

/// A table, as it is shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredTable {
    /// Its title.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Which columns hold numbers.
    pub numeric: Vec<bool>,
}

impl StoredReport {
    fn new(report: &Report) -> Self {
        let table = |section: &Section| match section {
            Section::Table(table) => Some(StoredTable {
                title: table.title.clone(),
                head: table.head.iter().map(|&head| head.to_owned()).collect(),
                rows: (table.rows.iter())
                    .map(|row| row.iter().map(shown).collect())
                    .collect(),
                numeric: (table.rows.first().into_iter().flatten())
                    .map(|cell| !matches!(cell, Cell::Text(_)))
                    .collect(),
            }),
            _ => None,
        };
        let chart = |section: &Section| match section {
            Section::Lines(name, _) | Section::Bars(name, _) | Section::Timeline(name, _) => {
                Some(format!("{}-{name}.svg", report.name))
            }
            Section::Table(_) => None,
        };
        Self {
            name: report.name.to_owned(),
            title: report.title.clone(),
            notes: report.notes.clone(),
            tables: report.sections.iter().filter_map(table).collect(),
            checks: report.checks.iter().map(CheckAnswer::from).collect(),
            page: format!("{}.html", report.name),
            charts: report.sections.iter().filter_map(chart).collect(),
        }
    }

    fn summary(&self) -> Summary {
        let finding = self.checks.first();
        Summary {
            name: self.name.clone(),
            title: self.title.clone(),
            checks: self.checks.len(),
            agree: self.checks.iter().filter(|check| check.agrees).count(),
            finding: finding.map_or(String::new(), CheckAnswer::finding),
        }
    }
}

/// Writes the files of a report into a folder and returns their names.
///
/// # Errors
/// [`Error`] if a chart cannot be drawn or a file not written.
pub(super) fn write_report(
    out: &Disk,
    report: &Report,
    setting: &Setting,
) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for file in report.files(setting).map_err(Error::machine)? {
        publish(out, &file.name, |draft| draft.put(file.text.as_bytes()))?;
        names.push(file.name);
    }
    Ok(names)
}

/// Writes the page that summarizes the reports of a folder, new ones and those that it already
/// describes, and their description for programs; returns the names.
///
/// # Errors
/// [`Error`] if a chart cannot be drawn or a file not written.
pub(super) fn write_index(
    out: &Disk,
    reports: &[Report],
    setting: &Setting,
) -> Result<Vec<String>, Error> {
    let known = read(&out.folder().join(DESCRIPTION));
    let known = known.and_then(|bytes| serde_json::from_slice::<StoredRun>(&bytes).ok());
    let mut all: Vec<_> = known.into_iter().flat_map(|known| known.reports).collect();
    all.retain(|old| reports.iter().all(|new| new.name != old.name));
    all.extend(reports.iter().map(StoredReport::new));
    all.sort_by_key(|report| experiments().iter().position(|e| e.name == report.name));
    let summaries: Vec<_> = all.iter().map(StoredReport::summary).collect();
    let page = index(&summaries, reports, setting).map_err(Error::machine)?;
    publish(out, INDEX, |draft| draft.put(page.as_bytes()))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let run = StoredRun {
        id: String::new(),
        created: now.unwrap_or_default().as_secs(),
        command: setting.command.clone(),
        version: setting.version.clone(),
        commit: setting.commit.clone(),
        processor: setting.processor.clone(),
        cores: setting.cores,
        memory: setting.memory.clone(),
        system: setting.system.clone(),
        reports: all,
    };
    let json = serde_json::to_vec_pretty(&run).map_err(Error::machine)?;
    publish(out, DESCRIPTION, |draft| draft.put(&json))?;
    Ok(vec![INDEX.to_owned(), DESCRIPTION.to_owned()])
}

/// A folder of its own for a run, below `reports`; returns its name and the folder.
///
/// # Errors
/// [`Error`] if it cannot be made.
pub(crate) fn new_folder(reports: &Path, name: &str) -> Result<(String, Disk), Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.unwrap_or_default().as_secs();
    for number in 0..100 {
        let id = match number {
            0 => format!("{seconds}-{name}"),
            n => format!("{seconds}-{name}-{n}"),
        };
        let path = reports.join(&id);
        fs::create_dir_all(reports).map_err(refused(reports))?;
        match fs::create_dir(&path) {
            Ok(()) => return Ok((id, Disk::new(path))),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused(&path)(error).into()),
        }
    }
    Err(Error::machine("there is no free name for the reports"))
}

fn refused(path: &Path) -> impl Fn(std::io::Error) -> FileError {
    let name = path.display().to_string();
    move |error| FileError::io("create", name.clone(), error)
}

/// The runs below a folder, the newest first. Folders without a description are left out.
pub fn stored_runs(reports: &Path) -> Vec<StoredRun> {
    let entries = fs::read_dir(reports).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut runs: Vec<_> = { names }
        .filter_map(|id| stored_run(reports, &id))
        .collect();
    runs.sort_by(|a, b| (b.created, &b.id).cmp(&(a.created, &a.id)));
    runs.truncate(MOST_RUNS);
    runs
}

/// One run below a folder.
pub fn stored_run(reports: &Path, id: &str) -> Option<StoredRun> {
    let bytes = stored_file(reports, id, DESCRIPTION)?;
    let mut run: StoredRun = serde_json::from_slice(&bytes).ok()?;
    id.clone_into(&mut run.id);
    Some(run)
}

/// A file of a run below a folder; `None` if there is none, or a name is not plain.
pub fn stored_file(reports: &Path, id: &str, name: &str) -> Option<Vec<u8>> {
    let plain = |text: &str| {
        let known = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        !text.is_empty() && !text.starts_with('.') && text.bytes().all(known)
    };
    if !plain(id) || !plain(name) {
        return None;
    }
    read(&reports.join(id).join(name))
}

/// A plain file; `None` if it cannot be read or is too large.
fn read(path: &Path) -> Option<Vec<u8>> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > MOST_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    let file = open_file(path).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report {
            name: "sample",
            title: "a < b".into(),
            notes: vec!["why".into()],
            sections: Vec::new(),
            checks: vec![everymove_lab::Check {
                what: "tours".into(),
                found: "8".into(),
                known: "8".into(),
                source: "a table".into(),
            }],
        }
    }

    #[test]
    fn reports_are_written_listed_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let setting = Setting::here("1.0", "abc", "lab run sample".into());
        let (id, out) = new_folder(folder.path(), "sample").unwrap();
        let (other, _) = new_folder(folder.path(), "sample").unwrap();
        assert_ne!(id, other);
        let names = write_report(&out, &report(), &setting).unwrap();
        assert_eq!(names, ["sample.html"]);
        write_index(&out, &[report()], &setting).unwrap();
        let other = Report {
            name: "another",
            ..report()
        };
        write_index(&out, &[other], &setting).unwrap();
        let runs = stored_runs(folder.path());
        assert_eq!((runs.len(), &runs[0].id), (1, &id));
        let names: Vec<_> = runs[0].reports.iter().map(|r| &*r.name).collect();
        assert_eq!(names, ["sample", "another"]);
        assert!(runs[0].reports[0].checks[0].agrees);
        let page = stored_file(folder.path(), &id, "index.html").unwrap();
        let page = String::from_utf8(page).unwrap();
        for part in [
            "a &lt; b",
            "why",
            "sample.html",
            "another.html",
            "2 of 2",
            "abc",
            "lab run sample",
        ] {
            assert!(page.contains(part), "{part}");
        }
        for (id, name) in [
            ("..", "passwd"),
            (&*id, "../run.json"),
            (&*id, ".."),
            ("", "run.json"),
            (&*id, "none.html"),
            ("/etc", "passwd"),
        ] {
            assert_eq!(stored_file(folder.path(), id, name), None, "{id} {name}");
        }
    }
}
