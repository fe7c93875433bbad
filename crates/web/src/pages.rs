//! Pages: one layout around static parts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::app::App;
use crate::assets::tagged;
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

    fn of(path: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.path() == path)
    }
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
    let html = layout(page, &part).into_string();
    let bytes = html.into_bytes();
    Ok(tagged("text/html; charset=utf-8", bytes, &headers))
}

fn layout(page: &Page, part: &str) -> Markup {
    let title = match page.name {
        "index" => "everymove".to_owned(),
        _ => format!("{} - everymove", page.title),
    };
    // A choice made before the page's code runs would be lost: the content is inert until `ready` of dom.js is called.
    let needs_code = page.name != "index";
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                meta name="color-scheme" content="light dark";
                meta name="description" content=(page.about);
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/style.css";
                @for module in ["dom", "api", "state"] {
                    link rel="modulepreload" href=(format!("/assets/{module}.js"));
                }
                script type="module" src=(format!("/assets/{}.js", page.name)) {}
            }
            body data-page=(page.name) {
                a.skip href="#main" { "Skip to the content" }
                header.site {
                    a.brand href="/" aria-current=[(page.name == "index").then_some("page")] {
                        img src="/assets/icon.svg" alt="" width="24" height="24";
                        " everymove"
                    }
                    nav aria-label="Pages" {
                        @for other in PAGES.iter().filter(|other| other.name != "index") {
                            @let current = (other.name == page.name).then_some("page");
                            a href=(other.path()) aria-current=[current] { (other.title) }
                        }
                    }
                }
                main #main tabindex="-1" inert[needs_code] { (PreEscaped(part)) }
                footer.site { "everymove " (env!("CARGO_PKG_VERSION")) ", GPL-3.0-or-later" }
            }
        }
    }
}
