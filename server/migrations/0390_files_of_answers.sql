-- Photos and signatures as answers of checklists. They are files of the record whose field is the id of the question, so they follow the rules of the record. The answer
-- has the names of its files, as the column of a field for files does (0270). Decision 287.

create function holdfast.has_rules(of_table regclass) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from pg_class c
      join holdfast.tables t on t.schema_name = 'public' and t.table_name = c.relname
      join holdfast.table_rules r on r.table_name = c.relname and r.workspace_id = t.workspace_id
     where c.oid = of_table and c.relnamespace = 'public'::regnamespace and r.access is not null and r.access_mark is not distinct from md5(holdfast.policies_of(of_table)::text))
$$;
comment on function holdfast.has_rules(regclass) is 'Whether a workspace made the table and its rules, so that files can follow them.';

create function holdfast.make_files_table(of_table regclass) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  free text;
begin
  if holdfast.files_table(of_table) is not null then
    return;
  end if;
  free := holdfast.free_files_name(of_name);
  execute holdfast.files_table_sql(of_name, free);
  insert into holdfast_private.file_tables (table_name, files_name, workspace_id) values (of_name, free, workspace)
    on conflict (table_name) do update set files_name = excluded.files_name, workspace_id = excluded.workspace_id;
  perform holdfast.renew_files(of_table);
  perform holdfast.prepare_file_storage();
end
$$;
comment on function holdfast.make_files_table(regclass) is 'Makes the table with the files of a table that has rules, if there is none.';

create or replace function holdfast.ensure_files(of_table regclass) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  workspace constant uuid := (
    select t.workspace_id from holdfast.tables t join pg_class c on c.oid = of_table and c.relname = t.table_name where t.schema_name = 'public');
begin
  if workspace is null then
    raise exception 'Only tables that were made in the app have fields for files.' using hint = 'attachment.of_project';
  end if;
  perform holdfast.require_admin(workspace);
  if holdfast.files_table(of_table) is null and not holdfast.has_rules(of_table) then
    raise exception 'A developer wrote the policies of this table, so who may see its files is not known. Set its rules in the app first.' using hint = 'attachment.custom';
  end if;
  perform holdfast.make_files_table(of_table);
  perform holdfast.renew_file_triggers(of_table);
end
$$;

-- Questions.
create function holdfast.question_file_kind(of_table regclass, question text) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  checklist holdfast.checklists;
  kind text;
begin
  if question is null or question !~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    return null;
  end if;
  select c.* into checklist from holdfast.checklists c join pg_class r on r.oid = of_table and r.relname = c.table_name and r.relnamespace = 'public'::regnamespace
   where c.schema_name = 'public';
  if to_regclass(format('public.%I', checklist.item_table)) is null then
    return null;
  end if;
  execute format('select q.%I from public.%I q where q.id = $1', coalesce(checklist.names ->> 'kind', 'kind'), checklist.item_table) into kind using question::uuid;
  return case kind when coalesce(checklist.names ->> 'photo', 'photo') then 'attachment' when 'signature' then 'signature' end;
end
$$;
comment on function holdfast.question_file_kind(regclass, text) is 'Whether the answer of a question of a table''s checklists has files: attachment, signature or null.';

create function holdfast.keep_answer_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := tg_argv[0]::regclass;
  answer constant jsonb := to_jsonb(new);
  question constant text := answer ->> tg_argv[2];
begin
  if tg_op = 'INSERT' or answer ->> tg_argv[3] is distinct from to_jsonb(old) ->> tg_argv[3] then
    if holdfast.question_file_kind(of_table, question) is not null then
      return jsonb_populate_record(new, jsonb_build_object(tg_argv[3], holdfast.file_names(holdfast.files_table(of_table), (answer ->> tg_argv[1])::uuid, question::name)));
    end if;
  end if;
  return new;
end
$$;
comment on function holdfast.keep_answer_files() is
  'Keeps the answers with files as the files are, whatever is written to them; a trigger with the table of the records, and the columns of record, question and text.';

create function holdfast.prepare_answer_files(checklist holdfast.checklists) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := to_regclass(format('public.%I', checklist.table_name));
  items constant regclass := to_regclass(format('public.%I', checklist.item_table));
  answers constant regclass := to_regclass(format('public.%I', checklist.answer_table));
  text_column constant text := coalesce(checklist.names ->> 'value_text', 'value_text');
begin
  if checklist.schema_name <> 'public' or not holdfast.has_rules(of_table) or holdfast.link_to(answers, of_table) is null or holdfast.link_to(answers, items) is null
     or not exists (select from pg_attribute a where a.attrelid = items and a.attname = coalesce(checklist.names ->> 'kind', 'kind') and a.atttypid = 'text'::regtype)
     or not exists (select from pg_attribute a where a.attrelid = answers and a.attname = text_column and a.atttypid = 'text'::regtype) then
    return;
  end if;
  perform holdfast.make_files_table(of_table);
  execute format('create or replace trigger holdfast_answer_files before insert or update on %s for each row execute function holdfast.keep_answer_files(%L, %L, %L, %L)',
                 answers, holdfast.full_name(of_table), holdfast.link_to(answers, of_table), holdfast.link_to(answers, items), text_column);
end
$$;
comment on function holdfast.prepare_answer_files(holdfast.checklists) is 'Prepares a checklist of a workspace for photos and signatures as answers.';

create function holdfast.follow_checklist() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.prepare_answer_files(new);
  return null;
end
$$;
comment on function holdfast.follow_checklist() is 'Prepares a new checklist for photos and signatures; a trigger.';
create trigger follow_checklist after insert on holdfast.checklists for each row execute function holdfast.follow_checklist();

-- As in 0270, with questions beside fields.
create function holdfast.file_kind(of_table regclass, field text) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(case when field = any (holdfast.attachment_fields(of_table)) then holdfast.attachment_kind(of_table, field::name) end,
                  holdfast.question_file_kind(of_table, field))
$$;
comment on function holdfast.file_kind(regclass, text) is 'What a file of a record belongs to: attachment or signature for a field or a question, null for neither.';

create or replace function holdfast.keep_file() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  copies jsonb;
begin
  if tg_op = 'INSERT' then
    if holdfast.file_kind(of_table, new.field) is null then
      raise exception 'The field for this file has been deleted.' using errcode = 'check_violation', hint = 'attachment.no_field';
    end if;
    new.created_by := coalesce(holdfast.user_id(), new.created_by);
    new.is_removed := false;
  else
    new.id := old.id;
    new.record_id := old.record_id;
    new.field := old.field;
    new.path := old.path;
    new.created_by := old.created_by;
    new.created_at := old.created_at;
    new.is_removed := old.is_removed;
    new.updated_at := now();
    if new.uploaded_at is not null and old.uploaded_at is null and to_regclass('storage.objects') is not null then
      new.size := coalesce((select (o.metadata ->> 'size')::bigint from storage.objects o where o.bucket_id = 'record-files' and o.name = new.path), new.size);
    end if;
  end if;
  execute format('select %s from %s r where r.id = $1',
                 (select format('jsonb_build_object(%s)', string_agg(format('%L, r.%I', holdfast.record_column(r.attname), r.attname), ', '))
                    from pg_attribute a join pg_attribute r on r.attrelid = of_table and holdfast.record_column(r.attname) = a.attname and not r.attisdropped
                   where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped and starts_with(a.attname, 'record_') and a.attname <> 'record_id'), of_table)
    into copies using new.record_id;
  return jsonb_populate_record(new, coalesce(copies, '{}'));
end
$$;

create or replace function holdfast.name_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  record constant uuid := case tg_op when 'DELETE' then old.record_id else new.record_id end;
  field constant name := case tg_op when 'DELETE' then old.field else new.field end;
  checklist holdfast.checklists;
  answers regclass;
begin
  if of_table is null then
    return null;
  end if;
  if field = any (holdfast.attachment_fields(of_table)) then
    execute format('update %1$s r set %2$I = n.names from (select holdfast.file_names($1, $2, $3) as names) n where r.id = $2 and r.%2$I is distinct from n.names', of_table, field)
      using tg_relid::regclass, record, field;
  elsif holdfast.question_file_kind(of_table, field) is not null then
    select c.* into checklist from holdfast.checklists c join pg_class r on r.oid = of_table and r.relname = c.table_name where c.schema_name = 'public';
    answers := to_regclass(format('public.%I', checklist.answer_table));
    execute format('update %1$s a set %2$I = n.names from (select holdfast.file_names($1, $2, $3) as names) n where a.%3$I = $2 and a.%4$I = $3::text::uuid and a.%2$I is distinct from n.names',
                   answers, coalesce(checklist.names ->> 'value_text', 'value_text'), holdfast.link_to(answers, of_table),
                   holdfast.link_to(answers, to_regclass(format('public.%I', checklist.item_table))))
      using tg_relid::regclass, record, field;
  end if;
  return null;
end
$$;
comment on function holdfast.name_files() is 'Writes the names of files into the column of their field, or into the answer of their question; a trigger.';

create or replace function holdfast.limit_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  is_signature constant boolean := holdfast.file_kind(of_table, new.field) = 'signature';
  workspace constant uuid := (select t.workspace_id from holdfast_private.file_tables t join pg_class c on c.oid = tg_relid and c.relname = t.files_name);
  many bigint;
  bytes bigint;
begin
  execute format('select count(*) from %s f where f.record_id = $1 and f.field = $2', tg_relid::regclass) into many using new.record_id, new.field;
  if is_signature and many > 1 then
    raise exception 'Somebody has signed here already.' using errcode = 'check_violation', hint = 'attachment.signed';
  elsif many > holdfast.attachment_limit('files of a field') then
    raise exception 'A field of a record has 100 files at most.' using errcode = 'check_violation', hint = 'attachment.many';
  end if;
  execute (select format('select count(*), coalesce(sum(f.size), 0) from (%s) f', string_agg(format('select size from public.%I', t.files_name), ' union all '))
             from holdfast_private.file_tables t where t.workspace_id = workspace and to_regclass(format('public.%I', t.files_name)) is not null)
    into many, bytes;
  if many > holdfast.attachment_limit('files of a workspace') or bytes > holdfast.attachment_limit('bytes of a workspace') then
    raise exception 'The workspace has reached its limit of 100,000 files or 50 GB. Remove files first.' using errcode = 'check_violation', hint = 'attachment.workspace';
  end if;
  return null;
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('has_rules', 'make_files_table', 'question_file_kind', 'keep_answer_files', 'prepare_answer_files', 'follow_checklist', 'file_kind')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;

-- Checklists that workspaces have already.
select holdfast.prepare_answer_files(c) from holdfast.checklists c;
