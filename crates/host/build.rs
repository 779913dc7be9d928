//! Embeds the C++ headers below `include`.

#[path = "../metal/embed.rs"]
mod embed;

fn main() -> std::io::Result<()> {
    embed::embed("include")
}
