-- Label, options and "required" of a field, changed together.

-- The constraint that lists the options of a field, as new_choice_sql writes it.
create function holdfast.choice_constraint(of_table regclass, field name) returns name
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.conname from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attname = field
   where c.conrelid = of_table and c.contype = 'c' and c.conkey = array[a.attnum] and a.atttypid = 'text'::regtype
     and pg_get_constraintdef(c.oid) ~ '^CHECK \(\(\(?"?[^ ]+"?\)?(::text)? = (ANY \(ARRAY\[|'')'
   order by c.oid limit 1
$$;
comment on function holdfast.choice_constraint(regclass, name) is 'The name of the constraint with the options of a field; null if it has none.';

-- Options go from "renamed" to their new text; two that get the same text become one.
create function holdfast.set_choices_sql(of_table regclass, field name, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  full_name constant text := holdfast.full_name(of_table);
  listed constant text := holdfast.choice_constraint(of_table, field);
  renamed constant jsonb := coalesce(nullif(change -> 'renamed', 'null'), '{}');
  checked constant text := substring(holdfast.new_choice_sql(field, change -> 'choices') from '^text (check .*)$');
  lost bigint;
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
  if exists (select from holdfast.transitions t
              where t.schema_name = 'public' and t.table_name = of_name and t.field = set_choices_sql.field
                and (renamed ?| array[t.from_value, t.to_value] or not change -> 'choices' @> to_jsonb(array_remove(array[t.from_value, t.to_value], null))))
     or exists (select from holdfast.table_rules r, jsonb_object_keys(renamed) old
                 where r.table_name = of_name
                   and (jsonb_path_exists(r.access, '$.**.values[*] ? (@ == $old)', jsonb_build_object('old', old))
                        or jsonb_path_exists(r.required_when, '$.**.values[*] ? (@ == $old)', jsonb_build_object('old', old)))) then
    raise exception 'A rule of the table names an option that would change. Change the rule first.' using hint = 'change_table.used';
  end if;
  return format(E'alter table %s drop constraint %I;\n', full_name, listed)
    || case when renamed = '{}' then '' else format(
         E'alter table %1$s disable trigger user;\nupdate %1$s set %2$I = %3$L::jsonb ->> %2$I where %3$L::jsonb ? %2$I;\nalter table %1$s enable trigger user;\n',
         full_name, field, renamed) end
    || format(E'alter table %s add constraint %I %s;\n', full_name, listed, checked)
    || format(E'select holdfast.keep_choice_words(%L, %L, %L, %L);\n', of_name, field, change -> 'choices', renamed);
end
$$;
comment on function holdfast.set_choices_sql(regclass, name, jsonb) is 'Statements that change the options of a field: "choices" in order, "renamed" from old to new.';

-- Words and colours that a workspace gave to options stay with them; options that are new are shown as they are written.
create function holdfast.keep_choice_words(of_table text, field text, options jsonb, renamed jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_table);
  words constant jsonb := coalesce(holdfast.new_choice_words(options), '{}');
begin
  insert into holdfast.fields as f (workspace_id, table_name, field_name, choices)
    select workspace, of_table, field, words where words <> '{}'
    on conflict on constraint holdfast_fields_once do update
      set choices = words || coalesce((select jsonb_object_agg(one.key, one.value) from jsonb_each(f.choices) one
                                        where options ? one.key and not renamed ? one.key), '{}');
end
$$;
comment on function holdfast.keep_choice_words(text, text, jsonb, jsonb) is 'Gives new options their words.';

create function holdfast.set_required_sql(of_table regclass, field name, required boolean) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  full_name constant text := holdfast.full_name(of_table);
  gaps bigint;
begin
  if exists (select from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
              where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[a.attnum]) then
    raise exception 'A link is emptied when its record is deleted, so it cannot be required.' using hint = 'change_table.link_required';
  end if;
  if exists (select from pg_attribute a where a.attrelid = of_table and a.attname = field and a.attidentity <> '') then
    raise exception 'The database fills in this field.' using hint = 'change_table.no_field';
  end if;
  if not required then
    return format(E'alter table %s alter column %I drop not null;\n', full_name, field);
  end if;
  execute format('select count(*) from %s where %I is null', full_name, field) into gaps;
  if gaps > 0 then
    raise exception '% records have no value in this field. Fill it in first.', gaps using hint = 'change_table.gaps', detail = gaps::text;
  end if;
  return format(E'alter table %s alter column %I set not null;\n', full_name, field);
end
$$;
comment on function holdfast.set_required_sql(regclass, name, boolean) is 'Statements that require a value in a field, or no longer.';

create function holdfast.edit_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  is_required constant boolean := (select a.attnotnull from pg_attribute a where a.attrelid = of_table and a.attname = field);
begin
  if jsonb_typeof(change -> 'required') not in ('boolean', 'null') then
    raise exception 'A field is required or not.' using hint = 'change_table.kind';
  end if;
  return case when change ->> 'label' is null then '' else holdfast.rename_field_sql(workspace, of_table, change) end
    || case when coalesce(jsonb_typeof(change -> 'choices'), 'null') = 'null' then '' else holdfast.set_choices_sql(of_table, field, change) end
    || case when (change ->> 'required')::boolean is null or (change ->> 'required')::boolean = is_required then ''
            else holdfast.set_required_sql(of_table, field, (change ->> 'required')::boolean) end;
end
$$;
comment on function holdfast.edit_field_sql(uuid, regclass, jsonb) is
  'Statements of the change {"kind": "edit_field", "field", "label", "choices", "renamed", "required"}; parts that are left out stay.';

create or replace function holdfast.table_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  case change ->> 'kind'
  when 'add_field' then return holdfast.add_field_sql(workspace, of_table, change);
  when 'edit_field' then return holdfast.edit_field_sql(workspace, of_table, change);
  when 'delete_field' then return holdfast.delete_field_sql(workspace, of_table, change);
  when 'restore_field' then return holdfast.restore_field_sql(workspace, of_table, change);
  else
    raise exception 'There is no kind of change %.', left(coalesce(change ->> 'kind', ''), 63) using hint = 'change_table.kind';
  end case;
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
       and p.proname in ('choice_constraint', 'set_choices_sql', 'keep_choice_words', 'set_required_sql', 'edit_field_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
