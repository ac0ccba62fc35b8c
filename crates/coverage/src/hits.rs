//! Hits of probes: one bit each.

/// Adds the hits of one run to those of others.
pub fn merge(into: &mut Vec<u64>, hits: &[u64]) {
    if into.len() < hits.len() {
        into.resize(hits.len(), 0);
    }
    for (to, from) in into.iter_mut().zip(hits) {
        *to |= from;
    }
}

/// Adds a probe to the hits.
pub fn hit(hits: &mut Vec<u64>, probe: u32) {
    let (word, bit) = (probe as usize / 64, 1u64 << (probe % 64));
    if hits.len() <= word {
        hits.resize(word + 1, 0);
    }
    hits[word] |= bit;
}

/// Whether the probe is among the hits.
pub fn is_hit(hits: &[u64], probe: u32) -> bool {
    hits.get(probe as usize / 64).is_some_and(|word| word >> (probe % 64) & 1 != 0)
}
