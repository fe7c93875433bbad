//! Links over the loopback interface.

use std::net::TcpListener;
use std::thread;

use super::*;

fn secret(text: char) -> Secret {
    Secret::parse(&text.to_string().repeat(64)).unwrap()
}

/// Both ends of a connection whose sides have these secrets.
fn pair(one: &Secret, other: &Secret) -> (io::Result<Link>, io::Result<Link>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        let accepted = scope.spawn(|| accept(listener.accept().unwrap().0, one));
        let connected = connect(TcpStream::connect(address).unwrap(), other);
        (accepted.join().unwrap(), connected)
    })
}

#[test]
fn messages_of_every_size_arrive_in_both_directions() {
    let (one, other) = pair(&secret('a'), &secret('a'));
    let (one, other) = (one.unwrap(), other.unwrap());
    let lengths = [0, 1, PART - 2, PART - 1, PART, 3 * PART + 5, 1 << 20];
    for length in lengths {
        let text = "x".repeat(length);
        thread::scope(|scope| {
            scope.spawn(|| one.send(&text).unwrap());
            scope.spawn(|| other.send(&text.len()).unwrap());
            assert!(other.receive::<String>().unwrap() == text);
            assert_eq!(one.receive::<usize>().unwrap(), length);
        });
    }
    assert_eq!(one.traffic().sent, other.traffic().received);
    assert_eq!(one.traffic().received, other.traffic().sent);
    // Text in quotation marks: each record has two bytes of length, a byte before the text and sixteen of authentication.
    let record = |bytes: usize| bytes + bytes.div_ceil(PART) * (2 + 1 + 16);
    let sent: usize = lengths.iter().map(|&length| record(length + 2)).sum();
    assert_eq!(one.traffic().sent, sent as u64);
    one.close();
    assert!(other.receive::<String>().is_err());
}

/// Nobody is there before the process listens; then all listeners of the port have its connections.
#[test]
fn a_port_is_taken_before_the_process_listens() {
    let free = Port::take("127.0.0.1:0").unwrap();
    let address = free.address().to_string();
    assert!(Port::take(&address).is_err());
    drop(free);
    let port = Port::take(&address).unwrap();
    assert!(attempt(&address).is_err());
    for _ in 0..2 {
        let listener = port.listener().unwrap();
        let connected = attempt(&address).unwrap();
        listener.set_nonblocking(false).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        assert_eq!(
            accepted.peer_addr().unwrap(),
            connected.local_addr().unwrap()
        );
    }
    assert!(Port::take(&address).is_err());
    drop(port);
    assert!(attempt(&address).is_err());
    // An address where a connection has just ended is taken at once.
    assert!(Port::take(&address).unwrap().listener().is_ok());
}

#[test]
fn another_secret_is_refused_by_both_sides() {
    let (one, other) = pair(&secret('a'), &secret('b'));
    assert!(
        one.err()
            .unwrap()
            .to_string()
            .contains("does not know the secret")
    );
    assert!(
        other
            .err()
            .unwrap()
            .to_string()
            .contains("is the secret the same")
    );
}

/// What is on the wire shows nothing of a message, and a changed record is refused.
#[test]
fn records_are_encrypted_and_authenticated() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let entrance = between.local_addr().unwrap();
    let (seen, one, other) = thread::scope(|scope| {
        // Copies the bytes of one direction and changes the last of them.
        let relay = scope.spawn(move || {
            let (mut from, _) = between.accept().unwrap();
            let mut to = TcpStream::connect(address).unwrap();
            let mut hello = [0; 48];
            from.read_exact(&mut hello).unwrap();
            to.write_all(&hello).unwrap();
            to.read_exact(&mut hello).unwrap();
            from.write_all(&hello).unwrap();
            let mut record = [0; 2 + 1 + 16 + 16];
            from.read_exact(&mut record).unwrap();
            let seen = record;
            record[20] ^= 1;
            to.write_all(&record).unwrap();
            seen
        });
        let accepted = scope.spawn(|| {
            let link = accept(listener.accept().unwrap().0, &secret('a')).unwrap();
            link.receive::<String>()
        });
        let link = connect(TcpStream::connect(entrance).unwrap(), &secret('a')).unwrap();
        let sent = link.send(&"fourteen bytes");
        (relay.join().unwrap(), accepted.join().unwrap(), sent)
    });
    other.unwrap();
    assert!(!seen.windows(8).any(|window| window == b"fourteen"));
    assert_eq!(one.unwrap_err().to_string(), "a record is not authentic");
}

#[test]
fn secrets_are_64_hexadecimal_digits() {
    let random = Secret::random().unwrap();
    assert_eq!(
        Secret::parse(&format!(" {}\n", random.to_hexadecimal())).unwrap(),
        random
    );
    assert_ne!(Secret::random().unwrap(), random);
    for wrong in [
        "",
        "0",
        &"g".repeat(64),
        &"0".repeat(63),
        &"0".repeat(65),
        &"é".repeat(32),
    ] {
        assert!(Secret::parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(format!("{random:?}"), "Secret");
}
