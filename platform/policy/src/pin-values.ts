import type { Pin } from './plan.ts'

/** The values of a pin as one query of one text column, to be run as the caller. */
export function pinValues(pin: Pin): string {
  return 'claimSql' in pin ? `select (${pin.claimSql})::text` : pin.valuesSql
}
