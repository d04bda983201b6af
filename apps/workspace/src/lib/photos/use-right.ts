import { useEngineStatus, useHoldfast, useLocalDatabase, useRecords } from '@holdfast/react'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { useEffect, useEffectEvent, useState } from 'react'
import { useBackend } from '../data/backend-context.tsx'

/** Delay in ms, so that records stepped past are not queried. */
const SETTLED_MS = 400
/** Response timeout in ms. */
const ANSWER_MS = 6_000
/** Time in ms after which denied or unknown rights are queried again, because they may have been granted. */
const HOLDS_MS = 5 * 60_000
/** Denials stored per device. */
const KEPT_MAX = 1_000

/** Sends queries as this user. */
export interface Asker {
  readonly userId: string
  readonly anonKey: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** `reading`: the server's earlier answer is being read from this device. `unknown`: there is no connection or answer. */
export type Right = 'reading' | 'asking' | 'yes' | 'no' | 'unknown'

/** Answers by user and right. */
const answered = new Map<string, boolean | undefined>()

/**
 * Returns whether policies allow something, according to the server's last answer. A denial is stored and applies offline until the server allows it.
 *
 * @param name - action and row, such as `add_photo/<record>`
 * @param ask - `undefined` if there is nothing to ask
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

/** A timeout is not an answer. */
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
