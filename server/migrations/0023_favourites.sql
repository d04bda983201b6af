-- Favourites: the records and views that a person keeps at hand. Ordinary rows that sync, each to its owner only.

create table holdfast.favourites (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null,
  kind text not null constraint favourites_kind check (kind in ('record', 'view')),
  table_name text not null constraint favourites_table_name check (length(table_name) between 1 and 200),
  target_id text not null constraint favourites_target check (length(target_id) between 1 and 200),
  position double precision not null default 0 constraint favourites_position_number check (position > '-Infinity' and position < 'Infinity'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index favourites_owner_id_idx on holdfast.favourites (owner_id);

comment on table holdfast.favourites is 'Favourites. Records and views that a person keeps at hand. The same one may be there twice, of two devices: it counts once.';
comment on column holdfast.favourites.owner_id is 'Owner. Taken from the sign-in.';
comment on column holdfast.favourites.kind is 'Kind. record or view.';
comment on column holdfast.favourites.table_name is 'Table. By its name on the device.';
comment on column holdfast.favourites.target_id is 'What it is. The id of the record or of the view.';
comment on column holdfast.favourites.position is 'Position. Smaller numbers come first.';
comment on constraint favourites_kind on holdfast.favourites is 'A favourite is a record or a view.';
comment on constraint favourites_table_name on holdfast.favourites is 'A favourite names its table.';
comment on constraint favourites_target on holdfast.favourites is 'A favourite names a record or a view by its id.';
comment on constraint favourites_position_number on holdfast.favourites is 'A position is a finite number.';

create function holdfast.guard_favourite() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    new.owner_id := old.owner_id;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner_id := coalesce(holdfast.user_id(), new.owner_id);
  if (select count(*) from holdfast.favourites f where f.owner_id = new.owner_id) >= 200 then
    raise exception 'You have 200 favourites. Remove one first.' using hint = 'favourite.limit';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_favourite() is 'Takes the owner from the token and limits how many favourites there are.';

create trigger guard before insert or update on holdfast.favourites for each row execute function holdfast.guard_favourite();
create trigger touch before update on holdfast.favourites for each row execute function holdfast.touch();

alter table holdfast.favourites enable row level security;
grant select, insert, update, delete on holdfast.favourites to authenticated;
grant all on holdfast.favourites to service_role;

-- As with the other tables of the project: they belong to the role that the project acts as, where there is one.
do $$
declare
  owner name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  execute format('alter table holdfast.favourites owner to %I', owner);
  execute format('alter function holdfast.guard_favourite() owner to %I', owner);
  execute format('set local role %I', owner);
end
$$;

create policy own_read on holdfast.favourites for select to authenticated
  using (owner_id = (select holdfast.user_id()));
create policy own_add on holdfast.favourites for insert to authenticated
  with check (owner_id = (select holdfast.user_id()));
create policy own_change on holdfast.favourites for update to authenticated
  using (owner_id = (select holdfast.user_id())) with check (owner_id = (select holdfast.user_id()));
create policy own_delete on holdfast.favourites for delete to authenticated
  using (owner_id = (select holdfast.user_id()));

reset role;
