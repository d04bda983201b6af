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
  if not exists (select from pg_trigger g where g.tgrelid = target and g.tgname = 'fill_people') then
    execute format('create trigger fill_people before insert or update on %s for each row execute function holdfast.fill_people()', target);
  end if;
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

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('fill_people', 'follow_people_formats')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
