-- Streams: what a device wants of what its person may have. Declared in migrations with sync.create_stream, compiled with the policies.
-- Unlike the rest of schema sync, sync.streams is no derived state.

-- What a subscription asks for. Outside a stream there is none, and every parameter is NULL.
create schema if not exists subscription;
grant usage on schema subscription to anon, authenticated, service_role, authenticator;

create function subscription.parameters() returns jsonb
  language sql stable parallel safe
  return coalesce(nullif(current_setting('request.subscription', true), '')::jsonb, '{}'::jsonb);
comment on function subscription.parameters() is 'All parameters that the device subscribed to the stream with.';

create function subscription.parameter(name text) returns text
  language sql stable parallel safe
  return subscription.parameters() ->> name;
comment on function subscription.parameter(text) is 'One parameter of the subscription as text; NULL when it was not given.';

create function subscription.elements(name text) returns text[]
  language sql stable parallel safe
  return (
    select array_agg(e.value order by e.position)
      from jsonb_array_elements_text(
             case when jsonb_typeof(subscription.parameters() -> name) = 'array' then subscription.parameters() -> name else '[]'::jsonb end
           ) with ordinality as e (value, position));
comment on function subscription.elements(text) is 'A parameter that is a list, as an array of texts; NULL when it is empty or none.';

create table sync.streams (
  name text primary key check (name ~ '^[A-Za-z_][A-Za-z0-9_-]{0,62}$' and name <> 'everything'),
  -- As they were written, and the search path that their names are looked up under.
  queries text[] not null check (cardinality(queries) > 0 and array_position(queries, null) is null),
  search_path text not null,
  -- 0 is sent first.
  priority smallint not null default 3 check (priority between 0 and 3),
  auto_subscribe boolean not null default false
);
revoke all on sync.streams from public;

-- The reader of the replication stream compiles anew at this place.
create function sync.on_streams_change() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_logical_emit_message(true, 'holdfast:ddl', 'STREAMS');
  return null;
end
$$;
revoke all on function sync.on_streams_change() from public;
create trigger streams_changed after insert or update or delete or truncate on sync.streams
  for each statement execute function sync.on_streams_change();

-- Has Postgres resolve the names in a query and the types of its parameters: `project_id = subscription.parameter('project')` means
-- `project_id = subscription.parameter('project')::uuid` when that is the type of project_id. Leaves nothing behind.
create function sync.resolve_stream_query(query text, path text) returns text
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  pattern constant text := 'subscription\.parameter\(\s*(''(?:[^'']|'''')*'')\s*\)';
  -- A parameter that is cast already, or taken apart as text, is a text.
  names text[];
  types text[];
  body text := rtrim(query, E'; \t\r\n');
  resolved text;
begin
  begin
    perform set_config('search_path', path, true);
    names := array(select m[1] from regexp_matches(body, pattern, 'gi') m);
    types := array_fill('unknown'::text, array[cardinality(names)]);
    for i in 1 .. cardinality(names) loop
      body := regexp_replace(body, pattern, '$' || i, 'i');
    end loop;
    loop
      begin
        execute format('prepare holdfast_stream%s as select * from (%s) q',
                       case when cardinality(names) > 0 then '(' || array_to_string(types, ', ') || ')' else '' end, body);
        exit;
      exception when indeterminate_datatype then
        -- Nothing around it says what it is.
        types[substring(sqlerrm from '\$(\d+)')::int] := 'text';
      end;
    end loop;
    types := (select parameter_types::text[] from pg_prepared_statements where name = 'holdfast_stream');
    deallocate holdfast_stream;
    for i in reverse cardinality(names) .. 1 loop
      body := replace(body, '$' || i, case
        when types[i] = 'text' then format('subscription.parameter(%s)', names[i])
        when types[i] like '%[]' then format('subscription.elements(%s)::%s', names[i], types[i])
        else format('subscription.parameter(%s)::%s', names[i], types[i]) end);
    end loop;
    execute 'create temp view holdfast_stream as ' || body;
    perform set_config('search_path', 'pg_catalog', true);
    resolved := pg_get_viewdef('pg_temp.holdfast_stream'::regclass);
    raise exception using errcode = 'HFS00';
  exception when sqlstate 'HFS00' then
    null; -- the view is gone again
  end;
  return resolved;
end
$$;
revoke all on function sync.resolve_stream_query(text, text) from public;

create function sync.create_stream(name text, queries text[], priority integer default 3, auto_subscribe boolean default false)
  returns void
  language plpgsql
as $$
declare
  path text := current_setting('search_path');
  query text;
begin
  if name is null or name !~ '^[A-Za-z_][A-Za-z0-9_-]{0,62}$' then
    raise exception 'A stream cannot be called %', coalesce(quote_literal(name), 'NULL')
      using errcode = 'invalid_name', hint = 'Letters, digits, _ and -, at most 63, the first a letter or _.';
  end if;
  if name = 'everything' then
    raise exception 'The stream of all tables without a stream of their own is called everything'
      using errcode = 'reserved_name', hint = 'Take another name.';
  end if;
  if priority is null or priority not between 0 and 3 then
    raise exception 'The priority of stream % has to be 0, 1, 2 or 3', name
      using errcode = 'invalid_parameter_value', hint = '0 is sent first.';
  end if;
  if exists (select from sync.streams s where s.name = create_stream.name) then
    raise exception 'The stream % exists already', name
      using errcode = 'duplicate_object', hint = 'To change it, drop it with sync.drop_stream and create it in the same transaction.';
  end if;
  foreach query in array queries loop
    perform sync.resolve_stream_query(query, path);
  end loop;
  insert into sync.streams (name, queries, search_path, priority, auto_subscribe)
  values (create_stream.name, create_stream.queries, path, create_stream.priority, create_stream.auto_subscribe);
end
$$;
comment on function sync.create_stream(text, text[], integer, boolean) is 'Declares a stream of several queries.';
revoke all on function sync.create_stream(text, text[], integer, boolean) from public;

create function sync.create_stream(name text, query text, priority integer default 3, auto_subscribe boolean default false)
  returns void
  language sql
as $$ select sync.create_stream(name, array[query], priority, auto_subscribe) $$;
comment on function sync.create_stream(text, text, integer, boolean) is 'Declares a stream: a named query that devices subscribe to.';
revoke all on function sync.create_stream(text, text, integer, boolean) from public;

create function sync.drop_stream(name text, if_exists boolean default false) returns void
  language plpgsql
as $$
begin
  delete from sync.streams s where s.name = drop_stream.name;
  if not found and not if_exists then
    raise exception 'There is no stream %', name using errcode = 'undefined_object';
  end if;
end
$$;
comment on function sync.drop_stream(text, boolean) is 'Takes a stream back. Devices lose its rows at the next checkpoint.';
revoke all on function sync.drop_stream(text, boolean) from public;
