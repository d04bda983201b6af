/** What the console's settings screen shows. Times are ISO 8601, sizes are in bytes. */

/** Where a setting was set. */
export interface SettingOrigin {
  /** `project`: `config.toml` of the project. `program`: the program that opened the server, such as a test. */
  readonly kind: 'flag' | 'environment' | 'file' | 'project' | 'program'
  /** The flag, the variable or the file. */
  readonly where: string
}

/** An option of the server and its value in force. */
export interface Setting {
  readonly name: string
  /** The part of the server that has it, such as `Accounts`. */
  readonly group: string
  readonly description: string
  readonly kind: 'switch' | 'number' | 'text' | 'list' | 'json'
  /** As written on the command line; `null` without one. */
  readonly default: string | null
  /** As written on the command line; `null` if it has none or `isHidden`. */
  readonly value: string | null
  /** Whether it is set, and its value is not shown. */
  readonly isHidden: boolean
  /** `null`: it has its default. */
  readonly origin: SettingOrigin | null
  /** `null` for secrets, which do not belong on a command line. */
  readonly flag: string | null
  readonly variable: string
}

/** `GET /settings`. */
export interface SettingList {
  readonly settings: readonly Setting[]
  /** The file that may set each of them. */
  readonly configFile: string
}
