//! The protocol of split points, every interleaving of it, checked by loom. The search is replaced
//! by a list of numbers; owner, helpers, joining, closing, cutting and helpful masters are those of
//! the search.

use std::sync::Arc;

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use super::pool::{Job, Pool};

/// A node with a number of moves left.
struct Point {
    left: Mutex<u32>,
    searched: AtomicUsize,
    cut: AtomicBool,
    exhausted: AtomicBool,
    helpers: AtomicUsize,
    parent: Option<Arc<Point>>,
}

impl Point {
    fn new(moves: u32, parent: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            left: Mutex::new(moves),
            searched: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            parent,
        })
    }

    fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|p| p.is_cut())
    }

    fn take(&self) -> bool {
        let mut left = self.left.lock().unwrap();
        let some = *left > 0 && !self.is_cut();
        *left -= u32::from(some);
        if !some {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        some
    }

    fn work(&self, then: impl Fn()) {
        while self.take() {
            then();
            self.searched.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Job for Point {
    fn wants_help(&self) -> bool {
        !self.exhausted.load(Ordering::Relaxed) && !self.is_cut()
    }

    fn descends_from(&self, other: &Self) -> bool {
        let parent = self.parent.as_ref();
        parent.is_some_and(|p| std::ptr::eq(&**p, other) || p.descends_from(other))
    }

    fn size(&self) -> i32 {
        1
    }

    fn helpers(&self) -> &AtomicUsize {
        &self.helpers
    }
}

fn serve(pool: &Pool<Point>, then: impl Fn(&Arc<Point>)) {
    while let Some(point) = pool.wait_for_job() {
        point.work(|| then(&point));
        pool.leave(&point);
    }
}

fn close(pool: &Pool<Point>, point: &Arc<Point>) {
    pool.close(
        point,
        || false,
        |below| {
            below.work(|| ());
            pool.leave(&below);
        },
    );
    assert_eq!(
        point.helpers.load(Ordering::Relaxed),
        0,
        "a helper has not left"
    );
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

/// No move is searched twice or forgotten, the owner leaves last, and no thread waits for ever.
#[test]
fn every_move_is_searched_once() {
    model(|| {
        let pool = Arc::new(Pool::default());
        let helper = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || serve(&pool, |_| ()))
        };
        let point = Point::new(2, None);
        pool.open(Arc::clone(&point));
        point.work(|| ());
        close(&pool, &point);
        assert_eq!(point.searched.load(Ordering::Relaxed), 2);
        pool.shut_down();
        helper.join().unwrap();
    });
}

/// Two helpers: both are woken, both return.
#[test]
fn two_helpers_return() {
    model(|| {
        let pool = Arc::new(Pool::default());
        let helpers = [(); 2].map(|()| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || serve(&pool, |_| ()))
        });
        let point = Point::new(1, None);
        pool.open(Arc::clone(&point));
        close(&pool, &point);
        assert!(point.searched.load(Ordering::Relaxed) <= 1);
        pool.shut_down();
        helpers.into_iter().for_each(|h| h.join().unwrap());
    });
}

/// A cutoff by one ends the work of the other, which may be searching one move.
#[test]
fn a_cut_ends_the_split_point() {
    model(|| {
        let pool = Arc::new(Pool::default());
        let helper = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || serve(&pool, |point| point.cut.store(true, Ordering::Relaxed)))
        };
        let point = Point::new(3, None);
        pool.open(Arc::clone(&point));
        if point.take() {
            point.searched.fetch_add(1, Ordering::Relaxed);
        }
        close(&pool, &point);
        let searched = point.searched.load(Ordering::Relaxed);
        assert!((1..=3).contains(&searched), "{searched}");
        pool.shut_down();
        helper.join().unwrap();
    });
}

/// An owner that waits helps below its own split point, whose owner waits for it: there is no
/// deadlock.
#[test]
fn a_waiting_master_helps_below() {
    model(|| {
        let pool = Arc::new(Pool::default());
        let below = Arc::new(AtomicUsize::new(0));
        let helper = {
            let (pool, below) = (Arc::clone(&pool), Arc::clone(&below));
            thread::spawn(move || {
                serve(&pool, |point| {
                    let inner = Point::new(1, Some(Arc::clone(point)));
                    pool.open(Arc::clone(&inner));
                    inner.work(|| ());
                    close(&pool, &inner);
                    below.fetch_add(inner.searched.load(Ordering::Relaxed), Ordering::Relaxed);
                });
            })
        };
        let point = Point::new(1, None);
        pool.open(Arc::clone(&point));
        close(&pool, &point);
        // If the helper took the move, the move below it was searched, too, by one of the two.
        assert_eq!(
            below.load(Ordering::Relaxed),
            point.searched.load(Ordering::Relaxed)
        );
        pool.shut_down();
        helper.join().unwrap();
    });
}
