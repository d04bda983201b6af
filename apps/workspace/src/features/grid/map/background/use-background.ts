import { useEffect, useEffectEvent, useReducer, useState } from 'react'
import { useMediaQuery } from '../../../../hooks/use-media-query.ts'
import { useAppearance } from '../../../../lib/appearance.ts'
import { useBackend } from '../../../../lib/data/backend-context.tsx'
import { type BackgroundEvent, type BackgroundState, LOADING, nextBackground } from './background-state.ts'

export interface Background {
  /** Address of the style; `undefined`: the operator has named none, and the simple ground is all there is. */
  readonly style: string | undefined
  /** Changes when it is to be opened again. */
  readonly attempt: number
  readonly state: BackgroundState
  readonly attributions: readonly string[]
  report(event: BackgroundEvent): void
  setAttributions(attributions: readonly string[]): void
  tryAgain(): void
}

/** The background that the operator names for maps, light or dark. It is tried again when the network comes back. */
export function useBackground(): Background {
  const { map } = useBackend().config
  const isDark = useIsDark()
  const [attempt, setAttempt] = useState(0)
  const [state, report] = useReducer(nextBackground, LOADING)
  const [attributions, setAttributions] = useState<readonly string[]>([])
  const tryAgain = (): void => {
    // What the page may load from is known again with a new page only.
    if (state.isForbidden) location.reload()
    else setAttempt((last) => last + 1)
  }
  const onOnline = useEffectEvent(() => {
    if (state.hasFailed && !state.isForbidden) tryAgain()
  })
  // The network is the browser's.
  useEffect(() => {
    const listen = (): void => onOnline()
    addEventListener('online', listen)
    return () => removeEventListener('online', listen)
  }, [])
  const style = map && isDark ? (map.darkStyle ?? map.style) : map?.style
  return { style, attempt, state, attributions, report, setAttributions, tryAgain }
}

function useIsDark(): boolean {
  const isSystemDark = useMediaQuery('(prefers-color-scheme: dark)')
  const theme = useAppearance(({ theme: chosen }) => chosen)
  return theme === 'system' ? isSystemDark : theme === 'dark'
}
