import { useEngineStatus, useHoldfast, useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import { useBackend } from '../data/backend-context.tsx'
import type { PhotoTable } from '../data/photo-table.ts'
import { mayAddPhoto } from './may-add-photo.ts'

/** Records that are stepped past are not asked about, in milliseconds. */
const SETTLED_MS = 400

/** What the server has said of records since the page was loaded. */
const known = new Map<string, boolean>()

/**
 * Whether this person may add photos to a record. An unknown answer, off line for example, counts as allowed: the server decides about each photo.
 */
export function useMayAddPhoto(table: PhotoTable, link: string, recordId: string): boolean {
  const { supabase } = useHoldfast()
  const { config } = useBackend()
  const { userId } = useLocalDatabase()
  const isConnected = useEngineStatus((status) => status.connected)
  const key = `${userId} ${recordId}`
  const [answer, setAnswer] = useState({ key, mayAdd: known.get(key) })
  const canAsk = table.can.insert && isConnected && !known.has(key)
  // Policies are on the server.
  useEffect(() => {
    if (!canAsk) return
    let isOver = false
    const ask = async (): Promise<void> => {
      const { data } = await supabase.auth.getSession()
      const token = data.session?.access_token
      if (token === undefined || isOver) return
      const { anonKey } = config
      const mayAdd = await mayAddPhoto({ table, link, recordId, userId, anonKey, token, fetch: globalThis.fetch })
      if (mayAdd !== undefined) known.set(key, mayAdd)
      if (!isOver) setAnswer({ key, mayAdd })
    }
    const timer = setTimeout(() => {
      ask().catch((error: unknown) => console.info('Whether photos can be added is not known.', error))
    }, SETTLED_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [canAsk, supabase, config, userId, key, table, link, recordId])
  return table.can.insert && (known.get(key) ?? (answer.key === key ? answer.mayAdd : undefined) ?? true)
}
