-- What automations do outside the database: mails, webhooks and functions. A run keeps them as calls in the transaction of its effects; the server makes them afterwards, at
-- least once, and writes their outcome into the run. Limits are settings of the server.

create table holdfast.automation_settings (
  name text constraint holdfast_automation_settings_pkey primary key,
  value integer not null constraint holdfast_automation_settings_value check (value >= 0)
);
comment on table holdfast.automation_settings is 'Limits of automations, from the options of the server. Only the server writes it.';

create table holdfast.automation_calls (
  id uuid constraint holdfast_automation_calls_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null,
  automation_id uuid not null constraint holdfast_automation_calls_automation references holdfast.automations (id) on delete cascade,
  run_id uuid not null constraint holdfast_automation_calls_run references holdfast.automation_runs (id) on delete cascade,
  runs_as uuid not null,
  place integer not null,
  request jsonb not null,
  messages uuid[],
  attempts integer not null default 0,
  claim uuid,
  due_at timestamptz default now(),
  created_at timestamptz not null default now()
);
create index holdfast_automation_calls_lane_idx on holdfast.automation_calls (workspace_id, automation_id, due_at, id);
create index holdfast_automation_calls_due_idx on holdfast.automation_calls (due_at);
create index holdfast_automation_calls_run_idx on holdfast.automation_calls (run_id, place);
comment on table holdfast.automation_calls is 'Mails, webhooks and functions of automations that are still to be done. Only the server reads it.';
comment on column holdfast.automation_calls.due_at is 'Null for one that failed, until a user repeats it.';
comment on column holdfast.automation_calls.messages is 'Ids of the queued mails.';
comment on column holdfast.automation_calls.place is 'Of the step in the run, from 0. Calls of a run are made in this order.';

-- The signing secret of webhooks, and values of secret headers with the origin that they are for.
create table holdfast.automation_secrets (
  automation_id uuid constraint holdfast_automation_secrets_pkey primary key
    constraint holdfast_automation_secrets_automation references holdfast.automations (id) on delete cascade,
  signing text not null,
  headers jsonb not null default '[]'
);
comment on table holdfast.automation_secrets is 'Secrets of webhooks. Only the server reads it; admins read the signing secret with holdfast.automation_secret.';

create table holdfast.automation_usage (
  workspace_id uuid not null constraint holdfast_automation_usage_workspace references holdfast.workspaces (id) on delete cascade,
  kind text not null constraint holdfast_automation_usage_kind check (kind in ('mails', 'other mails', 'calls')),
  day date not null,
  used integer not null,
  constraint holdfast_automation_usage_pkey primary key (workspace_id, kind)
);
comment on table holdfast.automation_usage is 'What automations of a workspace have sent on its latest day. Only the server reads it.';

alter table holdfast.automation_settings enable row level security;
alter table holdfast.automation_calls enable row level security;
alter table holdfast.automation_secrets enable row level security;
alter table holdfast.automation_usage enable row level security;
revoke all on holdfast.automation_settings, holdfast.automation_calls, holdfast.automation_secrets, holdfast.automation_usage from public, anon, authenticated;

alter table holdfast.automation_runs drop constraint holdfast_automation_runs_state;
alter table holdfast.automation_runs add constraint holdfast_automation_runs_state check (state in ('waiting', 'done', 'failed', 'skipped'));

create or replace function holdfast.automation_limit(name text) returns integer
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce((select s.value from holdfast.automation_settings s where s.name = automation_limit.name), case name
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
    when 'runs with calls for a record in ten minutes' then 20
    when 'calls of a workspace that wait' then 5000
    when 'mails of a workspace in a day' then 200
    when 'mails of a workspace to other addresses in a day' then 20
    when 'calls of a workspace in a day' then 5000
    when 'notices of an automation to a user in an hour' then 20
    when 'runs kept' then 100
  end)
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

create function holdfast.require_assignment(workspace uuid, step jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if of_record is null or (step - array['kind', 'field', 'to']) <> '{}' or jsonb_typeof(step -> 'to') is distinct from 'string' or step ->> 'to' = 'admins' then
    raise exception 'A record is assigned to one member in one field.' using hint = 'automation.do';
  end if;
  if holdfast.access_columns(of_record) ->> (step ->> 'field') is distinct from 'members' or step ->> 'field' not in (select holdfast.automation_fields(of_record)) then
    raise exception 'The field % does not link to members.', left(coalesce(step ->> 'field', ''), 63) using hint = 'automation.field';
  end if;
  perform holdfast.require_recipients(workspace, jsonb_build_array(step -> 'to'), of_record);
end
$$;
comment on function holdfast.require_assignment(uuid, jsonb, regclass) is 'Refuses a step that assigns a record in another way.';

create function holdfast.require_mail(workspace uuid, step jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  others jsonb;
  members jsonb;
begin
  if (step - array['kind', 'to', 'subject', 'text']) <> '{}' or coalesce(btrim(step ->> 'subject'), '') = '' or length(step ->> 'subject') > 200
     or coalesce(btrim(step ->> 'text'), '') = '' then
    raise exception 'A mail has recipients, a subject of up to 200 characters and a text.' using hint = 'automation.do';
  end if;
  select coalesce(jsonb_agg(r.value) filter (where r.value #>> '{}' like 'email:%'), '[]'), coalesce(jsonb_agg(r.value) filter (where r.value #>> '{}' not like 'email:%'), '[]')
    into others, members from jsonb_array_elements(case jsonb_typeof(step -> 'to') when 'array' then step -> 'to' else '[]' end) r (value);
  if exists (select from jsonb_array_elements_text(others) r (name) where r.name !~ '^email:[^@\s<>",;]{1,64}@[^@\s<>",;]{1,190}$')
     or jsonb_array_length(others) + jsonb_array_length(members) not between 1 and holdfast.automation_limit('recipients') then
    raise exception 'A mail has 1 to 20 recipients: members, or addresses such as name@example.org.' using hint = 'automation.recipients';
  end if;
  if members <> '[]' then
    perform holdfast.require_recipients(workspace, members, of_record);
  end if;
  perform holdfast.require_template(step -> 'subject', of_record);
  perform holdfast.require_template(step -> 'text', of_record);
end
$$;
comment on function holdfast.require_mail(uuid, jsonb, regclass) is 'Refuses a mail that is not in the grammar.';

create function holdfast.require_call(step jsonb, of_record regclass) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
begin
  if step ->> 'kind' = 'function' then
    if (step - array['kind', 'name', 'text']) <> '{}' or coalesce(step ->> 'name', '') !~ '^[A-Za-z][A-Za-z0-9_-]{0,63}$' then
      raise exception 'A function has a name of letters, digits, "-" and "_".' using hint = 'automation.function';
    end if;
  elsif (step - array['kind', 'url', 'header', 'text']) <> '{}' or coalesce(step ->> 'url', '') !~* '^https?://[^/?#@\s{}]+([/?#][^\s{}]*)?$' or length(step ->> 'url') > 2000 then
    raise exception 'A webhook has an address such as https://example.org/hook.' using hint = 'automation.url';
  elsif step ? 'header' and (coalesce(step ->> 'header', '') !~ '^[A-Za-z][A-Za-z0-9-]{0,63}$'
                             or lower(step ->> 'header') ~ '^(host|connection|content-.*|transfer-encoding|via|webhook-.*|forwarded|x-forwarded-.*)$') then
    raise exception 'The header % cannot be set.', left(step ->> 'header', 63) using hint = 'automation.header';
  end if;
  if step ? 'text' then
    perform holdfast.require_template(step -> 'text', of_record);
  end if;
end
$$;
comment on function holdfast.require_call(jsonb, regclass) is 'Refuses a webhook or function that is not in the grammar.';

create or replace function holdfast.require_step(workspace uuid, step jsonb, of_record regclass) returns void
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
  when 'assign' then
    perform holdfast.require_assignment(workspace, step, of_record);
  when 'notify' then
    if (step - array['kind', 'to', 'text', 'push']) <> '{}' or coalesce(btrim(step ->> 'text'), '') = '' or coalesce(jsonb_typeof(step -> 'push'), 'boolean') <> 'boolean' then
      raise exception 'A notice has recipients and a text.' using hint = 'automation.do';
    end if;
    perform holdfast.require_recipients(workspace, step -> 'to', of_record);
    perform holdfast.require_template(step -> 'text', of_record);
  when 'mail' then
    perform holdfast.require_mail(workspace, step, of_record);
  when 'webhook', 'function' then
    perform holdfast.require_call(step, of_record);
  else
    raise exception 'There is no step %.', left(coalesce(step ->> 'kind', ''), 63) using hint = 'automation.do';
  end case;
end
$$;

-- Addresses that belong to no member are an owner's: whoever saves or switches on an automation with them answers for the mails.
create function holdfast.require_owner_for_addresses(workspace uuid, config jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_path_exists(config, '$.do[*].to[*] ? (@ starts with "email:")') and holdfast.role_in(workspace) is distinct from 'owner' then
    raise exception 'Only an owner has mails sent to other addresses than those of members.' using errcode = 'insufficient_privilege', hint = 'automation.only_owner';
  end if;
end
$$;
comment on function holdfast.require_owner_for_addresses(uuid, jsonb) is 'Refuses mails to typed addresses, except for an owner.';

create function holdfast.guard_addresses() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- The server itself switches on again what an owner had switched on.
  if new.runs_as = holdfast.user_id() and (tg_op = 'INSERT' or new.config <> old.config or (new.is_on and not old.is_on)) then
    perform holdfast.require_owner_for_addresses(new.workspace_id, new.config);
  end if;
  return new;
end
$$;
comment on function holdfast.guard_addresses() is 'Refuses automations with typed addresses of others than owners.';
create trigger guard_addresses before insert or update on holdfast.automations for each row execute function holdfast.guard_addresses();

create function holdfast.signing_secret(automation uuid) returns text
  language sql volatile set search_path = pg_catalog, pg_temp as $$
  insert into holdfast.automation_secrets as s (automation_id, signing)
    values (automation, 'whsec_' || encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64'))
    on conflict (automation_id) do update set signing = s.signing returning s.signing
$$;
comment on function holdfast.signing_secret(uuid) is 'The secret that signs webhooks of an automation; creates it.';

create function holdfast.automation_secret(automation uuid) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.automations := holdfast.administered_automation(automation);
begin
  return holdfast.signing_secret(one.id);
end
$$;
comment on function holdfast.automation_secret(uuid) is 'The secret that signs webhooks of an automation. For owners and admins of its workspace.';

create function holdfast.origin_of(url text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select lower(substring(url from '^[A-Za-z]+://[^/?#\s]+'))
$$;
comment on function holdfast.origin_of(text) is 'Scheme, host and port of an address.';

create function holdfast.set_automation_header(automation uuid, url text, header text, value text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  one constant holdfast.automations := holdfast.administered_automation(automation);
  kept jsonb;
begin
  perform holdfast.require_call(jsonb_build_object('kind', 'webhook', 'url', url, 'header', header), null);
  if length(value) > 2000 or value !~ '^[ -~]+$' then
    raise exception 'The value of a header has up to 2,000 characters of ASCII.' using hint = 'automation.header';
  end if;
  perform holdfast.signing_secret(one.id);
  select coalesce(jsonb_agg(h.value), '[]') into kept from holdfast.automation_secrets s, jsonb_array_elements(s.headers) h
   where s.automation_id = one.id and not (h.value ->> 'name' = lower(header) and h.value ->> 'origin' = holdfast.origin_of(url));
  if jsonb_array_length(kept) >= holdfast.automation_limit('steps') then
    kept := kept - 0;
  end if;
  update holdfast.automation_secrets s
     set headers = kept || case when value is null then '[]'
                                else jsonb_build_array(jsonb_build_object('name', lower(header), 'origin', holdfast.origin_of(url), 'value', value)) end
   where s.automation_id = one.id;
end
$$;
comment on function holdfast.set_automation_header(uuid, text, text, text) is
  'Keeps the value of a secret header for the origin of an address; null forgets it. For owners and admins of the workspace.';

-- Notices can also be pushed to the devices of their recipients.
alter table holdfast.push_events drop constraint holdfast_push_events_kind_check;
alter table holdfast.push_events add constraint holdfast_push_events_kind_check check (kind in ('mention', 'reply', 'assigned', 'notice'));

create or replace function holdfast.add_notices(of_automation holdfast.automations, record_id uuid, notices jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one record;
  latest uuid;
  sent integer;
begin
  for one in
    select m.user_id, n.value ->> 'text' as body, bool_or(coalesce((n.value ->> 'push')::boolean, false)) as push
      from jsonb_array_elements(notices) n (value)
      cross join lateral jsonb_array_elements_text(n.value -> 'to') recipient (name)
      join holdfast.members m on m.workspace_id = of_automation.workspace_id and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
       and ((recipient.name = 'admins' and m.role >= 'admin') or recipient.name in ('member:' || m.id, 'user:' || m.user_id))
     group by m.user_id, n.value ->> 'text' order by m.user_id
  loop
    select count(*), max(n.id::text) filter (where n.newest = 1)::uuid into sent, latest
      from (select p.id, row_number() over (order by p.created_at desc, p.id) as newest from holdfast.notices p
             where p.automation_id = of_automation.id and p.user_id = one.user_id and p.created_at > now() - interval '1 hour') n;
    if sent >= holdfast.automation_limit('notices of an automation to a user in an hour') then
      update holdfast.notices p set more = p.more + 1 where p.id = latest;
    else
      insert into holdfast.notices (workspace_id, automation_id, user_id, title, body, table_name, record_id)
      values (of_automation.workspace_id, of_automation.id, one.user_id, of_automation.name, left(one.body, 500), of_automation.table_name, add_notices.record_id)
      returning id into latest;
      if one.push then
        perform holdfast.queue_push(one.user_id, 'notice', latest::text);
      end if;
    end if;
  end loop;
end
$$;

-- Ends the run of a claimed event in the transaction of its effects, as the user. Nobody else knows the claim.
create or replace function holdfast.settle_automation(event bigint, claimed uuid, version integer, result jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  done holdfast.automation_events;
  one holdfast.automations;
  calls constant jsonb := coalesce(nullif(result -> 'calls', 'null'), '[]');
  counted integer;
  run uuid;
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
  if calls <> '[]' then
    -- What is outside may change the record again, and no chain tells.
    if done.record_id is not null
       and (select count(*) from holdfast.automation_runs r
             where r.automation_id = one.id and r.ended_at > clock_timestamp() - interval '10 minutes' and r.record_id = done.record_id and r.cause <> 'again')
           >= holdfast.automation_limit('runs with calls for a record in ten minutes') then
      raise exception 'The automation keeps running for the same record.' using hint = 'automation.loop';
    end if;
    if (select count(*) from (select from holdfast.automation_calls c where c.workspace_id = one.workspace_id and c.due_at is not null
                               limit holdfast.automation_limit('calls of a workspace that wait')) w) >= holdfast.automation_limit('calls of a workspace that wait') then
      raise exception 'Too many webhooks, functions and mails of the workspace wait.' using hint = 'automation.calls_wait';
    end if;
  end if;
  perform holdfast.add_notices(one, done.record_id, coalesce(result -> 'notices', '[]'));
  insert into holdfast.automation_runs (workspace_id, automation_id, version, state, cause, record_id, steps)
  values (one.workspace_id, one.id, one.version, case when calls = '[]' then 'done' else 'waiting' end, done.cause, done.record_id, coalesce(result -> 'steps', '[]'))
  returning id into run;
  if calls <> '[]' then
    insert into holdfast.automation_calls (workspace_id, automation_id, run_id, runs_as, place, request)
      select one.workspace_id, one.id, run, one.runs_as, (c.value ->> 'place')::integer, c.value -> 'request' from jsonb_array_elements(calls) c (value);
    perform pg_notify('holdfast_automation_calls', '');
  end if;
end
$$;

-- As the project: adds to what a workspace has sent today, unless that is too much.
create function holdfast.use_automation_limit(workspace uuid, kind text, count integer) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  today constant date := (select (now() at time zone w.time_zone)::date from holdfast.workspaces w where w.id = workspace);
  used_max constant integer := holdfast.automation_limit(case kind when 'mails' then 'mails of a workspace in a day'
    when 'other mails' then 'mails of a workspace to other addresses in a day' else 'calls of a workspace in a day' end);
begin
  if today is null or count > used_max then
    return false;
  end if;
  insert into holdfast.automation_usage as u (workspace_id, kind, day, used) values (workspace, use_automation_limit.kind, today, count)
    on conflict on constraint holdfast_automation_usage_pkey do update
      set used = case when u.day = today then u.used else 0 end + count, day = today
    where case when u.day = today then u.used else 0 end + count <= used_max;
  return found;
end
$$;
comment on function holdfast.use_automation_limit(uuid, text, integer) is 'Counts what a workspace sends in a day; false above the limit. For the server only.';

-- As the project: addresses of recipients, each once.
create function holdfast.mail_recipients(workspace uuid, sender uuid, recipients jsonb) returns table (user_id uuid, email text)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select distinct on (lower(r.email)) r.user_id, r.email from (
    select m.user_id, u.email::text as email
      from jsonb_array_elements_text(recipients) recipient (name)
      join holdfast.members m on m.workspace_id = workspace and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
       and ((recipient.name = 'admins' and m.role >= 'admin') or recipient.name in ('member:' || m.id, 'user:' || m.user_id))
      join auth.users u on u.id = m.user_id
     where u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null and not u.is_anonymous and (u.banned_until is null or u.banned_until < now())
    union all
    select null, substr(recipient.name, 7) from jsonb_array_elements_text(recipients) recipient (name) where recipient.name like 'email:%'
       and exists (select from holdfast.members m where m.workspace_id = workspace and m.user_id = sender and m.status = 'active' and m.role = 'owner')) r
   order by lower(r.email), r.user_id nulls last
$$;
comment on function holdfast.mail_recipients(uuid, uuid, jsonb) is 'The addresses of the recipients of a mail; those of no member only if the sender is an owner. For the server only.';

-- As the project: what a call needs besides its request.
create function holdfast.read_automation_call(call uuid)
  returns table (automation text, workspace text, workspace_id uuid, language text, table_name text, record_id uuid, is_on boolean, signing text, headers jsonb)
  language sql volatile set search_path = pg_catalog, pg_temp as $$
  select a.name, w.name, w.id, w.language, a.table_name, r.record_id, a.is_on or r.cause = 'again', holdfast.signing_secret(a.id),
         coalesce((select s.headers from holdfast.automation_secrets s where s.automation_id = a.id), '[]')
    from holdfast.automation_calls c join holdfast.automations a on a.id = c.automation_id join holdfast.workspaces w on w.id = a.workspace_id
    join holdfast.automation_runs r on r.id = c.run_id where c.id = call
$$;
comment on function holdfast.read_automation_call(uuid) is 'What a call of an automation is about. For the server only.';

-- As the project: notes an attempt in the run; with "ends" it is the last one.
create function holdfast.note_automation_call(call uuid, claimed uuid, outcome jsonb, ends boolean) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one holdfast.automation_calls;
  run holdfast.automation_runs;
  failure jsonb;
begin
  select c.* into one from holdfast.automation_calls c where c.id = call and c.claim = claimed for update;
  if one.id is null then
    return false;
  end if;
  select r.* into run from holdfast.automation_runs r where r.id = one.run_id for update;
  run.steps := jsonb_set(run.steps, array[one.place::text], (run.steps -> one.place) || jsonb_strip_nulls(outcome));
  if ends and outcome ->> 'state' = 'failed' then
    update holdfast.automation_calls c set due_at = null, claim = null where c.id = call;
  elsif ends then
    delete from holdfast.automation_calls c where c.id = call;
  end if;
  failure := (select s.value from jsonb_array_elements(run.steps) with ordinality s (value, place) where s.value ->> 'state' = 'failed' order by s.place limit 1);
  update holdfast.automation_runs r
     set steps = run.steps,
         state = case when exists (select from holdfast.automation_calls c where c.run_id = run.id and c.due_at is not null) then 'waiting' when failure is null then 'done' else 'failed' end,
         reason = case when failure is null then r.reason else failure ->> 'reason' end,
         error = case when failure is null then r.error else left(failure ->> 'error', 1000) end,
         ended_at = clock_timestamp()
   where r.id = run.id;
  return true;
end
$$;
comment on function holdfast.note_automation_call(uuid, uuid, jsonb, boolean) is 'Notes what became of a mail, webhook or function in its run. For the server only.';

-- What failed outside the database is tried again by itself: its run has had its other effects.
create or replace function holdfast.run_automation_again(run uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  past holdfast.automation_runs;
begin
  select * into past from holdfast.automation_runs r where r.id = run and r.workspace_id in (select holdfast.my_administered_workspace_ids()) for update;
  if past.id is null then
    raise exception 'The run is gone.' using errcode = 'insufficient_privilege', hint = 'automation.gone';
  end if;
  if past.state = 'waiting' then
    return;
  end if;
  if exists (select from holdfast.automation_calls c where c.run_id = run) then
    update holdfast.automation_runs r
       set state = 'waiting', reason = null, error = null,
           steps = (select jsonb_agg(case when s.value ->> 'state' = 'failed' then (s.value - array['reason', 'error', 'status', 'answer', 'attempts']) || '{"state": "waiting"}' else s.value end order by s.place)
                      from jsonb_array_elements(r.steps) with ordinality s (value, place))
     where r.id = run;
    update holdfast.automation_calls c set due_at = now(), created_at = now(), attempts = 0, messages = null where c.run_id = run and c.due_at is null;
    perform pg_notify('holdfast_automation_calls', '');
    return;
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

create or replace function holdfast.prune_automations() returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.automation_runs r where r.id in (
    select o.id from (select p.id, p.ended_at, row_number() over (partition by p.automation_id order by p.ended_at desc, p.id) as place from holdfast.automation_runs p
                       where p.state <> 'waiting') o
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
  for one in select unnest(array['automation_settings', 'automation_calls', 'automation_secrets', 'automation_usage']) as name loop
    execute format('alter table holdfast.%I owner to %I', one.name, project);
  end loop;
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('require_assignment', 'require_mail', 'require_call', 'require_owner_for_addresses', 'guard_addresses', 'signing_secret', 'automation_secret',
                         'origin_of', 'set_automation_header', 'use_automation_limit', 'mail_recipients', 'read_automation_call', 'note_automation_call')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('automation_secret', 'set_automation_header') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
