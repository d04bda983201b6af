-- Public forms ask for places.

create or replace function holdfast.form_columns(table_name text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select a.attname::text from pg_attribute a
   where a.attrelid = to_regclass(format('public.%I', form_columns.table_name)) and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
     and a.attname not in ('id', 'created_by', 'created_at', 'updated_at')
     and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bool'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype,
                        'float4'::regtype, 'float8'::regtype, 'date'::regtype, 'timestamptz'::regtype, 'point'::regtype)
     and not exists (select from pg_constraint c where c.conrelid = a.attrelid and c.contype = 'f' and a.attnum = any (c.conkey))
$$;
