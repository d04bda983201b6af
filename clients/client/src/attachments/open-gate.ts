import type { CommonPowerSyncDatabase } from '@powersync/common'
import { batchedReads } from '../reads/batched-reads.ts'
import { liveQuery } from '../reads/live-query.ts'
import type { Session } from '../session/session.ts'
import { createValue, type Value } from '../value.ts'
import { judgeGate, watchMetered, type TransferPause } from './gate.ts'

export interface Gate extends Disposable {
  readonly pause: Value<TransferPause>
  /** Call when a condition that the gate does not observe has changed. */
  judgeAgain(): void
  /** Call when the session has ended; the gate reopens with the next session. */
  onSignInNeeded(): void
  /** Persists a setting for all tabs and later starts. */
  remember(setting: keyof typeof SETTINGS, isOn: boolean): Promise<void>
}

export interface GateOptions {
  readonly session: Session['state']
  /** Whether the user wants to sync. */
  readonly isWanted: () => boolean
  readonly onProblem: (error: unknown) => void
}

/** Settings of this device in `hf_local_settings`. */
const SETTINGS = { paused: 'files_paused', metered: 'files_use_metered' } as const
const SETTINGS_SQL = `select id, value from hf_local_settings where id in ('${SETTINGS.paused}', '${SETTINGS.metered}')`

interface SettingRow {
  readonly id: string
  readonly value: string
}

/** Observes whether transfers are allowed. */
export async function openGate(
  database: CommonPowerSyncDatabase,
  { session, isWanted, onProblem }: GateOptions,
  signal: AbortSignal,
): Promise<Gate> {
  // Read before anything is sent, to honor a persisted pause.
  let settings = readSettings(await batchedReads(database).getAll<SettingRow>(SETTINGS_SQL))
  let needsSignIn = false
  const metered = watchMetered()
  const pause = createValue<TransferPause>(judge())
  const stopMetered = metered.subscribe(judgeAgain)
  const stopSession = session.subscribe(() => {
    needsSignIn = false
    judgeAgain()
  })
  globalThis.addEventListener?.('offline', judgeAgain)
  const kept = liveQuery<SettingRow>(database, SETTINGS_SQL)
  const stopSettings = kept.subscribe(() => {
    const { rows, error } = kept.get()
    if (error) return onProblem(error)
    settings = readSettings(rows)
    judgeAgain()
  })

  return {
    pause,
    judgeAgain,
    onSignInNeeded() {
      needsSignIn = true
      judgeAgain()
    },
    async remember(setting, isOn) {
      const values = [SETTINGS[setting], isOn ? '1' : '0']
      await database.execute('insert or replace into hf_local_settings (id, value) values (?, ?)', values)
    },
    [Symbol.dispose]() {
      stopSettings()
      stopSession()
      stopMetered()
      metered[Symbol.dispose]()
      globalThis.removeEventListener?.('offline', judgeAgain)
    },
  }

  function judgeAgain(): void {
    if (!signal.aborted) pause.set(judge())
  }

  function judge(): TransferPause {
    return judgeGate({
      isPausedByUser: settings.paused,
      usesMetered: settings.metered,
      isMetered: metered.get(),
      isOffline: globalThis.navigator?.onLine === false,
      needsSignIn: needsSignIn || session.get().kind !== 'active',
      isWanted: isWanted(),
    })
  }
}

function readSettings(rows: readonly SettingRow[]): { readonly paused: boolean; readonly metered: boolean } {
  const isOn = (setting: string): boolean => rows.some(({ id, value }) => id === setting && value === '1')
  return { paused: isOn(SETTINGS.paused), metered: isOn(SETTINGS.metered) }
}
