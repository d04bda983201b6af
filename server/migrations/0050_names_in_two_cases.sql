-- Devices do not tell apart names that differ in the case of letters: beside "Valves", a new table valves would take its name there.
create or replace function holdfast.require_new_name(name text, what text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if name is null or name !~ '^[a-z][a-z0-9_]{0,50}$' or name ~ '^(pg|ps|hf)_' then
    raise exception 'The name of a % has 1 to 51 small letters, digits and underscores, and begins with a letter.', what using hint = 'new_table.name';
  end if;
  if what = 'table' and exists (
    select from pg_catalog.pg_class c
     where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind in ('r', 'p') and c.relname <> name and pg_catalog.lower(c.relname collate "C") = name
  ) then
    raise exception 'There is something called % in the database already, in other letters.', name using hint = 'new_table.exists';
  end if;
  return name;
end
$$;
