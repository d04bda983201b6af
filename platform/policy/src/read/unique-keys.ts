import { sql } from '@holdfast/postgres'

/** JSON of the `UniqueKey`s of the relation `c` of `pg_class`. */
export const UNIQUE_KEYS = sql`
  select coalesce(json_agg(k.key), '[]'::json)
    from (select json_build_object('name', ic.relname, 'primary', i.indisprimary, 'immediate', i.indimmediate,
                   'columns', json_agg(a.attname order by u.position)) as key
            from pg_catalog.pg_index i
            join pg_catalog.pg_class ic on ic.oid = i.indexrelid
            cross join unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) with ordinality u (attnum, position)
            join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = u.attnum
           where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
           group by ic.relname, i.indisprimary, i.indimmediate
          having bool_and(a.attnotnull)) k`
