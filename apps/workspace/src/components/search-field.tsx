import { Search, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from 'react-aria-components/Button'
import { Input } from 'react-aria-components/Input'
import {
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
} from 'react-aria-components/SearchField'
import { cx } from '../lib/cx.ts'

export interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'children' | 'className' | 'style'> {
  readonly label: string
  readonly placeholder?: string
  readonly className?: string
}

/** A field to search or narrow a list; Escape empties it. */
export function SearchField({ label, placeholder, className, ...rest }: SearchFieldProps): JSX.Element {
  return (
    <AriaSearchField {...rest} aria-label={label} className={cx('group relative flex items-center', className)}>
      <Search size={16} aria-hidden className="pointer-events-none absolute left-2.5 text-subtle" />
      <Input
        placeholder={placeholder ?? label}
        className="h-8 w-full min-w-0 rounded-sm border border-control bg-bg pr-8 pl-8 text-body text-text coarse:h-11 [&::-webkit-search-cancel-button]:hidden"
      />
      <Button className="absolute right-1 flex size-6 items-center justify-center rounded-sm text-muted group-data-empty:hidden data-hovered:bg-hover coarse:size-10">
        <X size={14} aria-hidden />
      </Button>
    </AriaSearchField>
  )
}
