//! Files of every format: they are read, and written as they were.
//!
//! Made by `everymove tours list 5x6 --closed --number 3 --format ...` and `... list 5x5 --holes
//! b1,b2 --number 2`.

use std::fs;
use std::path::Path;

use everymove_kernel::run::Run;

use everymove_tours::check;
use everymove_tours::formats::{Format, Hints, Reader, Writer};

use everymove_tours::tour::Tour;

fn golden(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    fs::read(folder.join(name)).unwrap()
}

fn tours(name: &str) -> Vec<Tour> {
    let bytes = golden(name);
    let read = Reader::new(&bytes[..], Hints::default(), &Run::serial()).unwrap();
    let tours: Vec<_> = read.collect::<Result<_, _>>().unwrap();
    for tour in &tours {
        check::verify(tour, 1).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
    tours
}

#[test]
fn all_formats_hold_the_same_tours() {
    let expected = tours("tours.squares");
    assert_eq!(expected.len(), 3);
    for name in ["tours.grid", "tours.csv", "tours.json", "tours.bin"] {
        assert_eq!(tours(name), expected, "{name}");
    }
    assert_eq!(tours("holes.bin"), tours("holes.json"));
}

#[test]
fn formats_are_written_as_before() {
    let tours = tours("tours.squares");
    for (name, format) in [
        ("tours.grid", Format::Grid),
        ("tours.squares", Format::Squares),
        ("tours.csv", Format::Csv),
        ("tours.json", Format::Json),
        ("tours.bin", Format::Bin),
    ] {
        let mut writer = Writer::new(Vec::new(), format);
        tours.iter().for_each(|tour| writer.write(tour).unwrap());
        assert!(writer.finish().unwrap() == golden(name), "{name}");
    }
}
