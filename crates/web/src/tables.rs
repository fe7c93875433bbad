//! Which endgame tables there are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::app::App;
use crate::problem::Problem;

/// An ending and the kinds of its tables.
#[derive(Debug, Serialize)]
pub(crate) struct Ending {
    material: String,
    #[serde(flatten)]
    kinds: Kinds,
}

/// The kinds of tables of an ending.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Kinds {
    dtm: bool,
    dtz: bool,
    dtm50: bool,
    dtc: bool,
    syzygy: bool,
}

/// `GET /api/v1/tables`: the endings of the server's folders, those with fewer pieces first.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<Ending>>, Problem> {
    let site = app.config.site.clone();
    let endings = crate::direct::work(&app, 1, move |_| {
        endings(site.tables.iter().chain(&site.syzygy).map(AsRef::as_ref))
    });
    Ok(Json(endings.await?))
}

fn endings<'a>(folders: impl Iterator<Item = &'a Path>) -> Vec<Ending> {
    let mut found: BTreeMap<(usize, String), Kinds> = BTreeMap::new();
    let entries = folders
        .filter_map(|folder| folder.read_dir().ok())
        .flatten()
        .flatten();
    for entry in entries {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let ending = path.extension().and_then(|ending| ending.to_str());
        let (Some(stem), Some(ending)) = (stem, ending) else {
            continue;
        };
        let set: fn(&mut Kinds) = match ending {
            "dtm" => |kinds| kinds.dtm = true,
            "dtz" => |kinds| kinds.dtz = true,
            "dtm50" => |kinds| kinds.dtm50 = true,
            "dtc" => |kinds| kinds.dtc = true,
            "rtbz" => |kinds| kinds.syzygy = true,
            _ => continue,
        };
        let is_name = stem.starts_with('K') && stem.bytes().all(|c| b"KQRBNPv".contains(&c));
        if is_name {
            set(found.entry((stem.len(), stem.to_owned())).or_default());
        }
    }
    let ending = |((_, material), kinds)| Ending { material, kinds };
    found.into_iter().map(ending).collect()
}
