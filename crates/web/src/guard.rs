//! Which requests are let in, and the headers of every response.

use std::collections::HashSet;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use everymove_kernel::text::shown;

use crate::app::App;
use crate::problem::Problem;

/// The names under which the server may be addressed: addresses in digits, `localhost` and those of
/// the settings. A page of another site whose name an attacker points at this machine (DNS
/// rebinding) is refused by its `Host`; no name resolves to an address in digits.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Arc<HashSet<String>>);

impl Hosts {
    pub(crate) fn new(names: &[String]) -> Self {
        let names = names.iter().map(|name| name.to_ascii_lowercase());
        Self(Arc::new(names.chain(["localhost".to_owned()]).collect()))
    }

    fn knows(&self, authority: &str) -> bool {
        let name = match authority.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => authority,
        };
        let six = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let in_digits = match six {
            Some(six) => six.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        in_digits || self.0.contains(&name.to_ascii_lowercase())
    }

    /// Whether a request names this server: exactly one `Host`, and the authority of an absolute
    /// address too.
    fn admits(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let host = host.to_str().is_ok_and(|host| self.knows(host));
        host && (uri.authority()).is_none_or(|authority| self.knows(authority.as_str()))
    }
}

/// Refuses requests that name another host: the outermost layer.
pub(crate) async fn host(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    if hosts.admits(request.uri(), request.headers()) {
        return next.run(request).await;
    }
    let title = "This server is not known under that name";
    let detail = "expected one Host: an address in digits, localhost, or a name given at the start with --host";
    let status = StatusCode::MISDIRECTED_REQUEST;
    let mut response = Problem::new(status, "host", title, detail).into_response();
    protect(&mut response);
    response
}

/// Refuses a body whose announced length is above the limit in bytes, before any of it is awaited.
pub(crate) async fn announced_length(
    limit: usize,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(Problem::too_long());
    }
    Ok(next.run(request).await)
}

/// Bodies must be declared as JSON: other types can be sent from pages of other sites without a
/// question to this server.
pub(crate) async fn json_only(request: Request, next: Next) -> Result<Response, Problem> {
    if request.method() == Method::POST {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let title = "The body is not JSON";
            let detail = "expected Content-Type: application/json";
            return Err(Problem::new(status, "media-type", title, detail));
        }
    }
    Ok(next.run(request).await)
}

/// Content that pages may load: their own scripts, styles and pictures.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Sets the headers that protect a response, where the response has none of its own.
pub(crate) fn protect(response: &mut Response) {
    let fields = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fields {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
}

/// Counts and logs a request, and protects its response.
pub(crate) async fn observe(
    State(app): State<Arc<App>>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let begin = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = next.run(request).await;
    protect(&mut response);
    let time = begin.elapsed();
    let status = response.status();
    app.metrics
        .request(route.as_ref().map(MatchedPath::as_str), status, time);
    tracing::info!(target: "access", "{method} {} {} {} us", shown(&path), status.as_u16(), time.as_micros());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(uri: &str, hosts: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_str(host).unwrap());
        }
        Hosts::new(&["Board.Example".to_owned()]).admits(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn only_known_names_are_admitted() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8080",
            "[::1]:1",
            "[::1]",
            "board.example",
            "192.168.1.20:8080",
            "[fe80::1]:8080",
        ] {
            assert!(admitted("/", &[host]), "{host}");
            assert!(admitted("http://localhost:80/", &[host]), "{host}");
            assert!(!admitted("http://evil.example/", &[host]), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "::1",
            "",
            "localhost:x",
            "localhost:80:80",
            "1.2.3.4.5",
            "[localhost]",
            "0x7f.1",
        ] {
            assert!(!admitted("/", &[host]), "{host}");
        }
        assert!(!admitted("/", &[]));
        assert!(!admitted("/", &["localhost", "localhost"]));
    }
}
