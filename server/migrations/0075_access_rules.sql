-- Rules of who may see, add, change and delete the records of a table that a workspace made, and the policies that follow from them.
--
-- Rules are {"see": […], "add": […], "change": […], "delete": […]}, each a list of alternatives {"role", "scope", "field", "when"}. They form a closed grammar:
-- every set of rules compiles to policies that sync by keys (server/test/access-rules.pg.test.ts).

create table holdfast.table_rules (
  id uuid default gen_random_uuid() constraint holdfast_table_rules_key primary key,
  workspace_id uuid not null constraint holdfast_table_rules_workspace references holdfast.workspaces (id) on delete cascade,
  table_name text not null constraint holdfast_table_rules_once unique constraint holdfast_table_rules_table_name check (length(table_name) between 1 and 63),
  access jsonb,
  access_mark text,
  required_when jsonb not null default '{}',
  updated_at timestamptz not null default now()
);
create index holdfast_table_rules_workspace_id_idx on holdfast.table_rules (workspace_id);
comment on table holdfast.table_rules is 'Rules of tables. What owners and admins have set in the app; policies, constraints and triggers enforce it.';
comment on column holdfast.table_rules.workspace_id is 'Workspace.';
comment on column holdfast.table_rules.table_name is 'Table.';
comment on column holdfast.table_rules.access is 'Access. The rules that the policies were made of.';
comment on column holdfast.table_rules.access_mark is 'Access mark. Tells whether the policies have changed since.';
comment on column holdfast.table_rules.required_when is 'Required when. The conditions under which a field must be filled in, by field.';
comment on constraint holdfast_table_rules_once on holdfast.table_rules is 'A table has its rules once.';
create trigger touch before update on holdfast.table_rules for each row execute function holdfast.touch();
alter table holdfast.table_rules enable row level security;
revoke all on holdfast.table_rules from anon, authenticated;
grant select on holdfast.table_rules to authenticated;
grant all on holdfast.table_rules to service_role;

-- Members, as fields of records link to them.
create function holdfast.my_member_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.id from holdfast.members m
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active'
$$;
comment on function holdfast.my_member_ids() is 'The caller''s memberships: what a field that links to members holds for the caller.';

create function holdfast.access_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'alternatives' then 8
    when 'conditions' then 4
    when 'values' then 20
    when 'characters of a value' then 100
  end
$$;
comment on function holdfast.access_limit(text) is 'Limits of access rules; docs/reference/people.md lists them.';

-- {column: kind}. A kind without a comparison that devices and Postgres agree on is null.
create function holdfast.access_columns(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_object_agg(a.attname, case
           when f.confrelid = 'holdfast.members'::regclass then 'members'
           when f.confrelid = 'holdfast.teams'::regclass then 'teams'
           when a.atttypid in ('text'::regtype, 'varchar'::regtype) then 'text'
           when a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) then 'integer'
           when a.atttypid in ('bool'::regtype, 'date'::regtype, 'uuid'::regtype) then format_type(a.atttypid, null)
         end)
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_constraint f on f.conrelid = a.attrelid and f.contype = 'f' and f.conkey = array[a.attnum]
   where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v'
$$;
comment on function holdfast.access_columns(regclass) is 'The columns of a table and how rules compare them.';

create function holdfast.access_columns(fields jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(field.value ->> 'name', case field.value ->> 'kind'
           when 'choice' then 'text' when 'text' then 'text' when 'integer' then 'integer' when 'boolean' then 'boolean' when 'date' then 'date'
           when 'link' then case field.value ->> 'table' when 'hf_teams' then 'teams' when 'hf_members' then 'members' else 'uuid' end
         end), '{}') || '{"created_by": "uuid"}'
    from jsonb_array_elements(fields) field (value)
$$;
comment on function holdfast.access_columns(jsonb) is 'The same of a table that is described and does not exist yet.';

create function holdfast.is_day(value text) returns boolean
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return make_date(split_part(value, '-', 1)::integer, split_part(value, '-', 2)::integer, split_part(value, '-', 3)::integer) is not null;
exception
  when datetime_field_overflow or invalid_text_representation or numeric_value_out_of_range then
    return false; -- such as 2026-02-30
end
$$;
comment on function holdfast.is_day(text) is 'Whether a text of the form YYYY-MM-DD is a day of the calendar. Postgres 15 has no pg_input_is_valid.';

create function holdfast.is_rule_value(kind text, value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_typeof(value) = 'string' and case kind
           when 'text' then length(value #>> '{}') between 1 and holdfast.access_limit('characters of a value') and (value #>> '{}') !~ '[[:cntrl:]\\]'
           when 'integer' then (value #>> '{}') ~ '^-?(0|[1-9][0-9]{0,3})$' -- in the range of every integer type
           when 'boolean' then (value #>> '{}') in ('true', 'false')
           when 'date' then (value #>> '{}') ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and holdfast.is_day(value #>> '{}')
           else kind is not null and (value #>> '{}') ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'
         end
$$;
comment on function holdfast.is_rule_value(text, jsonb) is 'Whether a condition may compare a column of this kind with the value.';

-- One condition on a field, never NULL.
create function holdfast.rule_condition_sql(condition jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  field constant text := condition ->> 'field';
  kind constant text := columns ->> field;
  test constant text := condition ->> 'is';
  given constant jsonb := condition -> 'values';
  listed text;
begin
  if field is null or not columns ? field then
    raise exception 'The table has no field %.', coalesce(field, '') using hint = 'access.field';
  end if;
  if test in ('empty', 'filled') then
    return format(case test when 'empty' then case kind when 'text' then '(%1$I is null or %1$I = '''')' else '%1$I is null' end
                            else case kind when 'text' then '(%1$I is not null and %1$I <> '''')' else '%1$I is not null' end end, field);
  end if;
  if test is null or test not in ('one_of', 'none_of') or kind is null then
    raise exception 'A rule cannot compare % like this.', field using hint = 'access.condition';
  end if;
  if jsonb_typeof(given) is distinct from 'array' or jsonb_array_length(given) not between 1 and holdfast.access_limit('values')
     or exists (select from jsonb_array_elements(given) one (value) where holdfast.is_rule_value(kind, one.value) is not true) then
    raise exception 'A condition on % compares it with 1 to 20 values of its kind.', field using hint = 'access.values';
  end if;
  select string_agg(quote_literal(one.value), ', ' order by one.place) into listed
    from jsonb_array_elements_text(given) with ordinality one (value, place);
  return format(case test when 'one_of' then '(%1$I is not null and %1$I in (%2$s))' else '(%1$I is null or %1$I not in (%2$s))' end, field, listed);
end
$$;
comment on function holdfast.rule_condition_sql(jsonb, jsonb) is 'The SQL of a condition {field, is, values}.';

create function holdfast.rule_conditions_sql(conditions jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if conditions is null or conditions in ('[]', 'null') then
    return null;
  end if;
  if jsonb_typeof(conditions) <> 'array' or jsonb_array_length(conditions) > holdfast.access_limit('conditions') then
    raise exception 'A rule has 4 conditions at most.' using hint = 'access.condition';
  end if;
  return (select string_agg(holdfast.rule_condition_sql(one.value, columns), ' and ' order by one.place)
            from jsonb_array_elements(conditions) with ordinality one (value, place));
end
$$;
comment on function holdfast.rule_conditions_sql(jsonb, jsonb) is 'The SQL of all conditions of a rule; null without any.';

-- Whose records: the role, and the link between the record and the user.
create function holdfast.rule_scope_sql(workspace uuid, rule jsonb, columns jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  field constant text := rule ->> 'field';
  role constant text := rule ->> 'role';
  scope constant text := rule ->> 'scope';
begin
  if role is null or role not in ('viewer', 'commenter', 'editor') then
    raise exception 'A rule is for viewers, commenters or editors; owners and admins may do everything.' using hint = 'access.role';
  end if;
  if scope is null or scope not in ('all', 'own', 'assigned', 'team') or (scope in ('assigned', 'team')) <> (field is not null) then
    raise exception 'A rule is about all records, own ones, assigned ones or those of a team.' using hint = 'access.scope';
  end if;
  if field is not null and columns ->> field is distinct from (case scope when 'team' then 'teams' else 'members' end) then
    raise exception 'The field % does not link to %.', field, case scope when 'team' then 'teams' else 'members' end using hint = 'access.field';
  end if;
  return case scope
           when 'own' then 'created_by = (select holdfast.user_id()) and '
           when 'assigned' then format('%I in (select holdfast.my_member_ids()) and ', field)
           when 'team' then format('%I in (select holdfast.my_team_ids()) and ', field)
           else ''
         end || format('(select holdfast.role_in(%L)) >= %L', workspace, role);
end
$$;
comment on function holdfast.rule_scope_sql(uuid, jsonb, jsonb) is 'The SQL of a rule''s role and scope.';

create function holdfast.rule_words(command text, rule jsonb) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select format('%s %s %s%s.',
    case rule ->> 'role' when 'viewer' then 'Members' when 'commenter' then 'Commenters' else 'Editors' end,
    command,
    case rule ->> 'scope' when 'own' then 'the records that they added' when 'assigned' then 'the records assigned to them'
                          when 'team' then 'the records of their teams' else 'these records' end,
    case when coalesce(jsonb_array_length(nullif(rule -> 'when', 'null')), 0) > 0 then ' under the conditions of the rule' else '' end)
$$;
comment on function holdfast.rule_words(text, jsonb) is 'What a user reads whose change the rule refuses.';

-- {"see", "add", "change", "delete"}, each a list.
create function holdfast.require_access_rules(rules jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  command text;
begin
  if jsonb_typeof(rules) is distinct from 'object' or (rules - array['see', 'add', 'change', 'delete']) <> '{}' then
    raise exception 'Access rules are lists for see, add, change and delete.' using hint = 'access.rules';
  end if;
  foreach command in array array['see', 'add', 'change', 'delete'] loop
    if jsonb_typeof(rules -> command) is distinct from 'array' or jsonb_array_length(rules -> command) > holdfast.access_limit('alternatives')
       or exists (select from jsonb_array_elements(rules -> command) one (value)
                   where jsonb_typeof(one.value) <> 'object' or (one.value - array['role', 'scope', 'field', 'when']) <> '{}') then
      raise exception 'Access rules have up to 8 alternatives each for see, add, change and delete.' using hint = 'access.rules';
    end if;
  end loop;
  if exists (select from jsonb_array_elements(rules -> 'add') one (value) where one.value ->> 'scope' = 'own') then
    raise exception 'A new record is always the user''s own: who may add is a rule about all records.' using hint = 'access.scope';
  end if;
  return rules;
end
$$;
comment on function holdfast.require_access_rules(jsonb) is 'The rules, where they have the form of rules.';

create function holdfast.require_seen(rules jsonb) returns void
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
            and coalesce(nullif(sees.rule -> 'when', 'null'), '[]') <@ coalesce(nullif(does.rule -> 'when', 'null'), '[]'))) then
      raise exception 'Who may % records must be able to see them.', command using hint = 'access.unseen', detail = command;
    end if;
  end loop;
end
$$;
comment on function holdfast.require_seen(jsonb) is 'Refuses rules by which somebody may add, change or delete records that they may not see.';

-- Policies of rules. Owners and admins may do everything, also where the rules do not say so; guests have what is shared with them.
create function holdfast.access_policies(workspace uuid, table_name text, rules jsonb, columns jsonb)
  returns table (name text, command text, before_sql text, after_sql text, words text)
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  word text;
  rule record;
  scope text;
  condition text;
  is_open boolean;
begin
  perform holdfast.require_access_rules(rules);
  for word, command in select * from (values ('see', 'select'), ('add', 'insert'), ('change', 'update'), ('delete', 'delete')) c (word, command) loop
    is_open := false;
    for rule in select one.value, one.place from jsonb_array_elements(rules -> word) with ordinality one (value, place) order by one.place loop
      scope := holdfast.rule_scope_sql(workspace, rule.value, columns);
      condition := concat_ws(' and ', holdfast.rule_conditions_sql(rule.value -> 'when', columns), scope);
      is_open := is_open or (rule.value ->> 'scope' = 'all' and condition = scope);
      name := word || '_' || rule.place;
      before_sql := case when word <> 'add' then condition end;
      after_sql := case word when 'add' then condition when 'change' then scope end;
      words := case when word <> 'see' then holdfast.rule_words(word, rule.value) end;
      return next;
    end loop;
    if not is_open then
      scope := format('(select holdfast.role_in(%L)) >= ''admin''', workspace);
      name := 'admins_' || word;
      before_sql := case when word <> 'add' then scope end;
      after_sql := case when word in ('add', 'change') then scope end;
      words := case when word <> 'see' then format('Owners and admins of the workspace %s these records.', word) end;
      return next;
    end if;
  end loop;
  perform holdfast.require_seen(rules);
  return query values
    ('guests_read', 'select', format('id in (select holdfast.shared_record_ids(%L, %L))', table_name, workspace), null, null),
    ('guests_change', 'update', format('id in (select holdfast.changeable_record_ids(%L, %L))', table_name, workspace),
     format('id in (select holdfast.changeable_record_ids(%L, %L))', table_name, workspace), 'Guests change the records that are shared with them for that.');
end
$$;
comment on function holdfast.access_policies(uuid, text, jsonb, jsonb) is 'The policies of rules: what must hold for a record before and after a command, and the words of a refusal.';

create function holdfast.access_policies_sql(workspace uuid, name text, rules jsonb, columns jsonb) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg(
           format('create policy %I on public.%I for %s to authenticated', p.name, access_policies_sql.name, p.command)
           || coalesce(E'\n  using (' || p.before_sql || ')', '') || coalesce(E'\n  with check (' || p.after_sql || ')', '') || ';'
           || case when p.words is null then '' else format(E'\ncomment on policy %I on public.%I is %L;', p.name, access_policies_sql.name, p.words) end, E'\n' order by p.place)
    from holdfast.access_policies(workspace, name, rules, columns) with ordinality p (name, command, before_sql, after_sql, words, place)
$$;
comment on function holdfast.access_policies_sql(uuid, text, jsonb, jsonb) is 'The statements that create the policies of rules.';

-- The three choices for a new table, as rules.
create function holdfast.new_access_rules(access jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  scope constant jsonb := case access ->> 'kind'
    when 'members' then '{"scope": "all"}'::jsonb
    when 'own' then '{"scope": "own"}'
    when 'team' then jsonb_build_object('scope', 'team', 'field', access ->> 'field')
  end;
  changes constant jsonb := jsonb_build_array('{"role": "editor"}'::jsonb || scope);
begin
  if access ->> 'kind' = 'rules' then
    return access -> 'rules';
  end if;
  if scope is null then
    raise exception 'Who may see the records is members, own, team or rules.' using hint = 'new_table.access';
  end if;
  return jsonb_build_object('see', jsonb_build_array('{"role": "viewer"}'::jsonb || scope), 'change', changes, 'delete', changes,
                            'add', case access ->> 'kind' when 'own' then '[{"role": "editor", "scope": "all"}]' else changes end);
end
$$;
comment on function holdfast.new_access_rules(jsonb) is 'The access of a new table as rules.';

create or replace function holdfast.new_policies_sql(workspace uuid, name text, access jsonb, fields jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if access ->> 'kind' = 'team' and not exists (
    select from jsonb_array_elements(fields) field (value)
     where field.value ->> 'name' = access ->> 'field' and field.value ->> 'kind' = 'link' and field.value ->> 'table' = 'hf_teams') then
    raise exception 'The field that says whose team a record is of leads to teams.' using hint = 'new_table.team';
  end if;
  return holdfast.access_policies_sql(workspace, name, holdfast.new_access_rules(access), holdfast.access_columns(fields))
    || format(E'\nselect holdfast.keep_access(%L, %L, %L);', workspace, name, holdfast.new_access_rules(access));
end
$$;

-- A field can link to members, so that records can be assigned to them.
create or replace function holdfast.new_link_sql(target text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  linked constant text := case target when 'hf_teams' then 'holdfast.teams' when 'hf_members' then 'holdfast.members' else format('public.%I', target) end;
  found_table constant regclass := to_regclass(linked);
begin
  if found_table is null or not pg_catalog.has_table_privilege('authenticated', found_table, 'select') or not exists (
    select from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      join pg_catalog.pg_class c on c.oid = i.indrelid
     where i.indrelid = found_table and i.indisprimary and i.indnkeyatts = 1 and a.attname = 'id' and a.atttypid = 'uuid'::regtype
       and c.relkind in ('r', 'p') and c.relrowsecurity)
     -- A workspace's table is for its own people.
     or exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = target
                   and t.workspace_id is not null and t.workspace_id not in (select holdfast.my_workspace_ids())) then
    raise exception 'There is no table % whose records a field can lead to.', coalesce(target, '') using hint = 'new_table.link';
  end if;
  return format('uuid references %s (id) on delete set null', linked);
end
$$;

-- What the policies of a table say, in a form that two readings can be compared in.
create function holdfast.policies_of(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'name', p.polname, 'permissive', p.polpermissive,
           'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
           'roles', (select coalesce(jsonb_agg(case when r = 0 then 'public' else r::regrole::text end order by r), '[]') from unnest(p.polroles) r),
           'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
    from pg_catalog.pg_policy p where p.polrelid = of_table
$$;
comment on function holdfast.policies_of(regclass) is 'The policies of a table as Postgres prints them.';

create function holdfast.keep_access(workspace uuid, table_name text, rules jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into holdfast.table_rules as r (workspace_id, table_name, access, access_mark)
    values (workspace, keep_access.table_name, rules, md5(holdfast.policies_of(to_regclass(format('public.%I', keep_access.table_name)))::text))
    on conflict on constraint holdfast_table_rules_once do update
      set workspace_id = excluded.workspace_id, access = excluded.access, access_mark = excluded.access_mark,
          required_when = case when r.workspace_id = excluded.workspace_id then r.required_when else '{}' end;
end
$$;
comment on function holdfast.keep_access(uuid, text, jsonb) is 'Remembers the rules that the policies of a table were made of.';

create function holdfast.require_made_table(workspace uuid, name text) returns regclass
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_table constant regclass := (
    select c.oid from pg_catalog.pg_class c join holdfast.tables t on t.schema_name = 'public' and t.table_name = c.relname
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = name and t.workspace_id = workspace);
begin
  perform holdfast.require_admin(workspace);
  if found_table is null then
    raise exception 'The workspace has made no table %.', left(coalesce(name, ''), 63) using hint = 'new_table.not_made_here';
  end if;
  return found_table;
end
$$;
comment on function holdfast.require_made_table(uuid, text) is 'A table of the workspace. For owners and admins of it.';

create function holdfast.access_of(workspace uuid, table_name text) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  policies constant jsonb := holdfast.policies_of(of_table);
  kept record;
begin
  select r.access, r.access_mark into kept from holdfast.table_rules r where r.workspace_id = workspace and r.table_name = access_of.table_name;
  if kept.access is null or kept.access_mark is distinct from md5(policies::text) then
    return jsonb_build_object('kind', 'custom', 'policies', policies);
  end if;
  return jsonb_build_object('kind', 'rules', 'rules', kept.access, 'policies', policies);
end
$$;
comment on function holdfast.access_of(uuid, text) is 'The access rules of a table, or that a developer wrote its policies. For owners and admins.';

create function holdfast.access_sql(workspace uuid, table_name text, rules jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  dropped constant text := (select string_agg(format('drop policy %I on public.%I;', p.polname, access_sql.table_name), E'\n' order by p.polname)
                              from pg_catalog.pg_policy p where p.polrelid = of_table);
begin
  return concat_ws(E'\n', dropped, holdfast.access_policies_sql(workspace, table_name, rules, holdfast.access_columns(of_table)));
end
$$;
comment on function holdfast.access_sql(uuid, text, jsonb) is 'The statements that set_access runs. For owners and admins of the workspace.';

create function holdfast.set_access(workspace uuid, table_name text, rules jsonb, replace_custom boolean default false) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
begin
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if not replace_custom and holdfast.access_of(workspace, table_name) ->> 'kind' = 'custom' then
    raise exception 'A developer wrote the policies of this table. They are only replaced if you say so.' using hint = 'access.custom';
  end if;
  execute holdfast.access_sql(workspace, table_name, rules);
  perform holdfast.keep_access(workspace, table_name, rules);
exception
  when lock_not_available then
    raise exception 'Somebody is using the table. Try again.' using errcode = 'lock_not_available', hint = 'access.busy';
end
$$;
comment on function holdfast.set_access(uuid, text, jsonb, boolean) is 'Replaces the policies of a table by those of rules. For owners and admins of the workspace.';

-- Rules of a table that is gone are gone; a new one of its name starts without them.
create function holdfast.forget_rules() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from holdfast.table_rules r where old.schema_name = 'public' and r.table_name = old.table_name;
  return null;
end
$$;
comment on function holdfast.forget_rules() is 'Deletes the rules of a table that leaves the list of tables.';
revoke all on function holdfast.forget_rules() from public;
create trigger forget_rules after delete on holdfast.tables for each row execute function holdfast.forget_rules();

-- Templates have the three choices. Other rules are not written: the template then has the strictest ones.
create or replace function holdfast.table_access(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select choice.access
    from holdfast.table_rules r
    join pg_class c on c.oid = of_table and c.relname = r.table_name and c.relnamespace = 'public'::regnamespace
    join lateral (
      select '{"kind": "members"}'::jsonb union all select '{"kind": "own"}'
      union all select jsonb_build_object('kind', 'team', 'field', a.key) from jsonb_each_text(holdfast.access_columns(of_table)) a where a.value = 'teams'
    ) choice (access) on r.access = holdfast.new_access_rules(choice.access)
   where r.access_mark = md5(holdfast.policies_of(of_table)::text)
$$;

-- Tables of the app that have the policies of the three choices, as they were made until now.
do $$
declare
  one record;
  access jsonb;
  here text;
  team name;
begin
  for one in
    select t.workspace_id, t.table_name, c.oid as id,
           (select string_agg(p.polname || ' ' || p.polcmd::text || ' ' || coalesce(pg_catalog.pg_get_expr(p.polqual, c.oid), '') || ' ' ||
                              coalesce(pg_catalog.pg_get_expr(p.polwithcheck, c.oid), ''), E'\n' order by p.polname)
              from pg_catalog.pg_policy p where p.polrelid = c.oid and p.polname not in ('guests_read', 'guests_change')) as written
      from holdfast.tables t join pg_catalog.pg_class c on c.relname = t.table_name and c.relnamespace = 'public'::pg_catalog.regnamespace
     where t.workspace_id is not null and t.schema_name = 'public'
       and (select count(*) from pg_catalog.pg_policy p where p.polrelid = c.oid and p.polname in ('guests_read', 'guests_change')) = 2
  loop
    here := format('( SELECT holdfast.role_in(%L::uuid) AS role_in)', one.workspace_id);
    access := null;
    if one.written = format(E'editors_change * (%1$s >= ''editor''::holdfast.workspace_role) (%1$s >= ''editor''::holdfast.workspace_role)\n'
                            'members_read r (%1$s >= ''viewer''::holdfast.workspace_role) ', here) then
      access := '{"kind": "members"}';
    elsif one.written = format(E'admins_manage * (%1$s >= ''admin''::holdfast.workspace_role) (%1$s >= ''admin''::holdfast.workspace_role)\n'
                               'own_records_change * %2$s >= ''editor''::holdfast.workspace_role)) %2$s >= ''editor''::holdfast.workspace_role))\n'
                               'own_records_read r %2$s >= ''viewer''::holdfast.workspace_role)) ',
                               here, format('((created_by = ( SELECT holdfast.user_id() AS user_id)) AND (%s', here)) then
      access := '{"kind": "own"}';
    else
      for team in select a.attname from pg_catalog.pg_constraint f join pg_catalog.pg_attribute a on a.attrelid = f.conrelid and f.conkey = array[a.attnum]
                   where f.conrelid = one.id and f.contype = 'f' and f.confrelid = 'holdfast.teams'::pg_catalog.regclass loop
        if one.written = format(E'admins_manage * (%1$s >= ''admin''::holdfast.workspace_role) (%1$s >= ''admin''::holdfast.workspace_role)\n'
                                'team_changes * %2$s >= ''editor''::holdfast.workspace_role)) %2$s >= ''editor''::holdfast.workspace_role))\n'
                                'team_reads r %2$s >= ''viewer''::holdfast.workspace_role)) ',
                                here, format('((%I IN ( SELECT holdfast.my_team_ids() AS my_team_ids)) AND (%s', team, here)) then
          access := jsonb_build_object('kind', 'team', 'field', team);
        end if;
      end loop;
    end if;
    if access is not null then
      execute (select string_agg(format('drop policy %I on public.%I;', p.polname, one.table_name), ' ') from pg_catalog.pg_policy p where p.polrelid = one.id);
      execute holdfast.access_policies_sql(one.workspace_id, one.table_name, holdfast.new_access_rules(access), holdfast.access_columns(one.id::pg_catalog.regclass));
      perform holdfast.keep_access(one.workspace_id, one.table_name, holdfast.new_access_rules(access));
    end if;
  end loop;
end
$$;

-- Only what the app calls, and what policies ask, is for everybody.
revoke all on function holdfast.access_limit(text), holdfast.access_columns(regclass), holdfast.access_columns(jsonb), holdfast.is_day(text), holdfast.is_rule_value(text, jsonb),
  holdfast.rule_condition_sql(jsonb, jsonb), holdfast.rule_conditions_sql(jsonb, jsonb), holdfast.rule_scope_sql(uuid, jsonb, jsonb), holdfast.rule_words(text, jsonb),
  holdfast.require_access_rules(jsonb), holdfast.require_seen(jsonb), holdfast.access_policies(uuid, text, jsonb, jsonb),
  holdfast.access_policies_sql(uuid, text, jsonb, jsonb), holdfast.new_access_rules(jsonb), holdfast.policies_of(regclass),
  holdfast.require_made_table(uuid, text), holdfast.keep_access(uuid, text, jsonb) from public;
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.table_rules owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('my_member_ids', 'access_limit', 'access_columns', 'is_day', 'is_rule_value', 'rule_condition_sql', 'rule_conditions_sql', 'rule_scope_sql',
                         'rule_words', 'require_access_rules', 'require_seen', 'access_policies', 'access_policies_sql', 'new_access_rules', 'policies_of', 'require_made_table', 'keep_access', 'forget_rules',
                         'access_of', 'access_sql', 'set_access')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;
create policy admins_read on holdfast.table_rules for select to authenticated using (workspace_id in (select holdfast.my_administered_workspace_ids()));
reset role;
