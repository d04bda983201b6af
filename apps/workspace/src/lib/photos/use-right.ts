import { useEngineStatus, useHoldfast, useLocalDatabase, useRecords } from '@holdfast/react'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { useEffect, useEffectEvent, useState } from 'react'
import { useBackend } from '../data/backend-context.tsx'

/** Records that are stepped past are not asked about, in milliseconds. */
const SETTLED_MS = 400
/** How long an answer is waited for, in milliseconds. */
const ANSWER_MS = 15_000
/** After so many milliseconds the server is asked again about what was not allowed, or not known: somebody may have been given the right. */
const HOLDS_MS = 5 * 60_000
/** Refusals that are kept on a device. */
const KEPT_MAX = 1_000

/** What the server is asked as this person. */
export interface Asker {
  readonly userId: string
  readonly anonKey: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** `reading`: what the server said before is read from this device. `unknown`: there is no connection, or the server did not say. */
export type Right = 'reading' | 'asking' | 'yes' | 'no' | 'unknown'

/** What has been answered, by person and right. */
const answered = new Map<string, boolean | undefined>()

/**
 * Whether policies let this person do something, as the server said last. A no is kept on this device and holds off line, until the server says yes.
 *
 * @param name - what and to which row, such as `add_photo/<record>`
 * @param ask - `undefined`: there is nothing to ask about
 */
export function useRight(name: string, ask: ((asker: Asker) => Promise<boolean | undefined>) | undefined): Right {
  const { supabase } = useHoldfast()
  const { config } = useBackend()
  const { userId, database } = useLocalDatabase()
  const isConnected = useEngineStatus((status) => status.connected)
  const id = `refused/${name}`
  const kept = useRecords<{ readonly id: string }>('select id from hf_local_settings where id = ?', [id])
  const key = `${userId} ${id}`
  const [, setVersion] = useState(0)
  const mustAsk = ask !== undefined && isConnected && !answered.has(key)

  const askNow = useEffectEvent(async (): Promise<void> => {
    const { data } = await supabase.auth.getSession()
    const token = data.session?.access_token
    if (token === undefined || !ask) return
    const { anonKey } = config
    const may = await ask({ userId, anonKey, token, fetch: fetchInTime })
    answer(key, may)
    if (may !== undefined) await keep(database, id, may)
  })
  // Policies are on the server.
  useEffect(() => {
    if (!mustAsk) return
    let isOver = false
    const timer = setTimeout(() => {
      askNow()
        .catch((error: unknown) => {
          answer(key, undefined)
          console.info('What policies allow here is not known.', error)
        })
        .finally(() => isOver || setVersion((version) => version + 1))
    }, SETTLED_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [mustAsk, key])

  const may = answered.get(key)
  if (may !== undefined) return may ? 'yes' : 'no'
  if (!kept.isCurrent) return 'reading'
  if (kept.rows.length > 0) return 'no'
  return mustAsk ? 'asking' : 'unknown'
}

function answer(key: string, may: boolean | undefined): void {
  answered.set(key, may)
  if (may !== true) setTimeout(() => answered.delete(key), HOLDS_MS)
}

/** A server that is silent has not said anything. */
const fetchInTime: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })

async function keep(database: CommonPowerSyncDatabase, id: string, may: boolean): Promise<void> {
  if (may) {
    await database.execute('delete from hf_local_settings where id = ?', [id])
    return
  }
  const at = new Date().toISOString()
  await database.execute('insert or replace into hf_local_settings (id, value) values (?, ?)', [id, at])
  await database.execute(
    `delete from hf_local_settings where id like 'refused/%' and id not in (
       select id from hf_local_settings where id like 'refused/%' order by value desc limit ${KEPT_MAX})`,
  )
}
