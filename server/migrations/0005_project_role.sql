-- Teams, their members and comments are the project's: it adds policies and triggers of its own, and refers to them. In a packaged database they belong to the
-- role that it acts as, with the functions that read them; the superuser would run what a project adds.
do $$
declare
  one record;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  grant usage on schema holdfast to postgres;
  alter table holdfast.teams owner to postgres;
  alter table holdfast.team_members owner to postgres;
  alter table holdfast.comments owner to postgres;
  alter type holdfast.team_function owner to postgres;
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('touch', 'set_created_by', 'my_team_ids', 'my_led_team_ids', 'my_areas', 'my_area_team_ids', 'is_team_member', 'is_lead_of',
                         'is_operator', 'guard_comment')
  loop
    execute format('alter function %s owner to postgres', one.function);
  end loop;
  -- Whether the sample was made is remembered with it.
  grant select, insert on holdfast.settings to postgres;
end
$$;
