import { errorMessage } from '@holdfast/foundation'
import type { Advice } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { ACCESS_LINTS } from './access-lints.ts'
import { FUNCTION_LINTS } from './function-lints.ts'
import { INDEX_LINTS } from './index-lints.ts'
import { compareAdvice, type AdviceContext } from './lint.ts'
import { POLICY_LINTS } from './policy-lints.ts'
import { SERVER_LINTS } from './server-lints.ts'

const LINTS = [...ACCESS_LINTS, ...POLICY_LINTS, ...FUNCTION_LINTS, ...INDEX_LINTS, ...SERVER_LINTS]

/** Timeout in ms of a check's statement. */
const LINT_TIMEOUT_MS = 5_000

/** Findings of one check that are listed. A project with more has the same mistake everywhere. */
const FOUND_MAX = 100

/**
 * Checks the database and its settings for what slows it down, exposes data or stops sync. Reads the catalog only.
 *
 * @param pool - may read the catalog and `pg_stats`
 */
export async function advise(pool: Pool, context: AdviceContext): Promise<readonly Advice[]> {
  const advice: Advice[] = []
  for (const { name, level, category, find } of LINTS) {
    try {
      const found = await pool.transaction(async (tx) => {
        await tx.execute(sql`set transaction read only`)
        await tx.execute(sql`select set_config('statement_timeout', ${String(LINT_TIMEOUT_MS)}, true),
                                    set_config('search_path', '', true)`)
        return await find(tx, context)
      })
      advice.push(...found.slice(0, FOUND_MAX).map((one) => ({ name, level, category, ...one })))
      if (found.length > FOUND_MAX) advice.push(moreOf({ name, level, category }, found.length - FOUND_MAX))
    } catch (error) {
      // Other checks are still worth reading.
      advice.push({
        name,
        level: 'info',
        category,
        object: 'this check',
        text: `It could not run: ${errorMessage(error)}`,
        action: 'Run it again when the database is less busy.',
      })
    }
  }
  return advice.toSorted(compareAdvice)
}

function moreOf(lint: Pick<Advice, 'name' | 'level' | 'category'>, count: number): Advice {
  return {
    ...lint,
    object: `${count} more`,
    text: 'More objects have the same problem.',
    action: 'Start with those listed.',
  }
}
