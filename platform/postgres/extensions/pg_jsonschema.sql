-- The functions of pg_jsonschema, by their names and signatures: JSON Schema, draft 2020-12, with the forms of draft 7 that differ (`items` as a list, `dependencies`,
-- `definitions`). Formats are annotations, as with the extension's defaults. What is not here (`unevaluated…`, dynamic and remote references) is an error, never a
-- constraint that is left out without a word. Checked against the test suite of json-schema.org: docs/decisions/0118-the-ground-of-hosted-projects.md.

/* Whether a value is of a type that a schema names. A number without a fraction is an integer, however it is written. */
create function @extschema@.jsonschema_is_of_type(instance jsonb, type text) returns boolean
  language plpgsql immutable parallel safe set search_path = pg_catalog
as $$
begin
  if type in ('null', 'boolean', 'object', 'array', 'number', 'string') then return jsonb_typeof(instance) = type; end if;
  if type = 'integer' then
    return jsonb_typeof(instance) = 'number' and (instance #>> '{}')::numeric = trunc((instance #>> '{}')::numeric);
  end if;
  raise exception 'the schema is not valid: "%" is no type', coalesce(type, 'null') using errcode = '22023';
end $$;

/* A pattern of ECMA 262 as Postgres has it: its word boundaries have other letters. */
create function @extschema@.jsonschema_matches(value text, pattern text) returns boolean
  language sql immutable parallel safe set search_path = pg_catalog
as $$ select value ~ ('(?:)' || regexp_replace(regexp_replace(pattern, '(^|[^\\])((?:\\\\)*)\\b', '\1\2\\y', 'g'), '(^|[^\\])((?:\\\\)*)\\B', '\1\2\\Y', 'g')) $$;

/* What a reference within a schema names. @raises 0A000 for one that leads out of it */
create function @extschema@.jsonschema_resolve(root jsonb, reference text) returns jsonb
  language plpgsql immutable parallel safe set search_path = pg_catalog
as $$
declare
  target jsonb := root;
  step text;
  fragment text;
begin
  if reference = '#' then return root; end if;
  if starts_with(reference, '#/') then
    fragment := convert_from(@extschema@.jsonschema_percent_decode(substr(reference, 3)), 'utf8');
    foreach step in array string_to_array(fragment, '/') loop
      step := replace(replace(step, '~1', '/'), '~0', '~');
      target := case jsonb_typeof(target)
        when 'object' then target -> step
        when 'array' then case when step ~ '^(0|[1-9][0-9]{0,8})$' then target -> step::integer end
      end;
    end loop;
    if target is not null then return target; end if;
  elsif starts_with(reference, '#') then
    select anchored into target
      from jsonb_path_query(root, 'strict $.** ? (@."$anchor" == $name || @."$id" == $id)',
                            jsonb_build_object('name', substr(reference, 2), 'id', reference), true) as anchored
     limit 1;
    if target is not null then return target; end if;
  end if;
  raise exception 'the reference "%" leads to nothing within the schema', reference
    using errcode = '0A000', hint = 'Only references within a schema are followed: #, #/path and #anchor.';
end $$;

create function @extschema@.jsonschema_percent_decode(value text) returns bytea
  language sql immutable parallel safe set search_path = pg_catalog
as $$
  select coalesce(string_agg(case when part ~ '^%[0-9A-Fa-f]{2}$' then decode(substr(part, 2), 'hex') else convert_to(part, 'utf8') end, '' order by place), '')
    from regexp_matches(value, '%[0-9A-Fa-f]{2}|%|[^%]+', 'g') with ordinality as parts (matches, place), unnest(matches) as part
$$;

/* Errors of a value whatever its type, and of the schemas that are combined. */
create function @extschema@.jsonschema_errors(schema jsonb, instance jsonb, root jsonb) returns text[]
  language plpgsql immutable parallel safe set search_path = pg_catalog
as $$
declare
  errors text[] := '{}';
  shown text := instance::text;
  part jsonb;
  matched integer;
begin
  if schema = 'true' then return errors; end if;
  if schema = 'false' then return array['False schema does not allow ' || shown]; end if;
  if jsonb_typeof(schema) <> 'object' then
    raise exception 'the schema is not valid: % is neither an object nor a boolean', schema using errcode = '22023';
  end if;
  if schema ?| array['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'] then
    raise exception 'unevaluatedProperties, unevaluatedItems and dynamic references of JSON Schema are not supported here'
      using errcode = '0A000', hint = 'Start with --postgres-bin or DATABASE_URL and a Postgres that has pg_jsonschema.';
  end if;
  if schema ? '$ref' then
    errors := errors || @extschema@.jsonschema_errors(@extschema@.jsonschema_resolve(root, schema ->> '$ref'), instance, root);
    -- Beside a reference draft 7 reads nothing else.
    if root ->> '$schema' ~ 'draft-0[3-7]' then return errors; end if;
  end if;

  if jsonb_typeof(schema -> 'type') = 'array' then
    if not exists (select from jsonb_array_elements_text(schema -> 'type') type where @extschema@.jsonschema_is_of_type(instance, type)) then
      errors := errors || format('%s is not of types %s', shown, (select string_agg(type::text, ', ') from jsonb_array_elements(schema -> 'type') type));
    end if;
  elsif schema ? 'type' and not @extschema@.jsonschema_is_of_type(instance, schema ->> 'type') then
    errors := errors || format('%s is not of type %s', shown, schema -> 'type');
  end if;
  if schema ? 'enum' and not exists (select from jsonb_array_elements(schema -> 'enum') one where one = instance) then
    errors := errors || format('%s is not one of %s', shown, schema -> 'enum');
  end if;
  if schema ? 'const' and schema -> 'const' <> instance then errors := errors || format('%s was expected', schema -> 'const'); end if;

  for part in select one from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) one loop
    errors := errors || @extschema@.jsonschema_errors(part, instance, root);
  end loop;
  if schema ? 'anyOf' and not exists (select from jsonb_array_elements(schema -> 'anyOf') one where @extschema@.jsonschema_errors(one, instance, root) = '{}') then
    errors := errors || format('%s is not valid under any of the schemas listed in the ''anyOf'' keyword', shown);
  end if;
  if schema ? 'oneOf' then
    select count(*) into matched from jsonb_array_elements(schema -> 'oneOf') one where @extschema@.jsonschema_errors(one, instance, root) = '{}';
    if matched <> 1 then
      errors := errors || format('%s is %s of the schemas listed in the ''oneOf'' keyword', shown, case when matched = 0 then 'not valid under any' else 'valid under more than one' end);
    end if;
  end if;
  if schema ? 'not' and @extschema@.jsonschema_errors(schema -> 'not', instance, root) = '{}' then
    errors := errors || format('%s is not allowed for %s', schema -> 'not', shown);
  end if;
  if schema ? 'if' then
    part := schema -> case when @extschema@.jsonschema_errors(schema -> 'if', instance, root) = '{}' then 'then' else 'else' end;
    if part is not null then errors := errors || @extschema@.jsonschema_errors(part, instance, root); end if;
  end if;

  return errors || case jsonb_typeof(instance)
    when 'object' then @extschema@.jsonschema_object_errors(schema, instance, root)
    when 'array' then @extschema@.jsonschema_array_errors(schema, instance, root)
    when 'number' then @extschema@.jsonschema_number_errors(schema, (instance #>> '{}')::numeric)
    when 'string' then @extschema@.jsonschema_string_errors(schema, instance #>> '{}')
    else '{}'
  end;
end $$;

create function @extschema@.jsonschema_object_errors(schema jsonb, instance jsonb, root jsonb) returns text[]
  language plpgsql immutable parallel safe set search_path = pg_catalog
as $$
declare
  errors text[] := '{}';
  properties jsonb := coalesce(schema -> 'properties', '{}');
  patterns jsonb := coalesce(schema -> 'patternProperties', '{}');
  names integer;
  name text;
  value jsonb;
  other record;
  is_known boolean;
begin
  for name in select one from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) one where not instance ? one loop
    errors := errors || format('%s is a required property', to_json(name));
  end loop;
  for name, value in select * from jsonb_each(instance) loop
    is_known := properties ? name;
    if is_known then errors := errors || @extschema@.jsonschema_errors(properties -> name, value, root); end if;
    for other in select * from jsonb_each(patterns) loop
      if @extschema@.jsonschema_matches(name, other.key) then
        is_known := true;
        errors := errors || @extschema@.jsonschema_errors(other.value, value, root);
      end if;
    end loop;
    if not is_known and schema ? 'additionalProperties' then
      errors := errors || case schema -> 'additionalProperties'
        when 'false' then array[format('Additional properties are not allowed (%L was unexpected)', name)]
        else @extschema@.jsonschema_errors(schema -> 'additionalProperties', value, root)
      end;
    end if;
    if schema ? 'propertyNames' then errors := errors || @extschema@.jsonschema_errors(schema -> 'propertyNames', to_jsonb(name), root); end if;
  end loop;
  names := (select count(*) from jsonb_object_keys(instance));
  if names < (schema ->> 'minProperties')::numeric then errors := errors || format('%s does not have enough properties', instance); end if;
  if names > (schema ->> 'maxProperties')::numeric then errors := errors || format('%s has too many properties', instance); end if;

  for other in
    select given.key, given.value from unnest(array['dependentRequired', 'dependentSchemas', 'dependencies']) keyword, jsonb_each(schema -> keyword) given where instance ? given.key
  loop
    if jsonb_typeof(other.value) <> 'array' then errors := errors || @extschema@.jsonschema_errors(other.value, instance, root);
    else
      for name in select one from jsonb_array_elements_text(other.value) one where not instance ? one loop
        errors := errors || format('%s is a required property', to_json(name));
      end loop;
    end if;
  end loop;
  return errors;
end $$;

create function @extschema@.jsonschema_array_errors(schema jsonb, instance jsonb, root jsonb) returns text[]
  language plpgsql immutable parallel safe set search_path = pg_catalog
as $$
declare
  errors text[] := '{}';
  size integer := jsonb_array_length(instance);
  is_list boolean := jsonb_typeof(schema -> 'items') = 'array';
  first jsonb := case when is_list then schema -> 'items' else coalesce(schema -> 'prefixItems', '[]') end;
  rest jsonb := case when is_list then schema -> 'additionalItems' else schema -> 'items' end;
  item jsonb;
  place bigint;
  matched integer;
begin
  for item, place in select * from jsonb_array_elements(instance) with ordinality loop
    if place <= jsonb_array_length(first) then errors := errors || @extschema@.jsonschema_errors(first -> (place - 1)::integer, item, root);
    elsif rest is not null then errors := errors || @extschema@.jsonschema_errors(rest, item, root);
    end if;
  end loop;
  if size < (schema ->> 'minItems')::numeric then errors := errors || format('%s has less than %s items', instance, schema -> 'minItems'); end if;
  if size > (schema ->> 'maxItems')::numeric then errors := errors || format('%s has more than %s items', instance, schema -> 'maxItems'); end if;
  if schema -> 'uniqueItems' = 'true' and size > (select count(distinct one) from jsonb_array_elements(instance) one) then
    errors := errors || format('%s has non-unique elements', instance);
  end if;
  if schema ? 'contains' then
    select count(*) into matched from jsonb_array_elements(instance) one where @extschema@.jsonschema_errors(schema -> 'contains', one, root) = '{}';
    if matched < coalesce((schema ->> 'minContains')::numeric, 1) then errors := errors || format('None of %s are valid under the given schema', instance); end if;
    if matched > (schema ->> 'maxContains')::numeric then errors := errors || format('Too many of %s are valid under the given schema', instance); end if;
  end if;
  return errors;
end $$;

create function @extschema@.jsonschema_number_errors(schema jsonb, value numeric) returns text[]
  language sql immutable parallel safe set search_path = pg_catalog
as $$
  select array(
    select error from (values
      (value < (schema ->> 'minimum')::numeric, format('%s is less than the minimum of %s', value, schema -> 'minimum')),
      (value > (schema ->> 'maximum')::numeric, format('%s is greater than the maximum of %s', value, schema -> 'maximum')),
      (value <= (schema ->> 'exclusiveMinimum')::numeric, format('%s is less than or equal to the minimum of %s', value, schema -> 'exclusiveMinimum')),
      (value >= (schema ->> 'exclusiveMaximum')::numeric, format('%s is greater than or equal to the maximum of %s', value, schema -> 'exclusiveMaximum')),
      (value % (schema ->> 'multipleOf')::numeric <> 0, format('%s is not a multiple of %s', value, schema -> 'multipleOf'))
    ) as found (is_so, error) where is_so)
$$;

create function @extschema@.jsonschema_string_errors(schema jsonb, value text) returns text[]
  language sql immutable parallel safe set search_path = pg_catalog
as $$
  select array(
    select error from (values
      (length(value) < (schema ->> 'minLength')::numeric, format('%s is shorter than %s characters', to_json(value), schema -> 'minLength')),
      (length(value) > (schema ->> 'maxLength')::numeric, format('%s is longer than %s characters', to_json(value), schema -> 'maxLength')),
      (not @extschema@.jsonschema_matches(value, schema ->> 'pattern'), format('%s does not match %s', to_json(value), schema -> 'pattern'))
    ) as found (is_so, error) where is_so)
$$;

/* What a schema has to be, as a schema: the keywords that are read here, with the values that they may have. */
create function @extschema@.jsonschema_of_schemas() returns jsonb
  language sql immutable parallel safe set search_path = pg_catalog
as $$
  select jsonb_build_object(
    'type', '["object", "boolean"]'::jsonb,
    '$defs', '{
      "schemas": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
      "named": {"type": "object", "additionalProperties": {"$ref": "#"}},
      "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
      "count": {"type": "integer", "minimum": 0},
      "word": {"enum": ["null", "boolean", "object", "array", "number", "string", "integer"]}
    }'::jsonb,
    'properties',
      (select jsonb_object_agg(keyword, shape) from (values
        (array['allOf', 'anyOf', 'oneOf', 'prefixItems'], '{"$ref": "#/$defs/schemas"}'::jsonb),
        (array['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], '{"$ref": "#/$defs/named"}'),
        (array['not', 'if', 'then', 'else', 'additionalProperties', 'propertyNames', 'contains', 'additionalItems', 'unevaluatedItems', 'unevaluatedProperties'],
         '{"$ref": "#"}'),
        (array['items'], '{"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/schemas"}]}'),
        (array['dependencies'], '{"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/names"}]}}'),
        (array['dependentRequired'], '{"type": "object", "additionalProperties": {"$ref": "#/$defs/names"}}'),
        (array['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'], '{"$ref": "#/$defs/count"}'),
        (array['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], '{"type": "number"}'),
        (array['multipleOf'], '{"type": "number", "exclusiveMinimum": 0}'),
        (array['pattern', '$ref', '$id', '$schema', '$anchor', '$comment', 'title', 'description', 'format'], '{"type": "string"}'),
        (array['required'], '{"$ref": "#/$defs/names"}'),
        (array['enum', 'examples'], '{"type": "array"}'),
        (array['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], '{"type": "boolean"}'),
        (array['type'], '{"anyOf": [{"$ref": "#/$defs/word"}, {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/$defs/word"}}]}')
      ) as shapes (keywords, shape), unnest(keywords) keyword))
$$;

create function @extschema@.json_matches_schema(schema json, instance json) returns boolean
  language sql immutable strict parallel safe set search_path = pg_catalog
as $$ select @extschema@.jsonschema_errors(schema::jsonb, instance::jsonb, schema::jsonb) = '{}' $$;

create function @extschema@.jsonb_matches_schema(schema json, instance jsonb) returns boolean
  language sql immutable strict parallel safe set search_path = pg_catalog
as $$ select @extschema@.jsonschema_errors(schema::jsonb, instance, schema::jsonb) = '{}' $$;

create function @extschema@.jsonschema_is_valid(schema json) returns boolean
  language sql immutable strict parallel safe set search_path = pg_catalog
as $$
  select @extschema@.jsonschema_errors(form, schema::jsonb, form) = '{}' from @extschema@.jsonschema_of_schemas() form
$$;

create function @extschema@.jsonschema_validation_errors(schema json, instance json) returns text[]
  language sql immutable strict parallel safe set search_path = pg_catalog
as $$ select @extschema@.jsonschema_errors(schema::jsonb, instance::jsonb, schema::jsonb) $$;
