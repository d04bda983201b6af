-- Photos, files and signatures in tables that a workspace made. A field is a text column with the names of its files; the files themselves are rows of a companion
-- table, made with the first such field. A file's row repeats the columns of its record that the rules of access read, so its policies are the record's, with the same buckets on devices:
-- "record_id in (select id from …)" would take a bucket for every record. Decision 255.

create table if not exists holdfast_private.file_tables (
  table_name text primary key,
  files_name text not null unique,
  workspace_id uuid not null
);
create index if not exists file_tables_workspace_idx on holdfast_private.file_tables (workspace_id);
comment on table holdfast_private.file_tables is 'Which table has the files of the records of a table.';

-- Whatever formats there are besides.
do $$
declare
  others constant text := (select pg_get_expr(c.conbin, c.conrelid) from pg_constraint c where c.conrelid = 'holdfast.fields'::regclass and c.conname = 'holdfast_fields_format_form');
  words constant text := (select obj_description(c.oid, 'pg_constraint') from pg_constraint c where c.conrelid = 'holdfast.fields'::regclass and c.conname = 'holdfast_fields_format_form');
begin
  alter table holdfast.fields drop constraint holdfast_fields_format_form;
  execute format('alter table holdfast.fields add constraint holdfast_fields_format_form check (format in (''{"kind": "attachment"}'', ''{"kind": "signature"}'') or %s)', others);
  execute format('comment on constraint holdfast_fields_format_form on holdfast.fields is %L', replace(words, 'A format is ', 'A format is attachment, signature, '));
end
$$;

create function holdfast.attachment_limit(name text) returns bigint
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'files of a field' then 100
    when 'files of a workspace' then 100000
    when 'bytes of a file' then 52428800
    when 'bytes of a workspace' then 53687091200
  end
$$;
comment on function holdfast.attachment_limit(text) is 'Limits of attachments; docs/reference/limits.md lists them.';

-- Kinds of fields.
create or replace function holdfast.new_field_format(field jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  format constant jsonb := case field ->> 'kind'
    when 'rating' then jsonb_build_object('kind', 'rating', 'max', coalesce(nullif(field -> 'max', 'null'), '5'))
    when 'currency' then jsonb_build_object('kind', 'currency', 'code', coalesce(field ->> 'code', 'EUR'))
    when 'percent' then '{"kind": "percent"}'
    when 'duration' then jsonb_build_object('kind', 'duration', 'unit', coalesce(field ->> 'unit', 'minutes'))
    when 'barcode' then '{"kind": "barcode"}'
    when 'location' then '{"kind": "location"}'
    when 'attachment' then '{"kind": "attachment"}'
    when 'signature' then '{"kind": "signature"}'
  end;
begin
  if format ->> 'kind' = 'rating' and format -> 'max' not in ('5', '10') or format ->> 'kind' = 'currency' and format ->> 'code' !~ '^[A-Z]{3}$'
     or format ->> 'kind' = 'duration' and format ->> 'unit' not in ('seconds', 'minutes') then
    raise exception 'A rating goes to 5 or 10, a currency has a code of three letters, and a duration counts seconds or minutes.' using hint = 'new_table.format';
  end if;
  return format;
end
$$;

create or replace function holdfast.new_field_sql(field jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := holdfast.require_new_name(field ->> 'name', 'field');
  kind constant text := field ->> 'kind';
  format constant jsonb := holdfast.new_field_format(field);
  type text;
begin
  if name in ('id', 'created_by', 'created_at', 'updated_at', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid') then
    raise exception 'Every table has a field % already, or cannot have one.', name using hint = 'new_table.name';
  end if;
  type := case kind
    when 'text' then 'text'
    when 'integer' then 'bigint'
    when 'number' then 'numeric'
    when 'boolean' then 'boolean'
    when 'date' then 'date'
    when 'datetime' then 'timestamptz'
    when 'choice' then holdfast.new_choice_sql(name, field -> 'choices')
    when 'link' then holdfast.new_link_sql(field ->> 'table')
    when 'autonumber' then 'bigint generated always as identity'
    when 'rating' then format('bigint check (%I between 1 and %s)', name, format ->> 'max')
    when 'currency' then 'numeric'
    when 'percent' then 'numeric'
    when 'duration' then 'bigint'
    when 'barcode' then 'text'
    when 'location' then format('point check (%I <@ box ''((-180,-90),(180,90))'')', name)
    when 'attachment' then 'text'
    when 'signature' then 'text'
  end;
  if type is null then
    raise exception 'There is no kind of field %.', left(coalesce(kind, ''), 63) using hint = 'new_table.kind';
  end if;
  return format('  %I %s', name, type);
end
$$;

-- A table and its files.
create function holdfast.files_table(of_table regclass) returns regclass
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.conrelid::regclass from pg_constraint c where c.confrelid = of_table and c.contype = 'f' and c.conname = 'holdfast_files_of_record'
$$;
comment on function holdfast.files_table(regclass) is 'The table with the files of the records of a table; null if it has no field for files.';

create function holdfast.attachment_kind(of_table regclass, field name) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select f.format ->> 'kind'
    from pg_class c
    join holdfast.tables t on t.schema_name = 'public' and t.table_name = c.relname
    join holdfast.fields f on f.schema_name = 'public' and f.table_name = c.relname and f.workspace_id = t.workspace_id
   where c.oid = of_table and f.field_name = attachment_kind.field and f.format ->> 'kind' in ('attachment', 'signature')
$$;
comment on function holdfast.attachment_kind(regclass, name) is 'Whether a field has files: attachment, signature or null.';

create function holdfast.attachment_fields(of_table regclass) returns name[]
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(a.attname order by a.attnum), '{}')
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype and holdfast.attachment_kind(of_table, a.attname) is not null
     and not exists (select from holdfast_private.deleted_fields d where d.table_name = c.relname and d.field_name = a.attname)
$$;
comment on function holdfast.attachment_fields(regclass) is 'The fields of a table that have files, without one that is being deleted.';

-- Templates have the field without its files.
alter function holdfast.field_definition(regclass, name, jsonb) rename to plain_field_definition;
create function holdfast.field_definition(of_table regclass, field name, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(case when holdfast.attachment_kind(of_table, field) is not null then jsonb_build_object('kind', holdfast.attachment_kind(of_table, field)) end,
                  holdfast.plain_field_definition(of_table, field, keys))
$$;
comment on function holdfast.field_definition(regclass, name, jsonb) is 'A field as new_field_sql takes it.';

create or replace function holdfast.export_template_records(of_table regclass, fields jsonb, ids jsonb, zone text) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  exported jsonb := '[]';
  record jsonb;
  place integer;
  given jsonb;
begin
  for record, place in execute format('select to_jsonb(r), row_number() over (order by r.created_at, r.id) from %s r order by 2', of_table) loop
    select coalesce(jsonb_object_agg(one.name, one.value) filter (where one.value <> 'null'), '{}') into given
      from (select f.value ->> 'name' as name,
                   case when f.value ->> 'kind' <> 'link' then holdfast.export_value(record -> (f.value ->> 'name'), f.value ->> 'kind', zone)
                        else ids -> (f.value ->> 'table') -> (record ->> (f.value ->> 'name')) end as value
              from jsonb_array_elements(fields) f
             where f.value ->> 'kind' not in ('autonumber', 'attachment', 'signature') and record -> (f.value ->> 'name') <> 'null') one;
    exported := exported || jsonb_build_array(jsonb_build_object('id', 'r' || place) || given);
  end loop;
  return exported;
end
$$;

-- Names of the files of a field: what the column says.
create function holdfast.file_names(of_files regclass, record uuid, field name) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  names text;
begin
  execute format('select left(string_agg(f.name, '', '' order by f.id), 4000) from %s f where f.record_id = $1 and f.field = $2 and not f.is_removed', of_files)
    into names using record, field;
  return names;
end
$$;
comment on function holdfast.file_names(regclass, uuid, name) is 'The names of the files of a field of a record; null without files.';

create function holdfast.keep_file_names() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_files constant regclass := holdfast.files_table(tg_relid);
  field text;
  changed jsonb := '{}';
begin
  foreach field in array tg_argv loop
    if to_jsonb(new) -> field is distinct from to_jsonb(old) -> field then
      changed := changed || jsonb_build_object(field, holdfast.file_names(of_files, new.id, field));
    end if;
  end loop;
  return jsonb_populate_record(new, changed);
end
$$;
comment on function holdfast.keep_file_names() is 'Keeps the columns of files as the files are, whatever is written to them; a trigger before update.';

create function holdfast.name_first_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_files constant regclass := holdfast.files_table(tg_relid);
  field text;
begin
  foreach field in array tg_argv loop
    execute format('update %1$s r set %2$I = n.names from (select holdfast.file_names($1, $2, $3) as names) n where r.id = $2 and r.%2$I is distinct from n.names', tg_relid::regclass, field)
      using of_files, new.id, field;
  end loop;
  return null;
end
$$;
comment on function holdfast.name_first_files() is 'Corrects the columns of files of a new record at the end of the transaction, which may add the files after it.';

-- Triggers of a table by its present fields. Before a column is dropped it is in none of them.
create function holdfast.renew_file_triggers(of_table regclass) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  fields constant name[] := holdfast.attachment_fields(of_table);
begin
  execute format('drop trigger if exists holdfast_file_names on %1$s; drop trigger if exists holdfast_first_files on %1$s', of_table);
  if cardinality(fields) = 0 then
    return;
  end if;
  execute (
    select format('create trigger holdfast_file_names before update of %2$s on %1$s for each row when (%3$s) execute function holdfast.keep_file_names(%4$s);'
                  'create constraint trigger holdfast_first_files after insert on %1$s deferrable initially deferred for each row when (%5$s) execute function holdfast.name_first_files(%4$s)',
                  of_table, string_agg(quote_ident(f), ', '), string_agg(format('old.%1$I is distinct from new.%1$I', f), ' or '), string_agg(quote_literal(f), ', '),
                  string_agg(format('new.%I is not null', f), ' or '))
      from unnest(fields) f);
end
$$;
comment on function holdfast.renew_file_triggers(regclass) is 'Makes the triggers that keep the columns of files of a table.';

-- Copies of what the rules read: the column "state" is record_state in a file's row.
create function holdfast.record_column(field text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when length(field) <= 56 then 'record_' || field else 'record_' || md5(field) end
$$;
comment on function holdfast.record_column(text) is 'The name of the copy of a record''s column in the rows of its files.';

create function holdfast.rule_fields(rules jsonb) returns text[]
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select array(
    select 'created_by'
    union select rule.value ->> 'field' from jsonb_each(rules) command, jsonb_array_elements(command.value) rule (value)
           where command.key in ('see', 'add', 'change') and rule.value ->> 'field' is not null
    union select condition.value ->> 'field' from jsonb_each(rules) command, jsonb_array_elements(command.value) rule (value),
                 jsonb_array_elements(coalesce(nullif(rule.value -> 'when', 'null'), '[]')) condition (value)
           where command.key in ('see', 'add', 'change'))
$$;
comment on function holdfast.rule_fields(jsonb) is 'The columns of a record that decide who may see, add and change it.';

create function holdfast.file_rule_sql(workspace uuid, rule jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  copies constant jsonb := (select jsonb_object_agg(holdfast.record_column(one.key), one.value) from jsonb_each(columns) one);
  conditions constant jsonb := (
    select jsonb_agg(one.value || jsonb_build_object('field', holdfast.record_column(one.value ->> 'field')) order by one.place)
      from jsonb_array_elements(nullif(rule -> 'when', 'null')) with ordinality one (value, place));
  is_own constant boolean := rule ->> 'scope' = 'own';
begin
  return concat_ws(' and ', holdfast.rule_conditions_sql(conditions, copies), case when is_own then 'record_created_by = (select holdfast.user_id())' end,
    holdfast.rule_scope_sql(workspace, case when is_own then rule || '{"scope": "all"}'
                                            when rule ? 'field' then rule || jsonb_build_object('field', holdfast.record_column(rule ->> 'field'))
                                            else rule end, copies));
end
$$;
comment on function holdfast.file_rule_sql(uuid, jsonb, jsonb) is 'The SQL of a rule over the row of a file.';

-- Who may see a record sees its files; who may change it adds and removes them; who added it may add files if their rule for adding still holds.
create function holdfast.file_policies_sql(workspace uuid, of_name text, of_files regclass, rules jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  admins constant text := format('(select holdfast.role_in(%L)) >= ''admin''', workspace);
  rule record;
  condition text;
  sees_all boolean := false;
  statements text := '';
begin
  for rule in select command.key, one.value, one.place from jsonb_each(rules) command, jsonb_array_elements(command.value) with ordinality one (value, place)
               where command.key in ('see', 'add', 'change') order by command.key, one.place loop
    condition := holdfast.file_rule_sql(workspace, rule.value, columns);
    -- A second policy would put the same rows into a second bucket.
    sees_all := sees_all or (rule.key = 'see' and rule.value ->> 'scope' = 'all' and condition = holdfast.rule_scope_sql(workspace, rule.value, columns));
    statements := statements || case rule.key
      when 'see' then format(E'create policy see_%2$s on %1$s for select to authenticated using (not is_removed and %3$s);\n', of_files, rule.place, condition)
      when 'add' then format(E'create policy own_%2$s on %1$s for insert to authenticated with check (record_created_by = (select holdfast.user_id()) and %3$s);\n',
                             of_files, rule.place, condition)
      else format(E'create policy add_%2$s on %1$s for insert to authenticated with check (%3$s);\n'
                  'create policy change_%2$s on %1$s for update to authenticated using (%3$s) with check (%3$s);' || E'\n'
                  'create policy remove_%2$s on %1$s for delete to authenticated using (%3$s);' || E'\ncomment on policy add_%2$s on %1$s is %4$L;\n',
                  of_files, rule.place, condition, holdfast.rule_words('change', rule.value))
    end;
  end loop;
  return statements || case when sees_all then '' else format(E'create policy admins_see on %1$s for select to authenticated using (not is_removed and %2$s);\n', of_files, admins) end || format(
    'create policy admins_add on %1$s for insert to authenticated with check (%2$s);' || E'\n'
    'create policy admins_change on %1$s for update to authenticated using (%2$s) with check (%2$s);' || E'\n'
    'create policy admins_remove on %1$s for delete to authenticated using (%2$s);' || E'\n'
    -- To say that the bytes have arrived.
    'create policy uploader_changes on %1$s for update to authenticated using (created_by = (select holdfast.user_id())) with check (created_by = (select holdfast.user_id()));' || E'\n'
    'create policy guests_read on %1$s for select to authenticated using (not is_removed and record_id in (select holdfast.shared_record_ids(%3$L, %4$L)));' || E'\n'
    'create policy guests_add on %1$s for insert to authenticated with check (record_id in (select holdfast.changeable_record_ids(%3$L, %4$L)));' || E'\n'
    'create policy guests_remove on %1$s for delete to authenticated using (record_id in (select holdfast.changeable_record_ids(%3$L, %4$L)));' || E'\n',
    of_files, admins, of_name, workspace);
end
$$;
comment on function holdfast.file_policies_sql(uuid, text, regclass, jsonb, jsonb) is 'The policies of the files of a table, by the rules of the table.';

create function holdfast.follow_record() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('update %s f set updated_at = now() where f.record_id = $1', holdfast.files_table(tg_relid)) using new.id; -- keep_file copies the columns
  return null;
end
$$;
comment on function holdfast.follow_record() is 'Has files follow their record when a column changes that the rules read; a trigger after update.';

create function holdfast.renew_files(of_table regclass) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_files constant regclass := holdfast.files_table(of_table);
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  kept record;
  wanted text[];
  one record;
begin
  select r.access, r.workspace_id into kept from holdfast.table_rules r where r.table_name = of_name and of_table = to_regclass(format('public.%I', of_name));
  if of_files is null or kept.access is null then
    return;
  end if;
  wanted := holdfast.rule_fields(kept.access);
  for one in select p.polname from pg_policy p where p.polrelid = of_files loop
    execute format('drop policy %I on %s', one.polname, of_files);
  end loop;
  execute format('drop trigger if exists holdfast_files on %s', of_table);
  for one in
    select a.attname from pg_attribute a
     where a.attrelid = of_files and a.attnum > 0 and not a.attisdropped and starts_with(a.attname, 'record_') and a.attname <> 'record_id'
       and not exists (select from unnest(wanted) w join pg_attribute r on r.attrelid = of_table and r.attname = w and not r.attisdropped
                        where holdfast.record_column(w) = a.attname and (r.atttypid, r.atttypmod) = (a.atttypid, a.atttypmod))
  loop
    execute format('alter table %s drop column %I', of_files, one.attname);
  end loop;
  for one in
    select holdfast.record_column(r.attname) as copy, format_type(r.atttypid, r.atttypmod) as type from unnest(wanted) w join pg_attribute r on r.attrelid = of_table and r.attname = w
     where not exists (select from pg_attribute a where a.attrelid = of_files and a.attname = holdfast.record_column(w) and not a.attisdropped)
  loop
    execute format('alter table %s add column %I %s', of_files, one.copy, one.type);
  end loop;
  execute format('update %s f set updated_at = now()', of_files);
  execute holdfast.file_policies_sql(kept.workspace_id, of_name, of_files, kept.access, holdfast.access_columns(of_table));
  execute (
    select format('create trigger holdfast_files after update of %2$s on %1$s for each row when (%3$s) execute function holdfast.follow_record()',
                  of_table, string_agg(quote_ident(w), ', '), string_agg(format('old.%1$I is distinct from new.%1$I', w), ' or ')) from unnest(wanted) w);
end
$$;
comment on function holdfast.renew_files(regclass) is 'Gives the files of a table the columns and policies of its rules.';

-- Rows of files.
create function holdfast.keep_file() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  copies jsonb;
begin
  if tg_op = 'INSERT' then
    if holdfast.attachment_kind(of_table, new.field) is null or not new.field = any (holdfast.attachment_fields(of_table)) then
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
comment on function holdfast.keep_file() is 'Gives a file''s row the columns of its record, and keeps what a file is; a trigger before insert or update.';

create function holdfast.name_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  record constant uuid := case tg_op when 'DELETE' then old.record_id else new.record_id end;
  field constant name := case tg_op when 'DELETE' then old.field else new.field end;
begin
  if of_table is not null and field = any (holdfast.attachment_fields(of_table)) then
    execute format('update %1$s r set %2$I = n.names from (select holdfast.file_names($1, $2, $3) as names) n where r.id = $2 and r.%2$I is distinct from n.names', of_table, field)
      using tg_relid::regclass, record, field;
  end if;
  return null;
end
$$;
comment on function holdfast.name_files() is 'Writes the names of files into the column of their field; a trigger.';

create function holdfast.delete_file() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass('storage.objects') is not null then
    perform set_config('storage.allow_delete_query', 'true', true);
    delete from storage.objects o where o.bucket_id = 'record-files' and o.name = old.path;
    perform set_config('storage.allow_delete_query', 'false', true);
  end if;
  return null;
end
$$;
comment on function holdfast.delete_file() is 'Deletes the object of a file with its row.';

-- At the end of the transaction: a new signature replaces the one before.
create function holdfast.limit_files() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := (
    select c.confrelid from pg_constraint c where c.conrelid = tg_relid and c.contype = 'f' and c.conname = 'holdfast_files_of_record');
  is_signature constant boolean := holdfast.attachment_kind(of_table, new.field) = 'signature';
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
comment on function holdfast.limit_files() is 'Refuses more files than a field or a workspace may have; a deferred trigger.';

-- The companion table.
create function holdfast.free_files_name(of_name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name text := left(of_name, 50) || '_files';
  number integer := 1;
begin
  while to_regclass(format('public.%I', name)) is not null or to_regtype(format('public.%I', name)) is not null or to_regclass(format('holdfast_deleted.%I', name)) is not null loop
    number := number + 1;
    name := format('%s_files_%s', left(of_name, 46), number);
  end loop;
  return name;
end
$$;
comment on function holdfast.free_files_name(text) is 'A name for the table with the files of a table.';

create function holdfast.files_table_sql(of_name text, files_name text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select format($sql$
create table public.%1$I (
  id uuid primary key,
  record_id uuid not null constraint holdfast_files_of_record references public.%2$I (id) on delete cascade,
  field text not null constraint field_name check (length(field) between 1 and 63),
  name text not null constraint name_length check (length(name) between 1 and 200),
  path text not null unique,
  media_type text not null constraint media_type_length check (length(media_type) between 1 and 120),
  size bigint not null default 0 constraint size_range check (size between 0 and %3$s),
  width integer constraint width_range check (width > 0),
  height integer constraint height_range check (height > 0),
  caption text constraint caption_length check (length(caption) <= 500),
  annotation jsonb,
  taken_at timestamptz,
  uploaded_at timestamptz,
  is_removed boolean not null default false,
  record_created_by uuid,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A row that named another file would give its readers those bytes.
  constraint path_is_own check (starts_with(path, created_by::text || '/%1$s/' || id::text)
    and substr(path, length(created_by::text || '/%1$s/' || id::text) + 1) ~ '^([.][A-Za-z0-9]{1,10})?$')
);
comment on table public.%1$I is 'Files of records.';
comment on column public.%1$I.field is 'Field. The column of the record that the file belongs to.';
comment on column public.%1$I.path is 'File. Key of the object in the bucket record-files.';
comment on column public.%1$I.uploaded_at is 'Uploaded at. Empty while the file is only on the device that added it.';
comment on column public.%1$I.is_removed is 'Removed. With its field, which can be restored.';
comment on constraint size_range on public.%1$I is 'A file has at most 50 MB.';
comment on constraint caption_length on public.%1$I is 'A caption has at most 500 characters.';
create index on public.%1$I (record_id);
alter table public.%1$I enable row level security;
grant select, insert, update, delete on public.%1$I to authenticated, service_role;
create trigger keep before insert or update on public.%1$I for each row execute function holdfast.keep_file();
create trigger name_files after insert or delete or update of name on public.%1$I for each row execute function holdfast.name_files();
create trigger delete_file after delete on public.%1$I for each row execute function holdfast.delete_file();
create constraint trigger limit_files after insert on public.%1$I deferrable initially deferred for each row execute function holdfast.limit_files();
$sql$, files_name, of_name, holdfast.attachment_limit('bytes of a file'))
$$;
comment on function holdfast.files_table_sql(text, text) is 'The statements that make the table with the files of a table.';

create function holdfast.ensure_files(of_table regclass) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  free text;
begin
  if workspace is null then
    raise exception 'Only tables that were made in the app have fields for files.' using hint = 'attachment.of_project';
  end if;
  perform holdfast.require_admin(workspace);
  if holdfast.files_table(of_table) is null then
    if holdfast.access_of(workspace, of_name) ->> 'kind' = 'custom' then
      raise exception 'A developer wrote the policies of this table, so who may see its files is not known. Set its rules in the app first.' using hint = 'attachment.custom';
    end if;
    free := holdfast.free_files_name(of_name);
    execute holdfast.files_table_sql(of_name, free);
    insert into holdfast_private.file_tables (table_name, files_name, workspace_id) values (of_name, free, workspace)
      on conflict (table_name) do update set files_name = excluded.files_name, workspace_id = excluded.workspace_id;
    perform holdfast.renew_files(of_table);
    perform holdfast.prepare_file_storage();
  end if;
  perform holdfast.renew_file_triggers(of_table);
end
$$;
comment on function holdfast.ensure_files(regclass) is 'Makes the table with the files of a table, and the triggers of its fields.';

-- Bytes. Whoever sees the row of a file reads its bytes; the policies of the rows are the only rule. The second part of a key names the table.
create function holdfast.has_file(path text, is_own boolean) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_files constant regclass := to_regclass(format('public.%I', split_part(path, '/', 2)));
  found boolean;
begin
  if of_files is null or not exists (select from pg_constraint c where c.conrelid = of_files and c.contype = 'f' and c.conname = 'holdfast_files_of_record') then
    return false;
  end if;
  execute format('select exists (select from %s f where f.path = $1 and (not $2 or f.created_by = holdfast.user_id()))', of_files) into found using path, is_own;
  return found;
end
$$;
comment on function holdfast.has_file(text, boolean) is 'Whether the caller sees the row of a file, or has added it; for the policies of storage.';

create function holdfast.prepare_file_storage() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public, file_size_limit) values ('record-files', 'record-files', false, holdfast.attachment_limit('bytes of a file'))
    on conflict (id) do nothing;
  if not exists (select from pg_policy p where p.polrelid = 'storage.objects'::regclass and p.polname = 'holdfast_files_of_visible_rows') then
    create policy holdfast_files_of_visible_rows on storage.objects for select to authenticated using (bucket_id = 'record-files' and holdfast.has_file(name, false));
  end if;
  if not exists (select from pg_policy p where p.polrelid = 'storage.objects'::regclass and p.polname = 'holdfast_files_of_own_rows') then
    create policy holdfast_files_of_own_rows on storage.objects for insert to authenticated with check (bucket_id = 'record-files' and holdfast.has_file(name, true));
  end if;
end
$$;
comment on function holdfast.prepare_file_storage() is 'Makes the bucket of files of records, and its policies.';

-- What the rest of the app does to tables and fields.
create function holdfast.follow_format() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  was constant boolean := tg_op <> 'INSERT' and coalesce(old.format ->> 'kind', '') in ('attachment', 'signature');
  one constant holdfast.fields := case tg_op when 'DELETE' then old else new end;
  of_table constant regclass := case when one.schema_name = 'public' then to_regclass(format('public.%I', one.table_name)) end;
begin
  if of_table is null or not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = one.field_name and a.attnum > 0 and not a.attisdropped) then
    return null;
  end if;
  if was and (tg_op = 'DELETE' or new.format is distinct from old.format) then
    if holdfast.files_table(of_table) is not null and one.field_name = any (
         select a.attname from pg_attribute a where a.attrelid = of_table) then
      raise exception 'A field for files or signatures stays one.' using hint = 'attachment.format';
    end if;
  elsif tg_op <> 'DELETE' and new.format ->> 'kind' in ('attachment', 'signature')
        and new.workspace_id = (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = one.table_name) then
    perform holdfast.ensure_files(of_table);
  end if;
  return null;
end
$$;
comment on function holdfast.follow_format() is 'Prepares a table for its first field with files, and keeps the kind of such fields; a trigger.';
create trigger follow_format after insert or delete or update of format on holdfast.fields for each row execute function holdfast.follow_format();

create function holdfast.follow_rules() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.renew_files(to_regclass(format('public.%I', new.table_name)));
  return null;
end
$$;
comment on function holdfast.follow_rules() is 'Gives files the rules of their table; a trigger.';
create trigger follow_rules after insert or update of access on holdfast.table_rules for each row when (new.access is not null) execute function holdfast.follow_rules();

create function holdfast.follow_deleted_field() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast_private.deleted_fields := case tg_op when 'DELETE' then old else new end;
  of_table constant regclass := to_regclass(format('public.%I', one.table_name));
  of_files constant regclass := holdfast.files_table(of_table);
  is_there constant boolean := tg_op = 'DELETE' and exists (
    select from pg_attribute a where a.attrelid = of_table and a.attname = one.field_name and a.attnum > 0 and not a.attisdropped);
begin
  if of_files is null or holdfast.attachment_kind(of_table, one.field_name) is null then
    return null;
  end if;
  if tg_op = 'DELETE' and not is_there then
    execute format('delete from %s f where f.field = $1', of_files) using one.field_name;
    return null;
  end if;
  execute format('alter table %s disable trigger user', of_files);
  execute format('update %s f set is_removed = $1, updated_at = now() where f.field = $2', of_files) using not is_there, one.field_name;
  execute format('alter table %s enable trigger user', of_files);
  perform holdfast.renew_file_triggers(of_table);
  return null;
end
$$;
comment on function holdfast.follow_deleted_field() is 'Hides the files of a deleted field, shows them when it is restored and deletes them with it; a trigger.';
create or replace trigger follow_deleted_field after insert or delete on holdfast_private.deleted_fields for each row execute function holdfast.follow_deleted_field();

create function holdfast.drop_files(of_name text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  files_name constant text := (select t.files_name from holdfast_private.file_tables t where t.table_name = of_name);
  of_files regclass;
begin
  if files_name is null or to_regclass(format('public.%I', of_name)) is not null or to_regclass(format('holdfast_deleted.%I', of_name)) is not null then
    return;
  end if;
  of_files := coalesce(to_regclass(format('holdfast_deleted.%I', files_name)), to_regclass(format('public.%I', files_name)));
  delete from holdfast_private.file_tables t where t.table_name = of_name;
  if of_files is null then
    return;
  end if;
  if to_regclass('storage.objects') is not null then
    perform set_config('storage.allow_delete_query', 'true', true);
    execute format('delete from storage.objects o using %s f where o.bucket_id = ''record-files'' and o.name = f.path', of_files);
    perform set_config('storage.allow_delete_query', 'false', true);
  end if;
  execute format('drop table %s', of_files);
end
$$;
comment on function holdfast.drop_files(text) is 'Drops the files of a table that is gone.';

create function holdfast.follow_gone_table() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.drop_files(old.table_name);
  return null;
end
$$;
comment on function holdfast.follow_gone_table() is 'Drops the files of a table that is removed or purged; a trigger.';
create or replace trigger follow_gone_table after delete on holdfast_private.deleted_tables for each row execute function holdfast.follow_gone_table();
create trigger follow_gone_table after delete on holdfast.tables for each row when (old.schema_name = 'public') execute function holdfast.follow_gone_table();

-- As in 0120, with the files of the table.
create or replace function holdfast.move_table(of_table regclass, to_schema name) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  of_files constant regclass := holdfast.files_table(of_table);
  one record;
begin
  for one in
    select c.oid::regclass as relation, c.relname, c.relkind from pg_class c
     where c.oid in (select i.indexrelid from pg_index i where i.indrelid = of_table
                     union select d.objid from pg_depend d where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
                                                             and d.refobjid = of_table and d.refobjsubid > 0 and d.deptype in ('a', 'i'))
       and c.relkind in ('i', 'S')
       and exists (select from pg_class other where other.relnamespace = to_schema::regnamespace and other.relname = c.relname)
  loop
    execute format('alter %s %s rename to %I', case one.relkind when 'i' then 'index' else 'sequence' end, one.relation,
                   left(one.relname, 50) || '_' || one.relation::oid);
  end loop;
  execute format('alter table %s set schema %I', of_table, to_schema);
  if of_files is not null then
    perform holdfast.move_table(of_files, to_schema);
  end if;
end
$$;

create or replace function holdfast.delete_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  tables constant regclass[] := of_table || holdfast.checklist_parts(of_table);
  gone constant text[] := array(select c.relname::text from unnest(tables) with ordinality t (id, place) join pg_class c on c.oid = t.id order by t.place);
  readers constant text := (
    select string_agg(distinct f.label, ', ') from holdfast.computed_fields f
     where f.table_name <> all (gone) and exists (select from holdfast.computed_reads(f.table_name, f.definition) r where r.table_name = any (gone)));
  users constant text := holdfast.users_of_tables(tables);
  other text;
  link record;
  statements text := '';
  place integer;
begin
  select string_agg(distinct holdfast.table_label(to_regclass(format('public.%I', c.table_name))), ', ') into other
    from holdfast.checklists c
   where c.schema_name = 'public' and c.table_name <> gone[1] and to_regclass(format('public.%I', c.table_name)) is not null
     and (array[c.item_table, c.answer_table, c.finding_table] && gone or tables && holdfast.checklist_parts(to_regclass(format('public.%I', c.table_name))));
  if other is not null then
    raise exception 'The checklists of % use the table.', other using hint = 'change_table.checklist', detail = other;
  end if;
  select string_agg(t.id::text, ', ') into other from unnest(tables) t (id) join pg_class c on c.oid = t.id
   where not exists (select from holdfast.tables o where o.schema_name = 'public' and o.table_name = c.relname and o.workspace_id = workspace);
  if other is not null then
    raise exception 'The checklists of the table use tables of the project: %', other using hint = 'change_table.used';
  end if;
  if readers is not null then
    raise exception 'These fields use the table: %. Change or delete them first.', readers using hint = 'change_table.used';
  end if;
  if users is not null then
    raise exception 'Something uses the table: %', users using hint = 'change_table.used';
  end if;
  for link in
    select c.conrelid::regclass as from_table, r.relname, a.attname, t.workspace_id is not distinct from workspace as is_own
      from pg_constraint c
      join pg_class r on r.oid = c.conrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      left join holdfast.tables t on t.schema_name = 'public' and t.table_name = r.relname
     where c.contype = 'f' and c.confrelid = any (tables) and c.conrelid <> all (tables) and c.conname <> 'holdfast_files_of_record' and r.relnamespace <> 'holdfast_deleted'::regnamespace
     order by r.relname, a.attname
  loop
    if not link.is_own then
      raise exception 'A table of the project links to the table: %', link.from_table using hint = 'change_table.used';
    end if;
    statements := statements || holdfast.delete_field_sql(workspace, link.from_table, jsonb_build_object('field', link.attname))
      || format(E'update holdfast_private.deleted_fields set with_table = %L where table_name = %L and field_name = %L;\n', gone[1], link.relname, link.attname);
  end loop;
  for place in 1 .. cardinality(gone) loop
    statements := statements || format(
      'insert into holdfast_private.deleted_tables (table_name, workspace_id, label, deleted_by, with_table, checklist, computed)' || E'\n'
      '  select %1$L, %2$L, %3$L, (select holdfast.user_id()), %4$L, (select to_jsonb(c) from holdfast.checklists c where c.schema_name = ''public'' and c.table_name = %1$L),'
      || E'\n    coalesce(jsonb_agg(f.definition || jsonb_build_object(''name'', f.field_name, ''label'', f.label) order by f.created_at), ''[]'')'
      || E'\n    from holdfast.computed_fields f where f.table_name = %1$L;\n'
      'delete from holdfast.checklists where schema_name = ''public'' and table_name = %1$L;' || E'\n'
      'select holdfast.close_forms_of(%1$L);' || E'\n',
      gone[place], workspace, holdfast.table_label(tables[place]), case when place > 1 then gone[1] end);
  end loop;
  statements := statements || format(E'select holdfast.drop_computed_fields(%L::text[]);\n', gone);
  for place in 1 .. cardinality(gone) loop
    statements := statements || format(
      E'select holdfast.admit_to_history(%1$L, null), holdfast.move_table(%1$L, ''holdfast_deleted'');\n', holdfast.full_name(tables[place]));
  end loop;
  return statements
    || format(E'update holdfast.tables set deleted_at = now() where schema_name = ''public'' and table_name = any (%L);\n', gone);
end
$$;

create or replace function holdfast.table_links(workspace uuid, table_name text) returns table (of_table text, label text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  target constant regclass := holdfast.require_changeable_table(workspace, table_name);
  tables constant regclass[] := target || holdfast.checklist_parts(target);
begin
  return query
    select holdfast.table_label(c.conrelid), holdfast.field_label(c.conrelid, a.attname)
      from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and c.confrelid = any (tables) and c.conrelid <> all (tables) and c.conname <> 'holdfast_files_of_record'
       and r.relnamespace = 'public'::regnamespace order by 1, 2;
end
$$;

-- The copy of a table has no files. A required field keeps the names alone.
create or replace function holdfast.copy_records_sql(of_table regclass, copy text) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select format(E'alter table public.%1$I disable trigger user;\ninsert into public.%1$I (%2$s) overriding system value select %3$s from %4$s;\n'
                'alter table public.%1$I enable trigger user;' || E'\n', copy, string_agg(quote_ident(a.attname), ', ' order by a.attnum),
                string_agg(case when not a.attnotnull and holdfast.attachment_kind(of_table, a.attname) is not null then 'null' else quote_ident(a.attname) end, ', ' order by a.attnum),
                holdfast.full_name(of_table))
    || coalesce(string_agg(format(E'select setval(pg_get_serial_sequence(%L, %L), coalesce((select max(%I) from public.%I), 0) + 1, false);\n',
                                  format('public.%I', copy), a.attname, a.attname, copy), '') filter (where a.attidentity <> ''), '')
    from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;

-- Options are renamed without triggers.
create or replace function holdfast.keep_choice_words(of_table text, field text, options jsonb, renamed jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_table);
  words constant jsonb := coalesce(holdfast.new_choice_words(options), '{}');
  of_files constant regclass := holdfast.files_table(to_regclass(format('public.%I', of_table)));
begin
  insert into holdfast.fields as f (workspace_id, table_name, field_name, choices)
    select workspace, of_table, field, words where words <> '{}'
    on conflict on constraint holdfast_fields_once do update
      set choices = words || coalesce((select jsonb_object_agg(one.key, one.value) from jsonb_each(f.choices) one
                                        where options ? one.key and not renamed ? one.key), '{}');
  if of_files is not null and exists (select from pg_attribute a where a.attrelid = of_files and a.attname = holdfast.record_column(field) and not a.attisdropped) then
    execute format('update %s f set updated_at = now()', of_files);
  end if;
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast_private.file_tables owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('attachment_limit', 'field_definition', 'files_table', 'attachment_kind', 'attachment_fields', 'file_names', 'keep_file_names', 'name_first_files',
                         'renew_file_triggers', 'record_column', 'rule_fields', 'file_rule_sql', 'file_policies_sql', 'follow_record', 'renew_files', 'keep_file', 'name_files', 'delete_file',
                         'limit_files', 'free_files_name', 'files_table_sql', 'ensure_files', 'has_file', 'prepare_file_storage', 'follow_format', 'follow_rules', 'follow_deleted_field', 'drop_files',
                         'follow_gone_table')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name = 'has_file' then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  -- As in 0051: functions whose text has a backslash say how it is written.
  for one in
    select p.oid::regprocedure as function from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'holdfast'::regnamespace and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null
       and strpos(p.prosrc, chr(92)) > 0 and pg_has_role(p.proowner, 'usage')
       and not exists (select from unnest(p.proconfig) setting where setting like 'standard_conforming_strings=%')
  loop
    execute format('alter routine %s set standard_conforming_strings = on', one.function);
  end loop;
end
$$;
