/** How far a check is. */
export interface DeviceCheckProgress {
  /** `server`: the server reads; `device`: tables of this device are compared; `rows`: single rows are looked at again. */
  readonly phase: 'server' | 'device' | 'rows'
  readonly done: number
  readonly total: number
}

export interface DeviceCheckOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: DeviceCheckProgress) => void) | undefined
}

/** What a check found in one table. */
export interface TableCheck {
  readonly table: string
  /** Rows on this device. */
  readonly rows: number
  /** Ids of rows that the server shows to the person and the device does not have. */
  readonly missing: readonly string[]
  /** Ids of rows that only the device has. */
  readonly extra: readonly string[]
  /** Ids of rows whose values differ. */
  readonly different: readonly string[]
  /** Where these rows are, as ranges of the hashed key in hexadecimal. */
  readonly ranges: readonly { readonly from: string; readonly to: string }[]
  /** More ranges differ than were looked at: there may be more rows. */
  readonly hasMore: boolean
  /** So much changed meanwhile that not all ranges were compared; no difference was found in the others. */
  readonly isUnsettled: boolean
  /** Not compared: selecting from the table fails for this person on the server, with this SQLSTATE. */
  readonly fails: string | undefined
}

export interface DeviceCheck {
  /** Whether every table that could be compared has exactly the rows that the server shows to the person. */
  readonly equal: boolean
  readonly tables: readonly TableCheck[]
  /** Rows with changes that wait in the outbox: left out. */
  readonly pending: number
}

/**
 * Why a device could not be checked: the server was not reached, changes wait in the outbox, what the server sent does not arrive on the device, the server has no
 * time for it now, or it refuses.
 */
export type CheckFailure = 'unreachable' | 'unsent' | 'behind' | 'busy' | 'refused'

/** The check could not be made. Nothing is known of the device. */
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

/** The result of a check as text: a line for each table that differs, with its ranges and rows. */
export function renderDeviceCheck({ equal, tables, pending }: DeviceCheck): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const ids = (words: string, list: readonly string[]): string[] =>
    list.length === 0
      ? []
      : [`  ${words}: ${list.slice(0, TOLD_MAX).join(', ')}${list.length > TOLD_MAX ? `, … (${list.length})` : ''}`]
  return [
    `${rows} rows in ${tables.length} tables: ${equal ? 'equal' : 'NOT EQUAL'}`,
    ...(pending > 0 ? [`${pending} rows with unsent changes left out`] : []),
    ...tables.flatMap((table) => {
      if (table.fails !== undefined) return [`${table.table}: not compared, selecting fails (${table.fails})`]
      if (table.isUnsettled) return [`${table.table}: not compared whole, it changes too fast`]
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
