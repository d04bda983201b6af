-- A stream that cannot be followed is refused where it is declared, as far as Postgres's own reading of its query tells. What only the compiler finds out stays in
-- `holdfast sync coverage` and in the errors of the device's subscription.

create function sync.check_stream_query(resolved text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  tree text;
  problem text;
  culprit text;
begin
  begin
    execute 'create temp view holdfast_checked as ' || resolved;
    select r.ev_action::text into tree from pg_rewrite r where r.ev_class = 'pg_temp.holdfast_checked'::regclass;
    raise exception using errcode = 'HFS00';
  exception when sqlstate 'HFS00' then
    null; -- the view is gone again
  end;
  -- The fields before the range table are the outermost query's at their first place, those behind it at their last.
  problem := case
    when tree ~ '^.*:setOperations \{' then 'UNION, INTERSECT and EXCEPT are not followed'
    when substring(tree from ':cteList (\S+)') <> '<>' then 'WITH is not followed'
    when substring(tree from ':hasAggs (\S+)') = 'true' or substring(tree from '.*:groupClause (\S+)') <> '<>'
      then 'a stream selects rows of a table as they are, without GROUP BY'
    when tree ~ '\{WINDOWFUNC ' then 'window functions are not followed'
    when substring(tree from '.*:distinctClause (\S+)') <> '<>' then 'a stream selects rows of a table as they are, without DISTINCT'
    when substring(tree from '.*:limitCount (\S+)') <> '<>' or substring(tree from '.*:limitOffset (\S+)') <> '<>'
      then 'which rows a LIMIT or OFFSET leaves is not certain'
    when substring(tree from '.*:sortClause (\S+)') <> '<>'
      then 'a stream has no order: ORDER BY belongs to the queries on the device'
    when tree ~ '\{SQLVALUEFUNCTION :op [0-8] ' then 'it reads the clock'
  end;
  if problem is null then
    select case when p.provolatile = 'v' then p.proname || '() is volatile: its result is another each time'
                else 'it reads the clock (' || p.proname || '())' end
      into problem
      from regexp_matches(tree, ':(?:funcid|opfuncid) (\d+)', 'g') m
      join pg_proc p on p.oid = m[1]::oid and p.pronamespace = 'pg_catalog'::regnamespace
     where p.provolatile = 'v' or p.proname in ('now', 'transaction_timestamp', 'statement_timestamp')
     limit 1;
  end if;
  if problem is not null then
    raise exception 'The query of a stream cannot be followed: %', problem
      using errcode = 'feature_not_supported', detail = resolved,
            hint = 'A stream is: select * from one table, or select table.* with inner joins, and a condition.';
  end if;
end
$$;
revoke all on function sync.check_stream_query(text) from public;

create or replace function sync.create_stream(name text, queries text[], priority integer default 3, auto_subscribe boolean default false)
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
    perform sync.check_stream_query(sync.resolve_stream_query(query, path));
  end loop;
  insert into sync.streams (name, queries, search_path, priority, auto_subscribe)
  values (create_stream.name, create_stream.queries, path, create_stream.priority, create_stream.auto_subscribe);
end
$$;

-- `subscription.parameter('since')::date` with the text 'today' would be another day tomorrow, without anything having changed.
create function subscription.moment(value text) returns text
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

create function subscription.moments("values" text[]) returns text[]
  language sql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
  return (select array_agg(subscription.moment(v) order by position) from unnest("values") with ordinality u (v, position));
comment on function subscription.moments(text[]) is 'Texts that are to be read as dates or times.';
