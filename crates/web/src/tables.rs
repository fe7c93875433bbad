//! Which endgame tables there are.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use everymove_api::site::Ending;

use crate::app::App;
use crate::problem::Problem;

/// `GET /api/v1/tables`: the endings of the server's folders, those with fewer pieces first.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<Ending>>, Problem> {
    let site = app.config.site.clone();
    let endings = crate::direct::work(&app, 1, move |_| site.endings());
    Ok(Json(endings.await?))
}
