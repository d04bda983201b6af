-- A text becomes a long text, an e-mail address, a URL or a phone number, and back: the column stays as it is, and its format says how it is edited.

alter table holdfast.fields drop constraint holdfast_fields_format_form;
alter table holdfast.fields add constraint holdfast_fields_format_form check (format is null or coalesce(case format ->> 'kind'
  when 'rating' then format - '{kind,max}'::text[] = '{}' and format -> 'max' in ('5', '10')
  when 'currency' then format - '{kind,code}'::text[] = '{}' and format ->> 'code' ~ '^[A-Z]{3}$'
  when 'percent' then format - 'kind' = '{}'
  when 'duration' then format - '{kind,unit}'::text[] = '{}' and format ->> 'unit' in ('seconds', 'minutes')
  when 'barcode' then format - 'kind' = '{}'
  when 'location' then format - 'kind' = '{}'
  when 'text' then format - 'kind' = '{}'
  when 'long_text' then format - 'kind' = '{}'
  when 'email' then format - 'kind' = '{}'
  when 'url' then format - 'kind' = '{}'
  when 'phone' then format - 'kind' = '{}'
end, false));
comment on constraint holdfast_fields_format_form on holdfast.fields is 'A format is rating, currency, percent, duration, barcode, location, or a kind of text, with its settings.';

create function holdfast.is_text_kind(kind text) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(kind in ('text', 'long_text', 'email', 'url', 'phone'), false)
$$;
comment on function holdfast.is_text_kind(text) is 'Whether a kind of field is a plain text column.';

-- As in 0093, with the kinds of text.
create or replace function holdfast.set_format_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  type constant text := (select format_type(a.atttypid, null) from pg_attribute a where a.attrelid = of_table and a.attname = field);
  wanted constant jsonb := nullif(change -> 'format', 'null');
  is_text constant boolean := holdfast.is_text_kind(wanted ->> 'kind');
  format constant jsonb := case when is_text then jsonb_build_object('kind', wanted -> 'kind') else holdfast.new_field_format(wanted) end;
  fits constant text[] := case
    when is_text or format ->> 'kind' = 'barcode' then '{text,character varying}'
    when format ->> 'kind' in ('currency', 'percent') then '{numeric,bigint,integer,smallint,double precision,real}'
    when format ->> 'kind' = 'duration' then '{bigint,integer,smallint}' end::text[];
begin
  if wanted is not null and (format is null or type <> all (coalesce(fits, '{}'))) then
    raise exception 'A field of type % cannot have this format.', type using hint = 'change_table.format';
  end if;
  return format(E'insert into holdfast.fields (workspace_id, table_name, field_name, format)\n  values (%L, %L, %L, %L)\n'
    '  on conflict on constraint holdfast_fields_once do update set format = excluded.format;' || E'\n',
    workspace, (select c.relname from pg_class c where c.oid = of_table), field, format);
end
$$;

-- A text that stays a text keeps its values, its limits and whatever reads it.
create function holdfast.is_plain_text(of_table regclass, field name) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (select from pg_attribute a where a.attrelid = of_table and a.attname = field and a.atttypid in ('text'::regtype, 'varchar'::regtype))
     and holdfast.choice_constraint(of_table, field) is null
     -- The texts of fields for files are the names of these.
     and not exists (select from pg_class c join holdfast.fields f on f.schema_name = 'public' and f.table_name = c.relname and f.field_name = is_plain_text.field
                      where c.oid = of_table and f.format ->> 'kind' in ('attachment', 'signature'))
$$;
comment on function holdfast.is_plain_text(regclass, name) is 'Whether a column is a text without options.';

create or replace function holdfast.any_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  -- The kind of text that a field gets with its type.
  as_text constant text := case when change ->> 'kind' = 'convert_field' and holdfast.is_text_kind(change #>> '{to,kind}') then change #>> '{to,kind}' end;
  as_format constant jsonb := jsonb_build_object('field', change -> 'field', 'format', jsonb_build_object('kind', as_text));
begin
  if as_text is not null then
    if holdfast.is_plain_text(of_table, holdfast.field_of(of_table, change ->> 'field')) then
      return holdfast.set_format_sql(workspace, of_table, as_format);
    elsif as_text <> 'text' then
      -- The format is set once the column is a text.
      return holdfast.convert_field_sql(workspace, of_table, jsonb_set(change, '{to,kind}', '"text"'))
        || format(E'insert into holdfast.fields (workspace_id, table_name, field_name, format)\n  values (%L, %L, %L, %L)\n'
                  '  on conflict on constraint holdfast_fields_once do update set format = excluded.format;' || E'\n',
                  workspace, (select c.relname from pg_class c where c.oid = of_table), change ->> 'field', as_format -> 'format');
    end if;
  end if;
  return case change ->> 'kind'
    when 'rename_table' then holdfast.rename_table_sql(workspace, of_table, change)
    when 'duplicate_table' then holdfast.duplicate_table_sql(workspace, of_table, change)
    when 'delete_table' then holdfast.delete_table_sql(workspace, of_table, change)
    when 'convert_field' then holdfast.convert_field_sql(workspace, of_table, change)
    when 'edit_field' then holdfast.table_change_sql(workspace, of_table, change) || holdfast.edit_more_sql(of_table, change)
    else holdfast.table_change_sql(workspace, of_table, change)
  end;
end
$$;
comment on function holdfast.any_change_sql(uuid, regclass, jsonb) is 'The statements of a change of a table or of its fields, by its kind.';

create function holdfast.values_conversion(workspace uuid, of_table regclass, change jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  wanted jsonb := change -> 'to';
  conversion jsonb := holdfast.conversion_of(workspace, of_table, change);
  choices jsonb;
  result jsonb;
begin
  if wanted ->> 'kind' = 'choice' and wanted -> 'choices' is null then
    execute format('select coalesce(jsonb_agg(v.text order by v.text), ''[]'') from (select distinct left(btrim(%1$s, E'' \t\r\n''), 101) as text from %2$s limit 1000) v
                     where v.text <> '''' and length(v.text) <= 100 and v.text !~ ''[[:cntrl:]\\]''', conversion ->> 'text', of_table) into choices;
    select coalesce(jsonb_agg(c.value order by c.place), '[]') into choices from jsonb_array_elements(choices) with ordinality c (value, place)
     where c.place <= holdfast.new_table_limit('choices of a field');
    conversion := holdfast.conversion_of(workspace, of_table, jsonb_set(change, '{to,choices}', choices));
  end if;
  execute format('with value as (select %1$s as text, count(*) as records from %2$s group by 1),
                       lost as (select v.text, v.records from value v, lateral (select %3$s as converted) one where btrim(v.text, E'' \t\r\n'') <> '''' and one.converted is null)
                  select jsonb_build_object(''total'', coalesce((select sum(v.records) from value v where btrim(v.text, E'' \t\r\n'') <> ''''), 0),
                    ''lost'', coalesce((select sum(l.records) from lost l), 0),
                    ''values'', coalesce((select jsonb_agg(jsonb_build_object(''text'', left(l.text, 200), ''records'', l.records)) from (
                      select * from lost order by records desc, text limit 100) l), ''[]''))',
                 conversion ->> 'text', of_table, replace(conversion ->> 'value', conversion ->> 'text', 'v.text')) into result;
  return result || case when choices is null then '{}' else jsonb_build_object('choices', choices) end;
end
$$;
comment on function holdfast.values_conversion(uuid, regclass, jsonb) is 'What a new type would do to the values of a field.';

-- All values of a text are texts.
create or replace function holdfast.field_conversion(workspace uuid, table_name text, change jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_changeable_table(workspace, table_name);
  is_text constant boolean := holdfast.is_text_kind(change #>> '{to,kind}');
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  result jsonb;
begin
  if is_text and holdfast.is_plain_text(of_table, field) then
    execute format('select jsonb_build_object(''total'', count(*), ''lost'', 0, ''values'', ''[]''::jsonb) from %s where btrim(%I) <> ''''', of_table, field) into result;
    return result;
  end if;
  return holdfast.values_conversion(workspace, of_table, case when is_text then jsonb_set(change, '{to,kind}', '"text"') else change end);
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('is_text_kind', 'is_plain_text', 'values_conversion')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
