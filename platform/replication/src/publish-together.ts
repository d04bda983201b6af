import { sql, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { excludeGrants, runShortStep, type Deadline } from './short-step.ts'

/** Tables per transaction; their users wait some milliseconds until all are published. */
const TOGETHER_MAX = 16

export interface NewTables {
  readonly publication: string
  /** Unpublished plain tables. */
  readonly tables: readonly { readonly schema: string; readonly name: string }[]
  /** Called in each transaction before changes. */
  readonly begin: (tx: Transaction, tables: NewTables['tables']) => Promise<void>
  /** Shared with other steps. */
  readonly deadline: Deadline
}

/**
 * Sets the identity of many tables and publishes them in batches of one round trip each, because after a migration with ninety tables nothing is served until
 * all are published. Never waits for locks, so it cannot deadlock with users: locked or dropped tables are left to the single-table steps.
 *
 * @returns whether anything may have changed
 */
export async function publishTogether(
  pool: Pool,
  { publication, tables, begin, deadline }: NewTables,
): Promise<boolean> {
  let changed = false
  for (let at = 0; at < tables.length; at += TOGETHER_MAX) {
    const some = tables.slice(at, at + TOGETHER_MAX)
    const publish = async (tx: Transaction): Promise<void> => {
      await begin(tx, some)
      await excludeGrants(tx)
      const wanted = JSON.stringify({ publication, tables: some.map(({ schema, name }) => [schema, name]) })
      await tx.query(sql`select set_config('holdfast.publish_together', ${wanted}, true)`)
      await tx.execute(PUBLISH)
    }
    const outcome = await runShortStep(pool, publish, deadline)
    if (outcome.kind === 'busy') return changed
    changed = true
  }
  return changed
}

const PUBLISH: SqlFragment = sql`
  do $$
  declare
    wanted jsonb := current_setting('holdfast.publish_together')::jsonb;
    target text;
  begin
    for target in select format('%I.%I', t ->> 0, t ->> 1) from jsonb_array_elements(wanted -> 'tables') t loop
      begin
        execute 'lock table only ' || target || ' in access exclusive mode nowait';
        continue when exists (
          select from pg_catalog.pg_attribute a
           where a.attrelid = target::regclass and a.attgenerated = 'v' and not a.attisdropped);
        execute 'alter table only ' || target || ' replica identity full';
        execute format('alter publication %I add table only ', wanted ->> 'publication') || target;
      exception
        when lock_not_available or undefined_table or undefined_object or wrong_object_type or duplicate_object then
          null;
      end;
    end loop;
  end
  $$`
