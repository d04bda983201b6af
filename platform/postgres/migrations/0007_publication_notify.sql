-- Tells the reader of the replication stream when somebody else changes the publication that it reads: Postgres goes on without it, in silence, and rows
-- written from then on do not come. The message stands at the very place of the change; the tables it names are read again.

create function holdfast.on_publication_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  unpublished oid[];
begin
  -- Holdfast itself publishes more or fewer tables as policies change, and reads what it has to.
  if current_setting('holdfast.publishes', true) = 'on' then
    return;
  end if;
  if tg_event = 'sql_drop' then
    if not exists (select from pg_event_trigger_dropped_objects() d
                    where d.object_type = 'publication' and d.object_identity = 'holdfast'
                       or d.object_type like 'publication %' and 'holdfast' = any(d.address_args)) then
      return;
    end if;
    unpublished := array(
      select c.oid
        from pg_event_trigger_dropped_objects() d
        join pg_namespace n on n.nspname = d.address_names[1]
        join pg_class c on c.relnamespace = n.oid and c.relname = d.address_names[2]
       where d.object_type = 'publication relation' and 'holdfast' = any(d.address_args));
  else
    -- Its options, or its name, in which case there is none of ours any more. Tables that it has got are no loss.
    if not exists (select from pg_event_trigger_ddl_commands() d join pg_publication p on p.oid = d.objid
                    where d.object_type = 'publication'
                      and (p.pubname = 'holdfast' or not exists (select from pg_publication where pubname = 'holdfast'))) then
      return;
    end if;
    unpublished := array(
      select r.prrelid from pg_publication_rel r
       where r.prpubid in (select d.objid from pg_event_trigger_ddl_commands() d where d.object_type = 'publication'));
  end if;
  perform pg_logical_emit_message(true, 'holdfast:unpublished', u.oid::int8::text) from unnest(unpublished) u (oid);
  perform pg_logical_emit_message(true, 'holdfast:ddl', 'PUBLICATION');
end
$$;

comment on function holdfast.on_publication_change() is 'Tells the reader of the replication stream which tables are no longer published.';
revoke all on function holdfast.on_publication_change() from public;

do $$
begin
  create event trigger holdfast_publication on ddl_command_end when tag in ('ALTER PUBLICATION')
    execute function holdfast.on_publication_change();
  create event trigger holdfast_publication_drop on sql_drop when tag in ('ALTER PUBLICATION', 'DROP PUBLICATION', 'DROP OWNED')
    execute function holdfast.on_publication_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of the publication are not announced: the heartbeat finds out that it is gone';
end
$$;
