import type { JSX } from 'react'
import { useSearchText } from '../hooks/use-search-text.ts'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

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
  const [typed, setTyped] = useSearchText(text, onTyped)
  return <SearchField {...field} value={typed} onChange={setTyped} />
}
