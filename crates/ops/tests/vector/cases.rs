//! Every function that has a reference, with the scalars and the formats that it is tried with.

use tilewright_tile::sfpu::program::{FunctionId, functions};
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{DataFormat, Integer};

/// A call as a reference names it, and as a kernel makes it.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub scalars: Vec<&'static str>,
    /// Tiles that it takes.
    pub tiles: usize,
    /// The format that the function is for; none for floats.
    pub from: Option<DataFormat>,
    /// The format of its result, if that is another.
    pub to: Option<DataFormat>,
}

/// What a kernel calls.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Unary(Unary),
    Binary(Binary),
    Function(FunctionId),
}

impl Case {
    /// What a reference is given.
    pub fn call(&self) -> String {
        match self.scalars.is_empty() {
            true => self.name.clone(),
            false => format!("{}({})", self.name, self.scalars.join(", ")),
        }
    }

    /// The name without template arguments.
    pub fn base(&self) -> &str {
        self.name.split('<').next().expect("a part")
    }

    /// Whether its scalars are whole numbers.
    pub fn has_whole_scalars(&self) -> bool {
        let counted = ["round_tile", "power_iterative_tile", "exp_tile<false,scale>"];
        let is_counted = counted.contains(&self.name.as_str());
        is_counted || self.from.is_some_and(|it| it.is_integer() && !self.base().contains("quant"))
    }

    /// What a kernel passes for its scalars.
    pub fn patterns(&self) -> Vec<u32> {
        let pattern = |text: &&str| match self.has_whole_scalars() {
            true => text.parse::<i64>().expect("a whole number") as u32,
            false => text.parse::<f32>().expect("a number").to_bits(),
        };
        self.scalars.iter().map(pattern).collect()
    }

    /// The machine's word for it.
    pub fn action(&self) -> Action {
        let [legacy, fast, approx] = [true; 3];
        let chosen = match self.name.as_str() {
            "gelu_tile<false>" => Some(Unary::Gelu { fast: false }),
            "recip_tile<false>" => Some(Unary::Recip { legacy: false }),
            "rsqrt_tile<true>" => Some(Unary::Rsqrt { legacy, approx: false, fast: false }),
            "rsqrt_tile<false,true>" => Some(Unary::Rsqrt { legacy: false, approx: false, fast }),
            "sqrt_tile<true>" => Some(Unary::Sqrt { approx: false, fast }),
            "exp_tile<true>" => Some(Unary::Exp { approx }),
            name => Unary::from_name(name, |_, default| default)
                .or_else(|| Some(Unary::with_scalar(name)?(*self.patterns().first()?))),
        };
        let binary = Binary::from_name(&self.name).map(Action::Binary);
        let function = || {
            // What tt-metal's templates choose unless a call says otherwise.
            let names = [self.name.clone(), format!("{}<false>", self.name)];
            let id = names.iter().find_map(|name| FunctionId::from_name(name));
            Action::Function(id.unwrap_or_else(|| panic!("the machine has no {}", self.name)))
        };
        chosen.map(Action::Unary).or(binary).unwrap_or_else(function)
    }
}

/// Functions that are none of numbers alone: results depend on neighbours, on earlier calls or on a
/// generator. Sums, orders and maxima have references of their own.
const OTHERS: &[&str] = &[
    "tiled_prod_tile",
    "alt_complex_rotate90_tile",
    "sfpu_",
    "topk_",
    "max_reduce_with_indices",
    "cumsum_tile",
    "ema_",
    "welford_",
    "init_scalars",
    "prng_seed",
    "dropout_tile",
    "rand_tile",
];

/// Scalars of calls with several, or with one that is not a fraction below one.
const SCALARS: &[(&str, &[&str])] = &[
    ("fill_tile", &["1.7"]),
    ("fill_tile_int", &["-77"]),
    ("exp_tile", &["16064"]),
    ("celu_tile", &["0.75", "1.3333334"]),
    ("selu_tile", &["1.0507", "1.6733"]),
    ("clamp_tile", &["-1.25", "2.5"]),
    ("hardtanh_tile", &["-1.25", "2.5"]),
    ("clamp_tile_int32", &["-1000", "70000"]),
    ("softplus_tile", &["2", "0.5", "20"]),
    ("softcap_tile", &["30", "0.033333335"]),
    ("threshold_tile", &["0.5", "-3"]),
    ("xielu_tile", &["0.8", "0.7"]),
    ("isclose_binary_tile", &["0.125", "0.25"]),
    ("fmod_tile", &["2.5", "0.4"]),
    ("remainder_tile", &["2.5", "0.4"]),
    ("round_tile", &["1"]),
    ("power_iterative_tile", &["3"]),
    ("power_tile", &["2.5"]),
    ("rpow_tile", &["1.5"]),
    ("polygamma_tile", &["2", "-2"]),
    ("left_shift_tile", &["3"]),
    ("right_shift_tile", &["3"]),
    ("log_with_base_tile", &["1.442695"]),
    ("relu_max_tile", &["6"]),
];

/// The format of whole numbers that a name has in it.
fn integer(name: &str) -> Option<DataFormat> {
    let named = |words: [&str; 2], integer| {
        words.iter().any(|word| name.contains(word)).then_some(DataFormat::Integer(integer))
    };
    named(["uint16", "UInt16"], Integer::UInt16)
        .or_else(|| named(["uint32", "UInt32"], Integer::UInt32))
        .or_else(|| named(["int32", "Int32"], Integer::Int32))
}

fn case(name: &str, tiles: usize, scalars: usize) -> Case {
    let mut case =
        Case { name: name.to_owned(), scalars: vec![], tiles, from: integer(name), to: None };
    if ["gcd_tile", "lcm_tile", "bitwise_not_tile", "requant_tile", "dequant_tile"].contains(&name)
    {
        case.from = Some(DataFormat::Integer(Integer::Int32));
    }
    let template = name.split_once('<').map_or("", |(_, rest)| rest.trim_end_matches('>'));
    if let ("typecast_tile", Some((from, to))) = (case.base(), template.split_once(',')) {
        case.from = DataFormat::from_name(from).ok();
        case.to = DataFormat::from_name(to).ok();
    }
    match name {
        "div_int32_tile" | "dequant_tile" => case.to = Some(DataFormat::Float32),
        "quant_tile" => case.to = Some(DataFormat::Integer(Integer::Int32)),
        _ => {}
    }
    let known = SCALARS.iter().find(|(it, _)| *it == case.base()).map(|it| it.1);
    let usual: &[&str] = if case.has_whole_scalars() { &["4321"] } else { &["0.375"] };
    case.scalars = if scalars == 0 { vec![] } else { known.unwrap_or(usual).to_vec() };
    assert_eq!(case.scalars.len(), scalars, "the scalars of {name}");
    case
}

/// Every call.
pub fn all() -> Vec<Case> {
    let unary = Unary::all(0).into_iter().map(|op| op.declared().name);
    let scalars = |name: &str| usize::from(Unary::with_scalar(name).is_some());
    let mut all: Vec<Case> = unary.map(|name| case(name, 1, scalars(name))).collect();
    let variants = ["gelu_tile<false>", "recip_tile<false>", "rsqrt_tile<true>", "exp_tile<true>"];
    all.extend(variants.iter().map(|name| case(name, 1, 0)));
    all.extend(Binary::ALL.iter().map(|op| case(op.declared().name, 2, 0)));
    let is_other = |name: &str| OTHERS.iter().any(|it| name.starts_with(it));
    for function in functions().iter().filter(|it| !is_other(&it.name)) {
        all.push(case(&function.name, function.tiles(), function.scalars.len()));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    all
}
