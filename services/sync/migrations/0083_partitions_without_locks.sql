-- A change of one table waited for the partitions of all others: pg_partition_tree locks each of them. While somebody attached or detached one, everybody else's
-- ALTER TABLE and GRANT waited with its own locks in hand, and ended in deadlocks. So the trees are read from the catalog, without locks, and the event trigger
-- looks at the tables that its own statement was about.

-- A table and its partitions at every level, as pg_partition_tree has them.
create function sync.partitions_of(root oid) returns table (relid oid)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with recursive tree (relid) as (
    select root
    union
    select i.inhrelid from tree t join pg_inherits i on i.inhparent = t.relid where not i.inhdetachpending
  )
  select t.relid from tree t
$$;
comment on function sync.partitions_of(oid) is 'A table and its partitions at every level, without locking any of them.';
revoke all on function sync.partitions_of(oid) from public;

-- Follows one partition that has something to be done.
-- @param roots: of these partitioned tables only; null for all
-- @param guarded: in Holdfast's own transaction, which gives way to a transaction that changes rights
create function sync.follow_next_partition(guarded boolean, roots oid[]) returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
  has_rows boolean;
begin
  for one in
    select p.relid as partition, r.prrelid as root, c.relkind as kind, c.relreplident as identity, k.partition is not null as known,
           exists (select from sync.partitions s where s.root = r.prrelid and s.partition = r.prrelid) as root_known,
           exists (select from pg_trigger t where t.tgrelid = p.relid and t.tgname = 'holdfast_truncate') as has_trigger
      from pg_publication b
      join pg_publication_rel r on r.prpubid = b.oid
      join pg_class rc on rc.oid = r.prrelid and rc.relkind = 'p'
      cross join lateral sync.partitions_of(r.prrelid) p
      join pg_class c on c.oid = p.relid
      left join sync.partitions k on k.root = r.prrelid and k.partition = p.relid
     where b.pubname = 'holdfast' and c.relkind in ('r', 'p') and (c.relreplident <> 'f' or k.partition is null)
       and (roots is null or r.prrelid = any(roots))
     -- The table itself comes last: once it is known, a partition that is not is a new one, whose rows have not been read.
     order by p.relid = r.prrelid, p.relid
     limit 1
  loop
    if one.identity <> 'f' or one.kind = 'r' and not one.known and not one.has_trigger then
      execute format('lock table only %s in %s mode', one.partition::regclass,
                     case when one.identity <> 'f' then 'access exclusive' else 'share row exclusive' end);
      if guarded and not pg_try_advisory_xact_lock(hashtextextended('holdfast grants', 0)) then
        raise lock_not_available using message = 'a transaction that is not over has changed rights';
      end if;
      if one.identity <> 'f' then
        execute format('alter table only %s replica identity full', one.partition::regclass);
      end if;
      -- Outside Holdfast's own transaction the ALTER TABLE above is followed by an event trigger that comes here, too.
      if one.kind = 'r' and not one.known
         and not exists (select from pg_trigger t where t.tgrelid = one.partition and t.tgname = 'holdfast_truncate') then
        execute format(
          'create trigger holdfast_truncate after truncate on %s for each statement execute function sync.on_partition_truncate()',
          one.partition::regclass);
      end if;
    end if;
    if not one.known then
      insert into sync.partitions (root, partition) values (one.root, one.partition) on conflict do nothing;
      if found and one.kind = 'r' and one.root_known then
        execute format('select exists (select from only %s)', one.partition::regclass) into has_rows;
        if has_rows then
          perform pg_logical_emit_message(true, 'holdfast:rewrite', one.root::int8::text);
        end if;
      end if;
    end if;
    return true;
  end loop;

  for one in
    delete from sync.partitions k
     where (k.root, k.partition) in (
             select g.root, g.partition from sync.partitions g
              where (roots is null or g.root = any(roots) or not exists (select from pg_class c where c.oid = g.partition))
                and (not exists (select from pg_publication b join pg_publication_rel r on r.prpubid = b.oid
                                  where b.pubname = 'holdfast' and r.prrelid = g.root)
                     or not exists (select from pg_class c where c.oid = g.root and c.relkind = 'p')
                     or g.partition <> g.root and g.partition not in (select p.relid from sync.partitions_of(g.root) p))
              limit 1)
    returning k.root, k.partition,
      (select c.relkind from pg_class c where c.oid = k.partition) as kind,
      exists (select from pg_trigger t where t.tgrelid = k.partition and t.tgname = 'holdfast_truncate') as has_trigger
  loop
    -- Of what was dropped, nobody can say whether it was empty.
    has_rows := one.kind is null;
    if one.has_trigger and one.kind = 'r' then
      -- Dropping a trigger locks the table against everybody.
      execute format('lock table only %s in access exclusive mode', one.partition::regclass);
      execute format('drop trigger holdfast_truncate on %s', one.partition::regclass);
    end if;
    if one.kind = 'r' then
      execute format('select exists (select from only %s)', one.partition::regclass) into has_rows;
    end if;
    if has_rows and exists (select from pg_class c where c.oid = one.root) then
      perform pg_logical_emit_message(true, 'holdfast:rewrite', one.root::int8::text);
    end if;
    return true;
  end loop;
  return false;
end
$$;
comment on function sync.follow_next_partition(boolean, oid[]) is 'Follows a partition of a published table that is new or gone. Answers whether there was one.';
revoke all on function sync.follow_next_partition(boolean, oid[]) from public;

create or replace function sync.follow_next_partition(guarded boolean) returns boolean
  language sql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select sync.follow_next_partition(guarded, null)
$$;

-- In the transaction of whoever changes partitions: they have them locked already. What was dropped is in no list of commands, and found by its absence.
create or replace function sync.on_partition_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  roots oid[] := array(
    select distinct coalesce(pg_partition_root(d.objid)::oid, d.objid)
      from pg_event_trigger_ddl_commands() d
     where d.classid = 'pg_class'::regclass);
begin
  while sync.follow_next_partition(false, roots) loop
  end loop;
end
$$;
