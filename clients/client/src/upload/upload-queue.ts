import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { OperationVerdict, UploadResponse } from '@holdfast/protocol'
import type { AttentionVerdict } from '../attention/attention-item.ts'
import { holdBack, keepRejected } from '../attention/keep-rejected.ts'
import { rebaseItems } from '../attention/rebase-items.ts'
import { retryDelayMs } from './backoff.ts'
import { classifyFailure, DOUBTFUL_ATTEMPTS_MAX, type UploadFailure } from './classify-failure.ts'
import type { DependencyRules } from './depends-on.ts'
import { readBases, rememberBases, toSent, type UnplacedTransaction } from './guard-bases.ts'
import { BATCH_TRANSACTIONS_MAX, nextBatch, type QueuedBatch } from './next-batch.ts'
import type { PostUpload, UploadOutcome } from './post-upload.ts'
import type { QueuedTransaction } from './queued-transaction.ts'

/** Where uploads get tokens from. */
export interface TokenSource {
  /** @returns a token to try, or `undefined` when nobody is signed in. @throws when it cannot be known now */
  token(): Promise<string | undefined>
  /** A new token after the server refused the current one. `undefined`: the person has to sign in again. */
  refreshedToken(): Promise<string | undefined>
}

export interface UploadQueueOptions {
  readonly post: PostUpload
  readonly tokens: TokenSource
  readonly rules: DependencyRules
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly random: () => number
  /** Called with each verdict that goes to needs attention. */
  readonly onRejected?: (verdict: AttentionVerdict) => void
}

/** The upload did not happen now; the queue is as it was. `reason` tells what has to change. */
export class UploadPostponed extends Error {
  override readonly name = 'UploadPostponed'
  readonly reason: 'retry' | 'sign_in'

  constructor(reason: 'retry' | 'sign_in', message: string) {
    super(message)
    this.reason = reason
  }
}

export interface UploadQueue {
  /**
   * Sends the queued transactions of `database`, oldest first, until none is left. Each leaves the queue only when the server has applied it
   * or when it is kept in needs attention.
   *
   * @throws {UploadPostponed} to be called again later
   */
  upload(database: CommonPowerSyncDatabase): Promise<void>
  /** The server is reachable again: do not wait for the rest of a delay. */
  wake(): void
}

export function createUploadQueue(options: UploadQueueOptions): UploadQueue {
  /** Failures in a row of the transaction at `position`. */
  let trouble: { position: number; attempts: number; doubts: number; notBeforeMs: number; message: string } | undefined
  /** Up to this position transactions go up one by one, because the server would not take them together. */
  let aloneUntil = 0
  /** A request ends with the first refused transaction, so after a refusal few are sent, and then more again. */
  let transactionsMax = BATCH_TRANSACTIONS_MAX
  const { rules } = options

  return {
    wake() {
      if (trouble) trouble.notBeforeMs = 0
    },
    async upload(database) {
      const clientId = await database.getClientId()
      for (;;) {
        if (trouble && options.now() < trouble.notBeforeMs) throw new UploadPostponed('retry', trouble.message)
        const batch = await nextBatch(database, { clientId, rules, transactionsMax, aloneUntil })
        if (!batch) return
        const done = batch.isHeldBack ? await hold(database, clientId, batch) : await send(database, clientId, batch)
        if (done === 0) continue
        await batch.complete(done)
        trouble = undefined
      }
    },
  }

  /** The first transaction of the batch waits with the refused change that it depends on. */
  async function hold(database: CommonPowerSyncDatabase, clientId: string, batch: QueuedBatch): Promise<number> {
    // Kept as it would be sent now: what is known of its records is forgotten with the next checkpoint.
    const bases = await readBases(database)
    const change = { made: batch.first, sent: toSent(batch.first, bases, rules.guardOf), bases }
    // The item may have been decided since it was looked at; then it is sent.
    return (await holdBack(database, clientId, change, rules)) ? 1 : send(database, clientId, batch)
  }

  /** @returns how many transactions of the batch may leave the queue */
  async function send(database: CommonPowerSyncDatabase, clientId: string, batch: QueuedBatch): Promise<number> {
    const { transactions } = batch
    const bases = await readBases(database)
    const sent = transactions.map((transaction) => toSent(transaction, bases, rules.guardOf))
    const outcome = await post(clientId, sent)
    if (outcome.kind === 'failed') {
      if (transactions.length > 1 && isAboutRequest(outcome.failure)) {
        aloneUntil = transactions.at(-1)?.position ?? 0
        return 0
      }
      const verdict = postpone(batch.first, outcome.failure)
      await reject(database, clientId, { made: batch.first, sent: sent[0] ?? batch.first, bases }, verdict)
      return 1
    }
    const responses = outcome.responses.slice(0, transactions.length)
    const refusedAt = responses.findIndex(({ status }) => status === 'refused')
    const applied = refusedAt < 0 ? responses.length : refusedAt
    await rememberBases(database, transactions, responses.slice(0, applied), bases)
    await rebaseItems(database, sent, responses.slice(0, applied))
    const [made, refused] = [transactions[refusedAt], responses[refusedAt]]
    if (!made || !refused) {
      transactionsMax = Math.min(transactionsMax * 2, BATCH_TRANSACTIONS_MAX)
      return applied
    }
    transactionsMax = Math.min((applied + 1) * 2, BATCH_TRANSACTIONS_MAX)
    // What was applied before a refused one leaves the queue first: a person who decides about that one must not find it there.
    if (applied > 0) await batch.complete(applied)
    await reject(database, clientId, { made, sent: sent[refusedAt] ?? made, bases }, refusal(refused))
    return applied + 1
  }

  async function reject(
    database: CommonPowerSyncDatabase,
    clientId: string,
    change: UnplacedTransaction,
    verdict: AttentionVerdict,
  ): Promise<void> {
    await keepRejected(database, change, { clientId, verdict, at: new Date(options.now()).toISOString() })
    options.onRejected?.(verdict)
  }

  async function post(clientId: string, transactions: readonly QueuedTransaction[]): Promise<UploadOutcome> {
    const token = await options.tokens.token()
    if (token === undefined) throw new UploadPostponed('sign_in', 'Nobody is signed in.')
    const outcome = await options.post({ clientId, transactions }, token)
    if (outcome.kind === 'judged' || classifyFailure(outcome.failure) !== 'sign_in') return outcome
    const fresh = await options.tokens.refreshedToken()
    if (fresh === undefined) throw new UploadPostponed('sign_in', outcome.failure.message)
    return options.post({ clientId, transactions }, fresh)
  }

  /**
   * Notes a failure.
   *
   * @returns a verdict when it is too large, or once the server has refused the request too often
   * @throws {UploadPostponed} otherwise
   */
  function postpone(transaction: QueuedTransaction, failure: UploadFailure): AttentionVerdict {
    const kind = classifyFailure(failure)
    const before = trouble?.position === transaction.position ? trouble : undefined
    const attempts = (before?.attempts ?? 0) + 1
    const doubts = (before?.doubts ?? 0) + (kind === 'doubt' ? 1 : 0)
    if (kind === 'never' || doubts >= DOUBTFUL_ATTEMPTS_MAX) {
      const { status: httpStatus, code, message } = failure
      return { op_id: transaction.position, status: 'unexpected', httpStatus, code, message }
    }
    const notBeforeMs = options.now() + retryDelayMs(attempts, failure.retryAfterMs, options.random)
    trouble = { position: transaction.position, attempts, doubts, notBeforeMs, message: failure.message }
    throw new UploadPostponed(kind === 'sign_in' ? 'sign_in' : 'retry', failure.message)
  }
}

/** Whether a part of the request may fare better. */
function isAboutRequest(failure: UploadFailure): boolean {
  const kind = classifyFailure(failure)
  return kind === 'doubt' || kind === 'never'
}

/** The verdict of a refused transaction that goes to needs attention. */
function refusal(response: UploadResponse): AttentionVerdict {
  return (
    response.verdicts.find(isReason) ?? {
      op_id: response.verdicts[0]?.op_id ?? 0,
      status: 'unexpected',
      httpStatus: 200,
      code: undefined,
      message: 'The server refused the change without a reason.',
    }
  )
}

function isReason(
  verdict: OperationVerdict,
): verdict is Exclude<OperationVerdict, { status: 'applied' | 'not_reached' }> {
  return verdict.status !== 'applied' && verdict.status !== 'not_reached'
}
