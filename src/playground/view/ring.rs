//! Where the members and their links stand in the cluster picture.
//!
//! What it is: integer geometry in the units of the picture's view box.
//! What it is not: SVG; the component only writes the numbers down.
//! Invariants: every point lies inside the view box; a link ends at the rims of its two members.

/// Width of the picture.
pub const WIDTH: i32 = 440;
/// Height of the picture.
pub const HEIGHT: i32 = 236;
/// Radius of a member's disc.
pub const NODE_RADIUS: i32 = 27;
/// Half the width of the ring the members stand on.
const RING_X: i32 = 158;
/// Half the height of the ring the members stand on.
const RING_Y: i32 = 74;
/// Space between a member's rim and the end of its links.
const GAP: i32 = 7;

/// A point of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Down.
    pub y: i32,
}

/// A straight line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
}

impl Segment {
    /// The point half way.
    #[must_use]
    pub const fn middle(&self) -> Point {
        Point { x: (self.from.x + self.to.x) / 2, y: (self.from.y + self.to.y) / 2 }
    }
}

/// Cosine and sine, in thousandths, of the places on the ring, clockwise from the top.
const fn places(count: u32) -> &'static [(i32, i32)] {
    match count {
        0 | 1 => &[(0, 0)],
        2 => &[(-1000, 0), (1000, 0)],
        3 => &[(0, -1000), (866, 620), (-866, 620)],
        4 => &[(0, -1000), (1000, 0), (0, 1000), (-1000, 0)],
        5 => &[(0, -1000), (951, -309), (588, 809), (-588, 809), (-951, -309)],
        6 => &[(-500, -866), (500, -866), (1000, 0), (500, 866), (-500, 866), (-1000, 0)],
        _ => &[
            (0, -1000),
            (782, -623),
            (975, 223),
            (434, 901),
            (-434, 901),
            (-975, 223),
            (-782, -623),
        ],
    }
}

/// The centre of member `index` (from 0) of `count`; from the eighth on they share places.
#[must_use]
pub fn node(index: u32, count: u32) -> Point {
    let places = places(count);
    let slot = usize::try_from(index).unwrap_or(0) % places.len();
    let (cosine, sine) = places.get(slot).copied().unwrap_or((0, 0));
    let lift = if count == 3 { 12 } else { 0 };
    Point { x: WIDTH / 2 + RING_X * cosine / 1000, y: HEIGHT / 2 - 4 + lift + RING_Y * sine / 1000 }
}

/// The visible part of the line between two members.
#[must_use]
pub fn link(one: Point, other: Point) -> Segment {
    let (dx, dy) = (i64::from(other.x - one.x), i64::from(other.y - one.y));
    let length = (dx * dx + dy * dy).isqrt().max(1);
    let keep = i64::from(NODE_RADIUS + GAP).min(length / 2);
    let shift = |delta: i64| i32::try_from(delta * keep / length).unwrap_or(0);
    Segment {
        from: Point { x: one.x + shift(dx), y: one.y + shift(dy) },
        to: Point { x: other.x - shift(dx), y: other.y - shift(dy) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_stands_wholly_inside_the_picture_and_apart_from_the_others() {
        for count in 1..=7 {
            let points: Vec<Point> = (0..count).map(|index| node(index, count)).collect();
            for (at, point) in points.iter().enumerate() {
                assert!(point.x - NODE_RADIUS >= 0 && point.x + NODE_RADIUS <= WIDTH);
                assert!(point.y - NODE_RADIUS >= 0 && point.y + NODE_RADIUS <= HEIGHT);
                for other in &points[at + 1..] {
                    let (dx, dy) = (other.x - point.x, other.y - point.y);
                    assert!(dx * dx + dy * dy > (2 * NODE_RADIUS).pow(2), "{count}: {points:?}");
                }
            }
        }
    }

    #[test]
    fn a_link_ends_outside_both_rims_and_points_the_same_way() {
        let (one, other) = (node(0, 3), node(1, 3));
        let line = link(one, other);
        for (centre, end) in [(one, line.from), (other, line.to)] {
            let (dx, dy) = (end.x - centre.x, end.y - centre.y);
            assert!(dx * dx + dy * dy >= NODE_RADIUS.pow(2));
        }
        assert!(line.from.x < line.to.x && line.from.y < line.to.y);
        let reverse = link(other, one);
        assert!((reverse.from.x - line.to.x).abs() <= 1 && (reverse.to.y - line.from.y).abs() <= 1);
    }

    #[test]
    fn a_line_of_no_length_does_not_divide_by_zero() {
        let point = node(0, 1);
        assert_eq!(link(point, point), Segment { from: point, to: point });
    }
}
