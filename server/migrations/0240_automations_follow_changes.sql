-- Automations follow changes of their tables: options keep their meaning when they are renamed, an automation that lacks a table or field stops and says so, and resumes
-- when it is restored. One whose user loses the rights stops at once.

alter table holdfast.automations
  add column lacks text,
  add column resumes boolean not null default false;
comment on column holdfast.automations.lacks is 'Lacks. The tables and fields that it names and that are gone.';
comment on column holdfast.automations.resumes is 'Resumes. Whether the server switches it on again when nothing is lacking any more.';

create function holdfast.automation_used(config jsonb) returns table (table_name text, field text)
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  with steps as (
    select one.value as step, coalesce(one.value ->> 'table', config #>> '{when,table}') as target
      from jsonb_array_elements(case jsonb_typeof(config -> 'do') when 'array' then config -> 'do' else '[]' end) one (value))
  select u.table_name, u.field from (
    select config #>> '{when,table}' as table_name, null as field
    union select s.target, null from steps s
    union select config #>> '{when,table}', config #>> '{when,field}'
    union select config #>> '{when,table}', c.value ->> 'field' from jsonb_array_elements(coalesce(config -> 'if', '[]')) c (value)
    union select s.target, f.name from steps s, jsonb_object_keys(coalesce(s.step -> 'set', '{}')) f (name)
    union select config #>> '{when,table}', s.step ->> 'field' from steps s
    union select config #>> '{when,table}', m[1]
            from steps s, jsonb_path_query(s.step, '$.** ? (@.type() == "string")') t (value), regexp_matches(t.value #>> '{}', '\{([^{}]*)\}', 'g') m
           where m[1] !~ '^(now|count|today([+-][0-9]{1,4})?)$'
    union select config #>> '{when,table}', substr(r.name, 7)
            from steps s, jsonb_array_elements_text(case jsonb_typeof(s.step -> 'to') when 'array' then s.step -> 'to' when 'string' then jsonb_build_array(s.step -> 'to') else '[]' end) r (name)
           where r.name like 'field:%') u
   where u.table_name is not null
$$;
comment on function holdfast.automation_used(jsonb) is 'The tables and fields that an automation names; a table by itself without a field.';

-- "automation.table" or "automation.field", with the labels of what is gone.
create function holdfast.automation_lacks(workspace uuid, config jsonb) returns table (reason text, lacks text)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  with used as (
    select distinct u.table_name, u.field, t.table_name is not null and c.oid is not null as has_table, c.oid
      from holdfast.automation_used(config) u
      left join holdfast.tables t on t.schema_name = 'public' and t.table_name = u.table_name and t.workspace_id = workspace
      left join pg_class c on c.relname = u.table_name and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  ), gone as (
    select 'automation.table' as reason, coalesce(t.label, u.table_name) as label
      from used u left join holdfast.tables t on t.schema_name = 'public' and t.table_name = u.table_name
     where u.field is null and not u.has_table
    union all
    select 'automation.field', coalesce((select d.label from holdfast_private.deleted_fields d
                                          where d.workspace_id = workspace and d.table_name = u.table_name and d.field_name = u.field order by d.deleted_at desc limit 1), u.field)
      from used u
     where u.field is not null and u.has_table
       and not exists (select from pg_attribute a where a.attrelid = u.oid and a.attname = u.field and a.attnum > 0 and not a.attisdropped)
  )
  select max(g.reason), left(string_agg(distinct g.label, ', '), 500) from gone g having count(*) > 0
$$;
comment on function holdfast.automation_lacks(uuid, jsonb) is 'Why an automation cannot run: tables and fields that it names and that are gone. No row if there are none.';

create function holdfast.pause_automation(automation uuid, reason text, lacks text default null, resumes boolean default false, cause text default 'full') returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  waiting integer;
begin
  with gone as (
    delete from holdfast.automation_events e using holdfast.automations a
     where a.id = automation and e.automation_id = a.id and e.workspace_id = a.workspace_id returning greatest(e.skipped, 1) as count)
  select coalesce(sum(count), 0) into waiting from gone;
  if waiting > 0 then
    insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, reason, skipped)
      select a.workspace_id, a.id, a.version, 'skipped', pause_automation.cause, pause_automation.reason, waiting from holdfast.automations a where a.id = automation;
  end if;
  update holdfast.automations a set is_on = false, paused_reason = pause_automation.reason, lacks = pause_automation.lacks, resumes = pause_automation.resumes where a.id = automation;
end
$$;
comment on function holdfast.pause_automation(uuid, text, text, boolean, text) is 'Switches an automation off with a reason, and counts what waits as skipped.';

create function holdfast.recheck_automations(workspace uuid) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one record;
begin
  for one in
    select a.id, a.is_on, a.resumes, a.table_name, l.reason, l.lacks, l.lacks is distinct from a.lacks as is_new
      from holdfast.automations a left join lateral holdfast.automation_lacks(a.workspace_id, a.config) l on true
     where a.workspace_id = workspace order by a.id for update of a
  loop
    if one.is_on and one.lacks is not null then
      perform holdfast.pause_automation(one.id, one.reason, one.lacks, true, 'changed');
    elsif one.resumes and one.lacks is null then
      update holdfast.automations a set is_on = true, paused_reason = null, lacks = null, resumes = false where a.id = one.id;
      perform holdfast.follow_automations(one.table_name);
    elsif one.is_new then
      update holdfast.automations a set lacks = one.lacks, paused_reason = case when one.resumes then one.reason else a.paused_reason end where a.id = one.id;
    end if;
  end loop;
end
$$;
comment on function holdfast.recheck_automations(uuid) is 'Stops the automations that lack something, and resumes those that lacked it.';

create function holdfast.renamed_values(given jsonb, renamed jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(u.value order by u.place), '[]') from (
    select coalesce(renamed ->> v.value, v.value) as value, min(v.place) as place from jsonb_array_elements_text(given) with ordinality v (value, place) group by 1) u
$$;
comment on function holdfast.renamed_values(jsonb, jsonb) is 'Values with the new names of renamed options, each once.';

create function holdfast.with_renamed_options(config jsonb, of_table text, of_field text, renamed jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  changed jsonb := config;
  is_own constant boolean := config #>> '{when,table}' = of_table;
  side text;
begin
  if is_own and config #>> '{when,field}' = of_field then
    foreach side in array array['from', 'to'] loop
      if config -> 'when' ? side then
        changed := jsonb_set(changed, array['when', side], holdfast.renamed_values(config -> 'when' -> side, renamed));
      end if;
    end loop;
  end if;
  if is_own and config ? 'if' then
    changed := jsonb_set(changed, '{if}', (
      select coalesce(jsonb_agg(case when c.value ->> 'field' = of_field and c.value ? 'values'
                                     then c.value || jsonb_build_object('values', holdfast.renamed_values(c.value -> 'values', renamed)) else c.value end order by c.place), '[]')
        from jsonb_array_elements(config -> 'if') with ordinality c (value, place)));
  end if;
  return jsonb_set(changed, '{do}', (
    select coalesce(jsonb_agg(case when coalesce(s.value ->> 'table', config #>> '{when,table}') = of_table and renamed ? (s.value -> 'set' ->> of_field)
                                   then jsonb_set(s.value, array['set', of_field], renamed -> (s.value -> 'set' ->> of_field)) else s.value end order by s.place), '[]')
      from jsonb_array_elements(config -> 'do') with ordinality s (value, place)));
end
$$;
comment on function holdfast.with_renamed_options(jsonb, text, text, jsonb) is 'An automation after options of a field were renamed.';

create function holdfast.follow_table_changes() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  renamed constant jsonb := nullif(new.change -> 'renamed', 'null');
begin
  if not exists (select from holdfast.automations a where a.workspace_id = new.workspace_id) then
    return null;
  end if;
  if jsonb_typeof(renamed) = 'object' and renamed <> '{}' then
    update holdfast.automations a set config = c.config, version = a.version + 1
      from (select o.id, holdfast.with_renamed_options(o.config, new.table_name, new.change ->> 'field', renamed) as config
              from holdfast.automations o where o.workspace_id = new.workspace_id) c
     where c.id = a.id and c.config <> a.config;
  end if;
  perform holdfast.recheck_automations(new.workspace_id);
  return null;
end
$$;
comment on function holdfast.follow_table_changes() is 'Carries a change of a table over to automations.';
drop trigger if exists follow_automations on holdfast_private.table_changes;
create trigger follow_automations after insert on holdfast_private.table_changes for each row execute function holdfast.follow_table_changes();

create function holdfast.stop_automations_of_user() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.user_id = old.user_id and new.status = 'active' and new.role >= 'admin' then
    return null;
  end if;
  perform holdfast.pause_automation(a.id, 'automation.not_admin', null, false, 'changed')
     from holdfast.automations a where a.workspace_id = old.workspace_id and a.runs_as = old.user_id and a.is_on;
  return null;
end
$$;
comment on function holdfast.stop_automations_of_user() is 'Stops the automations of a user who is no longer an admin of the workspace.';
create trigger stop_automations after delete or update of role, status, user_id on holdfast.members
  for each row when (old.role >= 'admin' and old.status = 'active') execute function holdfast.stop_automations_of_user();

create or replace function holdfast.fail_automation(event bigint, claimed uuid, reason text, error text, steps jsonb, pauses boolean) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  one holdfast.automations;
  gone record;
begin
  select a.* into one from holdfast.automations a join holdfast.automation_events e on e.automation_id = a.id where e.id = event and e.claim = claimed for update of a;
  delete from holdfast.automation_events e where e.id = event and e.claim = claimed returning * into done;
  if done.id is null or one.id is null then
    return;
  end if;
  insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, record_id, steps, reason, error)
  values (one.workspace_id, one.id, one.version, 'failed', done.cause, done.record_id, steps, fail_automation.reason, left(error, 1000));
  if pauses then
    select * into gone from holdfast.automation_lacks(one.workspace_id, one.config);
    perform holdfast.pause_automation(one.id, coalesce(gone.reason, fail_automation.reason), gone.lacks, gone.lacks is not null and one.is_on, done.cause);
  end if;
end
$$;

create or replace function holdfast.switch_automation(automation uuid, is_on boolean) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.automations := holdfast.administered_automation(automation);
begin
  if switch_automation.is_on then
    perform holdfast.require_automation(one.workspace_id, one.config);
    delete from holdfast.automation_rates r where r.automation_id = automation;
  else
    delete from holdfast.automation_events e where e.automation_id = automation and e.workspace_id = one.workspace_id;
  end if;
  update holdfast.automations a
     set is_on = coalesce(switch_automation.is_on, false), paused_reason = null, resumes = false, lacks = case when switch_automation.is_on then null else a.lacks end,
         runs_as = case when switch_automation.is_on then holdfast.user_id() else a.runs_as end
   where a.id = automation;
  perform holdfast.follow_automations(one.table_name);
end
$$;

create or replace function holdfast.save_automation(workspace uuid, automation uuid, name text, config jsonb) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  saved holdfast.automations;
  before text;
begin
  perform holdfast.require_admin(workspace);
  if coalesce(length(btrim(name)), 0) not between 1 and 80 then
    raise exception 'An automation has a name of up to 80 characters.' using hint = 'automation.name';
  end if;
  perform holdfast.require_automation(workspace, config);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if automation is null then
    if (select count(*) from holdfast.automations a where a.workspace_id = workspace) >= holdfast.automation_limit('automations of a workspace') then
      raise exception 'The workspace has 50 automations. Delete one first.' using hint = 'automation.limit';
    end if;
    insert into holdfast.automations (workspace_id, name, table_name, config, runs_as, created_by)
    values (workspace, btrim(save_automation.name), config #>> '{when,table}', config, holdfast.user_id(), holdfast.user_id())
    returning * into saved;
    return saved.id;
  end if;
  select a.table_name into before from holdfast.automations a where a.id = automation and a.workspace_id = workspace for update;
  if not found then
    raise exception 'The automation is gone.' using hint = 'automation.gone';
  end if;
  -- One that the server had stopped for what it lacked stays off until an admin switches it on.
  update holdfast.automations a
     set name = btrim(save_automation.name), table_name = save_automation.config #>> '{when,table}', config = save_automation.config,
         runs_as = holdfast.user_id(), version = a.version + 1, lacks = null, resumes = false,
         paused_reason = case when a.lacks is null then a.paused_reason end
   where a.id = automation returning * into saved;
  perform holdfast.follow_automations(one) from (select before as one union select saved.table_name) tables;
  return saved.id;
end
$$;

-- A definition in force, with the SQL of its conditions. As the project.
create or replace function holdfast.read_automation(automation uuid)
  returns table (id uuid, workspace_id uuid, name text, table_name text, config jsonb, is_on boolean, version integer, runs_as uuid, time_zone text, conditions text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  gone record;
begin
  select l.* into gone from holdfast.automations a, lateral holdfast.automation_lacks(a.workspace_id, a.config) l where a.id = automation;
  if gone.lacks is not null then
    raise exception 'The automation lacks: %', gone.lacks using hint = gone.reason, detail = gone.lacks;
  end if;
  return query
    select a.id, a.workspace_id, a.name, a.table_name, a.config, a.is_on, a.version, a.runs_as, w.time_zone,
           holdfast.rule_conditions_sql(a.config -> 'if', holdfast.access_columns(holdfast.automation_table(a.workspace_id, a.table_name)))
      from holdfast.automations a join holdfast.workspaces w on w.id = a.workspace_id where a.id = automation;
end
$$;

-- As before; a date that is gone is said by name.
create or replace function holdfast.start_due_automations() returns timestamptz
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one record;
  days_back constant interval := interval '7 days';
  due date;
  column_type regtype;
  moment timestamptz;
  records uuid[];
begin
  for one in
    select c.automation_id as id, c.next_at, a.workspace_id, a.table_name, a.config -> 'when' as trigger, w.time_zone
      from holdfast.automation_clocks c join holdfast.automations a on a.id = c.automation_id join holdfast.workspaces w on w.id = a.workspace_id
     where c.next_at <= now() order by c.next_at limit 20 for update of c skip locked
  loop
    column_type := (select a.atttypid::regtype from pg_attribute a
                     where a.attrelid = to_regclass(format('public.%I', one.table_name)) and a.attname = one.trigger ->> 'field' and not a.attisdropped);
    if column_type is null or column_type not in ('date'::regtype, 'timestamptz'::regtype) then
      perform holdfast.pause_automation(one.id, 'automation.field', one.trigger ->> 'field', true, 'due'); -- which also removes the clock
      continue;
    end if;
    moment := case when one.next_at > now() - days_back then one.next_at
                   else holdfast.next_moment((one.trigger ->> 'at')::time, one.time_zone, now() - days_back) end;
    while moment <= now() loop
      due := (moment at time zone one.time_zone)::date + (one.trigger ->> 'days')::integer;
      execute format('with begun as (insert into holdfast.automation_dues (automation_id, record_id, day)
                        select $1, r.id, $2 from public.%I r where %s = $2 order by r.id limit 10000 on conflict do nothing returning record_id)
                      select array_agg(record_id) from begun', one.table_name,
                     format(case when column_type = 'date'::regtype then 'r.%I' else '(r.%I at time zone %L)::date' end, one.trigger ->> 'field', one.time_zone))
        into records using one.id, due;
      if records is not null then
        perform holdfast.keep_events(one.workspace_id, one.id, 'due', records);
      end if;
      moment := holdfast.next_moment((one.trigger ->> 'at')::time, one.time_zone, moment);
    end loop;
    update holdfast.automation_clocks c set next_at = moment where c.automation_id = one.id;
  end loop;
  return (select min(c.next_at) from holdfast.automation_clocks c);
end
$$;

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('automation_used', 'automation_lacks', 'pause_automation', 'recheck_automations', 'renamed_values', 'with_renamed_options',
                         'follow_table_changes', 'stop_automations_of_user')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
