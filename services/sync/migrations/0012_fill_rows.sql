-- So that operators see how far the reading of a table is, also after a restart.
alter table sync.fills add column rows bigint not null default 0;
