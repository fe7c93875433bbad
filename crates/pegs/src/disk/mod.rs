//! Layers in files, for boards whose layers outgrow memory.
//!
//! A layer is in one or more files (*parts*), each with the words of consecutive heads, compressed and checksummed
//! (module `stored`). A pass keeps one part of the new layer in memory and reads the layer before it in windows
//! (`passes`). A part is complete when its file has its name: that is all the state there is, from which a run is resumed,
//! with another budget too. `reach` and `winning` are the searches, `need` is what they take, `folder` where they work.

mod folder;
mod need;
mod passes;
mod reach;
mod stored;
mod winning;

pub use folder::LayerFiles;
pub use need::Estimate;
pub(crate) use need::is_over;
pub(crate) use reach::reach;
pub use winning::winning_set_into;

#[cfg(test)]
mod tests;
