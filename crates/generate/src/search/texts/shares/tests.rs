use super::{AHEAD, Account, BEHIND, IDLE, Shares, VAIN};

fn shares(texts: (u64, u64), others: (u64, u64)) -> Shares {
    let account = |(gained, work)| Account { gained, work };
    Shares { accounts: [account(texts), account(others)], entered: (0, 0) }
}

#[test]
fn the_share_follows_gains_per_work() {
    assert_eq!(shares((5, 100), (5, 100)).of_texts(false), AHEAD);
    assert_eq!(shares((1, 10), (5, 100)).of_texts(false), AHEAD, "less, but faster");
    assert_eq!(shares((2, 100), (5, 100)).of_texts(false), BEHIND);
    assert_eq!(shares((1, 100), (5, 100)).of_texts(false), IDLE[0], "five times as slow");
    assert_eq!(shares((0, 100), (1, 100)).of_texts(false), IDLE[0]);
    assert_eq!(shares((1, 100), (0, 100)).of_texts(false), AHEAD);
}

#[test]
fn without_gains_the_share_depends_on_whether_sentences_grow() {
    assert_eq!(shares((0, 10), (0, 10)).of_texts(false), VAIN[0]);
    assert_eq!(shares((0, 10), (0, 10)).of_texts(true), VAIN[1]);
}

/// The turns of texts in a thousand, if each turn costs the same and gains this much.
fn turns(gains_of_texts: u64, gains_of_others: u64) -> usize {
    let mut shares = shares((0, 0), (0, 0));
    (0..1000)
        .filter(|_| {
            let is_texts = shares.has_turn(false);
            let account = &mut shares.accounts[usize::from(!is_texts)];
            account.work += 100;
            account.gained += if is_texts { gains_of_texts } else { gains_of_others };
            is_texts
        })
        .count()
}

#[test]
fn neither_source_starves() {
    assert!((80..=85).contains(&turns(0, 1)), "{}", turns(0, 1));
    assert!((498..=502).contains(&turns(1, 0)), "{}", turns(1, 0));
    assert!((123..=127).contains(&turns(0, 0)), "{}", turns(0, 0));
    assert!((498..=502).contains(&turns(3, 3)), "{}", turns(3, 3));
}
