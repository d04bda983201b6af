-- Formulas of computed fields. The app reads what an owner writes into a tree of fields, values and calls; here the tree becomes an SQL expression. Each function of the
-- language is one here, and one of platform/protocol/src/formula/sqlite.ts on devices: both yield the same, and neither ever fails. What cannot be computed is NULL.
-- Bodies are RETURN expressions, so that names are resolved now and Postgres may put the body in the place of the call.

-- Values of columns. On devices infinite dates are 0000-01-01 and 9999-12-31, so that formulas end a day before.
create function holdfast.formula_value(value smallint) returns double precision language sql immutable parallel safe return value::double precision;
create function holdfast.formula_value(value integer) returns double precision language sql immutable parallel safe return value::double precision;
create function holdfast.formula_value(value bigint) returns double precision language sql immutable parallel safe return value::double precision;
-- Devices have the text of a numeric; beyond 19 digits SQLite and Postgres may read it as different numbers.
create function holdfast.formula_value(value numeric) returns double precision language sql immutable parallel safe
  return case when abs(value) < 1e16 then
    case when abs(round(value, 30)::double precision) < '1e15'::double precision then left(value::text, 20)::double precision + '0'::double precision end
  end;
create function holdfast.formula_value(value double precision) returns double precision language sql immutable parallel safe
  return nullif(nullif(nullif(value, 'NaN'), 'Infinity'), '-Infinity') + '0'::double precision;
create function holdfast.formula_value(value real) returns double precision language sql immutable parallel safe
  return holdfast.formula_value(value::text::double precision);
create function holdfast.formula_value(value boolean) returns boolean language sql immutable parallel safe return value;
create function holdfast.formula_value(value date) returns date language sql immutable parallel safe
  return case when value >= date '0001-01-01' and value < date '9999-12-31' then value end;
create function holdfast.formula_value(value timestamptz) returns timestamptz language sql immutable parallel safe
  return case when value >= timestamptz '0001-01-01 00:00:00+00' and value < timestamptz '9999-12-31 00:00:00+00' then value end;
create function holdfast.formula_value(value timestamp) returns timestamptz language sql immutable parallel safe
  return case when value >= timestamp '0001-01-01' and value < timestamp '9999-12-31' then value at time zone 'UTC' end;
create function holdfast.formula_value(value text) returns text language sql immutable parallel safe
  return nullif(left(value, 10000), '') collate "C";
create function holdfast.formula_value(value character) returns text language sql immutable parallel safe
  return nullif(value::text, '') collate "C";
create function holdfast.formula_value(value uuid) returns text language sql immutable parallel safe return value::text collate "C";
create function holdfast.formula_value(value anyenum) returns text language sql stable parallel safe set search_path = pg_catalog, pg_temp
  as $$ select value::text collate "C" $$;

-- Arithmetic of double precision as devices have it: too large is NULL, too small is 0, and there is no -0.
create function holdfast.formula_extreme(sign text, a double precision, b double precision) returns double precision
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case sign when '+' then a + b when '*' then a * b else a / b end + 0;
exception when numeric_value_out_of_range then
  return case when (sign = '*' and abs(a) < 1 and abs(b) < 1) or (sign = '/' and abs(b) > 1) then 0 end;
end
$$;
create function holdfast.formula_add(a double precision, b double precision) returns double precision language sql immutable parallel safe
  return case when abs(a) < '1e307'::double precision and abs(b) < '1e307'::double precision then a + b + '0'::double precision
              else holdfast.formula_extreme('+', a, b) end;
create function holdfast.formula_subtract(a double precision, b double precision) returns double precision language sql immutable parallel safe
  return holdfast.formula_add(a, -b);
create function holdfast.formula_is_moderate(a double precision) returns boolean language sql immutable parallel safe
  return a = '0'::double precision or abs(a) between '1e-150'::double precision and '1e150'::double precision;
create function holdfast.formula_multiply(a double precision, b double precision) returns double precision language sql immutable parallel safe
  return case when holdfast.formula_is_moderate(a) and holdfast.formula_is_moderate(b) then a * b + '0'::double precision
              else holdfast.formula_extreme('*', a, b) end;
create function holdfast.formula_divide(a double precision, b double precision) returns double precision language sql immutable parallel safe
  return case when b = '0'::double precision then null
              when holdfast.formula_is_moderate(a) and holdfast.formula_is_moderate(b) then a / b + '0'::double precision
              else holdfast.formula_extreme('/', a, b) end;
create function holdfast.formula_negate(a double precision) returns double precision language sql immutable parallel safe
  return '0'::double precision - a;
create function holdfast.formula_floor(a double precision) returns double precision language sql immutable parallel safe
  return floor(a) + '0'::double precision;
create function holdfast.formula_ceiling(a double precision) returns double precision language sql immutable parallel safe
  return ceil(a) + '0'::double precision;
-- A multiple of 1/p with halves away from zero. The nudge makes 1.005 a half, although its binary number is below it.
create function holdfast.formula_scaled(a double precision, p double precision) returns bigint language sql immutable parallel safe
  return trunc(abs(a) * p * case when abs(a) * p < '1e12'::double precision then '1.000000000000001'::double precision else '1'::double precision end
               + '0.5'::double precision)::bigint;
create function holdfast.formula_round(a double precision, digits double precision default 0) returns double precision language sql immutable parallel safe
  return case
    when abs(a) >= '1e15'::double precision then a
    when abs(a) * (array['1', '10', '100', '1000', '10000', '100000', '1000000']::double precision[])[digits::integer + 1] >= '1e15'::double precision then a
    else sign(a) * holdfast.formula_scaled(a, (array['1', '10', '100', '1000', '10000', '100000', '1000000']::double precision[])[digits::integer + 1])::double precision
         / (array['1', '10', '100', '1000', '10000', '100000', '1000000']::double precision[])[digits::integer + 1] + '0'::double precision
  end;
create function holdfast.formula_mod_of(a double precision, b double precision, quotient double precision) returns double precision
  language sql immutable parallel safe
  return case when abs(quotient) < '9e15'::double precision
              then holdfast.formula_subtract(a, holdfast.formula_multiply(b, holdfast.formula_floor(quotient))) end;
create function holdfast.formula_mod(a double precision, b double precision) returns double precision language sql immutable parallel safe
  return holdfast.formula_mod_of(a, b, holdfast.formula_divide(a, b));
-- A whole number within bounds, for counts of letters, days and months.
create function holdfast.formula_whole(a double precision, most double precision) returns integer language sql immutable parallel safe
  return case when a is not null then trunc(least(greatest(a, -most), most))::integer end;

-- Equality of text is that of its bytes, whatever the collations of columns; order is that of code points.
create function holdfast.formula_is_same(a text, b text) returns boolean language sql immutable parallel safe
  return a collate "C" is not distinct from b collate "C";
create function holdfast.formula_is_same(a double precision, b double precision) returns boolean language sql immutable parallel safe return a is not distinct from b;
create function holdfast.formula_is_same(a boolean, b boolean) returns boolean language sql immutable parallel safe return a is not distinct from b;
create function holdfast.formula_is_same(a date, b date) returns boolean language sql immutable parallel safe return a is not distinct from b;
create function holdfast.formula_is_same(a timestamptz, b timestamptz) returns boolean language sql immutable parallel safe return a is not distinct from b;
create function holdfast.formula_is_less(a text, b text) returns boolean language sql immutable parallel safe return a collate "C" < b collate "C";
create function holdfast.formula_is_less(a double precision, b double precision) returns boolean language sql immutable parallel safe return a < b;
create function holdfast.formula_is_less(a date, b date) returns boolean language sql immutable parallel safe return a < b;
create function holdfast.formula_is_less(a timestamptz, b timestamptz) returns boolean language sql immutable parallel safe return a < b;

create function holdfast.formula_decimal(a double precision, digits integer, p bigint) returns text language sql immutable parallel safe
  return case when a < 0 and holdfast.formula_scaled(a, p) > 0 then '-' else '' end
         || rtrim(rtrim((holdfast.formula_scaled(a, p) / p)::text || '.' || lpad((holdfast.formula_scaled(a, p) % p)::text, digits, '0'), '0'), '.');
create function holdfast.formula_text(a double precision) returns text language sql immutable parallel safe
  return case
    when abs(a) < '1e9'::double precision then holdfast.formula_decimal(a, 6, 1000000)
    when abs(a) < '1e12'::double precision then holdfast.formula_decimal(a, 3, 1000)
    when abs(a) < '1e15'::double precision then case when a < 0 then '-' else '' end || holdfast.formula_scaled(a, 1)::text
  end;
create function holdfast.formula_text(a text) returns text language sql immutable parallel safe return a;
create function holdfast.formula_text(a boolean) returns text language sql immutable parallel safe return case when a then 'yes' when not a then 'no' end;
create function holdfast.formula_text(a date) returns text language sql stable parallel safe return to_char(a, 'YYYY-MM-DD');
create function holdfast.formula_text(a timestamptz) returns text language sql stable parallel safe
  return to_char(a at time zone 'UTC', 'YYYY-MM-DD HH24:MI');

-- SQLite changes ASCII letters only; devices add those of Western European languages.
create function holdfast.formula_lower(a text) returns text language sql immutable parallel safe
  return translate(lower(a collate "C"), 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ');
create function holdfast.formula_upper(a text) returns text language sql immutable parallel safe
  return translate(upper(a collate "C"), 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ', 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ');
create function holdfast.formula_trim(a text) returns text language sql immutable parallel safe return nullif(btrim(a, ' ') collate "C", '');
create function holdfast.formula_length(a text) returns double precision language sql immutable parallel safe return coalesce(length(a), 0)::double precision;
create function holdfast.formula_left(a text, count double precision) returns text language sql immutable parallel safe
  return case when count is not null then nullif(left(a, greatest(holdfast.formula_whole(count, 1000000), 0)) collate "C", '') end;
create function holdfast.formula_right(a text, count double precision) returns text language sql immutable parallel safe
  return case when count is not null then nullif(right(a, greatest(holdfast.formula_whole(count, 1000000), 0)) collate "C", '') end;
create function holdfast.formula_contains(a text, part text) returns boolean language sql immutable parallel safe
  return coalesce(strpos(a collate "C", part collate "C") > 0, false);
create function holdfast.formula_starts_with(a text, part text) returns boolean language sql immutable parallel safe
  return coalesce(left(a, length(part)) collate "C" = part collate "C", false);

-- Days. Bounds are checked before the sum, because dates end.
create function holdfast.formula_now() returns timestamptz language sql stable parallel safe return date_trunc('minute', now(), 'UTC');
create function holdfast.formula_year(a date) returns double precision language sql immutable parallel safe return extract(year from a)::double precision;
create function holdfast.formula_month(a date) returns double precision language sql immutable parallel safe return extract(month from a)::double precision;
create function holdfast.formula_day(a date) returns double precision language sql immutable parallel safe return extract(day from a)::double precision;
create function holdfast.formula_weekday(a date) returns double precision language sql immutable parallel safe return extract(isodow from a)::double precision;
create function holdfast.formula_add_days(a date, days double precision) returns date language sql immutable parallel safe
  return case when a - date '0001-01-01' + holdfast.formula_whole(days, 4000000) between 0 and date '9999-12-30' - date '0001-01-01'
              then a + holdfast.formula_whole(days, 4000000) end;
create function holdfast.formula_add_months(a date, months double precision) returns date language sql immutable parallel safe
  return case when extract(year from a) * 12 + extract(month from a) - 1 + holdfast.formula_whole(months, 120000) between 12 and 119998
              then (a + make_interval(months => holdfast.formula_whole(months, 120000)))::date end;
create function holdfast.formula_days_between(a date, b date) returns double precision language sql immutable parallel safe return (b - a)::double precision;
create function holdfast.formula_hours_between(a timestamptz, b timestamptz) returns double precision language sql immutable parallel safe
  return (extract(epoch from b - a) * 1000000)::bigint::double precision / '3600000000'::double precision;
create function holdfast.formula_utc_date(a timestamptz) returns date language sql immutable parallel safe return (a at time zone 'UTC')::date;
create function holdfast.formula_today(workspace uuid) returns date
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select (now() at time zone coalesce((select w.time_zone from holdfast.workspaces w where w.id = workspace), 'UTC'))::date
$$;
comment on function holdfast.formula_today(uuid) is 'The current day in the time zone of a workspace.';

-- Sums do not depend on the order of rows: numbers are added as whole millionths, in two parts that cannot overflow.
create function holdfast.formula_millionths(a double precision) returns bigint language sql immutable parallel safe
  return case when abs(a) < '9e12'::double precision then case when a < 0 then -1 else 1 end * holdfast.formula_scaled(a, 1000000) end;

-- The SQL of a formula.
-- row_name names the row that it reads ($1 in a function); of_table is its table in public.
create function holdfast.formula_sql(formula jsonb, row_name text, of_table text, workspace uuid, depth integer default 0) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := formula ->> 'call';
  parts text[];
begin
  if depth > 300 or jsonb_typeof(formula) is distinct from 'object' then
    raise exception 'This is not a formula.' using hint = 'computed_field.formula';
  elsif formula ? 'field' then
    return holdfast.formula_field_sql(formula ->> 'field', row_name, 'public', of_table, workspace);
  elsif formula ? 'text' then
    return format('(%L::text collate "C")', nullif(formula ->> 'text', ''));
  elsif jsonb_typeof(formula -> 'number') = 'number' then
    return format('%L::double precision', formula ->> 'number');
  elsif jsonb_typeof(formula -> 'boolean') = 'boolean' then
    return format('%L::boolean', formula ->> 'boolean');
  elsif formula ? 'date' then
    return format('%L::date', formula ->> 'date');
  elsif jsonb_typeof(formula -> 'of') is distinct from 'array' then
    raise exception 'This is not a formula.' using hint = 'computed_field.formula';
  end if;
  select coalesce(array_agg(holdfast.formula_sql(part.value, row_name, of_table, workspace, depth + 1) order by part.place), '{}') into parts
    from jsonb_array_elements(formula -> 'of') with ordinality part (value, place);
  return case
    when name = 'if' and cardinality(parts) in (2, 3) then format('case when %s then %s else %s end', parts[1], parts[2], coalesce(parts[3], 'null'))
    when name = 'switch' and cardinality(parts) >= 3 then
      (select format('case %s %s %s end', parts[1],
                     string_agg(format('when %s then %s', parts[n], parts[n + 1]), ' ' order by n) filter (where n < cardinality(parts)),
                     case when cardinality(parts) % 2 = 0 then 'else ' || parts[cardinality(parts)] end)
         from generate_series(2, cardinality(parts), 2) n)
    when name in ('&', 'concat') and cardinality(parts) >= 2 then
      (select format('nullif(%s, '''')', string_agg(format('coalesce(holdfast.formula_text(%s), '''')', part.value), ' || ' order by part.place))
         from unnest(parts) with ordinality part (value, place))
    when name = 'coalesce' and cardinality(parts) >= 2 then format('coalesce(%s)', array_to_string(parts, ', '))
    when name = 'min' and cardinality(parts) >= 2 then format('least(%s)', array_to_string(parts, ', '))
    when name = 'max' and cardinality(parts) >= 2 then format('greatest(%s)', array_to_string(parts, ', '))
    when name in ('and', 'or') and cardinality(parts) = 2 then format('(%s %s %s)', parts[1], name, parts[2])
    when name = 'not' and cardinality(parts) = 1 then format('(not %s)', parts[1])
    when name = 'is_empty' and cardinality(parts) = 1 then format('(%s is null)', parts[1])
    when name = '=' then format('holdfast.formula_is_same(%s)', array_to_string(parts, ', '))
    when name = '!=' then format('(not holdfast.formula_is_same(%s))', array_to_string(parts, ', '))
    when name = '<' and cardinality(parts) = 2 then format('holdfast.formula_is_less(%s, %s)', parts[1], parts[2])
    when name = '>' and cardinality(parts) = 2 then format('holdfast.formula_is_less(%s, %s)', parts[2], parts[1])
    when name = '<=' and cardinality(parts) = 2 then format('(not holdfast.formula_is_less(%s, %s))', parts[2], parts[1])
    when name = '>=' and cardinality(parts) = 2 then format('(not holdfast.formula_is_less(%s, %s))', parts[1], parts[2])
    when name = 'today' and cardinality(parts) = 0 then format('holdfast.formula_today(%L)', workspace)
    when name in ('abs') and cardinality(parts) = 1 then format('abs(%s)', parts[1])
    when name in ('+', '-', '*', '/', 'neg', 'floor', 'ceiling', 'round', 'mod', 'lower', 'upper', 'trim', 'length', 'left', 'right', 'contains', 'starts_with',
                  'now', 'year', 'month', 'day', 'weekday', 'add_days', 'add_months', 'days_between', 'hours_between', 'utc_date') then
      format('holdfast.formula_%s(%s)',
             case name when '+' then 'add' when '-' then 'subtract' when '*' then 'multiply' when '/' then 'divide' when 'neg' then 'negate' else name end,
             array_to_string(parts, ', '))
    else holdfast.refuse_formula(name)
  end;
end
$$;
comment on function holdfast.formula_sql(jsonb, text, text, uuid, integer) is 'The SQL expression of a formula.';

create function holdfast.refuse_formula(name text) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'There is no function % with these values.', coalesce(name, '') using hint = 'computed_field.formula';
end
$$;
comment on function holdfast.refuse_formula(text) is 'Refuses a function that formulas do not have.';

-- Computed fields, of all kinds. Devices have the definitions and compute the values themselves; REST asks the functions public.<field>(<table>).
create table holdfast.computed_fields (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null constraint computed_fields_workspace references holdfast.workspaces (id) on delete cascade,
  table_name text not null,
  field_name text not null,
  label text not null,
  kind text not null constraint computed_fields_kind check (kind in ('formula', 'lookup', 'rollup')),
  definition jsonb not null constraint computed_fields_definition_length check (octet_length(definition::text) <= 20000),
  result text not null constraint computed_fields_result check (result in ('text', 'number', 'boolean', 'date', 'datetime')),
  made_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint computed_fields_once unique (table_name, field_name)
);
create index computed_fields_workspace_id_idx on holdfast.computed_fields (workspace_id);
comment on table holdfast.computed_fields is 'Computed fields. Formulas, lookups and rollups that were added in the app.';
comment on column holdfast.computed_fields.workspace_id is 'Workspace.';
comment on column holdfast.computed_fields.table_name is 'Table. In the schema public.';
comment on column holdfast.computed_fields.field_name is 'Field. Also the name of the function.';
comment on column holdfast.computed_fields.label is 'Label.';
comment on column holdfast.computed_fields.kind is 'Kind. formula, lookup or rollup.';
comment on column holdfast.computed_fields.definition is 'Definition. Names columns, so that new labels change nothing.';
comment on column holdfast.computed_fields.result is 'Result. The type of the values.';
comment on column holdfast.computed_fields.made_by is 'Made by. Who added the field in the app.';
comment on constraint computed_fields_kind on holdfast.computed_fields is 'A computed field is a formula, lookup or rollup.';
comment on constraint computed_fields_definition_length on holdfast.computed_fields is 'A definition has at most 20,000 bytes.';
comment on constraint computed_fields_result on holdfast.computed_fields is 'Values are text, number, boolean, date or datetime.';
comment on constraint computed_fields_once on holdfast.computed_fields is 'A table has a computed field once.';
create trigger touch before update on holdfast.computed_fields for each row execute function holdfast.touch();
alter table holdfast.computed_fields enable row level security;
grant select on holdfast.computed_fields to authenticated;
grant all on holdfast.computed_fields to service_role;
create policy members_read on holdfast.computed_fields for select to authenticated using (workspace_id in (select holdfast.my_workspace_ids()));

-- A column, or another computed field.
create function holdfast.formula_field_sql(field text, row_name text, of_schema text, of_table text, workspace uuid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  collation_of oid;
begin
  if of_schema = 'public' and exists (select from holdfast.computed_fields f where f.table_name = of_table and f.field_name = field) then
    return format('public.%I(%s)', field, row_name);
  end if;
  select a.attcollation into collation_of from pg_attribute a
   where a.attrelid = to_regclass(format('%I.%I', of_schema, of_table)) and a.attname = field and a.attnum > 0 and not a.attisdropped;
  if not found then
    raise exception 'The table % has no field %.', of_table, coalesce(field, '') using hint = 'computed_field.no_field';
  end if;
  return format(case when collation_of <> 0 then '(holdfast.formula_value((%s).%I) collate "C")' else 'holdfast.formula_value((%s).%I)' end, row_name, field);
end
$$;
comment on function holdfast.formula_field_sql(text, text, text, text, uuid) is 'The SQL of a field in a formula.';

-- The table that a field leads to, by its id.
create function holdfast.linked_table(of_table text, link text) returns regclass
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.confrelid::regclass from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] and a.attname = link
    join pg_attribute r on r.attrelid = c.confrelid and r.attnum = c.confkey[1] and r.attname = 'id'
   where c.contype = 'f' and c.conrelid = to_regclass(format('public.%I', of_table)) and cardinality(c.conkey) = 1
   limit 1
$$;
comment on function holdfast.linked_table(text, text) is 'The table whose records a field leads to.';

create function holdfast.rollup_sql(definition jsonb, row_name text, of_table text, workspace uuid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  child constant text := definition ->> 'table';
  what constant text := definition ->> 'function';
  total constant text := 'coalesce(sum(r.m / 4294967296), 0)::double precision * ''4294967296''::double precision + coalesce(sum(r.m % 4294967296), 0)::double precision';
  value text := 'null::double precision';
  narrowed text := '';
begin
  if holdfast.linked_table(child, definition ->> 'link') is distinct from to_regclass(format('public.%I', of_table)) then
    raise exception 'The field % of the table % does not lead here.', definition ->> 'link', child using hint = 'computed_field.link';
  end if;
  if what not in ('count', 'sum', 'min', 'max', 'average') or what is null then
    raise exception 'A rollup is count, sum, min, max or average.' using hint = 'computed_field.rollup';
  end if;
  if what <> 'count' then
    value := holdfast.formula_field_sql(definition ->> 'field', 'c', 'public', child, workspace);
  end if;
  if definition ? 'only' then
    narrowed := format(' and %s', holdfast.formula_sql(definition -> 'only', 'c', child, workspace));
  end if;
  return format('(select %s from (select q.v%s from (select %s as v from public.%I c where c.%I = (%s).id%s) q) r)', case what
    when 'count' then 'count(*)::double precision'
    when 'sum' then format('case when count(r.v) = count(r.m) then (%s) / ''1000000''::double precision end', total)
    when 'average' then format('case when count(r.v) = count(r.m) then (%s) / ''1000000''::double precision / nullif(count(r.v), 0)::double precision end', total)
    else format('%s(r.v)', what)
  end, case when what in ('sum', 'average') then ', holdfast.formula_millionths(q.v) as m' end, value, child, definition ->> 'link', row_name, narrowed);
end
$$;
comment on function holdfast.rollup_sql(jsonb, text, text, uuid) is 'The SQL of a rollup.';

create function holdfast.computed_sql(definition jsonb, row_name text, of_table text, workspace uuid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  target regclass;
  target_name text;
  target_schema text;
begin
  case definition ->> 'kind'
  when 'formula' then
    return holdfast.formula_sql(definition -> 'formula', row_name, of_table, workspace);
  when 'lookup' then
    target := holdfast.linked_table(of_table, definition ->> 'link');
    select c.relname, n.nspname into target_name, target_schema from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = target;
    if target_name is null then
      raise exception 'The field % does not lead to records.', coalesce(definition ->> 'link', '') using hint = 'computed_field.link';
    end if;
    return format('(select %s from %I.%I o where o.id = (%s).%I)', holdfast.formula_field_sql(definition ->> 'field', 'o', target_schema, target_name, workspace),
                  target_schema, target_name, row_name, definition ->> 'link');
  when 'rollup' then
    return holdfast.rollup_sql(definition, row_name, of_table, workspace);
  else
    raise exception 'A computed field is a formula, lookup or rollup.' using hint = 'computed_field.kind';
  end case;
end
$$;
comment on function holdfast.computed_sql(jsonb, text, text, uuid) is 'The SQL expression of a computed field.';

-- Which fields a computed field reads, by table.
create function holdfast.computed_reads(of_table text, definition jsonb) returns table (table_name text, field_name text)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select of_table, one #>> '{}' from jsonb_path_query(definition, 'strict $.formula.**.field', silent => true) one where definition ->> 'kind' = 'formula'
  union
  select of_table, definition ->> 'link' where definition ->> 'kind' = 'lookup'
  union
  select c.relname::text, definition ->> 'field' from pg_class c
   where definition ->> 'kind' = 'lookup' and c.oid = holdfast.linked_table(of_table, definition ->> 'link')
  union
  select definition ->> 'table', read.name
    from (select definition ->> 'link' union select definition ->> 'field'
          union select one #>> '{}' from jsonb_path_query(definition, 'strict $.only.**.field', silent => true) one) read (name)
   where definition ->> 'kind' = 'rollup' and read.name is not null
$$;
comment on function holdfast.computed_reads(text, jsonb) is 'The fields that a computed field reads.';

create function holdfast.computed_fields_reading(of_table text, field text) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select string_agg(f.label, ', ' order by f.label) from holdfast.computed_fields f
   where exists (select from holdfast.computed_reads(f.table_name, f.definition) r where r.table_name = of_table and (field is null or r.field_name = field))
     and (field is not null or f.table_name <> of_table)
$$;
comment on function holdfast.computed_fields_reading(text, text) is 'Labels of the computed fields that read a field, or without one of those elsewhere that read the table; NULL if none does.';
