import { useEffect, useEffectEvent, useState } from 'react'

/** Debounce of the search in ms. */
const SEARCH_DEBOUNCE_MS = 80

/** How typed text maps to the URL. */
export interface TypedForm {
  /** Debounce in ms. */
  readonly pauseMs: number
  /** Converts typed text to the URL's text; `undefined`: not valid yet. */
  readonly read: (typed: string) => string | undefined
  /** Converts the URL's text to the field's text. */
  readonly show: (text: string) => string
}

const SEARCH: TypedForm = { pauseMs: SEARCH_DEBOUNCE_MS, read: (typed) => typed.trim(), show: (text) => text }

/**
 * Handles a search text stored in the URL. Reports typed text after a pause, trimmed.
 *
 * @param text - the text in the URL
 * @returns the field's text, a function that changes it, and one that reports it at once
 */
export function useSearchText(
  text: string,
  onTyped: (text: string) => void,
  { pauseMs, read, show }: TypedForm = SEARCH,
): readonly [typed: string, setTyped: (typed: string) => void, reportNow: () => void] {
  const [typed, setTyped] = useState(() => show(text))
  const [known, setKnown] = useState(text)
  /** Reported texts that the URL does not show yet. */
  const [reported, setReported] = useState<readonly string[]>([])
  if (text !== known) {
    setKnown(text)
    const own = reported.indexOf(text)
    // On a slow device the URL lags behind typing, so its updates must not discard newer text.
    setReported(own < 0 ? [] : reported.slice(own + 1))
    if (own < 0) setTyped(show(text))
  }
  const wanted = read(typed)
  const report = (next: string): void => {
    setReported((others) => (others.at(-1) === next ? others : [...others, next]))
    onTyped(next)
  }
  // Uses the latest callback, so that other changes during the pause are kept.
  const reportLater = useEffectEvent(report)
  // A timer is a subscription to time; only typing and the URL start it.
  useEffect(() => {
    if (wanted === undefined || wanted === text) return
    const timer = setTimeout(() => reportLater(wanted), pauseMs)
    return () => clearTimeout(timer)
  }, [wanted, text, pauseMs])
  const reportNow = (): void => {
    if (wanted !== undefined && wanted !== text) report(wanted)
  }
  return [typed, setTyped, reportNow]
}
