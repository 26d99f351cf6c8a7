//! pg_neardup: near-duplicate text inside Postgres. This file only lists the parts; each part is one SQL feature.
::pgrx::pg_module_magic!(name, version);
