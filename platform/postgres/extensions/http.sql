-- The types and functions of pgsql-http 1.6. Those that need no network work. A request is refused with what to use instead: the server would have to be asked from
-- within the transaction, which would hold its locks and its connection for as long as another server takes.

create domain @extschema@.http_method as text;
create type @extschema@.http_header as (field varchar, value varchar);
create type @extschema@.http_request as (
  method @extschema@.http_method, uri varchar, headers @extschema@.http_header[], content_type varchar, content varchar
);
create type @extschema@.http_response as (status integer, content_type varchar, headers @extschema@.http_header[], content varchar);

create function @extschema@.http(request @extschema@.http_request) returns @extschema@.http_response
  language plpgsql volatile set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'The extension http sends no requests here.',
    detail = 'A request within a transaction would hold its locks and its connection until another server has answered.',
    hint = 'Use net.http_get, net.http_post or net.http_delete, which send after the commit, an edge function, or a Postgres that has http (--postgres-bin, DATABASE_URL).';
end
$$;

create function @extschema@.http_get(uri varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('GET', uri, null, null, null)::@extschema@.http_request) $$;
create function @extschema@.http_post(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('POST', uri, null, content_type, content)::@extschema@.http_request) $$;
create function @extschema@.http_put(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('PUT', uri, null, content_type, content)::@extschema@.http_request) $$;
create function @extschema@.http_patch(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('PATCH', uri, null, content_type, content)::@extschema@.http_request) $$;
create function @extschema@.http_delete(uri varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('DELETE', uri, null, null, null)::@extschema@.http_request) $$;
create function @extschema@.http_delete(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('DELETE', uri, null, content_type, content)::@extschema@.http_request) $$;
create function @extschema@.http_head(uri varchar) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http(('HEAD', uri, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_header(field varchar, value varchar) returns @extschema@.http_header
  language sql immutable set search_path = pg_catalog
as $$ select (field, value)::@extschema@.http_header $$;

create function @extschema@.urlencode(string bytea) returns text
  language sql immutable strict set search_path = pg_catalog
as $$
  select coalesce(string_agg(
           case when byte in (45, 46, 95, 126) or byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 then chr(byte)
                when byte = 32 then '+' else '%' || upper(lpad(to_hex(byte), 2, '0')) end, '' order by place), '')
    from generate_series(0, length(string) - 1) as place, get_byte(string, place) as byte
$$;
create function @extschema@.urlencode(string varchar) returns text
  language sql immutable strict set search_path = pg_catalog
as $$ select @extschema@.urlencode(convert_to(string, 'UTF8')) $$;
create function @extschema@.urlencode(data jsonb) returns text
  language sql immutable strict set search_path = pg_catalog
as $$
  select string_agg(@extschema@.urlencode(one.key::varchar) || '=' || coalesce(@extschema@.urlencode(one.value::varchar), ''), '&')
    from jsonb_each_text(data) one
$$;

create function @extschema@.http_get(uri varchar, data jsonb) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http_get((uri || '?' || @extschema@.urlencode(data))::varchar) $$;
create function @extschema@.http_post(uri varchar, data jsonb) returns @extschema@.http_response
  language sql volatile set search_path = pg_catalog
as $$ select @extschema@.http_post(uri, @extschema@.urlencode(data)::varchar, 'application/x-www-form-urlencoded'::varchar) $$;

create function @extschema@.bytea_to_text(data bytea) returns text
  language sql immutable strict set search_path = pg_catalog
as $$ select convert_from(data, 'UTF8') $$;
create function @extschema@.text_to_bytea(data text) returns bytea
  language sql immutable strict set search_path = pg_catalog
as $$ select convert_to(data, 'UTF8') $$;

create function @extschema@.http_set_curlopt(curlopt varchar, value varchar) returns boolean
  language plpgsql volatile set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'The extension http sends no requests here, so they have no options.',
    hint = 'Use net.http_get or net.http_post, an edge function, or a Postgres that has http (--postgres-bin, DATABASE_URL).';
end
$$;
-- None can have been set.
create function @extschema@.http_reset_curlopt() returns boolean
  language sql volatile set search_path = pg_catalog
as $$ select true $$;
create function @extschema@.http_list_curlopt() returns table (curlopt text, value text)
  language sql stable set search_path = pg_catalog
as $$ select null::text, null::text where false $$;
