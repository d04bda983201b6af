-- Where a workspace is on the clock, and what language its mails have: what is due today is due by the clock of the place where the work is done, whatever the
-- device of a person says.

alter table holdfast.workspaces
  add column time_zone text not null default 'UTC' constraint workspaces_time_zone_length check (length(time_zone) between 1 and 64),
  add column language text not null default 'en' constraint workspaces_language check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$');

comment on column holdfast.workspaces.time_zone is 'Time zone. By its name in the IANA database, such as Europe/Berlin: days begin and end by it.';
comment on column holdfast.workspaces.language is 'Language. Of mails to members who have chosen none.';
comment on constraint workspaces_time_zone_length on holdfast.workspaces is 'A time zone has a name like Europe/Berlin.';
comment on constraint workspaces_language on holdfast.workspaces is 'A language has a tag like en or de.';

-- A constraint cannot ask another relation. Devices know the names of the IANA database, and not those that are files of a machine or follow POSIX.
create function holdfast.guard_time_zone() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.time_zone ~ '^(posix|right)/' or new.time_zone in ('localtime', 'posixrules', 'Factory')
     or not exists (select from pg_catalog.pg_timezone_names z where z.name = new.time_zone) then
    raise exception 'There is no time zone %. It has a name like Europe/Berlin.', left(new.time_zone, 64)
      using errcode = 'check_violation', hint = 'workspace.time_zone';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_time_zone() is 'A workspace has a time zone that the database and devices know.';
create trigger guard_time_zone before insert or update of time_zone on holdfast.workspaces for each row
  when (new.time_zone <> 'UTC') execute function holdfast.guard_time_zone();

grant update (time_zone, language) on holdfast.workspaces to authenticated;

do $$
begin
  execute format('alter function holdfast.guard_time_zone() owner to %I', (
    select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
