import { Search, X } from 'lucide-react'
import { type JSX, type KeyboardEvent, useRef } from 'react'
import { Button } from 'react-aria-components/Button'
import { cx } from '../lib/cx.ts'
import { commonMessages } from '../messages/common.ts'

export interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly autoFocus?: boolean
  readonly className?: string
}

/** A search field; Escape clears it. Uses the browser's input, because the library's includes forms and layers. */
export function SearchField({
  label,
  value,
  onChange,
  placeholder,
  autoFocus,
  className,
}: SearchFieldProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || value === '') return
    event.preventDefault()
    event.stopPropagation()
    onChange('')
  }
  return (
    <div className={cx('relative flex items-center', className)}>
      <Search size={16} aria-hidden className="pointer-events-none absolute left-2.5 text-subtle" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={autoFocus}
        className={cx(
          'h-8 w-full min-w-0 rounded-sm border border-control bg-bg pl-8 text-body text-text coarse:h-11 [&::-webkit-search-cancel-button]:hidden',
          value === '' ? 'pr-2' : 'pr-8 coarse:pr-11',
        )}
      />
      {value === '' ? null : (
        <Button
          aria-label={commonMessages.clearSearch}
          excludeFromTabOrder
          preventFocusOnPress
          onPress={() => {
            onChange('')
            input.current?.focus()
          }}
          className="absolute right-1 flex size-6 items-center justify-center rounded-sm text-muted data-hovered:bg-hover coarse:size-10"
        >
          <X size={14} aria-hidden />
        </Button>
      )}
    </div>
  )
}
