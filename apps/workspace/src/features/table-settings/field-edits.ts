import type { FieldFormat, FieldUse } from '@holdfast/protocol'
import type { ChoiceWords } from '../../lib/data/column-words.ts'
import type { PaletteColour } from '../../lib/palette.ts'

/** An option in the editor. */
export interface EditedOption {
  /** Its value now; `undefined` for a new one. */
  readonly was: string | undefined
  /** How the value is shown now; by default as it is. */
  readonly shown?: string
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
  const values = valuesOf(named)
  const valueOf = (option: EditedOption): string => values.get(option) ?? option.text
  const choices = [...new Set(values.values())]
  const renamed = Object.fromEntries(
    named.flatMap((option) =>
      option.was === undefined || option.was === valueOf(option) ? [] : [[option.was, valueOf(option)]],
    ),
  )
  const reworded = Object.fromEntries(
    named.flatMap((option) => {
      const value = valueOf(option)
      const shown = named.find(({ was }) => was === value)
      return option.text === (shown ? shownOf(shown) : value) ? [] : [[value, option.text]]
    }),
  )
  const areSame = choices.length === before.choices.length && choices.every((one, at) => one === before.choices[at])
  const isRecoloured = named.some(
    ({ was, colour }) => colour !== (was === undefined ? undefined : before.colours?.get(was)),
  )
  // Of options that become one, the first has the colour.
  const colours = Object.fromEntries(
    named.toReversed().flatMap((option) => (option.colour === undefined ? [] : [[valueOf(option), option.colour]])),
  )
  const isReclosed = named.some(({ was, isClosed }) => isClosed !== undefined && isClosed !== isFinished(before, was))
  const closed = named.filter(({ was, isClosed }) => isClosed ?? isFinished(before, was)).map(valueOf)
  const change = {
    ...(label.trim() !== before.label && { label: label.trim() }),
    ...((!areSame || Object.keys(renamed).length > 0) && { choices, renamed }),
    ...(Object.keys(reworded).length > 0 && { words: reworded }),
    ...(isRecoloured && { colours }),
    ...(isRequired !== before.isRequired && { required: isRequired }),
    ...(JSON.stringify(format) !== JSON.stringify(before.format) && { format: format ?? null }),
    ...(use !== before.use && { role: use ?? null }),
    ...(isReclosed && { closed: [...new Set(closed)] }),
    ...more,
  }
  return Object.keys(change).length === 0 ? undefined : { kind: 'edit_field', field: column, ...change }
}

/**
 * Returns the value of each option. One that is shown under another text than its value keeps the value, so records and queued work stay as they are. An option
 * that gets the text of another becomes that option.
 */
function valuesOf(options: readonly EditedOption[]): ReadonlyMap<EditedOption, string> {
  const isUnchanged = (option: EditedOption): boolean => option.text === shownOf(option)
  const taken = new Set(options.flatMap((option) => (isUnchanged(option) || isCoded(option) ? (option.was ?? []) : [])))
  const free = (text: string): string => {
    let value = text
    for (let number = 2; taken.has(value); number++) value = `${text} ${String(number)}`
    return value
  }
  const values = new Map<EditedOption, string>()
  for (const option of options) {
    const namesakes = options.filter(({ text }) => text === option.text)
    const keeper = isUnchanged(option) ? option : (namesakes.find(isUnchanged) ?? namesakes[0] ?? option)
    const kept = isUnchanged(keeper) || isCoded(keeper) ? keeper.was : undefined
    values.set(option, kept ?? values.get(keeper) ?? free(option.text))
  }
  return values
}

function shownOf({ was, shown }: EditedOption): string | undefined {
  return shown ?? was
}

/** Whether the option's value is not what users see. */
function isCoded(option: EditedOption): boolean {
  return option.was !== undefined && shownOf(option) !== option.was
}

/** The word that an option's automatic look follows from. */
export function wordOf(option: EditedOption): string {
  return isCoded(option) ? (option.was ?? option.text) : option.text.trim()
}

/** Whether an option means finished work until the user says otherwise. */
export function isFinished({ finished }: Pick<FieldEdits['before'], 'finished'>, option: string | undefined): boolean {
  return option !== undefined && finished?.includes(option.toLowerCase()) === true
}
