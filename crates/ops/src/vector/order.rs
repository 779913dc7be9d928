//! The largest values of each row with their places, and the largest of a window with its index.
//!
//! Choosing is exact. Which of several equal values is chosen depends on the kernel: their places
//! are not judged.

use tilewright_tile::bound::Approx;

use crate::operation::{Choice, OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted, taken};

pub(super) const TOP: Roles = Roles { inputs: &["first"], outputs: &["values", "indices"] };
pub(super) const MAX: Roles =
    Roles { inputs: &["first", "second"], outputs: &["values", "indices"] };

pub(super) const K: Choice = Choice {
    name: "k",
    values: &["32", Choice::NUMBER],
    about: "how many values of each row come out",
};

pub(super) const LARGEST: Choice = Choice {
    name: "largest",
    values: &["yes", "no"],
    about: "whether the largest come out, the largest first, or the smallest",
};

pub(super) const WINDOW: Choice = Choice {
    name: "rows",
    values: &["9", Choice::NUMBER],
    about: "how many rows from the top the largest value of a column is looked for in",
};

/// A chosen value, and its place unless an equal one has another.
type Chosen = (Approx, Approx);

fn chosen(value: f32, place: f64, is_alone: bool) -> Chosen {
    let known = if value.is_nan() { Approx::special() } else { Approx::exact(f64::from(value)) };
    (known, if is_alone { Approx::exact(place) } else { Approx::special() })
}

/// Values and places as two outputs.
fn outputs(
    shape: tilewright_metal::Shape,
    choose: impl Fn() -> Vec<Chosen> + Send + Sync + 'static,
) -> Vec<Wanted> {
    let choose = std::sync::Arc::new(choose);
    let again = std::sync::Arc::clone(&choose);
    let values = Box::new(move || choose().into_iter().map(|it| it.0).collect());
    let indices = Box::new(move || again().into_iter().map(|it| it.1).collect());
    vec![
        Wanted { name: "values", shape, values },
        Wanted { name: "indices", shape, values: indices },
    ]
}

/// The k largest or smallest values of each row, in order, and their columns.
pub(super) fn top(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let (shape, width) = (request.shape, request.shape.width());
    let [x] = taken(&TOP, given, [shape])?;
    let k = request.number(&K, 32)? as usize;
    if k > width {
        return Err(OpError::Invalid(format!("there are no {k} values in a row of {width}")));
    }
    let is_largest = request.choice(&LARGEST)? == LARGEST.values[0];
    let choose = move || {
        parallel::concat(x.len() / width, |row| {
            let row = &x[row * width..][..width];
            let mut places: Vec<usize> = (0..width).collect();
            places.sort_by(|a, b| match is_largest {
                true => row[*b].total_cmp(&row[*a]),
                false => row[*a].total_cmp(&row[*b]),
            });
            let is_equal =
                |at: usize, to: usize| places.get(to).is_some_and(|to| row[*to] == row[places[at]]);
            let one = |at: usize| {
                let is_alone = !is_equal(at, at + 1) && (at == 0 || !is_equal(at, at - 1));
                chosen(row[places[at]], places[at] as f64, is_alone)
            };
            (0..k).map(one).collect::<Vec<Chosen>>()
        })
    };
    Ok(outputs(shape.with_matrix(shape.height(), k)?, choose))
}

/// `max_reduce_with_indices`: the largest of the first rows of each column of a matrix, and what
/// the tensor of indices holds in its place.
pub(super) fn max_with_indices(
    request: &Request,
    given: Vec<Given>,
) -> Result<Vec<Wanted>, OpError> {
    let (shape, width) = (request.shape, request.shape.width());
    let [x, indices] = taken(&MAX, given, [shape, shape])?;
    let rows = request.number(&WINDOW, 9)? as usize;
    let height = shape.height();
    if rows > height {
        return Err(OpError::Invalid(format!("there are no {rows} rows in a matrix of {height}")));
    }
    let choose = move || {
        let columns = shape.matrices() * width;
        parallel::map(columns, |number| {
            let first = number / width * height * width + number % width;
            let places = || (0..rows).map(|row| first + row * width);
            let largest = places().max_by(|a, b| x[*a].total_cmp(&x[*b])).unwrap_or(first);
            let is_alone = places().filter(|at| x[*at] == x[largest]).count() == 1;
            chosen(x[largest], f64::from(indices[largest]), is_alone)
        })
    };
    Ok(outputs(shape.with_matrix(1, width)?, choose))
}
