//! Any bytes read as a file of tours, in every format: refused with a reason, or read within the budget, verified and
//! written again; never a panic.

#![no_main]

use everymove_kernel::run::{Ram, Run};
use everymove_tours::check;
use everymove_tours::formats::{Format, Hints, Reader, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let run = Run::new(1, Ram::limited(32 << 20));
    let Ok(tours) = Reader::new(bytes, Hints::default(), &run) else {
        return;
    };
    for tour in tours.map_while(Result::ok).take(8) {
        if check::verify(&tour, 1).is_err() {
            continue;
        }
        let mut writer = Writer::new(Vec::new(), Format::Bin);
        writer.write(&tour).expect("a vector takes all bytes");
        let written = writer.finish().expect("a vector takes all bytes");
        let mut again = Reader::new(&written[..], Hints::default(), &run).expect("a tour");
        assert_eq!(again.next().expect("a tour").expect("a sound tour"), tour);
        assert!(again.next().is_none());
    }
});
