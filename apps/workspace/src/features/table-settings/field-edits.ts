import type { FieldFormat, FieldUse } from '@holdfast/protocol'
import type { ChoiceWords } from '../../lib/data/column-words.ts'
import type { PaletteColour } from '../../lib/palette.ts'

/** An option in the editor. */
export interface EditedOption {
  /** What it is now; `undefined` for a new one. */
  readonly was: string | undefined
  readonly text: string
  /** `undefined`: derived from its word. */
  readonly colour?: PaletteColour | undefined
  /** Whether it means finished work. */
  readonly isClosed?: boolean
}

export interface FieldEdits {
  /** Name of the column. */
  readonly column: string
  readonly before: {
    readonly label: string
    readonly choices: readonly string[]
    readonly colours?: ChoiceWords['colours']
    readonly isRequired: boolean
    readonly format: FieldFormat | undefined
    /** `undefined`: what follows from the name. */
    readonly use?: FieldUse | undefined
    /** In lower case. */
    readonly finished?: readonly string[] | undefined
  }
  readonly label: string
  readonly options: readonly EditedOption[]
  readonly isRequired: boolean
  readonly format: FieldFormat | undefined
  readonly use?: FieldUse | undefined
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
  use,
  more,
}: FieldEdits): object | undefined {
  const named = options.map((option) => ({ ...option, text: option.text.trim() })).filter(({ text }) => text !== '')
  const choices = [...new Set(named.map(({ text }) => text))]
  const renamed = Object.fromEntries(
    named.flatMap(({ was, text }) => (was === undefined || was === text ? [] : [[was, text]])),
  )
  const areSame = choices.length === before.choices.length && choices.every((one, at) => one === before.choices[at])
  const isRecoloured = named.some(
    ({ was, colour }) => colour !== (was === undefined ? undefined : before.colours?.get(was)),
  )
  // Of options that become one, the first has the colour.
  const colours = Object.fromEntries(
    named.toReversed().flatMap(({ text, colour }) => (colour === undefined ? [] : [[text, colour]])),
  )
  const isReclosed = named.some(({ was, isClosed }) => isClosed !== undefined && isClosed !== isFinished(before, was))
  const closed = named.filter(({ was, isClosed }) => isClosed ?? isFinished(before, was)).map(({ text }) => text)
  const change = {
    ...(label.trim() !== before.label && { label: label.trim() }),
    ...((!areSame || Object.keys(renamed).length > 0) && { choices, renamed }),
    ...(isRecoloured && { colours }),
    ...(isRequired !== before.isRequired && { required: isRequired }),
    ...(JSON.stringify(format) !== JSON.stringify(before.format) && { format: format ?? null }),
    ...(use !== before.use && { role: use ?? null }),
    ...(isReclosed && { closed: [...new Set(closed)] }),
    ...more,
  }
  return Object.keys(change).length === 0 ? undefined : { kind: 'edit_field', field: column, ...change }
}

/** Whether an option means finished work until the user says otherwise. */
export function isFinished({ finished }: Pick<FieldEdits['before'], 'finished'>, option: string | undefined): boolean {
  return option !== undefined && finished?.includes(option.toLowerCase()) === true
}
