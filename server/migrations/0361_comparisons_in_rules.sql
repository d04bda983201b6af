-- Conditions of rules and automations compare: more, less, before, after, contains, also with days counted from today; and any of several can be enough.
--
-- A list of conditions is met if all of its elements are. An element is a condition {"field", "is", "values", "zone"} or {"any": [conditions]}, of which one is enough.

create or replace function holdfast.access_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'alternatives' then 8
    when 'conditions' then 8
    when 'values' then 20
    when 'characters of a value' then 100
  end
$$;

create or replace function holdfast.access_columns(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_object_agg(a.attname, case
           when f.confrelid = 'holdfast.members'::regclass then 'members'
           when f.confrelid = 'holdfast.teams'::regclass then 'teams'
           when a.atttypid in ('text'::regtype, 'varchar'::regtype) then 'text'
           when a.atttypid in ('int2'::regtype, 'int4'::regtype) then 'integer'
           when a.atttypid = 'int8'::regtype then 'bigint'
           when a.atttypid = 'numeric'::regtype then 'number'
           when a.atttypid = 'timestamptz'::regtype then 'datetime'
           when a.atttypid in ('bool'::regtype, 'date'::regtype, 'uuid'::regtype) then format_type(a.atttypid, null)
         end)
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_constraint f on f.conrelid = a.attrelid and f.contype = 'f' and f.conkey = array[a.attnum]
   where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v'
$$;

create or replace function holdfast.access_columns(fields jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(field.value ->> 'name', case
           when field.value ->> 'kind' in ('choice', 'text', 'barcode') then 'text'
           when field.value ->> 'kind' in ('integer', 'rating', 'duration', 'autonumber') then 'bigint'
           when field.value ->> 'kind' in ('number', 'currency', 'percent') then 'number'
           when field.value ->> 'kind' in ('datetime', 'created_at', 'changed_at') then 'datetime'
           when field.value ->> 'kind' in ('created_by', 'changed_by') then 'members'
           when field.value ->> 'kind' in ('boolean', 'date') then field.value ->> 'kind'
           when field.value ->> 'kind' = 'link' then case field.value ->> 'table' when 'hf_teams' then 'teams' when 'hf_members' then 'members' else 'uuid' end
         end), '{}') || '{"created_by": "uuid"}'
    from jsonb_array_elements(fields) field (value)
$$;

create or replace function holdfast.is_rule_value(kind text, value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select jsonb_typeof(value) = 'string' and case kind
           when 'text' then length(value #>> '{}') between 1 and holdfast.access_limit('characters of a value') and (value #>> '{}') !~ '[[:cntrl:]\\]'
           when 'integer' then (value #>> '{}') ~ '^-?(0|[1-9][0-9]{0,3})$' -- in the range of every integer type
           when 'bigint' then (value #>> '{}') ~ '^-?(0|[1-9][0-9]{0,14})$'
           when 'number' then (value #>> '{}') ~ '^-?(0|[1-9][0-9]{0,14})([.][0-9]{1,10})?$'
           when 'boolean' then (value #>> '{}') in ('true', 'false')
           when 'date' then (value #>> '{}') ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and holdfast.is_day(value #>> '{}')
           when 'datetime' then (value #>> '{}') ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?Z$' and holdfast.is_day(left(value #>> '{}', 10))
           else kind is not null and (value #>> '{}') ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'
         end
$$;

create function holdfast.is_time_zone(zone text) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return zone ~ '^[A-Za-z][A-Za-z0-9_+/-]{0,59}$' and timezone(zone, '2026-01-01 00:00:00'::timestamp) is not null;
exception
  when invalid_parameter_value then
    return false;
end
$$;
comment on function holdfast.is_time_zone(text) is 'Whether Postgres knows a time zone of this name.';

create function holdfast.is_of_today(condition jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(condition #>> '{values,0}' ~ '^today([+-][0-9]{1,4})?$' and condition ->> 'is' in ('more_than', 'at_least', 'less_than', 'at_most'), false)
$$;
comment on function holdfast.is_of_today(jsonb) is 'Whether a condition compares with a day that is counted from today.';

-- A day counted from today, in a time zone. The column stands alone on one side, so that sync follows the clock: "before today" means that the day after it has begun.
create function holdfast.today_condition_sql(field text, kind text, condition jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  days constant integer := coalesce(substring(condition #>> '{values,0}' from '^today(.+)$'), '0')::integer;
  zone constant text := coalesce(condition ->> 'zone', 'UTC');
  test constant text := condition ->> 'is';
  -- With <, the comparison is with the end of the day.
  begins constant text := case when kind = 'date'
    then format('timezone(%L, (%I - %s)::timestamp without time zone)', zone, field, days - (test in ('less_than', 'at_least'))::integer) end;
begin
  if kind is distinct from 'date' then
    raise exception 'Only a day can be compared with today.' using hint = 'access.condition';
  end if;
  if not holdfast.is_time_zone(zone) then
    raise exception 'There is no time zone %.', left(zone, 60) using hint = 'access.zone';
  end if;
  return format('(%1$I is not null and %2$s %3$s now())', field, begins, case when test in ('less_than', 'at_most') then '<=' else '>' end);
end
$$;
comment on function holdfast.today_condition_sql(text, text, jsonb) is 'The SQL of a condition that compares a day with today.';

create or replace function holdfast.rule_condition_sql(condition jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  field constant text := condition ->> 'field';
  kind constant text := columns ->> field;
  test constant text := condition ->> 'is';
  given constant jsonb := condition -> 'values';
  operator constant text := case test when 'more_than' then '>' when 'at_least' then '>=' when 'less_than' then '<' when 'at_most' then '<=' end;
  listed text;
begin
  if jsonb_typeof(condition) <> 'object' or (condition - array['field', 'is', 'values', 'zone']) <> '{}' then
    raise exception 'A condition has a field, a comparison and values.' using hint = 'access.condition';
  end if;
  if field is null or not columns ? field then
    raise exception 'The table has no field %.', coalesce(field, '') using hint = 'access.field';
  end if;
  if test in ('empty', 'filled') then
    return format(case test when 'empty' then case kind when 'text' then '(%1$I is null or %1$I = '''')' else '%1$I is null' end
                            else case kind when 'text' then '(%1$I is not null and %1$I <> '''')' else '%1$I is not null' end end, field);
  end if;
  if test is null or kind is null or not (
       test in ('one_of', 'none_of') and kind <> 'datetime'
       or operator is not null and kind in ('integer', 'bigint', 'number', 'date', 'datetime')
       or test = 'contains' and kind = 'text') then
    raise exception 'A rule cannot compare % like this.', field using hint = 'access.condition';
  end if;
  if holdfast.is_of_today(condition) and jsonb_array_length(given) = 1 then
    return holdfast.today_condition_sql(field, kind, condition);
  end if;
  if jsonb_typeof(given) is distinct from 'array' or jsonb_array_length(given) not between 1 and (case when test in ('one_of', 'none_of') then holdfast.access_limit('values') else 1 end)
     or exists (select from jsonb_array_elements(given) one (value) where holdfast.is_rule_value(kind, one.value) is not true) then
    raise exception 'A condition on % compares it with 1 to 20 values of its kind.', field using hint = 'access.values';
  end if;
  if test = 'contains' then
    return format('(%1$I is not null and strpos(lower(%1$I), %2$L) > 0)', field, lower(given ->> 0));
  elsif operator is not null then
    return format('(%1$I is not null and %1$I %2$s %3$L)', field, operator, given ->> 0);
  end if;
  select string_agg(quote_literal(one.value), ', ' order by one.place) into listed
    from jsonb_array_elements_text(given) with ordinality one (value, place);
  return format(case test when 'one_of' then '(%1$I is not null and %1$I in (%2$s))' else '(%1$I is null or %1$I not in (%2$s))' end, field, listed);
end
$$;
comment on function holdfast.rule_condition_sql(jsonb, jsonb) is 'The SQL of a condition {field, is, values, zone}; never NULL.';

-- The single conditions of a list, in their order.
create function holdfast.flat_conditions(conditions jsonb) returns table (value jsonb, place bigint)
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select inner_.value, row_number() over (order by outer_.place, inner_.place)
    from jsonb_array_elements(case jsonb_typeof(conditions) when 'array' then conditions else '[]' end) with ordinality outer_ (value, place),
         jsonb_array_elements(case when jsonb_typeof(outer_.value -> 'any') = 'array' then outer_.value -> 'any' else jsonb_build_array(outer_.value) end) with ordinality inner_ (value, place)
$$;
comment on function holdfast.flat_conditions(jsonb) is 'The single conditions of a list, whether all or any of them are required.';

create or replace function holdfast.rule_conditions_sql(conditions jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if conditions is null or conditions in ('[]', 'null') then
    return null;
  end if;
  if jsonb_typeof(conditions) <> 'array' or exists (
       select from jsonb_array_elements(conditions) one (value)
        where case when jsonb_typeof(one.value) <> 'object' then true
                   when one.value ? 'any' then jsonb_typeof(one.value -> 'any') <> 'array' or one.value -> 'any' = '[]' or one.value - 'any' <> '{}' end) then
    raise exception 'Conditions are a list, in which {"any": [...]} has alternatives.' using hint = 'access.condition';
  end if;
  if (select count(*) from holdfast.flat_conditions(conditions)) > holdfast.access_limit('conditions') then
    raise exception 'A rule has 8 conditions at most.' using hint = 'access.condition';
  end if;
  return (select string_agg(case when one.value ? 'any'
                                 then (select '(' || string_agg(holdfast.rule_condition_sql(a.value, columns), ' or ' order by a.place) || ')'
                                         from jsonb_array_elements(one.value -> 'any') with ordinality a (value, place))
                                 else holdfast.rule_condition_sql(one.value, columns) end, ' and ' order by one.place)
            from jsonb_array_elements(conditions) with ordinality one (value, place));
end
$$;

-- As in 0075; a rule for seeing has the same conditions or fewer, each exactly as it is.
create or replace function holdfast.require_seen(rules jsonb) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  command text;
begin
  foreach command in array array['add', 'change', 'delete'] loop
    if exists (
      select from jsonb_array_elements(rules -> command) does (rule)
       where not exists (
         select from jsonb_array_elements(rules -> 'see') sees (rule)
          where (sees.rule ->> 'role')::holdfast.workspace_role <= (does.rule ->> 'role')::holdfast.workspace_role
            and (sees.rule ->> 'scope' = 'all' or (sees.rule ->> 'scope' = 'own' and command = 'add')
                 or ((sees.rule ->> 'scope', sees.rule ->> 'field') is not distinct from (does.rule ->> 'scope', does.rule ->> 'field')))
            and not exists (select from jsonb_array_elements(nullif(sees.rule -> 'when', 'null')) needed (value)
                             where not exists (select from jsonb_array_elements(nullif(does.rule -> 'when', 'null')) given (value) where given.value = needed.value)))) then
      raise exception 'Who may % records must be able to see them.', command using hint = 'access.unseen', detail = command;
    end if;
  end loop;
end
$$;

create or replace function holdfast.rule_fields(rules jsonb) returns text[]
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select array(
    select 'created_by'
    union select rule.value ->> 'field' from jsonb_each(rules) command, jsonb_array_elements(command.value) rule (value)
           where command.key in ('see', 'add', 'change') and rule.value ->> 'field' is not null
    union select condition.value ->> 'field' from jsonb_each(rules) command, jsonb_array_elements(command.value) rule (value),
                 holdfast.flat_conditions(rule.value -> 'when') condition
           where command.key in ('see', 'add', 'change'))
$$;

create or replace function holdfast.file_rule_sql(workspace uuid, rule jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  copies constant jsonb := (select jsonb_object_agg(holdfast.record_column(one.key), one.value) from jsonb_each(columns) one);
  conditions constant jsonb := (
    select jsonb_agg(case when one.value ? 'any' then jsonb_build_object('any', (
                            select jsonb_agg(a.value || jsonb_build_object('field', holdfast.record_column(a.value ->> 'field')) order by a.place)
                              from jsonb_array_elements(one.value -> 'any') with ordinality a (value, place)))
                          else one.value || jsonb_build_object('field', holdfast.record_column(one.value ->> 'field')) end order by one.place)
      from jsonb_array_elements(nullif(rule -> 'when', 'null')) with ordinality one (value, place));
  is_own constant boolean := rule ->> 'scope' = 'own';
begin
  return concat_ws(' and ', holdfast.rule_conditions_sql(conditions, copies), case when is_own then 'record_created_by = (select holdfast.user_id())' end,
    holdfast.rule_scope_sql(workspace, case when is_own then rule || '{"scope": "all"}'
                                            when rule ? 'field' then rule || jsonb_build_object('field', holdfast.record_column(rule ->> 'field'))
                                            else rule end, copies));
end
$$;

-- As in 0076, with alternatives. A CHECK holds when a record is written: it cannot change its mind at midnight.
create or replace function holdfast.required_when_sql(workspace uuid, table_name text, field text, conditions jsonb, only_new boolean default false) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  columns constant jsonb := holdfast.access_columns(of_table);
  name constant text := 'required_' || field;
  dropped constant text := (select format(E'alter table public.%I drop constraint %I;\n', required_when_sql.table_name, c.conname)
                              from pg_catalog.pg_constraint c where c.conrelid = of_table and c.contype = 'c' and c.conname = name);
  wanted constant text := holdfast.rule_conditions_sql(conditions, columns);
begin
  if field is null or not columns ? field or field in ('id', 'created_by', 'created_at', 'updated_at') then
    raise exception 'The table has no field % that can be required.', coalesce(field, '') using hint = 'access.field';
  end if;
  if exists (select from holdfast.flat_conditions(conditions) one where one.value ->> 'field' = required_when_sql.field) then
    raise exception 'A field cannot be required because of its own value.' using hint = 'access.condition';
  end if;
  if exists (select from holdfast.flat_conditions(conditions) one where holdfast.is_of_today(one.value)) then
    raise exception 'A required field cannot depend on today: Postgres checks a record when it is written, and today changes later.' using hint = 'access.clock';
  end if;
  if wanted is null then
    return coalesce(dropped, '');
  end if;
  return coalesce(dropped, '') || format(E'alter table public.%1$I add constraint %2$I check ((%3$s) is not true or %4$s)%5$s;\n'
    'comment on constraint %2$I on public.%1$I is %6$L;', table_name, name, wanted,
    holdfast.rule_condition_sql(jsonb_build_object('field', field, 'is', 'filled'), columns), case when only_new then ' not valid' else '' end,
    holdfast.required_words(of_table, field, conditions));
end
$$;

create function holdfast.condition_words(of_table regclass, condition jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select holdfast.field_words(of_table, condition ->> 'field') || case condition ->> 'is'
      when 'empty' then ' is empty' when 'filled' then ' is filled in'
      else case condition ->> 'is' when 'none_of' then ' is not ' when 'contains' then ' contains '
                when 'more_than' then ' is more than ' when 'at_least' then ' is at least ' when 'less_than' then ' is less than ' when 'at_most' then ' is at most ' else ' is ' end
           || (select string_agg(case word when 'true' then 'yes' when 'false' then 'no' else word end, ' or ' order by place)
                 from jsonb_array_elements_text(condition -> 'values') with ordinality w (word, place))
    end
$$;
comment on function holdfast.condition_words(regclass, jsonb) is 'A condition as a user reads it.';

create or replace function holdfast.required_words(of_table regclass, field text, conditions jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('%s is required when %s.', holdfast.field_words(of_table, field), string_agg(
           case when one.value ? 'any' then (select string_agg(holdfast.condition_words(of_table, a.value), ' or ' order by a.place)
                                               from jsonb_array_elements(one.value -> 'any') with ordinality a (value, place))
                else holdfast.condition_words(of_table, one.value) end, ' and ' order by one.place))
    from jsonb_array_elements(conditions) with ordinality one (value, place)
$$;

create function holdfast.rules_requiring(of_name text, of_field text) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (select from holdfast.table_rules r, jsonb_each(r.required_when) rule (required, conditions)
                  where r.table_name = of_name and (rule.required = of_field or exists (
                    select from holdfast.flat_conditions(rule.conditions) one where one.value ->> 'field' = of_field)))
$$;
comment on function holdfast.rules_requiring(text, text) is 'Whether a rule of when a field is required reads or requires the field.';

-- As in 0060, with the fields of alternatives.
create or replace function holdfast.delete_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  of_name constant name := (select c.relname from pg_class c where c.oid = of_table);
  -- A column's number is never given again.
  kept_as constant text := format('f%s_%s', of_table::oid, (select a.attnum from pg_attribute a where a.attrelid = of_table and a.attname = field));
  readers constant text := holdfast.computed_fields_reading(of_name, field);
begin
  if readers is not null then
    raise exception 'These fields use the field: %. Change or delete them first.', readers using hint = 'change_table.used';
  end if;
  if exists (select from holdfast.transitions t where (t.table_name, t.field) = (of_name::text, change ->> 'field')) then
    raise exception 'The field has rules of which value follows which. Remove them first.' using hint = 'change_table.used';
  end if;
  if holdfast.rules_requiring(of_name, field) then
    raise exception 'A rule of when a field is required uses the field. Remove it first.' using hint = 'change_table.used';
  end if;
  return format(E'create table holdfast_private.%1$I as select id, %2$I as value from %3$s where %2$I is not null;\n'
    'insert into holdfast_private.deleted_fields (kept_as, workspace_id, table_name, field_name, label, restore, deleted_by)' || E'\n'
    '  values (%1$L, %4$L, %5$L, %2$L, %6$L, %7$L, (select holdfast.user_id()));' || E'\nalter table %3$s drop column %2$I;\n',
    kept_as, field, holdfast.full_name(of_table), workspace, of_name, holdfast.field_label(of_table, field),
    holdfast.field_again_sql(of_table, field, kept_as));
end
$$;

create or replace function holdfast.users_of_type(of_table regclass, field name) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select string_agg(used.by, ', ' order by used.by) from (
    select pg_describe_object(d.classid, d.objid, 0) as by
      from pg_attribute a join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = of_table and d.refobjsubid = a.attnum
     where a.attrelid = of_table and a.attname = field and d.classid in ('pg_policy'::regclass, 'pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_trigger'::regclass)
       and not exists (select from pg_trigger t where d.classid = 'pg_trigger'::regclass and t.oid = d.objid and t.tgisinternal)
    union
    select format('index %s', i.indexrelid::regclass) from pg_attribute a
      join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = of_table and d.refobjsubid = a.attnum and d.classid = 'pg_class'::regclass
      join pg_index i on i.indexrelid = d.objid join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
     where a.attrelid = of_table and a.attname = field and (i.indnatts > 1 or i.indpred is not null or i.indexprs is not null or m.amname <> 'btree')
    union
    select format('rule %s', c.conname) from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
     where c.conrelid = of_table and a.attnum = any (c.conkey) and (cardinality(c.conkey) > 1 or c.contype = 'x'
           or (c.contype = 'c' and c.conname is distinct from holdfast.choice_constraint(of_table, field) and c.conname <> 'limits_' || field
               and pg_get_constraintdef(c.oid) !~ format('^CHECK \(\(\(%1$s >= 1\) AND \(%1$s <= [0-9]+\)\)\)$', quote_ident(field))))
    union
    select holdfast.computed_fields_reading(c.relname, field) from pg_class c where c.oid = of_table
    union
    select 'steps between options' from holdfast.transitions t join pg_class c on c.oid = of_table where t.table_name = c.relname and t.field = users_of_type.field
    union
    select 'a rule of when a field is required' from pg_class c where c.oid = of_table and holdfast.rules_requiring(c.relname, field)
    union
    select 'public form ' || (f.definition ->> 'title') from holdfast.public_forms f join pg_class c on c.oid = of_table
     where f.table_name = c.relname and f.is_open and f.definition -> 'questions' @> jsonb_build_array(jsonb_build_object('field', field))
  ) used (by) where used.by is not null
$$;

create or replace function holdfast.automation_used(config jsonb) returns table (table_name text, field text)
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  with steps as (
    select one.value as step, coalesce(one.value ->> 'table', config #>> '{when,table}') as target
      from jsonb_array_elements(case jsonb_typeof(config -> 'do') when 'array' then config -> 'do' else '[]' end) one (value))
  select u.table_name, u.field from (
    select config #>> '{when,table}' as table_name, null as field
    union select s.target, null from steps s
    union select config #>> '{when,table}', config #>> '{when,field}'
    union select config #>> '{when,table}', c.value ->> 'field' from holdfast.flat_conditions(config -> 'if') c
    union select s.target, f.name from steps s, jsonb_object_keys(coalesce(s.step -> 'set', '{}')) f (name)
    union select config #>> '{when,table}', s.step ->> 'field' from steps s
    union select config #>> '{when,table}', m[1]
            from steps s, jsonb_path_query(s.step, '$.** ? (@.type() == "string")') t (value), regexp_matches(t.value #>> '{}', '\{([^{}]*)\}', 'g') m
           where m[1] !~ '^(now|count|today([+-][0-9]{1,4})?)$'
    union select config #>> '{when,table}', substr(r.name, 7)
            from steps s, jsonb_array_elements_text(case jsonb_typeof(s.step -> 'to') when 'array' then s.step -> 'to' when 'string' then jsonb_build_array(s.step -> 'to') else '[]' end) r (name)
           where r.name like 'field:%') u
   where u.table_name is not null
$$;

create function holdfast.renamed_condition(condition jsonb, of_field text, renamed jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when condition ->> 'field' = of_field and condition ? 'values'
              then condition || jsonb_build_object('values', holdfast.renamed_values(condition -> 'values', renamed)) else condition end
$$;
comment on function holdfast.renamed_condition(jsonb, text, jsonb) is 'A condition after options of a field were renamed.';

create or replace function holdfast.with_renamed_options(config jsonb, of_table text, of_field text, renamed jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  changed jsonb := config;
  is_own constant boolean := config #>> '{when,table}' = of_table;
  side text;
begin
  if is_own and config #>> '{when,field}' = of_field then
    foreach side in array array['from', 'to'] loop
      if config -> 'when' ? side then
        changed := jsonb_set(changed, array['when', side], holdfast.renamed_values(config -> 'when' -> side, renamed));
      end if;
    end loop;
  end if;
  if is_own and config ? 'if' then
    changed := jsonb_set(changed, '{if}', (
      select coalesce(jsonb_agg(case when c.value ? 'any' then jsonb_build_object('any', (
                                       select jsonb_agg(holdfast.renamed_condition(a.value, of_field, renamed) order by a.place)
                                         from jsonb_array_elements(c.value -> 'any') with ordinality a (value, place)))
                                     else holdfast.renamed_condition(c.value, of_field, renamed) end order by c.place), '[]')
        from jsonb_array_elements(config -> 'if') with ordinality c (value, place)));
  end if;
  return jsonb_set(changed, '{do}', (
    select coalesce(jsonb_agg(case when coalesce(s.value ->> 'table', config #>> '{when,table}') = of_table and renamed ? (s.value -> 'set' ->> of_field)
                                   then jsonb_set(s.value, array['set', of_field], renamed -> (s.value -> 'set' ->> of_field)) else s.value end order by s.place), '[]')
      from jsonb_array_elements(config -> 'do') with ordinality s (value, place)));
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
       and p.proname in ('is_time_zone', 'is_of_today', 'today_condition_sql', 'flat_conditions', 'condition_words', 'rules_requiring', 'renamed_condition')
  loop
    execute format('revoke all on function %s from public', one.function);
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
