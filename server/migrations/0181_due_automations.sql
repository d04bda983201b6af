-- Automations that start a number of days before or after a date of the record, once for each record and date.

-- When an automation that waits for a time starts next.
create table holdfast.automation_clocks (
  automation_id uuid constraint holdfast_automation_clocks_pkey primary key
    constraint holdfast_automation_clocks_automation references holdfast.automations (id) on delete cascade,
  next_at timestamptz not null
);
create index holdfast_automation_clocks_next_idx on holdfast.automation_clocks (next_at);
comment on table holdfast.automation_clocks is 'When automations that wait for a time start next. Only the server reads it.';

-- For which records and dates an automation has started.
create table holdfast.automation_dues (
  automation_id uuid not null constraint holdfast_automation_dues_automation references holdfast.automations (id) on delete cascade,
  record_id uuid not null,
  day date not null,
  created_at timestamptz not null default now(),
  constraint holdfast_automation_dues_pkey primary key (automation_id, record_id, day)
);
create index holdfast_automation_dues_created_idx on holdfast.automation_dues (created_at);
comment on table holdfast.automation_dues is 'For which records and dates automations have started. Only the server reads it.';

alter table holdfast.automation_clocks enable row level security;
alter table holdfast.automation_dues enable row level security;
revoke all on holdfast.automation_clocks, holdfast.automation_dues from public, anon, authenticated;

create or replace function holdfast.require_trigger(workspace uuid, trigger jsonb) returns regclass
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  kind constant text := trigger ->> 'kind';
  field constant text := trigger ->> 'field';
  of_table regclass;
  side text;
begin
  if kind is null or kind not in ('added', 'changed', 'form', 'due')
     or (trigger - case kind when 'due' then array['kind', 'table', 'field', 'days', 'at'] else array['kind', 'table', 'field', 'from', 'to', 'form'] end) <> '{}' then
    raise exception 'An automation starts when a record is added, changed, due or sent by a form.' using hint = 'automation.when';
  end if;
  of_table := holdfast.automation_table(workspace, trigger ->> 'table');
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

create function holdfast.next_moment(of_day time, zone text, after timestamptz) returns timestamptz
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select min(m.moment) from (
    select ((after at time zone zone)::date + n + of_day) at time zone zone as moment from generate_series(0, 2) n) m where m.moment > after
$$;
comment on function holdfast.next_moment(time, text, timestamptz) is 'The next time that a clock of a time zone shows a time of day.';

create function holdfast.set_automation_clock() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  zone constant text := (select w.time_zone from holdfast.workspaces w where w.id = new.workspace_id);
begin
  if new.is_on and new.config #>> '{when,kind}' = 'due' then
    insert into holdfast.automation_clocks as c (automation_id, next_at)
    values (new.id, holdfast.next_moment((new.config #>> '{when,at}')::time, zone, now()))
    on conflict (automation_id) do update set next_at = excluded.next_at;
    perform pg_notify('holdfast_automations', '');
  else
    delete from holdfast.automation_clocks c where c.automation_id = new.id;
  end if;
  return null;
end
$$;
comment on function holdfast.set_automation_clock() is 'Sets when an automation starts next.';
create trigger set_clock after insert or update of is_on, config on holdfast.automations for each row execute function holdfast.set_automation_clock();

-- As the project. The clock moves on in the transaction that keeps the events. A server that was off makes up for a week.
create function holdfast.start_due_automations() returns timestamptz
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
      update holdfast.automations a set is_on = false, paused_reason = 'automation.field' where a.id = one.id; -- which also removes the clock
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
comment on function holdfast.start_due_automations() is 'Keeps the records that are due now for automations; returns when the next are. For the server only.';

create or replace function holdfast.prune_automations() returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.automation_runs r where r.id in (
    select o.id from (select p.id, p.ended_at, row_number() over (partition by p.automation_id order by p.ended_at desc, p.id) as place from holdfast.automation_runs p) o
     where o.place > holdfast.automation_limit('runs kept') or o.ended_at < now() - interval '30 days' limit 10000);
  delete from holdfast.notices n where n.id in (select o.id from holdfast.notices o where o.created_at < now() - interval '31 days' limit 10000);
  delete from holdfast.automation_dues d where d.created_at < now() - interval '31 days';
  return exists (select from holdfast.automation_runs) or exists (select from holdfast.notices) or exists (select from holdfast.automation_dues);
end
$$;

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.automation_clocks owner to %I', project);
  execute format('alter table holdfast.automation_dues owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace and p.proname in ('next_moment', 'set_automation_clock', 'start_due_automations')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
