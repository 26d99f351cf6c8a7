-- The least score of a copy, down to 0.05: a list, a guard and a clean-up go by the same.
SET client_min_messages = warning;
CREATE TABLE wire (id int PRIMARY KEY, body text);
INSERT INTO wire VALUES
(1, 'The regional court of Aldermoor sentenced a former mayor to three years in prison on Tuesday for taking bribes from two building firms. Judge Helen Marsh said that the 54-year-old had abused the trust of his town for a decade. His lawyer announced an appeal. The firms had paid fines before the trial.'),
(2, 'The regional court of Aldermoor sentenced a former mayor to three years in prison for taking bribes from two building firms. Judge Helen Marsh said: He has abused the trust of his town for a decade. His lawyer announced an appeal; the prosecutor had asked for five years. The firms had paid fines.'),
(3, 'The night ferry from Willow Quay stops running next Monday; an electric bus takes its place at the same fare, and the last one leaves at half past eleven.'),
(4, 'The night ferry from Willow Quay stops running next Monday; an electric bus takes its place at the same fare, and the last one leaves at half past eleven!');
SELECT neardup.protect('wire', 'body', on_duplicate => 'warn', log => false);
SELECT n, (SELECT string_agg(format('%s = %s', key, duplicate_of), ', ' ORDER BY key::int) FROM neardup.duplicates('wire', threshold => n)) AS named
FROM unnest('{0.05,0.1,0.5,0.95}'::float8[]) n;
-- the guard refuses from its own threshold on, says so, and a clean-up still removes only what is sure
SELECT neardup.protect('wire', 'body', on_duplicate => 'reject', threshold => 0.05);
DELETE FROM wire WHERE id = 2 RETURNING id;
INSERT INTO wire VALUES (2, 'The regional court of Aldermoor sentenced a former mayor to three years in prison for taking bribes from two building firms. Judge Helen Marsh said: He has abused the trust of his town for a decade. His lawyer announced an appeal; the prosecutor had asked for five years. The firms had paid fines.');
SELECT key, outcome, verdict, score < 0.5 AS low FROM neardup.why('wire', 'The regional court of Aldermoor sentenced a former mayor to three years in prison for taking bribes from two building firms. Judge Helen Marsh said: He has abused the trust of his town for a decade. His lawyer announced an appeal; the prosecutor had asked for five years. The firms had paid fines.') WHERE key = '1';
BEGIN;
SELECT neardup.let_through('wire', false);
INSERT INTO wire VALUES (2, 'The regional court of Aldermoor sentenced a former mayor to three years in prison for taking bribes from two building firms. Judge Helen Marsh said: He has abused the trust of his town for a decade. His lawyer announced an appeal; the prosecutor had asked for five years. The firms had paid fines.');
COMMIT;
SELECT key, duplicate_of, verdict FROM neardup.duplicates('wire') ORDER BY key;
SET client_min_messages = notice;
CALL neardup.cleanup('wire');
DELETE FROM wire WHERE id = 4;
CALL neardup.cleanup('wire');
SET client_min_messages = warning;
CALL neardup.cleanup('wire', threshold => 0.05, dry_run => false);
SELECT id FROM wire ORDER BY id;
SELECT neardup.protect('wire', 'body', threshold => 0.04);
SELECT * FROM neardup.duplicates('wire', threshold => 0);
SELECT * FROM neardup.duplicates('wire', threshold => 'NaN');
CALL neardup.cleanup('wire', threshold => 'Infinity');
