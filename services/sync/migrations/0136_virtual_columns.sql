-- Postgres replicates no VIRTUAL generated column. While a table that has one is in a publication and has a full replica identity, each UPDATE and DELETE of it
-- fails. So a table that gets such a column leaves the publication, and has its own identity again, before the statement that adds the column is over.

create function sync.on_virtual_column() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
  part regclass;
  publishes text := coalesce(current_setting('holdfast.publishes', true), '');
begin
  -- The message about the ALTER TABLE stops the reader of the stream, which then compiles policies again.
  -- Not as a setting of the function: without a superuser Postgres refuses settings there whose prefix it does not know.
  perform set_config('holdfast.publishes', 'on', true);
  for one in
    select c.oid::regclass as relation,
           exists (select from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
                    where p.pubname = 'holdfast' and r.prrelid = c.oid) as is_published,
           (select i.identity from sync.replica_identities i where i.relation = c.oid) as identity
      from pg_class c
     where c.oid in (select d.objid from pg_event_trigger_ddl_commands() d where d.classid = 'pg_class'::regclass)
       and c.relkind in ('r', 'p')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v' and not a.attisdropped)
  loop
    if one.is_published then
      execute format('alter publication holdfast drop table only %s', one.relation);
    end if;
    -- Without a record the project itself chose a full identity. The index of an identity is not recorded.
    if one.identity is null then
      continue;
    end if;
    for part in
      select c.oid from pg_class c
       where c.relreplident = 'f' and c.relkind in ('r', 'p')
         and (c.oid = one.relation or c.oid in (select t.relid from pg_partition_tree(one.relation) t))
    loop
      execute format('alter table only %s replica identity %s', part,
                     case when one.identity = 'n' then 'nothing' else 'default' end);
    end loop;
  end loop;
  perform set_config('holdfast.publishes', publishes, true);
end
$$;
comment on function sync.on_virtual_column() is 'Takes tables that get a VIRTUAL generated column out of the publication, so that they can still be updated.';
revoke all on function sync.on_virtual_column() from public;

do $$
begin
  create event trigger holdfast_virtual on ddl_command_end when tag in ('ALTER TABLE') execute function sync.on_virtual_column();
  alter event trigger holdfast_virtual enable always;
exception
  when insufficient_privilege then
    raise notice 'no superuser, so a table that gets a VIRTUAL column cannot be updated until sync has noticed and no longer publishes it';
end
$$;
