import type { FieldFormat } from '@holdfast/protocol'

/** An option in the editor. */
export interface EditedOption {
  /** What it is now; `undefined` for a new one. */
  readonly was: string | undefined
  readonly text: string
}

export interface FieldEdits {
  /** Name of the column. */
  readonly column: string
  readonly before: {
    readonly label: string
    readonly choices: readonly string[]
    readonly isRequired: boolean
    readonly format: FieldFormat | undefined
  }
  readonly label: string
  readonly options: readonly EditedOption[]
  readonly isRequired: boolean
  readonly format: FieldFormat | undefined
  /** Further parts of the change. */
  readonly more?: object
}

/**
 * Returns the change of a field with the parts that differ; `undefined` if nothing does. Options with the same text become one, and empty ones are left out.
 */
export function editFieldChange({
  column,
  before,
  label,
  options,
  isRequired,
  format,
  more,
}: FieldEdits): object | undefined {
  const named = options.map(({ was, text }) => ({ was, text: text.trim() })).filter(({ text }) => text !== '')
  const choices = [...new Set(named.map(({ text }) => text))]
  const renamed = Object.fromEntries(
    named.flatMap(({ was, text }) => (was === undefined || was === text ? [] : [[was, text]])),
  )
  const areSame = choices.length === before.choices.length && choices.every((one, at) => one === before.choices[at])
  const change = {
    ...(label.trim() !== before.label && { label: label.trim() }),
    ...((!areSame || Object.keys(renamed).length > 0) && { choices, renamed }),
    ...(isRequired !== before.isRequired && { required: isRequired }),
    ...(JSON.stringify(format) !== JSON.stringify(before.format) && { format: format ?? null }),
    ...more,
  }
  return Object.keys(change).length === 0 ? undefined : { kind: 'edit_field', field: column, ...change }
}
