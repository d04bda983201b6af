-- Forgetting old judgements looks at the oldest of a client only, however many it has: a device with a long queue claims thousands in a row.
create or replace function sync.claim_upload(p_user_id text, p_client_id uuid, p_position bigint, p_body_hash bytea)
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
   using (select entry."position", entry.judged_at
            from sync.uploads entry
           where entry.user_id = p_user_id and entry.client_id = p_client_id and entry."position" < p_position
           order by entry."position"
           limit 20) oldest
   where old.user_id = p_user_id and old.client_id = p_client_id and old."position" = oldest."position"
     and oldest.judged_at < now() - interval '30 days';
  return query select true, true, null::text, null::json;
end
$$;
