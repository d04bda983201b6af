-- Broadcasts from the database: functions with the names, parameters and payloads of Supabase's realtime service (Apache-2.0). They insert into realtime.messages
-- as the caller, so that its policies apply, and what is committed there reaches the members of the topic. Functions that are there already stay as they are.

do $do$
begin
  if pg_catalog.to_regprocedure('realtime.send(jsonb, text, text, boolean)') is null then
    create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
      language plpgsql
    as $$
    declare
      message_id uuid := pg_catalog.gen_random_uuid();
      content jsonb := payload;
    begin
      -- Whoever changes a row is not refused because nobody can be told of it.
      begin
        if pg_catalog.jsonb_typeof(payload) = 'object' and not payload ? 'id' then
          content := payload || pg_catalog.jsonb_build_object('id', message_id);
        end if;
        perform pg_catalog.set_config('realtime.topic', topic, true);
        insert into realtime.messages (id, payload, event, topic, private, extension)
        values (message_id, content, event, topic, private, 'broadcast');
      exception when others then
        raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
      end;
    end
    $$;
    comment on function realtime.send(jsonb, text, text, boolean) is 'Sends a JSON message to the members of a topic when the transaction commits.';
    grant execute on function realtime.send(jsonb, text, text, boolean) to public;
  end if;

  if pg_catalog.to_regprocedure('realtime.send_binary(bytea, text, text, boolean)') is null then
    create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
      language plpgsql
    as $$
    begin
      begin
        perform pg_catalog.set_config('realtime.topic', topic, true);
        insert into realtime.messages (binary_payload, event, topic, private, extension)
        values (payload, event, topic, private, 'broadcast');
      exception when others then
        raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
      end;
    end
    $$;
    comment on function realtime.send_binary(bytea, text, text, boolean) is 'Sends bytes to the members of a topic when the transaction commits.';
    grant execute on function realtime.send_binary(bytea, text, text, boolean) to public;
  end if;

  if pg_catalog.to_regprocedure('realtime.broadcast_changes(text, text, text, text, text, record, record, text)') is null then
    create function realtime.broadcast_changes(
      topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text default 'ROW'
    ) returns void
      language plpgsql
    as $$
    begin
      if level = 'STATEMENT' then
        raise exception 'function can only be triggered for each row, not for each statement';
      end if;
      if operation not in ('INSERT', 'UPDATE', 'DELETE') or operation is null then
        raise exception 'Unexpected operation type: %', operation;
      end if;
      perform realtime.send(
        pg_catalog.jsonb_build_object(
          'operation', operation, 'schema', table_schema, 'table', table_name, 'record', new, 'old_record', old),
        event_name, topic_name);
    exception when others then
      raise exception 'Failed to process the row: %', sqlerrm;
    end
    $$;
    comment on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
      'For triggers: sends a row that was changed to the members of a private topic.';
    grant execute on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) to public;
  end if;
end
$do$;

-- Several servers on one database look after the partitions: one at a time.
create or replace function realtime.keep_partitions(hours_kept integer) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  today date := (pg_catalog.now() at time zone 'utc')::date;
  oldest timestamp := (pg_catalog.now() at time zone 'utc') - pg_catalog.make_interval(hours => hours_kept);
  one date;
  name text;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('partitions of realtime.messages', 0));
  for one in select pg_catalog.generate_series(today - 1, today + 3, '1 day')::date loop
    name := 'messages_' || pg_catalog.to_char(one, 'YYYY_MM_DD');
    if pg_catalog.to_regclass('realtime.' || name) is null then
      execute pg_catalog.format('create table realtime.%I (like realtime.messages including defaults including constraints)', name);
      execute pg_catalog.format('alter table realtime.%I enable row level security', name);
      execute pg_catalog.format('alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)', name, one, one + 1);
    end if;
  end loop;
  for name in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'realtime.messages'::pg_catalog.regclass and c.relname ~ '^messages_\d{4}_\d\d_\d\d$'
       and pg_catalog.to_date(pg_catalog.substr(c.relname, 10), 'YYYY_MM_DD') + 1 <= oldest
  loop
    execute pg_catalog.format('drop table realtime.%I', name);
  end loop;
end
$$;
