//! "Did you mean …?"

/// The candidate that `name` was most likely meant to be, if any is near enough.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((distance(name, candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many typing mistakes apart two names are; `None` if that is too many to be one, and
/// neither name is the other one's beginning.
fn distance(left: &str, right: &str) -> Option<usize> {
    let (left, right) = (left.to_lowercase(), right.to_lowercase());
    let distance = strsim::damerau_levenshtein(&left, &right);
    let (longer, shorter) = match left.len() < right.len() {
        true => (&right, &left),
        false => (&left, &right),
    };
    let similar = distance <= longer.chars().count() / 3;
    let beginning = shorter.len() >= 3 && longer.starts_with(shorter.as_str());
    (similar || beginning).then_some(distance)
}
