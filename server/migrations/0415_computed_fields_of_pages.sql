-- Pages of a view show computed fields.

-- As in 0195, with them.
create or replace function holdfast.create_view_link(workspace uuid, table_name text, view uuid, name text, definition jsonb, expires_at timestamptz) returns jsonb
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
   where not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = f.value ->> 'field' and a.attnum > 0 and not a.attisdropped)
     and not exists (select from holdfast.computed_fields c
                      where c.workspace_id = workspace and c.table_name = create_view_link.table_name and c.field_name = f.value ->> 'field') limit 1;
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
