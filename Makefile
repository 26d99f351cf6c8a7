# For `pgxn install pg_neardup`, and for who is used to make: what README.md says under "Install". Cargo builds.
PG_CONFIG = pg_config

all:
	@command -v cargo >/dev/null || { echo "pg_neardup is built by Rust 1.95 or later, https://rustup.rs" >&2; exit 1; }

# Some programs that unpack a bundle leave the right to run behind.
install: all
	chmod +x .cargo/cc crates/xtask/docsrs
	cargo xtask install --pg-config "$$(command -v "$(PG_CONFIG)")"

.PHONY: all install
