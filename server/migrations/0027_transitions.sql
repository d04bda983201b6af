-- Which value of a field may follow which, and for whom: rows that a trigger enforces and that devices read, so that it is one rule.

create table holdfast.transitions (
  id uuid primary key default gen_random_uuid(),
  schema_name text not null default 'public' constraint transitions_schema_name check (length(schema_name) between 1 and 63),
  table_name text not null constraint transitions_table_name check (length(table_name) between 1 and 63),
  field text not null constraint transitions_field check (length(field) between 1 and 63),
  from_value text,
  to_value text not null,
  allowed_if text constraint transitions_allowed_if check (allowed_if ~ '^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$'),
  words text constraint transitions_words_length check (length(btrim(words)) between 1 and 300),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index transitions_once on holdfast.transitions (schema_name, table_name, field, (from_value is null), coalesce(from_value, ''), to_value);

comment on table holdfast.transitions is 'Transitions. Which value of a field may follow which; in force from holdfast.enforce_transitions on.';
comment on column holdfast.transitions.schema_name is 'Schema.';
comment on column holdfast.transitions.table_name is 'Table.';
comment on column holdfast.transitions.field is 'Field. A column of type text or an enum.';
comment on column holdfast.transitions.from_value is 'From. Empty: of a new record, or of one that has no value yet. Without such a row a new record may have any.';
comment on column holdfast.transitions.to_value is 'To.';
comment on column holdfast.transitions.allowed_if is 'Allowed if. A stable function without arguments that returns boolean, such as public.is_lead, called as whoever writes. Empty: everyone.';
comment on column holdfast.transitions.words is 'Words. What people read when that function says no.';
comment on constraint transitions_schema_name on holdfast.transitions is 'A schema''s name has 1 to 63 characters.';
comment on constraint transitions_table_name on holdfast.transitions is 'A table''s name has 1 to 63 characters.';
comment on constraint transitions_field on holdfast.transitions is 'A field''s name has 1 to 63 characters.';
comment on constraint transitions_allowed_if on holdfast.transitions is 'A function is named with its schema, such as public.is_lead.';
comment on constraint transitions_words_length on holdfast.transitions is 'Words have 1 to 300 characters.';
comment on index holdfast.transitions_once is 'A transition is there once.';

create trigger touch before update on holdfast.transitions for each row execute function holdfast.touch();

create function holdfast.guard_allowed_if() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = split_part(new.allowed_if, '.', 1) and p.proname = split_part(new.allowed_if, '.', 2)
       and p.pronargs = 0 and not p.proretset and p.prorettype = 'boolean'::pg_catalog.regtype
       -- It is called as whoever writes, who may have more rights than the person who named it: it only reads.
       and p.provolatile <> 'v') then
    raise exception 'There is no function %() that returns boolean and is stable.', new.allowed_if using hint = 'transition.function';
  end if;
  return new;
end
$$;
revoke all on function holdfast.guard_allowed_if() from public;
create trigger guard before insert or update of allowed_if on holdfast.transitions for each row
  when (new.allowed_if is not null) execute function holdfast.guard_allowed_if();

alter table holdfast.transitions enable row level security;
grant select, insert, update, delete on holdfast.transitions to authenticated;
grant all on holdfast.transitions to service_role;

create policy everyone_reads on holdfast.transitions for select to authenticated using (true);
create policy operators_manage on holdfast.transitions for all to authenticated
  using ((select holdfast.is_operator())) with check ((select holdfast.is_operator()));

-- The words are made in one place, for whoever is refused and for devices, which say it beforehand.

create function holdfast.value_words(value text) returns text
  language sql immutable parallel safe set search_path = '' as $$
  select upper(left(words, 1)) || substr(words, 2) from (select btrim(replace(value_words.value, '_', ' ')) as words) w
$$;
comment on function holdfast.value_words(text) is 'A choice as people read it: to_verify is To verify.';

create function holdfast.field_words(of_table regclass, field text) returns text
  language sql stable set search_path = '' as $$
  select coalesce(
    substring(pg_catalog.col_description(of_table, a.attnum::integer) from '^([^.\n]{1,40})\.(?:\s|$)'),
    holdfast.value_words(field_words.field))
    from pg_catalog.pg_attribute a where a.attrelid = of_table and a.attname = field_words.field
$$;
comment on function holdfast.field_words(regclass, text) is 'What people call a field: the first sentence of its comment.';

create function holdfast.transition_words(of_table regclass, field text, from_value text) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  label constant text := holdfast.field_words(of_table, field);
  ways text[];
  listed text;
begin
  select array_agg(holdfast.value_words(t.to_value) order by e.enumsortorder, t.to_value) into ways
    from holdfast.transitions t
    join pg_catalog.pg_class c on c.oid = of_table and c.relname = t.table_name
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = t.schema_name
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = t.field
    left join pg_catalog.pg_enum e on e.enumtypid = a.atttypid and e.enumlabel = t.to_value
   where t.field = transition_words.field and t.from_value is not distinct from transition_words.from_value;
  if ways is null then
    return format('%s stays %s.', label, holdfast.value_words(from_value));
  end if;
  listed := concat_ws(' or ', nullif(array_to_string(ways[:cardinality(ways) - 1], ', '), ''), ways[cardinality(ways)]);
  if from_value is null then
    return format('%s of a new record is %s.', label, listed);
  end if;
  return format('%s goes from %s to %s.', label, holdfast.value_words(from_value), listed);
end
$$;
comment on function holdfast.transition_words(regclass, text, text) is 'What may follow a value, as a sentence.';

create function holdfast.transition_to(of_table regclass, field text, from_value text, to_value text)
  returns table (is_allowed boolean, allowed_if text, words text)
  language sql stable security definer set search_path = '' as $$
  with known as (
    select t.from_value, t.to_value, t.allowed_if, t.words
      from holdfast.transitions t
      join pg_catalog.pg_class c on c.oid = of_table and c.relname = t.table_name
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = t.schema_name
     where t.field = transition_to.field and t.from_value is not distinct from transition_to.from_value
  )
  select found.to_value is not null or (transition_to.from_value is null and not exists (select from known)),
         found.allowed_if,
         case when found.to_value is null then holdfast.transition_words(of_table, transition_to.field, transition_to.from_value)
              else coalesce(found.words, format('Not everyone sets %s to %s.', holdfast.field_words(of_table, transition_to.field), holdfast.value_words(transition_to.to_value)))
         end
    from (select) one left join known found on found.to_value = transition_to.to_value
$$;
comment on function holdfast.transition_to(regclass, text, text, text) is
  'Whether a value may follow another, the function that decides for whom, and the words of a refusal.';

-- It runs with the rights of whoever writes, so that the function says the same as on their device.
create function holdfast.check_transition() returns trigger
  language plpgsql set search_path = '' as $$
declare
  from_value constant text := case when tg_op = 'UPDATE' then to_jsonb(old) ->> tg_argv[0] end;
  to_value constant text := to_jsonb(new) ->> tg_argv[0];
  step record;
  is_allowed boolean;
begin
  if to_value is null and from_value is null then
    return new;
  end if;
  select * into strict step from holdfast.transition_to(tg_relid, tg_argv[0], from_value, to_value);
  is_allowed := step.is_allowed;
  if is_allowed and step.allowed_if is not null then
    execute format('select %I.%I()', split_part(step.allowed_if, '.', 1), split_part(step.allowed_if, '.', 2)) into is_allowed;
  end if;
  if is_allowed is not true then
    raise exception '%', step.words
      using hint = 'record.transition', detail = format('%s -> %s', coalesce(from_value, 'new'), coalesce(to_value, 'empty')),
            schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
  end if;
  return new;
end
$$;
comment on function holdfast.check_transition() is 'Refuses values that no row of holdfast.transitions lets follow; argument: the field.';

create function holdfast.enforce_transitions(of_table regclass, field name) returns void
  language plpgsql set search_path = '' as $$
declare
  place smallint;
begin
  select a.attnum into place
    from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
   where a.attrelid = of_table and a.attname = field and a.attnum > 0
     and (t.typtype = 'e' or t.oid in ('text'::pg_catalog.regtype, 'varchar'::pg_catalog.regtype));
  if place is null then
    raise exception '% of % cannot have transitions: it is no column of type text or an enum', field, of_table
      using errcode = 'wrong_object_type';
  end if;
  -- Before the triggers of the project, which are run by name: it judges what was written.
  execute format('create or replace trigger %I before insert on %s for each row execute function holdfast.check_transition(%L)',
                 '_transition_of_new_' || place, of_table, field);
  execute format('create or replace trigger %I before update on %s for each row when (old.%3$I is distinct from new.%3$I) execute function holdfast.check_transition(%3$L)',
                 '_transition_' || place, of_table, field);
end
$$;
comment on function holdfast.enforce_transitions(regclass, name) is
  'From now on a field of a table only takes values that a row of holdfast.transitions lets follow.';
revoke all on function holdfast.enforce_transitions(regclass, name) from public;

create function holdfast.ignore_transitions(of_table regclass, field name) returns void
  language plpgsql set search_path = '' as $$
declare
  place constant smallint := (select a.attnum from pg_catalog.pg_attribute a where a.attrelid = of_table and a.attname = field);
begin
  execute format('drop trigger if exists %I on %s', '_transition_of_new_' || place, of_table);
  execute format('drop trigger if exists %I on %s', '_transition_' || place, of_table);
end
$$;
comment on function holdfast.ignore_transitions(regclass, name) is 'Ends holdfast.enforce_transitions; the rows stay.';
revoke all on function holdfast.ignore_transitions(regclass, name) from public;

-- As with teams and comments: they belong to the role that the project acts as, where there is one.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.transitions owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('guard_allowed_if', 'value_words', 'field_words', 'transition_words', 'transition_to', 'check_transition', 'enforce_transitions', 'ignore_transitions')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
