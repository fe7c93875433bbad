//! `/standard`: the addresses of the public Lichess tablebase service, so that its clients can use
//! this server.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_api::tables::ServiceError;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::direct::work;
use crate::problem::Problem;

/// The position of a request.
#[derive(Debug, Deserialize)]
pub(crate) struct Position {
    fen: String,
}

type Fen = Result<Query<Position>, QueryRejection>;

/// `/standard`: a position and its moves.
pub(crate) async fn position(State(app): State<Arc<App>>, fen: Fen) -> Response {
    let fen = match fen {
        Ok(Query(Position { fen })) => fen,
        Err(_) => return missing(),
    };
    let tables = app.tables.clone();
    let found = work(&app, 1, move |_| json(&tables.standard(&fen)?)).await;
    respond(found)
}

/// `/standard/mainline`: the best play from a position.
pub(crate) async fn mainline(State(app): State<Arc<App>>, fen: Fen) -> Response {
    let fen = match fen {
        Ok(Query(Position { fen })) => fen,
        Err(_) => return missing(),
    };
    let tables = app.tables.clone();
    let found = work(&app, 1, move |_| json(&tables.mainline(&fen)?)).await;
    respond(found)
}

fn missing() -> Response {
    (StatusCode::BAD_REQUEST, "expected ?fen=\n").into_response()
}

fn json(answer: &impl Serialize) -> Result<Vec<u8>, ServiceError> {
    serde_json::to_vec(answer).map_err(|e| ServiceError::Position(e.to_string()))
}

fn respond(found: Result<Result<Vec<u8>, ServiceError>, Problem>) -> Response {
    let mut response = match found {
        Err(problem) => problem.into_response(),
        Ok(Ok(json)) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Ok(Err(error)) => {
            let status = match &error {
                ServiceError::Position(_) => StatusCode::BAD_REQUEST,
                ServiceError::Unknown => StatusCode::NOT_FOUND,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            (status, format!("{error}\n")).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
