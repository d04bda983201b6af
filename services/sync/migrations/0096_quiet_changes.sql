-- A migration runs statement by statement, and each statement that changes the schema holds all checkpoints until policies have been looked at. Most change
-- nothing of what anybody sees: a new table without policies, an index of it, a comment. Of those the reader of the stream is told before the message that it has
-- been told so far ('holdfast:ddl', which servers of earlier versions go by): 'holdfast:quiet', with the oids of the tables that are concerned. As long as it
-- follows none of them, nothing has to wait. What is not known to be quiet is not.

-- Whether nobody sees rows of a relation through the API, and it hides no other one of its name.
create function sync.is_quiet_relation(relation oid) returns boolean
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select c.relkind in ('r', 'S')
           and not c.relispartition
           and not exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
           and (not c.relrowsecurity
                or not exists (select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')))
           and not exists (select from pg_class o where o.relname = c.relname and o.oid <> c.oid)
           and not exists (select from pg_type t where t.typname = c.relname and t.typrelid <> c.oid)
      from pg_class c where c.oid = relation), false)
$$;

-- @return the tables that quiet commands of the statement concern; null when some command is not quiet, or none is to be announced
create function sync.quiet_commands() returns oid[]
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
    if command.command_tag in ('COMMENT', 'ALTER DEFAULT PRIVILEGES', 'CREATE TRIGGER') then
      continue;
    elsif command.object_type = 'function' then
      -- No query can call it.
      continue when exists (select from pg_proc f where f.oid = command.objid and f.prorettype in ('trigger'::regtype, 'event_trigger'::regtype));
    elsif command.object_type = 'policy' then
      -- Of commands that read nothing.
      continue when exists (select from pg_policy p where p.oid = command.objid and p.polcmd in ('a', 'w', 'd'));
    elsif command.object_type in ('table', 'table column', 'sequence') then
      relations := array[command.objid];
    elsif command.object_type = 'index' and command.command_tag <> 'REINDEX' then
      relations := array(select i.indrelid from pg_index i where i.indexrelid = command.objid);
    elsif command.object_type = 'table constraint' then
      relations := array(select k.conrelid from pg_constraint k where k.oid = command.objid and k.conrelid <> 0);
    elsif command.command_tag in ('GRANT', 'REVOKE') and command.object_type = 'TABLE' then
      -- Which ones is not told. They are among the rows that this transaction has written; others written since it began do no harm.
      relations := array(
        select c.oid from pg_class c where age(c.xmin) <= age(pg_current_xact_id()::xid)
        union
        select a.attrelid from pg_attribute a where age(a.xmin) <= age(pg_current_xact_id()::xid));
    end if;
    if coalesce(cardinality(relations), 0) = 0 or exists (select from unnest(relations) r where not sync.is_quiet_relation(r)) then
      return null;
    end if;
    found := found || relations;
  end loop;
  return case when is_any then found end;
end
$$;

-- @return the tables that were dropped; null when something else was, or another relation has the name of one
create function sync.quiet_drops() returns oid[]
  language sql
  set search_path = pg_catalog, pg_temp
as $$
  select case when bool_and(object_type in ('table', 'sequence') and original
                            and not exists (select from pg_class c where c.relname = object_name)
                            and not exists (select from pg_type t where t.typname = object_name))
              then array_agg(objid) end
    from pg_event_trigger_dropped_objects()
   where not is_temporary and schema_name is distinct from 'sync' and object_type not like 'publication%' and (original or normal)
$$;

-- Says so right before the message of platform/0002: event triggers fire in the order of their names. It says it only where that message follows.
create function sync.on_quiet_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  quiet oid[];
begin
  begin
    quiet := case when tg_event = 'sql_drop' then sync.quiet_drops() else sync.quiet_commands() end;
  exception when others then
    -- A statement of a user never fails because of this.
    quiet := null;
  end;
  if quiet is not null then
    perform pg_logical_emit_message(true, 'holdfast:quiet', array_to_string(quiet, ','));
  end if;
end
$$;

revoke all on function sync.is_quiet_relation(oid), sync.quiet_commands(), sync.quiet_drops(), sync.on_quiet_change() from public;

do $$
begin
  create event trigger holdfast_a_quiet on ddl_command_end execute function sync.on_quiet_change();
  create event trigger holdfast_a_quiet_drop on sql_drop execute function sync.on_quiet_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of the catalog are not announced: restart Holdfast after changing tables or policies';
end
$$;
