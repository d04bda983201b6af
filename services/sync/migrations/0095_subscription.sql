-- Everything in schema subscription, which may be applied again at any time: when only that schema was dropped, this makes it again.
create schema if not exists subscription;
comment on schema subscription is 'What a device asks a stream for.';
grant usage on schema subscription to public, anon, authenticated, service_role, authenticator;

create or replace function subscription.parameters() returns jsonb
  language sql stable parallel safe
  return coalesce(nullif(current_setting('request.subscription', true), '')::jsonb, '{}'::jsonb);
comment on function subscription.parameters() is 'All parameters that the device subscribed to the stream with.';

create or replace function subscription.parameter(name text) returns text
  language sql stable parallel safe
  return subscription.parameters() ->> name;
comment on function subscription.parameter(text) is 'One parameter of the subscription as text; NULL when it was not given.';

create or replace function subscription.elements(name text) returns text[]
  language sql stable parallel safe
  return (
    select array_agg(e.value order by e.position)
      from jsonb_array_elements_text(
             case when jsonb_typeof(subscription.parameters() -> name) = 'array' then subscription.parameters() -> name else '[]'::jsonb end
           ) with ordinality as e (value, position));
comment on function subscription.elements(text) is 'A parameter that is a list, as an array of texts; NULL when it is empty or none.';

create or replace function subscription.moment(value text) returns text
  language plpgsql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if value ~* '(now|today|tomorrow|yesterday)' then
    raise exception 'a date or time of a subscription has to be written out, and "%" is another one each day', value
      using errcode = 'invalid_datetime_format', hint = 'Send it as 2026-01-31, or 2026-01-31T12:00:00Z.';
  end if;
  return value;
end
$$;
comment on function subscription.moment(text) is 'A text that is to be read as a date or time, which must not be a word for the current one.';

create or replace function subscription.moments("values" text[]) returns text[]
  language sql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
  return (select array_agg(subscription.moment(v) order by position) from unnest("values") with ordinality u (v, position));
comment on function subscription.moments(text[]) is 'Texts that are to be read as dates or times.';

do $$
begin
  -- As the other schemas of Holdfast: see platform/0005_schema_owner and 0060_project_role.
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    return;
  end if;
  alter schema subscription owner to supabase_admin;
  if exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     and exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    grant usage on schema subscription to postgres;
  end if;
end
$$;
