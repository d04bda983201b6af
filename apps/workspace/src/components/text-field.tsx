import {
  type FocusEvent,
  type InputHTMLAttributes,
  type JSX,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
} from 'react'
import { cx } from '../lib/cx.ts'

type Given = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'name' | 'autoComplete' | 'inputMode' | 'spellCheck' | 'autoFocus' | 'maxLength' | 'placeholder' | 'id'
>

/** A key event that does not propagate beyond the field unless continued. */
export type FieldKeyEvent = KeyboardEvent & { readonly continuePropagation: () => void }

export interface TextFieldProps extends Given {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly description?: ReactNode
  /** Shown below the field and linked to it; marks it invalid. */
  readonly errorMessage?: ReactNode
  readonly value?: string
  readonly defaultValue?: string
  readonly onChange?: (value: string) => void
  readonly onFocus?: (event: FocusEvent) => void
  readonly onBlur?: (event: FocusEvent) => void
  /** As in the component library, handled keys do not propagate unless continued. */
  readonly onKeyDown?: (event: FieldKeyEvent) => void
  readonly isDisabled?: boolean
  readonly isReadOnly?: boolean
  readonly isRequired?: boolean
  /** More than one row makes it a text area. */
  readonly rows?: number
  /** A control at the end of the field. */
  readonly trailing?: ReactNode
  readonly isMono?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
  readonly className?: string
}

/** Styles of every input: 3:1 border, focus ring, red if invalid. */
export const inputClass =
  'w-full min-w-0 rounded-sm border border-control bg-bg px-3 text-body text-text transition-colors ' +
  'hover:border-muted disabled:opacity-55 aria-invalid:border-danger read-only:bg-surface'

export const fieldLabelClass = 'text-small font-medium text-text'

/** A text field with label, help and error. Uses native elements, which suffice and keep the sign-in screen small. */
export function TextField({
  label,
  isLabelHidden = false,
  description,
  errorMessage,
  onChange,
  onKeyDown,
  isDisabled = false,
  isReadOnly = false,
  isRequired = false,
  rows = 1,
  trailing,
  isMono = false,
  inputRef,
  className,
  type,
  ...given
}: TextFieldProps): JSX.Element {
  const ownId = useId()
  const id = given.id ?? ownId
  const isInvalid = errorMessage !== undefined && errorMessage !== null
  const notes = [description === undefined ? '' : `${id}-help`, isInvalid ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ')
  const looks = cx(inputClass, isMono && 'font-mono text-mono')
  const common = {
    id,
    disabled: isDisabled,
    readOnly: isReadOnly,
    required: isRequired,
    ...(onKeyDown === undefined ? {} : { onKeyDown: (event: KeyboardEvent) => handleKey(event, onKeyDown) }),
    ...(isInvalid ? { 'aria-invalid': true } : {}),
    ...(notes === '' ? {} : { 'aria-describedby': notes }),
  }
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : fieldLabelClass}>
        {label}
      </label>
      <div className="relative flex">
        {rows > 1 ? (
          <textarea
            {...given}
            {...common}
            rows={rows}
            onChange={(event) => onChange?.(event.target.value)}
            className={cx(looks, 'resize-y py-2')}
          />
        ) : (
          <input
            {...given}
            {...common}
            type={type}
            ref={inputRef}
            onChange={(event) => onChange?.(event.target.value)}
            className={cx(
              looks,
              'h-9 coarse:h-11',
              trailing !== undefined && 'pr-11',
              // The browser draws the form of an empty date as it draws a date.
              given.value === '' && type?.startsWith('date') && 'text-subtle',
            )}
          />
        )}
        {trailing === undefined ? null : (
          <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>
        )}
      </div>
      {description === undefined ? null : (
        <div id={`${id}-help`} className="text-small text-muted print:hidden">
          {description}
        </div>
      )}
      {isInvalid ? (
        <div id={`${id}-error`} className="text-small text-danger">
          {errorMessage}
        </div>
      ) : null}
    </div>
  )
}

function handleKey(event: KeyboardEvent, handler: (event: FieldKeyEvent) => void): void {
  let goesOn = false
  const continuePropagation = (): void => {
    goesOn = true
  }
  handler(Object.assign(event, { continuePropagation }))
  if (!goesOn) event.stopPropagation()
}
