import { errorMessage } from '@holdfast/foundation'
import { type Claimed, QueueWorker } from '@holdfast/queue'
import { type Attempt, type AutomationCallsOptions, failed, retried } from './call-attempt.ts'
import {
  type AutomationCall,
  CALL_QUEUE,
  type CallOutcome,
  type CallSubject,
  noteOutcome,
  readSubject,
  retryCall,
} from './call-queue.ts'
import { CALL_RENEW_MS, CALLS_AT_ONCE, CALLS_OF_WORKSPACE } from './limits.ts'
import { sendMails } from './mail-calls.ts'
import { runFunction, sendWebhook } from './web-calls.ts'

/** Opens the worker that sends mails and webhooks of automations and runs their functions: at least once, in the order of the steps of a run. */
export function openAutomationCalls(options: AutomationCallsOptions): QueueWorker<AutomationCall> {
  const { pool, logger } = options
  return new QueueWorker<AutomationCall>({
    name: 'calls of automations',
    pool,
    queue: CALL_QUEUE,
    logger,
    slots: CALLS_AT_ONCE,
    groupSlots: CALLS_OF_WORKSPACE,
    renewEveryMs: CALL_RENEW_MS,
    run: ([call], signal) => make(call, signal),
  })

  async function make(call: AutomationCall & Claimed, signal: AbortSignal): Promise<void> {
    const { attempts } = call
    const { outcome, retryMs, messages } = await attempt(call, signal)
    // After its lease another server makes the call again.
    if (signal.aborted && outcome.state !== 'done') return
    const note: CallOutcome = { status: null, answer: null, reason: null, error: null, ...outcome, attempts }
    await noteOutcome(pool, call, note, retryMs === undefined)
    if (retryMs !== undefined) await retryCall(pool, call, retryMs, messages)
  }

  async function attempt(call: AutomationCall & Claimed, signal: AbortSignal): Promise<Attempt> {
    try {
      const subject = await readSubject(pool, call)
      if (!subject) return failed('automation.gone')
      if (!subject.isOn) return failed('automation.switched_off')
      return await attemptKind(call, subject, signal)
    } catch (error) {
      logger.log('warn', 'a call of an automation failed', { id: call.id, error: errorMessage(error) })
      return retried(options, call, { reason: 'automation.failed', error: errorMessage(error) })
    }
  }

  function attemptKind(call: AutomationCall & Claimed, subject: CallSubject, signal: AbortSignal): Promise<Attempt> {
    const { request } = call
    switch (request.kind) {
      case 'mail':
        return sendMails(options, { call, request, subject })
      case 'webhook':
        return sendWebhook(options, { call, request, subject, signal })
      case 'function':
        return runFunction(options, { call, request, subject, signal })
    }
  }
}
