/** Path of the upload endpoint, below the server's URL. */
export const UPLOAD_PATH = '/sync/v1/upload'

/** Size limit in bytes of an upload body. A record is at most 1 MiB of JSON; a transaction contains a few large records or thousands of small ones. */
export const UPLOAD_BODY_BYTES_MAX = 4 * 1024 * 1024

/** Values by column, as stored by SQLite. */
export type UploadRow = Readonly<Record<string, string | number | null>>

/** One entry of the local upload queue, like PowerSync's `CrudEntry`. */
export interface UploadOperation {
  /** Position of the entry in the local queue (`ps_crud.id`). */
  readonly op_id: number
  readonly op: 'PUT' | 'PATCH' | 'DELETE'
  /** Local table name: `<table>` for schema public, `<schema>__<table>` otherwise. */
  readonly type: string
  readonly id: string
  /** PUT: the whole row; PATCH: the changed columns. SQLite values as in the local database. */
  readonly data?: UploadRow
  /** Previous values of tracked columns; an entry here makes the write conditional on them. */
  readonly old?: UploadRow
  readonly metadata?: string
}

/** One local transaction. */
export interface UploadRequest {
  /** The local database's client id (a UUID). */
  readonly client_id: string
  /** Queue position of the transaction: the `op_id` of its last entry. With `client_id` it is the idempotency key. */
  readonly position: number
  readonly operations: readonly UploadOperation[]
}

/** The server's decision on an operation. `no_row`: row-level security or a deletion left nothing to change. */
export type OperationVerdict =
  | {
      readonly op_id: number
      readonly status: 'applied'
      /** Guarded columns of the record after its last operation in the transaction: the base of its next change. */
      readonly now?: UploadRow
    }
  | { readonly op_id: number; readonly status: 'not_reached' }
  | { readonly op_id: number; readonly status: 'no_row'; readonly message: string }
  | {
      readonly op_id: number
      readonly status: 'conflict'
      readonly message: string
      /** The server's current values of the guarded columns. */
      readonly current: UploadRow
      /** The server's row with all columns visible to the user. */
      readonly row?: UploadRow
    }
  | {
      readonly op_id: number
      readonly status: 'error'
      readonly sqlstate: string
      readonly message: string
      readonly detail?: string
      readonly hint?: string
      readonly table?: string
      readonly column?: string
      readonly constraint?: string
      /** Columns referenced by the CHECK that refused the write. */
      readonly columns?: readonly string[]
      /** Names of the policies that may have refused the write: the restrictive one Postgres named, else all candidates. */
      readonly policies?: readonly string[]
      /** The `COMMENT` on the policy or constraint that refused the write, if there was only one. Written for users. */
      readonly rule?: string
    }

/** Response with status 200. `applied` means that all operations were applied. */
export interface UploadResponse {
  readonly status: 'applied' | 'refused'
  /** Whether this is the recorded result of an earlier upload of the same transaction. */
  readonly repeated: boolean
  readonly verdicts: readonly OperationVerdict[]
}

/** Several local transactions of one device, oldest first, each applied separately. */
export interface UploadBatchRequest {
  readonly client_id: string
  readonly transactions: readonly Pick<UploadRequest, 'position' | 'operations'>[]
}

/**
 * Results for the first transactions of a batch, at least one. The others were not processed: a refusal ends the batch, because later transactions may depend
 * on the refused one, and so does a transient database failure.
 */
export interface UploadBatchResponse {
  readonly results: readonly UploadResponse[]
}
