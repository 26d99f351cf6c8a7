-- grouping: the answer is the position, counted from 1, of the group's first row in the window's order

CREATE FUNCTION near_duplicate_of(signature simhash, distance integer) RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_simhash';
