-- Event triggers of the project, in a packaged database. Postgres leaves them to superusers: an event trigger runs with the rights of whoever changes the schema,
-- and one of those is Holdfast's superuser. So an event trigger of the project calls a copy of the project's function that belongs to the superuser and that the
-- project cannot change. Its first statement returns unless the project itself is at work: as with supautils, nothing of the project runs with other rights.

do $migration$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;

  execute $ddl$

create table holdfast.event_triggers (
  name name primary key,
  -- The project's function, and the copy that the event trigger calls.
  source oid not null,
  copy regprocedure not null
);
comment on table holdfast.event_triggers is 'Event triggers of the project.';
revoke all on holdfast.event_triggers from public, anon, authenticated, service_role;

create function holdfast.copy_event_function(source oid, copy_name name) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set check_function_bodies = on
as $$
declare
  original record;
  -- Also in a session of the superuser that acts as the project, the text could reset the role. Operators and types of the session's path are not asked.
  head constant text := $head$
begin
  if session_user operator(pg_catalog.<>) 'postgres'::pg_catalog.name or current_user operator(pg_catalog.<>) 'postgres'::pg_catalog.name then
    return;
  end if;
$head$;
  -- A block inside of another ends with a semicolon, which that of a function may have already.
  tail constant text := E'\n;\nend';
  create_copy constant text := 'create or replace function holdfast.%I() returns event_trigger language plpgsql as %L';
  setting text;
begin
  select p.oid::regprocedure as name, p.prosrc, p.proconfig, p.prorettype, l.lanname, p.proowner = 'postgres'::regrole as is_own
    into original
    from pg_proc p join pg_language l on l.oid = p.prolang
   where p.oid = source;
  if original.prorettype is distinct from 'event_trigger'::regtype then
    raise invalid_object_definition using message = format('function %s must return type event_trigger', source::regprocedure);
  end if;
  if not original.is_own then
    raise insufficient_privilege using message = format('must be owner of function %s', original.name);
  end if;
  if original.lanname <> 'plpgsql' then
    raise feature_not_supported using message = format('event triggers of a project call functions in PL/pgSQL, and %s is in %s', original.name, original.lanname);
  end if;
  begin
    execute format(create_copy, copy_name, head || original.prosrc || tail);
  exception when syntax_error then
    execute format(create_copy, copy_name, head || original.prosrc || E'\nend');
  end;
  execute format('revoke all on function holdfast.%I() from public', copy_name);
  execute format('alter function holdfast.%I() reset all', copy_name);
  foreach setting in array coalesce(original.proconfig, '{}') loop
    -- Others take effect before the first statement: session_authorization, for one.
    if setting not like 'search_path=%' then
      raise feature_not_supported using message = format('function %s of an event trigger sets %s', original.name, split_part(setting, '=', 1)),
        hint = 'Such a function can set search_path only. Call set_config in it for others.';
    end if;
    -- `set … from current` keeps what set_config took, which may be any text without blanks.
    if setting !~ '^search_path=(("[^"]*"|[[:alpha:]_][[:alnum:]_$]*)( *, *| *$))*$' then
      raise feature_not_supported using message = format('the search_path of function %s is no list of names', original.name);
    end if;
    execute format('alter function holdfast.%I() set search_path = %s', copy_name, substr(setting, length('search_path=') + 1));
  end loop;
end
$$;
comment on function holdfast.copy_event_function(oid, name) is 'Copies a function of the project that returns event_trigger, so that it runs only where the project is at work.';

create function holdfast.sweep_event_functions() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  copy regprocedure;
begin
  delete from holdfast.event_triggers t where not exists (select from pg_event_trigger e where e.evtname = t.name);
  for copy in
    select p.oid from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and starts_with(p.proname, 'event_trigger_')
       and not exists (select from holdfast.event_triggers t where t.copy = p.oid)
  loop
    execute format('drop function %s', copy);
  end loop;
end
$$;
comment on function holdfast.sweep_event_functions() is 'Drops copies that no event trigger calls.';

create function holdfast.create_event_trigger(name name, event text, tags text[], calls regprocedure) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  copy_name name := 'event_trigger_' || left(md5(name::text), 16);
begin
  if name ~* '^holdfast' then
    raise reserved_name using message = format('the name %I is reserved', name), hint = 'Names of event triggers that begin with "holdfast" are those of Holdfast.';
  end if;
  if event not in ('ddl_command_start', 'ddl_command_end', 'sql_drop', 'table_rewrite') then
    raise feature_not_supported using message = format('event triggers of a project do not fire on "%s"', event),
      hint = 'They fire on ddl_command_start, ddl_command_end, sql_drop and table_rewrite.';
  end if;
  if exists (select from pg_event_trigger t where t.evtname = create_event_trigger.name) then
    raise duplicate_object using message = format('event trigger "%s" already exists', name);
  end if;
  perform holdfast.sweep_event_functions();
  perform holdfast.copy_event_function(calls::oid, copy_name);
  execute format('create event trigger %I on %I%s execute function holdfast.%I()', name, event,
                 ' when tag in (' || (select string_agg(quote_literal(one), ', ') from unnest(tags) one) || ')', copy_name);
  insert into holdfast.event_triggers values (name, calls::oid, format('holdfast.%I()', copy_name)::regprocedure);
end
$$;
comment on function holdfast.create_event_trigger(name, text, text[], regprocedure) is 'Makes an event trigger of the project. It fires in sessions of the project.';

create function holdfast.drop_event_trigger(name name, is_optional boolean default false) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from holdfast.event_triggers t where t.name = drop_event_trigger.name;
  if not found then
    if exists (select from pg_event_trigger t where t.evtname = drop_event_trigger.name) then
      raise insufficient_privilege using message = format('must be owner of event trigger %s', name);
    end if;
    if not is_optional then
      raise undefined_object using message = format('event trigger "%s" does not exist', name);
    end if;
    return;
  end if;
  execute format('drop event trigger if exists %I', name);
  perform holdfast.sweep_event_functions();
end
$$;
comment on function holdfast.drop_event_trigger(name, boolean) is 'Drops an event trigger of the project.';

create function holdfast.alter_event_trigger(name name, change text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if change not in ('enable', 'disable', 'enable replica', 'enable always') then
    raise feature_not_supported using message = format('"%s" is no change of an event trigger', change);
  end if;
  if not exists (select from holdfast.event_triggers t where t.name = alter_event_trigger.name) then
    raise insufficient_privilege using message = format('must be owner of event trigger %s', name);
  end if;
  execute format('alter event trigger %I %s', name, change);
end
$$;
comment on function holdfast.alter_event_trigger(name, text) is 'Enables or disables an event trigger of the project.';

-- The copy follows the function, and goes with it.
create function holdfast.on_event_function() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
begin
  if tg_event = 'sql_drop' then
    for one in
      delete from holdfast.event_triggers t
       where t.source in (select d.objid from pg_event_trigger_dropped_objects() d where d.classid = 'pg_proc'::regclass)
      returning t.name
    loop
      -- The copy is swept later: it may be about to be called for this very statement.
      execute format('drop event trigger if exists %I', one.name);
    end loop;
    return;
  end if;
  for one in
    select t.source, p.proname from holdfast.event_triggers t join pg_proc p on p.oid = t.copy
     where t.source in (select d.objid from pg_event_trigger_ddl_commands() d where d.classid = 'pg_proc'::regclass)
  loop
    perform holdfast.copy_event_function(one.source, one.proname);
  end loop;
end
$$;
comment on function holdfast.on_event_function() is 'Copies functions of the project''s event triggers again when they change.';

create event trigger holdfast_event_functions on ddl_command_end when tag in ('CREATE FUNCTION', 'ALTER FUNCTION', 'ALTER ROUTINE')
  execute function holdfast.on_event_function();
alter event trigger holdfast_event_functions enable always;
create event trigger holdfast_event_functions_drop on sql_drop execute function holdfast.on_event_function();
alter event trigger holdfast_event_functions_drop enable always;

revoke all on function holdfast.copy_event_function(oid, name), holdfast.sweep_event_functions(), holdfast.create_event_trigger(name, text, text[], regprocedure),
  holdfast.drop_event_trigger(name, boolean), holdfast.alter_event_trigger(name, text), holdfast.on_event_function() from public;
grant execute on function holdfast.create_event_trigger(name, text, text[], regprocedure), holdfast.drop_event_trigger(name, boolean),
  holdfast.alter_event_trigger(name, text) to postgres;

  $ddl$;
end
$migration$;
