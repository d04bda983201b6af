-- Tells every server of this database, on commit, that sessions have ended or that accounts were banned or deleted: they keep what they know about a
-- session in memory, and end the sync streams of people who are gone. The payload is `session` or `user` with ids, or `all` when there are too many.

create function auth.announce_endings(kind text, ids uuid[]) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- 200 ids are 7,400 bytes; a payload may have 7,999.
  ids_max constant int := 200;
begin
  if cardinality(ids) > 50 * ids_max then
    perform pg_notify('holdfast_sessions', 'all');
    return;
  end if;
  for start_at in 1 .. cardinality(ids) by ids_max loop
    perform pg_notify('holdfast_sessions', kind || ' ' || array_to_string(ids[start_at : start_at + ids_max - 1], ' '));
  end loop;
end
$$;

create function auth.on_sessions_deleted() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform auth.announce_endings('session', (select coalesce(array_agg(gone.id), '{}') from gone));
  return null;
end
$$;

create function auth.on_session_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform auth.announce_endings('session', array[new.id]);
  return null;
end
$$;

create function auth.on_user_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform auth.announce_endings('user', array[new.id]);
  return null;
end
$$;

create function auth.on_sessions_truncated() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('holdfast_sessions', 'all');
  return null;
end
$$;

revoke all on function auth.announce_endings(text, uuid[]), auth.on_sessions_deleted(), auth.on_session_changed(),
  auth.on_user_changed(), auth.on_sessions_truncated() from public;

create trigger holdfast_sessions_deleted after delete on auth.sessions
  referencing old table as gone for each statement execute function auth.on_sessions_deleted();
create trigger holdfast_sessions_truncated after truncate on auth.sessions
  for each statement execute function auth.on_sessions_truncated();
create trigger holdfast_session_changed after update of not_after, user_id on auth.sessions
  for each row when (old.not_after is distinct from new.not_after or old.user_id <> new.user_id)
  execute function auth.on_session_changed();
create trigger holdfast_user_changed after update of banned_until, deleted_at on auth.users
  for each row when (old.banned_until is distinct from new.banned_until or old.deleted_at is distinct from new.deleted_at)
  execute function auth.on_user_changed();
-- Sessions go with their account, so a deleted account is announced by them.

-- Also while a replica or a restore writes: what has ended there has ended.
alter table auth.sessions enable always trigger holdfast_sessions_deleted;
alter table auth.sessions enable always trigger holdfast_sessions_truncated;
alter table auth.sessions enable always trigger holdfast_session_changed;
alter table auth.users enable always trigger holdfast_user_changed;
