//! What a misspelt name may have meant.

/// The name nearest to `asked`, if it is near: at most a third of its letters differ, rounded up,
/// and not all of them.
pub fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = names.into_iter().map(|name| (distance(asked, name), name));
    let is_near =
        |away: usize, letters: usize| away <= letters.div_ceil(3) && away < letters.max(1);
    let near = near.filter(|(away, name)| is_near(*away, name.chars().count()));
    near.min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

/// Letters to add, drop, change or swap with their neighbour to make one word of the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let change = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_understood_and_other_words_are_not() {
        let names = ["identity", "softmax", "reduce-row", "reduce-column"];
        let check = |asked, name| assert_eq!(nearest(asked, names), name);
        check("idenity", Some("identity"));
        check("sofmtax", Some("softmax"));
        check("reduce_row", Some("reduce-row"));
        check("identity", Some("identity"));
        check("gelu", None);
        check("", None);
        assert_eq!(nearest("w", ["x", "y"]), None);
    }
}
