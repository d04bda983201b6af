import type { OperationVerdict } from '@holdfast/protocol'

/** Why a transaction needs a person: the server's verdict on one operation, or requests that the server kept refusing. */
export type AttentionVerdict =
  | Exclude<OperationVerdict, { status: 'applied' | 'not_reached' }>
  | {
      readonly op_id: number
      readonly status: 'unexpected'
      readonly httpStatus: number | undefined
      readonly code: string | undefined
      readonly message: string
    }
