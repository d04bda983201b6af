-- An inspection is filled in question by question; what was answered before at the same site, and of the same asset, stands beside it.

insert into holdfast.checklists (table_name, item_table, answer_table, finding_table, place_fields, names, begin_values, finish_values) values
  ('inspections', 'template_items', 'answers', 'findings', '{site_id,asset_id}', '{"signature": "signature_path"}',
   '{"state": "in_progress"}', '{"state": "submitted"}')
on conflict do nothing;
