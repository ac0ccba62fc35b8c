//! Colours of a palette: which index stands for a colour, and the errors that ordered dithering adds.

use std::cell::OnceCell;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Channels have five bits in a cube of indexes.
const SIDE: i32 = 32;

/// Thresholds of ordered dithering: Bayer's matrix of 64 levels.
const BAYER: [[i32; 8]; 8] = bayer();

const fn bayer() -> [[i32; 8]; 8] {
    let mut matrix = [[0; 8]; 8];
    let mut size = 1;
    while size < 8 {
        let (mut y, old) = (0, matrix);
        while y < size {
            let mut x = 0;
            while x < size {
                let level = 4 * old[y][x];
                matrix[y][x] = level;
                matrix[y][x + size] = level + 2;
                matrix[y + size][x] = level + 3;
                matrix[y + size][x + size] = level + 1;
                x += 1;
            }
            y += 1;
        }
        size *= 2;
    }
    matrix
}

/// The colours of an `IndexColorModel`.
#[derive(Default)]
pub(super) struct Palette {
    colors: Vec<u32>,
    cube: OnceCell<Rc<Vec<u8>>>,
}

thread_local! {
    /// Cubes by their palettes, of which they are a function.
    static CUBES: RefCell<HashMap<Vec<u32>, Rc<Vec<u8>>>> = RefCell::default();
}
/// Cubes that are kept.
const MOST_CUBES: usize = 16;

impl Palette {
    pub(super) fn new(colors: Vec<u32>) -> Palette {
        Palette { colors, cube: OnceCell::new() }
    }

    /// The colour of an index.
    pub(super) fn color(&self, index: u32) -> u32 {
        self.colors.get(index as usize).copied().unwrap_or(0)
    }

    /// The index for a colour.
    pub(super) fn nearest(&self, argb: u32) -> u32 {
        let cube = self.cube.get_or_init(|| {
            CUBES.with_borrow_mut(|known| {
                if known.len() >= MOST_CUBES {
                    known.clear();
                }
                known.entry(self.colors.clone()).or_insert_with(|| Rc::new(cube(&self.colors))).clone()
            })
        });
        u32::from(cube[place(cell(argb))])
    }

    /// The index for the colour of a pixel at this place, with its error of dithering.
    pub(super) fn dithered(&self, argb: u32, x: i32, y: i32) -> u32 {
        let channels = [argb >> 16 & 0xFF, argb >> 8 & 0xFF, argb & 0xFF].map(|it| it as i32);
        // Pure colours stay pure.
        if channels.iter().all(|it| *it == 0 || *it == 255) && self.has_primaries() {
            return self.nearest(argb);
        }
        let most = (255.0 / (2.0 * (self.colors.len() as f64).cbrt())) as i32;
        let error = |x: i32, y: i32| BAYER[y as usize][x as usize] * 2 * most / 64 - most;
        let (x, y) = (x & 7, y & 7);
        let [r, g, b] = channels;
        let moved =
            [r + error(x, y), g + error(7 - x, y), b + error(x, 7 - y)].map(|it| it.clamp(0, 255) as u32);
        self.nearest(moved[0] << 16 | moved[1] << 8 | moved[2])
    }

    /// Whether the eight corners of the cube of colours are in the palette.
    fn has_primaries(&self) -> bool {
        let corners = (0..8).map(|bits: u32| {
            [(4, 16), (2, 8), (1, 0)]
                .iter()
                .filter(|(bit, _)| bits & bit != 0)
                .map(|(_, shift)| 0xFF << shift)
                .sum()
        });
        let mut corners = corners;
        corners.all(|corner: u32| self.colors.iter().any(|color| color & 0xFF_FFFF == corner))
    }
}

type Cell = [i32; 3];

fn cell(argb: u32) -> Cell {
    [argb >> 19 & 31, argb >> 11 & 31, argb >> 3 & 31].map(|it| it as i32)
}

fn place([r, g, b]: Cell) -> usize {
    ((r * SIDE + g) * SIDE + b) as usize
}

/// The index for each cell. Colours spread from their own cells to the neighbours that are free, in rounds: those
/// that came last begin. They start alternately from both ends of the palette.
fn cube(colors: &[u32]) -> Vec<u8> {
    let mut cube = vec![0; (SIDE * SIDE * SIDE) as usize];
    let mut taken = vec![false; cube.len()];
    let count = colors.len();
    let mut round: Vec<Cell> = Vec::new();
    let ends = (0..count.div_ceil(2)).flat_map(|index| [index, count - 1 - index]);
    for index in ends {
        let cell = cell(colors[index]);
        if !std::mem::replace(&mut taken[place(cell)], true) {
            cube[place(cell)] = index as u8;
            round.push(cell);
        }
    }
    while !round.is_empty() {
        let mut next = Vec::new();
        for from in round.iter().rev() {
            for (axis, step) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
                let mut to = *from;
                to[axis] += step;
                if !(0..SIDE).contains(&to[axis]) || taken[place(to)] {
                    continue;
                }
                taken[place(to)] = true;
                cube[place(to)] = cube[place(*from)];
                next.push(to);
            }
        }
        round = next;
    }
    cube
}
