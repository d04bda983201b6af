-- Northline Water: a regional water company that inspects its sites and follows up what it finds.
-- In comments on tables and columns the first sentence is the label, the rest is help.

create schema sample;
grant usage on schema sample to anon, authenticated, service_role;
comment on schema sample is 'Functions and counters behind the sample tables of schema public.';

create type public.site_kind as enum ('pumping_station', 'reservoir', 'treatment_works', 'valve_house');
create type public.site_status as enum ('active', 'standby', 'decommissioned');
create type public.asset_kind as enum
  ('pump', 'motor', 'valve', 'tank', 'filter', 'dosing_unit', 'sensor', 'control_panel', 'generator', 'pipework');
create type public.asset_criticality as enum ('A', 'B', 'C');
create type public.template_item_kind as enum ('yes_no', 'reading', 'choice', 'text', 'photo');
create type public.inspection_state as enum
  ('scheduled', 'in_progress', 'submitted', 'returned', 'approved', 'cancelled');
create type public.finding_severity as enum ('low', 'medium', 'high', 'critical');
create type public.finding_state as enum ('open', 'mitigated', 'closed', 'duplicate');
create type public.action_state as enum ('open', 'doing', 'blocked', 'to_verify', 'verified', 'dropped');
create type public.person_kind as enum ('employee', 'contractor', 'auditor');

create table public.regions (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint regions_name_length check (length(btrim(name)) between 1 and 120),
  code text not null constraint regions_code_form check (code ~ '^[A-Z]{1,3}$') constraint regions_code_key unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.contractors (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint contractors_name_length check (length(btrim(name)) between 1 and 120),
  trade text not null,
  contact_email text constraint contractors_contact_email_form check (contact_email ~ '^[^@\s]+@[^@\s]+$' and length(contact_email) <= 254),
  phone text,
  insured_until date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.people (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint people_name_length check (length(btrim(name)) between 1 and 60),
  kind public.person_kind not null,
  phone text,
  certifications text[] not null default '{}',
  user_id uuid constraint people_user_id_key unique references auth.users (id) on delete set null,
  team_id uuid references holdfast.teams (id) on delete set null,
  contractor_id uuid references public.contractors (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint people_contractor_of_contractors check ((kind = 'contractor') = (contractor_id is not null))
);

create table public.sites (
  id uuid primary key default gen_random_uuid(),
  region_id uuid not null references public.regions (id),
  name text not null constraint sites_name_length check (length(btrim(name)) between 1 and 120),
  code text not null constraint sites_code_key unique,
  kind public.site_kind not null,
  address text,
  lat double precision constraint sites_lat_range check (lat between -90 and 90),
  lon double precision constraint sites_lon_range check (lon between -180 and 180),
  access_notes text constraint sites_access_notes_length check (length(access_notes) <= 1000),
  hazard_level smallint not null default 0 constraint sites_hazard_level_range check (hazard_level between 0 and 3),
  status public.site_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.assets (
  id uuid primary key default gen_random_uuid(),
  site_id uuid not null references public.sites (id),
  parent_asset_id uuid references public.assets (id),
  tag text not null constraint assets_tag_key unique,
  name text not null constraint assets_name_length check (length(btrim(name)) between 1 and 120),
  kind public.asset_kind not null,
  manufacturer text,
  model text,
  serial_no text,
  installed_on date,
  criticality public.asset_criticality not null default 'B',
  qr_code text constraint assets_qr_code_key unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint assets_not_inside_itself check (parent_asset_id <> id)
);

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint templates_name_length check (length(btrim(name)) between 1 and 120),
  version integer not null default 1 constraint templates_version_positive check (version > 0),
  frequency_days integer constraint templates_frequency_days_positive check (frequency_days > 0),
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.template_items (
  id uuid primary key default gen_random_uuid(),
  template_id uuid not null references public.templates (id) on delete cascade,
  position integer not null,
  section text not null,
  prompt text not null constraint template_items_prompt_length check (length(btrim(prompt)) between 1 and 500),
  kind public.template_item_kind not null,
  required boolean not null default true,
  unit text,
  min double precision,
  max double precision,
  choices text[],
  finding_when text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint template_items_position_once unique (template_id, position),
  constraint template_items_range_order check (min <= max),
  constraint template_items_choices_of_choice check ((kind = 'choice') = (choices is not null)),
  constraint template_items_finding_when_fits check (
    case kind
      when 'yes_no' then finding_when in ('yes', 'no')
      when 'reading' then finding_when = 'out_of_range'
      when 'choice' then finding_when = any (choices)
      else finding_when is null
    end
  )
);

create table public.inspections (
  id uuid primary key default gen_random_uuid(),
  number text not null constraint inspections_number_key unique,
  site_id uuid not null references public.sites (id),
  asset_id uuid references public.assets (id),
  template_id uuid not null references public.templates (id),
  team_id uuid not null references holdfast.teams (id),
  assignee_id uuid references public.people (id),
  reviewer_id uuid references public.people (id),
  state public.inspection_state not null default 'scheduled',
  scheduled_on date not null,
  started_at timestamptz,
  submitted_at timestamptz,
  weather text,
  score numeric(4, 1) constraint inspections_score_range check (score between 0 and 100),
  signature_path text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint inspections_times_in_order check (submitted_at >= started_at)
);

create table public.answers (
  id uuid primary key default gen_random_uuid(),
  inspection_id uuid not null references public.inspections (id) on delete cascade,
  template_item_id uuid not null references public.template_items (id),
  value_bool boolean,
  value_num double precision,
  value_text text constraint answers_value_text_length check (length(value_text) <= 10000),
  value_choice text,
  limit_min double precision,
  limit_max double precision,
  is_out_of_range boolean not null generated always as
    (coalesce(value_num < limit_min, false) or coalesce(value_num > limit_max, false)) stored,
  area text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint answers_one_per_item unique (inspection_id, template_item_id)
);

create table public.findings (
  id uuid primary key default gen_random_uuid(),
  number text not null constraint findings_number_key unique,
  inspection_id uuid references public.inspections (id),
  site_id uuid not null references public.sites (id),
  asset_id uuid references public.assets (id),
  answer_id uuid references public.answers (id) on delete set null,
  duplicate_of uuid references public.findings (id),
  title text not null constraint findings_title_length check (length(btrim(title)) between 1 and 200),
  detail text constraint findings_detail_length check (length(detail) <= 10000),
  severity public.finding_severity not null default 'medium',
  state public.finding_state not null default 'open',
  lat double precision constraint findings_lat_range check (lat between -90 and 90),
  lon double precision constraint findings_lon_range check (lon between -180 and 180),
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint findings_duplicate_names_original check (state <> 'duplicate' or duplicate_of is not null),
  constraint findings_not_duplicate_of_itself check (duplicate_of <> id)
);

create table public.photos (
  id uuid primary key default gen_random_uuid(),
  finding_id uuid references public.findings (id) on delete cascade,
  inspection_id uuid references public.inspections (id) on delete cascade,
  caption text constraint photos_caption_length check (length(caption) <= 500),
  taken_at timestamptz,
  attachment_id uuid,
  annotation jsonb,
  area text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint photos_belong_somewhere check (finding_id is not null or inspection_id is not null)
);

create table public.actions (
  id uuid primary key default gen_random_uuid(),
  number text not null constraint actions_number_key unique,
  finding_id uuid references public.findings (id),
  site_id uuid not null references public.sites (id),
  team_id uuid not null references holdfast.teams (id),
  owner_id uuid references public.people (id),
  contractor_id uuid references public.contractors (id),
  verified_by uuid references public.people (id),
  title text not null constraint actions_title_length check (length(btrim(title)) between 1 and 200),
  detail text constraint actions_detail_length check (length(detail) <= 10000),
  state public.action_state not null default 'open',
  priority smallint not null default 3 constraint actions_priority_range check (priority between 1 and 4),
  due_on date,
  est_hours numeric(6, 2) constraint actions_est_hours_range check (est_hours between 0 and 9999),
  cost numeric(10, 2) constraint actions_cost_range check (cost >= 0),
  blocked_reason text constraint actions_blocked_reason_length check (length(blocked_reason) <= 1000),
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint actions_blocked_needs_reason check (state <> 'blocked' or (blocked_reason is not null and length(btrim(blocked_reason)) > 0)),
  constraint actions_verified_names_verifier check ((state = 'verified') = (verified_by is not null))
);

-- Foreign keys, and what policies and lists look for

create index people_team_id_idx on public.people (team_id);
create index people_contractor_id_idx on public.people (contractor_id);
create index answers_area_idx on public.answers (area);
create index photos_area_idx on public.photos (area);
create index sites_region_id_idx on public.sites (region_id);
create index assets_site_id_idx on public.assets (site_id);
create index assets_parent_asset_id_idx on public.assets (parent_asset_id);
create index inspections_site_id_idx on public.inspections (site_id);
create index inspections_asset_id_idx on public.inspections (asset_id);
create index inspections_template_id_idx on public.inspections (template_id);
create index inspections_team_id_idx on public.inspections (team_id);
create index inspections_assignee_id_idx on public.inspections (assignee_id);
create index inspections_reviewer_id_idx on public.inspections (reviewer_id);
create index inspections_scheduled_on_idx on public.inspections (scheduled_on);
create index answers_template_item_id_idx on public.answers (template_item_id);
create index findings_inspection_id_idx on public.findings (inspection_id);
create index findings_site_id_idx on public.findings (site_id);
create index findings_asset_id_idx on public.findings (asset_id);
create index findings_answer_id_idx on public.findings (answer_id);
create index findings_duplicate_of_idx on public.findings (duplicate_of);
create index photos_finding_id_idx on public.photos (finding_id);
create index photos_inspection_id_idx on public.photos (inspection_id);
create index actions_finding_id_idx on public.actions (finding_id);
create index actions_site_id_idx on public.actions (site_id);
create index actions_team_id_idx on public.actions (team_id);
create index actions_owner_id_idx on public.actions (owner_id);
create index actions_contractor_id_idx on public.actions (contractor_id);
create index actions_verified_by_idx on public.actions (verified_by);
create index actions_due_on_idx on public.actions (due_on);

comment on table public.regions is 'Regions. The five parts of the supply area.';
comment on column public.regions.name is 'Name.';
comment on column public.regions.code is 'Code. One to three capitals; teams carry it as their area.';
comment on constraint regions_name_length on public.regions is 'A region''s name has 1 to 120 characters.';
comment on constraint regions_code_form on public.regions is 'A region''s code is one to three capital letters.';
comment on constraint regions_code_key on public.regions is 'Two regions cannot have the same code.';

comment on table public.contractors is 'Contractors. Companies that carry out actions.';
comment on column public.contractors.name is 'Name.';
comment on column public.contractors.trade is 'Trade. What the company is called for.';
comment on column public.contractors.contact_email is 'Contact e-mail.';
comment on column public.contractors.phone is 'Phone.';
comment on column public.contractors.insured_until is 'Insured until. The last day of the liability cover.';
comment on constraint contractors_name_length on public.contractors is 'A contractor''s name has 1 to 120 characters.';
comment on constraint contractors_contact_email_form on public.contractors is 'Enter an e-mail address like name@example.com.';

comment on table public.people is 'People. Employees, contractors'' staff and auditors.';
comment on column public.people.name is 'Name.';
comment on column public.people.kind is 'Kind.';
comment on column public.people.phone is 'Phone.';
comment on column public.people.certifications is 'Certifications. Such as confined space or chlorine handling.';
comment on column public.people.user_id is 'Account. The sign-in account of the person.';
comment on column public.people.team_id is 'Team.';
comment on column public.people.contractor_id is 'Company. For the staff of contractors.';
comment on constraint people_name_length on public.people is 'A name has 1 to 60 characters.';
comment on constraint people_user_id_key on public.people is 'An account belongs to one person.';
comment on constraint people_contractor_of_contractors on public.people is 'Contractors'' staff name their company, and only they do.';

comment on table public.sites is 'Sites. Pumping stations, reservoirs, treatment works and valve houses.';
comment on column public.sites.region_id is 'Region.';
comment on column public.sites.name is 'Name.';
comment on column public.sites.code is 'Code. As it stands on the gate.';
comment on column public.sites.kind is 'Kind.';
comment on column public.sites.address is 'Address.';
comment on column public.sites.lat is 'Latitude. Degrees, north is positive.';
comment on column public.sites.lon is 'Longitude. Degrees, east is positive.';
comment on column public.sites.access_notes is 'Access. How to get in, and what to look out for.';
comment on column public.sites.hazard_level is 'Hazard level. 0 none to 3: never alone.';
comment on column public.sites.status is 'Status. Everything of a decommissioned site is read-only.';
comment on constraint sites_name_length on public.sites is 'A site''s name has 1 to 120 characters.';
comment on constraint sites_code_key on public.sites is 'Two sites cannot have the same code.';
comment on constraint sites_lat_range on public.sites is 'A latitude lies between -90 and 90.';
comment on constraint sites_lon_range on public.sites is 'A longitude lies between -180 and 180.';
comment on constraint sites_access_notes_length on public.sites is 'Access notes have at most 1,000 characters.';
comment on constraint sites_hazard_level_range on public.sites is 'A hazard level lies between 0 and 3.';

comment on table public.assets is 'Assets. Machines and fittings of a site.';
comment on column public.assets.site_id is 'Site.';
comment on column public.assets.parent_asset_id is 'Part of. The asset that this one is mounted on.';
comment on column public.assets.tag is 'Tag. As it stands on the plate.';
comment on column public.assets.name is 'Name.';
comment on column public.assets.kind is 'Kind.';
comment on column public.assets.manufacturer is 'Manufacturer.';
comment on column public.assets.model is 'Model.';
comment on column public.assets.serial_no is 'Serial number.';
comment on column public.assets.installed_on is 'Installed on.';
comment on column public.assets.criticality is 'Criticality. A: supply stops without it. B: supply is at risk. C: neither.';
comment on column public.assets.qr_code is 'QR code. What a scan of the label reads.';
comment on constraint assets_tag_key on public.assets is 'Two assets cannot have the same tag.';
comment on constraint assets_name_length on public.assets is 'An asset''s name has 1 to 120 characters.';
comment on constraint assets_qr_code_key on public.assets is 'A label belongs to one asset.';
comment on constraint assets_not_inside_itself on public.assets is 'An asset is not a part of itself.';

comment on table public.templates is 'Templates. Checklists for inspections.';
comment on column public.templates.name is 'Name.';
comment on column public.templates.version is 'Version.';
comment on column public.templates.frequency_days is 'Every. Days between two inspections of the same thing.';
comment on column public.templates.active is 'Active. Whether new inspections use it.';
comment on constraint templates_name_length on public.templates is 'A template''s name has 1 to 120 characters.';
comment on constraint templates_version_positive on public.templates is 'Versions count from 1.';
comment on constraint templates_frequency_days_positive on public.templates is 'An interval is at least one day.';

comment on table public.template_items is 'Checklist items. The questions of a template.';
comment on column public.template_items.template_id is 'Template.';
comment on column public.template_items.position is 'Position.';
comment on column public.template_items.section is 'Section.';
comment on column public.template_items.prompt is 'Question.';
comment on column public.template_items.kind is 'Kind of answer.';
comment on column public.template_items.required is 'Required. An inspection cannot be submitted without the answer.';
comment on column public.template_items.unit is 'Unit. Of a reading.';
comment on column public.template_items.min is 'Lowest good reading.';
comment on column public.template_items.max is 'Highest good reading.';
comment on column public.template_items.choices is 'Choices.';
comment on column public.template_items.finding_when is 'Finding when. The answer that needs a finding: yes, no, out_of_range or one of the choices.';
comment on constraint template_items_position_once on public.template_items is 'Two questions of a template cannot have the same position.';
comment on constraint template_items_prompt_length on public.template_items is 'A question has 1 to 500 characters.';
comment on constraint template_items_range_order on public.template_items is 'The lowest good reading is not above the highest.';
comment on constraint template_items_choices_of_choice on public.template_items is 'Choices belong to questions with a choice, and only to them.';
comment on constraint template_items_finding_when_fits on public.template_items is 'The answer that needs a finding is one that the question can have.';

comment on table public.inspections is 'Inspections. Visits with a checklist.';
comment on column public.inspections.number is 'Number. Given by the server when left empty.';
comment on column public.inspections.site_id is 'Site.';
comment on column public.inspections.asset_id is 'Asset. When one asset is inspected and not the whole site.';
comment on column public.inspections.template_id is 'Template.';
comment on column public.inspections.team_id is 'Team.';
comment on column public.inspections.assignee_id is 'Assigned to.';
comment on column public.inspections.reviewer_id is 'Reviewed by. The supervisor who approved it or sent it back.';
comment on column public.inspections.state is 'State. Scheduled, in progress, submitted, then approved or returned.';
comment on column public.inspections.scheduled_on is 'Scheduled for.';
comment on column public.inspections.started_at is 'Started at.';
comment on column public.inspections.submitted_at is 'Submitted at.';
comment on column public.inspections.weather is 'Weather.';
comment on column public.inspections.score is 'Score. Share of answers without a finding, in percent.';
comment on column public.inspections.signature_path is 'Signature.';
comment on column public.inspections.created_by is 'Created by.';
comment on constraint inspections_number_key on public.inspections is 'Two inspections cannot have the same number.';
comment on constraint inspections_score_range on public.inspections is 'A score lies between 0 and 100.';
comment on constraint inspections_times_in_order on public.inspections is 'An inspection is submitted after it was started.';

comment on table public.answers is 'Answers. What was seen or read at an inspection.';
comment on column public.answers.inspection_id is 'Inspection.';
comment on column public.answers.template_item_id is 'Question.';
comment on column public.answers.value_bool is 'Yes or no.';
comment on column public.answers.value_num is 'Reading.';
comment on column public.answers.value_text is 'Text.';
comment on column public.answers.value_choice is 'Choice.';
comment on column public.answers.area is 'Area. The code of the region, carried by every answer so that the policies need not look for it; set by the database.';
comment on column public.answers.limit_min is 'Lowest good reading. As the question had it when it was answered.';
comment on column public.answers.limit_max is 'Highest good reading. As the question had it when it was answered.';
comment on column public.answers.is_out_of_range is 'Out of range. Whether the reading is below the lowest or above the highest good one.';
comment on column public.answers.created_by is 'Answered by.';
comment on constraint answers_value_text_length on public.answers is 'A text has at most 10,000 characters.';
comment on constraint answers_one_per_item on public.answers is 'A question is answered once per inspection.';

comment on table public.findings is 'Findings. Something that is not as it should be.';
comment on column public.findings.number is 'Number. Given by the server when left empty.';
comment on column public.findings.inspection_id is 'Inspection. Empty when it was noticed in passing.';
comment on column public.findings.site_id is 'Site.';
comment on column public.findings.asset_id is 'Asset.';
comment on column public.findings.answer_id is 'Answer. The one that called for it.';
comment on column public.findings.duplicate_of is 'Duplicate of. The finding that was there before.';
comment on column public.findings.title is 'Title.';
comment on column public.findings.detail is 'Detail.';
comment on column public.findings.severity is 'Severity.';
comment on column public.findings.state is 'State. Open, mitigated, closed; or a duplicate.';
comment on column public.findings.lat is 'Latitude.';
comment on column public.findings.lon is 'Longitude.';
comment on column public.findings.created_by is 'Found by.';
comment on constraint findings_number_key on public.findings is 'Two findings cannot have the same number.';
comment on constraint findings_title_length on public.findings is 'A title has 1 to 200 characters.';
comment on constraint findings_detail_length on public.findings is 'Detail has at most 10,000 characters.';
comment on constraint findings_lat_range on public.findings is 'A latitude lies between -90 and 90.';
comment on constraint findings_lon_range on public.findings is 'A longitude lies between -180 and 180.';
comment on constraint findings_duplicate_names_original on public.findings is 'A duplicate names the finding that was there before.';
comment on constraint findings_not_duplicate_of_itself on public.findings is 'A finding is not a duplicate of itself.';

comment on table public.photos is 'Photos. Of an inspection or of a finding.';
comment on column public.photos.finding_id is 'Finding.';
comment on column public.photos.inspection_id is 'Inspection. Filled in from the finding when left empty.';
comment on column public.photos.caption is 'Caption.';
comment on column public.photos.taken_at is 'Taken at.';
comment on column public.photos.attachment_id is 'File.';
comment on column public.photos.area is 'Area. The code of the region, set by the database.';
comment on column public.photos.annotation is 'Annotation. Marks drawn over the picture.';
comment on column public.photos.created_by is 'Taken by.';
comment on constraint photos_caption_length on public.photos is 'A caption has at most 500 characters.';
comment on constraint photos_belong_somewhere on public.photos is 'A photo belongs to an inspection or a finding.';

comment on table public.actions is 'Actions. What is done about a finding.';
comment on column public.actions.number is 'Number. Given by the server when left empty.';
comment on column public.actions.finding_id is 'Finding.';
comment on column public.actions.site_id is 'Site. Filled in from the finding when left empty.';
comment on column public.actions.team_id is 'Team. Its lead verifies the work.';
comment on column public.actions.owner_id is 'Owner. Who sees to it.';
comment on column public.actions.contractor_id is 'Contractor. Who carries it out; sees this action, its finding, site and photos.';
comment on column public.actions.verified_by is 'Verified by. Filled in by the database.';
comment on column public.actions.title is 'Title.';
comment on column public.actions.detail is 'Detail.';
comment on column public.actions.state is 'State. Open, doing, to verify, verified; or blocked, or dropped.';
comment on column public.actions.priority is 'Priority. 1 is the most urgent.';
comment on column public.actions.due_on is 'Due on.';
comment on column public.actions.est_hours is 'Estimated hours.';
comment on column public.actions.cost is 'Cost. In pounds.';
comment on column public.actions.blocked_reason is 'Blocked by. What has to happen first.';
comment on column public.actions.created_by is 'Created by.';
comment on constraint actions_number_key on public.actions is 'Two actions cannot have the same number.';
comment on constraint actions_title_length on public.actions is 'A title has 1 to 200 characters.';
comment on constraint actions_detail_length on public.actions is 'Detail has at most 10,000 characters.';
comment on constraint actions_priority_range on public.actions is 'A priority lies between 1 and 4.';
comment on constraint actions_est_hours_range on public.actions is 'Estimated hours lie between 0 and 9,999.';
comment on constraint actions_cost_range on public.actions is 'A cost is not negative.';
comment on constraint actions_blocked_reason_length on public.actions is 'A reason has at most 1,000 characters.';
comment on constraint actions_blocked_needs_reason on public.actions is 'Say what blocks the action.';
comment on constraint actions_verified_names_verifier on public.actions is 'A verified action names who verified it, and only a verified one does.';
