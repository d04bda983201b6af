-- The judgements of uploaded transactions: what makes a repeated upload answer the same instead of writing twice.
create schema if not exists sync;

create table sync.uploads (
  -- The token's subject. Text, because a foreign issuer's subject need not be a uuid.
  user_id text not null,
  -- The local database that queued the transaction.
  client_id uuid not null,
  -- Its position in that database's queue.
  position bigint not null,
  -- SHA-256 of the operations: the same key with other operations is a mistake of the client, not a repeat.
  body_hash bytea not null,
  -- Null only inside the transaction that judges.
  status text check (status in ('applied', 'refused')),
  -- json and not jsonb: messages may quote text that jsonb cannot hold.
  verdicts json,
  judged_at timestamptz not null default now(),
  primary key (user_id, client_id, position)
);

revoke all on sync.uploads from public;

-- Takes the key for this transaction, or answers what was decided before. A second caller with the same key waits here until the
-- first has committed or rolled back. Forgets up to 100 judgements of this client older than 30 days: a client repeats only its newest.
create function sync.claim_upload(p_user_id text, p_client_id uuid, p_position bigint, p_body_hash bytea)
returns table (claimed boolean, same_body boolean, status text, verdicts json)
language plpgsql security definer set search_path = ''
as $$
begin
  insert into sync.uploads as entry (user_id, client_id, "position", body_hash)
  values (p_user_id, p_client_id, p_position, p_body_hash)
  on conflict on constraint uploads_pkey do nothing;
  if not found then
    return query
      select false, entry.body_hash = p_body_hash, entry.status, entry.verdicts
        from sync.uploads entry
       where entry.user_id = p_user_id and entry.client_id = p_client_id and entry."position" = p_position;
    return;
  end if;
  delete from sync.uploads old
   where (old.user_id, old.client_id, old."position") in (
           select entry.user_id, entry.client_id, entry."position"
             from sync.uploads entry
            where entry.user_id = p_user_id and entry.client_id = p_client_id and entry."position" < p_position
              and entry.judged_at < now() - interval '30 days'
            order by entry."position"
            limit 100);
  return query select true, true, null::text, null::json;
end
$$;

-- Writes the judgement of a key that this transaction has claimed.
create function sync.record_upload(p_user_id text, p_client_id uuid, p_position bigint, p_status text, p_verdicts json)
returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update sync.uploads entry
     set status = p_status, verdicts = p_verdicts, judged_at = now()
   where entry.user_id = p_user_id and entry.client_id = p_client_id and entry."position" = p_position
     and entry.status is null;
  if not found then
    raise exception 'upload % of client % was not claimed by this transaction', p_position, p_client_id;
  end if;
end
$$;

-- The gateway's own role only: a person's role could otherwise record judgements that never happened.
revoke all on function sync.claim_upload(text, uuid, bigint, bytea) from public;
revoke all on function sync.record_upload(text, uuid, bigint, text, json) from public;
grant usage on schema sync to authenticator;
grant execute on function sync.claim_upload(text, uuid, bigint, bytea) to authenticator;
grant execute on function sync.record_upload(text, uuid, bigint, text, json) to authenticator;
