-- What the database calls: the edge functions in sample/supabase. `kong:8000` is the server itself, whatever its address is.

create trigger critical_finding after insert on public.findings for each row
  when (new.severity = 'critical')
  execute function supabase_functions.http_request(
    'http://kong:8000/functions/v1/critical-finding', 'POST', '{"Content-Type":"application/json"}', '{}', '10000');

insert into storage.buckets (id, name, public, allowed_mime_types) values ('reports', 'reports', false, '{text/markdown}');
create policy reports_for_staff on storage.objects for select to authenticated
  using (bucket_id = 'reports' and ((select public.is_auditor()) or exists (select 1 from public.my_region_ids())));

select cron.schedule('weekly-summary', '0 6 * * mon', $$
  select net.http_post('http://kong:8000/functions/v1/weekly-summary', timeout_milliseconds := 60000)
$$);
