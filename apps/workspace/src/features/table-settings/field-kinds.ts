import { fieldNameOf, TEXT_ENDS, type TextKind } from '../../lib/fields/name-of.ts'
import { newTableMessages } from '../../messages/new-table.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'

/** Prefix of the kinds that link to a table. */
const LINK = 'link:'

export interface NewField {
  readonly label: string
  /** A kind of `holdfast.new_field_sql`, a kind of text, or `link:` with a table. */
  readonly kind: string
  readonly choices: readonly string[]
}

/** Returns the kinds of new fields. */
export function fieldKinds(
  tables: readonly { readonly name: string; readonly label: string }[],
): readonly { readonly value: string; readonly label: string }[] {
  const { id: _id, left_out: _leftOut, ...kinds } = newTableMessages.kinds
  return [
    ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
    { value: 'autonumber', label: words.autonumber },
    { value: 'rating', label: words.rating },
    { value: `${LINK}hf_members`, label: words.person },
    ...tables.map(({ name, label }) => ({ value: `${LINK}${name}`, label: newTableMessages.linkTo(label) })),
  ]
}

/**
 * Returns the change that adds a field.
 *
 * @param taken - names of existing fields
 */
export function addFieldChange({ label, kind, choices }: NewField, taken: Pick<ReadonlySet<string>, 'has'>): object {
  const text = kind in TEXT_ENDS ? (kind as TextKind) : undefined
  const name = fieldNameOf(label, text, (one) => taken.has(one))
  const type = kind.startsWith(LINK)
    ? { kind: 'link', table: kind.slice(LINK.length) }
    : { kind: text === undefined ? kind : 'text', ...(kind === 'choice' && { choices }) }
  return { kind: 'add_field', field: { name, label: label.trim(), ...type } }
}
