import type { JSX, ReactNode, Ref } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea as AriaTextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import { cx } from '../lib/cx.ts'

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className' | 'style'> {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly description?: ReactNode
  /** Shown under the field and tied to it; makes it invalid. */
  readonly errorMessage?: ReactNode
  readonly placeholder?: string
  /** More than one row makes it a text area. */
  readonly rows?: number
  /** A control inside the field, at its end. */
  readonly trailing?: ReactNode
  readonly isMono?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
  readonly className?: string
}

/** The looks of every input: 3:1 border, accent border with the focus ring, red when invalid. */
export const inputClass =
  'w-full min-w-0 rounded-sm border border-control bg-bg px-3 text-body text-text transition-colors ' +
  'data-hovered:border-muted data-disabled:opacity-55 data-invalid:border-danger read-only:bg-surface'

export function TextField({
  label,
  isLabelHidden = false,
  description,
  errorMessage,
  placeholder,
  rows = 1,
  trailing,
  isMono = false,
  inputRef,
  className,
  ...rest
}: TextFieldProps): JSX.Element {
  const hint = placeholder === undefined ? {} : { placeholder }
  const looks = cx(inputClass, isMono && 'font-mono text-mono')
  return (
    <AriaTextField
      {...rest}
      isInvalid={errorMessage !== undefined && errorMessage !== null}
      className={cx('flex flex-col gap-1.5', className)}
    >
      <Label className={isLabelHidden ? 'sr-only' : fieldLabelClass}>{label}</Label>
      <div className="relative flex">
        {rows > 1 ? (
          <AriaTextArea rows={rows} {...hint} className={cx(looks, 'resize-y py-2')} />
        ) : (
          <Input
            {...(inputRef === undefined ? {} : { ref: inputRef })}
            {...hint}
            className={cx(looks, 'h-9 coarse:h-11', trailing !== undefined && 'pr-11')}
          />
        )}
        {trailing === undefined ? null : (
          <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>
        )}
      </div>
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaTextField>
  )
}

export const fieldLabelClass = 'text-small font-medium text-text'

/** Help and error under a field. */
export function FieldNotes({
  description,
  errorMessage,
}: {
  readonly description?: ReactNode
  readonly errorMessage?: ReactNode
}): JSX.Element {
  return (
    <>
      {description === undefined ? null : (
        <Text slot="description" className="text-small text-muted">
          {description}
        </Text>
      )}
      <FieldError className="text-small text-danger">{errorMessage}</FieldError>
    </>
  )
}
