import { useEffect, useReducer, useState } from 'react'

/** A lazily loaded part of the app. */
export interface LatePart<Part> {
  /** Returns the part if loaded. */
  readonly find: () => Part | undefined
  /** Loads it once; the next call retries a failure. */
  readonly load: () => Promise<Part>
  /** Loads it in advance; failures appear on use. */
  readonly preload: () => void
}

export function latePart<Part>(load: () => Promise<Part>): LatePart<Part> {
  let part: Part | undefined
  let underWay: Promise<Part> | undefined
  const loadOnce = (): Promise<Part> =>
    (underWay ??= load().then(
      (loaded) => (part = loaded),
      (error: unknown) => {
        underWay = undefined
        throw error
      },
    ))
  return {
    find: () => part,
    load: loadOnce,
    preload() {
      loadOnce().catch((error: unknown) => console.info('A part of the screen is loaded when it is used.', error))
    },
  }
}

/** Retry delay in ms after a failed load. Browsers do not always notice when a connection returns. */
const RETRY_MS = 15_000

/**
 * Returns the part once loaded; `isWanted` starts loading. Failures are retried every {@link RETRY_MS} and when the network returns.
 *
 * @returns `part` is `undefined` until loaded; `hasFailed` is true after a failure, until no longer wanted
 */
export function useLatePart<Part>(
  late: LatePart<Part>,
  isWanted: boolean,
): { readonly part: Part | undefined; readonly hasFailed: boolean } {
  const [, showLoaded] = useReducer((count: number) => count + 1, 0)
  const [hasFailed, setFailed] = useState(false)
  // The network is external to React.
  useEffect(() => {
    if (!isWanted || late.find() !== undefined) return
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = (): void => {
      clearTimeout(timer)
      if (isOver || late.find() !== undefined) return
      late.load().then(
        () => {
          if (isOver) return
          setFailed(false)
          showLoaded()
        },
        (error: unknown) => {
          console.info('A part of the screen could not be loaded.', error)
          if (isOver) return
          setFailed(true)
          clearTimeout(timer)
          timer = setTimeout(load, RETRY_MS)
        },
      )
    }
    load()
    addEventListener('online', load)
    return () => {
      isOver = true
      clearTimeout(timer)
      removeEventListener('online', load)
      setFailed(false)
    }
  }, [late, isWanted])
  return { part: late.find(), hasFailed }
}
