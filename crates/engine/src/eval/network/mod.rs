//! An efficiently updatable network (Nasu, "Efficiently Updatable Neural-Network-based Evaluation
//! Functions for Computer Shogi", 2018): 768 inputs for each side, one hidden layer that both sides
//! share, eight outputs, of which the number of pieces chooses one.
//!
//! In reading order: [`Network`] (its quantised weights and its file), `features` (the inputs),
//! `evaluator` (the sums of the hidden layer, kept from one position to the next).
//!
//! With `a` the sums of the hidden layer in units of 1/[`UNIT`], the activation is `clamp(a, 0,
//! UNIT)^2`, and an output `sum(activation * weight) / UNIT + bias` in units of `1/(UNIT *
//! OUTPUT_UNIT)`, first the hidden units seen by the side to move. The output is the logarithm of
//! the odds of winning; [`Network::scale`] makes centipawns of it.

mod evaluator;
pub(crate) mod features;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use everymove_kernel::files::{
    BlockReader, BlockWriter, Disk, Draft, FileError, Format, Memory, Storage, publish,
};

use xxhash_rust::xxh3::Xxh3;

pub(crate) use evaluator::NetworkEvaluator;
use features::{INPUTS, OUTPUTS};

/// Units of the sums of the hidden layer in 1.
pub(crate) const UNIT: i32 = 255;
/// Units of the weights of the outputs in 1.
pub(crate) const OUTPUT_UNIT: i32 = 64;
/// The largest absolute weight of an input: 64 pieces and a bias of [`MOST_BIAS`] stay within 16
/// bits.
pub(crate) const MOST_WEIGHT: i16 = 480;
/// The largest absolute bias of a hidden unit.
pub(crate) const MOST_BIAS: i16 = 2000;
/// The largest absolute weight of an output: times [`UNIT`] it stays within 16 bits.
pub(crate) const MOST_OUTPUT: i16 = 127;
/// The largest sum of the absolute weights of an output: times the square of [`UNIT`] it stays
/// within 32 bits.
pub(crate) const MOST_OUTPUT_SUM: i32 = i32::MAX / (UNIT * UNIT);
/// The largest number of hidden units.
pub const MOST_HIDDEN: usize = 512;
/// Hidden units come in multiples of this: the sums of that many are held in registers.
pub const LANE: usize = 64;

/// [`LANE`] sums or weights.
pub(crate) type Lane = [i16; LANE];

const FORMAT: Format = Format {
    magic: *b"EMNETWRK",
    version: 1,
    what: "a network",
};
const HEAD: u32 = 1;
const WEIGHTS: u32 = 2;
/// Bytes of the first block before the text.
const HEAD_BYTES: usize = 8 + 4 * OUTPUTS;
/// Weights for each hidden unit.
const WEIGHTS_A_UNIT: usize = INPUTS + 1 + 2 * OUTPUTS;
/// The longest text about the origin of a network.
const LONGEST_ORIGIN: usize = 1 << 16;

/// The file of the network that the crate ships, see [`Network::shipped`].
const SHIPPED: &[u8] = include_bytes!("standard.net");

/// A quantised network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    hidden: usize,
    scale: i32,
    origin: String,
    /// By input, then by lane.
    inputs: Vec<Lane>,
    bias: Vec<Lane>,
    /// By output, for the side to move, then for the other one.
    outputs: Vec<Lane>,
    /// By output.
    output_bias: [i32; OUTPUTS],
}

impl Network {
    /// A network of quantised weights, each list ordered as in the file.
    ///
    /// # Errors
    /// What is wrong with the weights, in words.
    pub(crate) fn new(
        scale: i32,
        origin: String,
        inputs: &[i16],
        bias: &[i16],
        outputs: &[i16],
        output_bias: [i32; OUTPUTS],
    ) -> Result<Self, &'static str> {
        let hidden = bias.len();
        let sizes = hidden > 0 && hidden <= MOST_HIDDEN && hidden.is_multiple_of(LANE);
        if !sizes || inputs.len() != INPUTS * hidden || outputs.len() != 2 * OUTPUTS * hidden {
            return Err("it has an impossible number of weights");
        }
        let within = |list: &[i16], most: i16| list.iter().all(|w| (-most..=most).contains(w));
        let is_large = |output: &[i16]| {
            output.iter().map(|&w| i32::from(w).abs()).sum::<i32>() > MOST_OUTPUT_SUM
        };
        if !within(inputs, MOST_WEIGHT)
            || !within(bias, MOST_BIAS)
            || !within(outputs, MOST_OUTPUT)
            || outputs.chunks(2 * hidden).any(is_large)
            || output_bias.iter().any(|bias| bias.abs() > 1 << 24)
            || !(1..=10_000).contains(&scale)
        {
            return Err("a weight is too large");
        }
        let lanes = |list: &[i16]| list.as_chunks().0.to_vec();
        Ok(Self {
            hidden,
            scale,
            origin,
            inputs: lanes(inputs),
            bias: lanes(bias),
            outputs: lanes(outputs),
            output_bias,
        })
    }

    /// The network that comes with the crate, trained on games of the engine against itself:
    /// [`Self::origin`] says how.
    pub fn shipped() -> Arc<Self> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let storage = Memory::default();
            let written = publish(&storage, "net", |draft| draft.put(SHIPPED));
            let network = written.and_then(|()| Network::read(&storage, "net"));
            Arc::new(network.expect("the file is tested"))
        });
        Arc::clone(&NETWORK)
    }

    /// Number of hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Centipawns in one unit of the logarithm of the odds of winning.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// How it was trained, from what, and by which command.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The weights of the inputs, the biases and the weights of the outputs, each list ordered as in
    /// the file, and the biases of the outputs.
    pub(crate) fn weights(&self) -> ([&[i16]; 3], [i32; OUTPUTS]) {
        let lists = [&self.inputs, &self.bias, &self.outputs];
        (lists.map(|lanes| lanes.as_flattened()), self.output_bias)
    }

    /// Bytes of its weights in memory.
    pub fn bytes(&self) -> u64 {
        let lanes = self.inputs.len() + self.bias.len() + self.outputs.len();
        (lanes * size_of::<Lane>()) as u64
    }

    /// A number that other weights hardly have, never 0.
    pub fn checksum(&self) -> u32 {
        let mut hash = Xxh3::new();
        for bias in self.output_bias {
            hash.update(&bias.to_le_bytes());
        }
        let all = self.inputs.iter().chain(&self.bias).chain(&self.outputs);
        for weight in all.flatten() {
            hash.update(&weight.to_le_bytes());
        }
        (hash.digest() as u32).max(1)
    }

    /// Writes the file of the network.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, draft: &mut Draft) -> Result<(), FileError> {
        let mut head = Vec::new();
        head.extend((self.hidden as u32).to_le_bytes());
        head.extend(self.scale.to_le_bytes());
        head.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        head.extend(self.origin.as_bytes());
        let all = self.inputs.iter().chain(&self.bias).chain(&self.outputs);
        let weights: Vec<u8> = all.flatten().flat_map(|w| w.to_le_bytes()).collect();
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(HEAD, &head)?;
        blocks.write(WEIGHTS, &weights)?;
        blocks.finish().map(|_| ())
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// [`FileError`] for a file that is no network, is damaged, or has weights beyond the limits.
    pub fn read(storage: &dyn Storage, name: &str) -> Result<Self, FileError> {
        let mut blocks = BlockReader::open(storage, name, FORMAT)?;
        let (mut head, mut weights) = (Vec::new(), Vec::new());
        let most = (WEIGHTS_A_UNIT * MOST_HIDDEN * size_of::<i16>() + LONGEST_ORIGIN) as u64;
        if blocks.left() > most + 1024 {
            return Err(blocks.damaged("it is larger than any network"));
        }
        let first = blocks.read(&mut head)?;
        let second = blocks.read(&mut weights)?;
        let rest = blocks.read(&mut Vec::new())?;
        if (first, second, rest) != (Some(HEAD), Some(WEIGHTS), None) || head.len() < HEAD_BYTES {
            return Err(blocks.damaged("its blocks are not those of a network"));
        }
        let number = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&head[at..at + 4]);
            i32::from_le_bytes(word)
        };
        let hidden = usize::try_from(number(0)).unwrap_or(0);
        let list: Vec<i16> = (weights.as_chunks().0.iter())
            .map(|&w| i16::from_le_bytes(w))
            .collect();
        let origin = String::from_utf8_lossy(&head[HEAD_BYTES..]).into_owned();
        if hidden > MOST_HIDDEN || weights.len() != 2 * WEIGHTS_A_UNIT * hidden {
            return Err(blocks.damaged("it has an impossible number of weights"));
        }
        let (inputs, rest) = list.split_at(INPUTS * hidden);
        let (bias, outputs) = rest.split_at(hidden);
        let output_bias = std::array::from_fn(|output| number(8 + 4 * output));
        Self::new(number(4), origin, inputs, bias, outputs, output_bias)
            .map_err(|what| blocks.damaged(what))
    }

    /// Reads the network in a file.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let unreadable = || {
            let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
            FileError::io("read", path.display().to_string(), missing)
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        Self::read(&Disk::new(folder), name.ok_or_else(unreadable)?)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    /// A network of random weights.
    pub(crate) fn random(hidden: usize, seed: u64) -> Network {
        let mut rng = SplitMix64::new(seed);
        let mut list = |length: usize, most: i16| -> Vec<i16> {
            let range = 2 * most as u64 + 1;
            (0..length)
                .map(|_| rng.below(range) as i16 - most)
                .collect()
        };
        let inputs = list(INPUTS * hidden, 60);
        let (bias, outputs) = (list(hidden, 200), list(2 * OUTPUTS * hidden, 100));
        let output_bias = std::array::from_fn(|output| 777 - 100 * output as i32);
        Network::new(200, "random".into(), &inputs, &bias, &outputs, output_bias).unwrap()
    }

    #[test]
    fn a_network_is_read_as_it_was_written() {
        let storage = Memory::default();
        for hidden in [64, 128, 256] {
            let network = random(hidden, 1);
            publish(&storage, "net", |draft| network.write(draft)).unwrap();
            assert_eq!(Network::read(&storage, "net").unwrap(), network);
        }
    }

    #[test]
    fn the_shipped_network_says_how_it_was_trained() {
        let network = Network::shipped();
        let origin = network.origin();
        assert!(origin.contains("own games"), "{origin}");
        assert!(
            origin.contains("command: everymove engine train"),
            "{origin}"
        );
    }

    #[test]
    fn impossible_networks_are_refused() {
        let storage = Memory::default();
        let write = |blocks: &[(u32, Vec<u8>)]| {
            publish(&storage, "net", |draft| {
                let mut writer = BlockWriter::new(draft, FORMAT)?;
                for (tag, payload) in blocks {
                    writer.write(*tag, payload)?;
                }
                writer.finish()
            })
            .unwrap();
            Network::read(&storage, "net").unwrap_err().to_string()
        };
        let head = |hidden: u32| {
            let mut head = hidden.to_le_bytes().to_vec();
            head.extend(200u32.to_le_bytes());
            head.extend([0; 4 * OUTPUTS]);
            head
        };
        let weights = |value: u8| vec![value; 2 * WEIGHTS_A_UNIT * 64];
        let refused = write(&[(HEAD, head(64))]);
        assert!(refused.contains("blocks"), "{refused}");
        let refused = write(&[(HEAD, head(128)), (WEIGHTS, weights(0))]);
        assert!(refused.contains("number of weights"), "{refused}");
        let refused = write(&[(HEAD, head(64)), (WEIGHTS, weights(100))]);
        assert!(refused.contains("too large"), "{refused}");
        let refused = write(&[(HEAD, vec![1, 2]), (WEIGHTS, weights(0))]);
        assert!(refused.contains("blocks"), "{refused}");
    }
}
