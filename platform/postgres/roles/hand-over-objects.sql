-- Gives what a project has made in one database of release 0.1.0 to the new `postgres`. What stays with the superuser: Holdfast's schemas, members of
-- extensions, and what Postgres gives to superusers only. Runs without event triggers; may be repeated after any interruption.
do $$
declare
  ours constant name[] := array['auth', 'holdfast', 'subscription', 'sync'];
  one record;
begin
  for one in
    with schemas as (
      select n.oid, n.nspname = any(ours) as is_ours
        from pg_catalog.pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    ), objects (class, object, schema) as (
      select 'pg_catalog.pg_namespace'::regclass, n.oid, null::oid from pg_catalog.pg_namespace n
       where n.nspowner = 10 and n.oid in (select s.oid from schemas s where not s.is_ours)
      union all
      select 'pg_catalog.pg_class'::regclass, c.oid, c.relnamespace from pg_catalog.pg_class c
       where c.relowner = 10 and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
         -- Sequences of columns go with their table.
         and not exists (select from pg_catalog.pg_depend d
                          where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and c.relkind = 'S' and d.deptype in ('a', 'i'))
      union all
      select 'pg_catalog.pg_type'::regclass, t.oid, t.typnamespace from pg_catalog.pg_type t
       where t.typowner = 10
         and (t.typtype in ('b', 'd', 'e', 'r')
              or t.typtype = 'c' and (select c.relkind from pg_catalog.pg_class c where c.oid = t.typrelid) = 'c')
         and not exists (select from pg_catalog.pg_type e where e.typarray = t.oid)
      union all
      select 'pg_catalog.pg_proc'::regclass, p.oid, p.pronamespace from pg_catalog.pg_proc p where p.proowner = 10
      union all
      select 'pg_catalog.pg_operator'::regclass, o.oid, o.oprnamespace from pg_catalog.pg_operator o where o.oprowner = 10
      union all
      select 'pg_catalog.pg_opclass'::regclass, o.oid, o.opcnamespace from pg_catalog.pg_opclass o where o.opcowner = 10
      union all
      select 'pg_catalog.pg_opfamily'::regclass, o.oid, o.opfnamespace from pg_catalog.pg_opfamily o where o.opfowner = 10
      union all
      select 'pg_catalog.pg_collation'::regclass, c.oid, c.collnamespace from pg_catalog.pg_collation c where c.collowner = 10
      union all
      select 'pg_catalog.pg_conversion'::regclass, c.oid, c.connamespace from pg_catalog.pg_conversion c where c.conowner = 10
      union all
      select 'pg_catalog.pg_ts_dict'::regclass, d.oid, d.dictnamespace from pg_catalog.pg_ts_dict d where d.dictowner = 10
      union all
      select 'pg_catalog.pg_ts_config'::regclass, c.oid, c.cfgnamespace from pg_catalog.pg_ts_config c where c.cfgowner = 10
      union all
      select 'pg_catalog.pg_statistic_ext'::regclass, x.oid, x.stxnamespace from pg_catalog.pg_statistic_ext x where x.stxowner = 10
      union all
      select 'pg_catalog.pg_foreign_server'::regclass, s.oid, null from pg_catalog.pg_foreign_server s where s.srvowner = 10
      union all
      -- One for all tables, or for those of a schema, belongs to a superuser.
      select 'pg_catalog.pg_publication'::regclass, p.oid, null from pg_catalog.pg_publication p
       where p.pubowner = 10 and not p.puballtables
         and not exists (select from pg_catalog.pg_publication_namespace n where n.pnpubid = p.oid)
    )
    select o.class, i.type, i.identity, c.relkind, t.typtype
      from objects o
      left join schemas s on s.oid = o.schema
      left join pg_catalog.pg_class c on o.class = 'pg_catalog.pg_class'::regclass and c.oid = o.object
      left join pg_catalog.pg_type t on o.class = 'pg_catalog.pg_type'::regclass and t.oid = o.object
      left join pg_catalog.pg_proc p on o.class = 'pg_catalog.pg_proc'::regclass and p.oid = o.object
      cross join lateral pg_catalog.pg_identify_object(o.class, o.object, 0) i
     where o.object >= 16384
       and (o.schema is null or s.oid is not null)
       -- In Holdfast's schemas, what runs with its owner's rights and is none of Holdfast's own: the functions that policies were compiled to, and what a
       -- project has put there.
       and (s.is_ours is not true
            or c.relkind in ('v', 'm')
            or p.prosecdef and i.identity !~
                 '^(holdfast\.on_(catalog_change|table_rewrite|publication_change)|sync\.(claim_upload|record_upload|follow_partitions|follow_next_partition|on_partition_(truncate|change)))\(')
       and not exists (select from pg_catalog.pg_depend d where d.classid = o.class and d.objid = o.object and d.deptype = 'e')
  loop
    execute format('alter %s %s owner to postgres', case one.class
      when 'pg_catalog.pg_class'::regclass then case one.relkind
        when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' when 'S' then 'sequence' else 'table' end
      when 'pg_catalog.pg_type'::regclass then case one.typtype when 'd' then 'domain' else 'type' end
      when 'pg_catalog.pg_proc'::regclass then 'routine'
      when 'pg_catalog.pg_statistic_ext'::regclass then 'statistics'
      when 'pg_catalog.pg_foreign_server'::regclass then 'server'
      else one.type end, one.identity);
  end loop;
end
$$;

do $$
declare
  one record;
begin
  for one in select oid from pg_catalog.pg_largeobject_metadata where lomowner = 10 loop
    execute format('alter large object %s owner to postgres', one.oid);
  end loop;
  -- A wrapper belongs to a superuser; the servers of it need not.
  for one in select fdwname from pg_catalog.pg_foreign_data_wrapper where fdwowner = 10 loop
    execute format('grant usage on foreign data wrapper %I to postgres with grant option', one.fdwname);
  end loop;
  -- How `postgres` logs in elsewhere.
  for one in
    select s.srvname, (select string_agg(format('%I %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ') from unnest(m.umoptions) o) as options
      from pg_catalog.pg_user_mapping m join pg_catalog.pg_foreign_server s on s.oid = m.umserver where m.umuser = 10
  loop
    execute format('create user mapping if not exists for postgres server %I %s', one.srvname, coalesce('options (' || one.options || ')', ''));
  end loop;
  for one in select subname from pg_catalog.pg_subscription where subowner = 10 and subdbid = (select oid from pg_catalog.pg_database where datname = current_database()) loop
    raise notice 'holdfast: subscription %', one.subname;
  end loop;
  for one in select pubname from pg_catalog.pg_publication where pubowner = 10 loop
    raise notice 'holdfast: publication %', one.pubname;
  end loop;
end
$$;

-- Postgres has no statement for the owner of an extension, who may drop it. What it has made stays with the superuser, as when a trusted one is created.
do $$
declare
  one record;
  project constant oid := 'postgres'::regrole;
begin
  for one in select oid from pg_catalog.pg_extension where extowner = 10 and oid >= 16384 loop
    update pg_catalog.pg_extension set extowner = project where oid = one.oid;
    insert into pg_catalog.pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
      select d.oid, 'pg_catalog.pg_extension'::regclass, one.oid, 0, 'pg_catalog.pg_authid'::regclass, project, 'o'
        from pg_catalog.pg_database d where d.datname = current_database();
  end loop;
end
$$;

-- What they run, a project may replace; whoever fires them runs it, Holdfast's superuser among them.
do $$
declare
  one record;
begin
  for one in
    select evtname from pg_catalog.pg_event_trigger e
     where evtowner = 10 and evtenabled <> 'D'
       and evtname not in ('holdfast_rewrite', 'holdfast_ddl', 'holdfast_drop', 'holdfast_grants', 'holdfast_partitions', 'holdfast_publication',
                           'holdfast_publication_drop')
       and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_event_trigger'::regclass and d.objid = e.oid and d.deptype = 'e')
  loop
    execute format('alter event trigger %I disable', one.evtname);
    raise notice 'holdfast: event trigger %', one.evtname;
  end loop;
end
$$;

-- Default privileges, which are about what a role makes from now on.
do $$
declare
  one record;
  kind text;
  place text;
begin
  for one in
    select d.defaclobjtype, d.defaclacl, n.nspname from pg_catalog.pg_default_acl d left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
     where d.defaclrole = 10
  loop
    kind := case one.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines' when 'T' then 'types' when 'n' then 'schemas'
                                   else 'large objects' end;
    place := coalesce('in schema ' || quote_ident(one.nspname), '');
    if one.nspname is null and kind in ('routines', 'types') and not exists (select from aclexplode(one.defaclacl) a where a.grantee = 0) then
      execute format('alter default privileges for role postgres revoke all on %s from public', kind);
    end if;
    declare
      acl record;
    begin
      for acl in
        select a.privilege_type, a.is_grantable, case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
          from aclexplode(one.defaclacl) a where a.grantee <> 10
      loop
        execute format('alter default privileges for role postgres %s grant %s on %s to %s %s', place, acl.privilege_type, kind, acl.grantee,
                       case when acl.is_grantable then 'with grant option' else '' end);
      end loop;
    end;
  end loop;
end
$$;

-- The role that owned Holdfast's schemas.
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'holdfast_former_admin') then
    reassign owned by holdfast_former_admin to supabase_admin;
    drop owned by holdfast_former_admin cascade;
  end if;
end
$$;
