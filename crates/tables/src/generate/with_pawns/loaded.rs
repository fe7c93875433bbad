//! P-slices of other tables in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::dependencies::Dependencies;
use crate::position::index_space::Side;
use crate::position::material::Half;
use crate::store::directory::Tables;
use crate::store::half_codes::{EncodedDistances, HalfView};

/// P-slices of other tables that are loaded.
pub(in crate::generate) struct LoadedSlices<'a> {
    tables: &'a Tables,
    views: BTreeMap<(Half, Side), Arc<HalfView>>,
}

impl<'a> LoadedSlices<'a> {
    pub(in crate::generate) fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            views: BTreeMap::new(),
        }
    }

    /// Loads the dependencies that are not loaded, after releasing all others.
    pub(in crate::generate) fn load(
        &mut self,
        dependencies: &Dependencies,
        run: &Run,
    ) -> Result<(), TableError> {
        self.views
            .retain(|key, _| dependencies.wanted.contains_key(key));
        for (key, wanted) in &dependencies.wanted {
            if let Some(view) = self.views.get_mut(key)
                && let Some(view) = Arc::get_mut(view)
                && let EncodedDistances::Slices(slices) = &mut view.codes
            {
                for (slice, codes) in slices.iter_mut().enumerate() {
                    if !wanted.contains(&slice) {
                        *codes = None;
                    }
                }
            }
        }
        for (key, wanted) in &dependencies.wanted {
            let (half, side) = key;
            let space = self.tables.space(half);
            if space.pawns == 0 {
                if !self.views.contains_key(key) {
                    let view = self.tables.view(half, *side, run)?;
                    self.views.insert(key.clone(), view);
                }
                continue;
            }
            let mut slices = match self.views.remove(key).as_deref() {
                Some(HalfView {
                    codes: EncodedDistances::Slices(slices),
                    ..
                }) => slices.clone(),
                _ => vec![None; space.slices()],
            };
            let missing = wanted.iter().copied().filter(|&s| slices[s].is_none());
            let missing: Vec<usize> = missing.collect();
            let loaded = self.tables.slices(half, *side, &missing, run)?;
            for (slice, codes) in missing.into_iter().zip(loaded) {
                slices[slice] = Some(Arc::new(codes));
            }
            let codes = EncodedDistances::Slices(slices);
            let view = Arc::new(HalfView { space, codes });
            self.views.insert(key.clone(), view);
        }
        Ok(())
    }

    /// Returns what is loaded of a half; only dependencies are read from it.
    pub(in crate::generate) fn view(&self, half: &Half, side: Side) -> Arc<HalfView> {
        let held = self.views.get(&(half.clone(), side));
        held.cloned().unwrap_or_else(|| {
            Arc::new(HalfView {
                space: self.tables.space(half),
                codes: EncodedDistances::Slices(Vec::new()),
            })
        })
    }
}
