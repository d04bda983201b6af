import { useEffect, useEffectEvent, useState } from 'react'

/** The search goes to the database when nothing was typed for this long, in milliseconds. */
const SEARCH_DEBOUNCE_MS = 80

/** How a text that is typed stands in the address. */
export interface TypedForm {
  /** Without typing for so long, in milliseconds, it is reported. */
  readonly pauseMs: number
  /** What the address has for what is typed; `undefined`: nothing yet. */
  readonly read: (typed: string) => string | undefined
  /** What stands in the field for what the address has. */
  readonly show: (text: string) => string
}

const SEARCH: TypedForm = { pauseMs: SEARCH_DEBOUNCE_MS, read: (typed) => typed.trim(), show: (text) => text }

/**
 * What is typed into a search that the address keeps. It is reported after a pause, without the spaces around it.
 *
 * @param text - as the address has it
 * @returns what stands in the field, what changes it, and what reports it at once
 */
export function useSearchText(
  text: string,
  onTyped: (text: string) => void,
  { pauseMs, read, show }: TypedForm = SEARCH,
): readonly [typed: string, setTyped: (typed: string) => void, reportNow: () => void] {
  const [typed, setTyped] = useState(() => show(text))
  const [known, setKnown] = useState(text)
  /** What was reported and has not come back in the address yet. */
  const [reported, setReported] = useState<readonly string[]>([])
  if (text !== known) {
    setKnown(text)
    const own = reported.indexOf(text)
    // The address follows later than keys on a slow device: what comes back is no reason to forget what was typed since.
    setReported(own < 0 ? [] : reported.slice(own + 1))
    if (own < 0) setTyped(show(text))
  }
  const wanted = read(typed)
  const report = (next: string): void => {
    setReported((others) => (others.at(-1) === next ? others : [...others, next]))
    onTyped(next)
  }
  // What else the person has changed during the pause stays.
  const reportLater = useEffectEvent(report)
  // A timer is a subscription to time; only typing and the address start it.
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
