# The official postgres image with the extension in it, built by the command that makes the Debian package:
#     docker build --build-arg PG_MAJOR=15 -t pg_neardup:15 .
# Only the extension's files, for extension_control_path (PostgreSQL 18), as CloudNativePG mounts them (docs/container.md):
#     docker build --build-arg PG_MAJOR=18 --target files -t pg_neardup-files:18 .
# A folder with one package is used instead of a build, as a release does with what it has tried out:
#     docker build --build-context packages=FOLDER ...
# Base images are named by tag and not by digest, so that a release has the newest minor release of PostgreSQL and Debian's fixes.
ARG PG_MAJOR=15

FROM rust:1.95-bookworm AS rust

FROM postgres:${PG_MAJOR}-bookworm AS build
ARG PG_MAJOR
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
# A C compiler for the first command; the rest it installs itself.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev git ca-certificates
WORKDIR /pg_neardup
COPY . .
RUN cargo xtask package --pg "$PG_MAJOR"

# What --build-context replaces.
FROM scratch AS packages
COPY --from=build /pg_neardup/target/package/*.deb /

FROM postgres:${PG_MAJOR}-bookworm AS unpacked
ARG PG_MAJOR
COPY --from=packages /*.deb /tmp/
RUN dpkg-deb -x /tmp/*.deb /tmp/tree && cd /tmp/tree/usr && \
    mkdir -p /files/share /files/licenses/pg_neardup && \
    mv share/postgresql/"$PG_MAJOR"/extension /files/share/ && \
    mv lib/postgresql/"$PG_MAJOR"/lib /files/ && \
    mv share/doc/postgresql-"$PG_MAJOR"-neardup/copyright /files/licenses/pg_neardup/

FROM scratch AS files
LABEL org.opencontainers.image.source="https://github.com/pg-neardup/pg_neardup" org.opencontainers.image.licenses="PostgreSQL"
COPY --from=unpacked /files/ /

FROM postgres:${PG_MAJOR}-bookworm
LABEL org.opencontainers.image.source="https://github.com/pg-neardup/pg_neardup" org.opencontainers.image.licenses="PostgreSQL"
COPY --from=packages /*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
