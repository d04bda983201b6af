-- Queues by the names, signatures and tables of pgmq 1.5: `pgmq.q_NAME` has the messages that wait, `pgmq.a_NAME` those that were archived. Written for Holdfast.
-- Everything runs with the rights of the caller. Tables of queues belong to the role that made them, not to the extension, so that dumps have them.

create table pgmq.meta (
  queue_name varchar unique not null,
  is_partitioned boolean not null,
  is_unlogged boolean not null,
  created_at timestamptz not null default now()
);
select pg_catalog.pg_extension_config_dump('pgmq.meta', '');

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
);
create type pgmq.queue_record as (queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
  scrape_time timestamptz, queue_visible_length bigint
);

-- Names. Two that differ only in case are one queue.

-- Bytes, not characters: Postgres cuts longer identifiers off, and two queues would be one.
create function pgmq.validate_queue_name(queue_name text) returns void
  language plpgsql immutable set search_path = ''
as $$
begin
  if queue_name is null or queue_name = '' then
    raise exception using errcode = 'invalid_parameter_value', message = 'queue name is missing';
  elsif pg_catalog.octet_length(queue_name) > 47 then
    raise exception using errcode = 'name_too_long', message = 'queue name is too long, maximum length is 47 characters';
  end if;
end
$$;

create function pgmq.format_table_name(queue_name text, prefix text) returns text
  language plpgsql immutable set search_path = ''
as $$
begin
  perform pgmq.validate_queue_name(queue_name);
  if queue_name ~ '\$|;|--|''' then
    raise exception using errcode = 'invalid_parameter_value', message = 'queue name contains invalid characters: $, ;, --, or ''';
  end if;
  return pg_catalog.lower(prefix || '_' || queue_name);
end
$$;

-- Of two transactions that make or drop a queue one waits for the other.
create function pgmq.acquire_queue_lock(queue_name text) returns void
  language sql volatile set search_path = ''
as $$ select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('pgmq.queue_' || pg_catalog.lower(queue_name), 0)) $$;

-- Queues

create function pgmq.holdfast_create(queue_name text, unlogged boolean) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  q text := pgmq.format_table_name(queue_name, 'q');
  a text := pgmq.format_table_name(queue_name, 'a');
begin
  perform pgmq.acquire_queue_lock(queue_name);
  execute pg_catalog.format(
    'create %s table if not exists pgmq.%I ('
    'msg_id bigint primary key generated always as identity, read_ct integer not null default 0, enqueued_at timestamptz not null default now(), '
    'vt timestamptz not null, message jsonb, headers jsonb)', case when unlogged then 'unlogged' else '' end, q);
  execute pg_catalog.format(
    'create table if not exists pgmq.%I ('
    'msg_id bigint primary key, read_ct integer not null default 0, enqueued_at timestamptz not null default now(), '
    'archived_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)', a);
  execute pg_catalog.format('create index if not exists %I on pgmq.%I (vt)', q || '_vt_idx', q);
  execute pg_catalog.format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || pg_catalog.lower(queue_name), a);
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged)
  select holdfast_create.queue_name, false, unlogged
   where not exists (select from pgmq.meta m where pg_catalog.lower(m.queue_name) = pg_catalog.lower(holdfast_create.queue_name));
end
$$;

create function pgmq.create_non_partitioned(queue_name text) returns void
  language sql volatile set search_path = ''
as $$ select pgmq.holdfast_create(queue_name, false) $$;

create function pgmq.create_unlogged(queue_name text) returns void
  language sql volatile set search_path = ''
as $$ select pgmq.holdfast_create(queue_name, true) $$;

create function pgmq.create(queue_name text) returns void
  language sql volatile set search_path = ''
as $$ select pgmq.holdfast_create(queue_name, false) $$;

create function pgmq.holdfast_refuse_partitions() returns void
  language plpgsql set search_path = ''
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'pg_partman is required for partitioned queues',
    hint = 'Use pgmq.create, or a Postgres that has pgmq and pg_partman (--postgres-bin, DATABASE_URL).';
end
$$;

create function pgmq.create_partitioned(queue_name text, partition_interval text default '10000', retention_interval text default '100000')
  returns void
  language sql volatile set search_path = ''
as $$ select pgmq.holdfast_refuse_partitions() $$;

create function pgmq.convert_archive_partitioned(
  table_name text, partition_interval text default '10000', retention_interval text default '100000', leading_partition integer default 10
) returns void
  language sql volatile set search_path = ''
as $$ select pgmq.holdfast_refuse_partitions() $$;

create function pgmq.drop_queue(queue_name text) returns boolean
  language plpgsql volatile set search_path = ''
as $$
declare
  q text := pgmq.format_table_name(queue_name, 'q');
  a text := pgmq.format_table_name(queue_name, 'a');
begin
  perform pgmq.acquire_queue_lock(queue_name);
  if pg_catalog.to_regclass(pg_catalog.format('pgmq.%I', q)) is null then
    raise notice 'pgmq queue "%" does not exist', queue_name;
    return false;
  end if;
  execute pg_catalog.format('drop table if exists pgmq.%I, pgmq.%I', q, a);
  delete from pgmq.meta m where pg_catalog.lower(m.queue_name) = pg_catalog.lower(drop_queue.queue_name);
  return true;
end
$$;

create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
  language plpgsql volatile set search_path = ''
as $$
begin
  raise warning 'drop_queue(queue_name, partitioned) is deprecated: use drop_queue(queue_name)';
  return pgmq.drop_queue(queue_name);
end
$$;

-- Archives are never part of the extension here, so there is nothing to take from it.
create function pgmq.detach_archive(queue_name text) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform pg_catalog.format('pgmq.%I', pgmq.format_table_name(queue_name, 'a'))::pg_catalog.regclass;
end
$$;

create function pgmq.purge_queue(queue_name text) returns bigint
  language plpgsql volatile set search_path = ''
as $$
declare
  q text := pgmq.format_table_name(queue_name, 'q');
  purged bigint;
begin
  -- No message comes between the count and its end.
  execute pg_catalog.format('lock table pgmq.%I in access exclusive mode', q);
  execute pg_catalog.format('select pg_catalog.count(*) from pgmq.%I', q) into purged;
  execute pg_catalog.format('truncate table pgmq.%I', q);
  return purged;
end
$$;

create function pgmq.list_queues() returns setof pgmq.queue_record
  language sql stable set search_path = ''
as $$ select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta order by created_at, queue_name $$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
  language plpgsql volatile set search_path = ''
as $$
declare
  q text := pgmq.format_table_name(queue_name, 'q');
  result pgmq.metrics_result;
begin
  execute pg_catalog.format(
    'select $1, pg_catalog.count(*), extract(epoch from now() - pg_catalog.max(enqueued_at))::integer, '
    'extract(epoch from now() - pg_catalog.min(enqueued_at))::integer, '
    '(select case when is_called then last_value else 0 end from %s), now(), pg_catalog.count(*) filter (where vt <= pg_catalog.clock_timestamp()) '
    'from pgmq.%I', pg_catalog.pg_get_serial_sequence(pg_catalog.format('pgmq.%I', q), 'msg_id'), q)
  into result using queue_name;
  return result;
end
$$;

create function pgmq.metrics_all() returns setof pgmq.metrics_result
  language sql volatile set search_path = ''
as $$ select (pgmq.metrics(queue_name)).* from pgmq.meta order by queue_name $$;

-- Sending

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'insert into pgmq.%I (vt, message, headers) values ($1, $2, $3) returning msg_id', pgmq.format_table_name(queue_name, 'q'))
  using delay, msg, headers;
end
$$;
create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send(queue_name, msg, null::jsonb, pg_catalog.clock_timestamp()) $$;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send(queue_name, msg, headers, pg_catalog.clock_timestamp()) $$;
create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send(queue_name, msg, null::jsonb, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)) $$;
create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send(queue_name, msg, null::jsonb, delay) $$;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send(queue_name, msg, headers, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
  language plpgsql volatile set search_path = ''
as $$
begin
  if headers is not null and pg_catalog.cardinality(headers) <> pg_catalog.cardinality(msgs) then
    raise exception using errcode = 'invalid_parameter_value', message = pg_catalog.format(
      'there are %s messages and %s headers: each message needs one', pg_catalog.cardinality(msgs), pg_catalog.cardinality(headers));
  end if;
  return query execute pg_catalog.format(
    'insert into pgmq.%I (vt, message, headers) select $1, b.message, b.headers '
    'from rows from (pg_catalog.unnest($2), pg_catalog.unnest($3)) with ordinality as b (message, headers, place) order by b.place returning msg_id',
    pgmq.format_table_name(queue_name, 'q'))
  using delay, msgs, headers;
end
$$;
create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], pg_catalog.clock_timestamp()) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send_batch(queue_name, msgs, headers, pg_catalog.clock_timestamp()) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], delay) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) returns setof bigint
  language sql volatile set search_path = ''
as $$ select pgmq.send_batch(queue_name, msgs, headers, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => delay)) $$;

-- Reading. The signatures of 1.4, which hosted projects grant, stand beside those that came after: a function with defaults would not be found by their grants.

create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb) returns setof pgmq.message_record
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'with due as (select d.msg_id from pgmq.%1$I d '
    'where d.vt <= pg_catalog.clock_timestamp() and ($3 = ''{}''::jsonb or d.message @> $3) order by d.msg_id limit $2 for update skip locked), '
    'taken as (update pgmq.%1$I m set vt = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $1), read_ct = m.read_ct + 1 '
    'from due where m.msg_id = due.msg_id returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers) '
    'select * from taken order by msg_id', pgmq.format_table_name(queue_name, 'q'))
  using vt, qty, coalesce(conditional, '{}');
end
$$;
create function pgmq.read(queue_name text, vt integer, qty integer) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.read(queue_name, vt, qty, '{}'::jsonb) $$;

create function pgmq.read_with_poll(
  queue_name text, vt integer, qty integer, max_poll_seconds integer, poll_interval_ms integer, conditional jsonb
) returns setof pgmq.message_record
  language plpgsql volatile set search_path = ''
as $$
declare
  until timestamptz := pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    if found or pg_catalog.clock_timestamp() >= until then
      return;
    end if;
    perform pg_catalog.pg_sleep(least(
      greatest(poll_interval_ms, 1) / 1000.0, extract(epoch from until - pg_catalog.clock_timestamp())));
  end loop;
end
$$;
create function pgmq.read_with_poll(
  queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100
) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.read_with_poll(queue_name, vt, qty, max_poll_seconds, poll_interval_ms, '{}'::jsonb) $$;

create function pgmq.pop(queue_name text, qty integer) returns setof pgmq.message_record
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'with due as (select d.msg_id from pgmq.%1$I d where d.vt <= pg_catalog.clock_timestamp() order by d.msg_id limit $1 for update skip locked), '
    'taken as (delete from pgmq.%1$I m using due where m.msg_id = due.msg_id '
    'returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers) '
    'select * from taken order by msg_id', pgmq.format_table_name(queue_name, 'q'))
  using qty;
end
$$;
create function pgmq.pop(queue_name text) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.pop(queue_name, 1) $$;

create function pgmq.set_vt(queue_name text, msg_ids bigint[], vt timestamptz) returns setof pgmq.message_record
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'with moved as (update pgmq.%I m set vt = $1 where m.msg_id = any ($2) returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers) '
    'select * from moved order by msg_id', pgmq.format_table_name(queue_name, 'q'))
  using vt, msg_ids;
end
$$;
create function pgmq.set_vt(queue_name text, msg_ids bigint[], vt integer) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.set_vt(queue_name, msg_ids, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => vt)) $$;
create function pgmq.set_vt(queue_name text, msg_id bigint, vt timestamptz) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.set_vt(queue_name, array[msg_id], vt) $$;
create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record
  language sql volatile set search_path = ''
as $$ select * from pgmq.set_vt(queue_name, array[msg_id], pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => vt)) $$;

-- What is done

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'delete from pgmq.%I m where m.msg_id = any ($1) returning m.msg_id', pgmq.format_table_name(queue_name, 'q'))
  using msg_ids;
end
$$;
create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
  language sql volatile set search_path = ''
as $$ select exists (select from pgmq.delete(queue_name, array[msg_id])) $$;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql volatile set search_path = ''
as $$
begin
  return query execute pg_catalog.format(
    'with gone as (delete from pgmq.%I m where m.msg_id = any ($1) returning m.*) '
    'insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers) '
    'select msg_id, read_ct, enqueued_at, vt, message, headers from gone returning msg_id',
    pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a'))
  using msg_ids;
end
$$;
create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
  language sql volatile set search_path = ''
as $$ select exists (select from pgmq.archive(queue_name, array[msg_id])) $$;

-- As on hosted projects, where the project owns all of it and grants it as it likes.
do $$
declare
  one record;
begin
  perform pg_catalog.set_config('search_path', '', true);
  for one in select p.oid::pg_catalog.regprocedure as name from pg_catalog.pg_proc p
              where p.pronamespace = 'pgmq'::pg_catalog.regnamespace and p.proowner = current_user::pg_catalog.regrole loop
    execute pg_catalog.format('alter function %s owner to @extowner@', one.name);
  end loop;
  alter table pgmq.meta owner to @extowner@;
  alter type pgmq.message_record owner to @extowner@;
  alter type pgmq.queue_record owner to @extowner@;
  alter type pgmq.metrics_result owner to @extowner@;
  grant usage on schema pgmq to pg_monitor;
  grant select on pgmq.meta to pg_monitor;
end
$$;
