-- The policy of a public form comes and goes with the form: it is no rule of access, and rules leave it alone.

create function holdfast.is_form_policy(of_table regclass, policy name) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (select from holdfast.public_forms f
                  where to_regclass(format('public.%I', f.table_name)) = of_table and holdfast.form_policy_name(f.id) = policy)
$$;
comment on function holdfast.is_form_policy(regclass, name) is 'Whether a policy belongs to a public form.';

create or replace function holdfast.policies_of(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'name', p.polname, 'permissive', p.polpermissive,
           'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
           'roles', (select coalesce(jsonb_agg(case when r = 0 then 'public' else r::regrole::text end order by r), '[]') from unnest(p.polroles) r),
           'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
    from pg_catalog.pg_policy p where p.polrelid = of_table and not holdfast.is_form_policy(of_table, p.polname)
$$;

create or replace function holdfast.access_sql(workspace uuid, table_name text, rules jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  dropped constant text := (select string_agg(format('drop policy %I on public.%I;', p.polname, access_sql.table_name), E'\n' order by p.polname)
                              from pg_catalog.pg_policy p where p.polrelid = of_table and not holdfast.is_form_policy(of_table, p.polname));
begin
  return concat_ws(E'\n', dropped, holdfast.access_policies_sql(workspace, table_name, rules, holdfast.access_columns(of_table)));
end
$$;

revoke all on function holdfast.is_form_policy(regclass, name) from public;
do $$
begin
  execute format('alter function holdfast.is_form_policy(regclass, name) owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
