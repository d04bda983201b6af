-- Columns that were dates and became times, or the reverse: values of the other type come from devices that were offline meanwhile, and are read in a time zone.
alter table sync.guards drop constraint guards_scope_check;
alter table sync.guards drop constraint guards_check;
alter table sync.guards
  -- dates:ZONE: a day is the moment at which it begins there, and a moment is the day there.
  add constraint guards_scope_check check (scope in ('column', 'row', 'lines') or scope ~ '^dates:[A-Za-z0-9_+/-]{1,60}$'),
  add constraint guards_check check (columns is null or cardinality(columns) > 0 or scope in ('column', 'lines'));

create function sync.carry_dates(p_table regclass, p_column name, p_zone text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := 'dates:' || p_zone;
begin
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = p_zone) then
    raise invalid_parameter_value using message = format('there is no time zone "%s"', p_zone);
  end if;
  perform sync.set_guard(p_table, wanted, array(
    select p_column union select unnest(g.columns) from sync.guards g where g."table" = p_table and g.scope = wanted order by 1));
end
$$;
comment on function sync.carry_dates(regclass, name, text) is
  'Reads uploaded values of a column in a time zone: a day for a column of times is the moment at which it begins, and a time for a column of days is the day. For columns whose type changed.';
revoke all on function sync.carry_dates(regclass, name, text) from public;
do $$
begin
  if has_function_privilege('postgres', 'sync.guard_columns(regclass, name[])', 'execute') then
    grant execute on function sync.carry_dates(regclass, name, text) to postgres;
  end if;
exception
  when undefined_object then null; -- no role of that name
end
$$;
