import { errorMessage, type Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Pool } from '@holdfast/postgres'
import { QUIET_COMPILE_MAX_MS } from '../limits.ts'

/**
 * Prefix of the message before the one of a change of the schema, when it changes nothing of what anybody sees: the oids of the tables that it concerns, with
 * commas (`0075_quiet_changes.sql`).
 */
export const QUIET_PREFIX = 'holdfast:quiet'

/** Whether a plan follows none of the tables in a message with {@link QUIET_PREFIX}. */
export function followsNone(plan: SyncPlan, message: string): boolean {
  const oids = new Set(message === '' ? [] : message.split(',').map(Number))
  return !plan.tables.some(
    (table) =>
      oids.has(table.oid) ||
      table.definitions.some(({ dependencies }) => dependencies.some(({ oid }) => oids.has(oid))),
  )
}

export interface QuietChangesOptions {
  readonly pool: Pool
  /** Of the message that has the plan compiled. */
  readonly prefix: string
  /** How long after the last change, in milliseconds. */
  readonly waitMs: number
  readonly logger: Logger
}

/** Has policies compiled after quiet changes. */
export interface QuietChanges extends Disposable {
  /** A transaction with quiet changes has passed. */
  passed(): void
}

/**
 * Nothing waits for quiet changes, but what operators are told of tables has to become true: a moment after the last of them the plan is compiled again, as after
 * any other change.
 */
export function watchQuietChanges({ pool, prefix, waitMs, logger }: QuietChangesOptions): QuietChanges {
  let timer: NodeJS.Timeout | undefined
  let sinceMs: number | undefined

  async function announce(): Promise<void> {
    sinceMs = undefined
    try {
      await pool.query(sql`select pg_logical_emit_message(true, ${prefix}, 'quiet')`)
    } catch (error) {
      logger.log('debug', 'quiet changes of the schema could not be announced', { reason: errorMessage(error) })
    }
  }

  return {
    passed() {
      const now = performance.now()
      sinceMs ??= now
      clearTimeout(timer)
      const leftMs = Math.max(0, sinceMs + Math.max(QUIET_COMPILE_MAX_MS, waitMs) - now)
      timer = setTimeout(() => void announce(), Math.min(waitMs, leftMs))
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
