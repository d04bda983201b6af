import { useEffect } from 'react'

/**
 * Asks the browser to protect this site's data as soon as there is something on the device that is nowhere else: a moment
 * the person understands, where the browser asks them. Once per page; a refusal is shown in the Sync centre.
 */
export function useAskPersistence(hasUnsent: boolean): void {
  // A browser's permission is outside of React.
  useEffect(() => {
    if (!hasUnsent || typeof navigator.storage?.persist !== 'function') return
    navigator.storage
      .persist()
      .catch((error: unknown) => console.info('The browser did not say whether it protects the data.', error))
  }, [hasUnsent])
}
