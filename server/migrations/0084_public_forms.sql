-- Forms that anybody with the link can fill in without an account. Each has a policy of its own on the table: the server adds a record as the role anon with
-- the form's id in the claims, and nothing else gets through that policy.

create table holdfast.public_forms (
  id uuid constraint holdfast_public_forms_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_public_forms_workspace references holdfast.workspaces (id) on delete cascade,
  view_id uuid not null constraint holdfast_public_forms_once unique,
  table_name text not null,
  slug text not null constraint holdfast_public_forms_slug unique,
  definition jsonb not null,
  is_open boolean not null default true,
  submissions integer not null default 0,
  last_submission_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index holdfast_public_forms_workspace_id_idx on holdfast.public_forms (workspace_id);

-- What was sent, so that a repeated request adds no second record, and limits hold.
create table holdfast.form_submissions (
  id uuid constraint holdfast_form_submissions_pkey primary key,
  form_id uuid not null constraint holdfast_form_submissions_form references holdfast.public_forms (id) on delete cascade,
  source bytea not null,
  created_at timestamptz not null default now()
);
create index holdfast_form_submissions_form_idx on holdfast.form_submissions (form_id, created_at);

comment on table holdfast.public_forms is 'Public forms. Anybody with the link can fill them in.';
comment on column holdfast.public_forms.view_id is 'View. The form that was published.';
comment on column holdfast.public_forms.slug is 'Slug. The end of the link.';
comment on column holdfast.public_forms.definition is 'Definition. Title, texts and questions as visitors see them.';
comment on column holdfast.public_forms.is_open is 'Open. Whether it takes answers.';
comment on table holdfast.form_submissions is 'Submissions of public forms. Only the server reads them.';
comment on column holdfast.form_submissions.source is 'Source. A hash of form and network address, for limits.';

alter table holdfast.public_forms enable row level security;
alter table holdfast.form_submissions enable row level security;
revoke all on holdfast.public_forms, holdfast.form_submissions from anon, authenticated;
grant select on holdfast.public_forms to authenticated;
grant all on holdfast.public_forms to service_role;
create trigger touch before update on holdfast.public_forms for each row execute function holdfast.touch();

create function holdfast.form_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'forms of a workspace' then 50
    when 'questions' then 60
    when 'bytes of a definition' then 65536
    when 'submissions of a source in an hour' then 30
    when 'submissions of a form in an hour' then 600
  end
$$;
comment on function holdfast.form_limit(text) is 'Limits of public forms; docs/reference/people.md lists them.';

-- The claim is set by the server only: tokens of clients never have the role anon and this claim together.
create function holdfast.public_form_id() returns uuid
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when (auth.jwt() ->> 'form_id') ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then (auth.jwt() ->> 'form_id')::uuid end
$$;
comment on function holdfast.public_form_id() is 'The public form whose submission runs; null otherwise.';

create function holdfast.form_policy_name(form uuid) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$ select 'public_form_' || replace(form::text, '-', '') $$;
comment on function holdfast.form_policy_name(uuid) is 'The name of the policy of a public form.';

-- Columns that questions can fill: of the table, not set by triggers, and without a link, whose choices would show other records.
create function holdfast.form_columns(table_name text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select a.attname::text from pg_attribute a
   where a.attrelid = to_regclass(format('public.%I', form_columns.table_name)) and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
     and a.attname not in ('id', 'created_by', 'created_at', 'updated_at')
     and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bool'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype,
                        'float4'::regtype, 'float8'::regtype, 'date'::regtype, 'timestamptz'::regtype)
     and not exists (select from pg_constraint c where c.conrelid = a.attrelid and c.contype = 'f' and a.attnum = any (c.conkey))
$$;
comment on function holdfast.form_columns(text) is 'The columns of a table that a public form can ask for.';

create function holdfast.require_form_definition(of_table text, definition jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  questions constant jsonb := definition -> 'questions';
  missing text;
begin
  if jsonb_typeof(definition) is distinct from 'object' or octet_length(definition::text) > holdfast.form_limit('bytes of a definition')
     or coalesce(length(btrim(definition ->> 'title')), 0) not between 1 and 120
     or length(coalesce(definition ->> 'intro', '')) > 2000 or length(coalesce(definition ->> 'thanks', '')) > 500
     or jsonb_typeof(questions) is distinct from 'array' or jsonb_array_length(questions) not between 1 and holdfast.form_limit('questions') then
    raise exception 'A public form has a title of up to 120 characters and 1 to 60 questions.' using hint = 'public_form.definition';
  end if;
  select coalesce(one.value ->> 'field', '') into missing from jsonb_array_elements(questions) one (value)
   where coalesce(one.value ->> 'field', '') not in (select holdfast.form_columns(of_table)) limit 1;
  if missing is not null then
    raise exception 'A public form cannot ask for %.', missing using hint = 'public_form.field', detail = missing;
  end if;
  select a.attname into missing from pg_attribute a
   where a.attrelid = to_regclass(format('public.%I', of_table)) and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
     and a.attidentity = '' and a.attname not in (select one.value ->> 'field' from jsonb_array_elements(questions) one (value)) limit 1;
  if missing is not null then
    raise exception 'Every record needs a value in %, which this form does not ask for.', missing using hint = 'public_form.missing', detail = missing;
  end if;
end
$$;
comment on function holdfast.require_form_definition(text, jsonb) is 'Refuses a definition that the table cannot take.';

-- What anon may set: the questions of all open forms of the table.
create function holdfast.grant_form_columns(of_table text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  columns text;
begin
  execute format('revoke insert on public.%I from anon', of_table);
  select string_agg(distinct quote_ident(one.value ->> 'field'), ', ') into columns
    from holdfast.public_forms f, jsonb_array_elements(f.definition -> 'questions') one (value)
   where f.table_name = of_table and f.is_open and (one.value ->> 'field') in (select holdfast.form_columns(of_table));
  -- A grant of the whole table does not revoke those of columns.
  execute (select coalesce(string_agg(format('revoke insert (%I) on public.%I from anon', a.attname, of_table), '; '), 'select 1') from pg_attribute a
            where a.attrelid = to_regclass(format('public.%I', of_table)) and a.attnum > 0 and not a.attisdropped);
  if columns is not null then
    execute format('grant insert (id, %s) on public.%I to anon', columns, of_table);
  end if;
end
$$;
comment on function holdfast.grant_form_columns(text) is 'Lets public forms set the columns that they ask for, and no others.';

create function holdfast.publish_form(workspace uuid, view uuid, table_name text, definition jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  form holdfast.public_forms;
  name text;
begin
  perform holdfast.require_admin(workspace);
  if not exists (select from holdfast.tables t where t.workspace_id = workspace and t.schema_name = 'public' and t.table_name = publish_form.table_name)
     or to_regclass(format('public.%I', publish_form.table_name)) is null then
    raise exception 'Only tables that the workspace created have public forms.' using hint = 'public_form.table';
  end if;
  if not exists (select from holdfast.views v where v.id = view and v.table_name = publish_form.table_name and v.type = 'form') then
    raise exception 'There is no such form.' using hint = 'public_form.view';
  end if;
  perform holdfast.require_form_definition(publish_form.table_name, definition);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  select * into form from holdfast.public_forms f where f.view_id = view;
  if form.id is null then
    if (select count(*) from holdfast.public_forms f where f.workspace_id = workspace) >= holdfast.form_limit('forms of a workspace') then
      raise exception 'The workspace has 50 public forms. Delete one first.' using hint = 'public_form.limit';
    end if;
    insert into holdfast.public_forms (workspace_id, view_id, table_name, slug, definition, created_by)
    values (workspace, view, publish_form.table_name,
            rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '='), definition, holdfast.user_id())
    returning * into form;
  elsif form.workspace_id <> workspace or form.table_name <> publish_form.table_name then
    raise exception 'There is no such form.' using hint = 'public_form.view';
  else
    update holdfast.public_forms f set definition = publish_form.definition, is_open = true where f.id = form.id;
  end if;
  name := holdfast.form_policy_name(form.id);
  perform set_config('lock_timeout', '3s', true);
  execute format('drop policy if exists %I on public.%I', name, form.table_name);
  execute format('create policy %I on public.%I for insert to anon with check ((select holdfast.public_form_id()) = %L)', name, form.table_name, form.id);
  execute format('comment on policy %I on public.%I is %L', name, form.table_name, 'Visitors add records with a public form.');
  perform holdfast.grant_form_columns(form.table_name);
  return jsonb_build_object('id', form.id, 'slug', form.slug);
exception
  when lock_not_available then
    raise exception 'The table is in use. Try again.' using errcode = 'lock_not_available', hint = 'public_form.busy';
end
$$;
comment on function holdfast.publish_form(uuid, uuid, text, jsonb) is 'Publishes a form of a table, or its changed questions. Returns its id and slug.';

create function holdfast.close_form(form uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one holdfast.public_forms;
begin
  update holdfast.public_forms f set is_open = false
   where f.id = form and f.workspace_id in (select holdfast.my_administered_workspace_ids()) returning * into one;
  if one.id is null then
    raise exception 'There is no such form.' using errcode = 'insufficient_privilege', hint = 'public_form.view';
  end if;
  if to_regclass(format('public.%I', one.table_name)) is not null then
    perform set_config('lock_timeout', '3s', true);
    execute format('drop policy if exists %I on public.%I', holdfast.form_policy_name(one.id), one.table_name);
    perform holdfast.grant_form_columns(one.table_name);
  end if;
exception
  when lock_not_available then
    raise exception 'The table is in use. Try again.' using errcode = 'lock_not_available', hint = 'public_form.busy';
end
$$;
comment on function holdfast.close_form(uuid) is 'Closes a public form: it takes no more answers.';

create function holdfast.read_form(of_slug text) returns jsonb
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
           'id', f.id, 'table', f.table_name, 'workspace', w.name,
           'is_open', f.is_open and to_regclass(format('public.%I', f.table_name)) is not null,
           'definition', f.definition || jsonb_build_object('questions', coalesce((
             select jsonb_agg(one.value order by one.place) from jsonb_array_elements(f.definition -> 'questions') with ordinality one (value, place)
              where (one.value ->> 'field') in (select holdfast.form_columns(f.table_name))), '[]')))
    from holdfast.public_forms f join holdfast.workspaces w on w.id = f.workspace_id where f.slug = of_slug
$$;
comment on function holdfast.read_form(text) is 'A public form as the server shows it, without questions whose fields are gone. For the server only.';

-- Runs as the form, in the transaction that adds the record.
create function holdfast.begin_submission(submission uuid, from_source bytea) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  form constant uuid := holdfast.public_form_id();
begin
  if form is null then
    return 'not_found';
  end if;
  update holdfast.public_forms f set submissions = f.submissions + 1, last_submission_at = now() where f.id = form and f.is_open;
  if not found then
    return 'closed';
  end if;
  delete from holdfast.form_submissions s where s.form_id = form and s.created_at < now() - interval '30 days';
  if exists (select from holdfast.form_submissions s where s.id = submission) then
    update holdfast.public_forms f set submissions = f.submissions - 1 where f.id = form;
    return 'repeated';
  end if;
  if (select count(*) from holdfast.form_submissions s where s.form_id = form and s.created_at > now() - interval '1 hour')
     >= holdfast.form_limit('submissions of a form in an hour')
     or (select count(*) from holdfast.form_submissions s where s.form_id = form and s.source = from_source and s.created_at > now() - interval '1 hour')
     >= holdfast.form_limit('submissions of a source in an hour') then
    update holdfast.public_forms f set submissions = f.submissions - 1 where f.id = form;
    return 'too_many';
  end if;
  insert into holdfast.form_submissions (id, form_id, source) values (submission, form, from_source);
  return 'begun';
end
$$;
comment on function holdfast.begin_submission(uuid, bytea) is 'Counts a submission of a public form. Outcomes: begun, repeated, too_many, closed, not_found.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.public_forms owner to %I', project);
  execute format('alter table holdfast.form_submissions owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('form_limit', 'public_form_id', 'form_policy_name', 'form_columns', 'require_form_definition', 'grant_form_columns', 'publish_form',
                         'close_form', 'read_form', 'begin_submission')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('publish_form', 'close_form') then
      execute format('grant execute on function %s to authenticated', one.function);
    elsif one.name in ('public_form_id', 'begin_submission') then
      execute format('grant execute on function %s to anon', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

create policy admins_read on holdfast.public_forms for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));

reset role;
