-- Tables whose changes are followed have a full replica identity. Since Postgres 18 no row of such a table can be updated or deleted while it is in a publication
-- that leaves out a stored generated column of it. So publication `supabase_realtime` has them as well, also when a script of the project makes it again.

create function realtime.publish_generated_columns() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
       select from pg_publication p where p.pubname = 'supabase_realtime' and to_jsonb(p) ->> 'pubgencols' = 'n') then
    execute 'alter publication supabase_realtime set (publish_generated_columns = stored)';
  end if;
end
$$;

comment on function realtime.publish_generated_columns() is 'Has publication supabase_realtime publish stored generated columns.';
revoke all on function realtime.publish_generated_columns() from public;

create function realtime.on_publication_made() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform realtime.publish_generated_columns();
end
$$;

comment on function realtime.on_publication_made() is 'Has publication supabase_realtime publish stored generated columns.';
revoke all on function realtime.on_publication_made() from public;

do $$
begin
  perform realtime.publish_generated_columns();
exception
  when insufficient_privilege then
    raise notice 'publication supabase_realtime belongs to another role: set publish_generated_columns = stored yourself, or tables with generated columns cannot be updated';
end
$$;

do $$
begin
  create event trigger holdfast_realtime_generated on ddl_command_end when tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION')
    execute function realtime.on_publication_made();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so a publication supabase_realtime that is made again has no generated columns: make it with publish_generated_columns = stored';
end
$$;
