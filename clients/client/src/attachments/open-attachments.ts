import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { Session } from '../session/session.ts'
import type { TokenSource } from '../session/token-source.ts'
import { pause as pauseFor } from '../pause.ts'
import type { Value } from '../value.ts'
import { createAttachments, type Attachments } from './attachments.ts'
import type { AttachmentsOptions } from './attachments-options.ts'
import { randomName } from './file-names.ts'
import { createFileTable } from './file-table.ts'
import { openGate } from './open-gate.ts'
import { runAsLeader } from './leader.ts'
import { leadTransfers } from './lead-transfers.ts'
import { CACHE_BYTES_MAX, REST_MS } from './limits.ts'
import type { BodySender } from './transfer/body-sender.ts'

export interface OpenAttachmentsOptions {
  readonly userId: string
  readonly url: string
  readonly anonKey: string
  readonly tokens: TokenSource
  readonly session: Session['state']
  readonly schema: Value<SchemaDescriptor>
  readonly fetch: typeof globalThis.fetch
  readonly bodies: BodySender
  /** Whether the user wants to sync. */
  readonly isWanted: () => boolean
  readonly now: () => number
  readonly random: () => number
  readonly onProblem: (error: unknown) => void
}

export interface OpenAttachments {
  readonly attachments: Attachments
  /** Call when {@link OpenAttachmentsOptions.isWanted} changes or the server becomes reachable. */
  wake(): void
  /** Stops transfers; they resume with the next start. */
  close(): Promise<void>
}

/** Opens one user's files and takes part in electing the tab that transfers them. */
export async function openAttachments(
  database: CommonPowerSyncDatabase,
  options: AttachmentsOptions,
  server: OpenAttachmentsOptions,
): Promise<OpenAttachments> {
  const { userId, now, random, onProblem } = server
  const table = createFileTable(database, { now, random })
  const store = await options.files(userId)
  const ended = new AbortController()
  const gate = await openGate(database, server, ended.signal)
  const { pause } = gate
  const { cacheBytesMax: limit = CACHE_BYTES_MAX } = options
  const cacheBytesMax = typeof limit === 'function' ? limit : () => limit
  const context = { database, table, store, options, cacheBytesMax, pause, now, onProblem }
  const lead = {
    ...context,
    endpoint: server,
    bucket: options.bucket,
    newName: randomName,
    begun: { sent: new Map(), fetched: new Map() },
    onSignInNeeded: gate.onSignInNeeded,
  }
  let reread = new AbortController()
  const leadOn = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      reread = new AbortController()
      const signal = AbortSignal.any([ended.signal, reread.signal])
      try {
        const rows = typeof options.rows === 'string' ? options.rows : options.rows(server.schema.get())
        await leadTransfers({ ...lead, rows }, signal)
      } catch (error) {
        // Retry later, for example on a full device, because no other tab would send these files.
        if (!signal.aborted) onProblem(error)
        await pauseFor(REST_MS, signal)
      }
    }
  }
  const leading = runAsLeader(`holdfast-files-${userId}`, ended.signal, leadOn).catch((error: unknown) => {
    if (!ended.signal.aborted) onProblem(error)
  })
  // The rows may come from a new table. Transfers in progress resume.
  const stopSchema = server.schema.subscribe(() => reread.abort(new Error('The tables have changed.')))
  globalThis.addEventListener?.('online', wake)

  return {
    attachments: createAttachments({ ...context, userId, remember: gate.remember }),
    wake,
    async close() {
      ended.abort(new Error('The files were closed.'))
      stopSchema()
      gate[Symbol.dispose]()
      globalThis.removeEventListener?.('online', wake)
      await leading
    },
  }

  function wake(): void {
    gate.judgeAgain()
    if (ended.signal.aborted || pause.get() !== undefined) return
    wakeWaiting().catch((error: unknown) => {
      if (!ended.signal.aborted) onProblem(error)
    })
  }

  /** Ends the retry delay of transfers that failed for network reasons, but not of refused ones. */
  async function wakeWaiting(): Promise<void> {
    for (const { id, problem, notBeforeMs } of await table.list()) {
      if (notBeforeMs > now() && problem?.code === 'network') await table.apply(id, { kind: 'woken' })
    }
  }
}
