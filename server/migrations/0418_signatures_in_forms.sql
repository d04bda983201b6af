-- Public forms ask for signatures.

create or replace function holdfast.require_form_definition(of_table text, definition jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  questions constant jsonb := definition -> 'questions';
  relation constant regclass := to_regclass(format('public.%I', of_table));
  missing text;
begin
  if jsonb_typeof(definition) is distinct from 'object' or octet_length(definition::text) > holdfast.form_limit('bytes of a definition')
     or coalesce(length(btrim(definition ->> 'title')), 0) not between 1 and 120
     or length(coalesce(definition ->> 'intro', '')) > 2000 or length(coalesce(definition ->> 'thanks', '')) > 500
     or jsonb_typeof(questions) is distinct from 'array' or jsonb_array_length(questions) not between 1 and holdfast.form_limit('questions') then
    raise exception 'A public form has a title of up to 120 characters and 1 to 60 questions.' using hint = 'public_form.definition';
  end if;
  select coalesce(one.value ->> 'field', '') into missing from jsonb_array_elements(questions) one (value)
   where coalesce(one.value ->> 'field', '') not in (select holdfast.form_columns(of_table))
      -- A text in place of files, or files in place of a text.
      or case coalesce(holdfast.attachment_kind(relation, (one.value ->> 'field')::name), '')
           when 'attachment' then one.value ->> 'kind' is distinct from 'files'
           -- A signature is one picture.
           when 'signature' then one.value ->> 'kind' is distinct from 'files' or one.value #>> '{files,max}' is distinct from '1'
                                 or one.value #>> '{files,kinds}' is distinct from 'photos'
           else one.value ->> 'kind' is not distinct from 'files'
         end limit 1;
  if missing is not null then
    raise exception 'A public form cannot ask for %.', missing using hint = 'public_form.field', detail = missing;
  end if;
  if exists (select from jsonb_array_elements(questions) one (value)
              where one.value ->> 'kind' = 'files'
                and not coalesce((one.value -> 'files') - '{max,megabytes,kinds}'::text[] = '{}' and one.value #>> '{files,kinds}' in ('any', 'photos')
                                 and one.value #>> '{files,max}' ~ '^[1-9][0-9]?$' and one.value #>> '{files,megabytes}' ~ '^[1-9][0-9]?$'
                                 and (one.value #>> '{files,max}')::integer <= holdfast.form_limit('files of a question')
                                 and (one.value #>> '{files,megabytes}')::integer <= holdfast.form_limit('MB of a file'), false)) then
    raise exception 'A question takes up to 10 files of up to 25 MB.' using hint = 'public_form.files';
  end if;
  select a.attname into missing from pg_attribute a
   where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
     and a.attidentity = '' and a.attname not in (select one.value ->> 'field' from jsonb_array_elements(questions) one (value)) limit 1;
  if missing is not null then
    raise exception 'Every record needs a value in %, which this form does not ask for.', missing using hint = 'public_form.missing', detail = missing;
  end if;
end
$$;
