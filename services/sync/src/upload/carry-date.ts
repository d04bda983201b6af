const DAY = /^\d{4}-\d\d-\d\d$/
const MOMENT = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/i

/**
 * Carries a date or a time from a device over to a column whose type changed: a day becomes the moment at which it begins, and a moment its day.
 *
 * @param type - of the column now, as printed by `format_type`
 * @param zone - IANA name
 * @returns the value for Postgres; unchanged if it has the type of the column
 */
export function carryDate(value: string, type: string, zone: string): string {
  if (type === 'timestamp with time zone' && DAY.test(value)) return `${value} 00:00:00 ${zone}`
  if (type !== 'date' || !MOMENT.test(value)) return value
  const iso = value.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1')
  const at = new Date(iso.replace(/([+-]\d\d)(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`))
  if (Number.isNaN(at.getTime())) return value
  // Swedish dates are written as in ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(at)
}
