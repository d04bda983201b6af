-- Files that visitors add to an answer of a public form. The server keeps their bytes outside the database until the answer is sent; then they become files of
-- the record, as those of members are (0220), with the form as their creator.

create table if not exists holdfast.form_files (
  id uuid constraint holdfast_form_files_pkey primary key,
  form_id uuid not null constraint holdfast_form_files_form references holdfast.public_forms (id) on delete cascade,
  submission uuid not null,
  source bytea not null,
  field text not null,
  name text not null constraint holdfast_form_files_name check (length(name) between 1 and 200),
  media_type text not null constraint holdfast_form_files_media_type check (length(media_type) between 1 and 120),
  size bigint not null constraint holdfast_form_files_size check (size > 0),
  -- In storage, as the file of a record.
  path text,
  stored_at timestamptz,
  created_at timestamptz not null default now()
);
create index if not exists holdfast_form_files_form_idx on holdfast.form_files (form_id, submission);
create index if not exists holdfast_form_files_created_idx on holdfast.form_files (created_at);
comment on table holdfast.form_files is 'Files that visitors add to answers. Only the server reads them.';
comment on column holdfast.form_files.source is 'Source. A hash of form and network address, for limits.';
comment on column holdfast.form_files.path is 'Path. Of the file of the record, once the answer is sent.';
comment on column holdfast.form_files.stored_at is 'Stored at. When the record had the bytes.';
alter table holdfast.form_files enable row level security;
revoke all on holdfast.form_files from anon, authenticated;

create or replace function holdfast.form_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'forms of a workspace' then 50
    when 'questions' then 60
    when 'bytes of a definition' then 65536
    when 'submissions of a source in an hour' then 30
    when 'submissions of a form in an hour' then 600
    when 'files of a question' then 10
    when 'MB of a file' then 25
    when 'MB of an answer' then 100
    when 'files of a source in an hour' then 150
    when 'MB of a source in an hour' then 500
    when 'MB of a form in a day' then 5000
    when 'unsent MB of a workspace' then 2000
    when 'unsent MB' then 10000
  end
$$;

create or replace function holdfast.require_form_definition(of_table text, definition jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  questions constant jsonb := definition -> 'questions';
  relation constant regclass := to_regclass(format('public.%I', of_table));
  missing text;
begin
  if jsonb_typeof(definition) is distinct from 'object' or octet_length(definition::text) > holdfast.form_limit('bytes of a definition')
     or coalesce(length(btrim(definition ->> 'title')), 0) not between 1 and 120
     or length(coalesce(definition ->> 'intro', '')) > 2000 or length(coalesce(definition ->> 'thanks', '')) > 500
     or jsonb_typeof(questions) is distinct from 'array' or jsonb_array_length(questions) not between 1 and holdfast.form_limit('questions') then
    raise exception 'A public form has a title of up to 120 characters and 1 to 60 questions.' using hint = 'public_form.definition';
  end if;
  select coalesce(one.value ->> 'field', '') into missing from jsonb_array_elements(questions) one (value)
   where coalesce(one.value ->> 'field', '') not in (select holdfast.form_columns(of_table))
      -- A text in place of files, or files in place of a text.
      or case coalesce(holdfast.attachment_kind(relation, (one.value ->> 'field')::name), '')
           when 'attachment' then one.value ->> 'kind' is distinct from 'files'
           when '' then one.value ->> 'kind' is not distinct from 'files'
           else true
         end limit 1;
  if missing is not null then
    raise exception 'A public form cannot ask for %.', missing using hint = 'public_form.field', detail = missing;
  end if;
  if exists (select from jsonb_array_elements(questions) one (value)
              where one.value ->> 'kind' = 'files'
                and not coalesce((one.value -> 'files') - '{max,megabytes,kinds}'::text[] = '{}' and one.value #>> '{files,kinds}' in ('any', 'photos')
                                 and one.value #>> '{files,max}' ~ '^[1-9][0-9]?$' and one.value #>> '{files,megabytes}' ~ '^[1-9][0-9]?$'
                                 and (one.value #>> '{files,max}')::integer <= holdfast.form_limit('files of a question')
                                 and (one.value #>> '{files,megabytes}')::integer <= holdfast.form_limit('MB of a file'), false)) then
    raise exception 'A question takes up to 10 files of up to 25 MB.' using hint = 'public_form.files';
  end if;
  select a.attname into missing from pg_attribute a
   where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
     and a.attidentity = '' and a.attname not in (select one.value ->> 'field' from jsonb_array_elements(questions) one (value)) limit 1;
  if missing is not null then
    raise exception 'Every record needs a value in %, which this form does not ask for.', missing using hint = 'public_form.missing', detail = missing;
  end if;
end
$$;

-- The server has compared the files with the questions of the form.
create function holdfast.begin_form_files(form uuid, of_submission uuid, from_source bytea, files jsonb) returns text
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  of_workspace uuid;
  megabyte constant bigint := 1048576;
begin
  -- One at a time per form: the limits are counted. A visitor who counts in another form of the workspace at this moment may pass its limit once.
  select f.workspace_id into of_workspace from holdfast.public_forms f where f.id = form and f.is_open for no key update;
  if of_workspace is null then
    return 'closed';
  end if;
  if exists (select from holdfast.form_submissions s where s.id = of_submission)
     or exists (select from holdfast.form_files f join jsonb_to_recordset(files) as given (id uuid) on given.id = f.id
                 where (f.form_id, f.submission) is distinct from (form, of_submission)) then
    return 'repeated';
  end if;
  -- A visitor who took a file away or changed it sends the others again.
  delete from holdfast.form_files f where f.form_id = form and f.submission = of_submission
    and not exists (select from jsonb_to_recordset(files) as given (id uuid, field text, size bigint)
                     where given.id = f.id and given.field = f.field and given.size = f.size);
  insert into holdfast.form_files (id, form_id, submission, source, field, name, media_type, size)
    select given.id, form, of_submission, from_source, given.field, given.name, given.media_type, given.size
      from jsonb_to_recordset(files) as given (id uuid, field text, name text, media_type text, size bigint)
    on conflict (id) do nothing;
  if (select count(*) > holdfast.form_limit('files of a source in an hour')
             or sum(f.size) > holdfast.form_limit('MB of a source in an hour') * megabyte
        from holdfast.form_files f where f.form_id = form and f.source = from_source and f.created_at > now() - interval '1 hour')
     or (select sum(f.size) > holdfast.form_limit('MB of a form in a day') * megabyte
           from holdfast.form_files f where f.form_id = form and f.created_at > now() - interval '1 day') then
    return 'too_many';
  end if;
  if (select sum(f.size) filter (where p.workspace_id = of_workspace) > holdfast.form_limit('unsent MB of a workspace') * megabyte
             or sum(f.size) > holdfast.form_limit('unsent MB') * megabyte
        from holdfast.form_files f join holdfast.public_forms p on p.id = f.form_id where f.stored_at is null) then
    return 'full';
  end if;
  return 'begun';
end
$$;
comment on function holdfast.begin_form_files(uuid, uuid, bytea, jsonb) is
  'Announces the files of an answer. Outcomes: begun, repeated, closed, too_many, full; after the last two the server rolls back. For the server only.';

-- Runs as the form, in the transaction that adds the record.
create function holdfast.add_form_files(of_submission uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  form constant uuid := holdfast.public_form_id();
  of_files regclass;
begin
  if not exists (select from holdfast.form_files f where f.form_id = form and f.submission = of_submission) then
    return;
  end if;
  select holdfast.files_table(to_regclass(format('public.%I', p.table_name))) into of_files from holdfast.public_forms p where p.id = form;
  if of_files is null then
    raise exception 'The field for this file has been deleted.' using errcode = 'check_violation', hint = 'attachment.no_field';
  end if;
  update holdfast.form_files f set path = form::text || '/' || (select c.relname from pg_class c where c.oid = of_files) || '/' || f.id
                                          || coalesce(lower(substring(f.name from '[.][A-Za-z0-9]{1,10}$')), '')
   where f.form_id = form and f.submission = of_submission;
  execute format('insert into %s (id, record_id, field, name, path, media_type, size, created_by)
                  select f.id, f.submission, f.field, f.name, f.path, f.media_type, f.size, f.form_id
                    from holdfast.form_files f where f.form_id = $1 and f.submission = $2 order by f.id', of_files) using form, of_submission;
end
$$;
comment on function holdfast.add_form_files(uuid) is 'Gives the record of an answer its files, whose bytes the server stores next.';

create function holdfast.settle_form_file(file uuid, is_stored boolean) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one holdfast.form_files;
  of_files regclass;
  is_there boolean := false;
begin
  update holdfast.form_files f set stored_at = coalesce(f.stored_at, now()) where f.id = file returning * into one;
  select holdfast.files_table(to_regclass(format('public.%I', p.table_name))) into of_files from holdfast.public_forms p where p.id = one.form_id;
  if of_files is null then
    return false;
  end if;
  if is_stored then
    execute format('with done as (update %s f set uploaded_at = now() where f.id = $1 returning 1) select exists (select from done)', of_files)
      into is_there using file;
  else
    execute format('delete from %s f where f.id = $1', of_files) using file;
  end if;
  return is_there;
end
$$;
comment on function holdfast.settle_form_file(uuid, boolean) is
  'Records that the bytes of a file are stored, or removes a file whose bytes are lost. False if the record has no such file. For the server only.';

create function holdfast.sweep_form_files() returns table (id uuid, media_type text, size bigint, path text)
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.form_files f where f.created_at < now() - interval '30 days' or (f.path is null and f.created_at < now() - interval '1 day');
  return query select f.id, f.media_type, f.size, f.path from holdfast.form_files f where f.path is not null and f.stored_at is null;
end
$$;
comment on function holdfast.sweep_form_files() is 'Forgets files of answers that were never sent, and returns those whose bytes are not stored yet. For the server only.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast.form_files owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('begin_form_files', 'add_form_files', 'settle_form_file', 'sweep_form_files')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name = 'add_form_files' then
      execute format('grant execute on function %s to anon', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
