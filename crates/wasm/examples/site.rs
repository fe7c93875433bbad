//! Makes the site without a server: `site OUT PROGRAM WASI [REPORTS]`. `PROGRAM` is the compiled
//! library, `WASI` the folder `dist` of the npm package `@bjorn3/browser_wasi_shim`, `REPORTS` a
//! folder of `everymove lab run`. `cargo xtask site` calls it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use everymove_api::catalogue;
use everymove_draw::raster::Raster;
use everymove_kernel::run::{Ram, Run};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

/// The files of the site by their paths.
type Files = BTreeMap<String, Vec<u8>>;

/// The positions of the page of parallel search.
const POSITIONS: [&str; 4] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 8",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 10",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P4P1/5K2/8 w - - 0 40",
];

fn main() -> Result<()> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let [out, program, wasi, reports @ ..] = &words[..] else {
        bail!("expected: site OUT PROGRAM WASI [REPORTS]");
    };
    let mut files: Files = everymove_web::site_files().into_iter().collect();
    add_program(&mut files, Path::new(program), Path::new(wasi))?;
    let (list, _) = ask("lab list", &json!({}), 1)?;
    files.insert("lab/list.json".into(), list.to_string().into());
    files.insert("lab/reports.json".into(), b"[]".into());
    if let [folder] = reports {
        add_reports(&mut files, Path::new(folder))?;
    }
    let script = &files["assets/parallel.js"];
    let shown = String::from_utf8_lossy(script).matches(" w - - 0 ").count();
    // One of them is the initial position, which the script has by name.
    ensure!(
        shown + 1 == POSITIONS.len(),
        "the page of parallel search has other positions"
    );
    let runs = POSITIONS.map(|fen| -> Result<Value> {
        let (answer, lines) = ask("chess compare", &json!({ "fen": fen, "time": 1 }), 2)?;
        Ok(json!({ "fen": fen, "answer": answer, "lines": lines }))
    });
    let runs: Vec<_> = runs.into_iter().collect::<Result<_>>()?;
    files.insert("parallel.json".into(), serde_json::to_vec(&runs)?);
    add_offline(&mut files)?;
    let mut sent = 0;
    for (name, bytes) in &files {
        let path = Path::new(out).join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(out)))?;
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        sent += compressed(bytes)?.len().min(bytes.len());
    }
    let count = files.len();
    let shown = format!("{out}: {count} files, {sent} bytes compressed\n");
    Ok(std::io::stdout().write_all(shown.as_bytes())?)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().to_str().map(str::to_owned));
    }
    Ok(names)
}

/// What answers in the page.
fn add_program(files: &mut Files, program: &Path, wasi: &Path) -> Result<()> {
    let local = "assets/local";
    for (name, text) in [
        ("client.js", include_str!("../page/client.js")),
        ("worker.js", include_str!("../page/worker.js")),
    ] {
        files.insert(format!("{local}/{name}"), text.into());
    }
    files.insert(
        format!("{local}/everymove.wasm.gz"),
        compressed(&read(program)?)?,
    );
    for name in names(wasi)?.iter().filter(|name| name.ends_with(".js")) {
        files.insert(format!("{local}/wasi/{name}"), read(&wasi.join(name))?);
    }
    Ok(())
}

/// An answer and the lines before it, each with the milliseconds after which it came.
fn ask(command: &str, request: &Value, threads: usize) -> Result<(Value, Vec<Value>)> {
    let prepared = catalogue::find(command)?.prepare(request.to_string().as_bytes(), None)?;
    let (begin, mut lines) = (Instant::now(), Vec::new());
    let run = Run::new(threads, Ram::unlimited());
    let answer = prepared(&run, &mut |line| {
        lines.push(json!({ "at": begin.elapsed().as_millis() as u64, "line": line }));
    })?;
    Ok((serde_json::from_slice(&answer.json)?, lines))
}

/// The stored runs, as a server lists them, and their files.
fn add_reports(files: &mut Files, folder: &Path) -> Result<()> {
    let runs = everymove_web::report_list(folder);
    for run in runs.as_array().into_iter().flatten() {
        let id = run["id"].as_str().context("a run without a name")?;
        for name in names(&folder.join(id))? {
            let path = folder.join(id).join(&name);
            if path.is_file() {
                files.insert(format!("lab/reports/{id}/{name}"), read(&path)?);
            }
        }
    }
    // Addresses within the site begin at its own root.
    let list = runs
        .to_string()
        .replace("\"/lab/reports/", "\"lab/reports/");
    files.insert("lab/reports.json".into(), list.into());
    Ok(())
}

/// What makes the site work without a network, and as an app.
fn add_offline(files: &mut Files) -> Result<()> {
    let icon = String::from_utf8(files["assets/icon.svg"].clone())?;
    let large = icon.replacen("viewBox", "width=\"512\" height=\"512\" viewBox", 1);
    files.insert("assets/icon.png".into(), Raster::new(&large)?.png()?);
    let manifest = json!({
        "name": "everymove",
        "short_name": "everymove",
        "description": "Knight's tours, peg solitaire, chess endings and a chess engine",
        "start_url": "index.html",
        "display": "standalone",
        "theme_color": "#0a6b6b",
        "background_color": "#ffffff",
        "icons": [
            { "src": "assets/icon.svg", "sizes": "any", "type": "image/svg+xml" },
            { "src": "assets/icon.png", "sizes": "512x512", "type": "image/png" },
        ],
    });
    files.insert("manifest.webmanifest".into(), manifest.to_string().into());
    let kept: Vec<_> = (files.keys())
        .filter(|name| !name.starts_with("lab/reports/"))
        .collect();
    let sums: Vec<u8> = files
        .values()
        .flat_map(|bytes| xxh3_64(bytes).to_le_bytes())
        .collect();
    let version = json!(format!("everymove-{:016x}", xxh3_64(&sums)));
    let script = include_str!("../page/offline.js")
        .replacen("'VERSION'", &version.to_string(), 1)
        .replacen("= []", &format!("= {}", json!(kept)), 1);
    files.insert("offline.js".into(), script.into());
    Ok(())
}
