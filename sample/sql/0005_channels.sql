-- Who may use which channel: `ws:<workspace>:t:<table>` is for those who work with a whole table, `ws:<workspace>:t:<table>:r:<id>` for whoever may read that
-- record. The server has one workspace; its name in the topic decides nothing.

create function sample.can_use_topic(topic text) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  -- What a topic names: a table, and perhaps a record.
  names text[] := regexp_match(topic, '^ws:[^:]+:t:([a-z_]+)(?::r:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$');
  named regclass := to_regclass('public.' || quote_ident(names[1]));
  can_read boolean;
begin
  if named is null or not has_table_privilege(named, 'select') then
    return false;
  end if;
  if names[2] is null then
    return holdfast.is_team_member() or public.is_auditor();
  end if;
  -- With the rights of the caller: the policies of the table decide.
  execute format('select exists (select from %s where id = $1)', named) into can_read using names[2]::uuid;
  return can_read;
end
$$;
comment on function sample.can_use_topic(text) is 'Whether the caller may use the channel of this topic.';

create policy people_of_the_place_read on realtime.messages for select to authenticated
  using (extension in ('broadcast', 'presence') and (select sample.can_use_topic(realtime.topic())));
create policy people_of_the_place_send on realtime.messages for insert to authenticated
  with check (extension in ('broadcast', 'presence') and (select sample.can_use_topic(realtime.topic())));
