-- What a field is used as: the due date, the state or the assignee of its table. Without a setting the app and the daily mail go by names.

alter table holdfast.fields
  add column role text constraint holdfast_fields_role_name check (role in ('due', 'state', 'assignee', 'none')),
  add column closed_choices jsonb constraint holdfast_fields_closed_choices_form check (
    jsonb_typeof(closed_choices) = 'array' and octet_length(closed_choices::text) <= 16000
    and not jsonb_path_exists(closed_choices, 'strict $[*] ? (@.type() != "string")'));
comment on column holdfast.fields.role is 'Role. The field is the due date (due), the state or the assignee of its table, or none of them; empty: by its name and type.';
comment on column holdfast.fields.closed_choices is 'Closed options. The values of a state that mean finished work, such as ["Done"]; empty: by their words.';
comment on constraint holdfast_fields_role_name on holdfast.fields is 'A role is due, state, assignee or none.';
comment on constraint holdfast_fields_closed_choices_form on holdfast.fields is 'Closed options are an array of texts, of 16,000 bytes at most.';

create unique index holdfast_fields_one_per_role on holdfast.fields (workspace_id, schema_name, table_name, role) nulls not distinct where role <> 'none';

-- The last field that gets a role has it.
create function holdfast.move_field_role() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one pg_attribute;
  is_suited boolean;
begin
  if new.role = 'none' or new.role is null then
    return new;
  end if;
  select a.* into one
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = new.schema_name and c.relname = new.table_name and a.attname = new.field_name and a.attnum > 0 and not a.attisdropped;
  is_suited := one.attnum is null or case new.role
    when 'due' then one.atttypid in ('date'::regtype, 'timestamptz'::regtype, 'timestamp'::regtype)
    when 'state' then exists (select from pg_type t where t.oid = one.atttypid and t.typcategory in ('S', 'E'))
    else exists (select from pg_constraint c join pg_attribute u on u.attrelid = c.confrelid and u.attname = 'user_id' and not u.attisdropped
                  where c.conrelid = one.attrelid and c.contype = 'f' and c.conkey = array[one.attnum]) end;
  if not is_suited then
    raise exception 'A due date is a date or a time, a state has options, and an assignee links to users.' using hint = 'change_table.role';
  end if;
  update holdfast.fields f set role = null
   where f.role = new.role and f.schema_name = new.schema_name and f.table_name = new.table_name and f.field_name <> new.field_name
     and f.workspace_id is not distinct from new.workspace_id;
  return new;
end
$$;
comment on function holdfast.move_field_role() is 'Takes a role from the other fields of the table.';
create trigger move_role before insert or update of role on holdfast.fields for each row execute function holdfast.move_field_role();

create function holdfast.set_field_use_sql(of_table regclass, field name, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  options constant jsonb := coalesce(nullif(change -> 'choices', 'null'), holdfast.field_definition(of_table, field, '{}') -> 'choices', '[]');
  closed constant jsonb := nullif(change -> 'closed', 'null');
begin
  if coalesce(change ->> 'role', 'none') <> all ('{due,state,assignee,none}') then
    raise exception 'A field is used as due, state, assignee or none.' using hint = 'change_table.role';
  end if;
  if closed is not null and (jsonb_typeof(closed) <> 'array' or not options @> closed) then
    raise exception 'Closed options are options of the field.' using hint = 'change_table.closed';
  end if;
  return case when change ? 'role' then format(E'insert into holdfast.fields (workspace_id, table_name, field_name, role)\n  values (%L, %L, %L, %L)\n'
           '  on conflict on constraint holdfast_fields_once do update set role = excluded.role;' || E'\n', workspace, of_name, field, change ->> 'role') else '' end
    || case when change ? 'closed' then format(E'insert into holdfast.fields (workspace_id, table_name, field_name, closed_choices)\n  values (%L, %L, %L, %L)\n'
         '  on conflict on constraint holdfast_fields_once do update set closed_choices = excluded.closed_choices;' || E'\n', workspace, of_name, field, closed)
       when jsonb_typeof(change -> 'choices') = 'array'
       then format(E'select holdfast.follow_closed_choices(%L, %L, %L, %L);\n', of_name, field, change -> 'choices', coalesce(nullif(change -> 'renamed', 'null'), '{}'))
       else '' end;
end
$$;
comment on function holdfast.set_field_use_sql(regclass, name, jsonb) is
  'Statements of the parts "role" and "closed" of the change edit_field. null goes back to what follows from names.';

create function holdfast.follow_closed_choices(of_table text, field text, options jsonb, renamed jsonb) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  update holdfast.fields f
     set closed_choices = (select coalesce(jsonb_agg(o.option order by o.place), '[]')
                             from jsonb_array_elements_text(options) with ordinality o (option, place)
                            where exists (select from jsonb_array_elements_text(f.closed_choices) c (choice) where coalesce(renamed ->> c.choice, c.choice) = o.option))
   where f.schema_name = 'public' and f.table_name = of_table and f.field_name = field and f.closed_choices is not null
$$;
comment on function holdfast.follow_closed_choices(text, text, jsonb, jsonb) is 'Keeps the closed options of a field with its options when these change.';

-- As in 0380, with the use of the field.
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
    || case when (change ->> 'unique') is null then '' else holdfast.set_unique_sql(of_table, field, (change ->> 'unique')::boolean) end
    || holdfast.set_field_use_sql(of_table, field, change);
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('move_field_role', 'set_field_use_sql', 'follow_closed_choices')
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
