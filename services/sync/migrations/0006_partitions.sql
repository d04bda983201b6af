-- Partitioned tables are published as a whole. What the stream does not say of them: a partition that comes with rows or takes rows away, and one that
-- is truncated by itself. The reader is told to read the table again. And a new partition logs old rows in full from its first change on.

-- The partitions that are followed, as they were when last looked at; of a table that is followed itself, too.
create table sync.partitions (
  root oid not null,
  partition oid not null,
  primary key (root, partition)
);
revoke all on sync.partitions from public;

-- Compares the published partitioned tables with what is known of them.
create function sync.follow_partitions() returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
  has_rows boolean;
begin
  for one in
    select distinct p.relid as partition, r.prrelid as root, c.relkind as kind, c.relreplident as identity, k.partition is not null as known,
           exists (select from sync.partitions s where s.root = r.prrelid and s.partition = r.prrelid) as root_known
      from pg_publication b
      join pg_publication_rel r on r.prpubid = b.oid
      join pg_class rc on rc.oid = r.prrelid and rc.relkind = 'p'
      cross join lateral pg_partition_tree(r.prrelid) p
      join pg_class c on c.oid = p.relid
      left join sync.partitions k on k.root = r.prrelid and k.partition = p.relid
     where b.pubname = 'holdfast' and c.relkind in ('r', 'p')
     order by 1
  loop
    if one.identity <> 'f' then
      execute format('alter table only %s replica identity full', one.partition::regclass);
    end if;
    if one.known then
      continue;
    end if;
    insert into sync.partitions (root, partition) values (one.root, one.partition) on conflict do nothing;
    if one.kind = 'r' then
      if not exists (select from pg_trigger t where t.tgrelid = one.partition and t.tgname = 'holdfast_truncate') then
        execute format(
          'create trigger holdfast_truncate after truncate on %s for each statement execute function sync.on_partition_truncate()',
          one.partition::regclass);
      end if;
      if one.root_known then
        execute format('select exists (select from only %s)', one.partition::regclass) into has_rows;
        if has_rows then
          perform pg_logical_emit_message(true, 'holdfast:rewrite', one.root::int8::text);
        end if;
      end if;
    end if;
  end loop;

  for one in
    delete from sync.partitions k
     where not exists (select from pg_publication b join pg_publication_rel r on r.prpubid = b.oid
                        where b.pubname = 'holdfast' and r.prrelid = k.root)
        or not exists (select from pg_class c where c.oid = k.root and c.relkind = 'p')
        or k.partition <> k.root and k.partition not in (select p.relid from pg_partition_tree(k.root) p)
    returning k.root, k.partition,
      (select c.relkind from pg_class c where c.oid = k.partition) as kind,
      exists (select from pg_trigger t where t.tgrelid = k.partition and t.tgname = 'holdfast_truncate') as has_trigger
  loop
    -- Of what was dropped, nobody can say whether it was empty.
    has_rows := one.kind is null;
    if one.kind = 'r' then
      execute format('select exists (select from only %s)', one.partition::regclass) into has_rows;
    end if;
    if one.has_trigger and one.kind = 'r' then
      execute format('drop trigger holdfast_truncate on %s', one.partition::regclass);
    end if;
    if has_rows and exists (select from pg_class c where c.oid = one.root) then
      perform pg_logical_emit_message(true, 'holdfast:rewrite', one.root::int8::text);
    end if;
  end loop;
end
$$;
comment on function sync.follow_partitions() is 'Follows the partitions of published tables: those that are new, and those that are gone.';
revoke all on function sync.follow_partitions() from public;

-- A truncated partition is in no publication of its table.
create function sync.on_partition_truncate() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_logical_emit_message(true, 'holdfast:rewrite', k.root::int8::text) from sync.partitions k where k.partition = tg_relid;
  return null;
end
$$;
revoke all on function sync.on_partition_truncate() from public;

create function sync.on_partition_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform sync.follow_partitions();
end
$$;
revoke all on function sync.on_partition_change() from public;

-- A rewrite is of the partition, and what is read again is its table.
create or replace function holdfast.on_table_rewrite() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  rewritten oid := pg_event_trigger_table_rewrite_oid();
begin
  perform pg_logical_emit_message(true, 'holdfast:rewrite', coalesce(pg_partition_root(rewritten)::oid, rewritten)::int8::text);
end
$$;

do $$
begin
  create event trigger holdfast_partitions on ddl_command_end
    when tag in ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION')
    execute function sync.on_partition_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of partitions are not noticed: restart Holdfast after attaching or detaching one';
end
$$;
