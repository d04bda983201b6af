import {
  AUTOMATIC_KINDS,
  DEFAULT_SETTINGS,
  type FormatKind,
  type FormatSettings,
  settingOf,
} from '../../lib/fields/new-kinds.ts'
import { fieldNameOf, TEXT_ENDS, type TextKind } from '../../lib/fields/name-of.ts'
import { computedMessages } from '../../messages/computed.ts'
import { newTableMessages } from '../../messages/new-table.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'

/** Prefix of the kinds that link to a table. */
const LINK = 'link:'

export interface NewField {
  readonly label: string
  /** A kind of `holdfast.new_field_sql`, a kind of text, or `link:` with a table. */
  readonly kind: string
  readonly choices: readonly string[]
  /** Settings of its format; see {@link DEFAULT_SETTINGS}. */
  readonly settings?: FormatSettings
}

const COMPUTED = ['formula', 'lookup', 'rollup'] as const
export type ComputedKind = (typeof COMPUTED)[number]

export function isComputedKind(kind: string): kind is ComputedKind {
  return COMPUTED.some((one) => one === kind)
}

/** Kinds of new fields under a heading. */
export interface KindGroup {
  readonly heading: string
  readonly kinds: readonly { readonly value: string; readonly label: string }[]
}

/** Returns the kinds of new fields in groups. */
export function kindGroups(tables: readonly { readonly name: string; readonly label: string }[]): readonly KindGroup[] {
  const { kinds } = newTableMessages
  const stored = (...values: readonly (keyof typeof kinds)[]): KindGroup['kinds'] =>
    values.map((value) => ({ value, label: kinds[value] }))
  const formats = (...values: readonly FormatKind[]): KindGroup['kinds'] =>
    values.map((value) => ({ value, label: words.formats[value] }))
  const { kindGroups: headings } = words
  return [
    { heading: headings.text, kinds: [...stored('text', 'long_text', 'email', 'url', 'phone'), ...formats('barcode')] },
    {
      heading: headings.numbers,
      kinds: [...stored('integer', 'number'), ...formats('currency', 'percent', 'rating', 'duration')],
    },
    { heading: headings.choices, kinds: stored('choice', 'boolean') },
    { heading: headings.dates, kinds: stored('date', 'datetime') },
    { heading: headings.files, kinds: formats('attachment', 'signature', 'location') },
    {
      heading: headings.links,
      kinds: [
        { value: `${LINK}hf_members`, label: words.person },
        ...tables.map(({ name, label }) => ({ value: `${LINK}${name}`, label: newTableMessages.linkTo(label) })),
      ],
    },
    { heading: headings.computed, kinds: COMPUTED.map((value) => ({ value, label: computedMessages.kinds[value] })) },
    { heading: headings.automatic, kinds: AUTOMATIC_KINDS.map((value) => ({ value, label: words.automatic[value] })) },
  ]
}

/**
 * Returns the change that adds a field.
 *
 * @param taken - names of existing fields
 */
export function addFieldChange(
  { label, kind, choices, settings = DEFAULT_SETTINGS }: NewField,
  taken: Pick<ReadonlySet<string>, 'has'>,
): object {
  const setting = settingOf(kind)
  const text = kind in TEXT_ENDS ? (kind as TextKind) : undefined
  const name = fieldNameOf(label, text, (one) => taken.has(one))
  const type = kind.startsWith(LINK)
    ? { kind: 'link', table: kind.slice(LINK.length) }
    : {
        kind: text === undefined ? kind : 'text',
        ...(kind === 'choice' && { choices }),
        ...(setting && { [setting]: settings[setting] }),
      }
  return { kind: 'add_field', field: { name, label: label.trim(), ...type } }
}
