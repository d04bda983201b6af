import { useEffect, useReducer, useState } from 'react'

/** A part of the app that is loaded apart from the screen that uses it. */
export interface LatePart<Part> {
  /** The part, if it has been loaded. */
  readonly find: () => Part | undefined
  /** Loads it once; a load that failed is tried again with the next call. */
  readonly load: () => Promise<Part>
  /** Loads it ahead of its use; a failure shows when it is used. */
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

/** Until a part that could not be loaded is asked for again, in milliseconds. A browser does not notice every end of a dead zone. */
const RETRY_MS = 15_000

/**
 * The part, once it has been loaded; `isWanted` starts that. A load that failed is repeated while it is wanted: every {@link RETRY_MS}, and when the network is back.
 *
 * @returns `part` is undefined until then; `hasFailed` is true if the last load failed, until it is not wanted any more
 */
export function useLatePart<Part>(
  late: LatePart<Part>,
  isWanted: boolean,
): { readonly part: Part | undefined; readonly hasFailed: boolean } {
  const [, showLoaded] = useReducer((count: number) => count + 1, 0)
  const [hasFailed, setFailed] = useState(false)
  // The network is outside of React.
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
