-- Checklists that owners and admins add to a table in the app: templates, questions, answers and findings. Answers follow the access rules of the table.

alter table holdfast.checklists add column follows_access boolean not null default false;
comment on column holdfast.checklists.follows_access is 'Follows access. Whether the policies of the answers are written again when the rules of the table change.';

create function holdfast.checklist_word(definition jsonb, key text, otherwise text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select holdfast.require_new_label(coalesce(nullif(btrim(definition #>> array['labels', key]), ''), otherwise))
$$;
comment on function holdfast.checklist_word(jsonb, text, text) is 'The label of a table or field of a new checklist, in the words of its owner.';

create function holdfast.free_table_name(wanted text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name text := holdfast.require_new_name(wanted, 'table');
  number integer := 1;
begin
  while to_regclass(format('public.%I', name)) is not null or to_regtype(format('public.%I', name)) is not null loop
    number := number + 1;
    name := format('%s_%s', left(wanted, 46), number);
  end loop;
  return name;
end
$$;
comment on function holdfast.free_table_name(text) is 'A name that no table has.';

-- Users see the answers of records that they see, and fill in records that they may change.
create function holdfast.following_policies_sql(workspace uuid, name text, link name, of_table name, rules jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  columns constant jsonb := holdfast.access_columns(to_regclass(format('public.%I', of_table)));
  statements text := '';
  word text;
  rule record;
  scope text;
  condition text;
begin
  foreach word in array array['see', 'change'] loop
    for rule in select one.value, one.place from jsonb_array_elements(rules -> word) with ordinality one (value, place) order by one.place loop
      scope := holdfast.rule_scope_sql(workspace, rule.value, columns);
      condition := concat_ws(' and ', holdfast.rule_conditions_sql(rule.value -> 'when', columns), scope);
      if rule.value ->> 'scope' <> 'all' or condition <> scope then
        condition := format('%I in (select r.id from public.%I r where %s)', link, of_table, condition);
      end if;
      statements := statements || case word
        when 'see' then format(E'create policy see_%s on public.%I for select to authenticated\n  using (%s);\n', rule.place, name, condition)
        else format(E'create policy add_%1$s on public.%2$I for insert to authenticated\n  with check (%3$s);\n'
          'create policy change_%1$s on public.%2$I for update to authenticated' || E'\n  using (%3$s)\n  with check (%3$s);\n'
          'create policy delete_%1$s on public.%2$I for delete to authenticated' || E'\n  using (%3$s);\n'
          'comment on policy add_%1$s on public.%2$I is %4$L;' || E'\ncomment on policy change_%1$s on public.%2$I is %4$L;\n',
          rule.place, name, condition, 'Users fill in the checklists of records that they may change.') end;
    end loop;
  end loop;
  return statements || format(
    E'create policy admins_manage on public.%1$I for all to authenticated\n  using (%2$s) with check (%2$s);\n'
    'create policy guests_read on public.%1$I for select to authenticated' || E'\n  using (%3$I in (select holdfast.shared_record_ids(%4$L, %5$L)));\n'
    'create policy guests_add on public.%1$I for insert to authenticated' || E'\n  with check (%3$I in (select holdfast.changeable_record_ids(%4$L, %5$L)));\n'
    'create policy guests_change on public.%1$I for update to authenticated' || E'\n  using (%3$I in (select holdfast.changeable_record_ids(%4$L, %5$L)))\n'
    '  with check (%3$I in (select holdfast.changeable_record_ids(%4$L, %5$L)));' || E'\n',
    name, format('(select holdfast.role_in(%L)) >= ''admin''', workspace), link, of_table, workspace);
end
$$;
comment on function holdfast.following_policies_sql(uuid, text, name, name, jsonb) is 'Policies of a table whose records belong to those of another one, by its access rules.';

create function holdfast.link_to(of_table regclass, target regclass) returns name
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select a.attname from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
   where c.conrelid = of_table and c.contype = 'f' and c.confrelid = target order by c.oid limit 1
$$;
comment on function holdfast.link_to(regclass, regclass) is 'The first column of a table that links to another one.';

create function holdfast.follow_access() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  checklist holdfast.checklists;
  detail text;
begin
  select c.* into checklist from holdfast.checklists c
   where c.follows_access and c.schema_name = 'public' and c.table_name = new.table_name and c.workspace_id = new.workspace_id;
  if checklist.id is null or new.access is null then
    return null;
  end if;
  foreach detail in array array[checklist.answer_table, checklist.finding_table] loop
    continue when to_regclass(format('public.%I', detail)) is null
      -- Findings that an admin has given rules of their own keep them.
      or exists (select from holdfast.table_rules r where r.table_name = detail and (tg_op = 'INSERT' or r.access is distinct from old.access));
    delete from holdfast.table_rules r where r.table_name = detail;
    execute coalesce((select string_agg(format('drop policy %I on public.%I;', p.polname, detail), ' ') from pg_policy p
                       where p.polrelid = to_regclass(format('public.%I', detail))
                         and not holdfast.is_form_policy(to_regclass(format('public.%I', detail)), p.polname)), '')
      || holdfast.following_policies_sql(new.workspace_id, detail,
           holdfast.link_to(to_regclass(format('public.%I', detail)), to_regclass(format('public.%I', new.table_name))), new.table_name::name, new.access);
  end loop;
  return null;
end
$$;
comment on function holdfast.follow_access() is 'Writes the policies of the answers of a checklist again when the rules of its table change.';
create trigger follow_access after insert or update of access on holdfast.table_rules for each row execute function holdfast.follow_access();

-- What every table of a checklist has besides its columns.
create function holdfast.checklist_table_sql(workspace uuid, name text, label text, columns text, policies text, icon text) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select format(E'create table public.%1$I (\n  id uuid primary key default gen_random_uuid(),\n%2$s,\n'
    '  created_by uuid,' || E'\n  created_at timestamptz not null default now(),\n  updated_at timestamptz not null default now()\n);\n'
    'comment on table public.%1$I is %3$L;' || E'\n'
    'create index on public.%1$I (created_by);' || E'\nalter table public.%1$I enable row level security;\n'
    'grant select, insert, update, delete on public.%1$I to authenticated, service_role;' || E'\n%4$s'
    'create trigger touch before update on public.%1$I for each row execute function holdfast.touch();' || E'\n'
    'create trigger set_created_by before insert or update on public.%1$I for each row execute function holdfast.set_created_by();' || E'\n'
    'select holdfast.follow_records(%5$L), holdfast.track(%5$L);' || E'\n'
    'insert into holdfast.tables (table_name, label, workspace_id, made_by, icon, is_supporting)' || E'\n  values (%1$L, %6$L, %7$L, (select holdfast.user_id()), %8$L, %9$L);\n',
    name, columns, label || '.', policies, format('public.%I', name), label, workspace, icon, icon <> 'flag')
$$;
comment on function holdfast.checklist_table_sql(uuid, text, text, text, text, text) is 'The statements that create a table of a checklist.';

-- Everybody in the workspace reads what is asked, guests too.
create function holdfast.checklist_policies_sql(workspace uuid, name text) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select format(E'create policy everyone_reads on public.%1$I for select to authenticated\n  using ((select holdfast.role_in(%2$L)) >= ''guest'');\n'
    'create policy admins_manage on public.%1$I for all to authenticated' || E'\n'
    '  using ((select holdfast.role_in(%2$L)) >= ''admin'') with check ((select holdfast.role_in(%2$L)) >= ''admin'');' || E'\n'
    'comment on policy admins_manage on public.%1$I is ''Owners and admins of the workspace change checklists.'';' || E'\n', name, workspace)
$$;
comment on function holdfast.checklist_policies_sql(uuid, text) is 'The policies of templates and questions.';

create function holdfast.comments_sql(name text, labels jsonb) returns text
  language sql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select string_agg(format(E'comment on column public.%I.%I is %L;\n', name, l.key, l.value || '.'), '' order by l.key) from jsonb_each_text(labels) l
$$;
comment on function holdfast.comments_sql(text, jsonb) is 'The statements that label the columns of a table.';

create function holdfast.checklist_answers_sql(workspace uuid, of_table name, names jsonb, definition jsonb, rules jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select holdfast.checklist_table_sql(workspace, names ->> 'checklists', holdfast.checklist_word(definition, 'checklists', 'Checklists'),
      E'  name text not null,\n  description text,\n  active boolean not null default false,\n  version bigint not null default 0',
      holdfast.checklist_policies_sql(workspace, names ->> 'checklists'), 'clipboard-list')
    || holdfast.checklist_table_sql(workspace, names ->> 'questions', holdfast.checklist_word(definition, 'questions', 'Questions'),
      format(E'  checklist uuid not null references public.%I (id) on delete cascade,\n  position bigint not null default 0,\n  section text,\n  prompt text not null,\n  help text,\n'
        '  kind text not null default ''yes_no'' check (kind in (''yes_no'', ''choice'', ''reading'', ''text'', ''date'', ''photo'', ''signature'')),' || E'\n'
        '  required boolean not null default true,' || E'\n  unit text,\n  min numeric,\n  max numeric,\n  choices text,\n  finding_when text,\n'
        '  since bigint not null default 1,' || E'\n  until bigint', names ->> 'checklists'),
      holdfast.checklist_policies_sql(workspace, names ->> 'questions'), 'list-checks')
    || format(E'create index on public.%I (checklist);\n', names ->> 'questions')
    || holdfast.checklist_table_sql(workspace, names ->> 'answers', holdfast.checklist_word(definition, 'answers', 'Answers'),
      format(E'  record uuid not null references public.%I (id) on delete cascade,\n  question uuid not null references public.%I (id),\n  version bigint,\n'
        '  value_bool boolean,' || E'\n  value_num numeric,\n  value_text text,\n  value_choice text,\n  value_date date,\n  unique (record, question)',
        of_table, names ->> 'questions'),
      holdfast.following_policies_sql(workspace, names ->> 'answers', 'record', of_table, rules), 'circle-check')
    || format(E'create index on public.%I (question);\n', names ->> 'answers')
    || holdfast.comments_sql(names ->> 'checklists', jsonb_build_object('name', holdfast.checklist_word(definition, 'name', 'Name'),
         'description', holdfast.checklist_word(definition, 'description', 'Description'), 'active', holdfast.checklist_word(definition, 'active', 'Published'),
         'version', holdfast.checklist_word(definition, 'version', 'Version')))
    || holdfast.comments_sql(names ->> 'questions', jsonb_build_object('prompt', holdfast.checklist_word(definition, 'prompt', 'Question'),
         'checklist', holdfast.checklist_word(definition, 'checklist', 'Checklist')))
    || holdfast.comments_sql(names ->> 'answers', jsonb_build_object('record', holdfast.checklist_word(definition, 'record', 'Record'),
         'question', holdfast.checklist_word(definition, 'prompt', 'Question')))
$$;
comment on function holdfast.checklist_answers_sql(uuid, name, jsonb, jsonb, jsonb) is 'The statements that create templates, questions and answers.';

create function holdfast.checklist_findings_sql(workspace uuid, of_table name, names jsonb, definition jsonb, rules jsonb, places text[]) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  name constant text := names ->> 'findings';
  -- Without conditions on its records, the rules of the table fit findings too, and can change on their own.
  has_rules constant boolean := not exists (
    select from jsonb_each(rules) command, jsonb_array_elements(command.value) rule
     where rule.value ->> 'scope' <> 'all' or coalesce(jsonb_array_length(nullif(rule.value -> 'when', 'null')), 0) > 0);
  severities constant jsonb := coalesce(definition -> 'severities', '["Low", "Medium", "High", "Critical"]');
  states constant jsonb := coalesce(definition -> 'states', '["Open", "In progress", "Done"]');
  place text;
  place_columns text := '';
  indexes text := '';
begin
  foreach place in array places loop
    place_columns := place_columns || (
      select format(E',\n  %I uuid references %s (id) on delete set null', place, holdfast.full_name(c.confrelid))
        from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
       where c.conrelid = to_regclass(format('public.%I', of_table)) and c.contype = 'f' and a.attname = place limit 1);
    indexes := indexes || format(E'create index on public.%I (%I);\ncomment on column public.%I.%I is %L;\n', name, place, name, place,
      holdfast.field_label(to_regclass(format('public.%I', of_table)), place) || '.');
  end loop;
  return holdfast.checklist_table_sql(workspace, name, holdfast.checklist_word(definition, 'findings', 'Findings'),
      format(E'  title text not null,\n  severity %s,\n  state %s,\n  due_on date,\n  notes text,\n  record uuid references public.%I (id) on delete set null,\n'
        '  answer uuid references public.%I (id) on delete set null%s',
        holdfast.new_choice_sql('severity', severities),
        replace(holdfast.new_choice_sql('state', states), 'text check', format('text default %L check', states ->> 0)), of_table, names ->> 'answers', place_columns),
      case when has_rules
        then holdfast.access_policies_sql(workspace, name, rules, '{}') || format(E'\nselect holdfast.keep_access(%L, %L, %L);\n', workspace, name, rules)
        else holdfast.following_policies_sql(workspace, name, 'record', of_table, rules) end, 'flag')
    || format(E'create index on public.%1$I (record);\ncreate index on public.%1$I (answer);\n', name) || indexes
    || holdfast.comments_sql(name, jsonb_build_object('title', holdfast.checklist_word(definition, 'title', 'Title'),
         'severity', holdfast.checklist_word(definition, 'severity', 'Severity'), 'state', holdfast.checklist_word(definition, 'state', 'State'),
         'due_on', holdfast.checklist_word(definition, 'due_on', 'Due'), 'notes', holdfast.checklist_word(definition, 'notes', 'Notes'),
         'record', holdfast.checklist_word(definition, 'record', 'Record'), 'answer', holdfast.checklist_word(definition, 'answer', 'Answer')));
end
$$;
comment on function holdfast.checklist_findings_sql(uuid, name, jsonb, jsonb, jsonb, text[]) is 'The statements that create the table of findings.';

-- What the first answer and Finish write: a choice of the table, or a new field.
create function holdfast.checklist_progress(of_table regclass, definition jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  given constant jsonb := definition -> 'progress';
  field text := given ->> 'field';
  choices jsonb;
begin
  if field is null then
    field := holdfast.free_field_name(of_table, 'checklist_state');
    choices := coalesce(given -> 'choices', '["In progress", "Finished"]');
    if jsonb_typeof(choices) <> 'array' or jsonb_array_length(choices) <> 2 then
      raise exception 'The progress of a checklist has two choices: begun and finished.' using hint = 'checklist.progress';
    end if;
    return jsonb_build_object('field', field, 'begin', choices -> 0, 'finish', choices -> 1, 'column', holdfast.new_choice_sql(field, choices));
  end if;
  choices := holdfast.field_definition(of_table, field::name, '{}') -> 'choices';
  if choices is null or not choices ? coalesce(given ->> 'finish', '') or not choices ? coalesce(given ->> 'begin', given ->> 'finish') then
    raise exception 'The field % has no such choices.', left(field, 63) using hint = 'checklist.progress';
  end if;
  return jsonb_build_object('field', field, 'begin', given -> 'begin', 'finish', given -> 'finish');
end
$$;
comment on function holdfast.checklist_progress(regclass, jsonb) is 'The field that shows how far a checklist is, and its values.';

create function holdfast.add_checklist_sql(workspace uuid, table_name text, definition jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  base constant text := left(table_name, 38);
  names constant jsonb := jsonb_build_object('checklists', holdfast.free_table_name(base || '_checklists'), 'questions', holdfast.free_table_name(base || '_questions'),
    'answers', holdfast.free_table_name(base || '_answers'), 'findings', holdfast.free_table_name(base || '_findings'));
  has_findings constant boolean := coalesce((definition ->> 'findings')::boolean, true);
  access constant jsonb := holdfast.access_of(workspace, table_name);
  progress constant jsonb := holdfast.checklist_progress(of_table, definition);
  link constant text := holdfast.free_field_name(of_table, 'checklist');
  -- What is looked at: links to records of other tables.
  places constant text[] := array(
    select a.attname::text from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
     where c.conrelid = of_table and c.contype = 'f' and c.confrelid <> of_table and c.confrelid <> all (array['holdfast.members'::regclass, 'holdfast.teams'::regclass])
       and a.attname <> all ('{title,severity,state,due_on,notes,record,answer}') order by a.attnum limit 4);
begin
  if length(btrim(coalesce(definition ->> 'name', ''))) not between 1 and 120 then
    raise exception 'A checklist has a name of 1 to 120 characters.' using hint = 'checklist.name';
  end if;
  if exists (select from holdfast.checklists c where c.schema_name = 'public' and c.table_name = add_checklist_sql.table_name) then
    raise exception 'The table has checklists already.' using hint = 'checklist.exists';
  end if;
  if access ->> 'kind' <> 'rules' then
    raise exception 'A developer wrote the policies of this table, and writes those of its checklists.' using hint = 'checklist.custom';
  end if;
  return holdfast.checklist_answers_sql(workspace, table_name::name, names, definition, access -> 'rules')
    || case when has_findings then holdfast.checklist_findings_sql(workspace, table_name::name, names, definition, access -> 'rules', places) else '' end
    || format(E'alter table public.%1$I add column %2$I uuid references public.%3$I (id) on delete set null;\ncreate index on public.%1$I (%2$I);\n'
              'comment on column public.%1$I.%2$I is %4$L;' || E'\n', table_name, link, names ->> 'checklists', holdfast.checklist_word(definition, 'checklist', 'Checklist') || '.')
    || case when progress ? 'column' then
         format(E'alter table public.%1$I add column %2$I %3$s;\ncomment on column public.%1$I.%2$I is %4$L;\n', table_name, progress ->> 'field', progress ->> 'column',
                holdfast.checklist_word(definition, 'progress', 'Checklist progress') || '.') else '' end
    || format(E'insert into holdfast.checklists (workspace_id, table_name, item_table, answer_table, finding_table, place_fields, begin_values, finish_values, follows_access)\n'
              '  values (%L, %L, %L, %L, %L, %L, %L, %L, true);' || E'\n', workspace, table_name, names ->> 'questions', names ->> 'answers',
              case when has_findings then names ->> 'findings' end, places,
              case when progress ->> 'begin' is null then '{}' else jsonb_build_object(progress ->> 'field', progress -> 'begin') end,
              jsonb_build_object(progress ->> 'field', progress -> 'finish'))
    || format(E'insert into public.%I (name) values (%L);\n', names ->> 'checklists', btrim(definition ->> 'name'));
end
$$;
comment on function holdfast.add_checklist_sql(uuid, text, jsonb) is 'The statements that add_checklist runs. For owners and admins of the workspace.';

create function holdfast.add_checklist(workspace uuid, table_name text, definition jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  statements text;
  added holdfast.checklists;
  first uuid;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if (select count(*) from holdfast.tables t where t.workspace_id = workspace) > holdfast.new_table_limit('tables of a workspace') - 4 then
    raise exception 'A workspace has 100 tables at most.' using hint = 'new_table.limit';
  end if;
  statements := holdfast.add_checklist_sql(workspace, table_name, definition);
  execute statements;
  select c.* into added from holdfast.checklists c where c.schema_name = 'public' and c.table_name = add_checklist.table_name;
  execute format('select t.id from %s t', (select c.confrelid::regclass from pg_constraint c
    where c.conrelid = to_regclass(format('public.%I', added.item_table)) and c.contype = 'f')) into first;
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    values (workspace, table_name, 'add_checklist', definition, statements, holdfast.user_id());
  return jsonb_build_object('checklist', first, 'questions', added.item_table, 'answers', added.answer_table, 'findings', added.finding_table);
exception
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;
comment on function holdfast.add_checklist(uuid, text, jsonb) is 'Adds checklists to a table: templates, questions, answers and findings. For owners and admins of the workspace.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('checklist_word', 'free_table_name', 'following_policies_sql', 'link_to', 'follow_access', 'checklist_table_sql', 'checklist_policies_sql', 'comments_sql',
                         'checklist_answers_sql', 'checklist_findings_sql', 'checklist_progress', 'add_checklist_sql', 'add_checklist')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('add_checklist_sql', 'add_checklist') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
