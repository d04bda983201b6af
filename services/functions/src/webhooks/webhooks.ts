import type { Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { type Claimed, QueueWorker } from '@holdfast/queue'
import {
  DRAIN_MS,
  MEASURE_EVERY_MS,
  MEASURE_REST,
  PRUNE_AFTER_MS,
  PRUNE_EVERY_MS,
  RECEIVER_SHARE,
  RETRY_FACTOR,
  RETRY_FIRST_MS,
  RETRY_LONGEST_MS,
  WAITING_BYTES_MAX,
} from './limits.ts'
import type { WebhooksOptions } from './options.ts'
import { isOurs, measure, prune, type QueuedRequest, record, WEBHOOK_QUEUE } from './queue.ts'
import type { AddressPolicy } from './address-policy.ts'
import { createSend, type Outcome } from './send.ts'

export interface OpenWebhooksOptions {
  /** Connected as the superuser, or as the configured user. */
  readonly pool: Pool
  readonly addressPolicy: AddressPolicy
  readonly options: WebhooksOptions
  readonly logger: Logger
}

/** Statuses of temporarily unavailable receivers. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Opens the worker that sends database webhooks concurrently and at least once. Each receiver may use a limited share of the connections. A table or role with
 * too many waiting requests or bytes is marked in the database, and further calls are refused.
 */
export function openWebhooks({
  pool,
  addressPolicy,
  options,
  logger,
}: OpenWebhooksOptions): QueueWorker<QueuedRequest> {
  const send = createSend(addressPolicy)
  const slots = options.webhooksEnabled ? options.webhooksConnectionsMax : 0
  /** By `performance.now()`. */
  let measureAtMs = 0
  return new QueueWorker<QueuedRequest>({
    name: 'webhooks',
    pool,
    queue: WEBHOOK_QUEUE,
    logger,
    slots,
    groupSlots: Math.max(1, Math.floor(slots / RECEIVER_SHARE)),
    run: ([request], signal) => deliver(request, signal),
    isServed: () => isOurs(pool),
    prepare: measureInTurn,
    prune: {
      afterMs: PRUNE_AFTER_MS,
      everyMs: PRUNE_EVERY_MS,
      run: () => prune(pool, options.webhooksResponsesKeptHours),
    },
    drainMs: DRAIN_MS,
  })

  /** @returns milliseconds until the next measurement is due, if the last one was recent */
  async function measureInTurn(): Promise<number | undefined> {
    const startMs = performance.now()
    if (startMs < measureAtMs) return measureAtMs - startMs
    const full = await measure(pool, { requests: options.webhooksWaitingMax, bytes: WAITING_BYTES_MAX })
    const endMs = performance.now()
    measureAtMs = endMs + Math.max(MEASURE_EVERY_MS, (endMs - startMs) * MEASURE_REST)
    if (full.length > 0)
      logger.log('warn', 'webhooks are refused: too many wait to be sent. net.holdfast_full says how many', {
        of: full.join(', '),
      })
    return undefined
  }

  async function deliver(request: QueuedRequest & Claimed, signal: AbortSignal): Promise<void> {
    const outcome = await send(request, signal)
    // The request is resent after its lease expires.
    if (signal.aborted && outcome.kind === 'failed') return
    const retryMs = retryMsOf(request, outcome, options.webhooksAttemptsMax)
    if (retryMs === undefined && outcome.kind === 'failed')
      logger.log('warn', 'a webhook was given up: net._http_response says why', {
        id: request.id,
        attempts: request.attempt,
      })
    await record(pool, request, outcome, retryMs)
  }
}

function retryMsOf({ attempt }: QueuedRequest, outcome: Outcome, attemptsMax: number): number | undefined {
  const isDone = outcome.kind === 'answered' ? !RETRIED_STATUSES.has(outcome.status) : outcome.isFinal
  if (isDone || attempt >= attemptsMax) return undefined
  return Math.min(RETRY_FIRST_MS * RETRY_FACTOR ** (attempt - 1), RETRY_LONGEST_MS)
}
