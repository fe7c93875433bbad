//! Syzygy files as bytes: `parse` reads one, `check` decodes all of it, `write` lays one out,
//! `checksum` is the hash at its end.
//!
//! # An example: `KRvK.rtbw`
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 00 | `71 E8 23 5D` | WDL |
//! | 04 | `31` | 3 pieces, the sides have different pieces, no pawns |
//! | 05 | `00` | for either side the leading group has significance 0: it is the only group |
//! | 06 | `EE 66 44` | for either side: black king, white king, white rook |
//! | 09 | `00` | to an even offset |
//! | 0A | `80 04` | white to move: all positions are wins |
//! | 0C | `00 06 0F 00` | black to move: no flags, blocks of 64 bytes, an index entry every 32768 positions, no sizes beyond the blocks |
//! | 10 | `01 00 00 00` | 1 block |
//! | 14 | `05 01` | code words of 1 to 5 bits |
//! | 16 | `09 00 09 00 08 00 04 00 00 00` | lowest symbols of 1, 2, 3, 4, 5 bits: 9, 9 (there is none of 2), 8, 4, 0 |
//! | 20 | `0A 00` | 10 symbols |
//! | 22 | `01 10 00`, `07 70 00`, `00 00 00`, `02 20 00`, `06 60 00` | symbol 0 is 1 twice, 1 is 7 twice, 2 is 0 twice, 3 is 2 twice, 4 is 6 twice |
//! | 31 | `03 30 00`, `05 50 00`, `00 F0 FF`, `02 F0 FF`, `04 40 00` | 5 is 3 twice, 6 is 5 twice, 7 is the value 0, 8 the value 2, 9 is 4 twice |
//! | 40 | `00 00 00 00 00 40` | index: position 16384 is in block 0, at place 16384 |
//! | 46 | `63 7A` | the block holds 31332 positions, all there are |
//! | 48 | 56 bytes `00` | to a multiple of 64 |
//! | 80 | `FF FF FF FF FF FF FF FF FF FF FF E4 83 56` ... | the block |
//! | C0 | `4F A6 76 B4 9B 6E 40 F8 EE 0B D5 B2 F1 A1 F7 19` | checksum |
//!
//! So symbol 9 stands for 256 losses, 4 for 128, 6 for 64, 5 for 32, 3 for 16, 2 for 8, 0 for 4, 1
//! for 2, 7 for one loss and 8 for one draw. Their words are `00000` to `00011` for 0 to 3, `0010`
//! to `0101` for 4 to 7, `011` for 8, `1` for 9. The block begins with 91 times `1`, then `0010`,
//! `0100`, `00011`, `0101`, `011`: the first draw is number 91 256 + 128 + 64 + 16 + 1 = 23505.
//! That is 6 63 62 + 0 28 62 + 1 62 + 7: the black king on a1 (on the diagonal, rank 0), the white
//! king on c1 (`L` = 1), the rook on b2 (square 9, two pieces before it), black to move: stalemate.

pub(crate) mod check;
pub(crate) mod checksum;
pub(crate) mod parse;
pub(crate) mod write;
