//! Pages: one layout around static parts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::app::App;
use crate::assets::{Assets, tagged};
use crate::problem::Problem;

/// A page.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its address, and the name of its part and script.
    pub(crate) name: &'static str,
    /// Its title, and its name in the navigation.
    title: &'static str,
    /// What it is for, in a line.
    about: &'static str,
}

/// All pages, in the order of the navigation.
pub(crate) const PAGES: [Page; 8] = [
    Page {
        name: "index",
        title: "everymove",
        about: "Board questions answered completely: knight's tours, peg solitaire, chess endings, a chess engine",
    },
    Page {
        name: "tours",
        title: "Tours",
        about: "Find, draw, sample and count knight's tours of any board",
    },
    Page {
        name: "pegs",
        title: "Pegs",
        about: "Play peg solitaire and see which jumps keep the game winnable",
    },
    Page {
        name: "chess",
        title: "Chess",
        about: "Play against the engine, analyse positions and games",
    },
    Page {
        name: "endgames",
        title: "Endgames",
        about: "The exact value of every move in positions with few pieces",
    },
    Page {
        name: "parallel",
        title: "Parallel search",
        about: "One position searched by five parallel strategies side by side",
    },
    Page {
        name: "lab",
        title: "Lab",
        about: "Experiments: run them, watch them, read their reports",
    },
    Page {
        name: "api",
        title: "API",
        about: "The interface for programs: every request and answer",
    },
];

impl Page {
    /// `/tours`.
    pub(crate) fn path(&self) -> String {
        match self.name {
            "index" => "/".to_owned(),
            name => format!("/{name}"),
        }
    }

    /// Its address from another page: `tours`, or `tours.html` of a site without a server.
    fn link(&self, is_local: bool) -> String {
        match (self.name, is_local) {
            ("index", false) => "./".to_owned(),
            (name, false) => name.to_owned(),
            (name, true) => format!("{name}.html"),
        }
    }

    /// The page for a site without a server, in which a page asks its own workers; `None` for the
    /// pages that need a server.
    pub(crate) fn local(&self, part: &str) -> Option<String> {
        let has_place = self.name != "api";
        let part = (PAGES.iter()).fold(part.to_owned(), |part, page| {
            let [from, to] = [false, true].map(|local| format!("href=\"{}\"", page.link(local)));
            part.replace(&from, &to)
        });
        has_place.then(|| layout(self, &part, true).into_string())
    }

    fn of(path: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.path() == path)
    }
}

/// The pages, scripts and style sheets of a site without a server, by their paths in it. What
/// answers in the page (in `assets/local`) and what is recorded comes from whoever makes the site.
pub fn site_files() -> Vec<(String, Vec<u8>)> {
    let assets = Assets::Embedded;
    let pages = PAGES.iter().filter_map(|page| {
        let html = page.local(&assets.text(&format!("pages/{}.html", page.name))?)?;
        Some((page.link(true), html.into_bytes()))
    });
    let others =
        Assets::names().filter(|name| !name.starts_with("pages/") && !name.starts_with("api/"));
    let others = others
        .filter_map(|name| Some((format!("assets/{name}"), assets.read(&name)?.into_owned())));
    pages.chain(others).collect()
}

/// A page by its address.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = Page::of(uri.path()).ok_or_else(|| Problem::not_found("no such page"))?;
    let part = app.assets.text(&format!("pages/{}.html", page.name));
    let part = part.ok_or_else(|| Problem::not_found("this page is not written yet"))?;
    let html = layout(page, &part, false).into_string();
    let bytes = html.into_bytes();
    Ok(tagged("text/html; charset=utf-8", bytes, &headers))
}

/// What a page without a server may load: nothing of other sites.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:";

/// The pieces that the page of tours offers, with their leaps.
fn pieces() -> Markup {
    html! {
        @for (name, leaper) in everymove_api::tours::named_pieces() {
            @let value = if name == "knight" { "" } else { name };
            @let leaps = leaper.leaps().into_iter().map(|(row, col)| format!("{row},{col}"));
            @let leaps = leaps.collect::<Vec<_>>().join(" ");
            option value=(value) selected[value.is_empty()] data-leaps=(leaps) {
                (name) " (" (leaper.notation()) ")"
            }
        }
    }
}

fn layout(page: &Page, part: &str, is_local: bool) -> Markup {
    let part = &part.replace("<!-- pieces -->", &pieces().into_string());
    let title = match page.name {
        "index" => "everymove".to_owned(),
        _ => format!("{} - everymove", page.title),
    };
    // A choice made before the page's code runs would be lost: the content is inert until `ready`
    // of dom.js is called.
    let needs_code = page.name != "index";
    html! {
        (DOCTYPE)
        html lang="en" data-local[is_local] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                @if is_local {
                    meta http-equiv="content-security-policy" content=(POLICY);
                    link rel="manifest" href="manifest.webmanifest";
                }
                meta name="color-scheme" content="light dark";
                meta name="description" content=(page.about);
                link rel="icon" href="assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="assets/style.css";
                @for module in ["dom", "api", "state"] {
                    link rel="modulepreload" href=(format!("assets/{module}.js"));
                }
                script type="module" src=(format!("assets/{}.js", page.name)) {}
            }
            body data-page=(page.name) {
                a.skip href="#main" { "Skip to the content" }
                header.site {
                    a.brand href=(PAGES[0].link(is_local)) aria-current=[(page.name == "index").then_some("page")] {
                        img src="assets/icon.svg" alt="" width="24" height="24";
                        " everymove"
                    }
                    nav aria-label="Pages" {
                        @for other in PAGES.iter().filter(|other| other.name != "index" && !(is_local && other.name == "api")) {
                            @let current = (other.name == page.name).then_some("page");
                            a href=(other.link(is_local)) aria-current=[current] { (other.title) }
                        }
                    }
                }
                main #main tabindex="-1" inert[needs_code] { (PreEscaped(part)) }
                footer.site {
                    "everymove " (env!("CARGO_PKG_VERSION")) ", GPL-3.0-or-later"
                    @if is_local {
                        ". Everything is computed in this page, on one thread, with up to 1 GB of memory; nothing leaves this device. More threads, \
                         longer work and files: "
                        code { "everymove serve" }
                        "."
                    }
                }
            }
        }
    }
}
