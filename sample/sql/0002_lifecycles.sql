-- What goes from where to where. A refusal is P0001 with a sentence for people as message and a stable code as hint.

-- Numbers for people

create sequence sample.inspection_numbers;
create sequence sample.finding_numbers;
create sequence sample.action_numbers;

create function sample.assign_number() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  next text;
begin
  if new.number is null then
    next := nextval(tg_argv[1]::regclass)::text;
    new.number := tg_argv[0] || '-' || lpad(next, greatest(5, length(next)), '0');
  end if;
  return new;
end
$$;
comment on function sample.assign_number() is 'Fills in number; arguments: the prefix and the sequence.';

create trigger assign_number before insert on public.inspections
  for each row execute function sample.assign_number('INS', 'sample.inspection_numbers');
create trigger assign_number before insert on public.findings
  for each row execute function sample.assign_number('FND', 'sample.finding_numbers');
create trigger assign_number before insert on public.actions
  for each row execute function sample.assign_number('ACT', 'sample.action_numbers');

-- Inspections

create function sample.guard_inspection() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  missing bigint;
begin
  if tg_op = 'UPDATE' and new.state <> old.state then
    if new.state = 'submitted' then
      select count(*) into missing
        from public.template_items item
       where item.template_id = new.template_id and item.required
         and not exists (
           select 1 from public.answers a where a.inspection_id = new.id and a.template_item_id = item.id
         );
      if missing > 0 then
        raise exception '%', case missing
          when 1 then 'One question of this inspection has no answer yet.'
          else format('%s questions of this inspection have no answer yet.', missing)
        end using hint = 'inspection.incomplete';
      end if;
      select count(*) into missing
        from public.answers a
        join public.template_items item on item.id = a.template_item_id
       where a.inspection_id = new.id
         and case item.kind
           when 'yes_no' then a.value_bool = (item.finding_when = 'yes')
           when 'reading' then item.finding_when is not null and a.is_out_of_range
           when 'choice' then a.value_choice = item.finding_when
           else false
         end
         and not exists (select 1 from public.findings f where f.answer_id = a.id);
      if missing > 0 then
        raise exception '%', case missing
          when 1 then 'One answer of this inspection needs a finding.'
          else format('%s answers of this inspection need a finding.', missing)
        end using hint = 'inspection.finding_missing';
      end if;
    end if;
    if new.state in ('approved', 'returned') then
      new.reviewer_id := coalesce(public.my_person_id(), new.reviewer_id);
    end if;
  end if;
  if new.state = 'in_progress' then
    new.started_at := coalesce(new.started_at, now());
  elsif new.state = 'submitted' then
    new.submitted_at := coalesce(new.submitted_at, now());
  end if;
  return new;
end
$$;
comment on function sample.guard_inspection() is 'A submitted inspection is complete; fills in who reviewed it and when.';

create function sample.keep_inspection() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.state not in ('scheduled', 'in_progress', 'cancelled') then
    raise exception 'A submitted inspection is kept: nobody deletes it.' using hint = 'inspection.delete';
  end if;
  return old;
end
$$;
comment on function sample.keep_inspection() is
  'Nobody deletes an inspection after submission. A trigger, because a policy would hide the reason and not bind the service role.';

create trigger guard before insert or update on public.inspections for each row execute function sample.guard_inspection();
create trigger keep before delete on public.inspections for each row execute function sample.keep_inspection();

-- Answers

create function sample.copy_limits() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  select item.min, item.max into new.limit_min, new.limit_max
    from public.template_items item where item.id = new.template_item_id;
  return new;
end
$$;
comment on function sample.copy_limits() is 'Copies the good range of the question, so that a later version of it changes no old answer.';

create trigger copy_limits before insert or update of value_num, limit_min, limit_max on public.answers
  for each row execute function sample.copy_limits();

-- Findings

create function sample.guard_finding() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  unfinished bigint;
begin
  if tg_op = 'INSERT' then
    new.site_id := coalesce(new.site_id, (select i.site_id from public.inspections i where i.id = new.inspection_id));
  elsif new.state <> old.state then
    if new.state = 'closed' then
      select count(*) into unfinished
        from public.actions a where a.finding_id = new.id and a.state not in ('verified', 'dropped');
      if unfinished > 0 then
        raise exception '%', case unfinished
          when 1 then 'One action of this finding is not verified or dropped yet.'
          else format('%s actions of this finding are not verified or dropped yet.', unfinished)
        end using hint = 'finding.open_actions';
      end if;
    end if;
  end if;
  return new;
end
$$;
comment on function sample.guard_finding() is 'A finding is closed when its actions are done; fills in the site.';

create trigger guard before insert or update on public.findings for each row execute function sample.guard_finding();

-- Photos

create function sample.place_photo() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.inspection_id := coalesce(
    new.inspection_id, (select f.inspection_id from public.findings f where f.id = new.finding_id));
  return new;
end
$$;
comment on function sample.place_photo() is 'Fills in the inspection of the finding.';

create trigger place before insert on public.photos for each row execute function sample.place_photo();

-- Actions

create function sample.guard_action() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  finding_site uuid := (select f.site_id from public.findings f where f.id = new.finding_id);
  for_contractors constant text[] := array['state', 'blocked_reason', 'est_hours', 'cost', 'verified_by', 'updated_at'];
begin
  new.site_id := coalesce(new.site_id, finding_site);
  if finding_site <> new.site_id then
    raise exception 'An action and its finding are at the same site.' using hint = 'action.finding_site';
  end if;
  if tg_op = 'INSERT' then
    new.verified_by := null;
    return new;
  end if;
  if old.contractor_id in (select public.my_contractor_ids())
    and to_jsonb(new) - for_contractors <> to_jsonb(old) - for_contractors then
    raise exception 'A contractor changes the state of an action, what blocks it, its hours and its cost, and nothing else.'
      using hint = 'action.contractor_fields';
  end if;
  if new.state = old.state then
    new.verified_by := old.verified_by;
    return new;
  end if;
  new.verified_by := case when new.state = 'verified' then coalesce(public.my_person_id(), new.verified_by) end;
  return new;
end
$$;
comment on function sample.guard_action() is
  'An action is at the site of its finding; contractors change their part of it; fills in who verified it.';

create trigger guard before insert or update on public.actions for each row execute function sample.guard_action();

-- Which state may follow which; who may set it is said by the policies

insert into holdfast.transitions (table_name, field, from_value, to_value) values
  ('inspections', 'state', null, 'scheduled'), ('inspections', 'state', null, 'in_progress'),
  ('inspections', 'state', 'scheduled', 'in_progress'), ('inspections', 'state', 'scheduled', 'cancelled'),
  ('inspections', 'state', 'in_progress', 'submitted'), ('inspections', 'state', 'in_progress', 'cancelled'),
  ('inspections', 'state', 'submitted', 'approved'), ('inspections', 'state', 'submitted', 'returned'),
  ('inspections', 'state', 'returned', 'in_progress'),
  ('findings', 'state', null, 'open'),
  ('findings', 'state', 'open', 'mitigated'), ('findings', 'state', 'open', 'duplicate'),
  ('findings', 'state', 'mitigated', 'closed'),
  ('actions', 'state', null, 'open'),
  ('actions', 'state', 'open', 'doing'), ('actions', 'state', 'open', 'blocked'), ('actions', 'state', 'open', 'dropped'),
  ('actions', 'state', 'doing', 'to_verify'), ('actions', 'state', 'doing', 'blocked'), ('actions', 'state', 'doing', 'dropped'),
  ('actions', 'state', 'blocked', 'doing'),
  ('actions', 'state', 'to_verify', 'verified'), ('actions', 'state', 'to_verify', 'doing');

select holdfast.enforce_transitions('public.inspections', 'state');
select holdfast.enforce_transitions('public.findings', 'state');
select holdfast.enforce_transitions('public.actions', 'state');

-- What stays where it is: policies look at one site per row, so a row does not leave its site

create function sample.refuse_move() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '%', tg_argv[0] using hint = 'record.moved';
end
$$;
comment on function sample.refuse_move() is 'Refuses an update with the sentence that is its argument.';

create trigger keep_code before update of code on public.regions for each row
  when (old.code is distinct from new.code)
  execute function sample.refuse_move('A region keeps its code: teams and comments carry it.');
create trigger keep_site before update of site_id on public.inspections for each row
  when (old.site_id is distinct from new.site_id)
  execute function sample.refuse_move('An inspection stays with its site.');
create trigger keep_site before update of site_id, inspection_id on public.findings for each row
  when (old.site_id is distinct from new.site_id or old.inspection_id is distinct from new.inspection_id)
  execute function sample.refuse_move('A finding stays with its site and its inspection.');
create trigger keep_site before update of site_id on public.actions for each row
  when (old.site_id is distinct from new.site_id)
  execute function sample.refuse_move('An action stays with its site.');
create trigger keep_question before update of inspection_id, template_item_id on public.answers for each row
  when (old.inspection_id is distinct from new.inspection_id or old.template_item_id is distinct from new.template_item_id)
  execute function sample.refuse_move('An answer stays with its inspection and its question.');
create trigger keep_place before update of inspection_id, finding_id on public.photos for each row
  when (old.inspection_id is distinct from new.inspection_id
    or (old.finding_id is not null and old.finding_id is distinct from new.finding_id))
  execute function sample.refuse_move('A photo stays with its inspection and its finding.');

create function sample.keep_decommissioned_asset() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from public.sites s where s.id = old.site_id and s.status = 'decommissioned') then
    raise exception 'The assets of a decommissioned site stay there.' using hint = 'record.moved';
  end if;
  return new;
end
$$;
create trigger keep_site before update of site_id on public.assets for each row
  when (old.site_id is distinct from new.site_id) execute function sample.keep_decommissioned_asset();

-- The area of a comment is the region of its record

create function sample.area_of(table_name text, record_id uuid) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select r.code
    from public.sites s
    join public.regions r on r.id = s.region_id
   where s.id = case area_of.table_name
     when 'sites' then area_of.record_id
     when 'assets' then (select x.site_id from public.assets x where x.id = area_of.record_id)
     when 'inspections' then (select x.site_id from public.inspections x where x.id = area_of.record_id)
     when 'findings' then (select x.site_id from public.findings x where x.id = area_of.record_id)
     when 'actions' then (select x.site_id from public.actions x where x.id = area_of.record_id)
   end
$$;
comment on function sample.area_of(text, uuid) is 'The code of the region that the record''s site is in; NULL when there is no such record.';

create function sample.set_comment_area() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.area := sample.area_of(new.table_name, new.record_id);
  return new;
end
$$;
create trigger area before insert or update on holdfast.comments for each row execute function sample.set_comment_area();

create function sample.move_comments() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'assets' then
    update holdfast.comments c set area = null where c.table_name = 'assets' and c.record_id = new.id;
    return null;
  end if;
  update holdfast.comments c set area = null -- the trigger above fills in the new one
   where (c.table_name = 'sites' and c.record_id = new.id)
      or (c.table_name = 'assets' and c.record_id in (select x.id from public.assets x where x.site_id = new.id))
      or (c.table_name = 'inspections' and c.record_id in (select x.id from public.inspections x where x.site_id = new.id))
      or (c.table_name = 'findings' and c.record_id in (select x.id from public.findings x where x.site_id = new.id))
      or (c.table_name = 'actions' and c.record_id in (select x.id from public.actions x where x.site_id = new.id));
  return null;
end
$$;
comment on function sample.move_comments() is 'Moves comments along when a site changes its region or an asset its site.';
create trigger move_comments after update of region_id on public.sites for each row
  when (old.region_id is distinct from new.region_id) execute function sample.move_comments();
create trigger move_comments after update of site_id on public.assets for each row
  when (old.site_id is distinct from new.site_id) execute function sample.move_comments();

-- Answers and photos carry the area as well: two steps from the site, policies would otherwise look up thousands of inspections for every device

create function sample.set_answer_area() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.area := sample.area_of('inspections', new.inspection_id);
  return new;
end
$$;
create trigger area before insert or update on public.answers for each row execute function sample.set_answer_area();

create function sample.set_photo_area() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.area := case when new.inspection_id is null then sample.area_of('findings', new.finding_id)
                   else sample.area_of('inspections', new.inspection_id) end;
  return new;
end
$$;
create trigger area before insert or update on public.photos for each row execute function sample.set_photo_area();

create function sample.move_answers_and_photos() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- The triggers above fill in the new area.
  update public.answers a set area = null from public.inspections i where i.id = a.inspection_id and i.site_id = new.id;
  update public.photos p set area = null
   where p.inspection_id in (select i.id from public.inspections i where i.site_id = new.id)
      or p.finding_id in (select f.id from public.findings f where f.site_id = new.id);
  return null;
end
$$;
comment on function sample.move_answers_and_photos() is 'Moves answers and photos along when a site changes its region.';
create trigger move_answers_and_photos after update of region_id on public.sites for each row
  when (old.region_id is distinct from new.region_id) execute function sample.move_answers_and_photos();

-- Who and when

create trigger set_created_by before insert or update on public.inspections for each row execute function holdfast.set_created_by();
create trigger set_created_by before insert or update on public.answers for each row execute function holdfast.set_created_by();
create trigger set_created_by before insert or update on public.findings for each row execute function holdfast.set_created_by();
create trigger set_created_by before insert or update on public.photos for each row execute function holdfast.set_created_by();
create trigger set_created_by before insert or update on public.actions for each row execute function holdfast.set_created_by();

create trigger touch before update on public.regions for each row execute function holdfast.touch();
create trigger touch before update on public.contractors for each row execute function holdfast.touch();
create trigger touch before update on public.people for each row execute function holdfast.touch();
create trigger touch before update on public.sites for each row execute function holdfast.touch();
create trigger touch before update on public.assets for each row execute function holdfast.touch();
create trigger touch before update on public.templates for each row execute function holdfast.touch();
create trigger touch before update on public.template_items for each row execute function holdfast.touch();
create trigger touch before update on public.inspections for each row execute function holdfast.touch();
create trigger touch before update on public.answers for each row execute function holdfast.touch();
create trigger touch before update on public.findings for each row execute function holdfast.touch();
create trigger touch before update on public.photos for each row execute function holdfast.touch();
create trigger touch before update on public.actions for each row execute function holdfast.touch();
