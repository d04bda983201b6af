-- A mail a day of what is new for a person: who wants none, in which language, and for which day somebody has had theirs. The server reads what the mail says as
-- the person it is for.

create table holdfast.mail_settings (
  user_id uuid primary key references auth.users (id) on delete cascade,
  daily_mail boolean not null default true,
  language text constraint mail_settings_language check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$'),
  updated_at timestamptz not null default now()
);
comment on table holdfast.mail_settings is 'Which mails people want. Written by holdfast.set_daily_mail and the link in the mail; nobody reads it but the server.';

create table holdfast.daily_mails (
  user_id uuid primary key references auth.users (id) on delete cascade,
  -- In the time zone of the workspace.
  day date not null,
  is_done boolean not null default false,
  attempts integer not null default 1,
  due_at timestamptz not null,
  -- When the last mail was written that said something.
  mailed_at timestamptz
);
comment on table holdfast.daily_mails is 'The last day for which a person''s daily mail was looked at. Nobody reads it but the server.';

alter table holdfast.mail_settings enable row level security;
alter table holdfast.daily_mails enable row level security;
revoke all on holdfast.mail_settings, holdfast.daily_mails from public, anon, authenticated, service_role;

create function holdfast.daily_mail() returns jsonb
  language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'is_on', coalesce((select s.daily_mail from holdfast.mail_settings s where s.user_id = holdfast.user_id()), true),
    'is_member', exists (select from holdfast.members m where m.user_id = holdfast.user_id() and m.status = 'active'))
$$;
comment on function holdfast.daily_mail() is 'Whether the caller gets the daily mail; only members of a workspace do.';

create function holdfast.set_daily_mail(is_on boolean, language text default null) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if holdfast.user_id() is null then
    raise exception 'Mails need an account of this server.' using errcode = 'insufficient_privilege', hint = 'mail.account';
  end if;
  insert into holdfast.mail_settings as s (user_id, daily_mail, language) values (holdfast.user_id(), is_on, set_daily_mail.language)
  on conflict (user_id) do update
     set daily_mail = excluded.daily_mail, language = coalesce(excluded.language, s.language), updated_at = now();
end
$$;
comment on function holdfast.set_daily_mail(boolean, text) is 'Turns the daily mail of the caller on or off, and says its language.';

revoke all on function holdfast.daily_mail(), holdfast.set_daily_mail(boolean, text) from public;
grant execute on function holdfast.daily_mail(), holdfast.set_daily_mail(boolean, text) to authenticated;

-- As with notifications (0030): the server writes the tables as itself, so they are not the project's; the functions are.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  if project = current_user then
    return;
  end if;
  execute format('grant select, insert, update, delete, truncate on holdfast.mail_settings, holdfast.daily_mails to %I', project);
  execute format('alter function holdfast.daily_mail() owner to %I', project);
  execute format('alter function holdfast.set_daily_mail(boolean, text) owner to %I', project);
end
$$;
