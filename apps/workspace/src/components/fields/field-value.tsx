import { Check } from 'lucide-react'
import type { JSX } from 'react'
import { type Field, type FieldValue, isPerson } from '../../lib/fields/field.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { Avatar } from '../avatar.tsx'
import { ChoiceChip } from './choice-chip.tsx'

/** A value on one line, for cells and lists. Empty for NULL. */
export function FieldValueView({
  field,
  value,
  label,
}: {
  readonly field: Field
  readonly value: FieldValue
  /** Title of a link's target. */
  readonly label?: FieldValue | undefined
}): JSX.Element | null {
  if (value === null) return null
  const format = field.format?.format
  if (format?.kind === 'rating') {
    const stars = Math.min(Number(value), format.max)
    return (
      <span role="img" aria-label={formatValue(field, value)} className="truncate tracking-wide text-amber">
        {'\u2605'.repeat(stars)}
        <span className="text-subtle">{'\u2606'.repeat(format.max - stars)}</span>
      </span>
    )
  }
  switch (field.kind) {
    case 'choice':
      return <ChoiceChip choice={String(value)} among={field.choices} words={field.choiceWords} />
    case 'boolean':
      return formatValue(field, value) === fieldMessages.yes ? (
        <span className="inline-flex size-4 items-center justify-center rounded-sm bg-accent text-on-accent forced:border">
          <Check size={12} strokeWidth={3} aria-hidden />
        </span>
      ) : (
        <span className="inline-block size-4 rounded-sm border border-control" />
      )
    case 'link':
      return isPerson(field) && label ? (
        <>
          <Avatar name={String(label)} size="sm" />
          <span className="truncate pl-1.5">{label}</span>
        </>
      ) : (
        <span className="truncate">{formatValue(field, value, label)}</span>
      )
    case 'uuid':
      return <span className="truncate font-mono text-muted">{formatValue(field, value)}</span>
    default:
      return <span className="truncate">{formatValue(field, value)}</span>
  }
}
