-- How the fields of a record stand before people: their order, sections and words. Only looks: who reads and writes which column is decided by grants and policies.

create table holdfast.fields (
  id uuid primary key default gen_random_uuid(),
  schema_name text not null default 'public' constraint fields_schema_name check (length(schema_name) between 1 and 63),
  table_name text not null constraint fields_table_name check (length(table_name) between 1 and 63),
  field_name text not null constraint fields_field_name check (length(field_name) between 1 and 63),
  label text constraint fields_label_form check (label ~ '^[^.\n]{1,40}$' and btrim(label) <> ''),
  help text constraint fields_help_length check (length(btrim(help)) between 1 and 300),
  translations jsonb not null default '{}' constraint fields_translations_form check (
    jsonb_typeof(translations) = 'object' and octet_length(translations::text) <= 4000
    and not jsonb_path_exists(translations, '$.* ? (@.type() != "object")')
    and not jsonb_path_exists(translations, '$.*.* ? (@.type() != "string")')),
  place text constraint fields_place_name check (place in ('main', 'beside', 'bottom')),
  section text constraint fields_section_length check (length(btrim(section)) between 1 and 60),
  position double precision constraint fields_position_number check (position > '-Infinity' and position < 'Infinity'),
  is_hidden boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint fields_once unique (schema_name, table_name, field_name)
);

comment on table holdfast.fields is 'Fields. How the fields of a record stand before people. A field without a row here has the place that follows from the schema.';
comment on column holdfast.fields.schema_name is 'Schema.';
comment on column holdfast.fields.table_name is 'Table.';
comment on column holdfast.fields.field_name is 'Field. The name of the column.';
comment on column holdfast.fields.label is 'Label. In place of the first sentence of the column''s comment.';
comment on column holdfast.fields.help is 'Help. In place of the rest of the column''s comment.';
comment on column holdfast.fields.translations is 'Translations. Label and help by language, such as {"de": {"label": "Frist"}}.';
comment on column holdfast.fields.place is 'Place. Main, beside (people and dates) or bottom. Empty: as follows from the schema.';
comment on column holdfast.fields.section is 'Section. The heading that the field stands under in the main part.';
comment on column holdfast.fields.position is 'Position. Fields stand in the order of these numbers; those without one come after them, in the order of the schema.';
comment on column holdfast.fields.is_hidden is 'Hidden. Not on the record''s page. It stays in grids, in exports and in what is synced.';
comment on constraint fields_schema_name on holdfast.fields is 'A schema''s name has 1 to 63 characters.';
comment on constraint fields_table_name on holdfast.fields is 'A table''s name has 1 to 63 characters.';
comment on constraint fields_field_name on holdfast.fields is 'A field''s name has 1 to 63 characters.';
comment on constraint fields_label_form on holdfast.fields is 'A label has 1 to 40 characters and no full stop.';
comment on constraint fields_help_length on holdfast.fields is 'Help has 1 to 300 characters.';
comment on constraint fields_translations_form on holdfast.fields is 'Translations are an object of languages with texts, of 4,000 bytes at most.';
comment on constraint fields_place_name on holdfast.fields is 'A place is main, beside or bottom.';
comment on constraint fields_section_length on holdfast.fields is 'A section''s name has 1 to 60 characters.';
comment on constraint fields_position_number on holdfast.fields is 'A position is a finite number.';
comment on constraint fields_once on holdfast.fields is 'A field has its place once.';

create trigger touch before update on holdfast.fields for each row execute function holdfast.touch();

alter table holdfast.fields enable row level security;
grant select, insert, update, delete on holdfast.fields to authenticated;
grant all on holdfast.fields to service_role;

-- As views that all see: they are changed by the people who answer for a team.
create policy everyone_reads on holdfast.fields for select to authenticated using (true);
create policy leads_manage on holdfast.fields for all to authenticated
  using ((select holdfast.is_team_lead()) or (select holdfast.is_operator()))
  with check ((select holdfast.is_team_lead()) or (select holdfast.is_operator()));
comment on policy leads_manage on holdfast.fields is 'Leads of teams and operators arrange the fields of records.';

-- As with teams and comments: they belong to the role that the project acts as, where there is one.
do $$
begin
  execute format('alter table holdfast.fields owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
