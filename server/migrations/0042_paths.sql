-- A path without `pg_temp` begins with it: a domain of the session's own in the place of `text` would run its check with the rights of the function's owner, who is the
-- superuser for these. So `pg_temp` comes last, by its name.
alter function holdfast.admit_to_history(regclass, name) set search_path = pg_catalog, pg_temp;
alter function holdfast.follow_tracked(regclass, jsonb) set search_path = pg_catalog, pg_temp;
alter function holdfast.history_condition(regclass, name) set search_path = pg_catalog, pg_temp;
alter function holdfast.on_tracked_change() set search_path = pg_catalog, pg_temp;
