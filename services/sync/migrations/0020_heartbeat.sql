-- A published row that the reader of the replication stream changes every few seconds, together with a message. The message comes back whether or not the
-- publication is there, the row only with it: a message alone tells that rows do not come.
create table sync.heartbeat (
  only_row boolean primary key default true check (only_row),
  number bigint not null default 0
);
insert into sync.heartbeat default values;
revoke all on sync.heartbeat from public;
