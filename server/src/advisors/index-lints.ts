import { sql } from '@holdfast/postgres'
import { OF_NO_EXTENSION, OF_PROJECT, type Lint } from './lint.ts'

/** Rows below which a missing or unused index does not matter. */
const SMALL_TABLE_ROWS = 1_000

/** Days of statistics before an index counts as unused. */
const UNUSED_DAYS = 7

/** Indexes that are missing or do no good. */
export const INDEX_LINTS: readonly Lint[] = [
  {
    name: 'unindexed_foreign_keys',
    level: 'info',
    category: 'performance',
    async find(db) {
      const rows = await db.query<{ table: string; constraint: string; columns: string; rows: number }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as table, k.conname as constraint, greatest(c.reltuples, 0)::float8 as rows,
               (select string_agg(pg_catalog.quote_ident(a.attname), ', ' order by o.position)
                  from unnest(k.conkey) with ordinality o (attnum, position)
                  join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = o.attnum) as columns
          from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where k.contype = 'f' and k.conparentid = 0 and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           and not exists (
             select from pg_catalog.pg_index i
              where i.indrelid = k.conrelid and i.indisvalid and i.indpred is null
                and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)
         order by c.reltuples desc, 1, 2`)
      return rows.map(({ table, constraint, columns, rows: count }) => ({
        object: `${table}.${constraint}`,
        text: `No index covers ${columns}, so deleting a referenced row reads ${count < SMALL_TABLE_ROWS ? 'the whole table' : `about ${Math.round(count).toLocaleString('en')} rows`}.`,
        action: 'Add an index if the table grows.',
        sql: `create index concurrently on ${table} (${columns});`,
      }))
    },
  },
  {
    name: 'unused_index',
    level: 'info',
    category: 'performance',
    async find(db) {
      const rows = await db.query<{ index: string; table: string; bytes: number; days: number }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, ic.relname) as index, pg_catalog.format('%I.%I', n.nspname, c.relname) as table,
               pg_catalog.pg_relation_size(ic.oid)::float8 as bytes, age.days
          from pg_catalog.pg_index i join pg_catalog.pg_class ic on ic.oid = i.indexrelid
          join pg_catalog.pg_class c on c.oid = i.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          join pg_catalog.pg_stat_user_indexes s on s.indexrelid = i.indexrelid
         cross join (select extract(epoch from now() - coalesce(stats_reset, pg_catalog.pg_postmaster_start_time())) / 86400 as days
                       from pg_catalog.pg_stat_database where datname = pg_catalog.current_database()) age
         where s.idx_scan = 0 and not i.indisunique and not i.indisprimary and not i.indisexclusion and c.reltuples >= ${SMALL_TABLE_ROWS}
           and age.days >= ${UNUSED_DAYS} and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           -- Deleting a referenced row needs it, which may not have happened yet.
           and not exists (select from pg_catalog.pg_constraint k
                            where k.contype = 'f' and k.conrelid = c.oid and k.conkey[1] = i.indkey[0])
         order by 3 desc, 1`)
      return rows.map(({ index, table, bytes, days }) => ({
        object: index,
        text: `No query has used it for ${Math.floor(days)} days. Each write to ${table} maintains it, and it takes ${Math.round(bytes / 1024).toLocaleString('en')} KB.`,
        action: 'Drop it, unless a rare report needs it.',
        sql: `drop index concurrently ${index};`,
      }))
    },
  },
  {
    name: 'duplicate_index',
    level: 'warning',
    category: 'performance',
    async find(db) {
      const rows = await db.query<{ table: string; kept: string; dropped: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as table, pg_catalog.format('%I.%I', n.nspname, kc.relname) as kept,
               pg_catalog.format('%I.%I', n.nspname, dc.relname) as dropped
          from pg_catalog.pg_index d
          join pg_catalog.pg_index k on k.indrelid = d.indrelid and k.indexrelid <> d.indexrelid
           and k.indkey = d.indkey and k.indclass = d.indclass and k.indcollation = d.indcollation and k.indoption = d.indoption
           and k.indnkeyatts = d.indnkeyatts
           and coalesce(pg_catalog.pg_get_expr(k.indexprs, k.indrelid), '') = coalesce(pg_catalog.pg_get_expr(d.indexprs, d.indrelid), '')
           and coalesce(pg_catalog.pg_get_expr(k.indpred, k.indrelid), '') = coalesce(pg_catalog.pg_get_expr(d.indpred, d.indrelid), '')
          join pg_catalog.pg_class dc on dc.oid = d.indexrelid join pg_catalog.pg_class kc on kc.oid = k.indexrelid and kc.relam = dc.relam
          join pg_catalog.pg_class c on c.oid = d.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where not d.indisunique and not d.indisreplident and k.indisvalid and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           and (k.indisunique or k.indexrelid < d.indexrelid)
         order by 1, 3`)
      return rows.map(({ table, kept, dropped }) => ({
        object: dropped,
        text: `It indexes the same columns of ${table} as ${kept}.`,
        action: 'Drop one of them.',
        sql: `drop index concurrently ${dropped};`,
      }))
    },
  },
  {
    name: 'invalid_index',
    level: 'warning',
    category: 'performance',
    async find(db) {
      const rows = await db.query<{ index: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, ic.relname) as index
          from pg_catalog.pg_index i join pg_catalog.pg_class ic on ic.oid = i.indexrelid
          join pg_catalog.pg_class c on c.oid = i.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where not i.indisvalid and ${OF_PROJECT}
           and not exists (select from pg_catalog.pg_stat_progress_create_index b where b.index_relid = i.indexrelid)
         order by 1`)
      return rows.map(({ index }) => ({
        object: index,
        text: 'Creating it failed, so no query uses it and each write maintains it.',
        action: 'Create it again.',
        sql: `reindex index concurrently ${index};`,
      }))
    },
  },
  {
    name: 'no_primary_key',
    level: 'info',
    category: 'sync',
    async find(db) {
      const rows = await db.query<{ table: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as table
          from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and not c.relispartition and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           and not exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary)
         order by 1`)
      return rows.map(({ table }) => ({
        object: table,
        text: 'It has no primary key, so it does not sync and its rows cannot be changed one by one.',
        action: 'Add one.',
        sql: `alter table ${table} add column id uuid primary key default gen_random_uuid();`,
      }))
    },
  },
]
