-- Which tables make up a checklist: its records, the questions of a template, the answers, and the findings that answers call for.

create table holdfast.checklists (
  id uuid primary key default gen_random_uuid(),
  schema_name text not null default 'public' constraint checklists_schema_name check (length(schema_name) between 1 and 63),
  table_name text not null constraint checklists_table_name check (length(table_name) between 1 and 63),
  item_table text not null constraint checklists_item_table check (length(item_table) between 1 and 63),
  answer_table text not null constraint checklists_answer_table check (length(answer_table) between 1 and 63),
  finding_table text constraint checklists_finding_table check (length(finding_table) between 1 and 63),
  place_fields text[] not null default '{}' constraint checklists_place_fields_max check (cardinality(place_fields) <= 8),
  names jsonb not null default '{}' constraint checklists_names_texts check (
    jsonb_typeof(names) = 'object' and not jsonb_path_exists(names, '$.* ? (@.type() != "string")')),
  begin_values jsonb not null default '{}' constraint checklists_begin_values_plain check (
    jsonb_typeof(begin_values) = 'object' and not jsonb_path_exists(begin_values, '$.* ? (@.type() == "object" || @.type() == "array")')),
  finish_values jsonb not null default '{}' constraint checklists_finish_values_plain check (
    jsonb_typeof(finish_values) = 'object' and not jsonb_path_exists(finish_values, '$.* ? (@.type() == "object" || @.type() == "array")')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint checklists_once unique (schema_name, table_name)
);

comment on table holdfast.checklists is 'Checklists. Tables whose records are filled in question by question.';
comment on column holdfast.checklists.schema_name is 'Schema. Of all the tables that the row names.';
comment on column holdfast.checklists.table_name is 'Table. Its records are the filled-in checklists; it links to the table of templates.';
comment on column holdfast.checklists.item_table is 'Questions. Links to the table of templates too.';
comment on column holdfast.checklists.answer_table is 'Answers. Links to the record and to the question.';
comment on column holdfast.checklists.finding_table is 'Findings. Links to the answer that called for it, or to the record.';
comment on column holdfast.checklists.place_fields is 'Place fields. Fields of the record that say what is looked at: earlier answers are those of records that have the same, and a finding takes them over.';
comment on column holdfast.checklists.names is 'Names. What columns and kinds of question are called where they differ from the usual names, such as {"prompt": "question"}.';
comment on column holdfast.checklists.begin_values is 'Begin values. Written to the record with its first answer, such as {"state": "in_progress"}.';
comment on column holdfast.checklists.finish_values is 'Finish values. Written to the record when its checklist is finished, such as {"state": "submitted"}.';
comment on constraint checklists_schema_name on holdfast.checklists is 'A schema''s name has 1 to 63 characters.';
comment on constraint checklists_table_name on holdfast.checklists is 'A table''s name has 1 to 63 characters.';
comment on constraint checklists_item_table on holdfast.checklists is 'A table''s name has 1 to 63 characters.';
comment on constraint checklists_answer_table on holdfast.checklists is 'A table''s name has 1 to 63 characters.';
comment on constraint checklists_finding_table on holdfast.checklists is 'A table''s name has 1 to 63 characters.';
comment on constraint checklists_place_fields_max on holdfast.checklists is 'A checklist has at most 8 place fields.';
comment on constraint checklists_names_texts on holdfast.checklists is 'Names are an object of texts.';
comment on constraint checklists_begin_values_plain on holdfast.checklists is 'Values are an object of plain values.';
comment on constraint checklists_finish_values_plain on holdfast.checklists is 'Values are an object of plain values.';
comment on constraint checklists_once on holdfast.checklists is 'A table is a checklist once.';

create trigger touch before update on holdfast.checklists for each row execute function holdfast.touch();

alter table holdfast.checklists enable row level security;
grant select, insert, update, delete on holdfast.checklists to authenticated;
grant all on holdfast.checklists to service_role;

create policy everyone_reads on holdfast.checklists for select to authenticated using (true);
create policy operators_manage on holdfast.checklists for all to authenticated
  using ((select holdfast.is_operator())) with check ((select holdfast.is_operator()));

-- As with teams and comments: they belong to the role that the project acts as, where there is one.
do $$
begin
  execute format('alter table holdfast.checklists owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
