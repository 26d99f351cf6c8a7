//! Finds where Cargo keeps the source of a dependency, vendored or from a registry.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

/// Returns the directory of the package `name` that this build resolves to.
pub fn source_dir(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    // Without network first: what the build itself needs is already here. A development dependency may not be.
    let metadata = metadata(true).or_else(|_| metadata(false))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let manifest = packages
        .iter()
        .find(|package| package["name"] == name)
        .and_then(|package| package["manifest_path"].as_str())
        .ok_or_else(|| format!("cargo metadata lists no package {name}"))?;
    let directory = PathBuf::from(manifest).parent().ok_or("a manifest lies in no directory")?.to_path_buf();
    Ok(directory)
}

fn metadata(offline: bool) -> Result<serde_json::Value, Box<dyn Error>> {
    let mut command = Command::new(env::var("CARGO")?);
    command.args(["metadata", "--format-version", "1", "--filter-platform", &env::var("TARGET")?]);
    command.arg("--manifest-path").arg(PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("Cargo.toml"));
    if offline {
        command.arg("--offline");
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
