import type { OperationVerdict } from './upload.ts'

/** Why a device does not have the newest rows. */
export interface DelayCause {
  readonly code:
    | 'not_connected'
    | 'sync_not_ready'
    | 'policies_compiled'
    | 'upload_blocked'
    | 'not_reading'
    | 'policy_evaluated'
    | 'slot_behind'
    | 'downloading'
    | 'table_being_read'
    | 'policy_fails'
    | 'too_many_buckets'
  /** A sentence with what is known of the cause. */
  readonly text: string
  /** What to do about it, if anything. */
  readonly action?: string
}

export interface DeviceDelay {
  /** The device has everything that the server has: no cause. The main one first. */
  readonly causes: readonly DelayCause[]
  /** Seconds for which it has been without the newest rows; 0 if it has them, `null` if not connected. */
  readonly seconds: number | null
}

/** A device that is connected or was seen in the last days. */
export interface ListedDevice {
  readonly userId: string
  /** Id of the local database, by which uploads and streams of one device are recognised. */
  readonly clientId: string
  /** `null` if the account is unknown. */
  readonly email: string | null
  readonly isConnected: boolean
  readonly userAgent: string
  readonly appMetadata: Readonly<Record<string, string>> | null
  readonly address: string | null
  /** The server process of its newest stream. */
  readonly node: string
  readonly connectedAt: string
  readonly seenAt: string
  readonly endedAt: string | null
  /** Code of the reason for which its last stream ended. */
  readonly endReason: string | null
  /** The last checkpoint that was sent whole. */
  readonly checkpoint: { readonly opId: number; readonly at: string } | null
  readonly buckets: number
  readonly operations: number
  readonly delay: DeviceDelay
  /** Rejected transactions among its last uploads. */
  readonly rejected: number
}

/** A transaction that a device uploaded. */
export interface ListedUpload {
  readonly position: number
  readonly status: 'applied' | 'refused'
  readonly at: string
  readonly operations: number
  /** Verdicts that are not `applied` or `not_reached`. Without values of rows for viewers. */
  readonly problems: readonly Exclude<OperationVerdict, { readonly status: 'applied' | 'not_reached' }>[]
}

/** Rejected changes with the same reason. */
export interface RejectionGroup {
  readonly table: string | null
  /** Policy, constraint, or code of Postgres. */
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly lastAt: string
}

/** Rows of a table that the server has sent to a device. */
export interface DeviceTable {
  readonly table: string
  readonly buckets: number
  readonly operations: number
  /** `null` if counting took too long. */
  readonly rows: number | null
}

/** `GET /devices/:user/:client`. */
export interface DeviceDetails {
  readonly device: ListedDevice
  /** The state of its stream as the server sees it; `null` if not connected to this process. */
  readonly stream: Readonly<Record<string, unknown>> | null
  readonly tables: readonly DeviceTable[]
  readonly uploads: readonly ListedUpload[]
  readonly rejections: readonly RejectionGroup[]
  /** The newest upload that failed without a verdict. */
  readonly uploadProblem: {
    readonly at: string
    readonly requestId: string
    readonly code: string
    readonly message: string
    readonly times: number
  } | null
}

/** `POST /devices/:user/:client/compare`: the rows in a device's buckets beside what Postgres shows its user. */
export interface DeviceComparison {
  readonly equal: boolean
  readonly buckets: number
  readonly operations: number
  /** Rows that Postgres shows, by table. */
  readonly tables: Readonly<Record<string, number>>
  /** At most 100. */
  readonly differences: readonly {
    readonly table: string
    readonly id: string
    readonly kind: 'missing' | 'extra' | 'different'
  }[]
  readonly differencesMore: number
  /** Tables that the user cannot select from, with the error. */
  readonly failing: Readonly<Record<string, string>>
}
