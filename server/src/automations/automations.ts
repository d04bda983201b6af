import type { AuthService } from '@holdfast/auth'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { isConnectionLoss, type Pool, type PoolShare, runAs, sqlstateOf } from '@holdfast/postgres'
import { type Claimed, QueueWorker, retrySql } from '@holdfast/queue'
import { ATTEMPTS_MAX, LOCK_MS, PRUNE_EVERY_MS, RETRY_MS, RUN_MS, RUNS_AT_ONCE, STATEMENT_MS } from './limits.ts'
import { RunRefused } from './perform-step.ts'
import { listMatches, performSteps, StepFailed } from './perform-steps.ts'
import { reasonOf } from './reason-of.ts'
import {
  AUTOMATION_QUEUE,
  type AutomationEvent,
  discard,
  expandSchedule,
  noteFailure,
  noteSkipped,
  prune,
  readAutomation,
  settleRun,
  startDue,
  type StoredAutomation,
} from './queue.ts'

export interface AutomationsOptions {
  /** Connected as the project's role; used only for the queue and the history of runs. */
  readonly pool: Pool
  /** Connections for steps, as users. */
  readonly share: PoolShare
  readonly claimsOf: AuthService['claimsOfUser']
  readonly logger: Logger
}

type Event = AutomationEvent & Claimed

/** Reasons after which an automation is switched off, because it would fail again or do too much. */
const PAUSING: ReadonlySet<string> = new Set([
  'automation.not_admin',
  'automation.no_account',
  'automation.too_many',
  'automation.workspace_too_many',
  'automation.loop',
  'automation.calls_wait',
  'automation.table',
  'automation.field',
  'access.field',
  'access.condition',
  'access.values',
])

/** SQLSTATEs of failures that may be over in a moment: serialization, deadlock, lock not available. */
const PASSING: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/**
 * Opens the worker that runs automations. The steps of a run and its end are one transaction of the automation's user, so they take effect once, whatever
 * happens to the server.
 */
export function openAutomations(options: AutomationsOptions): QueueWorker<AutomationEvent> {
  const { pool, share, claimsOf, logger } = options
  return new QueueWorker<AutomationEvent>({
    name: 'automations',
    pool,
    queue: AUTOMATION_QUEUE,
    logger,
    slots: RUNS_AT_ONCE,
    groupSlots: 1,
    prepare: () => startDue(pool),
    run: ([event], signal) => run(event, AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)])),
    prune: { afterMs: PRUNE_EVERY_MS, everyMs: PRUNE_EVERY_MS, run: () => prune(pool) },
  })

  async function run(event: Event, signal: AbortSignal): Promise<void> {
    if (event.skipped > 0) return noteSkipped(pool, event)
    try {
      const automation = await readAutomation(pool, event.automationId)
      const mayRun = automation && (automation.isOn || event.cause === 'again')
      if (!mayRun || (event.recordId === null && !automation.schedule)) return await discard(pool, event)
      if (!(await runAsUser(event, automation, signal))) await discard(pool, event)
    } catch (error) {
      await end(event, error)
    }
  }

  /** @returns whether there was something to do */
  async function runAsUser(event: Event, automation: StoredAutomation, signal: AbortSignal): Promise<boolean> {
    const { recordId } = event
    const isForEach = recordId === null && automation.schedule?.for === 'each'
    const claims = await claimsOf(automation.runsAs)
    if (!claims) throw new RunRefused('automation.no_account', 'The account of the user is gone.')
    const settings = {
      statement_timeout: `${STATEMENT_MS}ms`,
      lock_timeout: `${LOCK_MS}ms`,
      'holdfast.automation_chain': [...event.chain, ...(isForEach ? [] : [`${automation.id}/${recordId ?? ''}`])].join(
        ',',
      ),
    }
    const connections = share.for({ userKey: automation.runsAs, signal })
    return runAs(connections, { role: 'authenticated', claims, settings }, async (tx) => {
      if (isForEach) {
        await expandSchedule(tx, event, automation.version, await listMatches(tx, automation))
        return true
      }
      const performed = await performSteps(tx, automation, recordId)
      if (!performed && recordId === null) {
        await expandSchedule(tx, event, automation.version, { records: [], more: 0 })
        return true
      }
      if (!performed) return false
      await settleRun(tx, event, automation.version, performed)
      return true
    })
  }

  async function end(event: Event, error: unknown): Promise<void> {
    const cause: unknown = error instanceof StepFailed ? error.cause : error
    const reason = reasonOf(cause)
    if (reason === 'automation.lost') return
    const isPassing = reason === 'automation.changed' || isConnectionLoss(cause) || PASSING.has(sqlstateOf(cause) ?? '')
    const retryMs = RETRY_MS[event.attempts - 1]
    if (isPassing && event.attempts < ATTEMPTS_MAX && retryMs !== undefined) {
      await pool.execute(retrySql(AUTOMATION_QUEUE, [event], retryMs))
      return
    }
    logger.log('debug', 'an automation failed', { id: event.automationId, error: errorMessage(cause) })
    await noteFailure(pool, event, {
      reason,
      error: errorMessage(cause),
      steps: error instanceof StepFailed ? [...error.done, { kind: 'failed', place: error.place }] : [],
      pauses: PAUSING.has(reason),
    })
  }
}
