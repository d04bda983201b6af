-- The colour of each option of a field, by name. An option without one has a colour that the app derives from its word.

alter table holdfast.fields
  add column choice_colours jsonb not null default '{}' constraint holdfast_fields_choice_colours_form check (
    jsonb_typeof(choice_colours) = 'object' and octet_length(choice_colours::text) <= 16000
    and not jsonb_path_exists(choice_colours, '$.keyvalue() ? (@.value.type() != "string" || !(@.value like_regex "^(coral|amber|olive|green|teal|blue|violet|pink|slate|brown)$"))',
                              silent => true));
comment on column holdfast.fields.choice_colours is 'Colours of options. By the value, such as {"blocked": "coral"}.';
comment on constraint holdfast_fields_choice_colours_form on holdfast.fields is
  'Colours of options are coral, amber, olive, green, teal, blue, violet, pink, slate or brown, of 16,000 bytes at most.';

create function holdfast.set_choice_colours_sql(of_table regclass, field name, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  colours constant jsonb := change -> 'colours';
  options constant jsonb := coalesce(nullif(change -> 'choices', 'null'), holdfast.field_definition(of_table, field, '{}') -> 'choices');
begin
  if options is null then
    raise exception 'The field has no options that can change.' using hint = 'change_table.no_choices';
  end if;
  if jsonb_typeof(colours) <> 'object' or octet_length(colours::text) > 16000
     or exists (select from jsonb_each(colours) one
                 where not options ? one.key or jsonb_typeof(one.value) <> 'string'
                    or one.value #>> '{}' <> all ('{coral,amber,olive,green,teal,blue,violet,pink,slate,brown}')) then
    raise exception 'Each colour is one of the palette, for one of the options.' using hint = 'change_table.colours';
  end if;
  return format(E'insert into holdfast.fields (workspace_id, table_name, field_name, choice_colours)\n  values (%L, %L, %L, %L)\n'
    '  on conflict on constraint holdfast_fields_once do update set choice_colours = excluded.choice_colours;' || E'\n', workspace, of_name, field, colours);
end
$$;
comment on function holdfast.set_choice_colours_sql(regclass, name, jsonb) is 'Statements of the part "colours" of the change edit_field: all colours, by option.';

-- As in 0180, with colours.
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
  return case when renamed = '{}' then '' else format(E'select holdfast.rename_in_views(%L, %L, %L);\n', of_name, field, renamed) end
    || case when coalesce(jsonb_typeof(change -> 'colours'), 'null') <> 'null' then holdfast.set_choice_colours_sql(of_table, field, change)
            when jsonb_typeof(change -> 'choices') = 'array'
            then format(E'select holdfast.follow_choice_colours(%L, %L, %L, %L);\n', of_name, field, change -> 'choices', renamed) else '' end
    || case when coalesce(jsonb_typeof(change -> 'limits'), 'null') = 'null' then '' else holdfast.set_limits_sql(of_table, field, change -> 'limits') end
    || case when change ? 'default' then holdfast.set_default_sql(of_table, field, change -> 'default')
            when change ? 'choices' then holdfast.keep_default_sql(of_table, field, change -> 'choices', renamed) else '' end
    || case when (change ->> 'unique') is null then '' else holdfast.set_unique_sql(of_table, field, (change ->> 'unique')::boolean) end;
end
$$;

-- A renamed option keeps its colour. Of options that become one, the one that was there keeps its own.
create function holdfast.keep_choice_colours(colours jsonb, options jsonb, renamed jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(one.option, one.colour) filter (where one.colour is not null), '{}')
    from (select o.option,
                 coalesce(case when not renamed ? o.option then colours -> o.option end,
                          (select colours -> r.key from jsonb_each_text(renamed) r where r.value = o.option and colours ? r.key order by r.key limit 1)) as colour
            from jsonb_array_elements_text(options) o (option)) one
$$;
comment on function holdfast.keep_choice_colours(jsonb, jsonb, jsonb) is 'The colours of options after some were renamed, merged or removed.';

create function holdfast.follow_choice_colours(of_table text, field text, options jsonb, renamed jsonb) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  update holdfast.fields f set choice_colours = holdfast.keep_choice_colours(f.choice_colours, options, renamed)
   where f.schema_name = 'public' and f.table_name = of_table and f.field_name = field and f.choice_colours <> '{}'
$$;
comment on function holdfast.follow_choice_colours(text, text, jsonb, jsonb) is 'Keeps the colours of a field with its options when these change.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('set_choice_colours_sql', 'keep_choice_colours', 'follow_choice_colours')
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
