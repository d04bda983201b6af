-- Words of tables and of choices, in the language of the reader.

alter table holdfast.tables
  add column translations jsonb not null default '{}' constraint holdfast_tables_translations_form check (
    jsonb_typeof(translations) = 'object' and octet_length(translations::text) <= 4000
    and not jsonb_path_exists(translations, '$.keyvalue() ? (@.value.type() != "object")', silent => true)
    and not jsonb_path_exists(translations, '$.*.keyvalue() ? (@.value.type() != "string")', silent => true));

comment on column holdfast.tables.translations is 'Translations. Label, the word for one record and section by language, such as {"de": {"label": "Standorte", "one": "Standort"}}.';
comment on constraint holdfast_tables_translations_form on holdfast.tables is 'Translations are an object of languages with texts, of 4,000 bytes at most.';

-- A method that is asked of what has no keys finds nothing: such a value is refused by the condition before it.
alter table holdfast.fields
  add column choices jsonb not null default '{}' constraint holdfast_fields_choices_form check (
    jsonb_typeof(choices) = 'object' and octet_length(choices::text) <= 4000
    and not jsonb_path_exists(choices, '$.keyvalue() ? (@.value.type() != "string")', silent => true)),
  drop constraint holdfast_fields_translations_form,
  add constraint holdfast_fields_translations_form check (
    jsonb_typeof(translations) = 'object' and octet_length(translations::text) <= 8000
    and not jsonb_path_exists(translations, '$.keyvalue() ? (@.value.type() != "object")', silent => true)
    and not jsonb_path_exists(translations, '$.*.keyvalue() ? (@.key != "choices" && @.value.type() != "string")', silent => true)
    and not jsonb_path_exists(translations, '$.*.keyvalue() ? (@.key == "choices" && @.value.type() != "object")', silent => true)
    and not jsonb_path_exists(translations, '$.*.choices.keyvalue() ? (@.value.type() != "string")', silent => true));

comment on column holdfast.fields.choices is 'Words of choices. By the value, such as {"to_verify": "Waits for its check"}.';
comment on column holdfast.fields.translations is 'Translations. Label, help, section and words of choices by language, such as {"de": {"label": "Frist"}}.';
comment on constraint holdfast_fields_choices_form on holdfast.fields is 'Words of choices are an object with a text for each value, of 4,000 bytes at most.';
comment on constraint holdfast_fields_translations_form on holdfast.fields is 'Translations are an object of languages with texts, of 8,000 bytes at most.';
