-- TRUNCATE of a partition is noticed in sessions with `session_replication_role = replica`, too, which dumps and restores are: the function is that of
-- 0083_partitions_without_locks, but for the trigger that fires always.

create or replace function sync.follow_next_partition(guarded boolean, roots oid[]) returns boolean
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
        execute format('alter table only %s enable always trigger holdfast_truncate', one.partition::regclass);
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

-- A partition that is in use is left as it is: no start waits for it.
do $$
declare
  truncated regclass;
  before text := current_setting('lock_timeout');
begin
  perform set_config('lock_timeout', '200ms', true);
  for truncated in select t.tgrelid from pg_catalog.pg_trigger t where t.tgname = 'holdfast_truncate' and t.tgenabled = 'O' loop
    begin
      execute pg_catalog.format('alter table only %s enable always trigger holdfast_truncate', truncated);
    exception
      when lock_not_available or insufficient_privilege then
        raise notice 'a TRUNCATE of % in a session with session_replication_role = replica is not noticed: %', truncated, sqlerrm;
    end;
  end loop;
  perform set_config('lock_timeout', before, true);
end
$$;
