//! Where the processes of a run are.

use std::net::SocketAddr;

use crate::error::ClusterError;

/// The port of process 0 where none is given.
pub const PORT: u16 = 7411;

/// The addresses in a list of one `HOST:PORT` a line, process 0 first; a line without a port has [`PORT`]. Empty lines
/// and those that begin with `#` are not counted.
///
/// # Errors
/// [`ClusterError::Hosts`] for a line that is no address, or an empty list.
pub fn parse(text: &str) -> Result<Vec<String>, ClusterError> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let hosts: Vec<String> = lines.map(address).collect::<Result<_, _>>()?;
    match hosts.is_empty() {
        true => Err(ClusterError::Hosts("the list of hosts is empty".to_owned())),
        false => Ok(hosts),
    }
}

/// An address with its port.
///
/// # Errors
/// [`ClusterError::Hosts`].
pub fn address(text: &str) -> Result<String, ClusterError> {
    let wrong = || ClusterError::Hosts(format!("'{text}' is no address: expected HOST:PORT"));
    let (host, port) = match text.rsplit_once(':') {
        // An IPv6 address without a port has colons outside brackets.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, port.parse().map_err(|_| wrong())?)
        }
        Some(_) => return Err(wrong()),
        None => (text, PORT),
    };
    match host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Err(wrong()),
        false => Ok(format!("{host}:{port}")),
    }
}

/// Where process 0 listens so that others reach it at an address. A host that is a name means all its networks: on
/// many machines the own name is that of the loopback interface.
pub fn to_listen_on(address: &str) -> String {
    let is_number = address.parse::<SocketAddr>().is_ok();
    match address.rsplit_once(':') {
        Some((host, port)) if !is_number && host != "localhost" => format!("0.0.0.0:{port}"),
        _ => address.to_owned(),
    }
}

/// The first host of a list in Slurm's form, such as `node[07-09,12],login`.
///
/// # Errors
/// [`ClusterError::Hosts`] if the list begins with no name.
pub fn first_of_slurm(list: &str) -> Result<String, ClusterError> {
    let wrong = || ClusterError::Hosts(format!("'{list}' is no list of Slurm's nodes"));
    let end = list.find([',', '[']).unwrap_or(list.len());
    let (name, rest) = list.split_at(end);
    let host = match rest.strip_prefix('[') {
        None => name.to_owned(),
        Some(ranges) => {
            let (ranges, rest) = ranges.split_once(']').ok_or_else(wrong)?;
            let first = ranges.split([',', '-']).next().unwrap_or_default();
            // What follows the brackets, up to the next host, belongs to the name.
            let suffix = rest.split(',').next().unwrap_or_default();
            if first.is_empty() || suffix.contains('[') {
                return Err(wrong());
            }
            format!("{name}{first}{suffix}")
        }
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match !host.is_empty() && host.chars().all(is_name) {
        true => Ok(host),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_hosts_are_read() {
        let hosts = parse("# two\nalpha:4000\n\n beta \n[::1]:5\n").unwrap();
        assert_eq!(hosts, ["alpha:4000", "beta:7411", "[::1]:5"]);
        for wrong in [
            "",
            "# none\n",
            "alpha:port",
            "::1",
            ":5",
            "al pha",
            "a:70000",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_listened_for_on_all_networks() {
        for (address, listened) in [
            ("node7:7411", "0.0.0.0:7411"),
            ("localhost:0", "localhost:0"),
            ("10.0.0.7:5", "10.0.0.7:5"),
            ("[::1]:5", "[::1]:5"),
        ] {
            assert_eq!(to_listen_on(address), listened);
        }
    }

    #[test]
    fn the_first_node_of_slurm_is_found() {
        for (list, first) in [
            ("node1", "node1"),
            ("node1,node2", "node1"),
            ("node[1-4]", "node1"),
            ("node[007-099,200],x", "node007"),
            ("rack[3,5]-a,b", "rack3-a"),
            ("c-0.example.org", "c-0.example.org"),
        ] {
            assert_eq!(first_of_slurm(list).unwrap(), first);
        }
        for wrong in ["", "[", "a[", "a[]", "a[1][2]", ",a", "a b"] {
            assert!(first_of_slurm(wrong).is_err(), "{wrong}");
        }
    }
}
