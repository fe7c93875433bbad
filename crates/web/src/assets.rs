//! Scripts, style sheets and parts of pages: embedded in the program, or read from a folder while
//! they are written.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::extract::{self, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_kernel::files::read_file;
use rust_embed::RustEmbed;
use xxhash_rust::xxh3::xxh3_128;

use crate::app::App;
use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "assets"]
struct Embedded;

/// Where assets come from.
#[derive(Debug)]
pub(crate) enum Assets {
    /// The program itself.
    Embedded,
    /// A folder, absolute and without links.
    Folder(PathBuf),
}

impl Assets {
    pub(crate) fn new(folder: Option<&Path>) -> std::io::Result<Self> {
        Ok(match folder {
            None => Self::Embedded,
            Some(folder) => Self::Folder(folder.canonicalize()?),
        })
    }

    /// The paths of the embedded assets.
    pub(crate) fn names() -> impl Iterator<Item = Cow<'static, str>> {
        Embedded::iter()
    }

    /// The bytes of an asset, by its path below `assets`; `None` where there is none.
    pub(crate) fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Embedded => Embedded::get(name).map(|file| file.data),
            Self::Folder(folder) => {
                let mut parts = Path::new(name).components();
                if !parts.all(|part| matches!(part, Component::Normal(_))) {
                    return None;
                }
                // A link that leads out of the folder is no asset.
                let path = folder.join(name).canonicalize().ok()?;
                let inside = path.starts_with(folder) && path.is_file();
                inside.then(|| read_file(&path).ok())?.map(Cow::Owned)
            }
        }
    }

    /// A part of a page as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        String::from_utf8(self.read(name)?.into_owned()).ok()
    }
}

/// The media type of an asset, by its extension; `None` for files that are not served.
pub(crate) fn media_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

/// `/assets/...`.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    extract::Path(name): extract::Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asset(&app, &name, &headers)
}

/// `/favicon.ico`, which browsers ask for unasked.
pub(crate) async fn favicon(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asset(&app, "icon.svg", &headers)
}

fn asset(app: &App, name: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let missing = || Problem::not_found("no such file");
    let kind = media_type(name).ok_or_else(missing)?;
    let bytes = app.assets.read(name).ok_or_else(missing)?;
    Ok(tagged(kind, bytes, headers))
}

/// Bytes with a strong tag, or 304 where the client has them. Names of assets do not change with
/// their contents, so a client asks every time.
pub(crate) fn tagged(
    kind: &'static str,
    bytes: impl Into<Cow<'static, [u8]>>,
    headers: &HeaderMap,
) -> Response {
    let bytes = bytes.into();
    let tag = format!("\"{:032x}\"", xxh3_128(&bytes));
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok());
    let same = |value: &str| value.split(',').any(|one| one.trim() == tag);
    let mut response = if { known }.any(same) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind)], bytes.into_owned()).into_response()
    };
    let fields = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        fields.insert(header::ETAG, tag);
    }
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The values of an enumeration `field` that the answer of a command, or of any, may have.
    fn enumeration(schema: &Value, field: &str, values: &mut BTreeSet<String>) {
        let children: Vec<(&str, &Value)> = match schema {
            Value::Object(map) => map.iter().map(|(key, value)| (&**key, value)).collect(),
            Value::Array(list) => list.iter().map(|value| ("", value)).collect(),
            _ => return,
        };
        for (key, child) in children {
            if key == field {
                constants(child, values);
            }
            enumeration(child, field, values);
        }
    }

    fn constants(schema: &Value, values: &mut BTreeSet<String>) {
        let alternatives = ["anyOf", "oneOf", "enum"].map(|key| schema[key].as_array());
        for each in alternatives.into_iter().flatten().flatten() {
            match each.as_str().or(each["const"].as_str()) {
                Some(word) => _ = values.insert(word.to_owned()),
                None => constants(each, values),
            }
        }
    }

    /// The scripts of the pages.
    fn scripts() -> Vec<(String, String)> {
        let names = Embedded::iter().filter(|name| name.ends_with(".js"));
        let text = |name: &str| Assets::Embedded.text(name).unwrap();
        names.map(|name| (name.to_string(), text(&name))).collect()
    }

    fn word(text: &str) -> &str {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        &text[..end.unwrap_or(text.len())]
    }

    /// A table of words for the values of a field (`METHODS[answer.method]`) has the words of all
    /// values and no others.
    #[test]
    fn pages_have_words_for_every_value() {
        let schema = everymove_api::catalogue::document();
        let mut tables = 0;
        for (script, text) in scripts() {
            for (at, found) in text.match_indices("[answer.") {
                let table = text[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_');
                let table = table.into_iter().next().unwrap();
                let field = word(&text[at + found.len()..]);
                let (_, command) = text[..at].rsplit_once("answer of `").unwrap();
                let command = command.split('`').next().unwrap();
                let mut values = BTreeSet::new();
                enumeration(&schema["commands"][command]["answer"], field, &mut values);
                if values.is_empty() {
                    continue;
                }
                let (_, rows) = text.split_once(&format!("const {table} = ")).unwrap();
                let (_, rows) = rows.split_once("({").unwrap();
                let (rows, _) = rows.split_once("})").unwrap();
                let keys = rows.lines().filter_map(|line| line.split_once(": "));
                let keys = keys.map(|(key, _)| key.trim().trim_matches('\'').to_owned());
                assert_eq!(keys.collect::<BTreeSet<_>>(), values, "{script}: {table}");
                tables += 1;
            }
        }
        assert!(tables >= 2);
    }

    /// What a script compares a field of an answer with is a value that the field may have.
    #[test]
    fn pages_compare_with_values_that_exist() {
        let schema = everymove_api::catalogue::document();
        let answers: Vec<&Value> = (schema["commands"].as_object().unwrap().values())
            .map(|command| &command["answer"])
            .collect();
        let mut compared = 0;
        for (script, text) in scripts() {
            for (at, found) in text.match_indices("answer.") {
                let rest = &text[at + found.len()..];
                let field = word(rest);
                let operator = rest[field.len()..].get(..6);
                if !matches!(operator, Some(" === '" | " !== '")) {
                    continue;
                }
                let value = rest[field.len() + 6..].split('\'').next().unwrap();
                let mut values = BTreeSet::new();
                for answer in &answers {
                    enumeration(answer, field, &mut values);
                }
                compared += usize::from(!values.is_empty());
                let exists = values.is_empty() || values.contains(value);
                assert!(exists, "{script}: {field} is never '{value}'");
            }
        }
        assert!(compared >= 5);
    }

    #[test]
    fn a_folder_serves_only_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("assets");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.js"), "1").unwrap();
        std::fs::write(dir.path().join("secret.js"), "2").unwrap();
        let assets = Assets::new(Some(&folder)).unwrap();
        assert_eq!(assets.text("a.js").as_deref(), Some("1"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.js", folder.join("link.js")).unwrap();
        for name in [
            "../secret.js",
            "./../secret.js",
            "link.js",
            "/etc/passwd",
            "",
        ] {
            assert_eq!(assets.read(name), None, "{name}");
        }
    }
}
