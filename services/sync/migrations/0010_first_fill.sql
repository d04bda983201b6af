-- Large tables are read for the first time in pieces, and nothing is served until all of them are there.
alter table sync.state add column filling boolean not null default false;
