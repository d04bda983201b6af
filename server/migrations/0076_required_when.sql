-- "Required when …" and "may change only from … to …" for fields of tables that a workspace made. A constraint and the triggers of holdfast.transitions enforce them, and
-- devices evaluate both.

create function holdfast.required_when_sql(workspace uuid, table_name text, field text, conditions jsonb, only_new boolean default false) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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
  if exists (select from jsonb_array_elements(nullif(conditions, 'null')) one (value) where one.value ->> 'field' = required_when_sql.field) then
    raise exception 'A field cannot be required because of its own value.' using hint = 'access.condition';
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

-- "Reason is required when State is Blocked."
create function holdfast.required_words(of_table regclass, field text, conditions jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('%s is required when %s.', holdfast.field_words(of_table, field), string_agg(
           holdfast.field_words(of_table, one.value ->> 'field') || case one.value ->> 'is'
             when 'empty' then ' is empty' when 'filled' then ' is filled in'
             else case one.value ->> 'is' when 'none_of' then ' is not ' else ' is ' end
                  || (select string_agg(case word when 'true' then 'yes' when 'false' then 'no' else word end, ' or ' order by place)
                        from jsonb_array_elements_text(one.value -> 'values') with ordinality w (word, place))
           end, ' and ' order by one.place))
    from jsonb_array_elements(conditions) with ordinality one (value, place)
$$;
comment on function holdfast.required_when_sql(uuid, text, text, jsonb, boolean) is 'The statements that set_required_when runs. For owners and admins of the workspace.';
comment on function holdfast.required_words(regclass, text, jsonb) is 'What a user reads who leaves a required field empty.';

create function holdfast.required_when_gaps(workspace uuid, table_name text, field text, conditions jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  columns constant jsonb := holdfast.access_columns(of_table);
  gaps jsonb;
begin
  if coalesce(nullif(conditions, 'null'), '[]') = '[]' then
    return '{"count": 0, "examples": []}';
  end if;
  execute format('with gap as (select id from %s where (%s) is true and (%s) is not true limit 1000)
                  select jsonb_build_object(''count'', (select count(*) from gap), ''examples'', (select coalesce(jsonb_agg(id), ''[]'') from (select id from gap order by id limit 5) e))',
                 of_table, holdfast.rule_conditions_sql(conditions, columns),
                 holdfast.rule_condition_sql(jsonb_build_object('field', field, 'is', 'filled'), columns)) into gaps;
  return gaps;
end
$$;
comment on function holdfast.required_when_gaps(uuid, text, text, jsonb) is
  'Records that a field would be required in and that lack it: their number, 1000 at most, and five ids. For owners and admins of the workspace.';

create function holdfast.set_required_when(workspace uuid, table_name text, field text, conditions jsonb, only_new boolean default false) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  statements constant text := holdfast.required_when_sql(workspace, table_name, field, conditions, only_new);
begin
  perform set_config('lock_timeout', '3s', true);
  if statements <> '' then
    execute statements;
  end if;
  insert into holdfast.table_rules as r (workspace_id, table_name, required_when)
    values (workspace, set_required_when.table_name, case when coalesce(nullif(conditions, 'null'), '[]') = '[]' then '{}' else jsonb_build_object(field, conditions) end)
    on conflict on constraint holdfast_table_rules_once do update
      set required_when = (r.required_when - field) || excluded.required_when;
exception
  when check_violation then
    raise exception 'Some records lack the field. Fill it in first, or apply the rule to new changes only.' using errcode = 'check_violation', hint = 'required.gaps';
  when lock_not_available then
    raise exception 'Somebody is using the table. Try again.' using errcode = 'lock_not_available', hint = 'access.busy';
end
$$;
comment on function holdfast.set_required_when(uuid, text, text, jsonb, boolean) is
  'Requires a field under conditions; without conditions no longer. only_new: records that lack it stay until their next change. For owners and admins.';

alter table holdfast.transitions add column least_role holdfast.workspace_role;
comment on column holdfast.transitions.least_role is 'Least role. Of the workspace, where the app has set it; allowed_if enforces it.';

-- The function that allowed_if names. Runs as the owner of the schema and only creates functions of this form.
create function holdfast.ensure_role_function(workspace uuid, least_role holdfast.workspace_role) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := format('is_%s_in_%s', least_role, replace(workspace::text, '-', ''));
begin
  if to_regprocedure(format('holdfast.%I()', name)) is null then
    execute format('create function holdfast.%I() returns boolean language sql stable set search_path = pg_catalog, pg_temp
                      as $body$ select coalesce(holdfast.role_in(%L) >= %L, false) $body$', name, workspace, least_role);
    execute format('comment on function holdfast.%I() is %L', name, 'Whether the caller has this role or a higher one in the workspace.');
  end if;
  return 'holdfast.' || name;
end
$$;
comment on function holdfast.ensure_role_function(uuid, holdfast.workspace_role) is 'The name of a function that says whether the caller has a role in a workspace.';
revoke all on function holdfast.ensure_role_function(uuid, holdfast.workspace_role) from public;

-- steps: [{"from", "to", "role"}]; from is null for a new record.
create function holdfast.set_transitions(workspace uuid, table_name text, field text, steps jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  step record;
begin
  if holdfast.access_columns(of_table) ->> field is distinct from 'text' then
    raise exception 'Only the steps of a choice can be limited.' using hint = 'access.field';
  end if;
  if jsonb_typeof(coalesce(nullif(steps, 'null'), '[]')) <> 'array' or jsonb_array_length(coalesce(nullif(steps, 'null'), '[]')) > 400 then
    raise exception 'A field has 400 steps at most.' using hint = 'transitions.steps';
  end if;
  perform set_config('lock_timeout', '3s', true);
  delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = set_transitions.table_name and t.field = set_transitions.field;
  if coalesce(nullif(steps, 'null'), '[]') = '[]' then
    perform holdfast.ignore_transitions(of_table, field);
    return;
  end if;
  for step in select distinct one.value ->> 'from' as from_value, one.value ->> 'to' as to_value, one.value ->> 'role' as role, jsonb_typeof(one.value) as type
                from jsonb_array_elements(steps) one (value) loop
    if step.type <> 'object' or coalesce(step.to_value, '') = '' or step.from_value = '' or length(step.to_value) > 100 or length(step.from_value) > 100
       or step.role not in ('commenter', 'editor', 'admin', 'owner') then
      raise exception 'A step goes from one choice to another, for everybody or from a role on.' using hint = 'transitions.steps';
    end if;
    insert into holdfast.transitions (workspace_id, table_name, field, from_value, to_value, least_role, allowed_if)
      values (workspace, set_transitions.table_name, set_transitions.field, step.from_value, step.to_value, step.role::holdfast.workspace_role,
              case when step.role is not null then holdfast.ensure_role_function(workspace, step.role::holdfast.workspace_role) end);
  end loop;
  perform holdfast.enforce_transitions(of_table, field::name);
exception
  when unique_violation then
    raise exception 'Each step is listed once.' using hint = 'transitions.steps';
  when lock_not_available then
    raise exception 'Somebody is using the table. Try again.' using errcode = 'lock_not_available', hint = 'access.busy';
end
$$;
comment on function holdfast.set_transitions(uuid, text, text, jsonb) is
  'Limits which value of a choice may follow which, and for whom; without steps no longer. For owners and admins of the workspace.';

revoke all on function holdfast.required_words(regclass, text, jsonb) from public;
-- As in 0051: functions whose text has a backslash say how it is written.
do $$
declare
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as name from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null
       and pg_catalog.strpos(p.prosrc, pg_catalog.chr(92)) > 0 and pg_catalog.pg_has_role(p.proowner, 'usage')
       and not exists (select from pg_catalog.unnest(p.proconfig) setting where setting like 'standard_conforming_strings=%')
  loop
    execute pg_catalog.format('alter routine %s set standard_conforming_strings = on', one.name);
  end loop;
end
$$;
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('required_when_sql', 'required_words', 'required_when_gaps', 'set_required_when', 'set_transitions')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('grant execute on function holdfast.ensure_role_function(uuid, holdfast.workspace_role) to %I', project);
  execute format('grant execute on function holdfast.enforce_transitions(regclass, name), holdfast.ignore_transitions(regclass, name) to %I', project);
end
$$;
