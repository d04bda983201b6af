-- Fields that say who created or last changed a record, and when. The moments are generated columns; the members are links that a trigger fills in, as the format of the
-- field says, so that they come with templates and copies of the table.

-- Whatever formats there are besides.
do $$
declare
  others constant text := (select pg_get_expr(c.conbin, c.conrelid) from pg_constraint c where c.conrelid = 'holdfast.fields'::regclass and c.conname = 'holdfast_fields_format_form');
  words constant text := (select obj_description(c.oid, 'pg_constraint') from pg_constraint c where c.conrelid = 'holdfast.fields'::regclass and c.conname = 'holdfast_fields_format_form');
begin
  alter table holdfast.fields drop constraint holdfast_fields_format_form;
  execute format('alter table holdfast.fields add constraint holdfast_fields_format_form check (format in (''{"kind": "created_by"}'', ''{"kind": "changed_by"}'') or %s)', others);
  execute format('comment on constraint holdfast_fields_format_form on holdfast.fields is %L', replace(words, 'A format is ', 'A format is created_by, changed_by, '));
end
$$;

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
    when 'created_by' then '{"kind": "created_by"}'
    when 'changed_by' then '{"kind": "changed_by"}'
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
    when 'created_at' then 'timestamptz generated always as (created_at) stored'
    when 'changed_at' then 'timestamptz generated always as (updated_at) stored'
    when 'created_by' then holdfast.new_link_sql('hf_members')
    when 'changed_by' then holdfast.new_link_sql('hf_members')
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

create function holdfast.fill_people() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one record;
  filled jsonb := '{}';
begin
  for one in
    select f.field_name, f.format ->> 'kind' as kind,
           (select m.id from holdfast.members m where m.workspace_id = t.workspace_id and m.user_id = holdfast.user_id()) as member
      from holdfast.tables t join holdfast.fields f on f.schema_name = 'public' and f.table_name = t.table_name and f.workspace_id = t.workspace_id
     where t.schema_name = 'public' and t.table_name = tg_table_name and f.format ->> 'kind' in ('created_by', 'changed_by')
  loop
    -- What the server does itself, such as emptying a link, has no user.
    filled := filled || jsonb_build_object(one.field_name, case
      when tg_op = 'UPDATE' and (one.kind = 'created_by' or holdfast.user_id() is null) then to_jsonb(old) ->> one.field_name
      else one.member::text end);
  end loop;
  return jsonb_populate_record(new, filled);
end
$$;
comment on function holdfast.fill_people() is 'Fills in who created or changed a record, in the fields with these formats.';

create function holdfast.follow_people_formats() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  target constant regclass := to_regclass(format('public.%I', new.table_name));
begin
  if target is null or not exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = new.table_name and t.workspace_id = new.workspace_id) then
    return null;
  end if;
  -- The argument tells devices which fields the trigger fills in, so that they judge rules on the others.
  execute (
    select format('drop trigger if exists fill_people on %1$s; create trigger fill_people before insert or update on %1$s for each row execute function holdfast.fill_people(%2$L)',
                  target, jsonb_agg(f.field_name order by f.field_name))
      from holdfast.fields f
     where f.schema_name = 'public' and f.table_name = new.table_name and f.workspace_id = new.workspace_id and f.format ->> 'kind' in ('created_by', 'changed_by'));
  -- The records so far: who created them is known.
  if new.format ->> 'kind' = 'created_by' then
    execute format('alter table %s disable trigger user', target);
    execute format('update %1$s r set %2$I = m.id from holdfast.members m where m.workspace_id = $1 and m.user_id = r.created_by and r.%2$I is null', target, new.field_name)
      using new.workspace_id;
    execute format('alter table %s enable trigger user', target);
  end if;
  return null;
end
$$;
comment on function holdfast.follow_people_formats() is 'Adds the trigger that fills in who created or changed a record to the tables with such fields.';
create trigger follow_people_formats after insert or update of format on holdfast.fields for each row
  when (new.schema_name = 'public' and new.format ->> 'kind' in ('created_by', 'changed_by')) execute function holdfast.follow_people_formats();

-- Templates have these fields as they are, without values.
alter function holdfast.field_definition(regclass, name, jsonb) rename to stored_field_definition;
create function holdfast.field_definition(of_table regclass, field name, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(
    (select jsonb_build_object('kind', f.format ->> 'kind')
       from holdfast.fields f join pg_class c on c.oid = of_table and c.relname = f.table_name
      where f.schema_name = 'public' and f.field_name = field and f.format ->> 'kind' in ('created_by', 'changed_by') limit 1),
    (select jsonb_build_object('kind', case pg_get_expr(d.adbin, d.adrelid) when 'created_at' then 'created_at' else 'changed_at' end)
       from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = of_table and a.attname = field and a.attgenerated <> '' and pg_get_expr(d.adbin, d.adrelid) in ('created_at', 'updated_at')),
    holdfast.stored_field_definition(of_table, field, keys))
$$;
comment on function holdfast.field_definition(regclass, name, jsonb) is 'A field as new_field_sql takes it.';

create or replace function holdfast.export_template_fields(workspace uuid, of_table regclass, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'fields', coalesce(jsonb_agg(jsonb_build_object('name', one.name, 'label', one.label) || one.definition
                || case when one.looks = '{}' then '{}' else jsonb_build_object('looks', one.looks) end order by one.place) filter (where one.definition is not null), '[]'),
    'left_out', coalesce(jsonb_agg(jsonb_build_object('table', keys ->> one.of_name, 'field', one.name, 'reason', case when one.definition is null then 'field' else 'rule' end) order by one.place)
                filter (where one.definition is null or one.has_rules), '[]'))
  from (
    select a.attname::text as name, a.attnum as place, c.relname::text as of_name, holdfast.field_words(of_table, a.attname) as label,
           holdfast.field_definition(of_table, a.attname, keys) as definition,
           (a.attnotnull and a.attidentity = '') or a.atthasdef and a.attgenerated = '' or exists (select from pg_constraint r where r.conrelid = of_table and r.conkey @> array[a.attnum] and r.contype in ('c', 'u')
             and not (r.contype = 'c' and holdfast.field_definition(of_table, a.attname, keys) ->> 'kind' in ('choice', 'rating', 'location') and r.conkey = array[a.attnum])) as has_rules,
           coalesce((select jsonb_object_agg(l.key, l.value) from holdfast.fields f, jsonb_each(to_jsonb(f)) l
                      where f.schema_name = 'public' and f.table_name = c.relname and f.field_name = a.attname and f.workspace_id = workspace
                        and l.key <> all ('{id,workspace_id,schema_name,table_name,field_name,created_at,updated_at}')
                        and l.value <> all (array['null', '{}', 'false']::jsonb[])
                        -- Looks that create_table writes itself.
                        and not (l.key = 'choices' and l.value = coalesce(holdfast.new_choice_words(holdfast.field_definition(of_table, a.attname, keys) -> 'choices'), '{}'))
                        and not (l.key = 'format' and l.value = coalesce(holdfast.new_field_format(holdfast.field_definition(of_table, a.attname, keys)), 'null'))), '{}') as looks
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attname <> all ('{id,created_by,created_at,updated_at}')
  ) one
$$;

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
             where f.value ->> 'kind' not in ('autonumber', 'attachment', 'signature', 'created_at', 'changed_at', 'created_by', 'changed_by') and record -> (f.value ->> 'name') <> 'null') one;
    exported := exported || jsonb_build_array(jsonb_build_object('id', 'r' || place) || given);
  end loop;
  return exported;
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('fill_people', 'follow_people_formats', 'field_definition')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
