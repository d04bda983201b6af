import { Check, ChevronDown } from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover as AriaPopover } from 'react-aria-components/Popover'
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select'
import { Text } from 'react-aria-components/Text'
import { cx } from '../lib/cx.ts'
import { commonMessages } from '../messages/common.ts'
import { optionClass } from './option-class.ts'
import { popoverClass } from './layers/layer-props.ts'
import { fieldLabelClass } from './text-field.tsx'

export interface SelectOption {
  readonly value: string
  /** Text for screen readers and type-ahead. */
  readonly label: string
  /** Displayed instead of the label, such as a chip. */
  readonly content?: ReactNode
  readonly isDisabled?: boolean
}

export interface SelectProps {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly options: readonly SelectOption[]
  /** `null` if nothing is selected. */
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly description?: ReactNode
  readonly errorMessage?: ReactNode
  readonly isDisabled?: boolean
  readonly isRequired?: boolean
  readonly autoFocus?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  readonly className?: string
}

/** A select with type-ahead. Until focused, React Aria receives only the selected option, because it builds a complete list per field. */
export function Select({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
  placeholder = commonMessages.choose,
  description,
  errorMessage,
  className,
  isDisabled = false,
  onOpenChange,
  ...rest
}: SelectProps): JSX.Element {
  const [isReached, setReached] = useState(false)
  const chosen = options.find((option) => option.value === value) ?? options[0]
  const told = isReached || chosen === undefined ? options : [chosen]
  return (
    <AriaSelect
      {...rest}
      // React Aria does not open an empty list, which looks like a press that was lost.
      isDisabled={isDisabled || options.length === 0}
      onFocus={() => setReached(true)}
      onOpenChange={(isOpen) => {
        if (isOpen) setReached(true)
        onOpenChange?.(isOpen)
      }}
      placeholder={placeholder}
      selectedKey={value}
      onSelectionChange={(key) => {
        if (key !== null) onChange(String(key))
      }}
      isInvalid={errorMessage !== undefined && errorMessage !== null}
      className={cx('flex flex-col gap-1.5', className)}
    >
      <Label className={isLabelHidden ? 'sr-only' : fieldLabelClass}>{label}</Label>
      <Button className="flex h-9 w-full min-w-0 items-center justify-between gap-2 rounded-sm border border-control bg-bg pr-2 pl-3 text-left text-body data-hovered:border-muted data-disabled:opacity-55 coarse:h-11">
        <SelectValue className="truncate data-placeholder:text-subtle" />
        <ChevronDown size={16} aria-hidden className="text-muted" />
      </Button>
      {description === undefined ? null : (
        <Text slot="description" className="text-small text-muted print:hidden">
          {description}
        </Text>
      )}
      <FieldError className="text-small text-danger">{errorMessage}</FieldError>
      <AriaPopover className={cx(popoverClass, 'min-w-(--trigger-width) overflow-auto p-1')}>
        <ListBox items={told.map((option) => ({ ...option, id: option.value }))} className="outline-none">
          {(option) => (
            <ListBoxItem
              id={option.value}
              textValue={option.label}
              isDisabled={option.isDisabled ?? false}
              className={optionClass}
            >
              {({ isSelected }) => (
                <>
                  <span className="flex w-4 justify-center text-accent">
                    {isSelected ? <Check size={16} aria-hidden /> : null}
                  </span>
                  {option.content ?? option.label}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </AriaPopover>
    </AriaSelect>
  )
}
