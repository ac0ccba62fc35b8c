fn main() {
    for f in std::env::args().skip(1) {
        let t = std::fs::read_to_string(&f).unwrap();
        let s = std::time::Instant::now();
        let (_, a, _) = cupping_solve::replay(&t).unwrap();
        println!("{f} {a:?} {:?}", s.elapsed());
    }
}
