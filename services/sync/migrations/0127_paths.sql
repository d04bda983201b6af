-- A path without `pg_temp` begins with it: a domain of the session's own in the place of `text` would run its check with the rights of the function's owner, who is the
-- superuser. So `pg_temp` comes last, by its name.
alter function sync.claim_upload(text, uuid, bigint, bytea) set search_path = pg_catalog, pg_temp;
alter function sync.record_upload(text, uuid, bigint, text, json) set search_path = pg_catalog, pg_temp;
