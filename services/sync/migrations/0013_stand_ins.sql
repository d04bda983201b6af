-- What a definition's buckets hold, in terms of its table: tells after a restart as well whether it can be served until another one is complete.
alter table sync.definitions add column content jsonb;
