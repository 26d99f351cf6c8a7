//! What an access method needs from Postgres: pages under locks and WAL, and the sort of a build.

pub mod sort;
