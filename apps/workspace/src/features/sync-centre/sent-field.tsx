import type { ColumnDescriptor } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { labelOf } from '../../lib/data/column-words.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { FieldInput } from './field-input.tsx'

/** A field of a rejected change: its value, and whether to send it. */
export function SentField({
  column,
  value,
  isSent,
  canLeaveOut,
  isNamed,
  placeholder,
  onChange,
  onSent,
}: {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf
  readonly isSent: boolean
  readonly canLeaveOut: boolean
  readonly isNamed: boolean
  readonly placeholder?: string
  readonly onChange: (value: LocalValueOf) => void
  readonly onSent: (isSent: boolean) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-1">
      {isSent ? (
        <FieldInput
          column={column}
          value={value}
          isNamed={isNamed}
          onChange={onChange}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      ) : (
        <p className="text-body">
          <span className="text-small font-medium">{labelOf(column)}</span>
          <span className="block text-muted">{words.leftOut}</span>
        </p>
      )}
      {canLeaveOut ? (
        <Checkbox
          isSelected={isSent}
          onChange={onSent}
          aria-label={words.sendField(labelOf(column))}
          className="self-start text-small text-muted"
        >
          {words.sendThis}
        </Checkbox>
      ) : null}
    </div>
  )
}
