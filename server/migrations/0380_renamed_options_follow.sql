-- A renamed or merged option is renamed everywhere: in rules, steps, formulas, shared pages, public forms and the unsent changes of offline devices, as before in the filters of
-- views and dashboards and in automations.

create function holdfast.renamed_conditions(conditions jsonb, of_field text, renamed jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(case when c.value ? 'any' then jsonb_build_object('any', (
                                   select jsonb_agg(holdfast.renamed_condition(a.value, of_field, renamed) order by a.place)
                                     from jsonb_array_elements(c.value -> 'any') with ordinality a (value, place)))
                                 else holdfast.renamed_condition(c.value, of_field, renamed) end order by c.place), '[]')
    from jsonb_array_elements(conditions) with ordinality c (value, place)
$$;
comment on function holdfast.renamed_conditions(jsonb, text, jsonb) is 'A list of conditions after options of a field were renamed.';

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
    changed := jsonb_set(changed, '{if}', holdfast.renamed_conditions(config -> 'if', of_field, renamed));
  end if;
  return jsonb_set(changed, '{do}', (
    select coalesce(jsonb_agg(case when coalesce(s.value ->> 'table', config #>> '{when,table}') = of_table and renamed ? (s.value -> 'set' ->> of_field)
                                   then jsonb_set(s.value, array['set', of_field], renamed -> (s.value -> 'set' ->> of_field)) else s.value end order by s.place), '[]')
      from jsonb_array_elements(config -> 'do') with ordinality s (value, place)));
end
$$;

create function holdfast.renamed_access(rules jsonb, of_field text, renamed jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_object_agg(command.key, (
           select coalesce(jsonb_agg(case when jsonb_typeof(rule.value -> 'when') = 'array'
                                          then jsonb_set(rule.value, '{when}', holdfast.renamed_conditions(rule.value -> 'when', of_field, renamed))
                                          else rule.value end order by rule.place), '[]')
             from jsonb_array_elements(command.value) with ordinality rule (value, place)))
    from jsonb_each(rules) command
$$;
comment on function holdfast.renamed_access(jsonb, text, jsonb) is 'Access rules after options of a field were renamed.';

-- Only texts that a formula compares with the field itself are options: other texts are the owner's own words.
create function holdfast.renamed_formula(formula jsonb, fields text[], renamed jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  parts jsonb;
begin
  if jsonb_typeof(formula -> 'of') is distinct from 'array' then
    return formula;
  end if;
  select jsonb_agg(holdfast.renamed_formula(one.value, fields, renamed) order by one.place) into parts
    from jsonb_array_elements(formula -> 'of') with ordinality one (value, place);
  if formula ->> 'call' in ('=', '!=') and (parts -> 0 ->> 'field' = any (fields) or parts -> 1 ->> 'field' = any (fields))
     or formula ->> 'call' = 'switch' and parts -> 0 ->> 'field' = any (fields) then
    select jsonb_agg(case when renamed ? (one.value ->> 'text') and (formula ->> 'call' <> 'switch' or one.place % 2 = 0 and one.place < jsonb_array_length(parts))
                          then jsonb_build_object('text', renamed -> (one.value ->> 'text')) else one.value end order by one.place) into parts
      from jsonb_array_elements(parts) with ordinality one (value, place);
  end if;
  return jsonb_set(formula, '{of}', coalesce(parts, '[]'));
end
$$;
comment on function holdfast.renamed_formula(jsonb, text[], jsonb) is 'A formula after options of fields that it reads were renamed.';

-- The field itself, and lookups that show its value in other tables.
create function holdfast.fields_showing(workspace uuid, of_name text, field text) returns table (table_name text, field_name text)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive shown (table_name, field_name) as (
    select of_name, field
    union
    select f.table_name, f.field_name from shown s
      join holdfast.computed_fields f on f.workspace_id = workspace and f.kind = 'lookup' and f.definition ->> 'field' = s.field_name
       and holdfast.linked_table(f.table_name, f.definition ->> 'link') = to_regclass(format('public.%I', s.table_name)))
  select s.table_name, s.field_name from shown s
$$;
comment on function holdfast.fields_showing(uuid, text, text) is 'A field and the lookups of it, by table.';

create function holdfast.rename_in_computed_sql(workspace uuid, of_name text, field text, renamed jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select coalesce(string_agg(format(E'select holdfast.set_computed_field(%L, %L, %L);\n', workspace, one.table_name,
                                    one.changed || jsonb_build_object('name', one.field_name, 'label', one.label)), '' order by one.table_name, one.field_name), '')
    from (
      select f.table_name, f.field_name, f.label, f.definition,
             case f.kind when 'formula' then jsonb_set(f.definition, '{formula}', holdfast.renamed_formula(f.definition -> 'formula', s.fields, renamed))
                         when 'rollup' then case when f.definition ? 'only'
                           then jsonb_set(f.definition, '{only}', holdfast.renamed_formula(f.definition -> 'only', s.fields, renamed)) end end as changed
        from holdfast.computed_fields f
        join (select w.table_name, array_agg(w.field_name) as fields from holdfast.fields_showing(workspace, of_name, field) w group by w.table_name) s
          on s.table_name = case f.kind when 'rollup' then f.definition ->> 'table' else f.table_name end
       where f.workspace_id = workspace) one
   where one.changed <> one.definition
$$;
comment on function holdfast.rename_in_computed_sql(uuid, text, text, jsonb) is 'Statements that rename options in formulas and in the conditions of rollups.';

-- Of steps that become the same, the strictest stays.
create function holdfast.rename_in_transitions(of_name text, field text, renamed jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  kept holdfast.transitions[];
begin
  if not exists (select from holdfast.transitions t
                  where t.schema_name = 'public' and t.table_name = of_name and t.field = rename_in_transitions.field and renamed ?| array[t.from_value, t.to_value]) then
    return;
  end if;
  select array_agg(one.step) into kept from (
    select distinct on (n.from_value, n.to_value) jsonb_populate_record(t, jsonb_build_object('from_value', n.from_value, 'to_value', n.to_value)) as step
      from holdfast.transitions t,
           lateral (select coalesce(renamed ->> t.from_value, t.from_value) as from_value, coalesce(renamed ->> t.to_value, t.to_value) as to_value) n
     where t.schema_name = 'public' and t.table_name = of_name and t.field = rename_in_transitions.field
       and (n.from_value is distinct from n.to_value or t.from_value = t.to_value)
     order by n.from_value, n.to_value, t.allowed_if is null, t.least_role desc, t.id) one;
  delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = of_name and t.field = rename_in_transitions.field;
  insert into holdfast.transitions select (step).* from unnest(kept) step;
  -- Recorded now, as a part of this change, and not on its own when the transaction ends.
  set constraints holdfast.record_change immediate;
  set constraints holdfast.record_change deferred;
end
$$;
comment on function holdfast.rename_in_transitions(text, text, jsonb) is 'Renames options in the steps between them.';

-- The condition of a filter as shared pages store it.
create function holdfast.renamed_filter(node jsonb, of_field text, renamed jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(node -> 'nodes') = 'array' then
    return jsonb_set(node, '{nodes}', (select coalesce(jsonb_agg(holdfast.renamed_filter(n.value, of_field, renamed) order by n.place), '[]')
                                         from jsonb_array_elements(node -> 'nodes') with ordinality n (value, place)));
  end if;
  return holdfast.renamed_condition(node, of_field, renamed);
end
$$;
comment on function holdfast.renamed_filter(jsonb, text, jsonb) is 'The filter of a shared page after options of a field were renamed.';

create function holdfast.rename_in_links(of_name text, field text, renamed jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  update holdfast.view_links l set definition = one.changed
    from (select o.id, o.definition || jsonb_build_object(
                   'fields', (select jsonb_agg(case when f.value ->> 'field' = rename_in_links.field and jsonb_typeof(f.value -> 'choices') = 'object'
                                                    then jsonb_set(f.value, '{choices}', (
                                                      select jsonb_object_agg(coalesce(renamed ->> c.key, c.key), coalesce(renamed -> c.key, c.value) order by renamed ? c.key desc)
                                                        from jsonb_each(f.value -> 'choices') c))
                                                    else f.value end order by f.place)
                                from jsonb_array_elements(o.definition -> 'fields') with ordinality f (value, place)))
                 || case when o.definition ? 'filter' then jsonb_build_object('filter', holdfast.renamed_filter(o.definition -> 'filter', rename_in_links.field, renamed)) else '{}' end as changed
            from holdfast.view_links o where o.table_name = of_name) one
   where l.id = one.id and l.definition <> one.changed;
  update holdfast.public_forms f set definition = jsonb_set(f.definition, '{questions}', (
      select jsonb_agg(case when q.value ->> 'field' = rename_in_links.field and jsonb_typeof(q.value -> 'choices') = 'array'
                            then jsonb_set(q.value, '{choices}', (
                              select jsonb_agg(one.choice order by one.place) from (
                                select distinct on (n.choice ->> 'value') n.choice, c.place
                                  from jsonb_array_elements(q.value -> 'choices') with ordinality c (value, place),
                                       lateral (select case when renamed ? (c.value ->> 'value')
                                                            then jsonb_build_object('value', renamed -> (c.value ->> 'value'), 'label', renamed -> (c.value ->> 'value'))
                                                            else c.value end as choice) n
                                 order by n.choice ->> 'value', renamed ? (c.value ->> 'value'), c.place) one))
                            else q.value end order by q.place)
        from jsonb_array_elements(f.definition -> 'questions') with ordinality q (value, place)))
   where f.table_name = of_name and f.definition -> 'questions' @> jsonb_build_array(jsonb_build_object('field', rename_in_links.field));
end
$$;
comment on function holdfast.rename_in_links(text, text, jsonb) is 'Renames options in shared pages and public forms.';

-- What visitors answered in a form that they opened before an option was renamed.
create function holdfast.carried_answers(answers jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return answers || coalesce((
    select jsonb_object_agg(v."column", v.new_value)
      from holdfast.public_forms f
      join sync.renamed_values v on v."table" = to_regclass(format('public.%I', f.table_name)) and v.old_value = answers ->> v."column"::text
     where f.id = holdfast.public_form_id() and f.is_open), '{}');
end
$$;
comment on function holdfast.carried_answers(jsonb) is 'Answers of a visitor under the new names of renamed options.';

create function holdfast.refuse_named_options(of_table regclass, field name, choices jsonb, renamed jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  removed constant text[] := array(
    select o.value from jsonb_array_elements_text(holdfast.field_definition(of_table, field, '{}') -> 'choices') o where not choices ? o.value and not renamed ? o.value);
  is_ruled constant boolean := exists (
    select from holdfast.table_rules r where r.table_name = of_name and r.access is not null and r.access_mark = md5(holdfast.policies_of(of_table)::text));
  policies text;
begin
  if exists (select from holdfast.transitions t
              where t.schema_name = 'public' and t.table_name = of_name and t.field = refuse_named_options.field and (t.from_value = any (removed) or t.to_value = any (removed)))
     or exists (select from holdfast.table_rules r, unnest(removed) old
                 where r.table_name = of_name and jsonb_path_exists(jsonb_build_array(r.access, r.required_when), '$.** ? (@.field == $field).values[*] ? (@ == $old)',
                                                                    jsonb_build_object('field', field, 'old', old))) then
    raise exception 'A rule of the table names an option that would be removed. Change the rule first.' using hint = 'change_table.used';
  end if;
  -- What a developer wrote is not rewritten.
  select string_agg(distinct p.polname, ', ') into policies
    from pg_attribute a
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = of_table and d.refobjsubid = a.attnum and d.classid = 'pg_policy'::regclass
    join pg_policy p on p.oid = d.objid and not (p.polrelid = of_table and is_ruled)
    cross join jsonb_object_keys(renamed) old
   where a.attrelid = of_table and a.attname = field
     and strpos(concat(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), quote_literal(old)) > 0;
  if policies is not null then
    raise exception 'A policy that a developer wrote names an option that would change: %.', policies using hint = 'change_table.used';
  end if;
end
$$;
comment on function holdfast.refuse_named_options(regclass, name, jsonb, jsonb) is 'Refuses changes of options that rules name and that cannot follow.';

-- Constraints of "required when" are dropped before the values change, and made for the new ones after it.
create function holdfast.renamed_required_sql(workspace uuid, of_table regclass, field name, renamed jsonb)
  returns table (before_sql text, after_sql text)
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select coalesce(string_agg(one.dropped, '' order by one.required), ''),
         coalesce(string_agg(replace(holdfast.required_when_sql(workspace, one.of_name, one.required, one.conditions, one.only_new), one.dropped, '')
           || format(E'\nupdate holdfast.table_rules r set required_when = r.required_when || %L where r.table_name = %L;\n',
                     jsonb_build_object(one.required, one.conditions), one.of_name), '' order by one.required), '')
    from (
      select r.table_name as of_name, rule.required, holdfast.renamed_conditions(rule.conditions, field, renamed) as conditions, not c.convalidated as only_new,
             format(E'alter table public.%I drop constraint %I;\n', r.table_name, c.conname) as dropped
        from pg_class t
        join holdfast.table_rules r on r.table_name = t.relname
        cross join lateral jsonb_each(r.required_when) rule (required, conditions)
        join pg_constraint c on c.conrelid = of_table and c.contype = 'c' and c.conname = 'required_' || rule.required
       where t.oid = of_table and rule.conditions <> holdfast.renamed_conditions(rule.conditions, field, renamed)) one
$$;
comment on function holdfast.renamed_required_sql(uuid, regclass, name, jsonb) is 'Statements that rename options in the conditions under which fields are required.';

create function holdfast.rename_in_access_sql(workspace uuid, of_table regclass, field name, renamed jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select coalesce((
    select holdfast.access_sql(workspace, one.of_name, one.changed) || format(E'\nselect holdfast.keep_access(%L, %L, %L);\n', workspace, one.of_name, one.changed)
      from (select r.table_name as of_name, r.access, holdfast.renamed_access(r.access, field, renamed) as changed
              from pg_class t join holdfast.table_rules r on r.table_name = t.relname
             where t.oid = of_table and r.access is not null and r.access_mark = md5(holdfast.policies_of(of_table)::text)) one
     where one.changed <> one.access), '')
$$;
comment on function holdfast.rename_in_access_sql(uuid, regclass, name, jsonb) is 'Statements that rename options in the rules of who may see and change records.';

-- As in 0061. Everything that names a renamed option follows.
create or replace function holdfast.set_choices_sql(of_table regclass, field name, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  full_name constant text := holdfast.full_name(of_table);
  listed constant text := holdfast.choice_constraint(of_table, field);
  renamed constant jsonb := coalesce(nullif(change -> 'renamed', 'null'), '{}');
  checked constant text := substring(holdfast.new_choice_sql(field, change -> 'choices') from '^text (check .*)$');
  lost bigint;
  required record;
begin
  if listed is null then
    raise exception 'The field has no options that can change.' using hint = 'change_table.no_choices';
  end if;
  if jsonb_typeof(renamed) <> 'object' or exists (select from jsonb_each(renamed) one (old, value) where not change -> 'choices' @> jsonb_build_array(one.value)) then
    raise exception 'A renamed option is one of the options.' using hint = 'change_table.choices';
  end if;
  execute format('select count(*) from %1$s where %2$I is not null and coalesce(%3$L::jsonb ->> %2$I, %2$I) not in (select jsonb_array_elements_text(%4$L::jsonb))',
                 full_name, field, renamed, change -> 'choices') into lost;
  if lost > 0 then
    raise exception '% records have an option that would be removed. Rename it to another option, or change the records first.', lost
      using hint = 'change_table.choices_used', detail = lost::text;
  end if;
  perform holdfast.refuse_named_options(of_table, field, change -> 'choices', renamed);
  select * into required from holdfast.renamed_required_sql(workspace, of_table, field, renamed);
  return format(E'alter table %s drop constraint %I;\n', full_name, listed)
    || required.before_sql
    || case when renamed = '{}' then '' else format(
         E'alter table %1$s disable trigger user;\nupdate %1$s set %2$I = %3$L::jsonb ->> %2$I where %3$L::jsonb ? %2$I;\nalter table %1$s enable trigger user;\n',
         full_name, field, renamed) end
    || format(E'alter table %s add constraint %I %s;\n', full_name, listed, checked)
    || format(E'select holdfast.keep_choice_words(%L, %L, %L, %L);\n', of_name, field, change -> 'choices', renamed)
    || required.after_sql
    || case when renamed = '{}' then '' else
         format(E'select holdfast.rename_in_transitions(%L, %L, %L);\nselect holdfast.rename_in_links(%1$L, %2$L, %3$L);\n', of_name, field, renamed)
         || (select string_agg(format(E'select holdfast.rename_in_views(%L, %L, %L);\n', s.table_name, s.field_name, renamed), '' order by s.table_name, s.field_name)
               from holdfast.fields_showing(workspace, of_name, field) s)
         || holdfast.rename_in_access_sql(workspace, of_table, field, renamed)
         || holdfast.rename_in_computed_sql(workspace, of_name, field, renamed) end
    || format(E'select sync.carry_values(%L, %L, %L, %L);\n', full_name, field, renamed, change -> 'choices');
end
$$;

-- As in 0360, without the views, which set_choices_sql renames in.
create or replace function holdfast.edit_more_sql(of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  renamed constant jsonb := coalesce(nullif(change -> 'renamed', 'null'), '{}');
begin
  if jsonb_typeof(change -> 'unique') not in ('boolean', 'null') or jsonb_typeof(change -> 'limits') not in ('object', 'null') then
    raise exception 'A field is unique or not, and limits are an object.' using hint = 'change_table.kind';
  end if;
  return case when coalesce(jsonb_typeof(change -> 'colours'), 'null') <> 'null' then holdfast.set_choice_colours_sql(of_table, field, change)
              when jsonb_typeof(change -> 'choices') = 'array'
              then format(E'select holdfast.follow_choice_colours(%L, %L, %L, %L);\n', of_name, field, change -> 'choices', renamed) else '' end
    || case when coalesce(jsonb_typeof(change -> 'limits'), 'null') = 'null' then '' else holdfast.set_limits_sql(of_table, field, change -> 'limits') end
    || case when change ? 'default' then holdfast.set_default_sql(of_table, field, change -> 'default')
            when change ? 'choices' then holdfast.keep_default_sql(of_table, field, change -> 'choices', renamed) else '' end
    || case when (change ->> 'unique') is null then '' else holdfast.set_unique_sql(of_table, field, (change ->> 'unique')::boolean) end;
end
$$;

-- A field of another type has no options that could have been renamed.
create or replace function holdfast.carry_dates_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select case when change #>> '{to,kind}' in ('date', 'datetime') and a.atttypid in ('date'::regtype, 'timestamptz'::regtype) then
    format(E'select sync.carry_dates(%L, %L, %L);\n', holdfast.full_name(of_table), a.attname,
           coalesce((select w.time_zone from holdfast.workspaces w where w.id = workspace), 'UTC')) else '' end
    || case when holdfast.choice_constraint(of_table, a.attname) is not null
            then format(E'select sync.carry_values(%L, %L, ''{}'', ''[]'');\n', holdfast.full_name(of_table), a.attname) else '' end
    from pg_attribute a where a.attrelid = of_table and a.attname = change ->> 'field' and not a.attisdropped
$$;
comment on function holdfast.carry_dates_sql(uuid, regclass, jsonb) is
  'The statements that carry over what devices write into a date that becomes a time, or the reverse, and that end the carrying over of renamed options.';

-- As in 0160. Options that become one bring records under the rules of the option that stays.
create or replace function holdfast.change_table(workspace uuid, table_name text, change jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table regclass;
  statements text;
  copy text;
  used text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update; -- one change at a time
  of_table := holdfast.require_changeable_table(workspace, table_name);
  statements := holdfast.any_change_sql(workspace, of_table, change);
  if change ->> 'kind' = 'duplicate_table' then
    copy := holdfast.free_table_name(of_table);
  end if;
  perform holdfast.run_recorded(statements);
  perform holdfast.record_change(workspace, table_name, change ->> 'kind', change, statements);
  return jsonb_strip_nulls(jsonb_build_object('statements', statements, 'table', copy));
exception
  when dependent_objects_still_exist then
    get stacked diagnostics used = pg_exception_detail;
    raise exception 'Something uses the field: %', used using errcode = 'dependent_objects_still_exist', hint = 'change_table.used';
  when unique_violation then
    get stacked diagnostics used = pg_exception_detail;
    raise exception 'Two records would have the same value: %', used using errcode = 'unique_violation', hint = 'change_table.duplicates';
  when check_violation then
    get stacked diagnostics used = constraint_name;
    if not starts_with(used, 'required_') then
      raise;
    end if;
    raise exception 'Some records lack a value in %, which the rules require of the option that they would have. Fill it in first.',
      holdfast.field_words(of_table, substr(used, 10)) using errcode = 'check_violation', hint = 'change_table.rule_gaps';
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function, p.proname from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('renamed_conditions', 'renamed_access', 'renamed_formula', 'fields_showing', 'rename_in_computed_sql', 'rename_in_transitions', 'renamed_filter',
                         'rename_in_links', 'carried_answers', 'refuse_named_options', 'renamed_required_sql', 'rename_in_access_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.proname = 'carried_answers' then
      execute format('grant execute on function %s to anon', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
