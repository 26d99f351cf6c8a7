# For `pgxn install pg_neardup`, and for who is used to make: what README.md says under "Install". `make` builds, by Rust 1.95 or later
# (https://rustup.rs); `make install` only copies, so that it can run as another user.
PG_CONFIG = pg_config
MAJOR := $(shell $(PG_CONFIG) --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
BUILT = target/package/pg$(MAJOR)
PSQL = "$$($(PG_CONFIG) --bindir)/psql" -qXAt -v ON_ERROR_STOP=1

all:
	@command -v cargo >/dev/null || { echo "pg_neardup is built by Rust 1.95 or later, https://rustup.rs" >&2; exit 1; }
	@# Some programs that unpack a bundle leave the right to run behind.
	chmod +x .cargo/cc crates/xtask/docsrs
	cargo xtask build --pg-config "$$(command -v "$(PG_CONFIG)")"

# Not over the library that servers have open: `install` makes a new file.
install:
	@test -d $(BUILT) || { echo "nothing is built for PostgreSQL $(MAJOR): run make first" >&2; exit 1; }
	cd $(BUILT) && find . -type f | while read -r file; do install -D -m 644 "$$file" "$(abspath $(DESTDIR))/$$file" || exit 1; done

# What `pgxn check` runs, on the server that PGHOST and the like name, in a database of its own.
installcheck:
	$(PSQL) -d postgres -c "DROP DATABASE IF EXISTS neardup_installcheck" -c "CREATE DATABASE neardup_installcheck"
	$(PSQL) -d neardup_installcheck -f .ci/smoke.sql
	$(PSQL) -d postgres -c "DROP DATABASE neardup_installcheck"

.PHONY: all install installcheck
