//! The installation script: the SQL files of the features, in the order in which CREATE EXTENSION runs them.
//!
//! A function of Rust code is declared in the SQL file of its feature, with its labels, its defaults and its comment, as
//! `LANGUAGE c ... AS 'MODULE_PATHNAME', 'name_wrapper'`. The Rust function of that name has `#[pg_extern(sql = false)]`.

use pgrx::prelude::*;

extension_sql_file!("bootstrap.sql", bootstrap);
extension_sql_file!("selectivity/selectivity.sql", name = "selectivity", requires = ["bootstrap"]);
extension_sql_file!("simhash/simhash.sql", name = "simhash", requires = ["selectivity"]);
extension_sql_file!("simhash/bands.sql", name = "simhash_bands", requires = ["simhash"]);
extension_sql_file!("simhash/within.sql", name = "simhash_within", requires = ["simhash_bands"]);
extension_sql_file!("minhash/minhash.sql", name = "minhash", requires = ["simhash_within"]);
extension_sql_file!("minhash/bands.sql", name = "minhash_bands", requires = ["minhash"]);
extension_sql_file!("sketch/sketch.sql", name = "sketch", requires = ["minhash_bands"]);
extension_sql_file!("minhash/within.sql", name = "minhash_within", requires = ["sketch"]);
extension_sql_file!("tokenset/tokenset.sql", name = "tokenset", requires = ["minhash_within"]);
extension_sql_file!("similarity/similarity.sql", name = "similarity", requires = ["tokenset"]);
extension_sql_file!("bloom/bloom.sql", name = "bloom", requires = ["similarity"]);
extension_sql_file!("text/tokens.sql", name = "text_tokens", requires = ["bloom"]);
extension_sql_file!("text/digest.sql", name = "text_digest", requires = ["text_tokens"]);
extension_sql_file!("containment/containment.sql", name = "containment", requires = ["text_digest"]);
extension_sql_file!("evaluate/evaluate.sql", name = "evaluate", requires = ["containment"]);
extension_sql_file!("verdict/verdict.sql", name = "verdict", requires = ["evaluate"]);
extension_sql_file!("grouping/grouping.sql", name = "grouping", requires = ["verdict"]);
extension_sql_file!("grouping/repeats.sql", name = "grouping_repeats", requires = ["grouping"]);
extension_sql_file!("index/index.sql", name = "index", requires = ["grouping_repeats"]);
extension_sql_file!("guard/guard.sql", name = "guard", requires = ["index"]);
extension_sql_file!("near_duplicate/near_duplicate.sql", name = "near_duplicate", requires = ["guard"]);
extension_sql_file!("guard/protect.sql", name = "guard_protect", requires = ["near_duplicate"]);
extension_sql_file!("guard/objects.sql", name = "guard_objects", requires = ["guard_protect"]);
extension_sql_file!("guard/kept.sql", name = "guard_kept", requires = ["guard_objects"]);
extension_sql_file!("guard/verdicts.sql", name = "guard_verdicts", requires = ["guard_kept"]);
extension_sql_file!("guard/groups.sql", name = "guard_groups", requires = ["guard_verdicts"]);
extension_sql_file!("guard/why.sql", name = "guard_why", requires = ["guard_groups"]);
extension_sql_file!("guard/insert_or_match.sql", name = "guard_insert_or_match", requires = ["guard_why"]);
extension_sql_file!("profile/profile.sql", name = "profile", requires = ["guard_insert_or_match"]);
extension_sql_file!("answers/answers.sql", name = "answers", requires = ["profile"]);
extension_sql_file!("cleanup/removed.sql", name = "cleanup_removed", requires = ["answers"]);
extension_sql_file!("cleanup/log.sql", name = "cleanup_log", requires = ["cleanup_removed"]);
extension_sql_file!("cleanup/renamed.sql", name = "cleanup_renamed", requires = ["cleanup_log"]);
extension_sql_file!("cleanup/runner.sql", name = "cleanup_runner", requires = ["cleanup_renamed"]);
extension_sql_file!("list/list.sql", name = "list", requires = ["cleanup_runner"]);
extension_sql_file!("list/documents.sql", name = "list_documents", requires = ["list"]);
extension_sql_file!("cleanup/report.sql", name = "cleanup_report", requires = ["list_documents"]);
extension_sql_file!("cleanup/run.sql", name = "cleanup_run", requires = ["cleanup_report"]);
extension_sql_file!("cleanup/dry_run.sql", name = "cleanup_dry_run", requires = ["cleanup_run"]);
extension_sql_file!("cleanup/restore.sql", name = "cleanup_restore", requires = ["cleanup_dry_run"]);
extension_sql_file!("cleanup/restored_rows.sql", name = "cleanup_restored_rows", requires = ["cleanup_restore"]);
extension_sql_file!("cleanup/purge.sql", name = "cleanup_purge", requires = ["cleanup_restored_rows"]);
extension_sql_file!("answers/questions.sql", name = "answers_questions", requires = ["cleanup_purge"]);
extension_sql_file!("answers/estimate.sql", name = "answers_estimate", requires = ["answers_questions"]);
extension_sql_file!("answers/learn.sql", name = "answers_learn", requires = ["answers_estimate"]);
