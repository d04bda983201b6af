import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Session } from '../session/session.ts'
import type { TokenSource } from '../upload/upload-queue.ts'
import { createValue } from '../value.ts'
import { createAttachments, type Attachments } from './attachments.ts'
import type { AttachmentsOptions } from './attachments-options.ts'
import { randomName } from './file-names.ts'
import { createFileTable } from './file-table.ts'
import { judgeGate, watchMetered, type TransferPause } from './gate.ts'
import { runAsLeader } from './leader.ts'
import { leadTransfers } from './lead-transfers.ts'
import { CACHE_BYTES_MAX } from './limits.ts'

export interface OpenAttachmentsOptions {
  readonly userId: string
  readonly url: string
  readonly anonKey: string
  readonly tokens: TokenSource
  readonly session: Session['state']
  readonly fetch: typeof globalThis.fetch
  /** The person wants to sync. */
  readonly isWanted: () => boolean
  readonly now: () => number
  readonly random: () => number
  readonly onProblem: (error: unknown) => void
}

export interface OpenAttachments {
  readonly attachments: Attachments
  /** Something has changed of what {@link OpenAttachmentsOptions.isWanted} says, or the server can be reached again. */
  wake(): void
  /** Ends transfers; what is under way goes on with the next start. */
  close(options: { readonly wipe: boolean }): Promise<void>
}

/** Settings of this device in `hf_local_settings`. */
const SETTINGS = { paused: 'files_paused', metered: 'files_use_metered' } as const
const SETTINGS_SQL = `select id, value from hf_local_settings where id in ('${SETTINGS.paused}', '${SETTINGS.metered}')`

interface SettingRow {
  readonly id: string
  readonly value: string
}

function readSettings(rows: readonly SettingRow[]): { readonly paused: boolean; readonly metered: boolean } {
  const isOn = (setting: string): boolean => rows.some(({ id, value }) => id === setting && value === '1')
  return { paused: isOn(SETTINGS.paused), metered: isOn(SETTINGS.metered) }
}

/** Opens one person's files, and takes part in who of the tabs transfers them. */
export async function openAttachments(
  database: CommonPowerSyncDatabase,
  options: AttachmentsOptions,
  { userId, now, random, onProblem, ...server }: OpenAttachmentsOptions,
): Promise<OpenAttachments> {
  const table = createFileTable(database, { now, random })
  const store = await options.files(userId)
  const ended = new AbortController()
  const metered = watchMetered()
  // Read before anything is sent: what a person has paused stays so.
  let settings = readSettings(await database.getAll<SettingRow>(SETTINGS_SQL))
  let needsSignIn = false
  const pause = createValue<TransferPause>(judge())
  const cacheBytesMax = options.cacheBytesMax ?? CACHE_BYTES_MAX
  const stopSession = server.session.subscribe(() => {
    needsSignIn = false
    judgeAgain()
  })
  const stopMetered = metered.subscribe(judgeAgain)
  globalThis.addEventListener?.('online', wake)
  globalThis.addEventListener?.('offline', judgeAgain)
  database.watchWithCallback(
    SETTINGS_SQL,
    [],
    {
      onResult: ({ rows }) => {
        settings = readSettings((rows?._array ?? []) as readonly SettingRow[])
        judgeAgain()
      },
      onError: onProblem,
    },
    { signal: ended.signal },
  )
  const context = { database, table, store, options, cacheBytesMax, pause, now }
  const leading = runAsLeader(`holdfast-files-${userId}`, ended.signal, () =>
    leadTransfers(
      {
        ...context,
        endpoint: server,
        bucket: options.bucket,
        rows: options.rows,
        newName: randomName,
        onProblem,
        onSignInNeeded: () => {
          needsSignIn = true
          judgeAgain()
        },
      },
      ended.signal,
    ),
  ).catch((error: unknown) => {
    if (!ended.signal.aborted) onProblem(error)
  })

  return {
    attachments: createAttachments({
      ...context,
      userId,
      remember: async (setting, isOn) => {
        const values = [SETTINGS[setting], isOn ? '1' : '0']
        await database.execute('insert or replace into hf_local_settings (id, value) values (?, ?)', values)
      },
    }),
    wake,
    async close({ wipe }) {
      ended.abort(new Error('The files were closed.'))
      stopSession()
      stopMetered()
      metered[Symbol.dispose]()
      globalThis.removeEventListener?.('online', wake)
      globalThis.removeEventListener?.('offline', judgeAgain)
      await leading
      if (wipe) await store.clear()
    },
  }

  /** What only waits for the network need not wait for the rest of its delay. What the server has refused does. */
  function wake(): void {
    judgeAgain()
    if (ended.signal.aborted || pause.get() !== undefined) return
    void (async () => {
      for (const { id, problem, notBeforeMs } of await table.list()) {
        if (notBeforeMs > now() && problem?.code === 'network') await table.apply(id, { kind: 'woken' })
      }
    })().catch((error: unknown) => {
      if (!ended.signal.aborted) onProblem(error)
    })
  }

  function judgeAgain(): void {
    if (!ended.signal.aborted) pause.set(judge())
  }

  function judge(): TransferPause {
    return judgeGate({
      isPausedByPerson: settings.paused,
      usesMetered: settings.metered,
      isMetered: metered.get(),
      isOffline: globalThis.navigator?.onLine === false,
      needsSignIn: needsSignIn || server.session.get().kind !== 'active',
      isWanted: server.isWanted(),
    })
  }
}
