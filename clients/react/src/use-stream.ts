import type { SyncStreamSubscribeOptions } from '@powersync/common'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useLocalDatabase } from './use-device.ts'

/** State of a subscription. */
export interface LiveStream {
  /** Whether its rows have been completely received at least once. */
  readonly hasSynced: boolean
  /** 0 to 1 while downloading. */
  readonly downloadedFraction: number | undefined
}

const NOT_YET: LiveStream = { hasSynced: false, downloadedFraction: undefined }

/**
 * Subscribes to a declared stream while the component is mounted; afterwards the rows stay for the stream's time to live.
 *
 * @param parameters - omit for a stream without parameters; `undefined` subscribes to nothing
 */
export function useStream(
  name: string,
  ...given: readonly [
    parameters?: Readonly<Record<string, unknown>> | undefined,
    options?: SyncStreamSubscribeOptions | undefined,
  ]
): LiveStream {
  const { database } = useLocalDatabase()
  // A default value would treat `undefined` like a stream without parameters.
  const [parameters, options = {}] = given.length === 0 ? [{}] : given
  const key = parameters === undefined ? undefined : JSON.stringify(parameters)
  const { ttl, priority } = options
  const stream = useMemo(
    () => (key === undefined ? undefined : database.syncStream(name, JSON.parse(key) as Record<string, unknown>)),
    [database, name, key],
  )
  useEffect(() => {
    const subscribing = stream?.subscribe({
      ...(ttl === undefined ? {} : { ttl }),
      ...(priority === undefined ? {} : { priority }),
    })
    // Unmounting may coincide with closing the database, which fails a pending subscription.
    return () =>
      void subscribing?.then(
        (subscription) => subscription.unsubscribe(),
        () => undefined,
      )
  }, [stream, ttl, priority])
  const shown = useSyncExternalStore(
    (listener) => database.registerListener({ statusChanged: listener }),
    () => {
      const status = stream && database.currentStatus.forStream(stream)
      if (!status) return undefined
      return `${status.subscription.hasSynced}/${status.progress?.downloadedFraction ?? ''}`
    },
  )
  return useMemo(() => {
    if (shown === undefined) return NOT_YET
    const [hasSynced, fraction] = shown.split('/')
    return { hasSynced: hasSynced === 'true', downloadedFraction: fraction ? Number(fraction) : undefined }
  }, [shown])
}
