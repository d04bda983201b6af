import type { RelationList, TableRelation } from '@holdfast/protocol'
import { FOREIGN_KEYS, sql, type Pool } from '@holdfast/postgres'
import { RELATIONS_MAX } from '../limits.ts'
import { readCatalog } from './read-table.ts'
import { isHiddenSchema } from './schemas.ts'

/** Lists the foreign keys between tables that the console shows. Those of partitions are left out, their table's stand for them. */
export async function listRelations(pool: Pool): Promise<RelationList> {
  const rows = await readCatalog(pool, (tx) =>
    tx.query<TableRelation>(sql`
      select fk.name::text as name, n.nspname::text as schema, c.relname::text as table, fk.columns,
             fk."targetSchema"::text as "targetSchema", fk."targetTable"::text as "targetTable", fk."targetColumns"
        from (${FOREIGN_KEYS}) fk
        join pg_catalog.pg_class c on c.oid = fk.relation
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where not c.relispartition
       order by 2, 3, 1`),
  )
  const shown = rows.filter(({ schema, targetSchema }) => !isHiddenSchema(schema) && !isHiddenSchema(targetSchema))
  return { relations: shown.slice(0, RELATIONS_MAX), isCut: shown.length > RELATIONS_MAX }
}
