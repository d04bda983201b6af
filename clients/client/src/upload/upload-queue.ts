import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { OperationVerdict, UploadResponse } from '@holdfast/protocol'
import type { AttentionVerdict } from '../attention/attention-item.ts'
import { holdBack, keepRejected } from '../attention/keep-rejected.ts'
import { retryDelayMs } from './backoff.ts'
import { classifyFailure, DOUBTFUL_ATTEMPTS_MAX, type UploadFailure } from './classify-failure.ts'
import type { LinksOf } from './depends-on.ts'
import type { PostUpload, UploadOutcome } from './post-upload.ts'
import { toQueuedTransaction, type QueuedTransaction } from './queued-transaction.ts'

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
  readonly linksOf: LinksOf
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

  return {
    wake() {
      if (trouble) trouble.notBeforeMs = 0
    },
    async upload(database) {
      const clientId = await database.getClientId()
      for (;;) {
        if (trouble && options.now() < trouble.notBeforeMs) throw new UploadPostponed('retry', trouble.message)
        const queued = await database.getNextCrudTransaction()
        if (!queued) return
        const transaction = toQueuedTransaction(queued)
        if (!(await holdBack(database, clientId, transaction, options.linksOf)))
          await sendOne(database, clientId, transaction)
        await queued.complete()
        trouble = undefined
      }
    },
  }

  /** Returns when the transaction may leave the queue. */
  async function sendOne(
    database: CommonPowerSyncDatabase,
    clientId: string,
    transaction: QueuedTransaction,
  ): Promise<void> {
    const outcome = await send(clientId, transaction)
    const verdict = outcome.kind === 'judged' ? judgedVerdict(outcome.response) : postpone(transaction, outcome.failure)
    if (!verdict) return
    await keepRejected(database, { clientId, transaction, verdict, at: new Date(options.now()).toISOString() })
    options.onRejected?.(verdict)
  }

  async function send(clientId: string, transaction: QueuedTransaction): Promise<UploadOutcome> {
    const request = { client_id: clientId, position: transaction.position, operations: transaction.operations }
    const token = await options.tokens.token()
    if (token === undefined) throw new UploadPostponed('sign_in', 'Nobody is signed in.')
    const outcome = await options.post(request, token)
    if (outcome.kind === 'judged' || classifyFailure(outcome.failure) !== 'sign_in') return outcome
    const fresh = await options.tokens.refreshedToken()
    if (fresh === undefined) throw new UploadPostponed('sign_in', outcome.failure.message)
    return options.post(request, fresh)
  }

  /**
   * Notes a failure.
   *
   * @returns a verdict once the server has refused the request too often
   * @throws {UploadPostponed} otherwise
   */
  function postpone(transaction: QueuedTransaction, failure: UploadFailure): AttentionVerdict {
    const kind = classifyFailure(failure)
    const before = trouble?.position === transaction.position ? trouble : undefined
    const attempts = (before?.attempts ?? 0) + 1
    const doubts = (before?.doubts ?? 0) + (kind === 'doubt' ? 1 : 0)
    if (doubts >= DOUBTFUL_ATTEMPTS_MAX) {
      const { status: httpStatus, code, message } = failure
      return { op_id: transaction.position, status: 'unexpected', httpStatus, code, message }
    }
    const notBeforeMs = options.now() + retryDelayMs(attempts, failure.retryAfterMs, options.random)
    trouble = { position: transaction.position, attempts, doubts, notBeforeMs, message: failure.message }
    throw new UploadPostponed(kind === 'sign_in' ? 'sign_in' : 'retry', failure.message)
  }
}

/** The verdict that goes to needs attention, or `undefined` when the transaction was applied. */
function judgedVerdict(response: UploadResponse): AttentionVerdict | undefined {
  if (response.status === 'applied') return undefined
  const reason = response.verdicts.find(isReason)
  return (
    reason ?? {
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
