-- What tables look like to people: their icon, colour and place. Only looks: who sees which rows is decided by the policies of each table.

create table holdfast.tables (
  id uuid primary key default gen_random_uuid(),
  schema_name text not null default 'public' constraint tables_schema_name check (length(schema_name) between 1 and 63),
  table_name text not null constraint tables_table_name check (length(table_name) between 1 and 63),
  label text constraint tables_label_length check (length(btrim(label)) between 1 and 80),
  icon text constraint tables_icon_name check (icon ~ '^[a-z][a-z0-9-]{0,39}$'),
  color text constraint tables_color_name check (color ~ '^[a-z]{1,20}$'),
  section text constraint tables_section_length check (length(btrim(section)) between 1 and 60),
  position double precision constraint tables_position_number check (position > '-Infinity' and position < 'Infinity'),
  is_supporting boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tables_once unique (schema_name, table_name)
);

comment on table holdfast.tables is 'Tables. What the tables of the project look like to people. A table without a row here has looks that follow from its name.';
comment on column holdfast.tables.schema_name is 'Schema.';
comment on column holdfast.tables.table_name is 'Table.';
comment on column holdfast.tables.label is 'Label. In place of the words of the table''s name.';
comment on column holdfast.tables.icon is 'Icon. A name of the set, such as map-pin.';
comment on column holdfast.tables.color is 'Color. A name of the palette, such as blue.';
comment on column holdfast.tables.section is 'Section. The heading that the table stands under.';
comment on column holdfast.tables.position is 'Position. Tables stand in the order of these numbers; those without one come after them, by label.';
comment on column holdfast.tables.is_supporting is 'Supporting. Out of the way: other tables need it, people rarely open it.';
comment on constraint tables_schema_name on holdfast.tables is 'A schema''s name has 1 to 63 characters.';
comment on constraint tables_table_name on holdfast.tables is 'A table''s name has 1 to 63 characters.';
comment on constraint tables_label_length on holdfast.tables is 'A label has 1 to 80 characters.';
comment on constraint tables_icon_name on holdfast.tables is 'An icon is a name of the set, such as map-pin.';
comment on constraint tables_color_name on holdfast.tables is 'A color is a name of the palette, such as blue.';
comment on constraint tables_section_length on holdfast.tables is 'A section''s name has 1 to 60 characters.';
comment on constraint tables_position_number on holdfast.tables is 'A position is a finite number.';
comment on constraint tables_once on holdfast.tables is 'A table has its looks once.';

create trigger touch before update on holdfast.tables for each row execute function holdfast.touch();

alter table holdfast.tables enable row level security;
grant select, insert, update, delete on holdfast.tables to authenticated;
grant all on holdfast.tables to service_role;

create policy everyone_reads on holdfast.tables for select to authenticated using (true);
create policy operators_manage on holdfast.tables for all to authenticated
  using ((select holdfast.is_operator())) with check ((select holdfast.is_operator()));

-- As with teams and comments: they belong to the role that the project acts as, where there is one.
do $$
begin
  execute format('alter table holdfast.tables owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
