//! The addresses of the tablebase service: published examples, errors.

use everymove_api::catalogue::find;
use everymove_api::site::Site;
use everymove_kernel::run::Run;
use everymove_web::Config;

use crate::client::{Running, limits, start};

/// A server with tables of KRvK and KPvK.
fn server() -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let site = Site {
        tables: Some(folder.path().to_owned()),
        ..Site::default()
    };
    let build = find("tables build").unwrap();
    for (material, metric) in [
        ("KRvK", "dtm"),
        ("KRvK", "dtz"),
        ("KRvK", "dtc"),
        ("KPvK", "dtm"),
        ("KPvK", "dtz"),
    ] {
        let request = format!(r#"{{"material":"{material}","metric":"{metric}","no_stats":true}}"#);
        let prepared = build.prepare(request.as_bytes(), Some(&site)).unwrap();
        prepared(&Run::serial(), &mut |_| {}).unwrap();
    }
    let server = start(Config {
        site,
        ..Config::local(limits())
    });
    (folder, server)
}

#[test]
fn published_examples_are_answered_to_the_byte() {
    let (_folder, server) = server();
    let text = |path: &str| {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        String::from_utf8(answer.body).unwrap()
    };
    let flags = r#""variant_win":false,"variant_loss":false,"insufficient_material":false"#;
    let lost = text("/standard?fen=k7/8/1K6/8/8/8/8/7R_b_-_-_0_1");
    let expected = format!(
        r#"{{"checkmate":false,"stalemate":false,{flags},"dtz":-2,"precise_dtz":-2,"dtm":-2,"dtw":null,"dtc":-2,"category":"loss","moves":[{{"uci":"a8b8","san":"Kb8","zeroing":false,"conversion":false,"checkmate":false,"stalemate":false,{flags},"dtz":1,"precise_dtz":1,"dtm":1,"dtw":null,"dtc":1,"category":"win"}}]}}"#
    );
    assert_eq!(lost, expected);
    assert_eq!(
        text("/standard?fen=k7/8/1K6/8/8/8/8/7R%20b%20-%20-%200%201"),
        expected
    );
    assert_eq!(
        text("/standard?fen=k7/8/1K6/8/8/8/8/7R+b+-+-+0+1"),
        expected
    );
    assert_eq!(
        text("/standard/mainline?fen=k7/8/1K6/8/8/8/8/7R_b_-_-_0_1"),
        r#"{"mainline":[{"uci":"a8b8","san":"Kb8","dtz":1,"precise_dtz":1},{"uci":"h1h8","san":"Rh8#","dtz":-1,"precise_dtz":-1}],"winner":"w","dtz":-2,"precise_dtz":-2}"#
    );
    let late = server
        .get("/standard?fen=k7/8/1K6/8/8/8/8/7R_b_-_-_99_90")
        .json();
    assert_eq!(late["category"], "blessed-loss");
    assert_eq!(late["moves"][0]["category"], "cursed-win");
    let drawn = server
        .get("/standard?fen=8/8/8/8/8/2k5/p7/K7_w_-_-_0_1")
        .json();
    assert_eq!(
        (&drawn["category"], &drawn["dtz"], &drawn["dtm"]),
        (&"draw".into(), &0.into(), &0.into())
    );
    let quiet = server
        .get("/standard?fen=8/8/8/3k4/8/8/3P4/3K4_w_-_-_0_1")
        .json();
    assert_eq!(quiet["dtc"], serde_json::Value::Null);
    let only = &drawn["moves"][0];
    assert_eq!(
        (&only["san"], &only["insufficient_material"]),
        (&"Kxa2".into(), &true.into())
    );
    assert_eq!(
        (&only["zeroing"], &only["conversion"]),
        (&true.into(), &true.into())
    );
    let mated = server
        .get("/standard?fen=1k5R/8/1K6/8/8/8/8/8_b_-_-_2_2")
        .json();
    assert_eq!(
        (&mated["checkmate"], &mated["dtz"], &mated["dtm"]),
        (&true.into(), &(-1).into(), &serde_json::Value::Null)
    );
    assert_eq!(mated["moves"], serde_json::json!([]));
}

#[test]
fn errors_are_those_of_the_service() {
    let (_folder, server) = server();
    for (path, status) in [
        ("/standard", 400),
        ("/standard?fen=x", 400),
        ("/standard?fen=8/8/8/8/8/8/8/8_w_-_-_0_1", 400),
        (
            "/standard/mainline?fen=4k3/8/8/8/8/8/8/3BKN2_w_-_-_0_1",
            404,
        ),
        ("/standard/mainline?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", 404),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(
            answer
                .header("content-type")
                .unwrap()
                .starts_with("text/plain")
        );
    }
    // With castling rights there is no distance; the category is that of the best move, after which
    // there are none.
    let castling = server
        .get("/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1")
        .json();
    assert_eq!(
        (&castling["category"], &castling["dtz"]),
        (&"win".into(), &serde_json::Value::Null)
    );
}
