-- A new name of a table, field or option counts in every language: translations of the old name end with it.

create function holdfast.without_translations(translations jsonb, keys text[]) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(one.key, one.value - keys) filter (where one.value - keys <> '{}'), '{}') from jsonb_each(translations) one
$$;
comment on function holdfast.without_translations(jsonb, text[]) is 'Translations without some of their keys, such as "label", in every language.';

create function holdfast.without_choice_words(translations jsonb, options text[]) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(one.key, case when one.value ? 'choices' then jsonb_set(one.value, '{choices}', (one.value -> 'choices') - options) else one.value end), '{}')
    from jsonb_each(translations) one
$$;
comment on function holdfast.without_choice_words(jsonb, text[]) is 'Translations of a field without the words of some options, in every language.';

-- As in 0060, without the translations of the old label.
create or replace function holdfast.rename_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  label constant text := holdfast.require_new_label(change ->> 'label');
  comment constant text := (select col_description(of_table, a.attnum) from pg_attribute a where a.attrelid = of_table and a.attname = field);
  help constant text := coalesce(substring(comment from '^[^.\n]{1,40}\.\s+(.*)$'), case when comment !~ '^[^.\n]{1,40}\.\s*$' then comment end);
begin
  return format(E'comment on column %s.%I is %L;\n', holdfast.full_name(of_table), field, concat_ws(' ', label || '.', help))
    || format(E'update holdfast.fields set label = null, translations = holdfast.without_translations(translations, ''{label}'')\n'
                '  where schema_name = ''public'' and table_name = %L and field_name = %L and workspace_id = %L and (label is not null or translations <> ''{}'');' || E'\n',
              (select c.relname from pg_class c where c.oid = of_table), field, workspace);
end
$$;

-- As in 0120, without the translations of the old name.
create or replace function holdfast.rename_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  label constant text := holdfast.require_new_label(change ->> 'label');
  comment constant text := obj_description(of_table, 'pg_class');
  help constant text := coalesce(substring(comment from '^[^.\n]{1,40}\.\s+(.*)$'), case when comment !~ '^[^.\n]{1,40}\.\s*$' then comment end);
begin
  return format(E'comment on table %s is %L;\n', holdfast.full_name(of_table), concat_ws(' ', label || '.', help))
    || format(E'update holdfast.tables set label = %L, translations = holdfast.without_translations(translations, ''{label,one}'')\n'
                '  where schema_name = ''public'' and table_name = %L and workspace_id = %L;' || E'\n',
              label, (select c.relname from pg_class c where c.oid = of_table), workspace);
end
$$;

create function holdfast.set_choice_words_sql(of_table regclass, field name, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  words constant jsonb := change -> 'words';
  options constant jsonb := coalesce(nullif(change -> 'choices', 'null'), holdfast.field_definition(of_table, field, '{}') -> 'choices');
begin
  if options is null then
    raise exception 'The field has no options that can change.' using hint = 'change_table.no_choices';
  end if;
  if jsonb_typeof(words) <> 'object'
     or exists (select from jsonb_each(words) one
                 where not options ? one.key or jsonb_typeof(one.value) <> 'string' or length(btrim(one.value #>> '{}')) not between 1 and 100) then
    raise exception 'The words of options have 1 to 100 characters each, for one of the options.' using hint = 'change_table.choices';
  end if;
  return format(E'select holdfast.set_choice_words(%L, %L, %L);\n', (select c.relname from pg_class c where c.oid = of_table), field, words);
end
$$;
comment on function holdfast.set_choice_words_sql(regclass, name, jsonb) is 'Statements of the part "words" of the change edit_field: texts of options by value.';

create function holdfast.set_choice_words(of_table text, field text, words jsonb) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  insert into holdfast.fields as f (workspace_id, table_name, field_name, choices)
    select t.workspace_id, of_table, field, words from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_table
    on conflict on constraint holdfast_fields_once do update
      set choices = f.choices || excluded.choices,
          translations = holdfast.without_choice_words(f.translations, array(select jsonb_object_keys(excluded.choices)))
$$;
comment on function holdfast.set_choice_words(text, text, jsonb) is 'Gives options their texts in every language. Their values stay.';

-- As in 0416, with the words of options.
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
    || case when coalesce(jsonb_typeof(change -> 'words'), 'null') = 'null' then '' else holdfast.set_choice_words_sql(of_table, field, change) end
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
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('without_translations', 'without_choice_words', 'set_choice_words_sql', 'set_choice_words')
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
