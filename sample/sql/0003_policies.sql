-- Who sees and changes what.
-- Team members work in the region of their team (teams.area = regions.code), contractors see what is theirs to do,
-- auditors read everything and write only comments, supervisors (function lead) verify and approve.
-- All of them are members of the workspace, contractors as guests: whoever loses access there has no rows here. Guests see what is shared with them besides.

-- What the policies ask: plain selects pinned to the caller, over ids and links only.
-- These functions are in an exposed schema: devices judge only by what their user can ask the API for.

create function public.my_person_id() returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select p.id from public.people p where p.user_id = auth.uid()
$$;
create function public.is_auditor() returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select 1 from public.people p
      join holdfast.members m on m.user_id = p.user_id
     where p.user_id = auth.uid() and p.kind = 'auditor'
       and m.user_id = auth.uid() and m.status = 'active' and m.role <> 'guest')
$$;
create function public.my_region_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select r.id
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
    join public.regions r on r.code = t.area
   where m.user_id = auth.uid()
$$;
create function public.my_led_region_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select r.id
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
    join public.regions r on r.code = t.area
   where m.user_id = auth.uid() and m.function = 'lead'
$$;
create function public.my_site_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.id
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
    join public.regions r on r.code = t.area
    join public.sites s on s.region_id = r.id
   where m.user_id = auth.uid()
$$;
create function public.my_contractor_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select p.contractor_id from public.people p
    join holdfast.members m on m.user_id = p.user_id
   where p.user_id = auth.uid() and p.contractor_id is not null
     and m.user_id = auth.uid() and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function public.my_contract_action_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.id
    from public.people p
    join holdfast.members m on m.user_id = p.user_id
    join public.actions a on a.contractor_id = p.contractor_id
   where p.user_id = auth.uid() and m.user_id = auth.uid() and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function public.my_contract_site_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.site_id
    from public.people p
    join holdfast.members m on m.user_id = p.user_id
    join public.actions a on a.contractor_id = p.contractor_id
   where p.user_id = auth.uid() and m.user_id = auth.uid() and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function public.my_contract_finding_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.finding_id
    from public.people p
    join holdfast.members m on m.user_id = p.user_id
    join public.actions a on a.contractor_id = p.contractor_id
   where p.user_id = auth.uid() and a.finding_id is not null
     and m.user_id = auth.uid() and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function public.my_contract_team_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select a.team_id
    from public.people p
    join holdfast.members m on m.user_id = p.user_id
    join public.actions a on a.contractor_id = p.contractor_id
   where p.user_id = auth.uid() and m.user_id = auth.uid() and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
comment on function public.my_person_id() is 'The person behind the caller''s account.';
comment on function public.is_auditor() is 'Whether the caller is an auditor.';
comment on function public.my_region_ids() is 'The regions of the caller''s teams.';
comment on function public.my_led_region_ids() is 'The regions of the teams that the caller leads.';
comment on function public.my_site_ids() is 'The sites in the regions of the caller''s teams.';
comment on function public.my_contractor_ids() is 'The company that the caller works for, if a contractor.';
comment on function public.my_contract_action_ids() is 'The actions given to the caller''s company.';
comment on function public.my_contract_site_ids() is 'The sites of the actions given to the caller''s company.';
comment on function public.my_contract_finding_ids() is 'The findings of the actions given to the caller''s company.';
comment on function public.my_contract_team_ids() is 'The teams whose actions were given to the caller''s company.';

-- What the policies ask about a row that is written

create function public.is_site_open(site_id uuid) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select not exists (select 1 from public.sites s where s.id = is_site_open.site_id and s.status = 'decommissioned')
$$;
create function public.is_inspection_site_open(inspection_id uuid) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select not exists (
    select 1 from public.inspections i join public.sites s on s.id = i.site_id
     where i.id = is_inspection_site_open.inspection_id and s.status = 'decommissioned'
  )
$$;
create function public.is_finding_site_open(finding_id uuid) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select not exists (
    select 1 from public.findings f join public.sites s on s.id = f.site_id
     where f.id = is_finding_site_open.finding_id and s.status = 'decommissioned'
  )
$$;
create function public.is_in_progress(inspection_id uuid) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select 1 from public.inspections i where i.id = is_in_progress.inspection_id and i.state = 'in_progress')
$$;
comment on function public.is_site_open(uuid) is 'False for a decommissioned site.';
comment on function public.is_inspection_site_open(uuid) is 'False for an inspection at a decommissioned site.';
comment on function public.is_finding_site_open(uuid) is 'False for a finding at a decommissioned site.';
comment on function public.is_in_progress(uuid) is 'Whether the inspection is in progress.';

revoke execute on function
  public.my_person_id(), public.is_auditor(), public.my_region_ids(), public.my_led_region_ids(), public.my_site_ids(),
  public.my_contractor_ids(), public.my_contract_action_ids(), public.my_contract_site_ids(), public.my_contract_finding_ids(),
  public.my_contract_team_ids(), public.is_site_open(uuid), public.is_inspection_site_open(uuid),
  public.is_finding_site_open(uuid), public.is_in_progress(uuid)
  from public, anon;
grant execute on function
  public.my_person_id(), public.is_auditor(), public.my_region_ids(), public.my_led_region_ids(), public.my_site_ids(),
  public.my_contractor_ids(), public.my_contract_action_ids(), public.my_contract_site_ids(), public.my_contract_finding_ids(),
  public.my_contract_team_ids(), public.is_site_open(uuid), public.is_inspection_site_open(uuid),
  public.is_finding_site_open(uuid), public.is_in_progress(uuid)
  to authenticated, service_role;

grant select, insert, update, delete on
  public.regions, public.contractors, public.people, public.sites, public.assets, public.templates, public.template_items,
  public.inspections, public.answers, public.findings, public.photos, public.actions
  to anon, authenticated, service_role;

alter table public.regions enable row level security;
alter table public.contractors enable row level security;
alter table public.people enable row level security;
alter table public.sites enable row level security;
alter table public.assets enable row level security;
alter table public.templates enable row level security;
alter table public.template_items enable row level security;
alter table public.inspections enable row level security;
alter table public.answers enable row level security;
alter table public.findings enable row level security;
alter table public.photos enable row level security;
alter table public.actions enable row level security;

-- Reading

create policy everyone_reads on public.regions for select to authenticated using (true);
create policy everyone_reads on public.templates for select to authenticated using (true);
create policy everyone_reads on public.template_items for select to authenticated using (true);

create policy team_reads on public.sites for select to authenticated
  using (region_id in (select public.my_region_ids()));
create policy team_reads on public.assets for select to authenticated
  using (site_id in (select public.my_site_ids()));
create policy team_reads on public.inspections for select to authenticated
  using (site_id in (select public.my_site_ids()));
create policy team_reads on public.answers for select to authenticated
  using (area in (select holdfast.my_areas()));
create policy team_reads on public.findings for select to authenticated
  using (site_id in (select public.my_site_ids()));
create policy team_reads on public.photos for select to authenticated
  using (area in (select holdfast.my_areas()));
create policy team_reads on public.actions for select to authenticated
  using (site_id in (select public.my_site_ids()));
create policy team_reads on public.contractors for select to authenticated
  using ((select holdfast.is_team_member()));
create policy team_reads on public.people for select to authenticated
  using (team_id in (select holdfast.my_area_team_ids())
    or (kind <> 'employee' and (select holdfast.is_team_member())));
create policy team_reads_area on holdfast.teams for select to authenticated
  using (area in (select holdfast.my_areas()));

create policy contractor_reads on public.actions for select to authenticated
  using (contractor_id in (select public.my_contractor_ids()));
create policy contractor_reads on public.findings for select to authenticated
  using (id in (select public.my_contract_finding_ids()));
create policy contractor_reads on public.photos for select to authenticated
  using (finding_id in (select public.my_contract_finding_ids()));
create policy contractor_reads on public.sites for select to authenticated
  using (id in (select public.my_contract_site_ids()));
create policy contractor_reads on public.contractors for select to authenticated
  using (id in (select public.my_contractor_ids()));
create policy contractor_reads on public.people for select to authenticated
  using (contractor_id in (select public.my_contractor_ids()) or team_id in (select public.my_contract_team_ids()));
create policy contractor_reads on holdfast.teams for select to authenticated
  using (id in (select public.my_contract_team_ids()));
create policy contractor_reads on holdfast.comments for select to authenticated
  using (table_name = 'actions' and record_id in (select public.my_contract_action_ids()));

create policy guest_reads on public.sites for select to authenticated
  using (id in (select holdfast.shared_record_ids('sites')));
create policy guest_reads on public.findings for select to authenticated
  using (id in (select holdfast.shared_record_ids('findings')));
create policy guest_reads on public.photos for select to authenticated
  using (finding_id in (select holdfast.shared_record_ids('findings')));
create policy guest_reads on public.actions for select to authenticated
  using (id in (select holdfast.shared_record_ids('actions')));

create policy self_reads on public.people for select to authenticated using (user_id = (select auth.uid()));

create policy auditor_reads on public.sites for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.assets for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.inspections for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.answers for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.findings for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.photos for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.actions for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.contractors for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on public.people for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on holdfast.teams for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on holdfast.team_members for select to authenticated using ((select public.is_auditor()));
create policy auditor_reads on holdfast.comments for select to authenticated using ((select public.is_auditor()));

-- Writing

create policy lead_adds on public.sites for insert to authenticated
  with check (region_id in (select public.my_led_region_ids()));
create policy lead_edits on public.sites for update to authenticated
  using (region_id in (select public.my_led_region_ids())) with check (region_id in (select public.my_led_region_ids()));

create policy team_adds on public.assets for insert to authenticated
  with check (site_id in (select public.my_site_ids()));
create policy team_edits on public.assets for update to authenticated
  using (site_id in (select public.my_site_ids())) with check (site_id in (select public.my_site_ids()));

create policy team_adds on public.inspections for insert to authenticated
  with check (site_id in (select public.my_site_ids()));
create policy team_edits on public.inspections for update to authenticated
  using (site_id in (select public.my_site_ids())) with check (site_id in (select public.my_site_ids()));
create policy team_deletes on public.inspections for delete to authenticated
  using (site_id in (select public.my_site_ids()));

create policy team_adds on public.answers for insert to authenticated
  with check (area in (select holdfast.my_areas()));
create policy team_edits on public.answers for update to authenticated
  using (area in (select holdfast.my_areas())) with check (area in (select holdfast.my_areas()));
create policy team_deletes on public.answers for delete to authenticated
  using (area in (select holdfast.my_areas()) and public.is_in_progress(inspection_id));

create policy team_adds on public.findings for insert to authenticated
  with check (site_id in (select public.my_site_ids()));
create policy team_edits on public.findings for update to authenticated
  using (site_id in (select public.my_site_ids())) with check (site_id in (select public.my_site_ids()));

create policy team_adds on public.photos for insert to authenticated
  with check (area in (select holdfast.my_areas()));
create policy team_edits on public.photos for update to authenticated
  using (area in (select holdfast.my_areas()))
  with check (area in (select holdfast.my_areas()));
create policy team_deletes on public.photos for delete to authenticated
  using (area in (select holdfast.my_areas()));

create policy team_adds on public.actions for insert to authenticated
  with check (site_id in (select public.my_site_ids()));
create policy team_edits on public.actions for update to authenticated
  using (site_id in (select public.my_site_ids())) with check (site_id in (select public.my_site_ids()));
create policy contractor_edits on public.actions for update to authenticated
  using (contractor_id in (select public.my_contractor_ids()))
  with check (contractor_id in (select public.my_contractor_ids()));
create policy guest_edits on public.actions for update to authenticated
  using (id in (select holdfast.changeable_record_ids('actions')))
  with check (id in (select holdfast.changeable_record_ids('actions')));

create policy contractor_writes on holdfast.comments for insert to authenticated
  with check (author_id = (select auth.uid())
    and table_name = 'actions' and record_id in (select public.my_contract_action_ids()));
create policy auditor_writes on holdfast.comments for insert to authenticated
  with check (author_id = (select auth.uid()) and area is not null
    and (select public.is_auditor()) and (select holdfast.has_role('commenter')));

-- Restrictions: each must hold beside the permissions above, and Postgres names it when it refuses

create policy verify_by_supervisor on public.actions as restrictive for update to authenticated
  using (true) with check (state <> 'verified' or team_id in (select holdfast.my_led_team_ids()));
create policy drop_by_supervisor on public.actions as restrictive for update to authenticated
  using (true) with check (state <> 'dropped' or team_id in (select holdfast.my_led_team_ids()));
create policy approve_by_supervisor on public.inspections as restrictive for update to authenticated
  using (true) with check (state not in ('approved', 'returned') or team_id in (select holdfast.my_led_team_ids()));
create policy answer_while_in_progress on public.answers as restrictive for update to authenticated
  using (true) with check (public.is_in_progress(inspection_id));
create policy answer_new_while_in_progress on public.answers as restrictive for insert to authenticated
  with check (public.is_in_progress(inspection_id));
comment on policy verify_by_supervisor on public.actions is
  'Only a lead of the action''s team verifies it, or changes it afterwards.';
comment on policy drop_by_supervisor on public.actions is
  'Only a lead of the action''s team drops it, or changes it afterwards.';
comment on policy approve_by_supervisor on public.inspections is
  'Only a lead of the inspection''s team approves or returns it, or changes it afterwards.';
comment on policy answer_while_in_progress on public.answers is
  'Answers change only while their inspection is in progress.';
comment on policy answer_new_while_in_progress on public.answers is
  'Answers are given only while their inspection is in progress.';

create policy decommissioned_is_read_only on public.sites as restrictive for update to authenticated
  using (status <> 'decommissioned') with check (true);

create policy decommissioned_takes_no_rows on public.assets as restrictive for insert to authenticated
  with check (public.is_site_open(site_id));
create policy decommissioned_is_read_only on public.assets as restrictive for update to authenticated
  using (true) with check (public.is_site_open(site_id));

create policy decommissioned_takes_no_rows on public.inspections as restrictive for insert to authenticated
  with check (public.is_site_open(site_id));
create policy decommissioned_is_read_only on public.inspections as restrictive for update to authenticated
  using (true) with check (public.is_site_open(site_id));
create policy decommissioned_keeps_rows on public.inspections as restrictive for delete to authenticated
  using (public.is_site_open(site_id));

create policy decommissioned_takes_no_rows on public.answers as restrictive for insert to authenticated
  with check (public.is_inspection_site_open(inspection_id));
create policy decommissioned_is_read_only on public.answers as restrictive for update to authenticated
  using (true) with check (public.is_inspection_site_open(inspection_id));
create policy decommissioned_keeps_rows on public.answers as restrictive for delete to authenticated
  using (public.is_inspection_site_open(inspection_id));

create policy decommissioned_takes_no_rows on public.findings as restrictive for insert to authenticated
  with check (public.is_site_open(site_id));
create policy decommissioned_is_read_only on public.findings as restrictive for update to authenticated
  using (true) with check (public.is_site_open(site_id));

create policy decommissioned_takes_no_rows on public.photos as restrictive for insert to authenticated
  with check (public.is_inspection_site_open(inspection_id) and public.is_finding_site_open(finding_id));
create policy decommissioned_is_read_only on public.photos as restrictive for update to authenticated
  using (true) with check (public.is_inspection_site_open(inspection_id) and public.is_finding_site_open(finding_id));
create policy decommissioned_keeps_rows on public.photos as restrictive for delete to authenticated
  using (public.is_inspection_site_open(inspection_id) and public.is_finding_site_open(finding_id));

create policy decommissioned_takes_no_rows on public.actions as restrictive for insert to authenticated
  with check (public.is_site_open(site_id));
create policy decommissioned_is_read_only on public.actions as restrictive for update to authenticated
  using (true) with check (public.is_site_open(site_id));

-- What the tables look like. Answers, photos and what checklists are made of stand aside: people open them from an inspection or a finding.

insert into holdfast.tables (table_name, icon, color, section, position, is_supporting) values
  ('actions', 'list-todo', 'teal', null, 10, false),
  ('findings', 'flag', 'violet', null, 20, false),
  ('inspections', 'clipboard-check', 'blue', null, 30, false),
  ('sites', 'map-pin', 'olive', 'Network', 40, false),
  ('assets', 'wrench', 'brown', 'Network', 50, false),
  ('regions', 'map', 'slate', 'Network', 60, false),
  ('contractors', 'building', 'slate', 'Organisation', 80, false),
  ('photos', 'image', 'slate', null, 90, true),
  ('templates', 'list-checks', 'slate', null, 100, true),
  ('template_items', 'circle-help', 'slate', null, 110, true),
  ('answers', 'text', 'slate', null, 120, true)
on conflict do nothing;
-- "People" is the screen of the workspace's members.
insert into holdfast.tables (table_name, label, icon, color, section, position) values
  ('people', 'Contacts', 'users', 'blue', 'Organisation', 70)
on conflict do nothing;

-- How two of them are read: what and where, then how it goes. What the database keeps stays at the bottom.

insert into holdfast.fields (table_name, field_name, position, place, section, help) values
  ('actions', 'title', 10, 'main', null, null),
  ('actions', 'state', 20, 'main', null, null),
  ('actions', 'priority', 30, 'main', null, '1 is the most urgent, 4 can wait.'),
  ('actions', 'site_id', 40, 'main', null, null),
  ('actions', 'finding_id', 50, 'main', null, null),
  ('actions', 'detail', 70, 'main', null, null),
  ('actions', 'blocked_reason', 75, 'main', 'Progress', null),
  ('actions', 'est_hours', 80, 'main', 'Progress', null),
  ('actions', 'cost', 90, 'main', 'Progress', null),
  ('actions', 'owner_id', 100, 'beside', null, null),
  ('actions', 'team_id', 110, 'beside', null, null),
  ('actions', 'due_on', 120, 'beside', null, null),
  ('actions', 'contractor_id', 130, 'beside', null, null),
  ('actions', 'verified_by', 140, 'beside', null, null),
  ('actions', 'number', 150, 'bottom', null, null),
  ('inspections', 'state', 10, 'main', null, null),
  ('inspections', 'site_id', 20, 'main', null, null),
  ('inspections', 'asset_id', 30, 'main', null, null),
  ('inspections', 'template_id', 40, 'main', null, null),
  ('inspections', 'score', 50, 'main', 'Result', null),
  ('inspections', 'weather', 60, 'main', 'Result', null),
  ('inspections', 'number', 70, 'bottom', null, null),
  ('inspections', 'signature_path', 80, 'bottom', null, null)
on conflict do nothing;

-- What is shared or commented on: shares and comments go with the record

select holdfast.follow_records('public.sites');
select holdfast.follow_records('public.assets');
select holdfast.follow_records('public.inspections');
select holdfast.follow_records('public.findings');
select holdfast.follow_records('public.actions');
