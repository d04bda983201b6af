import type { JSX } from 'react'
import { useSearchText } from '../hooks/use-search-text.ts'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

/** A search field whose text is in the URL: reports input after a pause. */
export function DebouncedSearchField({
  text,
  onTyped,
  ...field
}: Omit<SearchFieldProps, 'value' | 'onChange'> & {
  /** From the URL. */
  readonly text: string
  readonly onTyped: (text: string) => void
}): JSX.Element {
  const [typed, setTyped] = useSearchText(text, onTyped)
  return <SearchField {...field} value={typed} onChange={setTyped} />
}
