-- Automations that start by the clock: every day, on weekdays or on a day of the month, at a time of the workspace. They run for each record that meets the conditions, or
-- once. A schedule that was missed, because the server was off, runs once.

create function holdfast.require_schedule(trigger jsonb) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  every constant text := trigger ->> 'every';
begin
  if (trigger - array['kind', 'table', 'every', 'at', 'weekdays', 'day', 'for']) <> '{}'
     or every is null or every not in ('day', 'week', 'month') or coalesce(trigger ->> 'for', '') not in ('each', 'once')
     or coalesce(trigger ->> 'at', '') !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' then
    raise exception 'A schedule is every day, week or month at a time such as 08:00, for each record or once.' using hint = 'automation.when';
  end if;
  if (every = 'week') <> (trigger ? 'weekdays')
     or every = 'week' and (jsonb_typeof(trigger -> 'weekdays') is distinct from 'array' or jsonb_array_length(trigger -> 'weekdays') not between 1 and 7
                            or exists (select from jsonb_array_elements(trigger -> 'weekdays') d where (d.value #>> '{}') !~ '^[1-7]$')) then
    raise exception 'A weekly schedule has weekdays from 1 (Monday) to 7.' using hint = 'automation.when';
  end if;
  if (every = 'month') <> (trigger ? 'day') or every = 'month' and coalesce(trigger ->> 'day', '') !~ '^([1-9]|[12][0-9]|3[01])$' then
    raise exception 'A monthly schedule has a day from 1 to 31.' using hint = 'automation.when';
  end if;
end
$$;
comment on function holdfast.require_schedule(jsonb) is 'Refuses a schedule that is not in the grammar.';

-- A time that the clock skips, when it is set forward, is an hour later; one that it shows twice is the second.
create function holdfast.next_scheduled(trigger jsonb, zone text, after timestamptz) returns timestamptz
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select min(m.moment) from (
    select (d.day + (trigger ->> 'at')::time) at time zone zone as moment
      from (select (after at time zone zone)::date + n as day from generate_series(0, 62) n) d
     where case trigger ->> 'every'
             when 'week' then exists (select from jsonb_array_elements_text(trigger -> 'weekdays') w (number) where w.number::integer = extract(isodow from d.day))
             when 'month' then extract(day from d.day)
                               = least((trigger ->> 'day')::integer, extract(day from date_trunc('month', d.day::timestamp) + interval '1 month' - interval '1 day'))
             else true end) m
   where m.moment > after
$$;
comment on function holdfast.next_scheduled(jsonb, text, timestamptz) is
  'The next time of a schedule in a time zone. The day 31 is the last one of shorter months.';

create function holdfast.next_start(trigger jsonb, zone text, after timestamptz) returns timestamptz
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case trigger ->> 'kind'
           when 'due' then holdfast.next_moment((trigger ->> 'at')::time, zone, after)
           when 'schedule' then holdfast.next_scheduled(trigger, zone, after) end
$$;
comment on function holdfast.next_start(jsonb, text, timestamptz) is 'When an automation that waits for a time starts next; null for another.';

create or replace function holdfast.require_trigger(workspace uuid, trigger jsonb) returns regclass
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  kind constant text := trigger ->> 'kind';
  field constant text := trigger ->> 'field';
  of_table regclass;
  side text;
begin
  if kind is null or kind not in ('added', 'changed', 'form', 'due', 'schedule')
     or kind <> 'schedule'
        and (trigger - case kind when 'due' then array['kind', 'table', 'field', 'days', 'at'] else array['kind', 'table', 'field', 'from', 'to', 'form'] end) <> '{}' then
    raise exception 'An automation starts when a record is added, changed, due or sent by a form, or by a schedule.' using hint = 'automation.when';
  end if;
  of_table := holdfast.automation_table(workspace, trigger ->> 'table');
  if kind = 'schedule' then
    perform holdfast.require_schedule(trigger);
    return of_table;
  end if;
  if kind = 'due' then
    if not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = field and a.attnum > 0 and not a.attisdropped
                      and a.atttypid in ('date'::regtype, 'timestamptz'::regtype)) then
      raise exception 'Only a date can be due.' using hint = 'automation.field', detail = left(coalesce(field, ''), 63);
    end if;
    if jsonb_typeof(trigger -> 'days') is distinct from 'number' or (trigger ->> 'days') !~ '^-?[0-9]{1,3}$' or abs((trigger ->> 'days')::integer) > 365
       or coalesce(trigger ->> 'at', '') !~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' then
      raise exception 'A record is due up to 365 days before or after a date, at a time such as 08:00.' using hint = 'automation.when';
    end if;
    return of_table;
  end if;
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

-- {field}, {today}, {today+7}, {now}; without a record, {count}.
create or replace function holdfast.require_template(template jsonb, of_table regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  missing text;
begin
  if jsonb_typeof(template) is distinct from 'string' or length(template #>> '{}') > holdfast.automation_limit('characters of a text') then
    raise exception 'A text has up to 2,000 characters.' using hint = 'automation.text';
  end if;
  select m[1] into missing from regexp_matches(template #>> '{}', '\{([^{}]*)\}', 'g') m
   where m[1] !~ '^(now|today([+-][0-9]{1,4})?)$' and not (of_table is null and m[1] = 'count')
     and (of_table is null or not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = m[1] and a.attnum > 0 and not a.attisdropped)) limit 1;
  if missing is not null then
    raise exception 'The text names {%}, which is no field of the record.', left(missing, 63) using hint = 'automation.placeholder', detail = left(missing, 63);
  end if;
end
$$;

create or replace function holdfast.require_recipients(workspace uuid, recipients jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  one text;
begin
  if jsonb_typeof(recipients) is distinct from 'array' or jsonb_array_length(recipients) not between 1 and holdfast.automation_limit('recipients') then
    raise exception 'A notice has 1 to 20 recipients.' using hint = 'automation.recipients';
  end if;
  for one in select jsonb_array_elements_text(recipients) loop
    if not (one = 'admins' or (one = 'creator' and of_record is not null)
            or (one like 'member:%' and exists (select from holdfast.members m where 'member:' || m.id = one and m.workspace_id = workspace))
            or (one like 'field:%' and of_record is not null and holdfast.access_columns(of_record) ->> substr(one, 7) = 'members')) then
      raise exception 'A recipient is the admins, who added the record, a member, or a field that links to members.' using hint = 'automation.recipients';
    end if;
  end loop;
end
$$;

create or replace function holdfast.require_automation(workspace uuid, config jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_table regclass;
  of_record regclass;
begin
  if jsonb_typeof(config) is distinct from 'object' or (config - array['when', 'if', 'do']) <> '{}' or jsonb_typeof(config -> 'when') is distinct from 'object' then
    raise exception 'An automation has the parts when, if and do.' using hint = 'automation.config';
  end if;
  of_table := holdfast.require_trigger(workspace, config -> 'when');
  -- One that runs once has no record.
  of_record := case when config #>> '{when,for}' = 'once' then null else of_table end;
  if config ? 'if' then
    perform holdfast.rule_conditions_sql(config -> 'if', holdfast.access_columns(of_table));
  end if;
  if jsonb_typeof(config -> 'do') is distinct from 'array' or jsonb_array_length(config -> 'do') not between 1 and holdfast.automation_limit('steps') then
    raise exception 'An automation has 1 to 10 steps.' using hint = 'automation.do';
  end if;
  perform holdfast.require_step(workspace, one.value, of_record) from jsonb_array_elements(config -> 'do') one (value);
end
$$;

create or replace function holdfast.automation_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'automations of a workspace' then 50
    when 'steps' then 10
    when 'fields of a step' then 20
    when 'characters of a text' then 2000
    when 'recipients' then 20
    when 'runs in a chain' then 5
    when 'waiting' then 1000
    when 'records of a schedule' then 400
    when 'runs of an automation in an hour' then 500
    when 'runs of a workspace in an hour' then 2000
    when 'notices of an automation to a user in an hour' then 20
    when 'runs kept' then 100
  end
$$;

create or replace function holdfast.set_automation_clock() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  starts_at constant timestamptz := case when new.is_on then holdfast.next_start(
    new.config -> 'when', (select w.time_zone from holdfast.workspaces w where w.id = new.workspace_id), now()) end;
begin
  if starts_at is not null then
    insert into holdfast.automation_clocks as c (automation_id, next_at) values (new.id, starts_at)
      on conflict (automation_id) do update set next_at = excluded.next_at;
    perform pg_notify('holdfast_automations', '');
  else
    delete from holdfast.automation_clocks c where c.automation_id = new.id;
  end if;
  return null;
end
$$;

create function holdfast.set_automation_clocks() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update holdfast.automation_clocks c set next_at = holdfast.next_start(a.config -> 'when', new.time_zone, now())
    from holdfast.automations a where a.id = c.automation_id and a.workspace_id = new.id;
  perform pg_notify('holdfast_automations', '');
  return null;
end
$$;
comment on function holdfast.set_automation_clocks() is 'Moves the clocks of automations to another time zone.';
create trigger set_automation_clocks after update of time_zone on holdfast.workspaces
  for each row when (new.time_zone is distinct from old.time_zone) execute function holdfast.set_automation_clocks();

-- As the project. The clock moves on in the transaction that keeps the events: each time starts an automation once, whatever happens to the servers.
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
    if one.trigger ->> 'kind' = 'schedule' then
      -- One that still waits stands for this time too.
      insert into holdfast.automation_events (workspace_id, automation_id, cause)
        select one.workspace_id, one.id, 'schedule'
         where not exists (select from holdfast.automation_events e
                            where e.workspace_id = one.workspace_id and e.automation_id = one.id and e.cause = 'schedule' and e.record_id is null);
      update holdfast.automation_clocks c set next_at = holdfast.next_scheduled(one.trigger, one.time_zone, now()) where c.automation_id = one.id;
      continue;
    end if;
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

-- The event of a schedule becomes one for each record that its user sees, in one transaction.
create function holdfast.expand_automation(event bigint, claimed uuid, version integer, records uuid[], more integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  one holdfast.automations;
  records_max constant integer := holdfast.automation_limit('records of a schedule');
  rest constant integer := more + greatest(cardinality(records) - records_max, 0);
begin
  delete from holdfast.automation_events e where e.id = event and e.claim = claimed returning * into done;
  if done.id is null then
    raise exception 'Another server runs this automation.' using hint = 'automation.lost';
  end if;
  select * into one from holdfast.automations a where a.id = done.automation_id for share;
  if one.id is null or one.version <> expand_automation.version or not one.is_on or one.runs_as is distinct from holdfast.user_id() then
    raise exception 'The automation was changed meanwhile.' using hint = 'automation.changed';
  end if;
  if coalesce(holdfast.role_in(one.workspace_id) < 'admin', true) then
    raise exception 'The user is no longer an admin of the workspace.' using errcode = 'insufficient_privilege', hint = 'automation.not_admin';
  end if;
  if records = '{}' then
    insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, reason)
    values (one.workspace_id, one.id, one.version, 'done', done.cause, 'nothing');
    return;
  end if;
  perform holdfast.keep_events(one.workspace_id, one.id, done.cause, records[:records_max]);
  if rest > 0 then
    insert into holdfast.automation_events (workspace_id, automation_id, cause, skipped) values (one.workspace_id, one.id, 'full', rest);
  end if;
end
$$;
comment on function holdfast.expand_automation(bigint, uuid, integer, uuid[], integer) is
  'Keeps the records that a schedule is about. For the server, which alone knows the claim.';

create or replace function holdfast.run_automation_again(run uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  past holdfast.automation_runs;
begin
  select * into past from holdfast.automation_runs r where r.id = run and r.workspace_id in (select holdfast.my_administered_workspace_ids());
  if past.id is null then
    raise exception 'The run is gone.' using errcode = 'insufficient_privilege', hint = 'automation.gone';
  end if;
  if past.record_id is null
     and not exists (select from holdfast.automations a where a.id = past.automation_id and a.config #>> '{when,for}' = 'once') then
    raise exception 'This run has no record.' using hint = 'automation.no_record';
  end if;
  if (select count(*) from holdfast.automation_events e where e.workspace_id = past.workspace_id and e.automation_id = past.automation_id) >= holdfast.automation_limit('waiting') then
    raise exception 'Too many changes wait for this automation. Try again later.' using errcode = 'PT429', hint = 'automation.full';
  end if;
  insert into holdfast.automation_events (workspace_id, automation_id, cause, record_id) values (past.workspace_id, past.automation_id, 'again', past.record_id);
  perform pg_notify('holdfast_automations', '');
end
$$;

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('require_schedule', 'next_scheduled', 'next_start', 'set_automation_clocks', 'expand_automation')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name = 'expand_automation' then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
