import { parseAutomation } from '@holdfast/protocol'
import { type Connections, runAs, type Session, sql } from '@holdfast/postgres'
import { reasonOf } from './reason-of.ts'
import { LOCK_MS, STATEMENT_MS } from './limits.ts'
import type { StepResult } from './perform-step.ts'
import { performSteps, StepFailed } from './perform-steps.ts'

/** What an automation would do for a record. */
export interface Tried {
  /** Whether the record meets the conditions. */
  readonly matches: boolean
  readonly steps: readonly StepResult[]
  /** Why a step would fail: its place from 0, a code, and what the database says. */
  readonly failure?: { readonly place: number; readonly reason: string; readonly error: string }
}

/** Carries the outcome out of a transaction that is rolled back. */
class RolledBack extends Error {
  readonly outcome: Tried

  constructor(outcome: Tried) {
    super('Rolled back.')
    this.name = 'RolledBack'
    this.outcome = outcome
  }
}

/**
 * Does the steps of an automation for a record in a transaction that is rolled back.
 *
 * @param caller - an owner or admin of the workspace, whose rights apply
 * @throws errors of `holdfast.check_automation`, with its hints
 */
export async function tryAutomation(
  connections: Connections,
  caller: Session,
  asked: {
    readonly workspace: string
    readonly config: unknown /** `null` for one that runs once. */
    readonly record: string | null
  },
): Promise<Tried> {
  const settings = { statement_timeout: `${STATEMENT_MS}ms`, lock_timeout: `${LOCK_MS}ms` }
  const given = JSON.stringify(asked.config ?? null)
  try {
    return await runAs(connections, { ...caller, settings }, async (tx) => {
      const [checked] = await tx.query<{ conditions: string | null; timeZone: string }>(sql`
        select conditions, time_zone as "timeZone" from holdfast.check_automation(${asked.workspace}::uuid, ${given}::jsonb)`)
      const config = parseAutomation(asked.config)
      if (!checked || !config) return { matches: false, steps: [] }
      const automation = { ...checked, workspaceId: asked.workspace, table: config.when.table, steps: config.do }
      const isOnce = config.when.kind === 'schedule' && config.when.for === 'once'
      if (!isOnce && asked.record === null) return { matches: false, steps: [] }
      const performed = await performSteps(tx, automation, isOnce ? null : asked.record)
      throw new RolledBack({ matches: performed !== undefined, steps: performed?.steps ?? [] })
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome
    if (!(error instanceof StepFailed)) throw error
    const { place, done, cause } = error
    const failure = { place, reason: reasonOf(cause), error: cause instanceof Error ? cause.message : String(cause) }
    return { matches: true, steps: done, failure }
  }
}
