import { isConnectionLoss, sql, type Transaction } from '@holdfast/postgres'
import { PG_HOOK_TIMEOUT_MS } from '../limits.ts'
import { hookFailed } from './errors.ts'
import type { HookTarget } from './hook-target.ts'

/**
 * Calls a function of the project within the transaction, so that what it writes ends with it.
 *
 * It runs as the owner of schema `auth`, and no longer than two seconds.
 *
 * @returns JSON as Postgres prints it, or `null`
 * @throws {HoldfastError} `unexpected_failure` when the function fails; the transaction is over then
 */
export async function runPostgresHook(
  tx: Transaction,
  target: Extract<HookTarget, { kind: 'postgres' }>,
  body: string,
): Promise<string | null> {
  const call = sql`select ${sql.identifier(target.schema, target.function)}(${body}::jsonb) as answer`.render()
  try {
    await tx.execute(sql`select set_config('statement_timeout', ${String(PG_HOOK_TIMEOUT_MS)}, true)`)
    // Whatever type the function returns, its text is what counts.
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
