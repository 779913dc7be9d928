//! Embeds the C++ headers below `shim`.

#[path = "embed.rs"]
mod embed;

fn main() -> std::io::Result<()> {
    embed::embed("shim").map(drop)
}
