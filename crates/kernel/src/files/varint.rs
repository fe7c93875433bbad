//! Numbers of any size in one byte or more: seven bits a byte, the lowest first; the highest bit
//! says that another byte follows.

/// Appends a number.
#[inline]
pub fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front; `None` if the bytes end before it does, or if it has more than 64
/// bits.
#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift > 63 || (shift == 63 && bits > 1) {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_parts_of_them_do_not() {
        for (number, len) in [
            (0, 1),
            (127, 1),
            (128, 2),
            (16_384, 3),
            (u64::from(u32::MAX), 5),
            (u64::MAX, 10),
        ] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            assert_eq!(bytes.len(), len, "{number}");
            for end in 0..len {
                assert_eq!(take_varint(&mut &bytes[..end]), None, "{number}");
            }
            bytes.push(9);
            let mut left = &bytes[..];
            assert_eq!(take_varint(&mut left), Some(number));
            assert_eq!(left, [9]);
        }
        let mut longer = vec![0xff; 9];
        longer.push(2);
        assert_eq!(take_varint(&mut &longer[..]), None);
    }
}
