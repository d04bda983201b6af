import type { JSX } from 'react'
import { FieldValueView } from '../../components/fields/field-value.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import { addressOf } from '../../lib/fields/address-of.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { fieldMessages as words } from '../../messages/fields.ts'

/** Other sites open beside the app, and learn nothing of it. */
export const AWAY = { target: '_blank', rel: 'noreferrer' } as const

/** A read-only field: label and value as text. */
export function FieldText({
  field,
  value,
  label,
  note,
}: {
  readonly field: Field
  readonly value: FieldValue
  readonly label: FieldValue | undefined
  /** Why it cannot be changed. */
  readonly note?: string | undefined
}): JSX.Element {
  return (
    <div className="flex flex-col gap-1">
      <dt className="text-small font-medium text-muted">{field.label}</dt>
      <dd className="min-h-5 text-body [overflow-wrap:anywhere] [&>.truncate]:overflow-visible [&>.truncate]:whitespace-pre-wrap">
        {value === null ? (
          <span className="text-subtle">{words.empty}</span>
        ) : (
          <LinkedValue field={field} value={value} label={label} />
        )}
      </dd>
      {note === undefined ? null : <dd className="text-small text-muted">{note}</dd>}
    </div>
  )
}

/** A value as a link, if it is an address that the device can open. */
function LinkedValue(props: {
  readonly field: Field
  readonly value: FieldValue
  readonly label: FieldValue | undefined
}): JSX.Element {
  const address = addressOf(props.field, props.value)
  return address === undefined ? (
    <FieldValueView {...props} />
  ) : (
    <a href={address} {...AWAY} className={textLinkClass}>
      {String(props.value)}
    </a>
  )
}
