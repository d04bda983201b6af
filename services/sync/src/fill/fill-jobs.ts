import type { TablePlan } from '@holdfast/policy'
import { sql, type Pool } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { Unfilled } from '../storage/fills.ts'
import type { Job } from './fill-turns.ts'

/** Lists jobs, small tables first. Definitions of a table with the same progress share a job. */
export async function listJobs(pool: Pool, active: ActivePlan, unfilled: Unfilled): Promise<readonly Job[]> {
  const jobs: Job[] = []
  for (const { table, definitions } of active.tables.values()) {
    const open = definitions.filter(({ stored }) => unfilled.has(stored.number))
    const groups = Map.groupBy(open, ({ stored }) => JSON.stringify(unfilled.get(stored.number)))
    for (const group of groups.values()) {
      const filledTo = unfilled.get(group[0]?.stored.number ?? 0) ?? null
      jobs.push({ table, definitions: new Set(group.map(({ stored }) => stored.number)), filledTo })
    }
  }
  const sizes = await pool.query<{ oid: string; pages: number }>(sql`
    select oid::int8::text as oid, relpages as pages from pg_catalog.pg_class
     where oid = any(${jobs.map((job) => job.table.oid)}::int8[]::oid[])
  `)
  const pages = new Map(sizes.map((row) => [Number(row.oid), row.pages]))
  return jobs.toSorted((left, right) => (pages.get(left.table.oid) ?? 0) - (pages.get(right.table.oid) ?? 0))
}

/** Returns the part of a plan that a job fills. */
export function planOf(active: ActivePlan, job: Job): ActivePlan {
  const entry = active.tables.get(job.table.oid)
  const definitions = (entry?.definitions ?? []).filter(({ stored }) => job.definitions.has(stored.number))
  return { ...active, tables: new Map([[job.table.oid, { table: job.table, definitions }]]) }
}

/** Returns the values of the table's key. */
export function keyOf(table: TablePlan, row: Tuple): readonly string[] {
  return table.key.columns.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? '')
}
