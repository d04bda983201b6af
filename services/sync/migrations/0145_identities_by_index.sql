-- A replica identity by index came back as the default one, and a full identity stayed on a table that left the publication without the event trigger.

alter table sync.replica_identities add column index regclass;
comment on column sync.replica_identities.index is 'Of an identity by index: the index.';

create function sync.restore_identity(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  kept record;
  part record;
begin
  select i.identity, i.index into kept from sync.replica_identities i where i.relation = target;
  -- Without a record the project itself chose a full identity.
  if not found then
    return;
  end if;
  for part in
    select c.oid::regclass as relation,
           (select n.relname from pg_index x join pg_class n on n.oid = x.indexrelid
             where kept.identity = 'i' and x.indrelid = c.oid
               and x.indexrelid in (select t.relid from sync.partitions_of(kept.index) t)) as index
      from sync.partitions_of(target) p join pg_class c on c.oid = p.relid
     where c.relreplident = 'f' and c.relkind in ('r', 'p')
  loop
    if part.index is not null then
      begin
        execute format('alter table only %s replica identity using index %I', part.relation, part.index);
        continue;
      exception when wrong_object_type or feature_not_supported then
        -- One of its columns may be null by now.
        null;
      end;
    end if;
    execute format('alter table only %s replica identity %s', part.relation, case when kept.identity = 'n' then 'nothing' else 'default' end);
  end loop;
end
$$;
comment on function sync.restore_identity(regclass) is 'Gives a table and its partitions the replica identity that the table had before Holdfast made it full.';
revoke all on function sync.restore_identity(regclass) from public;

create or replace function sync.on_virtual_column() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
  publishes text := coalesce(current_setting('holdfast.publishes', true), '');
begin
  -- The message about the ALTER TABLE stops the reader of the stream, which then compiles policies again.
  -- Not as a setting of the function: without a superuser Postgres refuses settings there whose prefix it does not know.
  perform set_config('holdfast.publishes', 'on', true);
  for one in
    select c.oid::regclass as relation,
           exists (select from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
                    where p.pubname = 'holdfast' and r.prrelid = c.oid) as is_published
      from pg_class c
     where c.oid in (select d.objid from pg_event_trigger_ddl_commands() d where d.classid = 'pg_class'::regclass)
       and c.relkind in ('r', 'p')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v' and not a.attisdropped)
  loop
    if one.is_published then
      execute format('alter publication holdfast drop table only %s', one.relation);
    end if;
    perform sync.restore_identity(one.relation);
  end loop;
  perform set_config('holdfast.publishes', publishes, true);
end
$$;
