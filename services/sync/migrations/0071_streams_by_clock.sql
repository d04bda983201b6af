-- A stream may compare columns with the clock, as policies may: which comparisons are followed, the compiler finds out.
create or replace function sync.check_stream_query(resolved text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  tree text;
  problem text;
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
  end;
  if problem is null then
    select p.proname || '() is volatile: its result is another each time'
      into problem
      from regexp_matches(tree, ':(?:funcid|opfuncid) (\d+)', 'g') m
      join pg_proc p on p.oid = m[1]::oid and p.pronamespace = 'pg_catalog'::regnamespace
     where p.provolatile = 'v'
     limit 1;
  end if;
  if problem is not null then
    raise exception 'The query of a stream cannot be followed: %', problem
      using errcode = 'feature_not_supported', detail = resolved,
            hint = 'A stream is: select * from one table, or select table.* with inner joins, and a condition.';
  end if;
end
$$;
