/** Progress of a check. */
export interface DeviceCheckProgress {
  /** `server`: the server is reading; `device`: comparing local tables; `rows`: comparing single rows again. */
  readonly phase: 'server' | 'device' | 'rows'
  readonly done: number
  readonly total: number
}

export interface DeviceCheckOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: DeviceCheckProgress) => void) | undefined
}

/** Result of a check for one table. */
export interface TableCheck {
  readonly table: string
  /** Rows on this device. */
  readonly rows: number
  /** Ids of rows missing on the device. */
  readonly missing: readonly string[]
  /** Ids of rows that only the device has. */
  readonly extra: readonly string[]
  /** Ids of rows with different values. */
  readonly different: readonly string[]
  /** Ranges of the hashed key that contain these rows, in hexadecimal. */
  readonly ranges: readonly { readonly from: string; readonly to: string }[]
  /** Further ranges differ that were not compared. */
  readonly hasMore: boolean
  /** Too much changed to compare all ranges; the others showed no difference. */
  readonly isUnsettled: boolean
  /** Not compared: SELECT on the table fails for this user with this SQLSTATE. */
  readonly fails: string | undefined
}

export interface DeviceCheck {
  /** Whether every comparable table matches what the server shows the user. */
  readonly equal: boolean
  readonly tables: readonly TableCheck[]
  /** Rows with unsent changes, which are excluded. */
  readonly pending: number
}

/** Why a device could not be checked: server unreachable, unsent changes in the outbox, sync not catching up, server too busy, or refused. */
export type CheckFailure = 'unreachable' | 'unsent' | 'behind' | 'busy' | 'refused'

/** The check was impossible; the device's state is unknown. */
export class CheckUnavailable extends Error {
  override readonly name = 'CheckUnavailable'
  readonly reason: CheckFailure

  constructor(reason: CheckFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export function countDifferences({ missing, extra, different }: TableCheck): number {
  return missing.length + extra.length + different.length
}

const TOLD_MAX = 20

/** Renders a check's result as text: one line per differing table, with its ranges and rows. */
export function renderDeviceCheck({ equal, tables, pending }: DeviceCheck): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const ids = (words: string, list: readonly string[]): string[] =>
    list.length === 0
      ? []
      : [`  ${words}: ${list.slice(0, TOLD_MAX).join(', ')}${list.length > TOLD_MAX ? `, … (${list.length})` : ''}`]
  return [
    `${rows} rows in ${tables.length} tables: ${equal ? 'equal' : 'NOT EQUAL'}`,
    ...(pending > 0 ? [`${pending} rows with unsent changes not compared`] : []),
    ...tables.flatMap((table) => {
      if (table.fails !== undefined) return [`${table.table}: not compared, SELECT fails (${table.fails})`]
      if (table.isUnsettled) return [`${table.table}: only partly compared, it changes too fast`]
      if (countDifferences(table) === 0) return []
      const ranges = table.ranges.map(({ from, to }) => `${from}-${to}`).join(', ')
      return [
        `${table.table} (${table.rows} rows), ranges ${ranges}${table.hasMore ? ' and more' : ''}`,
        ...ids('missing', table.missing),
        ...ids('extra', table.extra),
        ...ids('different', table.different),
      ]
    }),
  ].join('\n')
}
