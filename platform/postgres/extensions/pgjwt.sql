-- The functions of pgjwt, by their names and signatures: tokens signed with a shared secret. Errors of the extension are those of `hmac` and `json`.

create function @extschema@.url_encode(data bytea) returns text
  language sql immutable strict set search_path = pg_catalog
as $$ select translate(encode(data, 'base64'), E'+/=\n', '-_') $$;

create function @extschema@.url_decode(data text) returns bytea
  language sql immutable strict set search_path = pg_catalog
as $$ select decode(rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='), 'base64') $$;

create function @extschema@.algorithm_sign(signables text, secret text, algorithm text) returns text
  language sql immutable set search_path = pg_catalog
as $$
  select @extschema@.url_encode(@extschema:pgcrypto@.hmac(
    signables, secret, case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' else '' end))
$$;

create function @extschema@.sign(payload json, secret text, algorithm text default 'HS256') returns text
  language sql immutable set search_path = pg_catalog
as $$
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm)
    from (select @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'utf8'))
                 || '.' || @extschema@.url_encode(convert_to(payload::text, 'utf8'))) as token (signables)
$$;

create function @extschema@.try_cast_double(inp text) returns double precision
  language sql immutable set search_path = pg_catalog
as $$ select case when pg_input_is_valid(inp, 'double precision') then inp::double precision end $$;

create function @extschema@.verify(token text, secret text, algorithm text default 'HS256')
  returns table (header json, payload json, valid boolean)
  language sql stable set search_path = pg_catalog
as $$
  select jwt.header, jwt.payload,
         jwt.is_signed and tstzrange(to_timestamp(@extschema@.try_cast_double(jwt.payload ->> 'nbf')),
                                     to_timestamp(@extschema@.try_cast_double(jwt.payload ->> 'exp'))) @> current_timestamp
    from (select convert_from(@extschema@.url_decode(parts[1]), 'utf8')::json as header,
                 convert_from(@extschema@.url_decode(parts[2]), 'utf8')::json as payload,
                 parts[3] = @extschema@.algorithm_sign(parts[1] || '.' || parts[2], secret, algorithm) as is_signed
            from regexp_split_to_array(token, '\.') parts) jwt
$$;
