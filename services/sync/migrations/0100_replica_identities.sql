-- Sync needs all of every old row, so tables that it follows get REPLICA IDENTITY FULL. What a project chose for its table is kept here: it says how much of an old
-- row others are told.

create table sync.replica_identities (
  relation regclass primary key,
  identity "char" not null
);
comment on table sync.replica_identities is 'The replica identity of tables from before Holdfast made it full. A full one without a row here was chosen by the project.';

-- Tables that are followed already were made so by earlier versions, which wrote nothing down.
insert into sync.replica_identities (relation, identity)
select c.oid::regclass, 'd'
  from pg_catalog.pg_publication p
  join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
  join pg_catalog.pg_class c on c.oid = r.prrelid
 where p.pubname = 'holdfast' and c.relreplident = 'f';

-- A project may choose a full one when the table has it already, which changes nothing in the catalog.
create function sync.on_own_identity() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('holdfast.publishes', true) = 'on' or current_query() !~* 'replica\s+identity' then
    return;
  end if;
  delete from sync.replica_identities i
   where i.relation in (select d.objid from pg_event_trigger_ddl_commands() d where d.object_type = 'table');
end
$$;
comment on function sync.on_own_identity() is 'Forgets what the replica identity of a table was when the project itself sets it.';
revoke all on function sync.on_own_identity() from public;

do $$
begin
  create event trigger holdfast_identity on ddl_command_end when tag in ('ALTER TABLE') execute function sync.on_own_identity();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so a full replica identity counts as Holdfast''s own once a table is followed';
end
$$;
