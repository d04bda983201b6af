-- What is new for a person: whom a comment mentions, and up to when a person has read what is said about a record.

alter table holdfast.comments
  add column mentions jsonb not null default '[]'
  constraint comments_mentions check (jsonb_typeof(mentions) = 'array' and jsonb_array_length(mentions) <= 50 and length(mentions::text) <= 4000);
comment on column holdfast.comments.mentions is 'Mentions. The ids of the accounts that the text names.';
comment on constraint comments_mentions on holdfast.comments is 'A comment mentions at most 50 people.';

create table holdfast.read_marks (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null,
  table_name text,
  record_id text constraint read_marks_record check (length(record_id) between 1 and 200),
  read_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint read_marks_table_name check (length(table_name) between 1 and 200 and (table_name is null) = (record_id is null))
);
create index read_marks_owner_id_idx on holdfast.read_marks (owner_id);

comment on table holdfast.read_marks is 'Read marks. Up to when a person has read what is said about a record. There may be several for one record: the latest counts.';
comment on column holdfast.read_marks.owner_id is 'Owner. Taken from the sign-in.';
comment on column holdfast.read_marks.table_name is 'Table. By its name on the device; empty: of all tables.';
comment on column holdfast.read_marks.record_id is 'Record. Empty: all records.';
comment on column holdfast.read_marks.read_at is 'Read until.';
comment on constraint read_marks_table_name on holdfast.read_marks is 'A read mark names a table and a record, or neither.';
comment on constraint read_marks_record on holdfast.read_marks is 'A read mark names a record by its id.';

-- The app counts what is older than 30 days as read, so older marks say nothing: what a person has is bounded by what they read in a month. It runs with the
-- rights of whoever writes, who may delete their own marks and no others.
create function holdfast.guard_read_mark() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    new.owner_id := old.owner_id;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner_id := coalesce(holdfast.user_id(), new.owner_id);
  delete from holdfast.read_marks m where m.owner_id = new.owner_id and m.read_at < now() - interval '31 days';
  if (select count(*) from holdfast.read_marks m where m.owner_id = new.owner_id) >= 1000 then
    delete from holdfast.read_marks m where m.id in (
      select o.id from holdfast.read_marks o where o.owner_id = new.owner_id order by o.read_at limit 100);
  end if;
  return new;
end
$$;
comment on function holdfast.guard_read_mark() is 'Takes the owner from the token and deletes the oldest marks of the person.';

create trigger guard before insert or update on holdfast.read_marks for each row execute function holdfast.guard_read_mark();
create trigger touch before update on holdfast.read_marks for each row execute function holdfast.touch();

alter table holdfast.read_marks enable row level security;
grant select, insert, update, delete on holdfast.read_marks to authenticated;
grant all on holdfast.read_marks to service_role;

-- As with the other tables of the project: they belong to the role that the project acts as, where there is one.
do $$
declare
  owner name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  execute format('alter table holdfast.read_marks owner to %I', owner);
  execute format('alter function holdfast.guard_read_mark() owner to %I', owner);
  execute format('set local role %I', owner);
end
$$;

create policy own_read on holdfast.read_marks for select to authenticated
  using (owner_id = (select holdfast.user_id()));
create policy own_add on holdfast.read_marks for insert to authenticated
  with check (owner_id = (select holdfast.user_id()));
create policy own_change on holdfast.read_marks for update to authenticated
  using (owner_id = (select holdfast.user_id())) with check (owner_id = (select holdfast.user_id()));
create policy own_delete on holdfast.read_marks for delete to authenticated
  using (owner_id = (select holdfast.user_id()));

reset role;
