-- Gives a cluster of release 0.1.0 a superuser of its own. There `postgres`, which projects act as, is the role that initdb made, and Postgres never takes the
-- superuser's rights from that one. So it becomes `supabase_admin`, and a new `postgres` follows. Runs as that role, whatever it is called; may be repeated
-- after any interruption.
do $$
declare
  bootstrap constant name := (select rolname from pg_catalog.pg_roles where oid = 10);
begin
  if bootstrap <> 'supabase_admin' then
    -- Nobody renames the role of their own session.
    create role holdfast_separation superuser;
    set local session authorization holdfast_separation;
    if exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin') then
      -- Owned Holdfast's schemas.
      alter role supabase_admin rename to holdfast_former_admin;
    end if;
    execute format('alter role %I rename to supabase_admin', bootstrap);
    reset session authorization;
    drop role holdfast_separation;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    create role postgres;
  end if;
  alter role postgres with login nosuperuser createdb createrole replication bypassrls inherit;
end
$$;

-- Whoever was a member of `postgres` becomes one of the new role: as a member of the superuser they could become it.
do $$
declare
  one record;
begin
  for one in
    select m.member::pg_catalog.regrole as member, m.grantor::pg_catalog.regrole as grantor, m.admin_option
      from pg_catalog.pg_auth_members m where m.roleid = 10
  loop
    execute format('revoke supabase_admin from %s granted by %s cascade', one.member, one.grantor);
    execute format('grant postgres to %s with admin %s', one.member, case when one.admin_option then 'true' else 'false' end);
  end loop;
end
$$;

-- The roles that the project has made, as if the new role had made them. Those of Holdfast and of Supabase's services are no roles of the project.
do $$
declare
  one record;
begin
  for one in
    select r.oid::pg_catalog.regrole as role, r.rolsuper as is_super from pg_catalog.pg_roles r
     where r.oid >= 16384 and r.rolname !~ '^(holdfast_|supabase_)' and r.rolname <> 'postgres'
  loop
    if one.is_super then
      raise notice 'holdfast: superuser %', one.role;
    elsif not pg_catalog.pg_has_role(one.role::pg_catalog.oid, 'postgres', 'member') then
      execute format('grant %s to postgres with admin option', one.role);
    end if;
  end loop;
end
$$;

-- Settings of the role, each under the name and in the form that it has. Some can only be given at the start of a session, which is said and goes on.
do $$
declare
  one record;
begin
  for one in
    select d.datname, split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
      from pg_catalog.pg_db_role_setting s left join pg_catalog.pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) setting
     where s.setrole = 10
  loop
    begin
      perform pg_catalog.set_config(one.name, one.value, true);
      execute format('alter role postgres %s set %s from current',
                     coalesce('in database ' || quote_ident(one.datname), ''),
                     (select string_agg(quote_ident(part), '.') from unnest(string_to_array(one.name, '.')) part));
    exception when others then
      raise notice 'holdfast: setting % (%)', one.name, sqlerrm;
    end;
  end loop;
  reset all;
  for one in select d.datname from pg_catalog.pg_db_role_setting s left join pg_catalog.pg_database d on d.oid = s.setdatabase where s.setrole = 10 loop
    execute format('alter role supabase_admin %s reset all', coalesce('in database ' || quote_ident(one.datname), ''));
  end loop;
end
$$;

do $$
declare
  one record;
begin
  for one in select datname, datistemplate, datdba = 10 as is_ours from pg_catalog.pg_database where datallowconn loop
    if one.is_ours and not one.datistemplate then
      execute format('alter database %I owner to postgres', one.datname);
    end if;
    if one.datname <> 'template1' then
      raise notice 'holdfast: database %', one.datname;
    end if;
  end loop;
  for one in select spcname from pg_catalog.pg_tablespace where spcowner = 10 and spcname !~ '^pg_' loop
    execute format('grant create on tablespace %I to postgres with grant option', one.spcname);
  end loop;
end
$$;
