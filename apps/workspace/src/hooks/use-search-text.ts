import { useEffect, useState } from 'react'

/** The search goes to the database when nothing was typed for this long, in milliseconds. */
const SEARCH_DEBOUNCE_MS = 80

/**
 * What is typed into a search that the address keeps. It is reported after a pause, without the spaces around it.
 *
 * @param text - as the address has it
 * @returns what stands in the field, and what changes it
 */
export function useSearchText(
  text: string,
  onTyped: (text: string) => void,
): readonly [typed: string, setTyped: (typed: string) => void] {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  /** What was reported and has not come back in the address yet. */
  const [reported, setReported] = useState<readonly string[]>([])
  if (text !== known) {
    setKnown(text)
    const own = reported.indexOf(text)
    // The address follows later than keys on a slow device: what comes back is no reason to forget what was typed since.
    setReported(own < 0 ? [] : reported.slice(own + 1))
    if (own < 0) setTyped(text)
  }
  // A timer is a subscription to time.
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === text) return
    const timer = setTimeout(() => {
      setReported((others) => [...others, wanted])
      onTyped(wanted)
    }, SEARCH_DEBOUNCE_MS)
    return () => clearTimeout(timer)
    // Only typing and the address start the timer.
    // eslint-disable-next-line react/exhaustive-deps
  }, [typed, text])
  return [typed, setTyped]
}
