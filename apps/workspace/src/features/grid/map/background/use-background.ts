import { useEffect, useEffectEvent, useReducer, useState } from 'react'
import { useMediaQuery } from '../../../../hooks/use-media-query.ts'
import { useAppearance } from '../../../../lib/appearance.ts'
import { useBackend } from '../../../../lib/data/backend-context.tsx'
import { type BackgroundEvent, type BackgroundState, LOADING, nextBackground } from './background-state.ts'

export interface Background {
  /** URL of the style. `undefined`: the operator has configured none, so only the simple ground is shown. */
  readonly style: string | undefined
  /** Changes when the background must be reopened. */
  readonly attempt: number
  readonly state: BackgroundState
  readonly attributions: readonly string[]
  report(event: BackgroundEvent): void
  setAttributions(attributions: readonly string[]): void
  tryAgain(): void
}

/** Returns the operator's background map, light or dark. Retries when the network returns. */
export function useBackground(): Background {
  const { map } = useBackend().config
  const isDark = useIsDark()
  const [attempt, setAttempt] = useState(0)
  const [state, report] = useReducer(nextBackground, LOADING)
  const [attributions, setAttributions] = useState<readonly string[]>([])
  const tryAgain = (): void => {
    // The content security policy changes only with a page load.
    if (state.isForbidden) location.reload()
    else setAttempt((last) => last + 1)
  }
  const onOnline = useEffectEvent(() => {
    if (state.hasFailed && !state.isForbidden) tryAgain()
  })
  // The network is outside React.
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
