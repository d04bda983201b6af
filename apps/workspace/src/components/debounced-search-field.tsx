import { type JSX, useEffect, useState } from 'react'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

/** The search goes to the database when nothing was typed for this long, in milliseconds. */
const SEARCH_DEBOUNCE_MS = 80

/** A field of a search that the address keeps: it reports the typed text only after a pause. */
export function DebouncedSearchField({
  text,
  onTyped,
  ...field
}: Omit<SearchFieldProps, 'value' | 'onChange'> & {
  /** As the address has it. */
  readonly text: string
  readonly onTyped: (text: string) => void
}): JSX.Element {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  if (text !== known) {
    // The address has changed: by this field, or from outside, which then counts.
    setKnown(text)
    if (text !== typed.trim() && text !== typed) setTyped(text)
  }
  // A timer is a subscription to time.
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => onTyped(typed), SEARCH_DEBOUNCE_MS)
    return () => clearTimeout(timer)
    // Only typing starts the timer; the address follows it.
    // eslint-disable-next-line react/exhaustive-deps
  }, [typed])
  return <SearchField {...field} value={typed} onChange={setTyped} />
}
