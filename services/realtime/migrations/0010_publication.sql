-- Postgres changes: the tables of publication `supabase_realtime`, as on Supabase. It begins empty, and belongs to the project's role in a packaged database, whose
-- scripts drop it and make it again.

do $$
declare
  project name;
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    return;
  end if;
  create publication supabase_realtime;
  select r.rolname into project
    from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
   where d.datname = pg_catalog.current_database() and not r.rolsuper
     and (select u.rolsuper from pg_catalog.pg_roles u where u.rolname = current_user)
     and exists (select from pg_catalog.pg_roles b where b.oid = 10 and b.rolname = 'supabase_admin');
  if project is not null then
    execute pg_catalog.format('alter publication supabase_realtime owner to %I', project);
  end if;
end
$$;

-- Tells the reader of the replication stream that the tables of a publication may have changed. No device sees an effect of that, so it is announced as quiet.
create function realtime.on_publication_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Holdfast's own publication.
  if current_setting('holdfast.publishes', true) = 'on' then
    return;
  end if;
  if tg_event = 'sql_drop' and not exists (
       select from pg_event_trigger_dropped_objects() d where d.object_type like 'publication%' and (d.original or d.normal)) then
    return;
  end if;
  perform pg_logical_emit_message(true, 'holdfast:quiet', '');
  perform pg_logical_emit_message(true, 'holdfast:ddl', 'PUBLICATION');
end
$$;

comment on function realtime.on_publication_change() is 'Tells the reader of the replication stream to look which tables are published.';
revoke all on function realtime.on_publication_change() from public;

do $$
begin
  create event trigger holdfast_realtime on ddl_command_end when tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION')
    execute function realtime.on_publication_change();
  create event trigger holdfast_realtime_drop on sql_drop when tag in ('ALTER PUBLICATION', 'DROP PUBLICATION')
    execute function realtime.on_publication_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of the publication supabase_realtime are not announced: restart Holdfast after changing it';
end
$$;
