-- A restored field has no grants, so public forms that ask for it refused every answer. A page of a view outlived the ban of the account that made it.

create or replace function holdfast.follow_restored_field() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass(format('public.%I', old.table_name)) is not null
     and exists (select from holdfast.public_forms f where f.table_name = old.table_name and f.is_open) then
    perform holdfast.grant_form_columns(old.table_name);
  end if;
  return null;
end
$$;
comment on function holdfast.follow_restored_field() is 'Lets public forms ask for a restored field again; a trigger.';
create or replace trigger follow_restored_field after delete on holdfast_private.deleted_fields for each row execute function holdfast.follow_restored_field();

create or replace function holdfast.open_view_link(of_slug text) returns jsonb
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
                   and (m.expires_at is null or m.expires_at > now()))
    and not exists (select from auth.users u where u.id = link.created_by and u.banned_until > now());
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

do $$
begin
  revoke all on function holdfast.follow_restored_field() from public;
  execute format('alter function holdfast.follow_restored_field() owner to %I',
                 (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass));
end
$$;
