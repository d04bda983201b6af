-- The bytes of visitors' files wait in the database until the answer is sent, so that any server takes the next piece and stores them (decision 258).

create table holdfast.form_file_parts (
  file uuid not null constraint holdfast_form_file_parts_file references holdfast.form_files (id) on delete cascade,
  starts_at bigint not null,
  bytes bytea not null,
  constraint holdfast_form_file_parts_pkey primary key (file, starts_at)
);
-- Photos do not get smaller.
alter table holdfast.form_file_parts alter column bytes set storage external;
comment on table holdfast.form_file_parts is 'The bytes of files that visitors add to answers, in pieces, until they are stored. Only the server reads them.';
comment on column holdfast.form_file_parts.starts_at is 'Starts at. The position of the first byte in the file.';
alter table holdfast.form_file_parts enable row level security;
revoke all on holdfast.form_file_parts from anon, authenticated;

alter table holdfast.form_files add column claimed_at timestamptz;
comment on column holdfast.form_files.claimed_at is 'Claimed at. When a server last began to store the bytes.';

-- As in 0230, with less in total: the bytes are in the database.
create or replace function holdfast.form_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'forms of a workspace' then 50
    when 'questions' then 60
    when 'bytes of a definition' then 65536
    when 'submissions of a source in an hour' then 30
    when 'submissions of a form in an hour' then 600
    when 'files of a question' then 10
    when 'MB of a file' then 25
    when 'MB of an answer' then 100
    when 'files of a source in an hour' then 150
    when 'MB of a source in an hour' then 500
    when 'MB of a form in a day' then 5000
    when 'unsent MB of a workspace' then 1000
    when 'unsent MB' then 4000
  end
$$;

drop function holdfast.sweep_form_files();
create function holdfast.forget_form_files() returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  delete from holdfast.form_files f where f.created_at < now() - interval '30 days' or (f.path is null and f.created_at < now() - interval '1 day')
$$;
comment on function holdfast.forget_form_files() is 'Forgets files of answers that were never sent, and old ones. For the server only.';

create function holdfast.claim_form_file() returns table (id uuid, media_type text, size bigint, path text)
  language sql set search_path = pg_catalog, pg_temp as $$
  update holdfast.form_files f set claimed_at = now()
   where f.id = (select c.id from holdfast.form_files c
                  where c.path is not null and c.stored_at is null and (c.claimed_at is null or c.claimed_at < now() - interval '5 minutes')
                  order by c.created_at, c.id limit 1 for update skip locked)
  returning f.id, f.media_type, f.size, f.path
$$;
comment on function holdfast.claim_form_file() is
  'A file of a sent answer whose bytes are not stored yet, for the calling server alone for five minutes; no row if there is none. For the server only.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast.form_file_parts owner to %I', project);
  for one in
    select p.oid::regprocedure as function from pg_proc p where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('forget_form_files', 'claim_form_file')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
