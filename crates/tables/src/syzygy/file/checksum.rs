//! The checksum at the end of a Syzygy file: CityHash (Pike and Alakuijala, version 1.0.3) with
//! CRC-32C inside.
//!
//! Every chunk of 16 MiB is hashed to 256 bits (`CityHashCrc256`), and the concatenated hashes to
//! 128 (`CityHashCrc128`). Numbers are little-endian; sums and products wrap.

use std::io::Read;
use std::num::Wrapping;
use std::sync::LazyLock;

type W = Wrapping<u64>;

const K0: W = Wrapping(0xc3a5_c85c_97cb_3127);
const K1: W = Wrapping(0xb492_b66f_be98_f273);
const K3: W = Wrapping(0xc949_d7c7_509e_6557);
const MUL: W = Wrapping(0x9ddf_ea08_eb38_2d69);
/// Bytes of a chunk.
const CHUNK: usize = 16 << 20;
/// Bytes of a file that are read at once.
const PART: usize = 1 << 20;
/// For longer inputs the 128-bit hash is half of the 256-bit one.
const LONG: usize = 900;
/// Bytes of the checksum.
pub(crate) const LENGTH: usize = 16;

/// The checksum of a file, given its bytes without the checksum.
pub(crate) fn checksum(body: &[u8]) -> [u8; LENGTH] {
    let mut sum = Checksum::default();
    body.chunks(CHUNK).for_each(|chunk| sum.add_chunk(chunk));
    sum.finish()
}

/// The checksum of a file whose bytes come one part after the other.
#[derive(Default)]
pub(crate) struct Checksum {
    /// The bytes that are not hashed yet.
    rest: Vec<u8>,
    hashes: Vec<u8>,
}

impl Checksum {
    /// The most bytes that it takes.
    pub(crate) const BYTES: u64 = CHUNK as u64;

    /// Adds bytes.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.rest.len()));
            if self.rest.capacity() < self.rest.len() + now.len() {
                // Not more than a chunk in all.
                let twice = (2 * self.rest.len()).clamp(now.len(), CHUNK - self.rest.len());
                self.rest.reserve_exact(twice);
            }
            self.rest.extend_from_slice(now);
            if self.rest.len() == CHUNK {
                let chunk = std::mem::take(&mut self.rest);
                self.add_chunk(&chunk);
                self.rest = chunk;
                self.rest.clear();
            }
            bytes = later;
        }
    }

    fn add_chunk(&mut self, chunk: &[u8]) {
        let hash = hash_256(chunk);
        self.hashes
            .extend(hash.iter().flat_map(|word| word.0.to_le_bytes()));
    }

    /// The checksum of all bytes.
    pub(crate) fn finish(mut self) -> [u8; LENGTH] {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.add_chunk(&rest);
        }
        let (low, high) = hash_128(&self.hashes);
        let mut sum = [0; LENGTH];
        sum[..8].copy_from_slice(&low.0.to_le_bytes());
        sum[8..].copy_from_slice(&high.0.to_le_bytes());
        sum
    }
}

/// The checksum of the first `length` bytes of a file; none if `goes_on`, which is called after
/// each part of it, was false.
pub(crate) fn of_stream(
    from: &mut impl Read,
    length: u64,
    goes_on: impl Fn() -> bool,
) -> std::io::Result<Option<[u8; LENGTH]>> {
    let mut sum = Checksum::default();
    let mut part = vec![0; PART.min(length as usize)];
    let mut left = length;
    while left > 0 {
        let now = (left as usize).min(part.len());
        from.read_exact(&mut part[..now])?;
        sum.add(&part[..now]);
        left -= now as u64;
        if !goes_on() {
            return Ok(None);
        }
    }
    Ok(Some(sum.finish()))
}

/// Writes the right checksum at the end of a file's bytes, so that tests and fuzzers can change the
/// bytes before. Bytes that are too short for a checksum are left as they are.
pub fn seal(bytes: &mut [u8]) {
    if let Some(body) = bytes.len().checked_sub(LENGTH).filter(|&body| body > 0) {
        let sum = checksum(&bytes[..body]);
        bytes[body..].copy_from_slice(&sum);
    }
}

fn word(bytes: &[u8], at: usize) -> W {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    Wrapping(u64::from_le_bytes(word))
}

fn rotate(value: W, right: u32) -> W {
    Wrapping(value.0.rotate_right(right))
}

fn shift_mix(value: W) -> W {
    value ^ value >> 47
}

fn mix(u: W, v: W) -> W {
    let a = shift_mix((u ^ v) * MUL);
    shift_mix((v ^ a) * MUL) * MUL
}

/// The CRC-32C of eight more bytes.
fn crc(start: W, data: W) -> W {
    static TABLES: LazyLock<[[u32; 256]; 8]> = LazyLock::new(|| {
        let mut tables = [[0u32; 256]; 8];
        for (byte, crc) in (0u32..).zip(&mut tables[0]) {
            *crc = (0..8).fold(byte, |crc, _| {
                crc >> 1 ^ if crc & 1 != 0 { 0x82f6_3b78 } else { 0 }
            });
        }
        for slice in 1..8 {
            tables[slice] = tables[slice - 1].map(|crc| crc >> 8 ^ tables[0][(crc & 255) as usize]);
        }
        tables
    });
    let tables = &*TABLES;
    let mixed = (start.0 & 0xffff_ffff) ^ data.0;
    let parts = mixed.to_le_bytes().into_iter().zip(tables.iter().rev());
    let crc = parts.fold(0, |crc, (byte, table)| crc ^ table[usize::from(byte)]);
    Wrapping(u64::from(crc))
}

/// The state of the 256-bit hash: six mixed words and five CRC codes of them.
struct State {
    mixed: [W; 6],
    codes: [W; 5],
}

impl State {
    /// Mixes in forty bytes.
    fn take(&mut self, bytes: &[u8], factor: W, turns: [u32; 5]) {
        let [a, ..] = self.mixed;
        for (i, turn) in turns.into_iter().enumerate() {
            self.mixed[i] = rotate(self.mixed[i + 1], turn) * factor + word(bytes, 8 * i);
            self.codes[i] = crc(self.codes[i], self.mixed[i]);
        }
        self.mixed[5] = a;
    }

    fn take_even(&mut self, bytes: &[u8]) {
        self.take(bytes, Wrapping(1), [40, 26, 40, 32, 24]);
    }

    fn take_odd(&mut self, bytes: &[u8]) {
        self.take(bytes, K0, [41, 27, 41, 33, 25]);
    }
}

fn hash_256(bytes: &[u8]) -> [W; 4] {
    if bytes.len() >= 240 {
        return hash_256_of(bytes, 0);
    }
    let mut padded = [0; 240];
    padded[..bytes.len()].copy_from_slice(bytes);
    hash_256_of(&padded, !(bytes.len() as u32))
}

/// `CityHashCrc256` of at least 240 bytes.
fn hash_256_of(bytes: &[u8], seed: u32) -> [W; 4] {
    let length = Wrapping(bytes.len() as u64);
    let seed = Wrapping(u64::from(seed));
    let zero = Wrapping(0);
    let (a, b) = (word(bytes, 56) + K0, word(bytes, 96) + K0);
    let (c, d) = (mix(b, length), word(bytes, 120) * K0 + length);
    let e = word(bytes, 184) + seed;
    let mut state = State {
        mixed: [a, b, c, d, e, c + d],
        codes: [seed, zero, zero, zero, zero],
    };
    let whole = bytes.chunks_exact(240);
    let rest = whole.remainder();
    for pair in whole.flat_map(|chunk| chunk.chunks_exact(80)) {
        state.take_even(&pair[..40]);
        state.take_odd(&pair[40..]);
    }
    let chunks = rest.chunks_exact(40);
    let end = chunks.remainder();
    chunks.for_each(|chunk| state.take_odd(chunk));
    if !end.is_empty() {
        // The last forty bytes, which overlap those before.
        state.take_odd(&bytes[bytes.len() - 40..]);
    }
    finish(&state, c, d)
}

fn finish(state: &State, first: W, second: W) -> [W; 4] {
    let [mut a, mut b, mut c, mut d, mut e, t] = state.mixed;
    let [mut f, mut g, mut h, mut i, mut j] = state.codes;
    j += i << 32;
    a = mix(a, j);
    h += g << 32;
    b += h;
    c = mix(c, f) + i;
    d = mix(d, e + first);
    j += e;
    i += mix(h, t);
    e = mix(a, d) + j;
    f = mix(b, c) + a;
    g = mix(j, i) + c;
    let r0 = e + f + g + h;
    a = shift_mix((a + g) * K0) * K0 + b;
    let r1 = second + a + r0;
    a = shift_mix(a * K0) * K0 + c;
    let r2 = a + r1;
    a = shift_mix((a + e) * K0) * K0;
    [r0, r1, r2, a + r2]
}

/// `CityHashCrc128` of a multiple of 32 bytes, at least 32.
fn hash_128(bytes: &[u8]) -> (W, W) {
    if bytes.len() > LONG {
        let [_, _, low, high] = hash_256(bytes);
        return (low, high);
    }
    let (low, high) = (word(bytes, 0) ^ K3, word(bytes, 8));
    let rest = &bytes[16..];
    if rest.len() < 128 {
        murmur(rest, low, high)
    } else {
        seeded(rest, low, high)
    }
}

/// `CityMurmur` of at least 16 bytes.
fn murmur(bytes: &[u8], low: W, high: W) -> (W, W) {
    let length = Wrapping(bytes.len() as u64);
    let (mut a, mut b) = (low, high);
    let (mut c, mut d);
    if bytes.len() == 16 {
        a = shift_mix(a * K1) * K1;
        let end = word(bytes, 8);
        let short = mix(word(bytes, 0), rotate(end + length, 16)) ^ end;
        c = b * K1 + short;
        d = shift_mix(a + word(bytes, 0));
    } else {
        c = mix(word(bytes, bytes.len() - 8) + K1, a);
        d = mix(b + length, c + word(bytes, bytes.len() - 16));
        a += d;
        for at in (0..bytes.len() - 15).step_by(16) {
            a = (a ^ (shift_mix(word(bytes, at) * K1) * K1)) * K1;
            b ^= a;
            c = (c ^ (shift_mix(word(bytes, at + 8) * K1) * K1)) * K1;
            d ^= c;
        }
    }
    a = mix(a, c);
    b = mix(d, b);
    (a ^ b, mix(b, a))
}

fn weak(bytes: &[u8], at: usize, a: W, b: W) -> (W, W) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|i| word(bytes, at + i));
    let a = a + w;
    let b = rotate(b + a + z, 21);
    let c = a;
    let a = a + x + y;
    (a + z, b + rotate(a, 44) + c)
}

/// `CityHash128WithSeed` of at least 128 bytes.
fn seeded(bytes: &[u8], low: W, high: W) -> (W, W) {
    let (mut x, mut y) = (low, high);
    let mut z = Wrapping(bytes.len() as u64) * K1;
    let v0 = rotate(y ^ K1, 49) * K1 + word(bytes, 0);
    let mut v = (v0, rotate(v0, 42) * K1 + word(bytes, 8));
    let mut w = (
        rotate(y + z, 35) * K1 + x,
        rotate(x + word(bytes, 88), 53) * K1,
    );
    let whole = bytes.len() / 128 * 128;
    for at in (0..whole).step_by(64) {
        x = rotate(x + y + v.0 + word(bytes, at + 8), 37) * K1;
        y = rotate(y + v.1 + word(bytes, at + 48), 42) * K1;
        x ^= w.1;
        y += v.0 + word(bytes, at + 40);
        z = rotate(z + w.0, 33) * K1;
        v = weak(bytes, at, v.1 * K1, x + w.0);
        w = weak(bytes, at + 32, z + w.1, y + word(bytes, at + 16));
        std::mem::swap(&mut z, &mut x);
    }
    x += rotate(v.0 + z, 49) * K0;
    z += rotate(w.0, 37) * K0;
    let mut done = 0;
    while done < bytes.len() - whole {
        done += 32;
        let at = bytes.len() - done;
        y = rotate(x + y, 42) * K0 + v.1;
        w.0 += word(bytes, at + 16);
        x = x * K0 + w.0;
        z += w.1 + word(bytes, at);
        w.1 += v.0;
        v = weak(bytes, at, v.0 + z, v.1);
    }
    x = mix(x, v.0);
    y = mix(y + z, w.0);
    (mix(x + v.1, w.1) + y, mix(x + w.1, y + v.1))
}
