import { useLocalDatabase } from '@holdfast/react'
import { useCallback, useEffect, useState } from 'react'

/** Facts from the browser and the database about this device; unknown ones are `undefined`. */
export interface DeviceFacts {
  /** Bytes used by this site, and its quota. */
  readonly usage: { readonly used: number; readonly quota: number } | undefined
  /** Whether the browser has promised not to evict the data. */
  readonly isPersistent: boolean | undefined
  readonly clientId: string | undefined
  /** Version of the sync extension inside SQLite. */
  readonly engine: string | undefined
}

const UNKNOWN: DeviceFacts = { usage: undefined, isPersistent: undefined, clientId: undefined, engine: undefined }

/** Reads the facts when the screen opens, and again after requesting persistent storage. */
export function useDeviceFacts(): DeviceFacts & { readonly askPersist: () => Promise<boolean> } {
  const { database } = useLocalDatabase()
  const [facts, setFacts] = useState<DeviceFacts>(UNKNOWN)

  const read = useCallback(async (): Promise<DeviceFacts> => {
    const [estimate, isPersistent, clientId, engine] = await Promise.all([
      navigator.storage?.estimate?.(),
      navigator.storage?.persisted?.(),
      database.getClientId(),
      database.get<{ readonly version: string }>('select powersync_rs_version() as version'),
    ])
    const { usage, quota } = estimate ?? {}
    return {
      usage: usage === undefined || quota === undefined ? undefined : { used: usage, quota },
      isPersistent,
      clientId,
      engine: engine.version,
    }
  }, [database])

  // Queried once each time the screen opens.
  useEffect(() => {
    let isOpen = true
    const show = async (): Promise<void> => {
      const next = await read()
      if (isOpen) setFacts(next)
    }
    show().catch((error: unknown) => console.info('Some facts about this device are not known.', error))
    return () => {
      isOpen = false
    }
  }, [read])

  return {
    ...facts,
    askPersist: async () => {
      const isGranted = await navigator.storage.persist()
      setFacts(await read())
      return isGranted
    },
  }
}
