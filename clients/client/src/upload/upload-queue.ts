import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { OperationVerdict, UploadResponse } from '@holdfast/protocol'
import type { TokenSource } from '../session/token-source.ts'
import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import { holdBack, keepRejected } from '../attention/keep-rejected.ts'
import { rebaseItems } from '../attention/rebase-items.ts'
import { classifyFailure, type UploadFailure } from './classify-failure.ts'
import type { DependencyRules } from '../queue/depends-on.ts'
import { readBases, rememberBases, toSent, type UnplacedTransaction } from '../queue/guard-bases.ts'
import { steadyClock } from '../steady-clock.ts'
import { afterApplied, afterCut, afterRefused, LARGEST_BATCH } from './batch-size.ts'
import { nextBatch, type QueuedBatch } from './next-batch.ts'
import type { PostUpload, UploadOutcome } from './post-upload.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { noteFailure, type Trouble } from './trouble.ts'

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

/** The upload was postponed; the queue is unchanged. `reason` tells what must change. */
export class UploadPostponed extends Error {
  override readonly name = 'UploadPostponed'
  readonly reason: 'retry' | 'sign_in'

  constructor(reason: 'retry' | 'sign_in', message: string) {
    super(message)
    this.reason = reason
  }
}

/** A rejected or held change. */
type Change = UnplacedTransaction

/** The database being uploaded, and its device. */
interface Device {
  readonly database: CommonPowerSyncDatabase
  readonly clientId: string
}

export class UploadQueue {
  readonly #options: UploadQueueOptions
  readonly #now: () => number
  /** Consecutive failures of the first transaction. */
  #trouble: Trouble | undefined
  /** Transactions up to this position are sent individually, because the server refused them together. */
  #aloneUntil = 0
  #size = LARGEST_BATCH

  constructor(options: UploadQueueOptions) {
    this.#options = options
    this.#now = steadyClock(options.now)
  }

  /** Ends a running delay because the server is reachable again. */
  wake(): void {
    if (this.#trouble) this.#trouble = { ...this.#trouble, notBeforeMs: 0 }
  }

  /**
   * Uploads the queued transactions of `database`, oldest first. Each leaves the queue only when applied by the server or stored in needs attention.
   *
   * @throws {UploadPostponed} to be called again later
   */
  async upload(database: CommonPowerSyncDatabase): Promise<void> {
    const { rules } = this.#options
    const device = { database, clientId: await database.getClientId() }
    for (;;) {
      const trouble = this.#trouble
      if (trouble && this.#now() < trouble.notBeforeMs) throw new UploadPostponed('retry', trouble.message)
      const batch = await nextBatch(database, {
        clientId: device.clientId,
        rules,
        transactionsMax: this.#size.max,
        aloneUntil: this.#aloneUntil,
      })
      if (!batch) return
      const done = batch.isHeldBack ? await this.#hold(device, batch) : await this.#send(device, batch)
      if (done === 0) continue
      await batch.complete(done)
      this.#trouble = undefined
    }
  }

  /** Holds the batch's first transaction with the rejected change it depends on. */
  async #hold(device: Device, batch: QueuedBatch): Promise<number> {
    const { rules } = this.#options
    // Stored as it would be sent now, because the next checkpoint deletes its bases.
    const bases = await readBases(device.database, batch.first.operations)
    const change = { made: batch.first, sent: toSent(batch.first, bases, rules.guardOf), bases }
    // If the item has been decided meanwhile, send it.
    return (await holdBack(device.database, device.clientId, change, rules)) ? 1 : this.#send(device, batch)
  }

  /** @returns how many transactions of the batch may leave the queue */
  async #send(device: Device, batch: QueuedBatch): Promise<number> {
    const { database } = device
    const { transactions } = batch
    const bases = await readBases(
      database,
      transactions.flatMap(({ operations }) => operations),
    )
    const sent = transactions.map((transaction) => toSent(transaction, bases, this.#options.rules.guardOf))
    const beganMs = this.#now()
    const outcome = await this.#post(device.clientId, sent)
    if (outcome.kind === 'failed') {
      const { failure } = outcome
      if (!failure.fromServer) this.#size = afterCut(this.#size, sent.length, this.#now() - beganMs)
      const change = { made: batch.first, sent: sent[0] ?? batch.first, bases }
      return this.#afterFailure(device, batch, change, failure)
    }
    const responses = outcome.responses.slice(0, transactions.length)
    const refusedAt = responses.findIndex(({ status }) => status === 'refused')
    const applied = refusedAt < 0 ? responses.length : refusedAt
    await rememberBases(database, transactions, responses.slice(0, applied), bases)
    await rebaseItems(database, sent, responses.slice(0, applied))
    const [made, refused] = [transactions[refusedAt], responses[refusedAt]]
    if (!made || !refused) {
      this.#size = afterApplied(this.#size)
      return applied
    }
    this.#size = afterRefused(this.#size, applied)
    // Remove applied transactions before the user can decide about the rejected one.
    if (applied > 0) await batch.complete(applied)
    await this.#reject(device, { made, sent: sent[refusedAt] ?? made, bases }, refusal(refused))
    return applied + 1
  }

  /**
   * @returns 0 to continue with smaller batches, 1 if the first went to needs attention
   * @throws {UploadPostponed} to be called again later
   */
  async #afterFailure(device: Device, batch: QueuedBatch, change: Change, failure: UploadFailure): Promise<number> {
    const { transactions, first } = batch
    if (transactions.length > 1 && isAboutRequest(failure)) {
      this.#aloneUntil = transactions.at(-1)?.position ?? 0
      return 0
    }
    const outcome = noteFailure(this.#trouble, first.position, failure, {
      now: this.#now,
      random: this.#options.random,
    })
    if (outcome.kind === 'postponed') {
      this.#trouble = outcome.trouble
      throw new UploadPostponed(outcome.reason, failure.message)
    }
    await this.#reject(device, change, outcome.verdict)
    return 1
  }

  async #reject({ database, clientId }: Device, change: Change, verdict: AttentionVerdict): Promise<void> {
    const { now, onRejected } = this.#options
    await keepRejected(database, change, { clientId, verdict, at: new Date(now()).toISOString() })
    onRejected?.(verdict)
  }

  async #post(clientId: string, transactions: readonly QueuedTransaction[]): Promise<UploadOutcome> {
    const { tokens, post } = this.#options
    const token = await tokens.token()
    if (token === undefined) throw new UploadPostponed('sign_in', 'No user is signed in.')
    const outcome = await post({ clientId, transactions }, token)
    if (outcome.kind === 'judged' || classifyFailure(outcome.failure) !== 'sign_in') return outcome
    const fresh = await tokens.refreshedToken()
    if (fresh === undefined) throw new UploadPostponed('sign_in', outcome.failure.message)
    return post({ clientId, transactions }, fresh)
  }
}

/** Whether a part of the request may succeed. */
function isAboutRequest(failure: UploadFailure): boolean {
  const kind = classifyFailure(failure)
  return kind === 'doubt' || kind === 'never'
}

/** Returns the verdict for needs attention. */
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
