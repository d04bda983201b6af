-- A database webhook turns a row into JSON, and Postgres does that with the casts that a project has written for types of its own. They ran with the rights of the
-- superuser; now with those of a role that may only queue requests, as on hosted projects. A pg_net that the database has itself has grants of its own.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or pg_catalog.to_regclass('net.holdfast_full') is null
     or not exists (select from pg_catalog.pg_proc p where p.oid = pg_catalog.to_regprocedure('supabase_functions.http_request()')
                                                        and p.proowner = current_user::pg_catalog.regrole) then
    return;
  end if;
  grant usage on schema net, supabase_functions to supabase_functions_admin;
  grant execute on function net.holdfast_enqueue(text, text, jsonb, jsonb, jsonb, integer, text), net._urlencode_string(varchar),
    net._encode_url_with_params_array(text, text[]) to supabase_functions_admin;
  grant select on net.holdfast_full to supabase_functions_admin;
  grant select, insert on net.http_request_queue to supabase_functions_admin;
  grant insert on supabase_functions.hooks to supabase_functions_admin;
  alter function supabase_functions.http_request() owner to supabase_functions_admin;
end
$$;
