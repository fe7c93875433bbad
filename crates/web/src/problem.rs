//! Errors as problem+json (RFC 9457).

use std::sync::Arc;

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use everymove_api::{Error, ErrorKind};
use everymove_kernel::run::Reservation;
use serde::{Deserialize, Serialize};

use crate::app::App;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// `/problems/` and a word that names the kind.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The kind in words.
    pub(crate) title: String,
    /// The HTTP status.
    pub(crate) status: u16,
    /// What is wrong and what is expected, in one line.
    pub(crate) detail: String,
    /// The field of the request that is wrong, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
    /// Seconds after which the request may be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        kind: &str,
        title: &str,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind: format!("/problems/{kind}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            field: None,
            retry_after: None,
        }
    }

    /// A body that is longer than the server accepts.
    pub(crate) fn too_long() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-long",
            "The body is too long",
            "the body is longer than the server accepts",
        )
    }

    /// The request is wrong.
    pub(crate) fn input(field: Option<&str>, detail: impl Into<String>) -> Self {
        let title = "The request is wrong";
        Self {
            field: field.map(str::to_owned),
            ..Self::new(StatusCode::BAD_REQUEST, "input", title, detail)
        }
    }

    /// There is no such thing.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    /// All threads are in use and the queue is full.
    pub(crate) fn busy(detail: impl Into<String>) -> Self {
        let title = "The server is busy";
        Self {
            retry_after: Some(1),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", title, detail)
        }
    }

    /// The work was stopped before it was done.
    pub(crate) fn stopped() -> Self {
        let title = "The work was stopped";
        let detail = "stopped before the answer was complete";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", title, detail)
    }

    /// A fault of the program.
    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        let title = "The server failed";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", title, detail)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string().replace('\n', " ");
        match error.kind() {
            ErrorKind::Input => Self::input(error.wrong_field(), detail),
            ErrorKind::Memory { .. } => {
                let title = "The request needs more memory than the server gives one request";
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "memory", title, detail)
            }
            ErrorKind::Stopped => Self::stopped(),
            _ => Self::internal(detail),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The body of a request, within the limits on length, time and memory.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    /// Their memory.
    pub(crate) held: Reservation,
}

impl FromRequest<Arc<App>> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        // Of a body without a length nothing is known but the limit.
        let length = request.body().size_hint().upper();
        let most = app.config.limits.body as u64;
        let held = (app.traffic).reserve("the body", length.unwrap_or(most).min(most));
        let held = held.map_err(|_| Problem::busy("too many requests wait"))?;
        let bytes = Bytes::from_request(request, app).await;
        let bytes = bytes.map_err(|refused| match refused.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::too_long(),
            _ => Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "body",
                "The body did not arrive",
                "the body was not received completely in time",
            ),
        })?;
        Ok(Self { bytes, held })
    }
}
