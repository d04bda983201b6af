import type { FieldValue } from '../../lib/fields/field.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'

/** @param isUnjudged - stores the value even if policies are known to refuse it */
export type CommitValue = (value: FieldValue, isUnjudged?: boolean) => Promise<NotStored | undefined>
