//! A report as text and as files, without the experiment: `cargo bench --manifest-path dev/Cargo.toml --bench lab`.

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_kernel::run::Run;
use everymove_lab::report::Setting;
use everymove_lab::{Options, Size, find};

fn benches(criterion: &mut Criterion) {
    let options = Options::new(Size::Quick).up_to_threads(1);
    let experiment = find("tours-symmetric").expect("an experiment");
    let report = experiment
        .run(&options, &Run::serial())
        .expect("not stopped");
    let setting = Setting::here(env!("CARGO_PKG_VERSION"), "unknown", "a bench".to_owned());
    criterion.bench_function("report as text", |bench| bench.iter(|| report.text().len()));
    criterion.bench_function("report as HTML, CSV and SVG", |bench| {
        bench.iter(|| report.files(&setting).expect("charts").len());
    });
}

criterion_group!(all, benches);
criterion_main!(all);
