interface OptionBase {
  /** One sentence for the help text and the reference page. */
  readonly description: string
  /** Name of the environment variable. Default: `HOLDFAST_` and the option in capitals. */
  readonly env?: string
  /** Not shown in the help text and never printed. */
  readonly secret?: boolean
}

export interface TextOption extends OptionBase {
  readonly type: 'string'
  readonly default?: string
}
export interface FlagOption extends OptionBase {
  readonly type: 'boolean'
  readonly default: boolean
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer'
  readonly default: number
  readonly min: number
  readonly max: number
}
export interface ListOption extends OptionBase {
  readonly type: 'list'
  readonly default: readonly string[]
}
/** Settings by name, written as JSON on the command line and in the environment. */
export interface SettingsOption extends OptionBase {
  readonly type: 'object'
  readonly default: Readonly<Record<string, unknown>>
}

/** One setting: an option on the command line, an environment variable and a key of the config file, declared once. */
export type OptionDeclaration = TextOption | FlagOption | IntegerOption | ListOption | SettingsOption

type Given<T extends OptionDeclaration> = Omit<T, 'type' | 'description'>

export const text = <const T extends Given<TextOption>>(description: string, given?: T): TextOption & T => ({
  type: 'string',
  description,
  ...(given as T),
})
export const flag = (description: string, given: Given<FlagOption>): FlagOption => ({
  type: 'boolean',
  description,
  ...given,
})
export const integer = (description: string, given: Given<IntegerOption>): IntegerOption => ({
  type: 'integer',
  description,
  ...given,
})
export const list = (description: string, given: Given<ListOption>): ListOption => ({
  type: 'list',
  description,
  ...given,
})
export const settings = (description: string, given: Given<SettingsOption>): SettingsOption => ({
  type: 'object',
  description,
  ...given,
})

/** Option names are camelCase with the unit last: `checkpointIntervalMs`. */
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>

type ValueOf<D extends OptionDeclaration> = D extends { type: 'boolean' }
  ? boolean
  : D extends { type: 'integer' }
    ? number
    : D extends { type: 'list' }
      ? readonly string[]
      : D extends { type: 'object' }
        ? Readonly<Record<string, unknown>>
        : D extends { default: string }
          ? string
          : string | undefined

/** The parsed values of a set of declarations. */
export type OptionValues<T extends OptionDeclarations> = { readonly [K in keyof T]: ValueOf<T[K]> }
