-- GRANT and REVOKE write to pg_class without locking the table, and fail with "tuple concurrently updated" when somebody else writes there. So they wait for a
-- step of Holdfast's own, which takes milliseconds, and Holdfast begins none while a transaction that has changed rights is not over.

create function holdfast.on_grant() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('holdfast grants', 0));
end
$$;
comment on function holdfast.on_grant() is 'Keeps changes of rights and what Holdfast changes of tables apart.';
revoke all on function holdfast.on_grant() from public;

do $$
begin
  create event trigger holdfast_grants on ddl_command_start when tag in ('GRANT', 'REVOKE') execute function holdfast.on_grant();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so a GRANT may have to be repeated while a table begins to sync';
end
$$;
