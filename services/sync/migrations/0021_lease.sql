-- One process reads the replication slot and writes the log: the holder of the lease. Another one on the same database stands by and takes over.

-- The lock of the holder, (18502, 1), says that somebody is there; the epoch makes sure that whoever was thought dead cannot write any more.
alter table sync.state add column epoch bigint not null default 0;

create table sync.lease (
  only_row boolean primary key default true check (only_row),
  -- The process that has it: its connections have this in their names.
  holder text not null default '',
  -- Grows while the holder is well and another process stands by, (18502, 2). One that stands still for some seconds is given up.
  renewals bigint not null default 0
);
insert into sync.lease default values;
revoke all on sync.lease from public;

create function sync.fence(actual bigint, mine bigint) returns bigint
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
begin
  if actual is distinct from mine then
    raise exception 'another process has the lease of the operation log (epoch %, ours was %)', actual, mine using errcode = 'HFL01';
  end if;
  return actual;
end
$$;
comment on function sync.fence(bigint, bigint) is 'The epoch, if it is the expected one; fails otherwise, and the transaction with it.';

-- For transactions of the holder. Taking the lease waits for those that have begun, and those that begin later see the next epoch.
create function sync.assert_lease(mine bigint) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(18502, 3);
  perform sync.fence((select s.epoch from sync.state s), mine);
end
$$;
comment on function sync.assert_lease(bigint) is 'Fails unless this is the epoch, and keeps it so until the end of the transaction.';
revoke all on function sync.fence(bigint, bigint), sync.assert_lease(bigint) from public;
