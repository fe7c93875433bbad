use std::sync::atomic::Ordering;

use everymove_kernel::files::{self, seal};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;

use super::*;
use crate::board::{Board, Kind};
use crate::frontier::engine::Engine;
use crate::frontier::states::block::{Layer, matchings_of};
use crate::frontier::step::plan::Plan;
use crate::frontier::store::Store;
use crate::frontier::store::memory::Memory;
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Vectors;
use crate::frontier::vectors::live::{Live, Members};

/// A layer with blocks of several forms, and its degree vectors.
fn layer() -> (Arc<Layer>, Vec<Degrees>) {
    let (run, board) = (Run::serial(), Board::knight(6, 7).unwrap());
    let plan = Plan::new(&board, Kind::Open, None, &run.stop).unwrap();
    let mut live: Live<Members> = Live::new(&plan, &run).unwrap();
    let store = Memory::new(u64::MAX, None, false, &run);
    let ignore = &mut |_| ();
    let mut engine = Engine::new(store, &plan, 0, None, ignore, &run);
    let (layer, _) = engine.common(&mut live.common).unwrap();
    let degrees = layer.degrees.to_vec();
    (layer, degrees)
}

fn contents(layer: &Layer) -> Vec<Vec<(u32, u64)>> {
    let block = |i| {
        let mut all = Vec::new();
        layer
            .block(i)
            .for_each(|rank, count: u64| all.push((rank, count)));
        all
    };
    (0..layer.blocks.len()).map(block).collect()
}

/// The layer after some steps of the first half.
fn place(step: usize) -> Place {
    Place {
        phase: Phase::First,
        step,
        eliminated: 0,
        slots: 0,
        is_whole: true,
    }
}

fn opened(storage: &files::Memory) -> Result<Folder, FrontierError> {
    Folder::on(Arc::new(storage.clone()), "a count")
}

fn save(storage: &files::Memory, step: usize, layer: &Layer) -> Result<(), FrontierError> {
    let run = Run::serial();
    let mut store = Memory::new(0, Some(opened(storage)?), false, &run);
    store.save(place(step), layer)
}

/// The layer of the last step of which there is one.
fn resume(
    storage: &files::Memory,
    degrees: &[Degrees],
) -> Result<Option<(usize, Layer)>, FrontierError> {
    let run = Run::serial();
    let folder = opened(storage)?;
    let steps = folder.steps(Phase::First)?;
    let mut store = Memory::new(0, Some(folder), false, &run);
    for step in steps {
        let vectors = Vectors {
            list: degrees.to_vec(),
            class: None,
            held: None,
        };
        if let Some(layer) = store.resume(place(step), vectors)? {
            return Ok(Some((step, layer)));
        }
    }
    Ok(None)
}

#[test]
fn layers_read_back_and_damaged_ones_are_removed() {
    let storage = files::Memory::default();
    let (layer, degrees) = layer();
    save(&storage, 3, &layer).unwrap();
    let (step, read) = resume(&storage, &degrees).unwrap().unwrap();
    assert_eq!((step, read.states, read.sum), (3, layer.states, layer.sum));
    assert_eq!(contents(&read), contents(&layer));
    // Of other degree vectors, as many.
    let mut others = degrees.clone();
    others[0] += 1;
    assert!(resume(&storage, &others).unwrap().is_none());
    save(&storage, 3, &layer).unwrap();

    let name = "first-0003.blocks";
    let mut sound = Vec::new();
    storage.damage(name, |bytes| sound = bytes.clone());
    for at in (0..sound.len()).step_by(sound.len() / 97) {
        storage.damage(name, |bytes| bytes[at] ^= 1 << (at % 8));
        assert!(resume(&storage, &degrees).unwrap().is_none());
        assert!(!storage.list().unwrap().iter().any(|file| file == name));
        save(&storage, 3, &layer).unwrap();
    }
    assert!(resume(&storage, &degrees).unwrap().is_some());
}

/// Bytes that were changed before the checksums were made are refused, or leave as many states with
/// the same sum: only ranks may be others.
#[test]
fn layers_with_right_checksums_are_checked_for_sense() {
    let storage = files::Memory::default();
    let (layer, degrees) = layer();
    save(&storage, 3, &layer).unwrap();
    let name = "first-0003.blocks";
    let mut rng = SplitMix64::new(3);
    let mut sound = Vec::new();
    storage.damage(name, |bytes| sound = bytes.clone());
    let mut refused = 0;
    for _ in 0..500 {
        save(&storage, 3, &layer).unwrap();
        storage.damage(name, |bytes| {
            bytes.clone_from(&sound);
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = [bytes[at] ^ 1 << rng.below(8), 255, 0][rng.below(3) as usize];
            }
            seal(bytes);
        });
        let Some((_, read)) = resume(&storage, &degrees).unwrap() else {
            refused += 1;
            continue;
        };
        let counts = |layer: &Layer| -> usize {
            let blocks = contents(layer).into_iter();
            blocks.flatten().filter(|state| state.1 > 0).count()
        };
        assert_eq!((read.states, read.sum), (layer.states, layer.sum));
        assert_eq!(counts(&read), counts(&layer));
        for (block, &degrees) in contents(&read).iter().zip(&degrees) {
            let most = matchings_of(degrees).unwrap();
            assert!(block.iter().all(|state| (state.0 as usize) < most));
        }
    }
    assert!(refused > 250, "{refused}");
}

/// Whatever instant the machine dies at, the folder that is left is usable: with the old layer or
/// the new one.
#[test]
fn every_crash_leaves_a_usable_folder() {
    let (layer, degrees) = layer();
    let save_two = |storage: &files::Memory| -> Result<(), FrontierError> {
        save(storage, 1, &layer)?;
        save(storage, 2, &layer)
    };
    let whole = files::Memory::default();
    save_two(&whole).unwrap();
    let mut found = [0; 3];
    for operations in 0..=whole.operations() {
        let storage = files::Memory::default();
        storage.crash_after(operations);
        let _ = save_two(&storage);
        for seed in 0..4 {
            let image = storage.image(seed);
            match resume(&image, &degrees).unwrap() {
                None => found[0] += 1,
                Some((step, read)) => {
                    assert_eq!(contents(&read), contents(&layer));
                    found[step] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&n| n > 0), "{found:?}");
}

#[test]
fn a_folder_belongs_to_one_question() {
    let storage = files::Memory::default();
    drop(Folder::on(Arc::new(storage.clone()), "8x8 closed tours").unwrap());
    let error = Folder::on(Arc::new(storage), "8x8 open tours")
        .map(|_| ())
        .unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("8x8 closed tours") && error.contains("8x8 open tours"),
        "{error}"
    );
}

#[test]
fn a_stopped_count_goes_on() {
    use crate::frontier::{Options, count};
    use crate::question::Question;
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        checkpoint: Some(directory.path().to_owned()),
        ..Options::default()
    };
    let board = Board::knight(6, 7).unwrap();
    let question = Question::new(board, Kind::Open);
    let whole = count(&question, &Options::default(), &Run::serial()).unwrap();
    let run = Run::serial();
    let watched = run.clone();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let is_early = || {
                let now = watched.progress.snapshot();
                now.phase != "counting tours" || now.done < 8
            };
            while is_early() && !done.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            watched.stop.raise();
        });
        assert!(matches!(
            count(&question, &options, &run),
            Err(FrontierError::Stopped(_))
        ));
        done.store(true, Ordering::Relaxed);
    });
    let resumed = count(&question, &options, &Run::serial()).unwrap();
    assert_eq!(resumed.undirected, whole.undirected);
    assert!(resumed.work.get("transitions") < whole.work.get("transitions"));
    let left = std::fs::read_dir(directory.path()).unwrap();
    let layers = left.filter(|f| {
        f.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "blocks")
    });
    assert_eq!(layers.count(), 0);
}
