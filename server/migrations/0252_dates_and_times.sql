-- A date becomes a date with a time, and the reverse, in the time zone of the workspace. Values that devices wrote meanwhile are carried over by sync.carry_dates.

create function holdfast.moment_text(moment timestamptz, zone text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select case when isfinite(moment) then
    regexp_replace(regexp_replace(to_char(moment at time zone zone, 'YYYY-MM-DD HH24:MI:SS.US'), '\.?0{1,6}$', ''), '^(.*:[0-9]{2}):00$', '\1') end
$$;
comment on function holdfast.moment_text(timestamptz, text) is 'A time as text in a time zone: the seconds only where they are not zero.';

create or replace function holdfast.convert_text(value text, kind text, settings jsonb default '{}') returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  given constant text := btrim(value, E' \t\r\n');
  part text[];
  day text;
  local_time timestamp;
  moment timestamptz;
begin
  case kind
  when 'text' then return value;
  when 'integer' then return case when given ~ '^-?[0-9]{1,19}$' then case when given::bigint::text = given then given end end;
  when 'number' then
    return case when length(given) <= 100 and given ~ '^-?[0-9]+(\.[0-9]+)?$' then case when given::numeric::text = given then given end end;
  when 'boolean' then
    return case when lower(given) in ('true', 'yes', '1', 'wahr', 'ja') then 'true' when lower(given) in ('false', 'no', '0', 'falsch', 'nein') then 'false' end;
  when 'datetime' then
    if given ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})$' then
      moment := given::timestamptz;
    else
      part := regexp_match(given, '^([0-9./-]+)(?:[ T]+([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,6})?))?)?$');
      day := holdfast.convert_text(part[1], 'date', settings);
      local_time := (day || ' ' || coalesce(part[2], '00') || ':' || coalesce(part[3], '00') || ':' || coalesce(part[4], '00'))::timestamp;
      moment := local_time at time zone (settings ->> 'zone');
      if moment at time zone (settings ->> 'zone') <> local_time then
        return null; -- clocks skip this time
      end if;
    end if;
    return to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00';
  when 'date' then
    part := regexp_match(given, '^([0-9]{4}-[0-9]{2}-[0-9]{2}) ([0-9:.]+)$');
    if part is not null and (part[2] = '00:00' or settings ->> 'time' = 'drop') then
      return holdfast.convert_text(part[1], 'date', settings);
    end if;
    part := regexp_match(given, '^([0-9]{4})-([0-9]{2})-([0-9]{2})$');
    if part is null and settings ->> 'order' in ('dmy', 'mdy') then
      part := regexp_match(given, '^([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})$');
      part := case settings ->> 'order' when 'dmy' then array[part[3], part[2], part[1]] else array[part[3], part[1], part[2]] end;
    end if;
    return make_date(part[1]::integer, part[2]::integer, part[3]::integer)::text;
  when 'choice' then return case when settings -> 'choices' ? given then given end;
  end case;
exception
  when numeric_value_out_of_range or datetime_field_overflow or invalid_datetime_format then
    return null; -- 99999999999999999999 and 2026-02-30
end
$$;

create or replace function holdfast.conversion_of(workspace uuid, of_table regclass, change jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  wanted constant jsonb := change -> 'to';
  target constant regclass := (
    select c.confrelid from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
     where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[a.attnum] limit 1);
  column_ pg_attribute;
  zone constant text := coalesce((select w.time_zone from holdfast.workspaces w where w.id = workspace), 'UTC');
  given text;
  of_link regclass;
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  if column_.attidentity <> '' or column_.attgenerated <> '' then
    raise exception 'The database fills in this field.' using hint = 'change_table.no_field';
  end if;
  given := case
    when target is not null then format('holdfast.linked_name(%L, %L, %I)', target, change ->> 'by', field)
    when column_.atttypid in ('text'::regtype, 'varchar'::regtype) then format('%I::text', field)
    when column_.atttypid = 'numeric'::regtype and wanted ->> 'kind' = 'integer' then format('trim_scale(%I)::text', field)
    when column_.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'bool'::regtype, 'date'::regtype) then format('%I::text', field)
    when column_.atttypid = 'timestamptz'::regtype then format('holdfast.moment_text(%I, %L)', field, zone)
  end;
  if target is not null then
    perform holdfast.require_named_table(workspace, target, change ->> 'by');
  end if;
  if given is null or wanted ->> 'kind' is null or wanted ->> 'kind' not in ('text', 'integer', 'number', 'boolean', 'date', 'datetime', 'choice', 'link')
     or coalesce(wanted ->> 'order', 'iso') not in ('iso', 'dmy', 'mdy') then
    raise exception 'The field cannot get this type.' using hint = 'change_table.convert';
  end if;
  if wanted ->> 'kind' = 'link' then
    perform holdfast.new_link_sql(wanted ->> 'table');
    of_link := case wanted ->> 'table' when 'hf_teams' then 'holdfast.teams' when 'hf_members' then 'holdfast.members' else format('public.%I', wanted ->> 'table') end;
    perform holdfast.require_named_table(workspace, of_link, wanted ->> 'by');
    return jsonb_build_object('text', given, 'type', 'uuid', 'value', format('holdfast.linked_id(%L, %L, %L, %s)', of_link, wanted ->> 'by', workspace, given));
  end if;
  return jsonb_build_object('text', given,
    'type', case wanted ->> 'kind' when 'integer' then 'bigint' when 'number' then 'numeric' when 'boolean' then 'boolean' when 'date' then 'date'
                             when 'datetime' then 'timestamptz' else 'text' end,
    'value', format('holdfast.convert_text(%s, %L, %L)', given, wanted ->> 'kind', (wanted - array['kind', 'table', 'by', 'zone']) || case wanted ->> 'kind' when 'datetime' then jsonb_build_object('zone', zone) else '{}' end));
end
$$;

create function holdfast.carry_dates_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select case when change #>> '{to,kind}' in ('date', 'datetime') and a.atttypid in ('date'::regtype, 'timestamptz'::regtype) then
    format(E'select sync.carry_dates(%L, %L, %L);\n', holdfast.full_name(of_table), a.attname,
           coalesce((select w.time_zone from holdfast.workspaces w where w.id = workspace), 'UTC')) else '' end
    from pg_attribute a where a.attrelid = of_table and a.attname = change ->> 'field' and not a.attisdropped
$$;
comment on function holdfast.carry_dates_sql(uuid, regclass, jsonb) is 'The statement that carries over what devices write into a date that becomes a time, or the reverse.';

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
    when 'convert_field' then holdfast.convert_field_sql(workspace, of_table, change) || holdfast.carry_dates_sql(workspace, of_table, change)
    when 'edit_field' then holdfast.table_change_sql(workspace, of_table, change) || holdfast.edit_more_sql(of_table, change)
    else holdfast.table_change_sql(workspace, of_table, change)
  end;
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('moment_text', 'carry_dates_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
