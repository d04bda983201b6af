-- Changes of the schema that follow each other, of tables that the reader of the stream does not follow, need not stop it even if they make such a table
-- one that syncs: nobody has rows of it yet. Where a change is not quiet ('holdfast:quiet', 0096), the reader is told whether it is such a one: 'holdfast:apart',
-- with the oids of the tables that it concerns and nothing else.

-- Whether a change of the relation concerns no other one, and it hides no other one of its name.
create function sync.is_apart_relation(relation oid) returns boolean
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select c.relkind in ('r', 'S')
           and not c.relispartition
           and not exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
           and not exists (select from pg_class o where o.relname = c.relname and o.oid <> c.oid)
           and not exists (select from pg_type t where t.typname = c.relname and t.typrelid <> c.oid)
      from pg_class c where c.oid = relation), false)
$$;

-- @return the tables that the commands of the statement concern; null when some command may concern more, or none is to be announced
create function sync.apart_commands() returns oid[]
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  command record;
  found oid[] := '{}';
  relations oid[];
  is_any boolean := false;
begin
  for command in
    select classid, objid, command_tag, object_type from pg_event_trigger_ddl_commands()
     where schema_name is distinct from 'pg_temp' and schema_name is distinct from 'sync'
  loop
    is_any := true;
    relations := null;
    if command.object_type in ('table', 'table column', 'sequence') then
      relations := array[command.objid];
    elsif command.object_type = 'policy' then
      relations := array(select p.polrelid from pg_policy p where p.oid = command.objid);
    elsif command.object_type = 'index' and command.command_tag <> 'REINDEX' then
      relations := array(select i.indrelid from pg_index i where i.indexrelid = command.objid);
    elsif command.object_type = 'table constraint' then
      relations := array(select k.conrelid from pg_constraint k where k.oid = command.objid and k.conrelid <> 0);
    elsif command.command_tag in ('GRANT', 'REVOKE') and command.object_type = 'TABLE' then
      -- As in sync.quiet_commands().
      relations := array(
        select c.oid from pg_class c where age(c.xmin) <= age(pg_current_xact_id()::xid)
        union
        select a.attrelid from pg_attribute a where age(a.xmin) <= age(pg_current_xact_id()::xid));
    end if;
    if coalesce(cardinality(relations), 0) = 0 or exists (select from unnest(relations) r where not sync.is_apart_relation(r)) then
      return null;
    end if;
    found := found || relations;
  end loop;
  return case when is_any then found end;
end
$$;

-- @return the tables that were dropped, or lost policies; null when something else was dropped
create function sync.apart_drops() returns oid[]
  language sql
  set search_path = pg_catalog, pg_temp
as $$
  with dropped as materialized (
    select object_type, original, objid, schema_name, object_name, address_names
      from pg_event_trigger_dropped_objects()
     where not is_temporary and schema_name is distinct from 'sync' and object_type not like 'publication%' and (original or normal)
  ), named as (
    select *, case when object_type = 'policy' then to_regclass(format('%I.%I', address_names[1], address_names[2]))::oid end as lives from dropped
  ), concerned as (
    select case when object_type <> 'policy' then objid
                else coalesce(lives, (
                  select t.objid from dropped t
                   where t.object_type = 'table' and t.schema_name = d.address_names[1] and t.object_name = d.address_names[2]))
           end as relation,
           case when object_type = 'policy' then lives is null or sync.is_apart_relation(lives)
                else object_type in ('table', 'sequence') and original
                     and not exists (select from pg_class c where c.relname = object_name)
                     and not exists (select from pg_type t where t.typname = object_name)
           end as is_apart
      from named d
  )
  select case when bool_and(is_apart and relation is not null) then array_agg(relation) end from concerned
$$;

create or replace function sync.on_quiet_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  quiet oid[];
  apart oid[];
begin
  begin
    quiet := case when tg_event = 'sql_drop' then sync.quiet_drops() else sync.quiet_commands() end;
    if quiet is null then
      apart := case when tg_event = 'sql_drop' then sync.apart_drops() else sync.apart_commands() end;
    end if;
  exception when others then
    -- A statement of a user never fails because of this.
    quiet := null;
    apart := null;
  end;
  if quiet is not null then
    perform pg_logical_emit_message(true, 'holdfast:quiet', array_to_string(quiet, ','));
  elsif apart is not null then
    perform pg_logical_emit_message(true, 'holdfast:apart', array_to_string(apart, ','));
  end if;
end
$$;

revoke all on function sync.is_apart_relation(oid), sync.apart_commands(), sync.apart_drops() from public;
