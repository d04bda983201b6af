-- Automations: when a record is added, changed or sent by a form, if it meets conditions, do some steps. Changes are captured in their own transaction; the server runs
-- the steps afterwards as the user who saved the automation, with that user's rights.

create table holdfast.automations (
  id uuid constraint holdfast_automations_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_automations_workspace references holdfast.workspaces (id) on delete cascade,
  name text not null constraint holdfast_automations_name check (length(btrim(name)) between 1 and 80),
  table_name text,
  config jsonb not null,
  is_on boolean not null default false,
  paused_reason text,
  runs_as uuid not null,
  version integer not null default 1,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index holdfast_automations_workspace_id_idx on holdfast.automations (workspace_id);
create index holdfast_automations_table_idx on holdfast.automations (table_name) where is_on;
comment on table holdfast.automations is 'Automations. When something happens to records, do something.';
comment on column holdfast.automations.workspace_id is 'Workspace.';
comment on column holdfast.automations.name is 'Name.';
comment on column holdfast.automations.table_name is 'Table. The table whose records start it.';
comment on column holdfast.automations.config is 'Config. When, if and do; docs/reference/automations.md has the grammar.';
comment on column holdfast.automations.is_on is 'On. Whether it runs.';
comment on column holdfast.automations.paused_reason is 'Paused. Why the server has switched it off.';
comment on column holdfast.automations.runs_as is 'Runs as. The user who saved it or switched it on last.';
comment on column holdfast.automations.version is 'Version. Counts how often it was saved.';

create table holdfast.automation_runs (
  id uuid constraint holdfast_automation_runs_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_automation_runs_workspace references holdfast.workspaces (id) on delete cascade,
  automation_id uuid not null constraint holdfast_automation_runs_automation references holdfast.automations (id) on delete cascade,
  version integer not null,
  state text not null constraint holdfast_automation_runs_state check (state in ('done', 'failed', 'skipped')),
  cause text not null,
  record_id uuid,
  steps jsonb not null default '[]',
  reason text,
  error text,
  skipped integer not null default 0,
  ended_at timestamptz not null default clock_timestamp()
);
create index holdfast_automation_runs_automation_idx on holdfast.automation_runs (automation_id, ended_at);
create index holdfast_automation_runs_workspace_id_idx on holdfast.automation_runs (workspace_id);
comment on table holdfast.automation_runs is 'Runs of automations. What each did, or why it did not; the last 100 of an automation.';
comment on column holdfast.automation_runs.cause is 'Cause. What started it.';
comment on column holdfast.automation_runs.steps is 'Steps. What each step did.';
comment on column holdfast.automation_runs.reason is 'Reason. Why it failed, as a code.';
comment on column holdfast.automation_runs.error is 'Error. What the database said.';
comment on column holdfast.automation_runs.skipped is 'Skipped. The number of changes without a run.';

create table holdfast.notices (
  id uuid constraint holdfast_notices_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_notices_workspace references holdfast.workspaces (id) on delete cascade,
  automation_id uuid constraint holdfast_notices_automation references holdfast.automations (id) on delete cascade,
  user_id uuid not null,
  title text not null,
  body text not null constraint holdfast_notices_body check (length(body) <= 500),
  table_name text,
  record_id uuid,
  more integer not null default 0,
  created_at timestamptz not null default now()
);
create index holdfast_notices_user_idx on holdfast.notices (user_id, created_at);
create index holdfast_notices_automation_idx on holdfast.notices (automation_id, user_id, created_at);
create index holdfast_notices_workspace_id_idx on holdfast.notices (workspace_id);
comment on table holdfast.notices is 'Notices. What automations tell users, for 30 days.';
comment on column holdfast.notices.more is 'More. The number of further notices that were merged into this one.';

-- Changes that an automation has not run for yet. Written in the transaction of the change.
create table holdfast.automation_events (
  id bigint generated always as identity constraint holdfast_automation_events_pkey primary key,
  workspace_id uuid not null,
  automation_id uuid not null,
  cause text not null,
  record_id uuid,
  chain text[] not null default '{}',
  skipped integer not null default 0,
  attempts integer not null default 0,
  claim uuid,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index holdfast_automation_events_lane_idx on holdfast.automation_events (workspace_id, automation_id, due_at, id);
create index holdfast_automation_events_due_idx on holdfast.automation_events (due_at);
comment on table holdfast.automation_events is 'Changes that wait for a run of an automation. Only the server reads them.';
comment on column holdfast.automation_events.chain is 'The runs that led to the change, as automation/record.';
comment on column holdfast.automation_events.skipped is 'The number of changes that were not kept, because too many wait.';

-- Runs of the current hour.
create table holdfast.automation_rates (
  automation_id uuid constraint holdfast_automation_rates_pkey primary key
    constraint holdfast_automation_rates_automation references holdfast.automations (id) on delete cascade,
  workspace_id uuid not null,
  since timestamptz not null default now(),
  runs integer not null default 0
);
create index holdfast_automation_rates_workspace_idx on holdfast.automation_rates (workspace_id);
comment on table holdfast.automation_rates is 'How often automations have run in the current hour. Only the server reads it.';

create trigger touch before update on holdfast.automations for each row execute function holdfast.touch();
alter table holdfast.automations enable row level security;
alter table holdfast.automation_runs enable row level security;
alter table holdfast.notices enable row level security;
alter table holdfast.automation_events enable row level security;
alter table holdfast.automation_rates enable row level security;
revoke all on holdfast.automations, holdfast.automation_runs, holdfast.notices, holdfast.automation_events, holdfast.automation_rates
  from public, anon, authenticated;
grant select on holdfast.automations, holdfast.automation_runs, holdfast.notices to authenticated;
grant all on holdfast.automations, holdfast.automation_runs, holdfast.notices to service_role;

create function holdfast.automation_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'automations of a workspace' then 50
    when 'steps' then 10
    when 'fields of a step' then 20
    when 'characters of a text' then 2000
    when 'recipients' then 20
    when 'runs in a chain' then 5
    when 'waiting' then 1000
    when 'runs of an automation in an hour' then 500
    when 'runs of a workspace in an hour' then 2000
    when 'notices of an automation to a user in an hour' then 20
    when 'runs kept' then 100
  end
$$;
comment on function holdfast.automation_limit(text) is 'Limits of automations; docs/reference/automations.md lists them.';

-- Grammar. Conditions are those of access rules: holdfast.rule_conditions_sql compiles them.

create function holdfast.automation_table(workspace uuid, name text) returns regclass
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found_table constant regclass := (
    select c.oid from pg_catalog.pg_class c join holdfast.tables t on t.schema_name = 'public' and t.table_name = c.relname
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = name and t.workspace_id = workspace);
begin
  if found_table is null then
    raise exception 'The workspace has created no table %.', left(coalesce(name, ''), 63) using hint = 'automation.table';
  end if;
  return found_table;
end
$$;
comment on function holdfast.automation_table(uuid, text) is 'A table that the workspace created.';

create function holdfast.automation_fields(of_table regclass) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select a.attname::text from pg_attribute a
   where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
     and a.attname not in ('id', 'created_by', 'created_at', 'updated_at')
$$;
comment on function holdfast.automation_fields(regclass) is 'The fields that a step can set.';

-- {field}, {today}, {today+7}, {now}.
create function holdfast.require_template(template jsonb, of_table regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  missing text;
begin
  if jsonb_typeof(template) is distinct from 'string' or length(template #>> '{}') > holdfast.automation_limit('characters of a text') then
    raise exception 'A text has up to 2,000 characters.' using hint = 'automation.text';
  end if;
  select m[1] into missing from regexp_matches(template #>> '{}', '\{([^{}]*)\}', 'g') m
   where m[1] !~ '^(now|today([+-][0-9]{1,4})?)$'
     and (of_table is null or not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = m[1] and a.attnum > 0 and not a.attisdropped)) limit 1;
  if missing is not null then
    raise exception 'The text names {%}, which is no field of the record.', left(missing, 63) using hint = 'automation.placeholder', detail = left(missing, 63);
  end if;
end
$$;
comment on function holdfast.require_template(jsonb, regclass) is 'Refuses a text with placeholders that the record does not fill.';

create function holdfast.require_values(given jsonb, kind text) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(given) is distinct from 'array' or jsonb_array_length(given) not between 1 and holdfast.access_limit('values')
     or exists (select from jsonb_array_elements(given) one (value)
                 where one.value <> '""' and (kind is null or holdfast.is_rule_value(kind, one.value) is not true)) then
    raise exception 'A change is compared with 1 to 20 values of the field.' using hint = 'automation.values';
  end if;
end
$$;
comment on function holdfast.require_values(jsonb, text) is 'Refuses values that a field of the kind cannot have; an empty text stands for none.';

create function holdfast.require_trigger(workspace uuid, trigger jsonb) returns regclass
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  kind constant text := trigger ->> 'kind';
  field constant text := trigger ->> 'field';
  of_table regclass;
  side text;
begin
  if kind is null or kind not in ('added', 'changed', 'form') or (trigger - array['kind', 'table', 'field', 'from', 'to', 'form']) <> '{}' then
    raise exception 'An automation starts when a record is added, changed or sent by a form.' using hint = 'automation.when';
  end if;
  of_table := holdfast.automation_table(workspace, trigger ->> 'table');
  if (kind <> 'changed' and trigger ?| array['field', 'from', 'to']) or (field is null and trigger ?| array['from', 'to']) then
    raise exception 'Only a change of a field has values before and after.' using hint = 'automation.when';
  end if;
  if field is not null and not holdfast.access_columns(of_table) ? field then
    raise exception 'The table has no field %.', left(field, 63) using hint = 'automation.field', detail = left(field, 63);
  end if;
  foreach side in array array['from', 'to'] loop
    if trigger ? side then
      perform holdfast.require_values(trigger -> side, holdfast.access_columns(of_table) ->> field);
    end if;
  end loop;
  if trigger ? 'form' and (kind <> 'form' or not exists (
       select from holdfast.public_forms f where f.id::text = trigger ->> 'form' and f.workspace_id = workspace and f.table_name = trigger ->> 'table')) then
    raise exception 'The table has no such form.' using hint = 'automation.form';
  end if;
  return of_table;
end
$$;
comment on function holdfast.require_trigger(uuid, jsonb) is 'The table of the trigger of an automation; refuses what is not in the grammar.';

create function holdfast.require_set(target regclass, assigned jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  one record;
begin
  if jsonb_typeof(assigned) is distinct from 'object' or assigned = '{}'
     or (select count(*) from jsonb_object_keys(assigned)) > holdfast.automation_limit('fields of a step') then
    raise exception 'A step sets 1 to 20 fields.' using hint = 'automation.set';
  end if;
  for one in select s.key, s.value from jsonb_each(assigned) s loop
    if one.key not in (select holdfast.automation_fields(target)) then
      raise exception 'A step cannot set the field %.', left(one.key, 63) using hint = 'automation.field', detail = left(one.key, 63);
    end if;
    if one.value <> 'null' then
      perform holdfast.require_template(one.value, of_record);
    end if;
  end loop;
end
$$;
comment on function holdfast.require_set(regclass, jsonb, regclass) is 'Refuses assignments that a step cannot make.';

create function holdfast.require_recipients(workspace uuid, recipients jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  one text;
begin
  if jsonb_typeof(recipients) is distinct from 'array' or jsonb_array_length(recipients) not between 1 and holdfast.automation_limit('recipients') then
    raise exception 'A notice has 1 to 20 recipients.' using hint = 'automation.recipients';
  end if;
  for one in select jsonb_array_elements_text(recipients) loop
    if not (one in ('admins', 'creator')
            or (one like 'member:%' and exists (select from holdfast.members m where 'member:' || m.id = one and m.workspace_id = workspace))
            or (one like 'field:%' and of_record is not null and holdfast.access_columns(of_record) ->> substr(one, 7) = 'members')) then
      raise exception 'A recipient is the admins, who added the record, a member, or a field that links to members.' using hint = 'automation.recipients';
    end if;
  end loop;
end
$$;
comment on function holdfast.require_recipients(uuid, jsonb, regclass) is 'Refuses recipients that are not of the workspace.';

create function holdfast.require_step(workspace uuid, step jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  case step ->> 'kind'
  when 'update' then
    if of_record is null or (step - array['kind', 'set']) <> '{}' then
      raise exception 'Only an automation that starts with a record updates it.' using hint = 'automation.do';
    end if;
    perform holdfast.require_set(of_record, step -> 'set', of_record);
  when 'create' then
    if (step - array['kind', 'table', 'set']) <> '{}' then
      raise exception 'A step that creates a record has a table and values.' using hint = 'automation.do';
    end if;
    perform holdfast.require_set(holdfast.automation_table(workspace, step ->> 'table'), step -> 'set', of_record);
  when 'notify' then
    if (step - array['kind', 'to', 'text']) <> '{}' or coalesce(btrim(step ->> 'text'), '') = '' then
      raise exception 'A notice has recipients and a text.' using hint = 'automation.do';
    end if;
    perform holdfast.require_recipients(workspace, step -> 'to', of_record);
    perform holdfast.require_template(step -> 'text', of_record);
  else
    raise exception 'There is no step %.', left(coalesce(step ->> 'kind', ''), 63) using hint = 'automation.do';
  end case;
end
$$;
comment on function holdfast.require_step(uuid, jsonb, regclass) is 'Refuses a step that is not in the grammar.';

create function holdfast.require_automation(workspace uuid, config jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_record regclass;
begin
  if jsonb_typeof(config) is distinct from 'object' or (config - array['when', 'if', 'do']) <> '{}' or jsonb_typeof(config -> 'when') is distinct from 'object' then
    raise exception 'An automation has the parts when, if and do.' using hint = 'automation.config';
  end if;
  of_record := holdfast.require_trigger(workspace, config -> 'when');
  if config ? 'if' then
    perform holdfast.rule_conditions_sql(config -> 'if', holdfast.access_columns(of_record));
  end if;
  if jsonb_typeof(config -> 'do') is distinct from 'array' or jsonb_array_length(config -> 'do') not between 1 and holdfast.automation_limit('steps') then
    raise exception 'An automation has 1 to 10 steps.' using hint = 'automation.do';
  end if;
  perform holdfast.require_step(workspace, one.value, of_record) from jsonb_array_elements(config -> 'do') one (value);
end
$$;
comment on function holdfast.require_automation(uuid, jsonb) is 'Refuses a config that is not in the grammar, or names what the workspace does not have.';

-- Capture: one trigger for each kind of change, only on tables with an automation that needs it.

create function holdfast.automation_chain() returns text[]
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(string_to_array(nullif(current_setting('holdfast.automation_chain', true), ''), ','), '{}')
$$;
comment on function holdfast.automation_chain() is 'The runs that led to the current transaction.';

create function holdfast.keep_events(workspace uuid, automation uuid, cause text, records uuid[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  chain constant text[] := holdfast.automation_chain();
  is_chain_over constant boolean := cardinality(chain) >= holdfast.automation_limit('runs in a chain');
  fresh uuid[] := records;
  room integer := 0;
begin
  if chain <> '{}' then
    fresh := array(select r from unnest(records) r where not automation || '/' || r = any (chain));
  end if;
  if fresh = '{}' then
    return;
  end if;
  if not is_chain_over then
    room := holdfast.automation_limit('waiting') - (select count(*) from (
      select from holdfast.automation_events e where e.workspace_id = workspace and e.automation_id = automation limit holdfast.automation_limit('waiting')) waiting);
    insert into holdfast.automation_events (workspace_id, automation_id, cause, record_id, chain)
      select workspace, automation, keep_events.cause, r, chain from unnest(fresh[:room]) r;
  end if;
  if cardinality(fresh) > room then
    insert into holdfast.automation_events (workspace_id, automation_id, cause, skipped)
    values (workspace, automation, case when is_chain_over then 'chain' else 'full' end, cardinality(fresh) - room);
  end if;
  perform pg_notify('holdfast_automations', '');
end
$$;
comment on function holdfast.keep_events(uuid, uuid, text, uuid[]) is 'Keeps changes for an automation: those above the limits only as a number, and none that the automation itself led to.';

create function holdfast.capture_added() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  form constant text := holdfast.public_form_id();
  one record;
begin
  for one in
    select a.id, a.workspace_id, a.config #>> '{when,kind}' as kind from holdfast.automations a
     where a.is_on and a.table_name = tg_table_name
       and (a.config #>> '{when,kind}' = 'added' or (a.config #>> '{when,kind}' = 'form' and form = coalesce(a.config #>> '{when,form}', form)))
     order by a.id
  loop
    perform holdfast.keep_events(one.workspace_id, one.id, one.kind, array(select n.id from new_rows n));
  end loop;
  return null;
end
$$;
comment on function holdfast.capture_added() is 'Keeps added records for automations; a trigger after each insert.';

-- A nested loop over the old and the new rows of a large update would be quadratic, and its plan is kept from a small one.
create function holdfast.capture_changed() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
declare
  one record;
begin
  for one in
    with triggers as materialized (
      select a.id, a.workspace_id, a.config #>> '{when,field}' as field, a.config #> '{when,from}' as earlier, a.config #> '{when,to}' as later
        from holdfast.automations a
       where a.is_on and a.table_name = tg_table_name and a.config #>> '{when,kind}' = 'changed'),
    changes as materialized (
      select n.id, to_jsonb(o.*) - 'updated_at' as was, to_jsonb(n.*) - 'updated_at' as is_now from new_rows n join old_rows o on o.id = n.id)
    select t.id, t.workspace_id, array_agg(c.id) as records from triggers t cross join changes c
     where case when t.field is null then c.was is distinct from c.is_now
                else c.was ->> t.field is distinct from c.is_now ->> t.field
                     and (t.earlier is null or t.earlier ? coalesce(c.was ->> t.field, ''))
                     and (t.later is null or t.later ? coalesce(c.is_now ->> t.field, '')) end
     group by t.id, t.workspace_id order by t.id
  loop
    perform holdfast.keep_events(one.workspace_id, one.id, 'changed', one.records);
  end loop;
  return null;
end
$$;
comment on function holdfast.capture_changed() is 'Keeps changed records for automations; a trigger after each update.';

create function holdfast.follow_automations(of_table text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  full_name constant text := format('public.%I', of_table);
  one record;
begin
  if of_table is null or to_regclass(full_name) is null then
    return;
  end if;
  perform set_config('lock_timeout', '3s', true);
  for one in
    select t.name, t.sql,
           exists (select from holdfast.automations a where a.is_on and a.table_name = of_table and a.config #>> '{when,kind}' = any (t.kinds)) as is_wanted,
           exists (select from pg_trigger g where g.tgrelid = to_regclass(full_name) and g.tgname = t.name) as is_there
      from (values ('holdfast_automations_added', array['added', 'form'], 'after insert on %s referencing new table as new_rows for each statement execute function holdfast.capture_added()'),
                   ('holdfast_automations_changed', array['changed'], 'after update on %s referencing old table as old_rows new table as new_rows for each statement execute function holdfast.capture_changed()'))
           t (name, kinds, sql)
  loop
    if one.is_wanted and not one.is_there then
      execute format('create trigger %I ', one.name) || format(one.sql, full_name);
    elsif one.is_there and not one.is_wanted then
      execute format('drop trigger %I on %s', one.name, full_name);
    end if;
  end loop;
exception
  when lock_not_available then
    raise exception 'Somebody is using the table. Try again.' using errcode = 'lock_not_available', hint = 'automation.busy';
end
$$;
comment on function holdfast.follow_automations(text) is 'Adds the triggers that the automations of a table need, and drops the others.';

-- What owners and admins call.

create function holdfast.save_automation(workspace uuid, automation uuid, name text, config jsonb) returns uuid
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
  update holdfast.automations a
     set name = btrim(save_automation.name), table_name = save_automation.config #>> '{when,table}', config = save_automation.config,
         runs_as = holdfast.user_id(), version = a.version + 1
   where a.id = automation returning * into saved;
  perform holdfast.follow_automations(one) from (select before as one union select saved.table_name) tables;
  return saved.id;
end
$$;
comment on function holdfast.save_automation(uuid, uuid, text, jsonb) is 'Saves an automation, which then runs as the caller; without an id, a new one. For owners and admins of the workspace.';

create function holdfast.check_automation(workspace uuid, config jsonb) returns table (conditions text, time_zone text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_admin(workspace);
  perform holdfast.require_automation(workspace, config);
  return query
    select holdfast.rule_conditions_sql(config -> 'if', holdfast.access_columns(holdfast.automation_table(workspace, config #>> '{when,table}'))), w.time_zone
      from holdfast.workspaces w where w.id = workspace;
end
$$;
comment on function holdfast.check_automation(uuid, jsonb) is 'The SQL of the conditions of an automation that could be saved. For owners and admins of the workspace.';

create function holdfast.administered_automation(automation uuid) returns holdfast.automations
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found_one holdfast.automations;
begin
  select * into found_one from holdfast.automations a where a.id = automation;
  if found_one.id is null or found_one.workspace_id not in (select holdfast.my_administered_workspace_ids()) then
    raise exception 'The automation is gone, or you are no admin of its workspace.' using errcode = 'insufficient_privilege', hint = 'automation.gone';
  end if;
  return found_one;
end
$$;
comment on function holdfast.administered_automation(uuid) is 'An automation of a workspace that the caller owns or administers.';

create function holdfast.switch_automation(automation uuid, is_on boolean) returns void
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
     set is_on = coalesce(switch_automation.is_on, false), paused_reason = null, runs_as = case when switch_automation.is_on then holdfast.user_id() else a.runs_as end
   where a.id = automation;
  perform holdfast.follow_automations(one.table_name);
end
$$;
comment on function holdfast.switch_automation(uuid, boolean) is 'Switches an automation on, which then runs as the caller, or off. For owners and admins of its workspace.';

create function holdfast.delete_automation(automation uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.automations := holdfast.administered_automation(automation);
begin
  delete from holdfast.automation_events e where e.automation_id = automation and e.workspace_id = one.workspace_id;
  delete from holdfast.automations a where a.id = automation;
  perform holdfast.follow_automations(one.table_name);
end
$$;
comment on function holdfast.delete_automation(uuid) is 'Deletes an automation with its runs. For owners and admins of its workspace.';

create function holdfast.run_automation_again(run uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  past holdfast.automation_runs;
begin
  select * into past from holdfast.automation_runs r where r.id = run and r.workspace_id in (select holdfast.my_administered_workspace_ids());
  if past.id is null then
    raise exception 'The run is gone.' using errcode = 'insufficient_privilege', hint = 'automation.gone';
  end if;
  if past.record_id is null then
    raise exception 'This run has no record.' using hint = 'automation.no_record';
  end if;
  if (select count(*) from holdfast.automation_events e where e.workspace_id = past.workspace_id and e.automation_id = past.automation_id) >= holdfast.automation_limit('waiting') then
    raise exception 'Too many changes wait for this automation. Try again later.' using errcode = 'PT429', hint = 'automation.full';
  end if;
  insert into holdfast.automation_events (workspace_id, automation_id, cause, record_id) values (past.workspace_id, past.automation_id, 'again', past.record_id);
  perform pg_notify('holdfast_automations', '');
end
$$;
comment on function holdfast.run_automation_again(uuid) is 'Runs an automation again for the record of a run. For owners and admins of its workspace.';

-- What the server calls.

-- A definition in force, with the SQL of its conditions. As the project.
create function holdfast.read_automation(automation uuid)
  returns table (id uuid, workspace_id uuid, name text, table_name text, config jsonb, is_on boolean, version integer, runs_as uuid, time_zone text, conditions text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select a.id, a.workspace_id, a.name, a.table_name, a.config, a.is_on, a.version, a.runs_as, w.time_zone,
           holdfast.rule_conditions_sql(a.config -> 'if', holdfast.access_columns(holdfast.automation_table(a.workspace_id, a.table_name)))
      from holdfast.automations a join holdfast.workspaces w on w.id = a.workspace_id where a.id = automation;
end
$$;
comment on function holdfast.read_automation(uuid) is 'An automation with its conditions as SQL. For the server only.';

create function holdfast.add_notices(of_automation holdfast.automations, record_id uuid, notices jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one record;
  latest uuid;
  sent integer;
begin
  for one in
    select distinct m.user_id, n.value ->> 'text' as body
      from jsonb_array_elements(notices) n (value)
      cross join lateral jsonb_array_elements_text(n.value -> 'to') recipient (name)
      join holdfast.members m on m.workspace_id = of_automation.workspace_id and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
       and ((recipient.name = 'admins' and m.role >= 'admin') or recipient.name in ('member:' || m.id, 'user:' || m.user_id))
     order by m.user_id
  loop
    select count(*), max(n.id::text) filter (where n.newest = 1)::uuid into sent, latest
      from (select p.id, row_number() over (order by p.created_at desc, p.id) as newest from holdfast.notices p
             where p.automation_id = of_automation.id and p.user_id = one.user_id and p.created_at > now() - interval '1 hour') n;
    if sent >= holdfast.automation_limit('notices of an automation to a user in an hour') then
      update holdfast.notices p set more = p.more + 1 where p.id = latest;
    else
      insert into holdfast.notices (workspace_id, automation_id, user_id, title, body, table_name, record_id)
      values (of_automation.workspace_id, of_automation.id, one.user_id, of_automation.name, left(one.body, 500), of_automation.table_name, add_notices.record_id);
    end if;
  end loop;
end
$$;
comment on function holdfast.add_notices(holdfast.automations, uuid, jsonb) is 'Tells members of the workspace something; above the limit, only how often.';

-- Ends the run of a claimed event in the transaction of its effects, as the user. Nobody else knows the claim.
create function holdfast.settle_automation(event bigint, claimed uuid, version integer, result jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  one holdfast.automations;
  counted integer;
begin
  delete from holdfast.automation_events e where e.id = event and e.claim = claimed returning * into done;
  if done.id is null then
    raise exception 'Another server runs this automation.' using hint = 'automation.lost';
  end if;
  select * into one from holdfast.automations a where a.id = done.automation_id for share;
  if one.id is null or one.version <> settle_automation.version or not (one.is_on or done.cause = 'again') then
    raise exception 'The automation was changed meanwhile.' using hint = 'automation.changed';
  end if;
  if one.runs_as is distinct from holdfast.user_id() then
    raise exception 'The automation runs as another user.' using errcode = 'insufficient_privilege', hint = 'automation.changed';
  end if;
  if coalesce(holdfast.role_in(one.workspace_id) < 'admin', true) then
    raise exception 'The user is no longer an admin of the workspace.' using errcode = 'insufficient_privilege', hint = 'automation.not_admin';
  end if;
  insert into holdfast.automation_rates as r (automation_id, workspace_id, runs) values (one.id, one.workspace_id, 1)
    on conflict (automation_id) do update
      set since = case when r.since < now() - interval '1 hour' then now() else r.since end,
          runs = case when r.since < now() - interval '1 hour' then 1 else r.runs + 1 end
    returning r.runs into counted;
  if counted > holdfast.automation_limit('runs of an automation in an hour') then
    raise exception 'The automation ran too often within an hour.' using hint = 'automation.too_many';
  end if;
  select sum(r.runs) into counted from holdfast.automation_rates r where r.workspace_id = one.workspace_id and r.since > now() - interval '1 hour';
  if counted > holdfast.automation_limit('runs of a workspace in an hour') then
    raise exception 'The automations of the workspace ran too often within an hour.' using hint = 'automation.workspace_too_many';
  end if;
  perform holdfast.add_notices(one, done.record_id, coalesce(result -> 'notices', '[]'));
  insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, record_id, steps)
  values (one.workspace_id, one.id, one.version, 'done', done.cause, done.record_id, coalesce(result -> 'steps', '[]'));
end
$$;
comment on function holdfast.settle_automation(bigint, uuid, integer, jsonb) is 'Ends a run of an automation together with its effects. For the server, which alone knows the claim.';

-- As the project: a run that changed nothing. With a reason to pause, the automation stops and what waits is counted.
create function holdfast.fail_automation(event bigint, claimed uuid, reason text, error text, steps jsonb, pauses boolean) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  one holdfast.automations;
  waiting integer := 0;
begin
  select a.* into one from holdfast.automations a join holdfast.automation_events e on e.automation_id = a.id where e.id = event and e.claim = claimed for update of a;
  delete from holdfast.automation_events e where e.id = event and e.claim = claimed returning * into done;
  if done.id is null or one.id is null then
    return;
  end if;
  insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, record_id, steps, reason, error)
  values (one.workspace_id, one.id, one.version, 'failed', done.cause, done.record_id, steps, fail_automation.reason, left(error, 1000));
  if pauses then
    with gone as (delete from holdfast.automation_events e where e.automation_id = one.id and e.workspace_id = one.workspace_id returning greatest(e.skipped, 1) as count)
    select coalesce(sum(count), 0) into waiting from gone;
    if waiting > 0 then
      insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, reason, skipped)
      values (one.workspace_id, one.id, one.version, 'skipped', done.cause, fail_automation.reason, waiting);
    end if;
    update holdfast.automations a set is_on = false, paused_reason = fail_automation.reason where a.id = one.id;
  end if;
end
$$;
comment on function holdfast.fail_automation(bigint, uuid, text, text, jsonb, boolean) is 'Ends a run of an automation that failed. For the server only.';

-- As the project: changes that were not kept become one entry.
create function holdfast.note_skipped(event bigint, claimed uuid) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  counted integer;
begin
  delete from holdfast.automation_events e where e.id = event and e.claim = claimed returning * into done;
  if done.id is null then
    return;
  end if;
  with gone as (delete from holdfast.automation_events e where e.automation_id = done.automation_id and e.workspace_id = done.workspace_id and e.cause = done.cause and e.skipped > 0
                returning e.skipped)
  select coalesce(sum(gone.skipped), 0) into counted from gone;
  insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, reason, skipped)
  select a.workspace_id, a.id, a.version, 'skipped', done.cause, done.cause, done.skipped + counted from holdfast.automations a where a.id = done.automation_id;
end
$$;
comment on function holdfast.note_skipped(bigint, uuid) is 'Ends changes above the limits as one skipped run. For the server only.';

create function holdfast.prune_automations() returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.automation_runs r where r.id in (
    select o.id from (select p.id, p.ended_at, row_number() over (partition by p.automation_id order by p.ended_at desc, p.id) as place from holdfast.automation_runs p) o
     where o.place > holdfast.automation_limit('runs kept') or o.ended_at < now() - interval '30 days' limit 10000);
  delete from holdfast.notices n where n.id in (select o.id from holdfast.notices o where o.created_at < now() - interval '31 days' limit 10000);
  return exists (select from holdfast.automation_runs) or exists (select from holdfast.notices);
end
$$;
comment on function holdfast.prune_automations() is 'Deletes old runs and notices; returns whether any remain. For the server only.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in select unnest(array['automations', 'automation_runs', 'notices', 'automation_events', 'automation_rates']) as name loop
    execute format('alter table holdfast.%I owner to %I', one.name, project);
  end loop;
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('automation_limit', 'automation_table', 'automation_fields', 'require_template', 'require_values', 'require_trigger', 'require_set',
                         'require_recipients', 'require_step', 'require_automation', 'automation_chain', 'keep_events', 'capture_added',
                         'capture_changed', 'follow_automations', 'save_automation', 'administered_automation', 'switch_automation', 'delete_automation',
                         'run_automation_again', 'check_automation', 'read_automation', 'add_notices', 'settle_automation', 'fail_automation', 'note_skipped', 'prune_automations')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('save_automation', 'check_automation', 'switch_automation', 'delete_automation', 'run_automation_again', 'settle_automation') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

create policy admins_read on holdfast.automations for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));
create policy admins_read on holdfast.automation_runs for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));
create policy own_read on holdfast.notices for select to authenticated
  using (user_id = (select holdfast.user_id()));
reset role;
