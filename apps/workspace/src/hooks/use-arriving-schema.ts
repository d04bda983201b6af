import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'

/** Time in ms within which a new table usually reaches a device. */
const SLOW_MS = 20_000
/** Interval in ms between requests for the schema. */
const ASK_MS = 2_000

/** Fetches the schema until the component unmounts, because an empty table sends no data that would notify this device. @returns whether it takes long */
export function useArrivingSchema(): boolean {
  const { refreshSchema } = useLocalDatabase()
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const slow = setTimeout(() => setSlow(true), SLOW_MS)
    const ask = (): void =>
      void refreshSchema().catch((error: unknown) => console.warn('The schema did not come.', error))
    const asking = setInterval(ask, ASK_MS)
    ask()
    return () => {
      clearTimeout(slow)
      clearInterval(asking)
    }
  }, [refreshSchema])
  return isSlow
}
