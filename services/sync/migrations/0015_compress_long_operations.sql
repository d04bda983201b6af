-- Operations above 2 kB are kept compressed, as Postgres keeps the long values that they are made of: the log of a table of texts was several times the
-- table otherwise. With lz4 where this Postgres has it, which costs next to nothing to read.
alter table sync.ops alter column doc set storage extended;
do $$
begin
  alter table sync.ops alter column doc set compression lz4;
exception when feature_not_supported then
  raise notice 'this Postgres is built without lz4: long operations are compressed with pglz';
end $$;
