//! Stored reports of experiments.

use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::{self, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use everymove_api::lab::{StoredRun, stored_file, stored_run, stored_runs};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::assets::{media_type, tagged};
use crate::problem::Problem;

/// A run in the list.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    id: String,
    created: u64,
    command: String,
    commit: String,
    version: String,
    processor: String,
    cores: usize,
    /// The address of the page that summarizes it.
    href: String,
    reports: Vec<Link>,
}

/// A report of a run in the list.
#[derive(Debug, Serialize)]
struct Link {
    name: String,
    title: String,
    checks: usize,
    agree: usize,
    href: String,
}

impl From<StoredRun> for Entry {
    fn from(run: StoredRun) -> Self {
        let place = format!("/lab/reports/{}", run.id);
        let link = |report: everymove_api::lab::StoredReport| Link {
            href: format!("{place}/{}", report.page),
            checks: report.checks.len(),
            agree: report.checks.iter().filter(|check| check.agrees).count(),
            name: report.name,
            title: report.title,
        };
        Self {
            reports: run.reports.into_iter().map(link).collect(),
            href: format!("{place}/index.html"),
            id: run.id,
            created: run.created,
            command: run.command,
            commit: run.commit,
            version: run.version,
            processor: run.processor,
            cores: run.cores,
        }
    }
}

/// The stored runs of a folder as a server lists them, the newest first.
pub fn report_list(folder: &Path) -> Value {
    let runs: Vec<_> = stored_runs(folder).into_iter().map(Entry::from).collect();
    serde_json::to_value(runs).unwrap_or_default()
}

/// `GET /api/v1/lab/reports`: the stored runs, the newest first.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<Entry>>, Problem> {
    let folder = app.config.site.reports.clone();
    let runs = crate::direct::work(&app, 1, move |_| {
        let runs = folder.as_deref().map(stored_runs).unwrap_or_default();
        runs.into_iter().map(Entry::from).collect()
    });
    Ok(Json(runs.await?))
}

/// `GET /api/v1/lab/reports/ID`: one run with its tables.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    extract::Path(id): extract::Path<String>,
) -> Result<Json<StoredRun>, Problem> {
    let folder = app.config.site.reports.clone();
    let run = crate::direct::work(&app, 1, move |_| stored_run(folder.as_deref()?, &id));
    let run = run.await?;
    run.map(Json)
        .ok_or_else(|| Problem::not_found("no such run"))
}

/// `GET /lab/reports/ID/FILE`: a page, picture or table.
pub(crate) async fn file(
    State(app): State<Arc<App>>,
    extract::Path((id, name)): extract::Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let missing = || Problem::not_found("no such report");
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "csv")) => "text/csv; charset=utf-8",
        _ => media_type(&name).ok_or_else(missing)?,
    };
    let folder = app.config.site.reports.clone();
    let bytes = crate::direct::work(&app, 1, move |_| {
        stored_file(folder.as_deref()?, &id, &name)
    });
    let bytes = bytes.await?.ok_or_else(missing)?;
    let policy = policy(&bytes);
    let mut response = tagged(kind, bytes, &headers);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        let fields = response.headers_mut();
        fields.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// What a report may load: nothing but the style sheets that it holds, named by their hashes. Pages
/// of the server may show it in a frame.
fn policy(page: &[u8]) -> String {
    let text = String::from_utf8_lossy(page);
    let sheets = text.split("<style>").skip(1);
    let sheets = sheets.filter_map(|rest| rest.split_once("</style>"));
    let hashes = sheets.map(|(sheet, _)| {
        let hash = STANDARD.encode(Sha256::digest(sheet.as_bytes()));
        format!(" 'sha256-{hash}'")
    });
    let hashes: String = hashes.collect();
    let style = if hashes.is_empty() {
        " 'none'"
    } else {
        &hashes
    };
    format!(
        "default-src 'none'; style-src{style}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash is that of an independent program: `printf 'p{}' | openssl dgst -sha256 -binary |
    /// base64`.
    #[test]
    fn style_sheets_are_named_by_their_hashes() {
        let policy = policy(b"<html><style>p{}</style><p>");
        assert!(
            policy.contains(
                "style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; base-uri"
            ),
            "{policy}"
        );
        assert!(super::policy(b"<svg>").contains("style-src 'none'"));
    }
}
