import type { OperationVerdict } from '@holdfast/protocol'

/** Why a transaction needs attention: the server's verdict on an operation, or repeatedly refused requests. */
export type AttentionVerdict =
  | Exclude<OperationVerdict, { status: 'applied' | 'not_reached' }>
  | {
      readonly op_id: number
      readonly status: 'unexpected'
      readonly httpStatus: number | undefined
      readonly code: string | undefined
      readonly message: string
    }
