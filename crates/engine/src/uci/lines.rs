//! Lines of an input of any length.

use std::io::{BufRead, ErrorKind};

/// Bytes of a line that are read; a game of 5,000 moves fits.
pub(super) const MAX_LINE: usize = 1 << 16;

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A line, without its end.
    Line,
    /// A line of more than [`MAX_LINE`] bytes, which was skipped.
    TooLong,
    /// The end of the input, or an error of it.
    End,
}

/// Reads the next line into `line`, at most [`MAX_LINE`] bytes of it.
pub(super) fn read(input: &mut impl BufRead, line: &mut Vec<u8>) -> Read {
    line.clear();
    let mut too_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Read::End,
        };
        if available.is_empty() {
            return if line.is_empty() && !too_long {
                Read::End
            } else if too_long {
                Read::TooLong
            } else {
                Read::Line
            };
        }
        let end = available.iter().position(|&b| b == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + part.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return if too_long { Read::TooLong } else { Read::Line };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, repeat};

    use super::*;

    #[test]
    fn lines_are_read_and_long_ones_skipped() {
        let mut text = b"uci\n\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE]);
        text.push(b'\n');
        text.extend(vec![b'y'; MAX_LINE + 1]);
        text.extend(b"\nlast");
        // A small buffer, so that lines come in parts.
        let mut input = BufReader::with_capacity(7, Cursor::new(text));
        let mut line = Vec::new();
        let mut next = || (read(&mut input, &mut line), line.len());
        assert_eq!(next(), (Read::Line, 3));
        assert_eq!(next(), (Read::Line, 0));
        assert_eq!(next(), (Read::Line, MAX_LINE));
        assert_eq!(next().0, Read::TooLong);
        assert_eq!(next(), (Read::Line, 4));
        assert_eq!(next().0, Read::End);
    }

    /// 64 MiB without a line end take no more memory than a line may have.
    #[test]
    fn a_line_without_an_end_is_not_stored() {
        use std::io::Read as _;

        let mut input = BufReader::new(repeat(b'z').take(64 << 20));
        let mut line = Vec::new();
        assert_eq!(read(&mut input, &mut line), Read::TooLong);
        assert!(line.capacity() <= 2 * MAX_LINE, "{}", line.capacity());
    }
}
