import { isConnectionLoss, sql, type Transaction } from '@holdfast/postgres'
import { PG_HOOK_TIMEOUT_MS } from '../limits.ts'
import { hookFailed } from './errors.ts'
import type { HookTarget } from './hook-target.ts'

/**
 * Calls a project's function within the transaction, so that its writes are rolled back with it.
 *
 * Runs as the owner of schema `auth`, for at most two seconds.
 *
 * @returns JSON as Postgres prints it, or `null`
 * @throws {HoldfastError} `unexpected_failure` if the function fails; the transaction is then aborted
 */
export async function runPostgresHook(
  tx: Transaction,
  target: Extract<HookTarget, { kind: 'postgres' }>,
  body: string,
): Promise<string | null> {
  const call = sql`select ${sql.identifier(target.schema, target.function)}(${body}::jsonb) as answer`.render()
  try {
    await tx.execute(sql`select set_config('statement_timeout', ${String(PG_HOOK_TIMEOUT_MS)}, true)`)
    // Uses the text of the result, whatever its type.
    const { rows } = await tx.client.query<{ answer: string | null }>({
      text: call.text,
      values: [...call.values],
      types: { getTypeParser: () => (value: string) => value },
    })
    await tx.execute(sql`set local statement_timeout to default`)
    return rows[0]?.answer ?? null
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    throw hookFailed(`Error running hook URI: ${target.uri}`, error)
  }
}
