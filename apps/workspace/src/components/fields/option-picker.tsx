import { Check, Search } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { SearchField } from 'react-aria-components/SearchField'
import { fieldMessages as words } from '../../messages/fields.ts'
import { optionClass } from '../option-class.ts'

export interface PickerOption {
  readonly id: string
  readonly label: string
  readonly content?: ReactNode
}

/** A list with a search field: arrows select while the input keeps focus, Enter accepts. */
export function OptionPicker({
  label,
  options,
  selected,
  text,
  onTextChange,
  onSelect,
}: {
  readonly label: string
  /** Matching options; `undefined` while loading. */
  readonly options: readonly PickerOption[] | undefined
  readonly selected: string | null
  readonly text: string
  readonly onTextChange: (text: string) => void
  readonly onSelect: (id: string) => void
}): JSX.Element {
  return (
    <Autocomplete inputValue={text} onInputChange={onTextChange}>
      <SearchField
        aria-label={`${words.search} ${label}`}
        autoFocus
        className="flex items-center gap-2 border-b border-border px-3"
      >
        <Search size={14} aria-hidden className="text-muted" />
        <Input
          placeholder={words.search}
          className="h-9 min-w-0 flex-1 bg-transparent text-body text-text shadow-none outline-none coarse:h-11 [&::-webkit-search-cancel-button]:hidden"
        />
      </SearchField>
      <ListBox
        aria-label={label}
        items={(options ?? []).map((option) => ({ ...option }))}
        onAction={(key) => onSelect(String(key))}
        renderEmptyState={() => (
          <p className="px-2 py-3 text-small text-muted">{options === undefined ? '' : words.noOption}</p>
        )}
        className="max-h-64 overflow-auto p-1 outline-none"
      >
        {(option) => (
          <ListBoxItem
            id={option.id}
            textValue={option.label}
            aria-label={option.id === selected ? words.chosen(option.label) : option.label}
            className={optionClass}
          >
            <span className="flex w-4 shrink-0 justify-center text-accent">
              {option.id === selected ? <Check size={16} aria-hidden /> : null}
            </span>
            {option.content ?? <span className="truncate">{option.label}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  )
}
