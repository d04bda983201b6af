import { useLocalDatabase } from '@holdfast/react'
import { useCallback, useEffect, useState } from 'react'

/** What the browser and the database say about this device; what they do not say is `undefined`. */
export interface DeviceFacts {
  /** Bytes of this site, and how many it may use. */
  readonly usage: { readonly used: number; readonly quota: number } | undefined
  /** Whether the browser has promised not to delete the data by itself. */
  readonly isPersistent: boolean | undefined
  readonly clientId: string | undefined
  /** Version of the sync extension inside SQLite. */
  readonly engine: string | undefined
}

const UNKNOWN: DeviceFacts = { usage: undefined, isPersistent: undefined, clientId: undefined, engine: undefined }

/** Reads them when the screen opens, and again after the browser was asked for protection. */
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

  // The browser and the database are asked once per opening of the screen.
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
