-- Jobs that run at certain times: the names, signatures, columns and grants of pg_cron 1.6, so that migrations of a Supabase project apply unchanged. The server
-- runs what is due, each job as the user who scheduled it. A database that has the extension itself keeps it, and its worker runs them.
do $migration$
begin
  if pg_catalog.to_regclass('cron.job') is not null then
    return;
  end if;
  execute $ddl$

create schema if not exists cron;
comment on schema cron is 'Jobs that run at certain times, by the names of pg_cron.';

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  -- Given by a trigger, so that whoever schedules a job needs no right on the sequence.
  jobid bigint primary key,
  schedule text not null,
  command text not null check (pg_catalog.octet_length(command) <= 65536),
  nodename text not null default 'localhost',
  nodeport integer not null default coalesce(pg_catalog.inet_server_port(), pg_catalog.current_setting('port')::integer),
  database text not null default pg_catalog.current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default pg_catalog.nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
create index on cron.job_run_details (jobid, runid);
create index on cron.job_run_details (start_time);
create index on cron.job_run_details (runid) where status in ('starting', 'running');
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

-- Not of pg_cron, which keeps the following in memory.

create type cron.holdfast_schedule as (
  seconds integer,
  at_start boolean,
  minutes integer[],
  hours integer[],
  days integer[],
  months integer[],
  weekdays integer[],
  last_day boolean,
  -- Minute or hour begins with a star: not made up for when the clock has jumped.
  is_wild boolean,
  -- Day of the month or of the week begins with a star: then both have to fit, otherwise one of them.
  is_any_day boolean
);

create table cron.holdfast_state (
  jobid bigint primary key references cron.job on delete cascade,
  schedule cron.holdfast_schedule not null,
  -- The last minute that was looked at.
  minute timestamptz not null,
  last_start timestamptz not null default pg_catalog.clock_timestamp(),
  -- Runs that are due and have not begun.
  pending integer not null default 0,
  -- The run that a server has begun, and until when it says that it is at it.
  runid bigint,
  held_until timestamptz
);

create table cron.holdfast_runner (
  username text primary key
);
comment on table cron.holdfast_runner is 'Users as whom servers can run jobs.';

-- One field of a schedule. Null when it is none.
create function cron.holdfast_parse_field(field text, low integer, high integer, names text[] default '{}') returns integer[]
  language plpgsql immutable set search_path = ''
as $$
declare
  part text;
  match text[];
  first integer;
  last integer;
  step integer;
  numbers integer[] := '{}';
begin
  if field is null then
    return null;
  end if;
  foreach part in array pg_catalog.string_to_array(pg_catalog.lower(field), ',') loop
    match := pg_catalog.regexp_match(part, '^(?:(\*)|([0-9]{1,4}|[a-z]{3})(?:-([0-9]{1,4}|[a-z]{3}))?)(?:/([0-9]{1,4}))?$');
    -- A step needs a range.
    if match is null or match[4] is not null and match[1] is null and match[3] is null then
      return null;
    end if;
    first := case when match[1] is not null then low else cron.holdfast_parse_number(match[2], low, names) end;
    last := case when match[1] is not null then high when match[3] is null then first else cron.holdfast_parse_number(match[3], low, names) end;
    step := coalesce(match[4]::integer, 1);
    if first is null or last is null or first < low or last > high or first > last or step < 1 or step > high then
      return null;
    end if;
    numbers := numbers || array(select n from pg_catalog.generate_series(first, last, step) n);
  end loop;
  return numbers;
end
$$;

create function cron.holdfast_parse_number(text text, low integer, names text[]) returns integer
  language sql immutable set search_path = ''
as $$ select case when text ~ '^[0-9]' then text::integer else pg_catalog.array_position(names, text) - 1 + low end $$;

-- A schedule as pg_cron reads it, or null. What stands behind the fifth field is not looked at, there either.
create function cron.holdfast_parse(schedule text) returns cron.holdfast_schedule
  language plpgsql immutable set search_path = ''
as $$
declare
  fields text[];
  parsed cron.holdfast_schedule;
begin
  if pg_catalog.length(schedule) >= 1000 then
    return null;
  end if;
  parsed.seconds := (pg_catalog.regexp_match(schedule, '^\s*([0-9]{1,4})\s*seconds?$', 'i'))[1]::integer;
  if parsed.seconds is not null then
    return case when parsed.seconds between 1 and 59 then parsed end;
  end if;
  fields := pg_catalog.regexp_split_to_array(pg_catalog.btrim(schedule, E' \t\n'), '[ \t]+');
  if fields[1] in ('@reboot', '@restart') then
    parsed.at_start := true;
    return parsed;
  end if;
  fields := case fields[1]
    when '@yearly' then '{0,0,1,1,*}' when '@annually' then '{0,0,1,1,*}' when '@monthly' then '{0,0,1,*,*}'
    when '@weekly' then '{0,0,*,*,0}' when '@daily' then '{0,0,*,*,*}' when '@midnight' then '{0,0,*,*,*}'
    when '@hourly' then '{0,*,*,*,*}' else fields end;
  parsed.minutes := cron.holdfast_parse_field(fields[1], 0, 59);
  parsed.hours := cron.holdfast_parse_field(fields[2], 0, 23);
  parsed.last_day := fields[3] = '$';
  parsed.days := case when parsed.last_day then '{}' else cron.holdfast_parse_field(fields[3], 1, 31) end;
  parsed.months := cron.holdfast_parse_field(fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
  parsed.weekdays := cron.holdfast_parse_field(fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
  if parsed.weekdays && '{0,7}' then
    parsed.weekdays := parsed.weekdays || '{0,7}';
  end if;
  parsed.is_wild := fields[1] like '*%' or fields[2] like '*%';
  parsed.is_any_day := fields[3] like '*%' or fields[5] like '*%';
  return case when parsed.minutes is not null and parsed.hours is not null and parsed.days is not null
                   and parsed.months is not null and parsed.weekdays is not null then parsed end;
end
$$;

create function cron.holdfast_matches(schedule cron.holdfast_schedule, minute timestamp) returns boolean
  language sql immutable set search_path = ''
as $$
  select extract(minute from minute)::integer = any(schedule.minutes) and extract(hour from minute)::integer = any(schedule.hours)
     and extract(month from minute)::integer = any(schedule.months)
     and case when schedule.is_any_day then day.fits and weekday.fits else day.fits or weekday.fits end
    from (select extract(day from minute)::integer = any(schedule.days)
              or schedule.last_day and extract(day from minute + interval '1 day') = 1 as fits) day,
         (select extract(dow from minute)::integer = any(schedule.weekdays) as fits) weekday
$$;

-- How many runs are due since the minute that was looked at last, after the rules of cron for a clock that has jumped: up to five minutes are made up for, up to
-- three hours only what is meant for a certain hour and minute, and of more only the minute that it is. Times are those of GMT.
create function cron.holdfast_due(schedule cron.holdfast_schedule, since timestamptz, now_minute timestamptz) returns integer
  language sql immutable set search_path = ''
as $$
  select case
    when schedule.minutes is null or now_minute <= since then 0
    when now_minute - since > interval '3 hours' then cron.holdfast_matches(schedule, now_minute at time zone 'UTC')::integer
    when now_minute - since > interval '5 minutes' and schedule.is_wild then cron.holdfast_matches(schedule, now_minute at time zone 'UTC')::integer
    else (select pg_catalog.count(*)::integer
            from pg_catalog.generate_series(since at time zone 'UTC' + interval '1 minute', now_minute at time zone 'UTC', interval '1 minute') m
           where cron.holdfast_matches(schedule, m))
  end
$$;

-- With the rights of who writes the row. Policies let a role that passes them by write rows of others.
create function cron.holdfast_check_owner() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    null;
  elsif tg_op = 'UPDATE' and new.username is distinct from old.username then
    raise exception 'must be superuser to alter username' using errcode = 'insufficient_privilege';
  elsif tg_op <> 'INSERT' and old.username <> current_user then
    raise exception 'job % belongs to another user', old.jobid using errcode = 'insufficient_privilege';
  elsif tg_op = 'INSERT' and new.username is distinct from current_user then
    raise exception 'must be superuser to create a job for another role' using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
create trigger holdfast_1_check_owner before insert or update or delete on cron.job
  for each row execute function cron.holdfast_check_owner();

create function cron.holdfast_prepare() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if cron.holdfast_parse(new.schedule) is null then
    raise exception 'invalid schedule: %', new.schedule
      using errcode = 'invalid_parameter_value', hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  elsif new.database <> pg_catalog.current_database() then
    raise exception 'jobs run in database % only', pg_catalog.current_database() using errcode = 'feature_not_supported';
  elsif not exists (select from cron.holdfast_runner r where r.username = new.username) and exists (select from cron.holdfast_runner) then
    raise exception 'jobs cannot run as %', new.username
      using errcode = 'feature_not_supported', hint = (
        select pg_catalog.format('Schedule it as %s, for instance in a function of that role that is security definer.',
                                 pg_catalog.string_agg(r.username, ' or ' order by r.username)) from cron.holdfast_runner r);
  end if;
  if tg_op = 'UPDATE' then
    new.jobid := old.jobid;
  else
    while new.jobid is null or exists (select from cron.job j where j.jobid = new.jobid) loop
      new.jobid := pg_catalog.nextval('cron.jobid_seq');
    end loop;
  end if;
  return new;
end
$$;
create trigger holdfast_2_prepare before insert or update on cron.job for each row execute function cron.holdfast_prepare();

create function cron.holdfast_follow() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into cron.holdfast_state as s (jobid, schedule, minute)
  values (new.jobid, cron.holdfast_parse(new.schedule), pg_catalog.date_trunc('minute', pg_catalog.clock_timestamp(), 'UTC'))
  on conflict (jobid) do update
    set schedule = excluded.schedule,
        -- What was due under another schedule, or while it was switched off, is not made up for.
        minute = greatest(s.minute, excluded.minute), pending = 0;
  return null;
end
$$;
create trigger holdfast_follow after insert or update on cron.job for each row execute function cron.holdfast_follow();

create function cron.holdfast_wake() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('holdfast_schedules', '');
  return null;
end
$$;
create trigger holdfast_wake after insert or update or delete on cron.job for each statement execute function cron.holdfast_wake();

create function cron.schedule(schedule text, command text) returns bigint
  language sql strict set search_path = ''
as $$ insert into cron.job (schedule, command) values (schedule, command) returning jobid $$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
  language plpgsql set search_path = ''
as $$
declare
  id bigint;
begin
  if job_name is null then
    raise exception 'job_name can not be NULL';
  elsif schedule is null then
    raise exception 'schedule can not be NULL';
  elsif command is null then
    raise exception 'command can not be NULL';
  end if;
  insert into cron.job as j (schedule, command, jobname) values (schedule, command, job_name)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database
  returning j.jobid into id;
  return id;
end
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint
  language sql set search_path = ''
as $$
  insert into cron.job as j (schedule, command, jobname, database, username, active)
  values (schedule, command, job_name, database, coalesce(username, current_user), active)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database
  returning j.jobid
$$;

create function cron.unschedule(job_id bigint) returns boolean
  language plpgsql strict set search_path = ''
as $$
begin
  delete from cron.job j where j.jobid = job_id;
  if not found then
    raise exception 'could not find valid entry for job %', job_id;
  end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean
  language plpgsql strict set search_path = ''
as $$
begin
  delete from cron.job j where j.jobname = job_name and j.username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name;
  end if;
  return true;
end
$$;

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null, username text default null,
  active boolean default null
) returns void
  language plpgsql set search_path = ''
as $$
begin
  if job_id is null then
    raise exception 'job_id can not be NULL';
  elsif num_nonnulls(schedule, command, database, username, active) = 0 then
    raise exception 'no updates specified'
      using hint = 'You must specify at least one job attribute to change when calling alter_job';
  end if;
  update cron.job j
     set schedule = coalesce(alter_job.schedule, j.schedule), command = coalesce(alter_job.command, j.command),
         database = coalesce(alter_job.database, j.database), username = coalesce(alter_job.username, j.username),
         active = coalesce(alter_job.active, j.active)
   where j.jobid = job_id;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', job_id;
  end if;
end
$$;

-- As pg_cron grants them, but for writing one's own rows, which is what its functions do with the rights of their library. Who may use the schema may schedule.
revoke all on all functions in schema cron from public;
grant execute on function cron.schedule(text, text), cron.schedule(text, text, text), cron.unschedule(bigint), cron.unschedule(text) to public;
grant select, insert, update, delete on cron.job to public;
grant select, delete on cron.job_run_details to public;
grant select on sequence cron.jobid_seq, cron.runid_seq to public;
  $ddl$;
end
$migration$;

-- In a packaged database projects act as `postgres`, which is no superuser.
do $$
begin
  if pg_catalog.to_regclass('cron.holdfast_state') is null
     or not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter schema cron owner to supabase_admin;
  grant usage on schema cron to postgres with grant option;
  grant execute on function cron.schedule(text, text), cron.schedule(text, text, text), cron.unschedule(bigint), cron.unschedule(text),
    cron.alter_job(bigint, text, text, text, text, boolean), cron.schedule_in_database(text, text, text, text, text, boolean)
    to postgres with grant option;
  grant select, insert, update, delete on cron.job to postgres with grant option;
  grant select, delete on cron.job_run_details to postgres with grant option;
  grant select on cron.holdfast_state, cron.holdfast_runner to postgres with grant option;
end
$$;
