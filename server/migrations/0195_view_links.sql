-- Links to a read-only page of a view, for anybody without an account. The server reads the records as the user who made the link, so the page never shows more
-- than that user sees; it ends with the user's right to administer the workspace.

create table if not exists holdfast.view_links (
  id uuid constraint holdfast_view_links_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_view_links_workspace references holdfast.workspaces (id) on delete cascade,
  table_name text not null,
  view_id uuid,
  name text not null constraint holdfast_view_links_name check (length(btrim(name)) between 1 and 120),
  slug text not null constraint holdfast_view_links_slug unique,
  definition jsonb not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  opened_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index if not exists holdfast_view_links_workspace_id_idx on holdfast.view_links (workspace_id);
comment on table holdfast.view_links is 'View links. Anybody with the link reads a page of a view until it expires.';
comment on column holdfast.view_links.slug is 'Slug. The end of the link.';
comment on column holdfast.view_links.definition is 'Definition. The fields, filter and order of the page.';
comment on column holdfast.view_links.opened_at is 'Last opened. To the minute.';
comment on constraint holdfast_view_links_name on holdfast.view_links is 'The name of a link has 1 to 120 characters.';
alter table holdfast.view_links enable row level security;
revoke all on holdfast.view_links from anon, authenticated;
grant select on holdfast.view_links to authenticated;
grant all on holdfast.view_links to service_role;
create trigger touch before update on holdfast.view_links for each row execute function holdfast.touch();

create function holdfast.view_link_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name when 'links of a workspace' then 100 when 'fields' then 40 when 'days' then 366 when 'bytes of a definition' then 65536 end
$$;
comment on function holdfast.view_link_limit(text) is 'Limits of view links; docs/reference/people.md lists them.';

create function holdfast.create_view_link(workspace uuid, table_name text, view uuid, name text, definition jsonb, expires_at timestamptz) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link holdfast.view_links;
  of_table constant regclass := holdfast.require_made_table(workspace, table_name);
  missing text;
begin
  if length(btrim(coalesce(name, ''))) not between 1 and 120 then
    raise exception 'A link has a name of 1 to 120 characters.' using hint = 'view_link.name';
  end if;
  if expires_at is null or expires_at <= now() or expires_at > now() + make_interval(days => holdfast.view_link_limit('days')) then
    raise exception 'A link expires within 366 days.' using hint = 'view_link.expiry';
  end if;
  if jsonb_typeof(definition) is distinct from 'object' or octet_length(definition::text) > holdfast.view_link_limit('bytes of a definition')
     or jsonb_typeof(definition -> 'fields') is distinct from 'array'
     or jsonb_array_length(definition -> 'fields') not between 1 and holdfast.view_link_limit('fields') then
    raise exception 'A link shows 1 to 40 fields.' using hint = 'view_link.fields';
  end if;
  select coalesce(f.value ->> 'field', '') into missing from jsonb_array_elements(definition -> 'fields') f
   where not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = f.value ->> 'field' and a.attnum > 0 and not a.attisdropped) limit 1;
  if missing is not null then
    raise exception 'The table has no field %.', left(missing, 63) using hint = 'view_link.fields';
  end if;
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if (select count(*) from holdfast.view_links l where l.workspace_id = workspace and l.revoked_at is null and l.expires_at > now())
     >= holdfast.view_link_limit('links of a workspace') then
    raise exception 'The workspace has 100 links that work. Revoke one first.' using hint = 'view_link.limit';
  end if;
  delete from holdfast.view_links l where l.workspace_id = workspace and coalesce(l.revoked_at, l.expires_at) < now() - interval '90 days';
  insert into holdfast.view_links (workspace_id, table_name, view_id, name, slug, definition, expires_at, created_by)
    values (workspace, create_view_link.table_name, view, btrim(create_view_link.name), rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '='),
            create_view_link.definition, create_view_link.expires_at, holdfast.user_id())
    returning * into link;
  return jsonb_build_object('id', link.id, 'slug', link.slug);
end
$$;
comment on function holdfast.create_view_link(uuid, text, uuid, text, jsonb, timestamptz) is 'Creates a link to a read-only page of a view. For owners and admins of the workspace.';

create function holdfast.revoke_view_link(link uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update holdfast.view_links l set revoked_at = coalesce(l.revoked_at, now())
   where l.id = link and l.workspace_id in (select holdfast.my_administered_workspace_ids());
  if not found then
    raise exception 'There is no such link.' using errcode = 'insufficient_privilege', hint = 'view_link.gone';
  end if;
end
$$;
comment on function holdfast.revoke_view_link(uuid) is 'Ends a link. For owners and admins of the workspace.';

-- Null for a link that nobody made; without a definition for one that has ended.
create function holdfast.open_view_link(of_slug text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link holdfast.view_links;
  works boolean;
begin
  select l.* into link from holdfast.view_links l where l.slug = of_slug;
  if link.id is null then
    return null;
  end if;
  works := link.revoked_at is null and link.expires_at > now() and to_regclass(format('public.%I', link.table_name)) is not null
    and exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = link.table_name and t.workspace_id = link.workspace_id)
    and exists (select from holdfast.members m where m.workspace_id = link.workspace_id and m.user_id = link.created_by and m.status = 'active' and m.role >= 'admin'
                   and (m.expires_at is null or m.expires_at > now()));
  if not works then
    return jsonb_build_object('works', false);
  end if;
  update holdfast.view_links l set opened_at = date_trunc('minute', now())
   where l.id = link.id and l.opened_at is distinct from date_trunc('minute', now());
  return (select jsonb_build_object('works', true, 'name', link.name, 'table', link.table_name, 'maker', link.created_by, 'definition', link.definition,
                                    'expires', link.expires_at, 'workspace', w.name, 'zone', w.time_zone, 'language', w.language)
            from holdfast.workspaces w where w.id = link.workspace_id);
end
$$;
comment on function holdfast.open_view_link(text) is 'A link as the server shows it. For the server only.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast.view_links owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('view_link_limit', 'create_view_link', 'revoke_view_link', 'open_view_link')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('create_view_link', 'revoke_view_link') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

create policy admins_read on holdfast.view_links for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));

reset role;
