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

/**
 * The part, once it has been loaded; `isWanted` starts that.
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
    late.load().then(
      () => isOver || showLoaded(),
      (error: unknown) => {
        console.info('A part of the screen could not be loaded.', error)
        if (!isOver) setFailed(true)
      },
    )
    return () => {
      isOver = true
      setFailed(false)
    }
  }, [late, isWanted])
  return { part: late.find(), hasFailed }
}
